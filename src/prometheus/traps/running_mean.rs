//! SGLang’s old time per output token is a running average.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;

/// Neither TPOT nor ITL.
pub(super) struct RunningMean;

impl Trap for RunningMean {
    fn id(&self) -> &'static str {
        "running-mean"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = of_measure(account, Measure::RunningMean).map(|histogram| {
            let key = &histogram.row.key;
            let text = format!(
                "{key} holds, at each chunk, the average since the first token so far, and at the end E2E ÷ tokens \
                 with TTFT inside: neither TPOT nor ITL. Long replies weigh more."
            );
            Caution::new(Severity::Warn, text).about(key)
        });
        found.collect()
    }
}
