//! A zero where nothing was measured.

use super::words::{counted, percent};
use super::{About, Advice, Check, Finding, Subject};
use crate::metrics::settings::EmptyOutputs;
use crate::model::{Metric, Outcome};
use crate::notice::Severity;

/// From this share of the finished requests on it blocks: it then moves a mean by as much.
const BLOCKING: f64 = 0.01;

/// Finished requests without a token, which some clients write as TTFT 0 and count as successes.
pub(super) struct MissingAsZero;

impl Check for MissingAsZero {
    fn about(&self) -> About {
        About {
            id: "missing-as-zero",
            name: "Missing written as zero",
            passes: "no zero stands for a missing value",
            rule: "a request finished without an error and without a token; it blocks from 1 % of the \
                   finished requests on",
            source: "vllm-project/vllm PR 5895; vllm-project/vllm-omni issue 6693",
            covers: &["empty-replies", "zero-for-missing", "booked-length"],
            blocks: true,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let requests = subject.requests()?.0;
        let rows: Vec<usize> =
            (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let share = rows.len() as f64 / requests.count(Outcome::Ok).max(1) as f64;
        let severity = if share >= BLOCKING { Severity::Block } else { Severity::Warn };
        let replies = counted(rows.len(), "reply ended", "replies ended");
        let text = match subject.own.empty_outputs {
            EmptyOutputs::AsSuccess => format!(
                "{replies} without an error and without a token ({} of those that finished): the tool \
                 counts a success with zeros for its times.",
                percent(share)
            ),
            EmptyOutputs::CountOnly => format!(
                "{replies} without an error and without a token ({} of those that finished): the tool \
                 counts a success in its request throughput.",
                percent(share)
            ),
            EmptyOutputs::Exclude => format!(
                "{replies} without an error and without a token ({} of those that finished): no \
                 latency holds them, but nothing was served.",
                percent(share)
            ),
        };
        Ok(Some(
            Finding::new(severity, text)
                .rows(rows, requests.len())
                .touches(&[
                    Metric::Ttft,
                    Metric::E2e,
                    Metric::Tpot,
                    Metric::RequestThroughput,
                    Metric::OutputThroughput,
                ])
                .advise(Advice::Exclude),
        ))
    }
}
