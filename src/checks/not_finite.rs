//! Infinity where a number should be.
//!
//! An importer keeps the key of a printed infinity and not its value, and takes an infinite time of a
//! request for a missing one, with a notice of its own.

use super::words::counted;
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// A printed number or the times of a request that are infinite.
pub(super) struct NotFinite;

impl Check for NotFinite {
    fn about(&self) -> About {
        About {
            id: "not-finite",
            name: "Infinite numbers",
            passes: "every number is finite",
            rule: "a printed number is infinite, or a gap of a request is, or its times add up to what no \
                   number holds; an infinite request rate is a load, and no fault",
            source: "Python’s json module writes Infinity and NaN",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let reported = &subject.run.reported;
        let printed: Vec<&str> = reported.infinite.iter().map(String::as_str).collect();
        let table = subject.requests().ok();
        let of = table.map_or(0, |table| table.0.len());
        let rows: Vec<usize> = table.map_or_else(Vec::new, |table| {
            // Columns hold finite numbers only; gaps are kept as the file has them.
            let endless = |time: Option<f64>| time.is_some_and(|time| !(time * 1e3).is_finite());
            (0..of)
                .filter(|at| endless(table.gap_sum(*at)) || endless(table.last_token(*at)))
                .collect()
        });
        if printed.is_empty() && rows.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        match printed.as_slice() {
            [] => {}
            [one] => parts.push(format!("{one} is printed as infinite")),
            [first, ..] => parts.push(format!(
                "{} numbers are printed as infinite, such as {first}",
                printed.len()
            )),
        }
        if !rows.is_empty() {
            parts.push(format!(
                "the times of {} add up to more than a number holds",
                counted(rows.len(), "request", "requests")
            ));
        }
        let text = format!("{}: infinity is no measurement.", parts.join(", and "));
        Ok(Some(
            Finding::new(Severity::Warn, text).rows(rows, of).touches(&[Metric::Ttft, Metric::E2e]),
        ))
    }
}
