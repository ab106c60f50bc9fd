//! Percentiles that stand on one sample.

use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;

/// Fewer requests leave no sample beyond the 99th percentile.
const FOR_P99: f64 = 100.0;
/// So many leave ten beyond it.
const FOR_TEN: f64 = 1000.0;

/// A p99 of fewer than 100 requests is the largest sample.
pub(super) struct PercentileSupport;

impl Check for PercentileSupport {
    fn about(&self) -> About {
        About {
            id: "percentile-support",
            name: "p99 is the largest sample",
            passes: "at least one sample lies beyond p99",
            rule: "fewer than 100 requests finished",
            source: "vllm-project/guidellm issue 243 and PR 1163",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let n = match subject.requests() {
            Ok(table) => table.finished_count() as f64,
            Err(_) => subject
                .printed(Metric::Completed, Stat::Value)
                .ok_or("the file does not count its requests")?,
        };
        if !(1.0..FOR_P99).contains(&n) {
            return Ok(None);
        }
        let text = format!(
            "n = {n:.0}: p99 is one request, the slowest. It ranks nothing; {FOR_P99:.0} requests give one \
             sample beyond it, {FOR_TEN:.0} ten."
        );
        Ok(Some(
            Finding::new(Severity::Note, text)
                .touches(&[Metric::Ttft, Metric::Tpot, Metric::E2e])
                .say("Send 1000 requests or more to read a p99."),
        ))
    }
}
