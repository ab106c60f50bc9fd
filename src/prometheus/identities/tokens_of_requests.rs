//! The counter of tokens and the histogram of lengths count the same.

use super::{About, Identity, Outcome, Weighed, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{counted, number};

/// generation tokens = Σ tokens of ended requests.
pub(super) struct TokensOfRequests;

impl Identity for TokensOfRequests {
    fn about(&self) -> About {
        About {
            id: "tokens-of-requests",
            formula: "generated tokens = Σ tokens of the requests that ended",
            broken: "the rest belongs to requests that were in flight at an end of the window, or were aborted",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let tokens = account
            .counted(Measure::OutputTokens)
            .ok_or("it needs a counter of generated tokens")?;
        let (ended, requests) = sum_of(account, Measure::OutputTokens)?;
        let (outcome, text) = if same(tokens, ended) {
            let text = format!(
                "{} by the counter, and as many in {} that ended.",
                counted(tokens, "token", "tokens"),
                counted(requests, "request", "requests")
            );
            (Outcome::Holds, text)
        } else {
            let text = format!(
                "{} by the counter, {} in {} that ended: {} of requests in flight at an end of the window, or \
                 aborted.",
                counted(tokens, "token", "tokens"),
                number(ended),
                counted(requests, "request", "requests"),
                number((tokens - ended).abs())
            );
            (Outcome::Differs, text)
        };
        Ok(Weighed { left: tokens, right: ended, unit: UnitOf::Tokens, outcome, text })
    }
}
