//! Gauges over time: running and waiting requests, and the KV cache in use.

use super::buckets::trim;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Frame, Point, Series};
use crate::prometheus::names::Measure;
use crate::prometheus::{Account, ServerGauge};

/// A curve needs as many readings.
const LEAST: usize = 3;

/// Title, unit, factor of the values, measures with their names.
type Chart = (&'static str, &'static str, f64, &'static [(Measure, &'static str)]);

/// What is drawn.
const CHARTS: [Chart; 2] = [
    (
        "Requests in the engine",
        "requests",
        1.0,
        &[(Measure::Running, "running"), (Measure::Waiting, "waiting")],
    ),
    ("KV cache in use", "%", 100.0, &[(Measure::KvUse, "KV cache")]),
];

/// The charts of gauges; none of fewer readings than a curve needs.
pub(super) fn gauges(account: &Account) -> Vec<Spec> {
    let zero = first_time(account);
    let charts = CHARTS.into_iter().filter_map(|(title, unit, factor, measures)| {
        let mut series: Vec<Series> = Vec::new();
        for (measure, name) in measures {
            let own: Vec<&ServerGauge> = of(account, *measure).collect();
            let several = own.len() > 1;
            for gauge in own {
                let name = if several { gauge.row.key.clone() } else { (*name).to_owned() };
                let style = series.len() as u8;
                series.push(line(name, style, gauge, zero, factor));
            }
        }
        series.retain(|line| line.points.len() >= LEAST);
        (!series.is_empty()).then(|| spec(title, unit, series, zero.is_some()))
    });
    charts.collect()
}

fn of(account: &Account, measure: Measure) -> impl Iterator<Item = &ServerGauge> {
    let of = move |gauge: &&ServerGauge| {
        gauge.row.name.is_some_and(|name| name.measure == measure && name.labels.is_empty())
    };
    account.gauges.iter().filter(of)
}

fn first_time(account: &Account) -> Option<f64> {
    let times = account.gauges.iter().flat_map(|gauge| &gauge.readings).filter_map(|r| r.1);
    times.min_by(f64::total_cmp)
}

fn line(name: String, style: u8, gauge: &ServerGauge, zero: Option<f64>, factor: f64) -> Series {
    let points = gauge.readings.iter().map(|(number, at, value)| Point {
        key: format!("{name}-{number}"),
        x: at.zip(zero).map_or(f64::from(*number), |(at, zero)| at - zero),
        y: value * factor,
        ..Point::default()
    });
    Series {
        points: points.filter(|p| p.x.is_finite() && p.y.is_finite()).collect(),
        style,
        strong: true,
        line: true,
        bare: gauge.readings.len() > 40,
        end_label: Some(name.clone()),
        name,
        ..Series::default()
    }
}

fn spec(title: &str, unit: &str, series: Vec<Series>, timed: bool) -> Spec {
    let highest = |line: &Series| line.points.iter().map(|p| p.y).fold(0.0, f64::max);
    let each = series.iter().map(|line| {
        let ends = line.points.first().zip(line.points.last());
        let (first, last) = ends.map_or((0.0, 0.0), |(first, last)| (first.y, last.y));
        format!(
            "{} from {} to {}, at most {}",
            line.name,
            trim(first),
            trim(last),
            trim(highest(line))
        )
    });
    let readings = series.iter().map(|line| line.points.len()).max().unwrap_or(0);
    Spec {
        summary: format!("{title} over time: {}.", each.collect::<Vec<_>>().join("; ")),
        title: title.to_owned(),
        stamp: format!(
            "{readings} readings, joined by straight lines; what was between them is not known"
        ),
        frame: Frame::Main,
        x: if timed {
            Axis::from_zero("Time since the first reading", "s")
        } else {
            Axis::from_zero("Reading", "")
        },
        y: Axis::from_zero(title, unit),
        series,
        ..Spec::default()
    }
}
