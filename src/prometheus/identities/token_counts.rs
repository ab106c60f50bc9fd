//! Tokens are first tokens and steps, and what speculation adds.

use super::{About, Identity, Outcome, Weighed, of_vllm, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{counted, number};
use crate::units::significant;

/// generation tokens = first tokens + steps after the first.
pub(super) struct TokenCounts;

impl Identity for TokenCounts {
    fn about(&self) -> About {
        About {
            id: "token-counts",
            formula: "generated tokens = first tokens + engine steps after them",
            broken: "with more tokens than steps, a step yields several (speculation, several steps at once); \
                     with fewer, tokens and steps are not of the same stretch",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        of_vllm(account)?;
        let tokens = account
            .counted(Measure::OutputTokens)
            .ok_or("it needs a counter of generated tokens")?;
        let (_, first) = sum_of(account, Measure::Ttft)?;
        let (_, steps) = sum_of(account, Measure::Itl)?;
        let expected = first + steps;
        let more = tokens - expected;
        let (outcome, text) = if same(tokens, expected) {
            let text = format!(
                "{} are {} and {}: every step gave one token.",
                counted(tokens, "token", "tokens"),
                counted(first, "first token", "first tokens"),
                counted(steps, "step after it", "steps after them")
            );
            (Outcome::Holds, text)
        } else if more > 0.0 && steps > 0.0 {
            let text = format!(
                "{} came from {} and {}: {} more than one a step, {} tokens a step. A step’s time is no time \
                 of a token.",
                counted(tokens, "token", "tokens"),
                counted(first, "first token", "first tokens"),
                counted(steps, "step after it", "steps after them"),
                number(more),
                significant((tokens - first) / steps, 3)
            );
            (Outcome::Differs, text)
        } else {
            let text = format!(
                "{} were counted, and {} first tokens and {} steps: {} without a token.",
                counted(tokens, "token", "tokens"),
                number(first),
                number(steps),
                counted(-more, "of them is", "of them are")
            );
            (Outcome::Broken, text)
        };
        Ok(Weighed { left: tokens, right: expected, unit: UnitOf::Tokens, outcome, text })
    }
}
