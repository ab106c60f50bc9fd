//! `curve --format json`: the object of schema `sameruler.curve/1`, whose names are a contract.

use super::curve::{ALL_STAGES, Curves, Series, ends, origin};
use super::metrics_json::Object;
use super::output::Ordered;
use crate::engine::Refusal;
use crate::metrics::{Axis, CurvePoint, GoodputPeak, Peak, Value as Known, Within, place};
use crate::model::{Metric, RunId};
use crate::views::curves::{AxisWords, axis_words};
use crate::views::groups::Varied;
use serde::Serialize;
use serde_json::{Value, json};

/// The whole answer.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    schema: &'static str,
    x: AxisWords,
    y: AxisWords,
    slo: Vec<String>,
    series: Vec<SeriesAnswer<'a>>,
    /// Points that no other of any series beats on both axes.
    frontier: Vec<Value>,
    held_back: Vec<Value>,
    /// Runs that are all stages of a sweep together, left off.
    all_stages: Vec<Value>,
    refused: &'a [Refusal],
}

#[derive(Debug, Serialize)]
struct SeriesAnswer<'a> {
    name: &'a str,
    /// The unit of what was varied, or null of one load alone.
    varied: Option<&'static str>,
    definition: Option<String>,
    points: Vec<Object>,
    frontier: &'a [usize],
    knee: Option<Value>,
    no_knee: Option<&'a str>,
    throughput_peak: Option<Value>,
    goodput_peak: Option<Value>,
    /// Why no goodput peak can be named, as a clause.
    no_goodput_peak: Option<&'a str>,
    /// The highest throughput among loads whose printed values keep all limits: no goodput.
    best_within: Option<Value>,
    saturated_from: Option<Value>,
    text: &'a [String],
    excluded: Vec<Value>,
}

/// The answer about these curves.
pub(super) fn answer<'a>(found: &'a Curves<'a>, refused: &'a [Refusal]) -> Answer<'a> {
    let frontier = found.series.iter().enumerate().flat_map(|(at, series)| {
        let points = series.curve.points.iter().enumerate();
        points.filter_map(move |(point, of)| {
            let beaten = found.beaten.get(at)?.get(point)?.is_some();
            let drawn = place((found.x, &of.x), (found.y, &of.y)).is_some();
            (drawn && !beaten).then(|| json!({"series": at, "point": point}))
        })
    });
    Answer {
        schema: "sameruler.curve/1",
        x: axis_words(found.x),
        y: axis_words(found.y),
        slo: found.ask.limits.iter().map(ToString::to_string).collect(),
        series: (0..found.series.len()).filter_map(|at| series(found, at)).collect(),
        frontier: frontier.collect(),
        held_back: found
            .held_back
            .iter()
            .map(|(run, blocked)| {
                json!({
                    "run": run.id.as_str(),
                    "name": run.name,
                    "file": run.provenance.file,
                    "finding": blocked.id,
                    "text": blocked.text,
                })
            })
            .collect(),
        all_stages: found
            .all_stages
            .iter()
            .map(|run| {
                json!({
                    "run": run.id.as_str(),
                    "name": run.name,
                    "file": run.provenance.file,
                    "because": ALL_STAGES,
                })
            })
            .collect(),
        refused,
    }
}

fn series<'a>(found: &'a Curves<'a>, at: usize) -> Option<SeriesAnswer<'a>> {
    let series = found.series.get(at)?;
    let curve = &series.curve;
    Some(SeriesAnswer {
        name: &series.name,
        varied: series.varied.map(Varied::unit),
        definition: definition(found, series),
        points: (0..curve.points.len()).filter_map(|index| point(found, at, index)).collect(),
        frontier: &curve.frontier,
        knee: curve.knee.as_ref().ok().map(|knee| {
            json!({
                "index": knee.index,
                "rule": knee.rule,
                "load": load(series, knee.index),
                "load_text": series.load(knee.index),
            })
        }),
        no_knee: curve.knee.as_ref().err().map(String::as_str),
        throughput_peak: curve.throughput_peak.map(|peak| throughput_peak(series, peak)),
        goodput_peak: curve.goodput_peak.map(|peak| goodput_peak(series, peak)),
        no_goodput_peak: curve.no_goodput_peak.as_deref().filter(|_| !found.ask.limits.is_empty()),
        best_within: curve.best_within.filter(|_| curve.goodput_peak.is_none()).map(|index| {
            json!({
                "index": index,
                "load": load(series, index),
                "load_text": series.load(index),
            })
        }),
        saturated_from: curve.saturated_from.map(|index| {
            json!({
                "index": index,
                "load": load(series, index),
                "load_text": series.load(index),
            })
        }),
        text: &series.said,
        excluded: excluded(series),
    })
}

fn definition(found: &Curves<'_>, series: &Series<'_>) -> Option<String> {
    let metric = match found.y {
        Axis::Metric(metric, _) => metric,
        Axis::UserSpeed(_) => Metric::UserSpeed,
        _ => return None,
    };
    Some(crate::metrics::long_stamp(metric, &series.runs.first()?.settings))
}

/// The load of a point in the unit of what was varied; null where it is unlimited or not known.
fn load(series: &Series<'_>, at: usize) -> Option<f64> {
    let run = series.measured(at)?.run;
    let load = match series.varied {
        Some(varied) => varied.load(run),
        None => series
            .curve
            .points
            .get(at)?
            .requested_rate
            .or(run.load.max_concurrency.map(|c| c as f64)),
    };
    load.filter(|load| load.is_finite())
}

/// The neighbouring loads in the unit of what was varied.
fn neighbours(series: &Series<'_>, index: usize) -> Value {
    let last = series.curve.points.len().saturating_sub(1);
    json!([load(series, index.saturating_sub(1)), load(series, (index + 1).min(last))])
}

fn throughput_peak(series: &Series<'_>, peak: Peak) -> Value {
    json!({
        "index": peak.index,
        "metric": peak.metric.id(),
        "value": peak.value,
        "unit": peak.metric.unit().symbol(),
        "load": load(series, peak.index),
        "load_text": series.load(peak.index),
        "at_edge": peak.at_edge,
        "between": peak.between,
        "between_loads": neighbours(series, peak.index),
    })
}

fn goodput_peak(series: &Series<'_>, peak: GoodputPeak) -> Value {
    let point = series.curve.points.get(peak.index);
    let judged = point.and_then(|point| point.judged.as_ref().ok());
    let gpus = series.measured(peak.index).and_then(|measured| measured.run.gpus());
    let per_gpu = gpus
        .map(f64::from)
        .map(|gpus| Within { low: peak.value.low / gpus, high: peak.value.high / gpus });
    json!({
        "index": peak.index,
        "value": within(peak.value),
        "unit": "req/s",
        "gpus": gpus,
        "value_per_gpu": per_gpu.map(within),
        "interval": point.and_then(|p| p.goodput_interval).map(|i| json!({"low": i.low, "high": i.high})),
        "load": load(series, peak.index),
        "load_text": series.load(peak.index),
        "good": judged.map(|g| within(g.good)),
        "sent": judged.map(|g| g.sent),
        "finished": judged.map(|g| g.finished),
        "share_of_sent": judged.map(|g| within(g.share_of_sent)),
        "share_of_finished": judged.map(|g| within(g.share_of_finished)),
        "at_edge": peak.at_edge,
        "between": peak.between,
        "between_loads": neighbours(series, peak.index),
    })
}

/// A number, or both its bounds.
fn within(value: Within) -> Value {
    match value.exact() {
        Some(v) => json!(v),
        None => json!({"low": value.low, "high": value.high}),
    }
}

/// A number, its bounds, or null where it can’t be had.
fn known(value: &Known) -> Value {
    match value {
        Known::Exact(v) | Known::Reported(v) => json!(v),
        Known::AtLeast(low) => json!({"low": low, "high": null}),
        Known::AtMost(high) => json!({"low": null, "high": high}),
        Known::Between(low, high) => json!({"low": low, "high": high}),
        Known::Missing(_) => Value::Null,
    }
}

fn point(found: &Curves<'_>, at: usize, index: usize) -> Option<Object> {
    let series = found.series.get(at)?;
    let point = series.curve.points.get(index)?;
    let mut members: Vec<(String, super::metrics_json::Json)> = Vec::new();
    let mut put = |name: &str, value: Value| members.push((name.to_owned(), value.into()));
    put("run", json!(point.run.as_str()));
    put("name", json!(series.measured(index).map(|m| &m.run.name)));
    put("runs", point.runs.iter().map(RunId::as_str).collect());
    put("load", json!(load(series, index)));
    put("load_text", json!(series.load(index)));
    for (name, value) in [("x", &point.x), ("y", &point.y)] {
        put(name, known(value));
        if let Known::Missing(because) = value {
            put(&format!("{name}_unavailable"), json!(because));
        }
    }
    put("origin", json!(origin(&point.y)));
    let (low, high) = ends(point);
    let interval = point
        .y_spread
        .interval
        .map(|(_, method)| json!({"low": low, "high": high, "method": method.id()}));
    put("y_interval", json!(interval));
    if point.runs.len() > 1 {
        for (name, spread) in [("x_each", &point.x_spread), ("y_each", &point.y_spread)] {
            put(name, spread.each.iter().map(known).collect());
        }
    }
    put("requested_rate", json!(point.requested_rate));
    put("achieved_rate", json!(point.achieved_rate));
    put("sent_below_request", json!(point.sent_below));
    put("request_throughput", json!(point.request_throughput));
    for (name, value) in goodput(point, found.ask.limits.is_empty()) {
        put(name, value);
    }
    put("n", json!(point.n));
    let by = found.beaten.get(at)?.get(index).copied().flatten();
    let by = by.and_then(|(at, index)| {
        let by = found.series.get(at)?;
        Some(json!({"series": at, "name": by.name, "point": index, "load_text": by.load(index)}))
    });
    put("beaten_by", json!(by));
    Some(Ordered(members))
}

/// Goodput with both shares and each limit by itself, or why it can’t be had.
fn goodput(point: &CurvePoint, no_limits: bool) -> Vec<(&'static str, Value)> {
    let judged = match &point.judged {
        Ok(judged) => judged,
        Err(because) => {
            let mut members = vec![("goodput", Value::Null), ("share", Value::Null)];
            if !no_limits {
                members.push(("goodput_unavailable", json!(because)));
            }
            return members;
        }
    };
    let ends = |i: crate::stats::Interval| json!({"low": i.low, "high": i.high});
    let limits: Vec<Value> = judged
        .each
        .iter()
        .enumerate()
        .map(|(at, each)| {
            json!({
                "limit": each.limit.to_string(),
                "met": within(each.met),
                "share": within(each.share),
                "binds": judged.binding == Some(at),
            })
        })
        .collect();
    let mut members = vec![("goodput", json!(point.goodput.map(within)))];
    if let Err(because) = &judged.per_second {
        members.push(("goodput_unavailable", json!(because)));
    }
    members.extend([
        ("goodput_interval", json!(judged.per_second_interval.map(ends))),
        ("token_goodput", json!(judged.tokens_per_second.as_ref().ok().map(|w| within(*w)))),
        ("good", within(judged.good)),
        ("of", json!(judged.of)),
        ("share", within(judged.share)),
        ("share_interval", json!(judged.interval.map(ends))),
        ("share_of_sent", within(judged.share_of_sent)),
        ("share_of_finished", within(judged.share_of_finished)),
        ("not_applicable", json!(judged.not_applicable)),
        ("limits", Value::Array(limits)),
        ("binding", json!(point.binding().map(|b| b.limit.to_string()))),
    ]);
    members
}

/// Requests that are no sample of an axis's metric, each with the reason.
fn excluded(series: &Series<'_>) -> Vec<Value> {
    series
        .runs
        .iter()
        .flat_map(|measured| {
            measured.evaluation.excluded.iter().map(|left_out| {
                json!({
                    "run": measured.run.id.as_str(),
                    "metric": left_out.metric.id(),
                    "reason": left_out.reason,
                    "count": left_out.count,
                    "of": measured.evaluation.counts.sent,
                })
            })
        })
        .collect()
}
