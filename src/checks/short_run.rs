//! Too few requests for the concurrency: ramp and drain are most of the run.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// So many requests for each one in flight keep ramp and drain small.
const FOR_EACH: f64 = 5.0;

/// Requests < 5 × concurrency.
pub(super) struct ShortRun;

impl Check for ShortRun {
    fn about(&self) -> About {
        About {
            id: "short-run",
            name: "Run short for its concurrency",
            passes: "there are five requests or more for each one in flight",
            rule: "fewer requests than five times the concurrency that was asked for",
            source: "sgl-project/sglang PR 30918, and its advice of prompts ≥ 5 × concurrency",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let cap = subject.run.load.max_concurrency.ok_or("no number in flight was asked for")?;
        let sent = match subject.requests() {
            Ok(table) => table.0.len() as f64,
            Err(_) => subject
                .printed(Metric::Completed, Stat::Value)
                .or(subject.run.load.requests.map(|n| n as f64))
                .ok_or("the file does not count its requests")?,
        };
        // A cap that was never reached does not shape the run.
        let reached = subject.evaluation().value(Metric::PeakConcurrency, Stat::Value).number();
        let cap = reached.map_or(cap as f64, |peak| peak.min(cap as f64));
        if cap <= 1.0 || sent >= FOR_EACH * cap {
            return Ok(None);
        }
        let text = format!(
            "{} requests with {} in flight: a large part of the run is ramp and drain, and its \
             throughput lies below what the server sustains. {} requests or more would do.",
            whole(sent),
            significant(cap, 3),
            whole(FOR_EACH * cap)
        );
        Ok(Some(
            Finding::new(Severity::Note, text)
                .touches(&[
                    Metric::OutputThroughput,
                    Metric::RequestThroughput,
                    Metric::MeanConcurrency,
                ])
                .say(format!(
                    "Send {} requests or more, or measure a steady window.",
                    whole(FOR_EACH * cap)
                )),
        ))
    }
}
