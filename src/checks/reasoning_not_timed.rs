//! The count holds reasoning, the clock starts at the answer.

use super::hidden::Hidden;
use super::subject::mean;
use super::words::millis;
use super::{About, Check, Finding, Subject};
use crate::model::{FirstTokenRule, Metric};
use crate::notice::Severity;
use crate::units::significant;

/// Tokens an event from which on a clock that waits for the answer must have missed some.
const MISSED: f64 = 1.2;

/// Tokens before the first counted event: TTFT is too long and TPOT too short.
pub(super) struct ReasoningNotTimed;

impl Check for ReasoningNotTimed {
    fn about(&self) -> About {
        About {
            id: "reasoning-not-timed",
            name: "Reasoning counted, not timed",
            passes: "TTFT does not grow with tokens that no event showed",
            rule: "over at least ten streams TTFT grows by half a gap or more with each token that no \
                   event showed (correlation 0.5 or more), or the client waits for the answer and there \
                   are more than 1.2 tokens an event",
            source: "vllm-project/guidellm issue 737 and PR 760",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        table.counted()?;
        let hidden = Hidden::of(table)?;
        let waits = requests.first_token_rule == FirstTokenRule::FirstAnswer
            && requests.event_tokens.is_absent()
            && !hidden.came_with_events();
        if hidden.per_event() <= 1.05
            || !(hidden.came_first() || waits && hidden.per_event() > MISSED)
        {
            return Ok(None);
        }
        let ttft = mean(hidden.streams.iter().filter_map(|at| table.ttft(*at))).unwrap_or_default();
        let text = format!(
            "The count holds tokens that came before the first timed event, as reasoning does where the \
             clock starts at the answer: {} tokens an event, and a mean TTFT of {} that grows with them. \
             TTFT is too long, and TPOT too short.",
            significant(hidden.per_event(), 3),
            millis(ttft)
        );
        let of = hidden.streams.len();
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(hidden.streams, of)
                .touches(&[Metric::Tpot, Metric::UserSpeed, Metric::Ttft])
                .set("tpot", "visible-gaps"),
        ))
    }
}
