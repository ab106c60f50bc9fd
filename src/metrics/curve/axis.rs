//! What an axis of a curve shows, and where runs lie on it.

use crate::metrics::difference::{Direction, Method, Subject, direction};
use crate::metrics::evaluate::Evaluation;
use crate::metrics::measured::Value;
use crate::metrics::repeats::{Together, repeated};
use crate::model::{Metric, RequestRate, Run, Stat};
use crate::stats::{Interval, mean, t_interval};
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// What an axis shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// A statistic of a metric.
    Metric(Metric, Stat),
    /// The request rate that was asked for.
    RequestedRate,
    /// The request rate that was sent.
    AchievedRate,
    /// The most requests in flight that were allowed.
    MaxConcurrency,
    /// The mean number in flight by Little's law: Σ E ÷ W, or finished requests per second × mean E2E.
    InFlight,
    /// Output tokens per second ÷ accelerators. How many there were says the file, else the reader; none is assumed.
    OutputPerAccelerator,
    /// Tokens per second as one user sees them.
    UserSpeed(Stat),
}

/// Why there is no value per accelerator.
const NO_COUNT: &str =
    "neither the file nor the reader says how many accelerators served, and none is assumed";

impl Axis {
    /// Which end of it is good; none of a load, which is asked of a server and not achieved by it.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::Metric(metric, _) => direction(metric),
            Self::OutputPerAccelerator | Self::UserSpeed(_) => Some(Direction::Higher),
            Self::RequestedRate | Self::AchievedRate | Self::MaxConcurrency | Self::InFlight => {
                None
            }
        }
    }
}

/// Requests per second asked for, where that is a number.
pub(super) fn requested(run: &Run) -> Option<f64> {
    match run.load.request_rate {
        Some(RequestRate::PerSecond(rate)) => Some(rate),
        _ => None,
    }
}

/// Number of sends and the time from the first to the last.
pub(super) fn sending(run: &Run) -> Option<(f64, f64)> {
    let starts: Vec<f64> =
        run.requests.as_ref()?.start.iter().flatten().map(Seconds::as_secs).collect();
    let first = starts.iter().copied().reduce(f64::min)?;
    let last = starts.iter().copied().reduce(f64::max)?;
    (last > first).then_some((starts.len() as f64, last - first))
}

/// Requests per second sent: sends ÷ the time from the first to the last.
pub fn achieved_rate(run: &Run) -> Option<f64> {
    sending(run).map(|(count, span)| count / span)
}

/// From this share of the requested rate on the request was met.
const MET: f64 = 0.95;
/// How many standard deviations of a Poisson count lie between chance and a limit of the client (99 %).
const DEVIATIONS: f64 = 2.58;

/// Whether `sends` over `span` seconds fall short of the rate `asked` for: n − 1 of them are below 95 %
/// of it, and by more than 2.58 standard deviations of random arrivals. Gamma arrivals of shape b vary
/// by 1 ÷ √b a gap; where `burstiness` is not said they are taken as Poisson.
pub fn falls_short(sends: f64, span: f64, asked: f64, burstiness: Option<f64>) -> bool {
    let ratio = (sends - 1.0) / span / asked;
    let variation = 1.0 / burstiness.filter(|b| *b > 0.0).unwrap_or(1.0).sqrt();
    let chance = DEVIATIONS * variation / (sends - 1.0).sqrt();
    ratio < MET && 1.0 - ratio > chance
}

/// Where a run lies on an axis.
pub fn on_axis(run: &Run, evaluation: &Evaluation, axis: Axis) -> Value {
    let or = |value: Option<f64>, why: &str| {
        value.map_or_else(|| Value::Missing(why.to_owned()), Value::Exact)
    };
    match axis {
        Axis::Metric(metric, stat) => evaluation.value(metric, stat),
        Axis::InFlight => in_flight(evaluation),
        Axis::OutputPerAccelerator => match run.gpus() {
            Some(gpus) => {
                divided(evaluation.value(Metric::OutputThroughput, Stat::Value), f64::from(gpus))
            }
            None => Value::Missing(NO_COUNT.to_owned()),
        },
        Axis::UserSpeed(stat) => evaluation.user_speed.value(stat),
        Axis::RequestedRate => or(requested(run), "the file names no request rate"),
        Axis::AchievedRate => or(achieved_rate(run), "the file holds no send times"),
        Axis::MaxConcurrency => or(
            run.load.max_concurrency.map(|c| c as f64),
            "the run has no cap on requests in flight",
        ),
    }
}

/// Σ E ÷ W, or L = λ W (Little, 1961) out of a rate and a mean latency that were printed.
fn in_flight(evaluation: &Evaluation) -> Value {
    let busy = evaluation.value(Metric::MeanConcurrency, Stat::Value);
    let Value::Missing(because) = &busy else { return busy };
    let number = |metric, stat| evaluation.value(metric, stat).exact_or_reported();
    let rate = number(Metric::RequestThroughput, Stat::Value);
    match rate.zip(number(Metric::E2e, Stat::Mean)) {
        Some((rate, millis)) => Value::Reported(rate * millis / 1e3),
        None => Value::Missing(because.clone()),
    }
}

/// A value, or both its bounds, divided.
fn divided(value: Value, by: f64) -> Value {
    match value {
        Value::Exact(v) => Value::Exact(v / by),
        Value::AtLeast(v) => Value::AtLeast(v / by),
        Value::AtMost(v) => Value::AtMost(v / by),
        Value::Between(low, high) => Value::Between(low / by, high / by),
        Value::Reported(v) => Value::Reported(v / by),
        Value::Missing(because) => Value::Missing(because),
    }
}

/// How the ends of a spread were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpreadMethod {
    /// The 95 % interval of one run's number, or of pooled samples of repeats.
    Samples(Method),
    /// The 95 % t interval of the mean over repeats.
    OverRuns,
    /// Smallest and largest of two repeats.
    Range,
}

impl SpreadMethod {
    /// Its id in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Samples(method) => method.id(),
            Self::OverRuns => "t-interval-of-the-mean",
            Self::Range => "range-only",
        }
    }

    /// As it follows the two ends.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Samples(method) => method.words(),
            Self::OverRuns => "t interval of the mean over runs",
            Self::Range => "smallest and largest of two runs",
        }
    }
}

/// How far a point's number is to be trusted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    /// Each run's number, where the load was measured more than once.
    pub each: Vec<Value>,
    /// The ends of the interval and how they were found.
    pub interval: Option<(Interval, SpreadMethod)>,
}

/// Where the runs of one load lie together: a mean of means and rates, a percentile of pooled samples.
/// One run has the interval of its statistic, where `intervals` are asked for.
pub fn of_load(runs: &[Subject<'_>], axis: Axis, intervals: bool) -> (Value, Spread) {
    match runs {
        [] => (none(), Spread::default()),
        [run] => {
            let interval = sampled(axis)
                .filter(|_| intervals)
                .and_then(|(metric, stat)| run.uncertainty(metric, stat).ok())
                .map(|(ends, method)| (ends, SpreadMethod::Samples(method)));
            let value = on_axis(run.run(), run.evaluation(), axis);
            (value, Spread { each: Vec::new(), interval })
        }
        runs => of_repeats(runs, axis),
    }
}

/// The statistic of samples that an axis shows, where it shows one.
const fn sampled(axis: Axis) -> Option<(Metric, Stat)> {
    match axis {
        Axis::Metric(metric, stat) => Some((metric, stat)),
        Axis::UserSpeed(stat) => Some((Metric::UserSpeed, stat)),
        _ => None,
    }
}

fn of_repeats(runs: &[Subject<'_>], axis: Axis) -> (Value, Spread) {
    let each: Vec<Value> =
        runs.iter().map(|run| on_axis(run.run(), run.evaluation(), axis)).collect();
    // A number made of printed ones is no recomputed one.
    let printed = each.iter().any(|value| matches!(value, Value::Reported(_)));
    let number = |v: f64| if printed { Value::Reported(v) } else { Value::Exact(v) };
    let Some((metric, stat)) = sampled(axis) else {
        let numbers: Option<Vec<f64>> = each.iter().map(Value::exact_or_reported).collect();
        if let Some((mean, ends)) = numbers.as_deref().and_then(over) {
            return (number(mean), Spread { each, interval: Some(ends) });
        }
        let missing = each.iter().find(|value| value.exact_or_reported().is_none());
        return (missing.cloned().unwrap_or_else(none), Spread { each, interval: None });
    };
    match repeated(runs, metric, stat).together {
        Together::OverRuns(all) => {
            let ends = match all.interval {
                Some(interval) => (interval, SpreadMethod::OverRuns),
                None => (all.range, SpreadMethod::Range),
            };
            (number(all.mean), Spread { each, interval: Some(ends) })
        }
        Together::Pooled(pooled) => {
            let interval = pooled.interval.ok().map(|(i, how)| (i, SpreadMethod::Samples(how)));
            let value = pooled.summary.stat(stat).map_or_else(none, number);
            (value, Spread { each, interval })
        }
        Together::Refused(because) => (Value::Missing(because), Spread { each, interval: None }),
    }
}

fn none() -> Value {
    Value::Missing("not every run has it as one number".into())
}

/// The mean of the numbers of repeats with its interval, or their range where there are two.
fn over(numbers: &[f64]) -> Option<(f64, (Interval, SpreadMethod))> {
    let low = numbers.iter().copied().reduce(f64::min)?;
    let high = numbers.iter().copied().reduce(f64::max)?;
    let ends = match t_interval(numbers) {
        Some(interval) => (interval, SpreadMethod::OverRuns),
        None => (Interval { low, high }, SpreadMethod::Range),
    };
    Some((mean(numbers)?, ends))
}
