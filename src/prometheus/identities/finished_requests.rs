//! First tokens, ended requests and their reasons.

use super::{About, Identity, Outcome, Weighed, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{counted, number};

/// Σ reasons = E2E samples = first tokens − in flight and aborted.
pub(super) struct FinishedRequests;

impl Identity for FinishedRequests {
    fn about(&self) -> About {
        About {
            id: "finished-requests",
            formula: "first tokens = requests that ended + in flight and aborted",
            broken: "requests that began before the window ended in it, or ended without a first token",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let (_, first) = sum_of(account, Measure::Ttft)?;
        let (_, ended) = sum_of(account, Measure::E2e)?;
        let reasons = account.finished();
        let by_reason = match reasons {
            Some(reasons) if same(reasons, ended) => {
                ", as many as the counter of finished requests (aborts and errors aside)".to_owned()
            }
            Some(reasons) => format!(
                ", {} by the counter of finished requests (aborts and errors aside)",
                number(reasons)
            ),
            None => String::new(),
        };
        let ended_words = counted(ended, "request", "requests");
        let disagree = reasons.is_some_and(|reasons| !same(reasons, ended));
        let (outcome, text) = if same(first, ended) && disagree {
            let text = format!(
                "{} and {ended_words} that ended{by_reason}: the counter and the histograms are not of the same \
                 requests.",
                counted(first, "first token", "first tokens")
            );
            (Outcome::Differs, text)
        } else if same(first, ended) {
            let text = format!(
                "{} and {ended_words} that ended{by_reason}: none was in flight at an end of the window, none \
                 was aborted after its first token.",
                counted(first, "first token", "first tokens")
            );
            (Outcome::Holds, text)
        } else if first > ended {
            let a_request = if ended > 0.0 {
                format!(
                    " ({} first tokens a request that ended)",
                    crate::units::significant(first / ended, 3)
                )
            } else {
                String::new()
            };
            let text = format!(
                "{} and {ended_words} that ended{by_reason}: {} in flight or aborted{a_request}.",
                counted(first, "first token", "first tokens"),
                counted(first - ended, "was", "were")
            );
            (Outcome::Differs, text)
        } else {
            let text = format!(
                "{ended_words} ended{by_reason}, and only {}: {} ended without a first token in the window.",
                counted(first, "first token came", "first tokens came"),
                number(ended - first)
            );
            (Outcome::Differs, text)
        };
        Ok(Weighed { left: first, right: ended, unit: UnitOf::Requests, outcome, text })
    }
}
