//! Requests that don’t stream have a TTFT near their E2E.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;

/// `is_streaming` added up.
pub(super) struct NotStreamed;

impl Trap for NotStreamed {
    fn id(&self) -> &'static str {
        "not-streamed"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let both = |folded: &super::super::keys::Folded| {
            folded.label == "is_streaming" && folded.values.len() > 1
        };
        if !account.folded.iter().any(both) {
            return Vec::new();
        }
        let found = of_measure(account, Measure::Ttft).map(|histogram| {
            let key = &histogram.row.key;
            let text = format!(
                "{key} adds up requests that stream and requests that don’t, whose first token comes with their last: \
                 their TTFT is nearly their E2E. Split with --by is_streaming before comparing TTFT."
            );
            Caution::new(Severity::Warn, text).about(key)
        });
        found.collect()
    }
}
