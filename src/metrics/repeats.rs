//! The same measurement made several times: each run's number, and what may be said of all together.
//!
//! Means and rates of repeats are numbers that runs draw, so they have a median with its deviation, and an
//! interval. Percentiles are not: the mean of two p99 is the p99 of nothing. They come out of the samples
//! of all runs, pooled, and where a run has no samples there is none.

use super::difference::{Method, Subject, too_few};
use super::estimates::{self, Refused};
use super::evaluate::{Evaluation, scale};
use super::measured::{Measured, Summary, Value};
use super::samples::{Samples, summarise};
use super::settings::Settings;
use crate::model::{Metric, RunId, Stat};
use crate::stats::{Interval, Resampling, mad, mean, median, middle, t_interval};
use serde::{Deserialize, Serialize};

/// A statistic of a run that may be averaged over runs. There is no percentile among them:
///
/// ```compile_fail,E0599
/// use sameruler::metrics::Averageable;
/// let p99 = Averageable::Percentile(99.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Averageable {
    /// The mean of a run's samples.
    Mean,
    /// A number of the run as a whole, such as a throughput.
    Value,
}

impl Averageable {
    fn of(stat: Stat) -> Option<Self> {
        match stat {
            Stat::Mean => Some(Self::Mean),
            Stat::Value => Some(Self::Value),
            _ => None,
        }
    }
}

/// One run's number that may be averaged over runs. The value of a quantile is none:
///
/// ```compile_fail,E0308
/// use sameruler::{metrics::over_runs, stats::QuantileValue};
/// over_runs(&[QuantileValue::new(50.0), QuantileValue::new(1000.0)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunNumber(f64);

impl RunNumber {
    /// A mean or a rate of a run, recomputed or as its tool printed it.
    pub fn of(evaluation: &Evaluation, metric: Metric, stat: Averageable) -> Option<Self> {
        let stat = match stat {
            Averageable::Mean => Stat::Mean,
            Averageable::Value => Stat::Value,
        };
        evaluation.value(metric, stat).exact_or_reported().map(Self)
    }
}

/// How the numbers of repeats lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OverRuns {
    /// Their median.
    pub median: f64,
    /// Their median absolute deviation from it.
    pub mad: f64,
    /// Their mean.
    pub mean: f64,
    /// Smallest and largest.
    pub range: Interval,
    /// The 95 % t interval of the mean, with three runs or more.
    pub interval: Option<Interval>,
}

/// The centre and spread of the numbers of repeats; `None` with fewer than two.
pub fn over_runs(numbers: &[RunNumber]) -> Option<OverRuns> {
    if numbers.len() < 2 {
        return None;
    }
    let values: Vec<f64> = numbers.iter().map(|number| number.0).collect();
    let center = median(&values)?;
    Some(OverRuns {
        median: center,
        mad: mad(&values, center)?,
        mean: mean(&values)?,
        range: Interval {
            low: values.iter().copied().reduce(f64::min)?,
            high: values.iter().copied().reduce(f64::max)?,
        },
        interval: t_interval(&values),
    })
}

/// A statistic of the samples of all repeats, pooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    /// The samples of all runs in numbers, in the metric's unit.
    pub summary: Summary,
    /// The 95 % interval of the statistic and how it was found, or why there is none. It says how requests
    /// vary; how runs vary, their own numbers show.
    pub interval: Result<(Interval, Method), String>,
}

/// What may be said of all repeats together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Together {
    /// Of means and rates.
    OverRuns(OverRuns),
    /// Of percentiles, spreads and extremes.
    Pooled(Box<Pooled>),
    /// Nothing; the reason is a clause.
    Refused(String),
}

/// One statistic of one metric over repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    /// Each run's, in order.
    pub each: Vec<Value>,
    /// All together.
    pub together: Together,
}

/// One statistic of one metric over runs of the same measurement, all under one ruler.
pub fn repeated(runs: &[Subject<'_>], metric: Metric, stat: Stat) -> Repeated {
    let each: Vec<Value> = runs.iter().map(|run| run.evaluation().value(metric, stat)).collect();
    let together = match Averageable::of(stat) {
        Some(stat) => {
            let numbers: Option<Vec<RunNumber>> =
                runs.iter().map(|run| RunNumber::of(run.evaluation(), metric, stat)).collect();
            let missing = || Together::Refused("not every run has it as one number".into());
            numbers.and_then(|n| over_runs(&n)).map_or_else(missing, Together::OverRuns)
        }
        None => remembered(runs, metric, stat)
            .map_or_else(Together::Refused, |pooled| Together::Pooled(Box::new(pooled))),
    };
    Repeated { each, together }
}

/// The question that pooled samples answer, kept with the first of the runs.
#[derive(PartialEq)]
struct PooledOf {
    runs: Vec<(RunId, Settings, Vec<usize>)>,
    /// A reason names the run that it is about.
    names: Vec<String>,
    metric: Metric,
    stat: Stat,
}

fn remembered(runs: &[Subject<'_>], metric: Metric, stat: Stat) -> Result<Pooled, String> {
    let Some(first) = runs.first() else { return pooled(runs, metric, stat) };
    let question = PooledOf {
        runs: runs.iter().map(|run| run.identity(metric)).collect(),
        names: runs.iter().map(|run| run.name().to_owned()).collect(),
        metric,
        stat,
    };
    first.run().memory.recall(question, || pooled(runs, metric, stat)).as_ref().clone()
}

/// A statistic of the pooled samples of runs.
///
/// # Errors
/// When a run has no samples, or they are not the same under its ruler; the reason is a clause.
pub fn pooled(runs: &[Subject<'_>], metric: Metric, stat: Stat) -> Result<Pooled, String> {
    let name = stat.name();
    let mut settings = None;
    let mut all = Samples::default();
    for run in runs {
        let measured = run.evaluation().metrics.get(&metric);
        let (Some(rows), Some(Measured::Summary(_))) = (run.rows(), measured) else {
            return Err(match measured {
                Some(Measured::Reported { .. }) => format!(
                    "{} is only as printed: percentiles can’t be averaged, and there are no samples to pool for a {name} of all",
                    run.name()
                ),
                Some(Measured::Unavailable(because)) => format!("{}: {because}", run.name()),
                _ => format!("{} has no samples to pool", run.name()),
            });
        };
        if *settings.get_or_insert(rows.settings) != rows.settings {
            return Err(
                "the runs are under different definitions, so their samples are not the same thing"
                    .into(),
            );
        }
        let samples = estimates::samples_of(rows, metric)?;
        if samples.only_mean.is_some() {
            return Err(format!("only the mean is known of {}", run.name()));
        }
        let before = all.values.len();
        all.ends.extend(samples.ends.iter().map(|(end, row)| (end + before, *row)));
        all.values.extend(samples.values);
        if let Some(weights) = samples.weights {
            all.weights.get_or_insert_default().extend(weights);
        }
        all.note = samples.note.or(all.note);
    }
    let settings = settings.ok_or("there is no run")?;
    let p = match stat {
        Stat::Percentile(p) => p,
        _ => 50.0,
    };
    let how = Resampling::HOUSE;
    let again = estimates::of_these(&all, settings, stat, how);
    let scale = scale(metric);
    let summary = summarise(all, settings, &[p], scale)?;
    let ordered =
        summary.quantile(p).filter(|_| matches!(stat, Stat::Percentile(_) | Stat::Median));
    let by_order = ordered.map(|quantile| (quantile.interval, too_few(&summary, quantile)));
    let interval = match by_order {
        Some((Some(interval), _)) => Ok((interval, Method::OrderStatistics)),
        Some((None, Some(because))) => Err(because),
        Some((None, None)) | None => again
            .map_err(|refused: Refused| refused.because().to_owned())
            .and_then(|found| middle(found, how).ok_or_else(|| "too few samples".into()))
            .map(|i| (Interval { low: i.low * scale, high: i.high * scale }, Method::Resampled)),
    };
    Ok(Pooled { summary, interval })
}
