//! What a latency does with length: its mean and p99 in bins of input length, output length or position.

use crate::metrics::difference::Subject;
use crate::metrics::evaluate::scale;
use crate::metrics::rows::{Values, pick};
use crate::metrics::samples::{Samples, rule};
use crate::model::Metric;
use crate::stats::Selector;
use crate::units::{Tokens, fixed};
use serde::{Deserialize, Serialize};

/// Along what a latency is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Prompt tokens of the request.
    InputTokens,
    /// Output tokens of the request.
    OutputTokens,
    /// Which sample of its request it is, from 1.
    Position,
}

/// The samples of one stretch of lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The smallest length in it.
    pub low: f64,
    /// The largest length in it.
    pub high: f64,
    /// Samples.
    pub n: usize,
    /// Their mean, in the metric's unit.
    pub mean: f64,
    /// Their p99 by the rule of the definition set; nothing where the rule is one of histograms.
    pub p99: Option<f64>,
}

/// Lengths are put into at most so many bins of about as many requests each.
const MOST: usize = 8;
/// Requests of a bin of lengths at least.
const LEAST: usize = 20;

impl Subject<'_> {
    /// The mean and the p99 of a metric by length, the shortest first.
    ///
    /// # Errors
    /// When the file lacks what it needs, or when there is one length only; the reason is a clause.
    pub fn relation(&self, metric: Metric, by: By) -> Result<Vec<Bin>, String> {
        let samples = self.samples(metric)?;
        if samples.weights.is_some() {
            return Err("samples weigh differently under this definition".into());
        }
        let parts = match by {
            By::Position => by_position(&samples)?,
            By::InputTokens | By::OutputTokens => by_length(&samples, &self.lengths(by)?)?,
        };
        let (scale, rule) = (scale(metric), rule(self.settings().percentile));
        let bin = |Part { low, high, mut values }| {
            let mean = crate::stats::mean(&values)? * scale;
            let n = values.len();
            let p99 = rule.and_then(|rule| Selector::new(&mut values).quantile(0.99, rule));
            Some(Bin { low, high, n, mean, p99: p99.map(|p99| p99 * scale) })
        };
        Ok(parts.into_iter().filter_map(bin).collect())
    }

    /// The length of each request.
    fn lengths(&self, by: By) -> Result<Values, String> {
        let rows = self.rows().ok_or("the file has no single requests")?;
        if by == By::OutputTokens {
            return rows.tokens.clone();
        }
        let tokens = &rows.requests.input_tokens;
        if tokens.is_absent() {
            return Err("the file holds no input tokens of each request".into());
        }
        Ok((0..rows.requests.len()).map(|at| tokens.get(at).map(Tokens::count)).collect())
    }
}

/// Samples of one stretch of lengths, in seconds or counts.
struct Part {
    low: f64,
    high: f64,
    values: Vec<f64>,
}

/// The samples of each request with its number.
fn units(samples: &Samples) -> impl Iterator<Item = (&[f64], usize)> {
    let mut from = 0;
    samples.ends.iter().map(move |(to, row)| {
        let unit = samples.values.get(from..*to).unwrap_or(&[]);
        from = *to;
        (unit, *row)
    })
}

fn by_length(samples: &Samples, lengths: &Values) -> Result<Vec<Part>, String> {
    let mut pairs: Vec<(f64, f64)> = Vec::with_capacity(samples.values.len());
    for (unit, row) in units(samples) {
        if let Some(length) = pick(lengths, row) {
            pairs.extend(unit.iter().map(|value| (length, *value)));
        }
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
        return Err("no sample has a length".into());
    };
    if first.0 >= last.0 {
        return Err(format!("every request has {} tokens", fixed(first.0, 0)));
    }
    let mut from = 0;
    let parts = by_count(&pairs).into_iter().filter_map(|to| {
        let part = pairs.get(from..to)?;
        from = to;
        let values = part.iter().map(|pair| pair.1).collect();
        Some(Part { low: part.first()?.0, high: part.last()?.0, values })
    });
    Ok(parts.collect())
}

/// Where bins of about as many samples each end; equal lengths stay together.
pub(super) fn by_count(pairs: &[(f64, f64)]) -> Vec<usize> {
    let bins = (pairs.len() / LEAST).clamp(1, MOST);
    let wanted = pairs.len().div_ceil(bins);
    let mut ends: Vec<usize> = Vec::new();
    let (mut at, mut size) = (0, 0);
    for same in pairs.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        // A length that many requests share is not mixed with its neighbours.
        if size > 0 && size + same.len() > wanted && same.len() * 2 > wanted {
            ends.push(at);
            size = 0;
        }
        at += same.len();
        size += same.len();
        if size >= wanted {
            ends.push(at);
            size = 0;
        }
    }
    if ends.last() != Some(&at) {
        ends.push(at);
    }
    ends
}

/// The samples at positions 1, 2, 3 to 5, 6 to 10, 11 to 20 and so on of their request.
fn by_position(samples: &Samples) -> Result<Vec<Part>, String> {
    if samples.ends.len() == samples.values.len() {
        return Err("under this definition a request gives one sample, not one a token".into());
    }
    let mut parts: Vec<Part> = Vec::new();
    for (unit, _) in units(samples) {
        let mut rest = unit;
        for (at, (low, high)) in ladder().enumerate() {
            if rest.is_empty() {
                break;
            }
            let (part, after) = rest.split_at(rest.len().min(high - low + 1));
            rest = after;
            if parts.len() == at {
                parts.push(Part { low: low as f64, high: low as f64, values: Vec::new() });
            }
            if let Some(here) = parts.get_mut(at) {
                here.high = here.high.max((low + part.len() - 1) as f64);
                here.values.extend(part);
            }
        }
    }
    if parts.len() < 2 {
        return Err("no request has a second sample".into());
    }
    Ok(parts)
}

/// 1 to 1, 2 to 2, 3 to 5, 6 to 10, 11 to 20 …
fn ladder() -> impl Iterator<Item = (usize, usize)> {
    let tops = (0..12).flat_map(|power| [1, 2, 5].map(|m| m * 10_usize.pow(power)));
    let mut low = 1;
    tops.map(move |top| {
        let stretch = (low, top);
        low = top + 1;
        stretch
    })
}
