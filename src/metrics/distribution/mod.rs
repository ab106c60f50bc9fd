//! The distribution of a metric's samples: how many lie at or under each value, exactly.

mod modes;
mod relation;
#[cfg(test)]
mod tests;

pub use modes::Split;
pub use relation::{Bin, By};

use super::difference::Subject;
use super::estimates::samples_of;
use super::evaluate::scale;
use super::samples::Samples;
use super::settings::Settings;
use crate::model::{Metric, RunId};
use std::sync::Arc;

/// Up to so many samples each distinct value is a step; of more, the largest of each bucket.
const EACH: usize = 16_384;
/// Bits of a double's mantissa that buckets tell apart: 1,024 buckets an octave, each 0.1 % wide.
const BITS: u32 = 10;
/// Octaves under the largest sample that have buckets. Smaller samples share the first one.
const OCTAVES: u64 = 40;

/// How the samples of one metric of a run lie, in the metric's unit.
///
/// Every step is a sample with the exact number of samples at or under it. Of very many samples some
/// are no step: between two steps less than 0.1 % apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Ascending in both.
    pub steps: Vec<Step>,
    /// Samples.
    pub n: usize,
    /// Requests that gave them.
    pub requests: usize,
    /// Samples that are exactly zero.
    pub zeros: usize,
    /// What all samples weigh together: their number, where each weighs alike.
    pub total: f64,
    /// Whether samples weigh differently.
    pub weighted: bool,
    /// Whether every distinct value is a step.
    each: bool,
}

/// A sample and what lies at or under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The sample.
    pub value: f64,
    /// What the samples at or under it weigh together: their number, where each weighs alike.
    pub reached: f64,
}

impl Distribution {
    /// Nothing where there is no sample with a weight.
    fn of(samples: &Samples, scale: f64) -> Option<Self> {
        let weights = samples.weights.as_deref();
        let weight = |at: usize| weights.map_or(1.0, |w| w.get(at).copied().unwrap_or(0.0));
        let each = samples.values.len() <= EACH;
        let all = || {
            let values = samples.values.iter().enumerate();
            values.map(|(at, value)| (value * scale, weight(at))).filter(|pair| pair.1 > 0.0)
        };
        let n = all().count();
        let pairs = if each { sorted(all().collect()) } else { bucketed(all) };
        let mut reached = 0.0;
        let steps: Vec<Step> = pairs
            .into_iter()
            .map(|(value, weight)| {
                reached += weight;
                Step { value, reached }
            })
            .collect();
        let total = steps.last()?.reached;
        Some(Self {
            steps,
            n,
            requests: samples.ends.len(),
            zeros: all().filter(|pair| pair.0.abs() <= 0.0).count(),
            total,
            weighted: weights.is_some(),
            each,
        })
    }

    /// The smallest sample.
    pub fn smallest(&self) -> f64 {
        self.steps.first().map_or(0.0, |step| step.value)
    }

    /// The largest sample.
    pub fn largest(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.value)
    }

    /// The first step at which a share (0 to 1) of the samples is reached.
    pub fn at_share(&self, share: f64) -> Option<Step> {
        let wanted = share * self.total;
        // Rounding noise must not skip a step: 0.9 × 1000 may be 900.000…1.
        let slack = 1e-9 * self.total;
        let at = self.steps.partition_point(|step| step.reached < wanted - slack);
        self.steps.get(at).or(self.steps.last()).copied()
    }

    /// What the steps at or under a value weigh together: exact where every sample is a step.
    fn reached(&self, value: f64) -> f64 {
        let at = self.steps.partition_point(|step| step.value <= value);
        at.checked_sub(1).and_then(|at| self.steps.get(at)).map_or(0.0, |step| step.reached)
    }
}

/// Equal values become one, with the weight of all.
fn sorted(mut pairs: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let same = pairs.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq());
    same.filter_map(|same| Some((same.first()?.0, same.iter().map(|pair| pair.1).sum()))).collect()
}

/// The largest sample of each bucket with the weight of the bucket, without sorting the samples.
fn bucketed<I: Iterator<Item = (f64, f64)>>(all: impl Fn() -> I) -> Vec<(f64, f64)> {
    let key = |value: f64| value.to_bits() >> (f64::MANTISSA_DIGITS - 1 - BITS);
    let largest = all().map(|pair| pair.0).fold(0.0, f64::max);
    let smallest = all().map(|pair| pair.0).filter(|v| *v > 0.0).fold(largest, f64::min);
    let first = key(smallest).max(key(largest).saturating_sub(OCTAVES << BITS));
    let count = usize::try_from(key(largest).saturating_sub(first)).unwrap_or(0) + 1;
    let mut buckets = vec![(0.0_f64, 0.0_f64); count];
    // Zeros and the few below: they have no logarithm, so no bucket.
    let mut rest: Vec<(f64, f64)> = Vec::new();
    let mut zeros = 0.0;
    for (value, weight) in all() {
        if value > 0.0 {
            let at = usize::try_from(key(value).saturating_sub(first)).unwrap_or(0);
            if let Some((top, sum)) = buckets.get_mut(at) {
                *top = top.max(value);
                *sum += weight;
            }
        } else if value < 0.0 {
            rest.push((value, weight));
        } else {
            zeros += weight;
        }
    }
    let mut pairs = sorted(rest);
    if zeros > 0.0 {
        pairs.push((0.0, zeros));
    }
    pairs.extend(buckets.into_iter().filter(|bucket| bucket.1 > 0.0));
    pairs
}

/// What decides on the samples of a metric.
#[derive(PartialEq)]
struct Question {
    metric: Metric,
    of: (RunId, Settings, Vec<usize>),
}

impl Subject<'_> {
    /// How the samples of a metric lie, or why that is not known, as a clause.
    pub fn distribution(&self, metric: Metric) -> Arc<Result<Distribution, String>> {
        let question = Question { metric, of: self.identity(metric) };
        self.run().memory.recall(question, || {
            let samples = self.samples(metric)?;
            Distribution::of(&samples, scale(metric))
                .ok_or_else(|| "no request counts as a sample".to_owned())
        })
    }

    /// What the samples at or under each of ascending values weigh together: counted, not interpolated.
    ///
    /// # Errors
    /// When the samples are not known; the reason is a clause.
    pub fn at_or_under(&self, metric: Metric, values: &[f64]) -> Result<Vec<f64>, String> {
        let known = self.distribution(metric);
        let known = known.as_ref().as_ref().map_err(Clone::clone)?;
        if known.each {
            return Ok(values.iter().map(|value| known.reached(*value)).collect());
        }
        let samples = self.samples(metric)?;
        let scale = scale(metric);
        let mut counts = vec![0.0; values.len()];
        for (at, sample) in samples.values.iter().enumerate() {
            let slot = values.partition_point(|value| *value < sample * scale);
            let weight = samples.weights.as_ref().and_then(|w| w.get(at).copied()).unwrap_or(1.0);
            if let Some(count) = counts.get_mut(slot) {
                *count += weight;
            }
        }
        let mut reached = 0.0;
        for count in &mut counts {
            reached += *count;
            *count = reached;
        }
        Ok(counts)
    }

    /// The samples in seconds or counts; never only a mean.
    fn samples(&self, metric: Metric) -> Result<Samples, String> {
        let rows = self.rows().ok_or("the file has no single requests")?;
        let samples = samples_of(rows, metric)?;
        if samples.only_mean.is_some() {
            return Err(samples.note.unwrap_or_default().trim_end_matches('.').to_owned());
        }
        if samples.values.is_empty() {
            return Err("no request counts as a sample".to_owned());
        }
        Ok(samples)
    }
}
