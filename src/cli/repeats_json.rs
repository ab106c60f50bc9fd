//! The `repeats` of `metrics --format json`: runs of one set-up and load, and what they say together.

use super::metrics::{Measurement, unit_symbol};
use super::output::Ordered;
use crate::metrics::{Ask, METRICS, Repeated, Subject, Together, Value as Known, repeated};
use crate::model::{Metric, Run, Stat};
use crate::views::groups::repeats;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Runs that are repeats of one another.
#[derive(Debug, Serialize)]
pub(super) struct RepeatsAnswer<'a> {
    runs: Vec<&'a str>,
    metrics: Ordered<&'static str, Value>,
}

/// Every set of repeats among the runs.
pub(super) fn answer<'a>(measured: &[Measurement<'a>], ask: &Ask) -> Vec<RepeatsAnswer<'a>> {
    let runs: Vec<&Run> = measured.iter().map(|m| m.run).collect();
    repeats(&runs)
        .into_iter()
        .map(|members| {
            let of: Vec<&Measurement<'a>> =
                members.iter().filter_map(|at| measured.get(*at)).collect();
            let subjects: Vec<Subject<'_>> = of
                .iter()
                .map(|m| Subject::evaluated(m.run, &m.settings, ask, &m.evaluation))
                .collect();
            let metrics = METRICS
                .into_iter()
                .filter_map(|metric| Some((metric.id(), one(metric, &subjects, ask)?)))
                .collect();
            RepeatsAnswer {
                runs: of.iter().map(|m| m.run.id.as_str()).collect(),
                metrics: Ordered(metrics),
            }
        })
        .collect()
}

/// One metric: its mean and percentiles, or its one number; nothing where no run has it.
fn one(metric: Metric, subjects: &[Subject<'_>], ask: &Ask) -> Option<Value> {
    let mut members = Map::new();
    let mut put = |stat: Stat| {
        let found = repeated(subjects, metric, stat);
        if !found.each.iter().all(|value| matches!(value, Known::Missing(_))) {
            members.insert(stat.name(), stats(&found, stat));
        }
    };
    if metric.is_distribution() {
        put(Stat::Mean);
        for p in &ask.percentiles {
            put(Stat::Percentile(*p));
        }
    } else {
        put(Stat::Value);
    }
    if members.is_empty() {
        return None;
    }
    members.insert("unit".into(), unit_symbol(metric).into());
    Some(Value::Object(members))
}

/// Each run's number and what is said of all: a centre of means and rates, a percentile of pooled samples.
fn stats(found: &Repeated, stat: Stat) -> Value {
    let each: Vec<Option<f64>> = found.each.iter().map(Known::number).collect();
    match &found.together {
        Together::OverRuns(all) => json!({
            "each": each,
            "median": all.median,
            "mad": all.mad,
            "mean": all.mean,
            "smallest": all.range.low,
            "largest": all.range.high,
            "low": all.interval.map(|i| i.low),
            "high": all.interval.map(|i| i.high),
            "method": if all.interval.is_some() { "t-interval-of-the-mean" } else { "range-only" },
        }),
        Together::Pooled(pooled) => {
            let mut answer = json!({
                "each": each,
                "pooled": pooled.summary.stat(stat),
                "n": pooled.summary.n,
                "requests": pooled.summary.requests,
            });
            if let Value::Object(members) = &mut answer {
                match &pooled.interval {
                    Ok((interval, method)) => {
                        members.insert("low".into(), interval.low.into());
                        members.insert("high".into(), interval.high.into());
                        members.insert("method".into(), method.id().into());
                    }
                    Err(because) => {
                        members.insert("no_interval".into(), because.as_str().into());
                    }
                }
            }
            answer
        }
        Together::Refused(because) => json!({ "each": each, "refused": because }),
    }
}
