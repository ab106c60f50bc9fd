//! Printed numbers that the rows do not give.

use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::notice::Severity;
use crate::units::significant;

/// Printed ≠ recomputed under the tool’s own ruler, and no definition explains it.
pub(super) struct PrintedDiffers;

impl Check for PrintedDiffers {
    fn about(&self) -> About {
        About {
            id: "printed-differs",
            name: "Printed numbers are not those of the rows",
            passes: "printed numbers are those of the rows",
            rule: "a printed number differs from its recomputation under the tool’s own definitions by \
                   more than 1 %, without a known reason",
            source: "definitions of each tool, read in its source: docs/metrics.md",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        subject.requests()?;
        let compared = subject.agreements().iter().filter(|a| a.recomputed.is_some());
        let all = compared.clone().count();
        if all == 0 {
            return Err("no printed number can be recomputed from the rows".into());
        }
        let wrong: Vec<_> = compared.filter(|a| a.unexplained).collect();
        let Some(first) = wrong.first() else { return Ok(None) };
        let rows = first.recomputed.unwrap_or_default();
        let text = format!(
            "{} of {all} printed numbers differ from what the rows give, such as {}: printed {}, \
             recomputed {}.",
            wrong.len(),
            first.field,
            significant(first.reported, 4),
            significant(rows, 4)
        );
        Ok(Some(Finding::new(Severity::Warn, text).touches(&[first.metric]).figure(
            first.metric,
            first.stat,
            Value::Reported(first.reported),
            Value::Exact(rows),
        )))
    }
}
