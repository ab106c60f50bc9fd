//! SGLang puts the undivided interval into the sum and the divided one into the buckets.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::time;

/// The mean is a token’s, the quantiles are smoothed.
pub(super) struct DividedBuckets;

impl Trap for DividedBuckets {
    fn id(&self) -> &'static str {
        "divided-buckets"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if !account.is("sglang") {
            return Vec::new();
        }
        let found = of_measure(account, Measure::Itl).filter_map(|histogram| {
            let mean = time(histogram.mean()?);
            let key = &histogram.row.key;
            let text = format!(
                "{key} spreads each chunk’s interval over its tokens: the buckets hold the divided interval once a \
                 token, the sum the undivided one once. Σ ÷ n, {mean}, is the right mean a token; a burst is \
                 smoothed, so the server’s p99 lies below a client’s."
            );
            Some(Caution::new(Severity::Note, text).about(key))
        });
        found.collect()
    }
}
