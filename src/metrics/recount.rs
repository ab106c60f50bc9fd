//! The same samples under another vote than their metric gives them: what no tool prints, and the steps of
//! a bridge between unit and weighting need.

use super::measured::{Quantile, Summary};
use super::rows::{Rows, pick};
use super::samples::{self, Samples};
use super::settings::{Itl, Percentile, Tpot};
use crate::model::Metric;

/// How often each sample counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recount {
    /// One sample a request, as often as its divisor says: by its tokens or gaps.
    ByDivisor,
    /// Every request alike: its samples share one vote.
    ByRequest,
}

impl Recount {
    /// `samples` of `metric`, one vote or weight a sample.
    pub(super) fn of(self, rows: &Rows<'_>, metric: Metric, mut samples: Samples) -> Samples {
        if samples.only_mean.is_some() || samples.weights.is_some() {
            return samples;
        }
        samples.weights = Some(match self {
            Self::ByDivisor => {
                let divisor = |row: &(usize, usize)| divisor(rows, metric, row.1).unwrap_or(0.0);
                samples.ends.iter().map(|row| divisor(row).max(0.0)).collect()
            }
            Self::ByRequest => {
                let sizes = sizes(&samples);
                let requests = sizes.iter().filter(|size| **size > 0).count() as f64;
                // They add up to the samples: where all requests have as many, each weighs 1.
                let each = samples.values.len() as f64 / requests;
                let shares = sizes.iter().filter(|size| **size > 0);
                shares.flat_map(|size| std::iter::repeat_n(each / *size as f64, *size)).collect()
            }
        });
        samples
    }

    /// The summary of such samples; `scale` brings them to the metric's unit. The rules of percentiles know
    /// no weights: they are read as if each sample were there as often as it counts.
    ///
    /// # Errors
    /// When there is no sample; the reason is a clause.
    pub(super) fn summarise(
        self,
        samples: Samples,
        rows: &Rows<'_>,
        percentiles: &[f64],
        scale: f64,
    ) -> Result<Summary, String> {
        let rule = rows.settings.percentile;
        let weights = samples.weights.clone().unwrap_or_default();
        let mut pairs: Vec<(f64, f64)> = samples.values.iter().copied().zip(weights).collect();
        pairs.retain(|pair| pair.1 > 0.0);
        let mut summary = samples::summarise(samples, rows.settings, percentiles, scale)?;
        if pairs.is_empty() || rule == Percentile::WeightedStep {
            return Ok(summary);
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = pairs.iter().map(|pair| pair.1).sum();
        let size = match self {
            Self::ByDivisor => total,
            // Kish's effective size: with equal weights the samples themselves.
            Self::ByRequest => {
                total * total / pairs.iter().map(|pair| pair.1 * pair.1).sum::<f64>()
            }
        };
        let at = |q: f64| quantile(&pairs, total, size, q, rule).map(|value| value * scale);
        summary.median = at(0.5);
        let found = percentiles.iter().filter_map(|p| Some((*p, at(p / 100.0)?)));
        summary.percentiles =
            found.map(|(p, value)| Quantile::new(p, value, pairs.len(), None)).collect();
        summary.note = None;
        Ok(summary)
    }
}

/// How many samples each request has.
fn sizes(samples: &Samples) -> Vec<usize> {
    let mut from = 0;
    let size = |end: &(usize, usize)| {
        let size = end.0.saturating_sub(from);
        from = end.0;
        size
    };
    samples.ends.iter().map(size).collect()
}

/// What the one sample of request `at` was divided by.
fn divisor(rows: &Rows<'_>, metric: Metric, at: usize) -> Option<f64> {
    let tokens = || rows.tokens.as_ref().ok().and_then(|tokens| pick(tokens, at));
    let after_first = metric == Metric::Itl && rows.settings.itl == Itl::RequestMean;
    if after_first {
        return Some(tokens()? - 1.0);
    }
    Some(match rows.settings.tpot {
        Tpot::AfterFirst => tokens()? - 1.0,
        Tpot::AfterFirstEvent => tokens()? - rows.first_event_tokens(at)?,
        Tpot::VisibleGaps => rows.events_of(at)? - 1.0,
        Tpot::AfterFirstOverN | Tpot::WholeOverN => tokens()?,
    })
}

/// The `q` quantile of ascending (value, weight), taken as `size` samples that share the weights: a rank
/// is the element that holds its middle. With whole weights it is the rule on repeated samples, with equal
/// ones the rule itself.
fn quantile(pairs: &[(f64, f64)], total: f64, size: f64, q: f64, rule: Percentile) -> Option<f64> {
    let element = |rank: f64| {
        let wanted = (rank.clamp(0.0, (size - 1.0).max(0.0)) + 0.5) / size * total;
        let mut sum = 0.0;
        let found = pairs.iter().find(|pair| {
            sum += pair.1;
            sum >= wanted
        });
        found.or(pairs.last()).map(|pair| pair.0)
    };
    match rule {
        Percentile::Linear => {
            let rank = q * (size - 1.0).max(0.0);
            let (low, high) = (element(rank.floor())?, element(rank.floor() + 1.0)?);
            Some(low + (high - low) * rank.fract())
        }
        Percentile::NearestRank => element((q * size).ceil() - 1.0),
        Percentile::FloorIndex => element((q * size).floor()),
        Percentile::RoundedIndex => element((q * (size - 1.0)).round_ties_even()),
        Percentile::WeightedStep | Percentile::BucketLinear => None,
    }
}
