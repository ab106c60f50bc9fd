//! SGLang’s token counters move only when a request ends.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::{Account, Stretch};
use crate::prometheus::names::Measure;
use crate::prometheus::words::number;

/// Token counters by ended requests.
pub(super) struct TokensAtTheEnd;

impl Trap for TokensAtTheEnd {
    fn id(&self) -> &'static str {
        "tokens-at-the-end"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if !account.is("sglang") || account.span.stretch == Stretch::SinceStart {
            return Vec::new();
        }
        let Some(tokens) = account.counted(Measure::OutputTokens) else { return Vec::new() };
        let of = |c: &&super::super::account::ServerCounter| {
            c.row.name.is_some_and(|n| n.measure == Measure::OutputTokens)
        };
        let keys = account.counters.iter().filter(of).map(|c| c.row.key.clone()).collect();
        let text = format!(
            "The {} tokens are those of requests that ended in the window: SGLang counts a request’s tokens when it \
             ends, so a short window gives a rate of endings, not of generation.",
            number(tokens)
        );
        vec![Caution { keys, ..Caution::new(Severity::Note, text) }]
    }
}
