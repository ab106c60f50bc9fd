//! The same request twice.

use super::words::counted;
use super::{About, Advice, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;
use std::collections::BTreeSet;

/// Rows that agree in every time and count to the last bit.
pub(super) struct DuplicateRows;

impl Check for DuplicateRows {
    fn about(&self) -> About {
        About {
            id: "duplicate-rows",
            name: "Rows are there twice",
            passes: "no row is there twice",
            rule: "two rows agree in send time, TTFT, end and tokens to the last digit; without send times \
                   in every gap too",
            source: "rule of measurement: a file written twice, or appended to",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.start.is_absent() && requests.gaps.is_absent() {
            return Err("it needs send times or gaps to tell one request from another".into());
        }
        let mut seen = BTreeSet::new();
        let mut rows = Vec::new();
        for at in table.finished() {
            let (Some(ttft), Some(end)) = (table.ttft(at), table.end(at)) else { continue };
            let start = table.start(at);
            let gaps = table.gaps(at).unwrap_or(&[]);
            if start.is_none() && gaps.len() < 2 {
                continue;
            }
            let bits = |value: Option<f64>| value.map(f64::to_bits);
            let gaps: Vec<u64> = match start {
                Some(_) => Vec::new(),
                None => gaps.iter().map(|gap| gap.as_secs().to_bits()).collect(),
            };
            let key = (bits(start), ttft.to_bits(), end.to_bits(), bits(table.tokens(at)), gaps);
            if !seen.insert(key) {
                rows.push(at);
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let text = format!(
            "{} there twice or more, equal in every digit: counted once too often.",
            counted(rows.len(), "row is", "rows are")
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, requests.len())
                .touches(&[
                    Metric::RequestThroughput,
                    Metric::OutputThroughput,
                    Metric::Completed,
                    Metric::Ttft,
                ])
                .advise(Advice::Exclude),
        ))
    }
}
