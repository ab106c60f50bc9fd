//! A server’s buckets as a picture: the share of the observations in each, and the client’s samples in the
//! same edges.

use super::client::{Bin, Compared};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Frame, Guide, Point, Scaling, Series};
use crate::prometheus::words::{number, percent};
use crate::prometheus::{Row, ServerHistogram};
use crate::units::significant;
use serde::{Deserialize, Serialize};

/// One histogram of the server, drawn and in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistogramRow {
    /// Its name on screen.
    pub name: String,
    /// The series, as the file has it.
    pub series: String,
    /// Observations, and the client’s samples where they are beside it.
    pub counted: String,
    /// Σ ÷ n in milliseconds, with the unit.
    pub mean: String,
    /// Each quantile with what is certain of it, such as p50 and “60 to 80 ms”.
    pub quantiles: Vec<(String, String)>,
    /// What a dashboard would print and what refutes it, where the sum does.
    pub refuted: Option<String>,
    /// Shares by bucket, on an axis that all rows share.
    pub spec: Spec,
}

/// The quantiles shown.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99")];

/// The first bucket begins at zero, which a logarithmic axis lacks: it is drawn from this share of its edge.
const FIRST: f64 = 0.4;

/// The last bucket has no upper edge: it is drawn up to so many times its lower one.
const LAST: f64 = 2.0;

/// A bucket: lower and upper end as drawn in milliseconds, words for its range, observations, samples.
struct Bucket {
    low: f64,
    high: f64,
    words: String,
    server: f64,
    client: Option<f64>,
}

/// A histogram with the client’s samples beside it, where it has them.
pub(super) struct Both<'a> {
    pub name: String,
    pub server: &'a ServerHistogram,
    pub client: Option<&'a Compared>,
}

/// The histograms as rows over one axis.
pub(super) fn rows(all: &[Both<'_>]) -> Vec<HistogramRow> {
    let buckets: Vec<Vec<Bucket>> = all.iter().map(buckets_of).collect();
    let filled = || buckets.iter().flatten().filter(|b| b.server > 0.0 || b.client > Some(0.0));
    let low = filled().map(|b| b.low).fold(f64::INFINITY, f64::min);
    let high = filled().map(|b| b.high).fold(0.0, f64::max);
    let domain = (low < high).then_some((low, high));
    all.iter().zip(buckets).filter_map(|(both, buckets)| row(both, &buckets, domain)).collect()
}

fn buckets_of(both: &Both<'_>) -> Vec<Bucket> {
    let Some((histogram, factor)) = both.server.histogram().zip(both.server.row.seconds()) else {
        return Vec::new();
    };
    let to_ms = factor * 1e3;
    let (mut below, mut edge_before) = ((0.0, 0.0), 0.0);
    let bins: &[Bin] = both.client.map(|client| client.bins.as_slice()).unwrap_or_default();
    let each = histogram.buckets().into_iter().enumerate().map(|(at, (edge, up_to))| {
        let client = both.client.and(bins.get(at)).map(|bin| bin.client);
        let (low, high) = (edge_before, edge * to_ms);
        let words = match (low > 0.0, high.is_finite()) {
            (_, false) => format!("over {} ms", trim(low)),
            (false, true) => format!("up to {} ms", trim(high)),
            (true, true) => format!("{} to {} ms", trim(low), trim(high)),
        };
        let bucket = Bucket {
            low: if low > 0.0 { low } else { high * FIRST },
            high: if high.is_finite() { high } else { low * LAST },
            words,
            server: up_to - below.0,
            client: client.map(|client| client - below.1),
        };
        below = (up_to, client.unwrap_or(0.0));
        edge_before = high;
        bucket
    });
    // An edge of zero holds nothing that a logarithmic axis could show.
    each.filter(|bucket| bucket.high > 0.0 && bucket.low > 0.0).collect()
}

fn row(both: &Both<'_>, buckets: &[Bucket], domain: Option<(f64, f64)>) -> Option<HistogramRow> {
    let to_ms = both.server.row.seconds()? * 1e3;
    let histogram = both.server.histogram()?;
    let count = both.server.count?;
    let quantiles = QUANTILES.into_iter().filter_map(|(q, name)| {
        let bounds = histogram.bounds(q)?;
        Some((name.to_owned(), between(bounds.low * to_ms, bounds.high.map(|h| h * to_ms))))
    });
    let refuted = QUANTILES.into_iter().find_map(|(q, name)| {
        let (shown, bounds) = (histogram.promql(q)?, histogram.bounds(q)?);
        let high = bounds.high.filter(|high| shown > *high * (1.0 + 1e-9))?;
        (!bounds.above_last_edge).then(|| {
            format!(
                "A dashboard prints {} ms as {name}; the sum allows at most {}.",
                trim(shown * to_ms),
                trim(high * to_ms)
            )
        })
    });
    let mean = both.server.mean()?;
    let samples = both.client.map(|client| format!(", client {}", number(client.client_n as f64)));
    Some(HistogramRow {
        name: both.name.clone(),
        series: both.server.row.key.clone(),
        counted: format!("server {}{}", number(count), samples.unwrap_or_default()),
        mean: format!("{} ms", trim(mean * to_ms)),
        quantiles: quantiles.collect(),
        refuted,
        spec: spec(&both.name, &both.server.row, buckets, mean * to_ms, domain),
    })
}

/// “60 to 80 ms”, “at most 0.38 ms”, “over 10,000 ms”.
fn between(low: f64, high: Option<f64>) -> String {
    match high {
        None => format!("over {} ms", trim(low)),
        Some(high) if low <= 0.0 => format!("at most {} ms", trim(high)),
        Some(high) => format!("{} to {} ms", trim(low), trim(high)),
    }
}

/// Three digits without zeros at the end, as edges are written.
pub(super) fn trim(value: f64) -> String {
    let text = significant(value, 3);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn spec(name: &str, row: &Row, buckets: &[Bucket], mean: f64, domain: Option<(f64, f64)>) -> Spec {
    let all =
        |of: &dyn Fn(&Bucket) -> f64| buckets.iter().map(of).sum::<f64>().max(f64::MIN_POSITIVE);
    let server_n = all(&|b| b.server);
    let client_n = all(&|b| b.client.unwrap_or(0.0));
    let share = |b: &Bucket| b.server / server_n * 100.0;
    let highest = buckets
        .iter()
        .flat_map(|b| [share(b), b.client.unwrap_or(0.0) / client_n * 100.0])
        .fold(0.0, f64::max);
    // Only the stretch that holds something is drawn; an empty bucket between two filled ones is zero.
    let holds = |b: &Bucket| b.server > 0.0 || b.client.is_some_and(|client| client > 0.0);
    let first = buckets.iter().position(holds).unwrap_or(0);
    let last = buckets.iter().rposition(holds).map_or(0, |at| at + 1);
    let shown = buckets.get(first..last).unwrap_or_default();
    let bands = shown.iter().filter(|b| b.server > 0.0).map(|b| Band {
        style: 0,
        text: Vec::new(),
        edges: vec![(b.low, 0.0, share(b)), (b.high, 0.0, share(b))],
    });
    let points = |of: &dyn Fn(&Bucket) -> Option<f64>, n: f64, who: &str| -> Vec<Point> {
        let each = shown.iter().filter_map(|b| {
            let count = of(b)?;
            Some(Point {
                key: format!("{who}-{}", b.low),
                x: b.low,
                y: count / n * 100.0,
                tip: vec![(b.words.clone(), format!("{} of {}", number(count), number(n)))],
                ..Point::default()
            })
        });
        let mut points: Vec<Point> = each.collect();
        if let Some((end, last)) = shown.last().zip(points.last().cloned()) {
            points.push(Point { key: format!("{who}-end"), x: end.high, ..last });
        }
        points
    };
    let series = |name: &str, style: u8, points: Vec<Point>| Series {
        name: name.to_owned(),
        style,
        strong: true,
        step: true,
        bare: true,
        points,
        ..Series::default()
    };
    let mut all_series = Vec::new();
    if shown.iter().any(|b| b.client.is_some()) {
        all_series.push(series("client, same edges", 1, points(&|b| b.client, client_n, "client")));
    }
    all_series.push(series("server", 0, points(&|b| Some(b.server), server_n, "server")));
    let fullest = shown.iter().max_by(|a, b| a.server.total_cmp(&b.server));
    let fullest =
        fullest.map(|b| format!(" Most, {}, lie in {}.", percent(share(b) / 100.0), b.words));
    let on_axis = domain.is_none_or(|(low, high)| (low..=high).contains(&mean));
    Spec {
        title: name.to_owned(),
        stamp: format!("{} · share of the observations in each bucket", row.key),
        summary: format!(
            "{name} of the server by bucket, {} observations, mean {} ms.{}",
            number(server_n),
            trim(mean),
            fullest.unwrap_or_default()
        ),
        frame: Frame::Small,
        x: Axis {
            title: String::new(),
            unit: "ms".into(),
            scale: Scaling::Log,
            better: None,
            domain,
        },
        y: Axis {
            title: String::new(),
            unit: "%".into(),
            scale: Scaling::Linear { from_zero: true },
            better: None,
            domain: Some((0.0, (highest * 1.1).clamp(1.0, 110.0))),
        },
        series: all_series,
        bands: bands.collect(),
        guides: on_axis
            .then(|| Guide { from: (mean, 0.0), to: (mean, 110.0), text: "mean".into() })
            .into_iter()
            .collect(),
        gutter: 40.0,
        ..Spec::default()
    }
}
