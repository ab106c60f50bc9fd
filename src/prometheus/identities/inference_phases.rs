//! Inference is prefill and decode.

use super::{About, Identity, Outcome, Weighed, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::time;

/// Σ inference = Σ prefill + Σ decode.
pub(super) struct InferencePhases;

impl Identity for InferencePhases {
    fn about(&self) -> About {
        About {
            id: "inference-phases",
            formula: "Σ inference = Σ prefill + Σ decode",
            broken: "the three are not of the same requests, such as where zeros are left out of one",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let (inference, _) = sum_of(account, Measure::Inference)?;
        let (prefill, _) = sum_of(account, Measure::Prefill)?;
        let (decode, _) = sum_of(account, Measure::Decode)?;
        let phases = prefill + decode;
        let (outcome, text) = if same(inference, phases) {
            let text = format!(
                "Inference adds up to {}: {} of prefill and {} of decode.",
                time(inference),
                time(prefill),
                time(decode)
            );
            (Outcome::Holds, text)
        } else {
            let text = format!(
                "Inference adds up to {}, prefill and decode to {}: they are not of the same requests.",
                time(inference),
                time(phases)
            );
            (Outcome::Broken, text)
        };
        Ok(Weighed { left: inference, right: phases, unit: UnitOf::Seconds, outcome, text })
    }
}
