//! One number a request out of its many ITL samples: what a limit on ITL is held against.
//!
//! The samples are those of the ITL definition in force, and a percentile is read by the rule in force.

use super::rows::{Rows, Values, pick};
use super::samples::{self, Samples};
use super::settings::{Percentile, Settings};
use crate::model::{Aggregation, Metric};
use crate::stats::{self, Selector};

/// A number of each request: no request's is below `low` or above `high`. Both are the same where the
/// ends of requests are known or play no part.
#[derive(Debug)]
pub(super) struct PerRequest {
    pub low: Option<Values>,
    pub high: Option<Values>,
}

/// The ITL of each request by `aggregation`; a request without a sample has none.
///
/// # Errors
/// When it can't be had of any request; the reason is a clause.
pub(super) fn itl(rows: &Rows<'_>, aggregation: Aggregation) -> Result<PerRequest, String> {
    let of = |ends: &Values| {
        let samples = samples::of(rows, Metric::Itl, ends)?;
        aggregated(rows, samples, aggregation)
    };
    if !samples::needs_ends(Metric::Itl, rows.settings) {
        let values = of(&Values::new())?;
        return Ok(PerRequest { low: Some(values.clone()), high: Some(values) });
    }
    let ends = rows.ends_of(Metric::Itl);
    let side = |ends: &Option<Values>| ends.as_ref().map(of).transpose();
    let sides = PerRequest { low: side(&ends.low)?, high: side(&ends.high)? };
    if sides.low.is_none() && sides.high.is_none() {
        return Err(ends.because.clone());
    }
    Ok(sides)
}

fn aggregated(
    rows: &Rows<'_>,
    mut samples: Samples,
    aggregation: Aggregation,
) -> Result<Values, String> {
    let mut column: Values = vec![None; rows.requests.len()];
    if samples.only_mean.is_some() {
        return only_means(rows, &samples, aggregation, column);
    }
    if let Aggregation::Percentile(_) = aggregation {
        readable(rows.settings, samples.weights.is_some())?;
    }
    let mut from = 0;
    for (to, at) in &samples.ends {
        let weights = samples.weights.as_ref().and_then(|w| w.get(from..*to));
        let own = samples.values.get_mut(from..*to).unwrap_or_default();
        if let Some(slot) = column.get_mut(*at) {
            *slot = one(own, weights, aggregation, rows.settings);
        }
        from = *to;
    }
    Ok(column)
}

/// Whether a percentile of a request's samples can be read off by the rule in force.
fn readable(settings: &Settings, weighed: bool) -> Result<(), String> {
    if samples::rule(settings.percentile).is_none() {
        return Err("percentiles inside buckets need a histogram, which this file is not".into());
    }
    if weighed && settings.percentile != Percentile::WeightedStep {
        return Err("percentiles of weighted samples need percentile = weighted-step".into());
    }
    Ok(())
}

/// Σ gaps over the tokens after the first event, where the tokens of each event are not known.
fn only_means(
    rows: &Rows<'_>,
    samples: &Samples,
    aggregation: Aggregation,
    mut column: Values,
) -> Result<Values, String> {
    if aggregation != Aggregation::Mean {
        return Err(
            "the file holds no tokens of each event, so only the mean of a request’s ITL is known"
                .into(),
        );
    }
    let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
    for (_, at) in &samples.ends {
        let later = pick(tokens, *at).map(|n| n - rows.first_event_tokens(*at).unwrap_or(1.0));
        let mean = pick(&rows.gap_sums, *at).zip(later.filter(|n| *n > 0.0)).map(|(s, n)| s / n);
        if let Some(slot) = column.get_mut(*at) {
            *slot = mean;
        }
    }
    Ok(column)
}

/// The number of one request out of its samples, whose order it changes.
fn one(
    own: &mut [f64],
    weights: Option<&[f64]>,
    aggregation: Aggregation,
    settings: &Settings,
) -> Option<f64> {
    match (aggregation, weights) {
        (Aggregation::Max, _) => own.iter().copied().reduce(f64::max),
        (Aggregation::Mean, None) => stats::mean(own),
        (Aggregation::Mean, Some(weights)) => {
            let total: f64 = weights.iter().sum();
            let sum: f64 = own.iter().zip(weights).map(|(v, w)| v * w).sum();
            (total > 0.0).then(|| sum / total)
        }
        (Aggregation::Percentile(p), weights) => {
            let q = f64::from(p) / 100_000.0;
            if settings.percentile != Percentile::WeightedStep {
                return Selector::new(own).quantile(q, samples::rule(settings.percentile)?);
            }
            let weight = |at: usize| weights.map_or(1.0, |w| w.get(at).copied().unwrap_or(0.0));
            let mut pairs: Vec<(f64, f64)> =
                own.iter().enumerate().map(|(at, v)| (*v, weight(at))).collect();
            pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            stats::weighted_step(&pairs, q)
        }
    }
}
