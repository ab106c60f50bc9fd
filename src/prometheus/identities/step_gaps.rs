//! The gaps between steps add up to the decode time.

use super::{About, Identity, Outcome, Weighed, of_vllm, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::time;

/// Σ step gaps = Σ decode time.
pub(super) struct StepGaps;

impl Identity for StepGaps {
    fn about(&self) -> About {
        About {
            id: "step-gaps",
            formula: "Σ gaps between engine steps = Σ decode time",
            broken: "requests were in flight at an end of the window, or were aborted: their gaps count and \
                     their decode time does not",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        of_vllm(account)?;
        let (gaps, _) = sum_of(account, Measure::Itl)?;
        let (decode, _) = sum_of(account, Measure::Decode)?;
        let (outcome, text) = if same(gaps, decode) {
            let text = format!(
                "The gaps add up to {}, as the decode times do: every request that made gaps also ended in the window.",
                time(gaps)
            );
            (Outcome::Holds, text)
        } else if gaps > decode {
            let text = format!(
                "The gaps add up to {}, the decode times to {}: {} of gaps belong to requests that did not end in the window, or were aborted.",
                time(gaps),
                time(decode),
                time(gaps - decode)
            );
            (Outcome::Differs, text)
        } else {
            let text = format!(
                "The decode times add up to {}, the gaps only to {}: requests that began before the window ended in it.",
                time(decode),
                time(gaps)
            );
            (Outcome::Differs, text)
        };
        Ok(Weighed { left: gaps, right: decode, unit: UnitOf::Seconds, outcome, text })
    }
}
