//! A printed duration in which the requests do not fit.

use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::{fixed, significant};

/// Printed durations are rounded, and another clock took them.
const RELATIVE: f64 = 0.01;
/// The same in seconds.
const ABSOLUTE: f64 = 0.05;

/// Duration < last end − first send: every rate is too high.
pub(super) struct DurationTooShort;

impl Check for DurationTooShort {
    fn about(&self) -> About {
        About {
            id: "duration-too-short",
            name: "Duration shorter than its requests",
            passes: "the requests fit into the printed duration",
            rule: "the last end less the first send of finished requests is longer than the printed \
                   duration by more than 1 % and 50 ms",
            source: "ai-dynamo/aiperf PR 240: what a duration is",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let printed = subject.printed(Metric::Duration, Stat::Value).filter(|d| *d > 0.0);
        let printed = printed.ok_or("the file prints no duration")?;
        let starts = table.finished().filter_map(|at| table.start(at));
        let first = starts.reduce(f64::min).ok_or("the file holds no send times")?;
        let end = |at: usize| Some(table.start(at)? + table.last_token(at)?);
        let last = table.finished().filter_map(end).fold(f64::NEG_INFINITY, f64::max);
        if !last.is_finite() {
            return Err("the file holds no ends of requests".into());
        }
        let span = last - first;
        if span <= printed + (RELATIVE * printed).max(ABSOLUTE) {
            return Ok(None);
        }
        let rows: Vec<usize> =
            table.finished().filter(|at| end(*at).is_some_and(|e| e - first > printed)).collect();
        let text = format!(
            "The printed duration is {} s, the requests span {} s: {} ended after it, and every rate is \
             too high by up to {} %.",
            significant(printed, 3),
            significant(span, 3),
            rows.len(),
            fixed((span / printed - 1.0) * 100.0, 0)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, table.finished_count())
                .touches(&[
                    Metric::Duration,
                    Metric::OutputThroughput,
                    Metric::RequestThroughput,
                    Metric::MeanConcurrency,
                ])
                .set("duration", "first-send-to-last-token"),
        ))
    }
}
