//! The two peaks of a sweep, which are different points: the highest throughput and the highest goodput.

use super::{CurvePoint, mean_of, number};
use crate::metrics::difference::Subject;
use crate::metrics::goodput::Within;
use crate::model::Metric;
use crate::units::significant;
use serde::{Deserialize, Serialize};

/// Where the throughput is highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// The point.
    pub index: usize,
    /// Output throughput, or request throughput where a load lacks tokens.
    pub metric: Metric,
    /// Its value there, in the metric's unit.
    pub value: f64,
    /// Whether it is the lowest or highest load: the peak may lie beyond.
    pub at_edge: bool,
    /// The x of the neighbouring loads, between which the peak lies. At an edge, its own.
    pub between: [Option<f64>; 2],
}

/// Where the goodput is highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GoodputPeak {
    /// The point.
    pub index: usize,
    /// Good requests per second there.
    pub value: Within,
    /// Whether it is the lowest or highest load: the peak may lie beyond.
    pub at_edge: bool,
    /// The x of the neighbouring loads, between which the peak lies. At an edge, its own.
    pub between: [Option<f64>; 2],
}

/// The throughput of each load, and which one it is.
pub(super) struct Throughputs {
    metric: Metric,
    pub values: Vec<Option<f64>>,
}

/// Output tokens per second of each load, or requests per second where one lacks tokens.
pub(super) fn throughputs(loads: &[&[Subject<'_>]]) -> Throughputs {
    let of = |metric| Throughputs {
        metric,
        values: loads.iter().map(|l| mean_of(l, |s| number(s.evaluation(), metric))).collect(),
    };
    let output = of(Metric::OutputThroughput);
    if output.values.iter().all(Option::is_some) { output } else { of(Metric::RequestThroughput) }
}

/// The place of the largest; of equals, the lowest load.
pub fn highest(values: &[Option<f64>]) -> Option<usize> {
    let known = values.iter().enumerate().filter_map(|(at, v)| v.map(|v| (at, v)));
    known.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(at, _)| at)
}

pub(super) fn throughput(points: &[CurvePoint], of: &Throughputs) -> Option<Peak> {
    let index = highest(&of.values)?;
    let value = of.values.get(index).copied().flatten()?;
    let (at_edge, between) = around(points, index);
    Some(Peak { index, metric: of.metric, value, at_edge, between })
}

/// The highest goodput. Where it is known within bounds, that of a load which is sure to reach what each other
/// can reach at most.
///
/// # Errors
/// When there is none, or bounds leave open which load it is; the reason is a clause.
pub(super) fn goodput(points: &[CurvePoint]) -> Result<GoodputPeak, String> {
    let most: Vec<Option<f64>> =
        points.iter().map(|p| p.goodput.map(|g| g.high).filter(|g| *g > 0.0)).collect();
    let index = highest(&most).ok_or("no load has a known goodput above zero")?;
    let known = |at: usize| points.get(at).and_then(|point| point.goodput);
    let value = known(index).ok_or("no load has a known goodput above zero")?;
    let others = (0..points.len()).filter(|at| *at != index).filter_map(known);
    let open = others.clone().any(|other| other.high > value.low);
    if value.exact().is_none() && open {
        let sure = others.map(|other| other.low).fold(value.low, f64::max);
        let because =
            points.get(index).and_then(|point| point.judged.as_ref().ok()?.because.clone());
        return Err(format!(
            "it is known within bounds only, and the highest lies between {} and {} req/s{}",
            significant(sure, 4),
            significant(value.high, 4),
            because.map_or_else(String::new, |because| format!(" ({because})"))
        ));
    }
    let (at_edge, between) = around(points, index);
    Ok(GoodputPeak { index, value, at_edge, between })
}

/// Whether a point is at the edge of the sweep, and the x of its neighbours.
fn around(points: &[CurvePoint], index: usize) -> (bool, [Option<f64>; 2]) {
    let last = points.len().saturating_sub(1);
    let x = |at: usize| points.get(at).and_then(|p| p.x.number());
    (index == 0 || index == last, [x(index.saturating_sub(1)), x((index + 1).min(last))])
}
