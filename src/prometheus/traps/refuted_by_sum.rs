//! An interpolated number that the sum refutes.

use super::{Caution, QUANTILES, Trap, percentile, timed};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::words::time;

/// Beyond this factor from what is possible, a number is worth a sentence.
const FAR: f64 = 1.01;

/// Q(q) ≤ mean ÷ (1 − q) and its like against `histogram_quantile`.
pub(super) struct RefutedBySum;

impl Trap for RefutedBySum {
    fn id(&self) -> &'static str {
        "refuted-by-sum"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = timed(account).filter_map(|(histogram, factor)| {
            let buckets = histogram.histogram()?;
            let mean = histogram.mean()? * factor;
            let refuted = QUANTILES.iter().find_map(|q| {
                let (shown, bounds) = (buckets.promql(*q)?, buckets.bounds(*q)?);
                let high = bounds.high.unwrap_or(f64::INFINITY);
                let too_high = shown > high * FAR;
                let too_low = shown * FAR < bounds.low && !bounds.above_last_edge;
                (too_high || too_low).then_some((*q, shown * factor, bounds.low * factor, high * factor))
            });
            let (q, shown, low, high) = refuted?;
            let possible = if shown > high {
                format!("at most {}", time(high))
            } else {
                format!("at least {}", time(low))
            };
            let text = format!(
                "histogram_quantile prints {} for {} of {}, which the sum refutes: with a mean of {} it is {possible}.",
                time(shown), percentile(q), histogram.row.key, time(mean)
            );
            Some(Caution::new(Severity::Warn, text).about(&histogram.row.key))
        });
        found.collect()
    }
}
