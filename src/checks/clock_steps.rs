//! A clock that was set, or a client that stood still.

use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;
use crate::units::significant;

/// A hole shorter than this is a pause between requests, in seconds.
const HOLE: f64 = 60.0;
/// And it must be this share of the run.
const SHARE: f64 = 0.25;

/// A stretch without any request in flight, in the middle of a run.
pub(super) struct ClockSteps;

impl Check for ClockSteps {
    fn about(&self) -> About {
        About {
            id: "clock-steps",
            name: "Hole in the clock",
            passes: "no stretch of the run is without a request in flight",
            rule: "no request was in flight for at least 60 s and a quarter of the run",
            source: "rule of measurement: rates are divided by that time too",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let all = 0..table.0.len();
        let mut spans: Vec<(f64, f64)> = all
            .filter_map(|at| {
                let start = table.start(at)?;
                Some((start, start + table.end(at).unwrap_or_default().max(0.0)))
            })
            .collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(first), Some(span)) = (spans.first(), table.span()) else {
            return Err("the file holds no send times".into());
        };
        let (mut busy_until, mut hole) = (first.1, (0.0_f64, 0.0_f64));
        for (start, end) in &spans {
            if start - busy_until > hole.1 {
                hole = (busy_until - first.0, start - busy_until);
            }
            busy_until = busy_until.max(*end);
        }
        let length = span.1 - span.0;
        if hole.1 < HOLE || hole.1 < SHARE * length {
            return Ok(None);
        }
        let text = format!(
            "From {} s on, no request was in flight for {} s of {} s: the clock was set, the client stood \
             still, or these are two runs. Rates are divided by that time too.",
            significant(hole.0, 3),
            significant(hole.1, 3),
            significant(length, 3)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .touches(&[
                    Metric::RequestThroughput,
                    Metric::OutputThroughput,
                    Metric::MeanConcurrency,
                    Metric::Duration,
                ])
                .say("Choose a window before or after it."),
        ))
    }
}
