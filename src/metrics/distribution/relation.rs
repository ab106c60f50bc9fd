//! What a latency does with length: its mean and p99 in bins of input length, output length or position.

use crate::metrics::difference::Subject;
use crate::metrics::evaluate::scale;
use crate::metrics::rows::pick;
use crate::metrics::samples::rule;
use crate::model::Metric;
use crate::stats::quantile_sorted;
use crate::units::Tokens;
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
        let rows = self.rows().ok_or("the file has no single requests")?;
        let samples = self.samples(metric)?;
        if samples.weights.is_some() {
            return Err("samples weigh differently under this definition".into());
        }
        let scale = scale(metric);
        let one_each = samples.ends.len() == samples.values.len();
        let mut pairs: Vec<(f64, f64)> = Vec::with_capacity(samples.values.len());
        if by == By::Position {
            if one_each {
                return Err("under this definition a request gives one sample, not one a token".into());
            }
            let mut from = 0;
            for (to, _) in &samples.ends {
                let unit = samples.values.get(from..*to).unwrap_or(&[]);
                pairs.extend(unit.iter().zip(1_u32..).map(|(v, at)| (f64::from(at), v * scale)));
                from = *to;
            }
        } else {
            let tokens = match by {
                By::InputTokens if rows.requests.input_tokens.is_absent() => {
                    return Err("the file holds no input tokens of each request".into());
                }
                By::InputTokens => None,
                _ => Some(rows.tokens.as_ref().map_err(Clone::clone)?),
            };
            let length = |row: usize| match tokens {
                Some(tokens) => pick(tokens, row),
                None => rows.requests.input_tokens.get(row).map(Tokens::count),
            };
            let mut from = 0;
            for (to, row) in &samples.ends {
                let unit = samples.values.get(from..*to).unwrap_or(&[]);
                if let Some(x) = length(*row) {
                    pairs.extend(unit.iter().map(|v| (x, v * scale)));
                }
                from = *to;
            }
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
            return Err("no sample has a length".into());
        };
        if first.0 >= last.0 {
            return Err(match by {
                By::Position => "no request has a second sample".into(),
                _ => format!("every request has {} tokens", crate::units::fixed(first.0, 0)),
            });
        }
        let rule = rule(self.settings().percentile);
        let ends = if by == By::Position { by_ladder(&pairs) } else { by_count(&pairs) };
        let mut from = 0;
        let bins = ends.into_iter().filter_map(|to| {
            let part = pairs.get(from..to)?;
            from = to;
            let mut values: Vec<f64> = part.iter().map(|pair| pair.1).collect();
            values.sort_unstable_by(f64::total_cmp);
            Some(Bin {
                low: part.first()?.0,
                high: part.last()?.0,
                n: values.len(),
                mean: crate::stats::mean(&values)?,
                p99: rule.and_then(|rule| quantile_sorted(&values, 0.99, rule)),
            })
        });
        Ok(bins.collect())
    }
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

/// Where the stretches 1, 2, 3 to 5, 6 to 10, 11 to 20 … of positions end.
pub(super) fn by_ladder(pairs: &[(f64, f64)]) -> Vec<usize> {
    let tops = (0..12).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(power)));
    let mut ends: Vec<usize> = Vec::new();
    for top in tops {
        let end = pairs.partition_point(|pair| pair.0 <= top);
        if end > ends.last().copied().unwrap_or(0) {
            ends.push(end);
        }
        if end == pairs.len() {
            break;
        }
    }
    ends
}
