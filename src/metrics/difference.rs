//! The difference of two runs on one ruler: how large, how sure, and whether it may be read at all.

use super::evaluate::{Ask, Evaluation, evaluate, scale};
use super::goodput::{Goodput, GoodputResult};
use super::measured::{Measured, Support, Value};
use super::resampled;
use super::rows::Rows;
use super::settings::Settings;
use crate::model::{Metric, RequestRate, Run, Stat};
use crate::notice::Severity;
use crate::stats::{Interval, Resampling, middle, wilson};
use crate::units::significant;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Lower is better.
    Lower,
    /// Higher is better.
    Higher,
}

/// Which way is good for a metric; `None` for what was asked of the server rather than achieved.
pub const fn direction(metric: Metric) -> Option<Direction> {
    match metric {
        Metric::Ttft
        | Metric::Tpot
        | Metric::Itl
        | Metric::E2e
        | Metric::ChunkGap
        | Metric::QueueWait
        | Metric::FirstAnswer
        | Metric::WholePerToken
        | Metric::Energy
        | Metric::Failed => Some(Direction::Lower),
        Metric::RequestThroughput
        | Metric::OutputThroughput
        | Metric::InputThroughput
        | Metric::TotalThroughput
        | Metric::Goodput
        | Metric::SloShare
        | Metric::UserSpeed
        | Metric::PeakOutputRate => Some(Direction::Higher),
        Metric::InputTokens
        | Metric::OutputTokens
        | Metric::Duration
        | Metric::MeanConcurrency
        | Metric::PeakConcurrency
        | Metric::Completed
        | Metric::TotalInputTokens
        | Metric::TotalOutputTokens
        | Metric::AcceleratorPower => None,
    }
}

/// What a difference says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clear {
    /// Better than the baseline, and the interval excludes zero.
    Better,
    /// Worse than the baseline, and the interval excludes zero.
    Worse,
    /// The interval includes zero, or there is none; the reason is a clause.
    NotClear(String),
    /// Not to be read as a difference; the reason is a clause.
    NotComparable(String),
}

/// A run's number less the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The difference in the metric's unit. A bound where one of the two is bounded.
    pub absolute: Value,
    /// The difference over the baseline's number: 0.1 is 10 % more.
    pub relative: Option<f64>,
    /// The 95 % interval of the absolute difference.
    pub interval: Option<Interval>,
    /// What it says.
    pub clear: Clear,
}

/// A run that is compared: evaluated once, asked often.
#[derive(Debug)]
pub struct Subject<'a> {
    run: &'a Run,
    evaluation: Cow<'a, Evaluation>,
    rows: Option<Rows<'a>>,
}

impl<'a> Subject<'a> {
    /// Evaluates `run` for comparisons.
    pub fn new(run: &'a Run, settings: &'a Settings, ask: &Ask) -> Self {
        let evaluation = Cow::Owned(evaluate(run, settings, ask));
        Self { run, evaluation, rows: Self::rows(run, settings, ask) }
    }

    /// The same with an evaluation of `run` under `settings` and `ask` that is there already.
    pub fn evaluated(
        run: &'a Run,
        settings: &'a Settings,
        ask: &Ask,
        evaluation: &'a Evaluation,
    ) -> Self {
        let rows = Self::rows(run, settings, ask);
        Self { run, evaluation: Cow::Borrowed(evaluation), rows }
    }

    fn rows(run: &'a Run, settings: &'a Settings, ask: &Ask) -> Option<Rows<'a>> {
        run.requests.as_ref().and_then(|r| Rows::new(r, settings, &ask.excluded).ok())
    }

    /// The evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The 95 % interval of one statistic: resampled by request, or Wilson's for a share.
    pub fn interval(&self, metric: Metric, stat: Stat) -> Option<Interval> {
        if metric == Metric::SloShare {
            return self.goodput().filter(|g| g.because.is_none()).and_then(|g| g.interval);
        }
        middle(self.estimates(metric, stat, Resampling::HOUSE), Resampling::HOUSE)
    }

    fn goodput(&self) -> Option<&Goodput> {
        match &self.evaluation.goodput {
            GoodputResult::Known(goodput) => Some(goodput),
            _ => None,
        }
    }

    /// The statistic on each of many resamples of the requests; empty where there is nothing to resample.
    fn estimates(&self, metric: Metric, stat: Stat, how: Resampling) -> Vec<f64> {
        let Some(rows) = &self.rows else { return Vec::new() };
        let measured = self.evaluation.metrics.get(&metric);
        match measured {
            Some(Measured::Summary(_)) => {
                let mut estimates = resampled::summary(rows, metric, stat, how);
                for estimate in &mut estimates {
                    *estimate *= scale(metric);
                }
                estimates
            }
            Some(Measured::Scalar(value)) if metric == Metric::OutputThroughput => {
                resampled::tokens(rows, *value, how)
            }
            _ => Vec::new(),
        }
    }
}

/// The difference of one statistic of `other` to the baseline, both on the ruler `settings`.
pub fn difference(
    baseline: &Run,
    other: &Run,
    settings: &Settings,
    ask: &Ask,
    metric: Metric,
    stat: Stat,
) -> Difference {
    let baseline = Subject::new(baseline, settings, ask);
    difference_of(&baseline, &Subject::new(other, settings, ask), metric, stat)
}

/// The difference of one statistic of `other` to the baseline.
pub fn difference_of(
    baseline: &Subject<'_>,
    other: &Subject<'_>,
    metric: Metric,
    stat: Stat,
) -> Difference {
    let a = baseline.evaluation.value(metric, stat);
    let b = other.evaluation.value(metric, stat);
    let absolute = less(&b, &a);
    let relative = match (absolute.number(), a.number()) {
        (Some(change), Some(base)) if base.abs() > 0.0 => Some(change / base),
        _ => None,
    };
    let mut result =
        Difference { absolute, relative, interval: None, clear: Clear::NotClear(String::new()) };
    if let Err(reason) = comparable(baseline, other, metric) {
        result.clear = Clear::NotComparable(reason);
        return result;
    }
    if let Some(reason) =
        unsupported(baseline, metric, stat).or_else(|| unsupported(other, metric, stat))
    {
        result.clear = Clear::NotClear(reason);
        return result;
    }
    result.interval = interval(baseline, other, metric, stat, &result.absolute);
    result.clear = clear(&result, metric);
    result
}

/// Why a percentile ranks nothing: it is a run's extreme sample.
fn unsupported(subject: &Subject<'_>, metric: Metric, stat: Stat) -> Option<String> {
    let Stat::Percentile(p) = stat else { return None };
    let summary = subject.evaluation.metrics.get(&metric)?.summary()?;
    let extreme = summary.quantile(p)?.support == Support::IsMax;
    extreme.then(|| format!("the {} of {} samples is the extreme one", stat.name(), summary.n))
}

/// `b` − `a`, as far as each is known.
fn less(b: &Value, a: &Value) -> Value {
    match (b, a) {
        (Value::Missing(reason), _) | (_, Value::Missing(reason)) => Value::Missing(reason.clone()),
        (Value::Exact(b), Value::Exact(a)) => Value::Exact(b - a),
        (Value::Exact(b) | Value::Reported(b), Value::Exact(a) | Value::Reported(a)) => {
            Value::Reported(b - a)
        }
        _ => {
            let ((b_low, b_high), (a_low, a_high)) = (ends(b), ends(a));
            let minus = |b: Option<f64>, a: Option<f64>| Some(b? - a?);
            Value::from_bounds(
                minus(b_low, a_high),
                minus(b_high, a_low),
                "both are known within bounds only, in the same direction",
            )
        }
    }
}

const fn ends(value: &Value) -> (Option<f64>, Option<f64>) {
    match value {
        Value::Exact(v) | Value::Reported(v) => (Some(*v), Some(*v)),
        Value::AtLeast(low) => (Some(*low), None),
        Value::AtMost(high) => (None, Some(*high)),
        Value::Between(low, high) => (Some(*low), Some(*high)),
        Value::Missing(_) => (None, None),
    }
}

fn interval(
    baseline: &Subject<'_>,
    other: &Subject<'_>,
    metric: Metric,
    stat: Stat,
    absolute: &Value,
) -> Option<Interval> {
    absolute.exact()?;
    if matches!(metric, Metric::SloShare | Metric::Goodput) {
        return of_shares(baseline.goodput()?, other.goodput()?, metric);
    }
    let how = Resampling::HOUSE;
    let a = baseline.estimates(metric, stat, how);
    // Another seed, so that the two runs are not drawn in step.
    let b = other.estimates(metric, stat, Resampling { seed: how.seed + 1, ..how });
    middle(b.iter().zip(&a).map(|(b, a)| b - a).collect(), how)
}

/// Newcombe's interval of a difference of two shares out of their Wilson intervals (1998, method 10).
/// A goodput rate is such a share times a fixed number of requests per second.
fn of_shares(a: &Goodput, b: &Goodput, metric: Metric) -> Option<Interval> {
    let one = |goodput: &Goodput| {
        let good = goodput.good.exact()?;
        let interval = wilson(good, goodput.of)?;
        let factor = match metric {
            Metric::Goodput if good > 0.0 => {
                goodput.per_second.as_ref().ok()?.exact()? / (good / goodput.of)
            }
            _ => 1.0,
        };
        let share = good / goodput.of;
        Some((share * factor, interval.low * factor, interval.high * factor))
    };
    let ((a, a_low, a_high), (b, b_low, b_high)) = (one(a)?, one(b)?);
    let change = b - a;
    Some(Interval {
        low: change - (b - b_low).hypot(a_high - a),
        high: change + (b_high - b).hypot(a - a_low),
    })
}

fn clear(difference: &Difference, metric: Metric) -> Clear {
    let reason = match (&difference.absolute, difference.interval) {
        (Value::Missing(reason), _) => reason.clone(),
        (Value::Reported(_), _) => {
            "one of the two is only as printed, so its spread is not known".into()
        }
        (Value::AtLeast(_) | Value::AtMost(_) | Value::Between(..), _) => {
            "one of the two is known within bounds only".into()
        }
        (Value::Exact(_), None) => "one run of each does not say how much it varies".into(),
        (Value::Exact(_), Some(interval)) if interval.low <= 0.0 && interval.high >= 0.0 => {
            "the interval of the difference includes zero".into()
        }
        (Value::Exact(change), Some(_)) => {
            return match (direction(metric), *change > 0.0) {
                (Some(Direction::Higher), true) | (Some(Direction::Lower), false) => Clear::Better,
                (Some(_), _) => Clear::Worse,
                (None, _) => Clear::NotClear("neither way is better".into()),
            };
        }
    };
    Clear::NotClear(reason)
}

/// Mean lengths may differ by this much before what depends on them is not compared.
const LENGTHS: f64 = 0.05;

/// Whether a metric of two runs may be compared at all.
///
/// # Errors
/// When it may not; the reason is a clause.
pub fn comparable(a: &Subject<'_>, b: &Subject<'_>, metric: Metric) -> Result<(), String> {
    for subject in [a, b] {
        let notices = &subject.run.provenance.notices;
        if let Some(blocking) = notices.iter().find(|n| n.severity == Severity::Block) {
            return Err(format!(
                "a notice on {} has to be looked at first: {}",
                subject.run.name,
                blocking.text.trim_end_matches('.')
            ));
        }
    }
    if let (Some(a), Some(b)) = (&a.run.workload.model, &b.run.workload.model)
        && a != b
    {
        return Err(format!("different models: {a} and {b}"));
    }
    let on_lengths = matches!(
        metric,
        Metric::E2e
            | Metric::RequestThroughput
            | Metric::OutputThroughput
            | Metric::InputThroughput
            | Metric::TotalThroughput
            | Metric::MeanConcurrency
            | Metric::Goodput
            | Metric::PeakOutputRate
    );
    if on_lengths {
        for (tokens, name) in [(Metric::OutputTokens, "output"), (Metric::InputTokens, "input")] {
            let (Some(x), Some(y)) = (mean_length(a, tokens), mean_length(b, tokens)) else {
                continue;
            };
            if (x - y).abs() > LENGTHS * x.max(y) {
                return Err(format!(
                    "lengths differ: {} and {} {name} tokens on average",
                    significant(x, 3),
                    significant(y, 3)
                ));
            }
        }
    }
    let on_load = on_lengths || matches!(metric, Metric::Ttft | Metric::SloShare);
    if let (true, Some(x), Some(y)) = (on_load, load_kind(a.run), load_kind(b.run))
        && x != y
    {
        return Err(format!("different kinds of load: {x} and {y}"));
    }
    Ok(())
}

/// Mean tokens of a request, from the rows or else from the printed totals.
fn mean_length(subject: &Subject<'_>, metric: Metric) -> Option<f64> {
    subject.evaluation.value(metric, Stat::Mean).exact().or_else(|| {
        let total = match metric {
            Metric::InputTokens => Metric::TotalInputTokens,
            _ => Metric::TotalOutputTokens,
        };
        let completed = subject.run.reported.value(Metric::Completed).filter(|n| *n > 0.0)?;
        Some(subject.run.reported.value(total)? / completed)
    })
}

/// How the load was offered, in words.
pub fn load_kind(run: &Run) -> Option<&'static str> {
    match (run.load.request_rate?, run.load.max_concurrency) {
        (RequestRate::PerSecond(_), None) => Some("a rate"),
        (RequestRate::PerSecond(_), Some(_)) => Some("a rate under a cap"),
        (RequestRate::Unlimited, None) => Some("all at once"),
        (RequestRate::Unlimited, Some(_)) => Some("a fixed number in flight"),
        (RequestRate::Trace, _) => Some("a trace"),
    }
}
