//! Token source.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::settings::TokenCount;
use crate::model::{Metric, Stat};

/// Token source.
pub(super) struct TokenSourceDiffers;

impl Disagreement for TokenSourceDiffers {
    fn id(&self) -> &'static str {
        "token-source"
    }
    fn title(&self) -> &'static str {
        "Token source"
    }
    fn kind(&self) -> char {
        'C'
    }
    fn formula(&self) -> &'static str {
        "tokens by the server’s usage, against tokens by the client’s tokenizer"
    }
    fn paragraph(&self) -> &'static str {
        "A client may take the server’s count or run its own tokenizer over the text. The two differ: tokens that leave no text (end of sequence, tool calls, reasoning that is not shown) are in the one only, special tokens that the tokenizer adds in the other, and text does not always split the same way twice. Throughput and TPOT change with the count."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("token-count", "server"), ("token-count", "retokenized")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let server = case.ruler(|s| s.token_count = TokenCount::Server);
        let own = case.ruler(|s| s.token_count = TokenCount::Retokenized);
        case.two(
            ("output tokens by the server", Metric::TotalOutputTokens, Stat::Value, server),
            (
                "output tokens by the client’s tokenizer",
                Metric::TotalOutputTokens,
                Stat::Value,
                own,
            ),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| id == "token-count")
    }
}
