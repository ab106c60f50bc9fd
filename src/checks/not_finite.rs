//! Infinity where a number should be.

use super::words::counted;
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;
use crate::units::{Seconds, Tokens};

/// A time, count or printed number that is infinite or not a number.
pub(super) struct NotFinite;

impl Check for NotFinite {
    fn about(&self) -> About {
        About {
            id: "not-finite",
            name: "Infinite numbers",
            passes: "every number is finite",
            rule: "a time or count of a request or a printed number is infinite or not a number; an infinite \
                   request rate is a load, and no fault",
            source: "Python’s json module writes Infinity and NaN",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let printed: Vec<&str> = subject
            .run
            .reported
            .values
            .iter()
            .filter(|v| !v.value.is_finite())
            .map(|v| v.field.as_str())
            .collect();
        let mut rows = Vec::new();
        let mut of = 0;
        if let Some(requests) = &subject.run.requests {
            of = requests.len();
            let wrong = |value: Option<f64>| value.is_some_and(|v| !v.is_finite());
            rows = (0..of)
                .filter(|at| {
                    [&requests.ttft, &requests.e2e, &requests.start, &requests.queue_wait]
                        .into_iter()
                        .any(|column| wrong(column.get(*at).map(Seconds::as_secs)))
                        || wrong(requests.output_tokens.get(*at).map(Tokens::count))
                        || requests
                            .gaps
                            .row(*at)
                            .is_some_and(|row| row.iter().any(|gap| !gap.as_secs().is_finite()))
                })
                .collect();
        }
        if printed.is_empty() && rows.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        if let Some(first) = printed.first() {
            parts.push(format!(
                "{}, such as {first}",
                counted(printed.len(), "printed number", "printed numbers")
            ));
        }
        if !rows.is_empty() {
            parts.push(counted(rows.len(), "request", "requests"));
        }
        let text = format!("{} hold no finite number.", parts.join(" and "));
        Ok(Some(
            Finding::new(Severity::Warn, text).rows(rows, of).touches(&[Metric::Ttft, Metric::E2e]),
        ))
    }
}
