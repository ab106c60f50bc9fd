//! The first token arrived with the last.

use super::{About, Advice, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// An end this close to the first token is the same reading of the clock, in seconds.
const SAME_READING: f64 = 1e-9;

/// TTFT = E2E with more than one token.
pub(super) struct NotStreamed;

impl Check for NotStreamed {
    fn about(&self) -> About {
        About {
            id: "not-streamed",
            name: "First token arrived with the last",
            passes: "no reply of several tokens came at once",
            rule: "TTFT equals the latency, or there is no gap, in a request with more than one token",
            source: "sgl-project/genai-bench PR 44",
            covers: &["not-streamed"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        if table.0.ttft.is_absent() {
            return Err(table.0.without("the file holds no TTFT of each request"));
        }
        let (mut several, mut rows) = (0_usize, Vec::new());
        for at in table.finished() {
            if table.tokens(at).is_none_or(|n| n <= 1.0) {
                continue;
            }
            let Some(ttft) = table.ttft(at) else { continue };
            let once = match table.e2e(at) {
                Some(e2e) => (e2e - ttft).abs() <= SAME_READING,
                // A latency that is missing in this row alone, such as a zero, says nothing of its stream.
                None if !table.0.e2e.is_absent() => continue,
                None => match table.gaps(at) {
                    Some(gaps) => gaps.is_empty(),
                    None => continue,
                },
            };
            several += 1;
            if once {
                rows.push(at);
            }
        }
        if several == 0 {
            return Err(
                "no request with several tokens has both its first and its last timed".into()
            );
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let touches = [Metric::Tpot, Metric::Itl, Metric::Ttft, Metric::UserSpeed];
        if rows.len() == several {
            let text = "The run was not streamed: TTFT equals E2E on every request with more than one \
                        token, so TTFT and TPOT are not available.";
            return Ok(Some(
                Finding::new(Severity::Warn, text)
                    .rows(rows, several)
                    .touches(&touches)
                    .say("Measure with streaming on."),
            ));
        }
        let text = format!(
            "TTFT equals E2E on {} of {several} requests with more than one token: that says nothing \
             about the time per token, and a TPOT of 0 is no speed.",
            rows.len()
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, several)
                .touches(&touches)
                .advise(Advice::Exclude),
        ))
    }
}
