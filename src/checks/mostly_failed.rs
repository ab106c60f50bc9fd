//! More requests failed than finished.

use super::words::{percent, whole};
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Outcome, Stat};
use crate::notice::Severity;

/// From this share of the requests on the others are a choice of the server, not a sample.
const MOST: f64 = 0.5;

/// What is left is no measure of the load that was offered.
pub(super) struct MostlyFailed;

impl Check for MostlyFailed {
    fn about(&self) -> About {
        About {
            id: "mostly-failed",
            name: "Most requests failed",
            passes: "more requests finished than failed",
            rule: "at least half of the requests ended with an error",
            source: "kubernetes-sigs/inference-perf: goodput share over successes only; \
                     inference-sim/inference-sim issue 1409",
            covers: &[],
            blocks: true,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let (failed, sent, rows) = if let Ok(table) = subject.requests() {
            let outcomes = table.0.outcome.iter().enumerate();
            let rows: Vec<usize> =
                outcomes.filter(|(_, o)| **o == Outcome::Failed).map(|(at, _)| at).collect();
            (rows.len() as f64, table.0.len() as f64, rows)
        } else {
            let printed = |metric| subject.printed(metric, Stat::Value);
            let failed = printed(Metric::Failed).ok_or("the file does not count failures")?;
            let completed = printed(Metric::Completed);
            let completed = completed.ok_or("the file does not count finished requests")?;
            (failed, failed + completed, Vec::new())
        };
        if failed <= 0.0 || failed < MOST * sent {
            return Ok(None);
        }
        let text = format!(
            "{} of {} requests failed ({}): latencies are those of the few that did not, and \
             the load was not served.",
            whole(failed),
            whole(sent),
            percent(failed / sent)
        );
        Ok(Some(Finding::new(Severity::Block, text).rows(rows, sent as usize).touches(&[
            Metric::RequestThroughput,
            Metric::SloShare,
            Metric::Ttft,
            Metric::E2e,
        ])))
    }
}
