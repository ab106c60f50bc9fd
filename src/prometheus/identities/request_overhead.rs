//! What is left of the whole latency beside queue and inference.

use super::{About, Identity, Outcome, Weighed, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::time;

/// Σ E2E = Σ queue + Σ inference + the front end’s work.
pub(super) struct RequestOverhead;

impl Identity for RequestOverhead {
    fn about(&self) -> About {
        About {
            id: "request-overhead",
            formula: "Σ E2E = Σ queue + Σ inference + front end",
            broken: "the front end can’t take less than no time: the sums are not of the same requests",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let (whole, requests) = sum_of(account, Measure::E2e)?;
        let (queue, _) = sum_of(account, Measure::Queue)?;
        let (inference, _) = sum_of(account, Measure::Inference)?;
        let parts = queue + inference;
        let rest = whole - parts;
        let (outcome, text) = if same(whole, parts) {
            (
                Outcome::Holds,
                format!(
                    "E2E adds up to {}, queue and inference to the same: the front end took no time that can be seen.",
                    time(whole)
                ),
            )
        } else if rest > 0.0 && requests > 0.0 {
            let text = format!(
                "Of {} in all, {} were waiting, {} were inference, and {} were spent in the front end: {} a request.",
                time(whole),
                time(queue),
                time(inference),
                time(rest),
                time(rest / requests)
            );
            (Outcome::Differs, text)
        } else {
            let text = format!(
                "E2E adds up to {}, queue and inference to {}: more than the whole.",
                time(whole),
                time(parts)
            );
            (Outcome::Broken, text)
        };
        Ok(Weighed { left: whole, right: parts, unit: UnitOf::Seconds, outcome, text })
    }
}
