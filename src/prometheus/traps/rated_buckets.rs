//! Buckets of a query result that are rates, not counts.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::{Account, ServerHistogram};

/// Counts that are not whole were rated and extrapolated.
pub(super) struct RatedBuckets;

impl Trap for RatedBuckets {
    fn id(&self) -> &'static str {
        "rated-buckets"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let rated = |h: &&ServerHistogram| {
            let buckets = h.histogram().map(crate::stats::Histogram::buckets).unwrap_or_default();
            buckets.iter().any(|(_, count)| count.fract().abs() > 1e-6)
        };
        let keys: Vec<String> =
            account.histograms.iter().filter(rated).map(|h| h.row.key.clone()).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let text = "Counts of buckets are not whole: they come from rate() or increase(), which extrapolates each \
                    bucket by a factor of its own. They are weights here, not counts, and quantiles can differ from \
                    those of the raw counters though no sample is missing.";
        vec![Caution { keys, ..Caution::new(Severity::Warn, text) }]
    }
}
