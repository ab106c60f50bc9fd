//! `iteration_tokens_total` is a histogram of steps.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::{counted, number};

/// A name that ends in `_total` and counts steps.
pub(super) struct StepsAreNotTokens;

impl Trap for StepsAreNotTokens {
    fn id(&self) -> &'static str {
        "steps-are-not-tokens"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = of_measure(account, Measure::StepTokens).filter_map(|histogram| {
            let steps = histogram.count.filter(|n| *n > 0.0)?;
            let key = &histogram.row.key;
            let tokens = account.counted(Measure::OutputTokens);
            let beside = tokens.map_or(String::new(), |tokens| {
                format!(" The counter of generated tokens rose by {}.", number(tokens))
            });
            let text = format!(
                "{key} is a histogram of engine steps in spite of its name: its count is {}, not tokens, and its sum, \
                 {}, takes prompts in as well.{beside}",
                counted(steps, "step", "steps"),
                histogram.sum.map_or_else(|| "which is missing".to_owned(), number)
            );
            Some(Caution::new(Severity::Note, text).about(key))
        });
        found.collect()
    }
}
