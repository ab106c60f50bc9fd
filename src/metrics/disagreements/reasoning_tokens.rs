//! Reasoning tokens.

use super::{Case, Disagreement, Step, Tested, one_side};
use crate::metrics::measured::Value;
use crate::metrics::settings::FirstToken;
use crate::model::{Metric, Stat};

/// Reasoning tokens.
pub(super) struct ReasoningTokens;

impl Disagreement for ReasoningTokens {
    fn id(&self) -> &'static str {
        "reasoning-tokens"
    }
    fn title(&self) -> &'static str {
        "Reasoning tokens"
    }
    fn kind(&self) -> char {
        'B'
    }
    fn formula(&self) -> &'static str {
        "first text of any kind, against first text that is not reasoning"
    }
    fn paragraph(&self) -> &'static str {
        "A model that thinks first streams its reasoning before the answer. A client that looks for the answer only has a time to first token of seconds, and divides a short decode time by tokens that include the reasoning: its TPOT is too small. The clock and the token count must cover the same stretch."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("first-token", "first-text"), ("first-token", "first-answer")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let text = case.ruler(|s| s.first_token = FirstToken::FirstText);
        let event = case.ruler(|s| s.first_token = FirstToken::FirstEvent);
        let answer = case.ruler(|s| s.first_token = FirstToken::FirstAnswer);
        // A client that timed any event has no other first text.
        let known = matches!(case.value(Metric::Ttft, Stat::Mean, text), Value::Exact(_));
        let first = if known { text } else { event };
        case.two(
            ("mean TTFT to the first text", Metric::Ttft, Stat::Mean, first),
            ("mean TTFT to the answer", Metric::Ttft, Stat::Mean, answer),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &["first-token"], &["first-answer"])
    }
}
