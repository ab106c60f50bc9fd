//! The difference of two runs on one ruler: how large, how sure, and whether it may be read at all.

use super::estimates::{LEAST_REQUESTS, Refused, estimates};
use super::evaluate::{Ask, Evaluation, evaluate};
use super::goodput::{Goodput, GoodputResult};
use super::measured::{Quantile, Summary, Support, Value};
use super::rows::Rows;
use super::ruler::bearing_on;
use super::settings::Settings;
use crate::model::{Metric, RequestRate, Run, RunId, Stat};
use crate::stats::{Interval, Resampling, least_samples, middle, wilson};
use crate::units::{Unit, fixed, significant};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

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
    /// The interval includes zero, or there can be none; the reason is a clause.
    NotClear(String),
    /// There are too few data for an interval; the reason is a clause.
    TooFew(String),
    /// Not to be read as a difference; the reason is a clause.
    NotComparable(String),
}

/// A run's number less the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The difference in the metric's unit. A bound where one of the two is bounded.
    pub absolute: Value,
    /// The difference over the baseline's number: 0.1 is 10 % more. None where that number is near zero:
    /// a quotient of it says more about its noise than about the runs.
    pub relative: Option<f64>,
    /// Why there is no quotient though there is a difference, as a clause.
    pub no_relative: Option<String>,
    /// The 95 % interval of the absolute difference.
    pub interval: Option<Interval>,
    /// The number over the baseline's, where both are positive.
    pub ratio: Option<Ratio>,
    /// What it says.
    pub clear: Clear,
}

/// A run's number over the baseline's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// 2.4 is 2.4 times the baseline's.
    pub value: f64,
    /// Its 95 % interval, of the ratio itself and not out of two intervals.
    pub interval: Option<Interval>,
}

/// How the interval of one number was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// By the order of the samples, one a request: [`crate::stats::quantile_ranks`].
    OrderStatistics,
    /// By drawing requests again, each with all its samples: [`crate::stats::resample`].
    Resampled,
    /// Wilson's for a share: [`crate::stats::wilson`].
    Wilson,
}

impl Method {
    /// As it follows an interval.
    pub const fn words(self) -> &'static str {
        match self {
            Self::OrderStatistics => "by the order of the requests",
            Self::Resampled => "by 400 resamples of requests, seeded",
            Self::Wilson => "Wilson’s of a share",
        }
    }

    /// Its id in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OrderStatistics => "order-statistics",
            Self::Resampled => "resampled-by-request",
            Self::Wilson => "wilson",
        }
    }
}

/// A run that is compared: evaluated once, asked often.
#[derive(Debug)]
pub struct Subject<'a> {
    run: &'a Run,
    settings: &'a Settings,
    excluded: Vec<usize>,
    evaluation: Cow<'a, Evaluation>,
    /// Read when first asked for: what the run remembers does without.
    rows: OnceCell<Option<Rows<'a>>>,
    blocked: Option<String>,
    resamples: bool,
}

/// The question that a list of estimates answers: limits and percentiles bear on none.
#[derive(PartialEq)]
struct Drawn {
    settings: Settings,
    excluded: Vec<usize>,
    metric: Metric,
    stat: Stat,
    how: Resampling,
}

type Estimates = Result<Vec<f64>, Refused>;

impl<'a> Subject<'a> {
    /// Evaluates `run` for comparisons.
    pub fn new(run: &'a Run, settings: &'a Settings, ask: &Ask) -> Self {
        Self::of(run, settings, ask, Cow::Owned(evaluate(run, settings, ask)))
    }

    /// The same with an evaluation of `run` under `settings` and `ask` that is there already.
    pub fn evaluated(
        run: &'a Run,
        settings: &'a Settings,
        ask: &Ask,
        evaluation: &'a Evaluation,
    ) -> Self {
        Self::of(run, settings, ask, Cow::Borrowed(evaluation))
    }

    /// A reason for which the run is not compared until somebody has looked, as a sentence.
    #[must_use]
    pub fn blocked(mut self, reason: Option<String>) -> Self {
        self.blocked = reason;
        self
    }

    /// Without whatever takes resampling, for numbers that are shown before their intervals.
    #[must_use]
    pub fn without_resampling(mut self) -> Self {
        self.resamples = false;
        self
    }

    fn of(
        run: &'a Run,
        settings: &'a Settings,
        ask: &Ask,
        evaluation: Cow<'a, Evaluation>,
    ) -> Self {
        let excluded = ask.excluded.clone();
        let rows = OnceCell::new();
        Self { run, settings, excluded, evaluation, rows, blocked: None, resamples: true }
    }

    /// The request table, where the file holds one.
    pub(super) fn rows(&self) -> Option<&Rows<'a>> {
        let read = || {
            let requests = self.run.requests.as_ref()?;
            Rows::new(requests, self.settings, &self.excluded).ok()
        };
        self.rows.get_or_init(read).as_ref()
    }

    /// The run itself.
    pub(super) fn run(&self) -> &'a Run {
        self.run
    }

    /// The ruler that it is evaluated under.
    pub(super) fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// What decides on the samples of a metric: the run, the ruler as far as it bears on it, the requests
    /// left out.
    pub(super) fn identity(&self, metric: Metric) -> (RunId, Settings, Vec<usize>) {
        (self.run.id.clone(), bearing_on(metric, self.settings), self.excluded.clone())
    }

    /// The name of the run.
    pub fn name(&self) -> &str {
        &self.run.name
    }

    /// The evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The 95 % interval of one statistic, however it was found.
    pub fn interval(&self, metric: Metric, stat: Stat) -> Option<Interval> {
        self.uncertainty(metric, stat).ok().map(|(interval, _)| interval)
    }

    /// The 95 % interval of one statistic and how it was found: a percentile of samples of which each
    /// request gave one by their order, any other number by resampling requests, a share by Wilson.
    ///
    /// # Errors
    /// When there is none; the reason is a clause.
    pub fn uncertainty(&self, metric: Metric, stat: Stat) -> Result<(Interval, Method), String> {
        if matches!(metric, Metric::SloShare | Metric::Goodput) {
            let goodput = self.goodput().ok_or("no limit is set, or goodput can’t be had")?;
            let (_, low, high) =
                share_of(goodput, metric).ok_or("it is known within bounds only")?;
            return Ok((Interval { low, high }, Method::Wilson));
        }
        if let Some((summary, quantile)) = self.quantile(metric, stat) {
            if let Some(interval) = quantile.interval {
                return Ok((interval, Method::OrderStatistics));
            }
            if let Some(because) = too_few(summary, quantile) {
                return Err(because);
            }
        }
        let how = Resampling::HOUSE;
        let found = self.estimates(metric, stat, how);
        let found = found.as_ref().as_ref().map_err(|refused| refused.because().to_owned())?;
        let interval = middle(found.clone(), how).ok_or("too few resamples gave a number")?;
        Ok((interval, Method::Resampled))
    }

    /// The percentile that a statistic is, with the samples it is one of.
    fn quantile(&self, metric: Metric, stat: Stat) -> Option<(&Summary, &Quantile)> {
        let p = match stat {
            Stat::Percentile(p) => p,
            Stat::Median => 50.0,
            _ => return None,
        };
        let summary = self.evaluation.metrics.get(&metric)?.summary()?;
        Some((summary, summary.quantile(p)?))
    }

    fn goodput(&self) -> Option<&Goodput> {
        match &self.evaluation.goodput {
            GoodputResult::Known(goodput) => Some(goodput),
            _ => None,
        }
    }

    /// The statistic on each of many resamples of the requests.
    fn estimates(&self, metric: Metric, stat: Stat, how: Resampling) -> Arc<Estimates> {
        if !self.resamples {
            return Arc::new(Err(Refused::NotThatWay("it is being worked out".into())));
        }
        let (settings, excluded) = (bearing_on(metric, self.settings), self.excluded.clone());
        let question = Drawn { settings, excluded, metric, stat, how };
        self.run.memory.recall(question, || match self.rows() {
            Some(rows) => estimates(rows, &self.evaluation, metric, stat, how),
            None => Err(Refused::NotThatWay(
                "the file holds no requests, so how much it varies is not known".into(),
            )),
        })
    }
}

/// Why no interval of a percentile can be had out of so few samples, if so: of samples one a request by their
/// order, of others because none lies beyond it.
pub(super) fn too_few(summary: &Summary, quantile: &Quantile) -> Option<String> {
    let name = Stat::Percentile(quantile.p).name();
    let least = least_samples(quantile.p / 100.0);
    let least = least.map_or_else(|| "more".to_owned(), |n| fixed(n as f64, 0));
    let (n, requests) = (fixed(summary.n as f64, 0), fixed(summary.requests as f64, 0));
    if summary.requests < LEAST_REQUESTS {
        return Some(format!("too few requests: {requests}, where it takes {LEAST_REQUESTS}"));
    }
    if quantile.support == Support::IsMax {
        return Some(format!(
            "too few samples: {n}, of which none lies beyond {name}; it takes {least}"
        ));
    }
    // A ruler may weigh some metrics by tokens and not this one.
    let by_order = summary.requests == summary.n && !summary.weighed;
    by_order.then(|| format!("too few samples: {n}, where {name} takes {least}"))
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
pub fn difference_of<'a>(
    baseline: &Subject<'a>,
    other: &Subject<'a>,
    metric: Metric,
    stat: Stat,
) -> Difference {
    let a = baseline.evaluation.value(metric, stat);
    let b = other.evaluation.value(metric, stat);
    let absolute = less(&b, &a);
    let (relative, no_relative) = match (absolute.number(), a.number()) {
        (Some(change), Some(base)) => match near_zero(baseline, metric, base) {
            Some(because) => (None, Some(because)),
            None => (Some(change / base), None),
        },
        _ => (None, None),
    };
    let mut result = Difference {
        ratio: if no_relative.is_none() { ratio(&a, &b) } else { None },
        absolute,
        relative,
        no_relative,
        interval: None,
        clear: Clear::NotClear(String::new()),
    };
    if let Err(reason) = comparable(baseline, other, metric) {
        result.clear = Clear::NotComparable(reason);
        return result;
    }
    let extreme = [baseline, other].into_iter().find_map(|subject| {
        let (summary, quantile) = subject.quantile(metric, stat)?;
        (quantile.support == Support::IsMax).then(|| {
            let n = fixed(summary.n as f64, 0);
            format!("the {} of {n} samples is the extreme one", stat.name())
        })
    });
    if let Some(reason) = extreme {
        result.clear = Clear::TooFew(reason);
        return result;
    }
    let refused = put_intervals(&mut result, baseline, other, metric, stat).err();
    let own = result.relative.and_then(|_| baseline.interval(metric, stat));
    // The spread of equal numbers is 0 but for the rounding of a resample.
    if own.is_some_and(|interval| interval.low <= 1e-6 * interval.high) {
        result.ratio = None;
        result.relative = None;
        result.no_relative = Some("the 95 % interval of the baseline’s number reaches 0".into());
    }
    let both_printed = [&a, &b].iter().all(|value| matches!(value, Value::Reported(_)));
    result.clear = clear(&result, refused, metric, both_printed);
    result
}

/// Shorter times, in milliseconds, are jitter of a client's event loop: gaps between chunks that were in one
/// read of the socket.
const JITTER: f64 = 0.1;
/// Of fewer good requests one more or less moves a ratio by a quarter.
const FEW_GOOD: f64 = 5.0;

/// Why no ratio to a number is to be read, as a clause without whose it is: "0.02 ms is shorter than a client
/// can tell".
pub fn no_base(metric: Metric, base: f64) -> Option<String> {
    if base <= 0.0 {
        return Some("number is not above 0".into());
    }
    (metric.unit() == Unit::Millis && base < JITTER)
        .then(|| format!("{} ms is shorter than a client can tell", significant(base, 2)))
}

/// Why no ratio to `base`, a number of the baseline, is to be read; a clause.
fn near_zero(baseline: &Subject<'_>, metric: Metric, base: f64) -> Option<String> {
    if let Some(because) = no_base(metric, base) {
        return Some(format!("the baseline’s {because}"));
    }
    let few = baseline
        .goodput()
        .filter(|_| matches!(metric, Metric::Goodput | Metric::SloShare))
        .map(|goodput| goodput.good.high)
        .filter(|good| *good < FEW_GOOD)?;
    let requests =
        if few <= 1.0 { "request of the baseline is" } else { "requests of the baseline are" };
    Some(format!("only {} {requests} within the limits", fixed(few, 0)))
}

/// The 95 % interval of the difference of two exact numbers, whether or not the runs may be compared.
pub(super) fn interval_of<'a>(
    baseline: &Subject<'a>,
    other: &Subject<'a>,
    metric: Metric,
    stat: Stat,
) -> Option<Interval> {
    let a = baseline.evaluation.value(metric, stat);
    let b = other.evaluation.value(metric, stat);
    let mut result = Difference {
        ratio: None,
        absolute: less(&b, &a),
        relative: None,
        no_relative: None,
        interval: None,
        clear: Clear::NotClear(String::new()),
    };
    put_intervals(&mut result, baseline, other, metric, stat).ok()?;
    result.interval
}

/// The ratio of two numbers above zero, without its interval.
fn ratio(a: &Value, b: &Value) -> Option<Ratio> {
    let (a, b) = (a.exact_or_reported()?, b.exact_or_reported()?);
    (a > 0.0 && b > 0.0).then(|| Ratio { value: b / a, interval: None })
}

/// `b` − `a`, as far as each is known.
pub(super) fn less(b: &Value, a: &Value) -> Value {
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

/// The intervals of difference and ratio.
fn put_intervals(
    result: &mut Difference,
    baseline: &Subject<'_>,
    other: &Subject<'_>,
    metric: Metric,
    stat: Stat,
) -> Result<(), Refused> {
    if result.absolute.exact().is_none() {
        return Ok(());
    }
    if matches!(metric, Metric::SloShare | Metric::Goodput) {
        if let (Some(a), Some(b)) = (baseline.goodput(), other.goodput()) {
            result.interval = difference_of_shares(a, b, metric);
            if let Some(ratio) = &mut result.ratio {
                ratio.interval = ratio_of_shares(a, b, metric);
            }
        }
        return Ok(());
    }
    let how = Resampling::HOUSE;
    let a = baseline.estimates(metric, stat, how);
    let b = other.estimates(metric, stat, how);
    let (a, b) = match (a.as_ref(), b.as_ref()) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(refused), _) | (_, Err(refused)) => return Err(refused.clone()),
    };
    // Each round with the other run's next one, so that the two are not drawn in step.
    let pairs = || a.iter().zip(b.iter().cycle().skip(1));
    result.interval = middle(pairs().map(|(a, b)| b - a).collect(), how);
    if let Some(ratio) = &mut result.ratio
        && a.iter().all(|a| *a > 0.0)
    {
        ratio.interval = middle(pairs().map(|(a, b)| b / a).collect(), how);
    }
    Ok(())
}

/// A share, or a goodput rate, which is such a share times a fixed number of requests per second, with
/// the ends of its Wilson interval.
fn share_of(goodput: &Goodput, metric: Metric) -> Option<(f64, f64, f64)> {
    let good = goodput.good.exact()?;
    if metric == Metric::Goodput {
        let interval = goodput.per_second_interval?;
        return Some((goodput.per_second.as_ref().ok()?.exact()?, interval.low, interval.high));
    }
    let interval = wilson(good, goodput.of)?;
    Some((good / goodput.of, interval.low, interval.high))
}

/// Newcombe's interval of a difference of two shares out of their Wilson intervals (1998, method 10).
fn difference_of_shares(a: &Goodput, b: &Goodput, metric: Metric) -> Option<Interval> {
    let ((a, a_low, a_high), (b, b_low, b_high)) = (share_of(a, metric)?, share_of(b, metric)?);
    let change = b - a;
    Some(Interval {
        low: change - (b - b_low).hypot(a_high - a),
        high: change + (b_high - b).hypot(a - a_low),
    })
}

/// The interval of a ratio of two shares out of their Wilson intervals (Donner and Zou, 2012, equation 9).
fn ratio_of_shares(a: &Goodput, b: &Goodput, metric: Metric) -> Option<Interval> {
    let ((a, a_low, a_high), (b, b_low, b_high)) = (share_of(a, metric)?, share_of(b, metric)?);
    let root = |x: f64| (a * b * a * b - x).max(0.0).sqrt();
    let low = (a * b - root(b_low * a_high * (2.0 * b - b_low) * (2.0 * a - a_high)))
        / (a_high * (2.0 * a - a_high));
    let high = (a * b + root(b_high * a_low * (2.0 * b - b_high) * (2.0 * a - a_low)))
        / (a_low * (2.0 * a - a_low));
    let usable = low.is_finite() && high.is_finite() && low >= 0.0 && high >= low;
    usable.then_some(Interval { low, high })
}

fn clear(
    difference: &Difference,
    refused: Option<Refused>,
    metric: Metric,
    both_printed: bool,
) -> Clear {
    let reason = match (&difference.absolute, difference.interval) {
        (Value::Exact(_), None) if refused.is_some() => match refused {
            Some(Refused::TooFew(reason)) => return Clear::TooFew(reason),
            Some(Refused::NotThatWay(reason)) => reason,
            None => String::new(),
        },
        (Value::Missing(reason), _) => reason.clone(),
        (Value::Reported(_), _) if both_printed => {
            "both are only as printed, so how much they vary is not known".into()
        }
        (Value::Reported(_), _) => {
            "one of the two is only as printed, so how much it varies is not known".into()
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
pub fn comparable<'a>(a: &Subject<'a>, b: &Subject<'a>, metric: Metric) -> Result<(), String> {
    for subject in [a, b] {
        if let Some(reason) = &subject.blocked {
            return Err(format!(
                "a finding on {} has to be looked at first: {}",
                subject.run.name,
                reason.trim_end_matches('.')
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
