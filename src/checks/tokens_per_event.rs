//! A stream event carries several tokens.

use super::hidden::Hidden;
use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// Below this an odd token out is no rule.
const SEVERAL: f64 = 1.05;

/// (n − 1) ÷ gaps > 1: a gap is not the time of a token.
pub(super) struct TokensPerEvent;

impl Check for TokensPerEvent {
    fn about(&self) -> About {
        About {
            id: "tokens-per-event",
            name: "Several tokens an event",
            passes: "an event carries one token",
            rule: "there are more than 1.05 tokens for each stream event, and they did not come before \
                   the first one",
            source: "vllm-project/vllm issues 27485 and 34929",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        table.counted()?;
        let hidden = Hidden::of(table)?;
        if hidden.per_event() <= SEVERAL || hidden.came_first() {
            return Ok(None);
        }
        let shown = |metric| {
            let value = subject.evaluation().value(metric, Stat::Mean).number();
            value.map(|v| format!("{} ms", significant(v, 3)))
        };
        let both = match (shown(Metric::ChunkGap), shown(Metric::Tpot)) {
            (Some(gap), Some(tpot)) => format!(
                " A mean gap of {gap} and a TPOT of {tpot} are both right: a gap is not the time of a \
                 token."
            ),
            _ => " A gap is not the time of a token.".to_owned(),
        };
        let text = format!(
            "{} tokens came in {} events, {} tokens an event.{both}",
            whole(hidden.tokens),
            whole(hidden.events),
            significant(hidden.per_event(), 2)
        );
        let of = hidden.streams.len();
        Ok(Some(
            Finding::new(Severity::Note, text)
                .rows(hidden.streams, of)
                .touches(&[Metric::Itl, Metric::PeakOutputRate])
                .set("itl", "token-spread"),
        ))
    }
}
