//! The first requests are the slowest: the engine was cold.

use super::{About, Check, Finding, Subject};
use crate::metrics::{Value, cold_start};
use crate::model::{Metric, Stat};
use crate::notice::Severity;

/// A tail that moves by less than this is worth knowing and no more.
const MOVES: f64 = 1.05;

/// A cold first wave makes the tail: found by its own test in the metrics.
pub(super) struct ColdFirstWave;

impl Check for ColdFirstWave {
    fn about(&self) -> About {
        About {
            id: "cold-first-wave",
            name: "Cold first wave",
            passes: "the slowest requests are not the first ones started",
            rule: "the slowest requests by TTFT are the first ones started, and at the median at least \
                   twice as slow as those after them; a note where p90 moves by less than 5 %",
            source: "aws-samples/aws-do-eks PR 88",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        if subject.requests()?.0.ttft.is_absent() {
            return Err(subject.requests()?.0.without("the file holds no TTFT of each request"));
        }
        let Some(cold) = cold_start(subject.run) else { return Ok(None) };
        let of = subject.requests()?.0.len();
        let text = cold.sentence();
        let moves = cold.p90_with.as_secs() > MOVES * cold.p90_without.as_secs();
        let severity = if moves { Severity::Warn } else { Severity::Note };
        let finding = Finding::new(severity, text)
            .touches(&[Metric::Ttft, Metric::E2e])
            .figure(
                Metric::Ttft,
                Stat::Percentile(90.0),
                Value::Exact(cold.p90_with.as_millis()),
                Value::Exact(cold.p90_without.as_millis()),
            )
            .set("window", &format!("skip-first:{}", cold.skip));
        Ok(Some(finding.rows(cold.rows, of)))
    }
}
