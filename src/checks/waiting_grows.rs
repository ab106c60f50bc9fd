//! Arrivals outrun completions: no steady state at this load.

use super::{About, Check, Finding, Subject};
use crate::metrics::{Steadiness, steady};
use crate::model::Metric;
use crate::notice::Severity;

/// In fewer requests than this more than 7 % of steady runs look like it: a note, not a warning.
const ENOUGH: usize = 100;

/// The number in flight grows while requests are sent: found by its own test in the metrics.
pub(super) struct WaitingGrows;

impl Check for WaitingGrows {
    fn about(&self) -> About {
        About {
            id: "waiting-grows",
            name: "No steady state",
            passes: "the number in flight does not grow while requests are sent",
            rule: "at the lower end of its 95 % interval the number in flight grows by half of its mean \
                   while requests are sent at a rate; a note of fewer than 100 requests, which chance can do",
            source: "definitions: arrivals against completions",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let sent = subject.requests()?.0.len();
        let severity = if sent >= ENOUGH { Severity::Warn } else { Severity::Note };
        let answer = steady(subject.run, &[]);
        match answer.verdict {
            Steadiness::Steady => Ok(None),
            Steadiness::CannotTell | Steadiness::Closed => Err(answer.because),
            Steadiness::Growing => Ok(Some(
                Finding::new(
                    severity,
                    format!(
                        "{} Latencies grow with the length of the run and are no property of the server.",
                        answer.sentence()
                    ),
                )
                .touches(&[Metric::Ttft, Metric::E2e, Metric::RequestThroughput])
                .say("Compare at a lower rate; of this run only the throughput it reached."),
            )),
        }
    }
}
