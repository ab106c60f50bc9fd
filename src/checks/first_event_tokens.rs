//! The first event brings several tokens.

use super::subject::mean;
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;
use crate::units::significant;

/// Below this an odd stream out is no rule.
const SEVERAL: f64 = 1.1;

/// TPOT after the first token divides by tokens that were there already.
pub(super) struct FirstEventTokens;

impl Check for FirstEventTokens {
    fn about(&self) -> About {
        About {
            id: "first-event-tokens",
            name: "First event brings several tokens",
            passes: "the first event brings one token",
            rule: "the first events carry more than 1.1 tokens on average, where the file records tokens of \
                   events",
            source: "ai-dynamo/aiperf PR 1279; sgl-project/sglang PR 1340",
            covers: &["first-chunk-tokens"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.event_tokens.is_absent() {
            return Err("the file does not hold the tokens of each event".into());
        }
        let first = |at: usize| requests.event_tokens.row(at)?.first().map(|n| n.count());
        let rows: Vec<usize> =
            table.finished().filter(|at| first(*at).is_some_and(|n| n > 1.5)).collect();
        let brought = mean(table.finished().filter_map(first));
        let brought = brought.ok_or("no request has tokens of its first event")?;
        if brought <= SEVERAL {
            return Ok(None);
        }
        let text = format!(
            "The first event brings {} tokens on average: TPOT over n − 1 divides by tokens that were there \
             at TTFT, and looks too good.",
            significant(brought, 2)
        );
        Ok(Some(
            Finding::new(Severity::Note, text)
                .rows(rows, table.finished_count())
                .touches(&[Metric::Tpot])
                .set("tpot", "after-first-event"),
        ))
    }
}
