//! The first-token clock stopped at an event that only says who speaks.

use super::subject::{mean, median};
use super::words::millis;
use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{FirstTokenRule, GapKind, Metric, Stat};
use crate::notice::Severity;

/// A first gap this many times the median of the others says that the first event came too early.
const EARLY: f64 = 3.0;
/// Streams of fewer gaps say nothing of what a usual gap is.
const FEWEST_GAPS: usize = 4;
/// So many are enough to know it, and keep the question cheap for long streams.
const ENOUGH_GAPS: usize = 64;
/// So many of the streams must look like it.
const MOST: f64 = 0.5;

/// A client that starts from any event: the wait for the first token is then in the first gap.
pub(super) struct FirstEventWithoutText;

impl Check for FirstEventWithoutText {
    fn about(&self) -> About {
        About {
            id: "first-event-without-text",
            name: "First event has no text",
            passes: "the first event is not followed by a gap as long as a wait for the first token",
            rule: "the client counts any event as the first token, and in at least half of the streams \
                   the first gap is more than three times the median of the others; it blocks where \
                   the first gap is also longer than TTFT, and is a note where it is not",
            source: "vllm-project/vllm issue 3759 and PR 3768",
            covers: &["early-first-event"],
            blocks: true,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.first_token_rule != FirstTokenRule::FirstEvent {
            return Ok(None);
        }
        if requests.gaps.is_absent() || requests.gap_kind != GapKind::Event {
            return Err("the file holds no gaps between events".into());
        }
        if requests.ttft.is_absent() {
            return Err(requests.without("the file holds no TTFT of each request"));
        }
        let (mut streams, mut early, mut first, mut usual) =
            (0_usize, Vec::new(), Vec::new(), vec![]);
        for at in table.finished() {
            let Some([one, rest @ ..]) = table.gaps(at).filter(|row| row.len() >= FEWEST_GAPS)
            else {
                continue;
            };
            streams += 1;
            let rest = rest.iter().take(ENOUGH_GAPS).map(|gap| gap.as_secs());
            let middle = median(rest.collect()).unwrap_or_default();
            if one.as_secs() > EARLY * middle {
                early.push(at);
                first.push(one.as_secs());
                usual.push(middle);
            }
        }
        if streams == 0 {
            return Err("no stream is long enough to know a usual gap".into());
        }
        if early.is_empty() || (early.len() as f64) < MOST * streams as f64 {
            return Ok(None);
        }
        let ttfts = || table.finished().filter_map(|at| table.ttft(at));
        let typical = median(ttfts().collect()).unwrap_or_default();
        let wait = median(first).unwrap_or_default();
        let severity = if wait > typical { Severity::Block } else { Severity::Note };
        let text = format!(
            "TTFT may stop at an empty event: the first gap ({} in the middle) is more than three times \
             the others ({}), as if the wait for the first token were in it. TTFT is then too short, and \
             TPOT and ITL too long.",
            millis(wait),
            millis(median(usual).unwrap_or_default())
        );
        let before = mean(ttfts()).unwrap_or_default();
        let first_gap = |at: usize| table.gaps(at)?.first().map(|gap| gap.as_secs());
        let after = mean(
            table.finished().filter_map(|at| Some(table.ttft(at)? + first_gap(at).unwrap_or(0.0))),
        );
        let mut finding = Finding::new(severity, text)
            .rows(early, streams)
            .touches(&[Metric::Ttft, Metric::Tpot, Metric::Itl])
            .set("first-token", "first-text");
        if let Some(after) = after {
            finding = finding.figure(
                Metric::Ttft,
                Stat::Mean,
                Value::Exact(before * 1e3),
                Value::AtMost(after * 1e3),
            );
        }
        Ok(Some(finding))
    }
}
