//! One number of a run on resampled requests, whichever it is, or why resampling says nothing of it.

use super::evaluate::{Evaluation, scale};
use super::measured::Measured;
use super::resampled;
use super::rows::{Rows, Values, pick};
use super::samples::{self, Samples};
use super::settings::{Percentile, Settings, Spread, UserSpeed};
use crate::model::{Metric, Outcome, Stat};
use crate::stats::{Resampling, resample};
use crate::units::{Tokens, fixed};

/// Fewer requests than this say nothing of how much they vary: not even their median has an interval.
pub(super) const LEAST_REQUESTS: usize = 6;

/// Why there are no estimates; both are clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// More of the same data would help.
    TooFew(String),
    /// It would not.
    NotThatWay(String),
}

impl Refused {
    /// The reason.
    pub(super) fn because(&self) -> &str {
        match self {
            Self::TooFew(because) | Self::NotThatWay(because) => because,
        }
    }
}

/// “1 request”, “20 requests”.
fn requests_words(n: usize) -> String {
    format!("{} request{}", fixed(n as f64, 0), if n == 1 { "" } else { "s" })
}

fn not_that_way<T>(because: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::NotThatWay(because.into()))
}

/// One statistic on each of many resamples of the requests, in the metric's unit.
///
/// # Errors
/// When requests drawn again say nothing of it.
pub(super) fn estimates(
    rows: &Rows<'_>,
    evaluation: &Evaluation,
    metric: Metric,
    stat: Stat,
    how: Resampling,
) -> Result<Vec<f64>, Refused> {
    let found = match evaluation.metrics.get(&metric) {
        Some(Measured::Summary(summary)) => {
            if !matches!(stat, Stat::Min | Stat::Max) && summary.requests < LEAST_REQUESTS {
                return Err(Refused::TooFew(format!(
                    "{} of {} say too little of how much they vary",
                    if summary.requests == summary.n { "samples" } else { "the samples" },
                    requests_words(summary.requests)
                )));
            }
            of_samples(rows, metric, stat, how)?
        }
        Some(Measured::Scalar(value)) => of_rate(rows, metric, *value, how)?,
        Some(Measured::Bounds { because, .. } | Measured::ScalarBounds { because, .. }) => {
            return not_that_way(format!("it is known within bounds only: {because}"));
        }
        Some(Measured::Reported { .. }) => {
            return not_that_way("it is only as printed, so how much it varies is not known");
        }
        Some(Measured::Unavailable(because)) => return not_that_way(because.clone()),
        None => return not_that_way("it was not computed"),
    };
    if found.len() * 2 < how.times {
        return Err(Refused::TooFew("fewer than half of the resamples give a number".into()));
    }
    Ok(found)
}

fn of_samples(
    rows: &Rows<'_>,
    metric: Metric,
    stat: Stat,
    how: Resampling,
) -> Result<Vec<f64>, Refused> {
    if metric == Metric::UserSpeed && rows.settings.user_speed == UserSpeed::ReciprocalOfTpot {
        if stat == Stat::Std {
            return not_that_way("a spread has no reciprocal");
        }
        let tpot = of_samples(rows, Metric::Tpot, stat, how)?;
        return Ok(tpot.into_iter().map(|millis| 1e3 / millis).collect());
    }
    let samples = samples_of(rows, metric).map_err(Refused::NotThatWay)?;
    let mut estimates = of_these(&samples, rows.settings, stat, how)?;
    let scale = scale(metric);
    for estimate in &mut estimates {
        *estimate *= scale;
    }
    Ok(estimates)
}

/// The samples of a metric, wherever requests end.
///
/// # Errors
/// When the file lacks what they need; the reason is a clause.
pub(super) fn samples_of(rows: &Rows<'_>, metric: Metric) -> Result<Samples, String> {
    match metric {
        Metric::UserSpeed if rows.settings.user_speed == UserSpeed::ReciprocalOfTpot => {
            Err("it is 1 ÷ a statistic of TPOT and has no samples of its own".into())
        }
        Metric::UserSpeed => samples::user_speed(rows),
        metric if samples::needs_ends(metric, rows.settings) => {
            samples::of(rows, metric, rows.ends_of(metric).known()?)
        }
        metric => samples::of(rows, metric, &Values::new()),
    }
}

/// One statistic of samples on each of many resamples of their requests, in the samples' own unit.
///
/// # Errors
/// When requests drawn again say nothing of it.
pub(super) fn of_these(
    samples: &Samples,
    settings: &Settings,
    stat: Stat,
    how: Resampling,
) -> Result<Vec<f64>, Refused> {
    if let Stat::Min | Stat::Max = stat {
        let (which, beyond) =
            if stat == Stat::Max { ("largest", "larger") } else { ("smallest", "smaller") };
        return not_that_way(format!(
            "the {which} sample is one of one request, and drawing the same requests again can show none {beyond}"
        ));
    }
    if samples.only_mean.is_some() {
        if stat != Stat::Mean {
            return not_that_way("the file holds no tokens of each event, so only a mean is known");
        }
        return Ok(resample(samples.means.len(), how, |drawn| {
            let each = samples.means.iter().zip(drawn);
            let (sum, count) = each.fold((0.0, 0.0), |(sum, count), ((s, n), drawn)| {
                let drawn = f64::from(*drawn);
                (sum + s * drawn, count + n * drawn)
            });
            (count > 0.0).then(|| sum / count)
        }));
    }
    match &samples.weights {
        Some(weights) => weighed(samples, weights, settings, stat, how),
        None => Ok(resampled::of(samples, stat, settings, how)),
    }
}

/// What one request adds to weighted sums, around the mean of all so that squares lose no digits.
#[derive(Clone, Copy, Default)]
struct Weighed {
    weight: f64,
    sum: f64,
    squares: f64,
}

/// Statistics of weighted samples: each drawn request brings its samples with their weights.
fn weighed(
    samples: &Samples,
    weights: &[f64],
    settings: &Settings,
    stat: Stat,
    how: Resampling,
) -> Result<Vec<f64>, Refused> {
    let q = match stat {
        Stat::Median => Some(0.5),
        Stat::Percentile(p) => Some(p / 100.0),
        _ => None,
    };
    if q.is_some() && settings.percentile != Percentile::WeightedStep {
        return not_that_way("percentiles of weighted samples need percentile = weighted-step");
    }
    let total: f64 = weights.iter().sum();
    let center = samples.values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
    // (value, weight, which request), request by request.
    let mut all = Vec::with_capacity(samples.values.len());
    let mut units = Vec::with_capacity(samples.ends.len());
    let mut each = samples.values.iter().zip(weights);
    let mut from = 0;
    for (unit, (to, _)) in samples.ends.iter().enumerate() {
        let mut sums = Weighed::default();
        for (value, weight) in each.by_ref().take(to - from) {
            let away = value - center;
            sums.weight += weight;
            sums.sum += weight * away;
            sums.squares += weight * away * away;
            all.push((*value, *weight, unit));
        }
        from = *to;
        units.push(sums);
    }
    if let Some(q) = q {
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        return Ok(resample(units.len(), how, |drawn| step(&all, &units, drawn, q)));
    }
    let less = if settings.spread == Spread::Sample { 1.0 } else { 0.0 };
    Ok(resample(units.len(), how, |drawn| {
        let mut all = Weighed::default();
        for (unit, drawn) in units.iter().zip(drawn) {
            let drawn = f64::from(*drawn);
            all.weight += unit.weight * drawn;
            all.sum += unit.sum * drawn;
            all.squares += unit.squares * drawn;
        }
        let mean = all.sum / all.weight;
        if stat == Stat::Mean {
            return (all.weight > 0.0).then_some(center + mean);
        }
        let squares = (all.squares - all.sum * mean).max(0.0);
        (all.weight > less).then(|| (squares / (all.weight - less)).sqrt())
    }))
}

/// The least value whose share of the drawn weight reaches `q`.
fn step(all: &[(f64, f64, usize)], units: &[Weighed], drawn: &[u8], q: f64) -> Option<f64> {
    let total: f64 = units.iter().zip(drawn).map(|(u, d)| u.weight * f64::from(*d)).sum();
    let wanted = q * total;
    let mut reached = 0.0;
    let mut last = None;
    for (value, weight, unit) in all {
        let times = drawn.get(*unit).copied().unwrap_or(0);
        if times > 0 && *weight > 0.0 {
            reached += weight * f64::from(times);
            last = Some(*value);
            if reached >= wanted {
                break;
            }
        }
    }
    last
}

/// A rate of the run: the amounts of the requests drawn again over the time that the run took, which
/// stays as it was.
fn of_rate(
    rows: &Rows<'_>,
    metric: Metric,
    value: f64,
    how: Resampling,
) -> Result<Vec<f64>, Refused> {
    let amount = |metric: Metric, at: usize| match metric {
        Metric::OutputThroughput => rows.tokens.as_ref().ok().and_then(|t| pick(t, at)),
        _ => rows.requests.input_tokens.get(at).map(Tokens::count),
    };
    let amounts: Vec<f64> = match metric {
        Metric::OutputThroughput | Metric::InputThroughput => {
            rows.counted_rows().filter_map(|at| amount(metric, at)).collect()
        }
        Metric::TotalThroughput => rows
            .counted_rows()
            .filter_map(|at| {
                let (out, input) = (Metric::OutputThroughput, Metric::InputThroughput);
                Some(amount(out, at)? + amount(input, at)?)
            })
            .collect(),
        Metric::MeanConcurrency => {
            let ends = rows.ends.known().map_err(|because| Refused::NotThatWay(because.into()))?;
            rows.counted_rows().filter_map(|at| rows.e2e_of(ends, at).ok()).collect()
        }
        Metric::RequestThroughput => {
            let ok = |at: usize| rows.requests.outcome.get(at) == Some(&Outcome::Ok);
            let sent = rows.inside.iter().enumerate().filter(|(_, inside)| **inside);
            sent.map(|(at, _)| f64::from(u8::from(ok(at)))).collect()
        }
        _ => {
            return not_that_way(
                "it is one number of one run; only repeats say how much it varies",
            );
        }
    };
    let total: f64 = amounts.iter().sum();
    let varies = amounts.windows(2).any(|pair| matches!(pair, [a, b] if (a - b).abs() > 0.0));
    if total <= 0.0 || !varies {
        return not_that_way(match metric {
            Metric::RequestThroughput => {
                "no request failed, and how long the run took is one number; only repeats say how much it varies"
            }
            _ => {
                "every request has the same amount, and how long the run took is one number; only repeats say how much it varies"
            }
        });
    }
    if amounts.len() < LEAST_REQUESTS {
        let say = if amounts.len() == 1 { "says" } else { "say" };
        return Err(Refused::TooFew(format!(
            "{} {say} too little of how much they vary",
            requests_words(amounts.len())
        )));
    }
    Ok(resample(amounts.len(), how, |drawn| {
        let sum: f64 = amounts.iter().zip(drawn).map(|(n, d)| n * f64::from(*d)).sum();
        Some(value * sum / total)
    }))
}
