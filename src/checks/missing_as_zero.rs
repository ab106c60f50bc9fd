//! A zero where nothing was measured.

use super::{About, Advice, Check, Finding, Subject, Verdict};
use crate::model::Metric;
use crate::notice::Severity;

/// Finished requests without a token, which some clients write as TTFT 0 and count as successes.
pub(super) struct MissingAsZero;

impl Check for MissingAsZero {
    fn about(&self) -> About {
        About {
            id: "missing-as-zero",
            name: "Missing written as zero",
            passes: "no zero stands for a missing value",
            source: "vllm-project/vllm PR 5895; vllm-project/vllm-omni issue 6693",
        }
    }

    fn examine(&self, subject: &Subject<'_>) -> Verdict {
        let Some(requests) = &subject.run.requests else {
            return Verdict::CannotTell("the file holds no requests".into());
        };
        let rows: Vec<usize> =
            (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).collect();
        if rows.is_empty() {
            return Verdict::Passed;
        }
        Verdict::Found(Box::new(Finding {
            severity: Severity::Block,
            text: format!("{} replies without a token count as successes.", rows.len()),
            of: requests.len(),
            rows,
            touches: vec![Metric::Ttft, Metric::RequestThroughput],
            advice: Advice::Exclude,
        }))
    }
}
