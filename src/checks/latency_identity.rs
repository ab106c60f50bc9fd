//! Latency less TTFT is the sum of the gaps, where both stop at the last token.

use super::subject::median;
use super::words::{millis, percent};
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// Excess that two readings of a clock can make, in seconds.
const ABSOLUTE: f64 = 1e-3;
/// Excess relative to the decode time.
const RELATIVE: f64 = 0.01;
/// A single late end is no rule of the client: so many requests must have one.
const SOME: f64 = 0.1;

/// The end of a request lies after its last token, such as at a trailing usage chunk.
pub(super) struct LatencyIdentity;

impl Check for LatencyIdentity {
    fn about(&self) -> About {
        About {
            id: "latency-identity",
            name: "End is not the last token",
            passes: "latency − TTFT = sum of gaps",
            rule: "latency − TTFT differs from the sum of the gaps by more than 1 ms and 1 % in at least \
                   10 % of the requests",
            source: "vllm-project/vllm PR 55508",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.e2e.is_absent() || requests.ttft.is_absent() || requests.gaps.is_absent() {
            return Err("it needs a latency, a TTFT and the gaps of each request".into());
        }
        let (mut asked, mut rows, mut excess, mut short) =
            (0_usize, Vec::new(), Vec::new(), 0_usize);
        for at in table.finished() {
            let (Some(e2e), Some(ttft), Some(gaps)) =
                (table.e2e(at), table.ttft(at), table.gap_sum(at))
            else {
                continue;
            };
            asked += 1;
            let over = e2e - ttft - gaps;
            if over.abs() > ABSOLUTE.max(RELATIVE * gaps) {
                rows.push(at);
                excess.push(over);
                short += usize::from(over < 0.0);
            }
        }
        if asked == 0 {
            return Err("no request has a latency, a TTFT and gaps".into());
        }
        if rows.is_empty() || (rows.len() as f64) < SOME * asked as f64 {
            return Ok(None);
        }
        let middle = median(excess).unwrap_or_default();
        let share = percent(rows.len() as f64 / asked as f64);
        if short * 2 > rows.len() {
            let text = format!(
                "In {share} of the requests the latency less TTFT is shorter than the sum of the gaps, by \
                 {} in the middle: the times can’t all be right.",
                millis(middle.abs())
            );
            return Ok(Some(
                Finding::new(Severity::Warn, text)
                    .rows(rows, asked)
                    .touches(&[Metric::E2e, Metric::Tpot])
                    .set("end", "last-token"),
            ));
        }
        let text = format!(
            "In {share} of the requests the latency goes on after the last token, by {} in the middle: \
             such as to a trailing usage chunk or the end of the stream. TPOT over that latency is too long.",
            millis(middle)
        );
        Ok(Some(
            Finding::new(Severity::Note, text)
                .rows(rows, asked)
                .touches(&[Metric::Tpot, Metric::E2e, Metric::UserSpeed])
                .set("end", "last-token"),
        ))
    }
}
