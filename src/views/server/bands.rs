//! A histogram as a chart: the share of the observations up to each edge, as far as the buckets tell, with
//! the client’s samples in the same buckets.

use super::client::Compared;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Better, Frame, Point, Scaling, Series};
use crate::prometheus::words::{number, time};

/// The share of observations up to a time: exact at the edges, a band between them, since inside a bucket
/// any course is possible; and the client’s samples at the same edges.
pub fn bands(row: &Compared) -> Spec {
    let total = row.server_n.max(f64::MIN_POSITIVE);
    let client_total = (row.client_n as f64).max(f64::MIN_POSITIVE);
    let finite: Vec<(f64, f64, f64)> = row
        .bins
        .iter()
        .filter_map(|bin| Some((bin.edge? * 1e3, bin.server / total, bin.client / client_total)))
        .collect();
    // Up to the first edge that holds all of both sides; beyond it nothing changes.
    let all = |(_, server, client): &(f64, f64, f64)| *server >= 1.0 && *client >= 1.0;
    let shown = finite.iter().position(all).map_or(finite.len(), |at| at + 1);
    let finite = finite.get(..shown).unwrap_or_default();
    // Between two edges the share lies between those of the two: it can step at either end.
    let mut edges = Vec::with_capacity(finite.len() * 2);
    let (mut start, mut before) = (0.0, 0.0);
    for (edge, server, _) in finite {
        let (low, high) = (before * 100.0, server * 100.0);
        edges.extend([(start, low, high), (*edge, low, high)]);
        (start, before) = (*edge, *server);
    }
    let point = |(edge, share): (f64, f64), of: &str, n: f64| Point {
        key: format!("{of}-{edge}"),
        x: edge,
        y: share * 100.0,
        tip: vec![(
            format!("up to {}", time(edge / 1e3)),
            format!("{} of {}", number(share * n), number(n)),
        )],
        ..Point::default()
    };
    let series = |name: &str, style: u8, points: Vec<Point>| Series {
        name: name.to_owned(),
        style,
        strong: true,
        line: false,
        end_label: Some(name.to_owned()),
        points,
        ..Series::default()
    };
    let server = finite.iter().map(|(e, s, _)| point((*e, *s), "server", row.server_n)).collect();
    let client =
        finite.iter().map(|(e, _, c)| point((*e, *c), "client", row.client_n as f64)).collect();
    Spec {
        title: row.sentence.clone().unwrap_or_default(),
        stamp: format!(
            "{} · {} observations of the server, {} samples of the client, in the server’s buckets",
            row.series,
            number(row.server_n),
            row.client_n
        ),
        summary: format!(
            "Share of {} up to each edge of the server’s buckets, on both sides; between two edges only a band is \
             known.",
            row.name
        ),
        frame: Frame::Main,
        x: Axis {
            title: row.name.clone(),
            unit: "ms".into(),
            scale: Scaling::Linear { from_zero: true },
            better: Some(Better::Left),
            domain: None,
        },
        y: Axis {
            title: "Share up to that time".into(),
            unit: "%".into(),
            scale: Scaling::Linear { from_zero: true },
            better: None,
            domain: Some((0.0, 100.0)),
        },
        series: vec![series("server", 0, server), series("client", 1, client)],
        bands: vec![Band { style: 0, text: Vec::new(), edges }],
        ..Spec::default()
    }
}
