//! What latencies do with lengths: TTFT by input length, E2E by output length, ITL by token position.

use super::runs::{Drawn, drawn};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Better, Frame, Point, Scaling, Series};
use crate::metrics::{Bin, By, long_stamp};
use crate::model::{Metric, Run};
use crate::units::{fixed, significant};
use crate::views::{Context, Ruler};
use serde::{Deserialize, Serialize};

/// More runs than this on one small chart hide each other.
const MOST: usize = 4;
/// From this ratio between the longest and the shortest on, lengths stand at equal ratios.
const LOG_RATIO: f64 = 20.0;
/// Fewer samples than this in a bin and its p99 is the largest of them.
const FEW: usize = 100;

/// The small charts of lengths.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RelationsView {
    /// One chart a pair of a latency and a length.
    pub charts: Vec<Spec>,
    /// What could not be drawn and why, each a sentence.
    pub missing: Vec<String>,
}

/// The pairs that are looked at.
const PAIRS: [(Metric, By); 3] =
    [(Metric::Ttft, By::InputTokens), (Metric::E2e, By::OutputTokens), (Metric::Itl, By::Position)];

/// Builds the small charts for the selected runs.
pub fn relations(all: &[&Run], context: &Context) -> RelationsView {
    let mut view = RelationsView::default();
    for (metric, by) in PAIRS {
        let runs = drawn(all, context, metric).0;
        let known: Vec<&Drawn<'_>> =
            runs.iter().filter(|run| run.samples().is_some()).take(MOST).collect();
        let mut series = Vec::new();
        for run in known {
            match run.subject().relation(metric, by) {
                Ok(bins) => series.extend(lines(run, metric, by, &bins)),
                Err(because) => view.missing.push(format!(
                    "{} by {}: nothing of {}, {because}.",
                    metric.name(),
                    length(by),
                    run.name()
                )),
            }
        }
        if !series.is_empty() {
            let stamp = match runs.iter().find(|run| run.samples().is_some()) {
                Some(_) if context.ruler == Ruler::Own => "own words".to_owned(),
                Some(run) => long_stamp(metric, &run.measured.settings),
                None => String::new(),
            };
            view.charts.push(chart(series, metric, by, stamp));
        }
    }
    view
}

fn length(by: By) -> &'static str {
    match by {
        By::InputTokens => "input length",
        By::OutputTokens => "output length",
        By::Position => "position",
    }
}

fn chart(series: Vec<Series>, metric: Metric, by: By, stamp: String) -> Spec {
    let xs = || series.iter().flat_map(|s| &s.points).map(|p| p.x).filter(|x| *x > 0.0);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    let log = high > LOG_RATIO * low;
    Spec {
        title: title(&series, metric, by),
        stamp: format!("{stamp} · line: mean · dashed: p99, hollow of fewer than {FEW} samples"),
        summary: summary(&series),
        frame: Frame::Small,
        x: Axis {
            scale: if log { Scaling::Log } else { Scaling::Linear { from_zero: true } },
            ..Axis::from_zero(
                match by {
                    By::InputTokens => "input tokens",
                    By::OutputTokens => "output tokens",
                    By::Position => "sample of the request",
                },
                "",
            )
        },
        y: Axis {
            better: Some(Better::Down),
            ..Axis::from_zero(metric.name(), metric.unit().symbol())
        },
        series,
        ..Spec::default()
    }
}

/// The mean and the p99 of one run.
fn lines(run: &Drawn<'_>, metric: Metric, by: By, bins: &[Bin]) -> [Series; 2] {
    let unit = metric.unit().symbol();
    let point = |at: usize, bin: &Bin, what: &str, y: f64| {
        let [low, high] = [bin.low, bin.high].map(|end| fixed(end, 0));
        let span = if low == high { low } else { format!("{low} to {high}") };
        let noun = if by == By::Position { run.noun() } else { "requests" };
        Point {
            key: format!("{}/{what}/{at}", run.measured.run.id.as_str()),
            x: (bin.low * bin.high).sqrt(),
            y,
            hollow: what == "p99" && bin.n < FEW,
            tip: vec![
                (length(by).to_owned(), span),
                (format!("{} {what}", metric.name()), format!("{} {unit}", significant(y, 4))),
                (noun.to_owned(), fixed(bin.n as f64, 0)),
            ],
            ..Point::default()
        }
    };
    let series = |what: &str, points: Vec<Point>| Series {
        name: format!("{} {what}", run.name()),
        style: run.style,
        strong: true,
        baseline: run.baseline && what == "mean",
        line: points.len() > 1,
        dashed: what == "p99",
        points,
        ..Series::default()
    };
    let bins = || bins.iter().enumerate();
    let mean = bins().map(|(at, bin)| point(at, bin, "mean", bin.mean)).collect();
    let p99 = bins().filter_map(|(at, bin)| Some(point(at, bin, "p99", bin.p99?))).collect();
    [series("mean", mean), series("p99", p99)]
}

/// From where to where the first run's mean goes.
fn title(series: &[Series], metric: Metric, by: By) -> String {
    let unit = metric.unit().symbol();
    let first = series.first().and_then(|s| Some((s.points.first()?, s.points.last()?)));
    match first {
        Some((a, b)) if a.key != b.key => {
            let [from, to] = [a.y, b.y].map(|v| significant(v, 3));
            format!("Mean {} by {}: {from} to {to} {unit}", metric.name(), length(by))
        }
        _ => format!("{} by {}", metric.name(), length(by)),
    }
}

fn summary(series: &[Series]) -> String {
    let one = |s: &Series| {
        let (first, last) = (s.points.first()?, s.points.last()?);
        let [from, to] = [first.y, last.y].map(|v| significant(v, 3));
        Some(format!("{}: {} bins, from {from} to {to}.", s.name, s.points.len()))
    };
    series.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}
