//! vLLM times TTFT and ITL on different clocks.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;

/// TTFT on the front end’s wall clock, ITL on the engine’s monotonic one.
pub(super) struct TwoClocks;

impl Trap for TwoClocks {
    fn id(&self) -> &'static str {
        "two-clocks"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if !account.is("vllm") {
            return Vec::new();
        }
        let has = |measure| account.server(measure);
        let (Some(ttft), Some(itl)) = (has(Measure::Ttft), has(Measure::Itl)) else {
            return Vec::new();
        };
        let text = format!(
            "{} is timed on the front end’s wall clock, {} on the engine’s own monotonic clock: TTFT plus gaps is not \
             exactly E2E, and a step of the wall clock moves only the first.",
            ttft.row.key, itl.row.key
        );
        vec![Caution::new(Severity::Note, text).about(&ttft.row.key).about(&itl.row.key)]
    }
}
