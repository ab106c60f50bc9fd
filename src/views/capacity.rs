//! What a sweep says of goodput as a whole, in words: the highest load that attains a share, and how
//! many replicas a demand takes.

use super::labels::trimmed;
use super::numbers::count;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Better, Frame, Guide, Point, Series};
use crate::metrics::{Attainment, Needed, Plan, Reached, Replica, Within, plan, replicas};
use crate::units::{fixed, significant};
use serde::{Deserialize, Serialize};

/// The capacity plan of one sweep.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CapacityCard {
    /// The sweep.
    pub name: String,
    /// Palette index of the sweep.
    pub style: usize,
    /// "120 req/s needs 14 replicas, 13 to 16; the limits cost 4 of them."
    pub title: String,
    /// How it is reckoned.
    pub stamp: String,
    /// Name and value lines: a replica under the limits and without, both counts, the price.
    pub lines: Vec<(String, String)>,
    /// What to know: the assumption, a peak at the edge.
    pub notes: Vec<String>,
    /// Replicas by demand, where a demand is set.
    pub chart: Option<Spec>,
}

/// The formula under a plan.
const STAMP: &str = "⌈demand ÷ rate of one replica⌉ · 95 % interval of the peak";
/// What every plan assumes.
const ASSUMES: &str = "Assumes that replicas add up: each serves the measured mix of requests as the measured one did, and the demand is spread evenly.";

/// Whom a plan is for.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// The sweep's name.
    pub name: &'a str,
    /// Its palette index.
    pub style: usize,
    /// Requests per second to serve.
    pub demand: Option<f64>,
    /// Accelerators of one replica, where the file says them.
    pub gpus: Option<u32>,
}

/// The card of a sweep; `load` names a load by its place on the curve.
pub fn capacity(
    replica: &Result<Replica, String>,
    planned: Planned<'_>,
    load: &dyn Fn(usize) -> String,
) -> CapacityCard {
    let card = CapacityCard {
        name: planned.name.to_owned(),
        style: planned.style,
        stamp: STAMP.to_owned(),
        ..CapacityCard::default()
    };
    let replica = match replica {
        Ok(replica) => replica,
        Err(reason) => {
            return CapacityCard {
                title: "No capacity plan".to_owned(),
                notes: vec![format!("{}.", upper(reason))],
                ..card
            };
        }
    };
    let mut lines = vec![
        (
            "one replica under the limits".to_owned(),
            format!("{} req/s at {}", rate(replica.goodput), load(replica.peak)),
        ),
        (
            "one replica, throughput only".to_owned(),
            format!("{} req/s", significant(replica.throughput, 3)),
        ),
    ];
    let mut notes = vec![ASSUMES.to_owned()];
    if replica.at_edge {
        notes.push(
            "The goodput peak is at the edge of the sweep: the true one may be higher, and the plan smaller."
                .to_owned(),
        );
    }
    let planned_for = planned.demand.and_then(|demand| plan(demand, *replica));
    let Some(plan) = planned_for else {
        return CapacityCard {
            title: format!(
                "One replica serves {} req/s under the limits, {} req/s without them",
                rate(replica.goodput),
                significant(replica.throughput, 3)
            ),
            lines,
            notes,
            ..card
        };
    };
    lines.push(("replicas under the limits".to_owned(), with_range(&plan)));
    if let (Some(gpus), Some(exact)) = (planned.gpus, plan.by_goodput.exact()) {
        let all = exact.saturating_mul(u64::from(gpus));
        lines.push((
            "accelerators".to_owned(),
            format!("{} ({gpus} a replica)", fixed(all as f64, 0)),
        ));
    }
    lines.push(("replicas, throughput only".to_owned(), fixed(plan.by_throughput as f64, 0)));
    lines.push(("price of the limits".to_owned(), needed(plan.price)));
    CapacityCard {
        title: plan_in_words(&plan),
        lines,
        notes,
        chart: Some(chart(&plan, planned.style)),
        ..card
    }
}

/// "240 req/s needs 41 replicas under the limits, 24 by throughput: the limits cost 17".
pub fn plan_in_words(plan: &Plan) -> String {
    let demand = trimmed(plan.demand);
    let replicas = match plan.by_goodput.exact() {
        Some(1) => "1 replica".to_owned(),
        _ => format!("{} replicas", needed(plan.by_goodput)),
    };
    let range = plan
        .over_interval
        .filter(|range| range.exact().is_none())
        .map_or_else(String::new, |range| {
            format!(" ({} over the 95 % interval of the peak)", needed(range))
        });
    let by_throughput = fixed(plan.by_throughput as f64, 0);
    let price = match plan.price.exact() {
        Some(0) => "the limits cost none".to_owned(),
        _ => format!("the limits cost {}", needed(plan.price)),
    };
    format!(
        "{demand} req/s needs {replicas} under the limits{range}, {by_throughput} by throughput: {price}"
    )
}

fn with_range(plan: &Plan) -> String {
    let range = plan.over_interval.filter(|range| range.exact().is_none());
    let range = range.map_or_else(String::new, |range| format!(", {}", needed(range)));
    format!("{}{range}", needed(plan.by_goodput))
}

/// "14", "13 to 16", "13 or more".
fn needed(count: Needed) -> String {
    let low = fixed(count.low as f64, 0);
    match count.high {
        Some(high) if high == count.low => low,
        Some(high) => format!("{low} to {}", fixed(high as f64, 0)),
        None => format!("{low} or more"),
    }
}

/// "8.86", "≤ 8.86".
fn rate(within: Within) -> String {
    let at_most = if within.exact().is_some() { "" } else { "≤ " };
    format!("{at_most}{}", significant(within.high, 3))
}

/// A clause as the start of a sentence.
pub(super) fn upper(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// "At least 90 % of the requests sent are good up to 12 req/s (92.1 %); at 16 req/s it is 14.3 %."
pub fn attainment_in_words(attainment: &Attainment, load: &dyn Fn(usize) -> String) -> String {
    let wanted = trimmed(attainment.wanted * 100.0);
    match attainment.reached {
        Reached::At { index, share, next, missed_below } => {
            let next = match next {
                None => ", the highest load measured: the true highest may be above it".to_owned(),
                Some((next, Some(share))) => {
                    format!("; at {} it is {}", load(next), percent(share))
                }
                Some((next, None)) => format!("; at {} it is not known", load(next)),
            };
            let missed = missed_below
                .map_or_else(String::new, |at| format!(" A lower load, {}, misses it.", load(at)));
            format!(
                "At least {wanted} % of the requests sent are good up to {} ({}){next}.{missed}",
                load(index),
                percent(share)
            )
        }
        Reached::Below { lowest, share } => format!(
            "No load attains {wanted} % of the requests sent: at {}, the lowest, it is {}.",
            load(lowest),
            percent(share)
        ),
    }
}

/// "92.1 %", "81.0 to 92.1 %".
pub(super) fn percent(share: Within) -> String {
    let text = |share: f64| fixed(share * 100.0, 1);
    match share.exact() {
        Some(share) => format!("{} %", text(share)),
        None => format!("{} to {} %", text(share.low), text(share.high)),
    }
}

/// Places at which the steps of a plan are drawn.
const PLACES: u32 = 240;

/// Replicas by demand, under the limits and without, up to past the demand asked for.
fn chart(plan: &Plan, style: usize) -> Spec {
    let end = plan.demand * 1.6;
    let goodput = plan.replica.goodput.high;
    let places = || (0..=PLACES).map(|at| end * f64::from(at.max(1)) / f64::from(PLACES));
    let steps = |name: &str, key: &str, rate: f64| {
        let count = |x: f64| replicas(x, rate).map_or(0.0, |n| n as f64);
        let mut points: Vec<Point> = Vec::new();
        for x in places() {
            let y = count(x);
            let level = points.last().is_some_and(|last| (last.y - y).abs() < 0.5);
            if !level || x >= end {
                // A step rises where one replica's rate is used up, not at the place that saw it.
                let x = if points.is_empty() { 0.0 } else { ((y - 1.0) * rate).min(x) };
                points.push(Point { key: format!("{key}/{y}/{x}"), x, y, ..Point::default() });
            }
        }
        if let Some(last) = points.last().cloned() {
            points.push(Point { key: format!("{key}/end"), x: end, ..last });
        }
        Series {
            name: name.to_owned(),
            strong: true,
            line: true,
            step: true,
            bare: true,
            end_label: Some(name.to_owned()),
            points,
            ..Series::default()
        }
    };
    let style = u8::try_from(style % 256).unwrap_or(0);
    let mark = |key: &str, count: u64, text: &str| Point {
        key: key.to_owned(),
        x: plan.demand,
        y: count as f64,
        label: Some(fixed(count as f64, 0)),
        tip: vec![
            ("demand".to_owned(), format!("{} req/s", trimmed(plan.demand))),
            (text.to_owned(), self::count(count as usize, "replica")),
        ],
        ..Point::default()
    };
    let marks = Series {
        name: format!("at {} req/s", trimmed(plan.demand)),
        style,
        strong: true,
        points: vec![
            mark("demand/limits", plan.by_goodput.low, "under the limits"),
            mark("demand/throughput", plan.by_throughput, "throughput only"),
        ],
        ..Series::default()
    };
    let band = plan.replica.interval.filter(|interval| interval.low > 0.0).map(|interval| {
        let edges = places().filter_map(|x| {
            let (low, high) = (replicas(x, interval.high)?, replicas(x, interval.low)?);
            Some((x, low as f64, high as f64))
        });
        Band { style, text: Vec::new(), edges: edges.collect() }
    });
    let limits = Series { style, baseline: true, ..steps("under the limits", "limits", goodput) };
    let throughput =
        Series { neutral: true, ..steps("throughput only", "throughput", plan.replica.throughput) };
    Spec {
        title: plan_in_words(plan),
        stamp: STAMP.to_owned(),
        summary: format!("{}.", plan_in_words(plan)),
        frame: Frame::Main,
        x: Axis::from_zero("demand", "req/s"),
        y: Axis { better: Some(Better::Down), ..Axis::from_zero("replicas", "") },
        series: vec![marks, limits, throughput],
        bands: band.into_iter().collect(),
        guides: vec![Guide {
            from: (plan.demand, 0.0),
            to: (plan.demand, plan.by_goodput.high.unwrap_or(plan.by_goodput.low) as f64),
            text: String::new(),
        }],
        ..Spec::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;

    fn replica(goodput: f64, throughput: f64) -> Replica {
        Replica {
            goodput: Within { low: goodput, high: goodput },
            interval: None,
            peak: 2,
            at_edge: false,
            throughput,
        }
    }

    fn planned(demand: Option<f64>) -> Planned<'static> {
        Planned { name: "vLLM", style: 0, demand, gpus: Some(8) }
    }

    #[test]
    fn example_8_is_said_in_one_sentence() {
        let card = capacity(&Ok(replica(5.94, 10.0)), planned(Some(240.0)), &|_| "12 req/s".into());
        assert_eq!(
            card.title,
            "240 req/s needs 41 replicas under the limits, 24 by throughput: the limits cost 17"
        );
        assert!(card.lines.contains(&("accelerators".into(), "328 (8 a replica)".into())));
        let chart = card.chart.unwrap();
        let limits = chart.series.iter().find(|s| s.name == "under the limits").unwrap();
        let at_demand = limits.points.iter().rfind(|p| p.x <= 240.0).unwrap();
        assert!((at_demand.y - 41.0).abs() < 1e-9, "{at_demand:?}");
        assert!(limits.points.windows(2).all(|p| p[0].x <= p[1].x && p[0].y <= p[1].y));
    }

    #[test]
    fn the_interval_of_the_peak_is_a_range_of_replicas() {
        let interval = Some(Interval { low: 7.8, high: 9.6 });
        let replica = Replica { interval, at_edge: true, ..replica(8.86, 13.1) };
        let card = capacity(&Ok(replica), planned(Some(120.0)), &|_| "12 req/s".into());
        assert!(
            card.title.starts_with("120 req/s needs 14 replicas under the limits (13 to 16 over")
        );
        assert!(card.notes.iter().any(|note| note.contains("edge of the sweep")));
    }

    #[test]
    fn without_a_demand_or_a_peak_it_says_so() {
        let card = capacity(&Ok(replica(5.94, 10.0)), planned(None), &|_| "12 req/s".into());
        assert_eq!(
            card.title,
            "One replica serves 5.94 req/s under the limits, 10.0 req/s without them"
        );
        assert_eq!(card.chart, None);
        let card = capacity(&Err("no peak".into()), planned(Some(1.0)), &|_| String::new());
        assert_eq!(
            (card.title.as_str(), card.notes),
            ("No capacity plan", vec!["No peak.".into()])
        );
    }
}
