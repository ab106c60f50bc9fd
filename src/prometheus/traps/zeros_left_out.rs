//! TensorRT-LLM does not observe zeros.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::number;

/// Families of one request with different counts.
pub(super) struct ZerosLeftOut;

impl Trap for ZerosLeftOut {
    fn id(&self) -> &'static str {
        "zeros-left-out"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if !account.is("trtllm") {
            return Vec::new();
        }
        let of = |measure| of_measure(account, measure).find_map(|h| Some((h, h.count?)));
        let Some((queue, queued)) = of(Measure::Queue) else { return Vec::new() };
        let fewer = [Measure::Ttft, Measure::Tpot, Measure::Prefill, Measure::Decode, Measure::E2e];
        let fewer = fewer.into_iter().filter_map(of).find(|(_, count)| *count < queued);
        let Some((other, count)) = fewer else { return Vec::new() };
        let text = format!(
            "{} has {} observations and {} only {}: TensorRT-LLM leaves out values of zero in all but the queue’s, \
             so means of different families are not of the same requests.",
            queue.row.family,
            number(queued),
            other.row.family,
            number(count)
        );
        vec![Caution::new(Severity::Note, text).about(&other.row.key)]
    }
}
