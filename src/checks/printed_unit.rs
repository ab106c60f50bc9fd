//! A printed number in another unit than its name says.

use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::metrics::Verdict;
use crate::notice::Severity;
use crate::units::significant;

/// The factors between the units of time.
const FACTORS: [f64; 4] = [1e3, 1e-3, 1e6, 1e-6];
/// How near such a factor, relative.
const NEAR: f64 = 0.01;

/// Mean of the array × 1000 ≠ printed mean.
pub(super) struct PrintedUnit;

impl Check for PrintedUnit {
    fn about(&self) -> About {
        About {
            id: "printed-unit",
            name: "Printed in another unit",
            passes: "printed numbers have the unit of their name",
            rule: "a printed number is a thousand or a million times what the rows give, or the other way \
                   round, within 1 %",
            source: "AI-Hypercomputer/inference-benchmark PR 27",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        subject.requests()?;
        let compared = subject.agreements().iter().filter(|a| a.recomputed.is_some());
        let compared: Vec<_> = compared.collect();
        if compared.is_empty() {
            return Err("no printed number can be recomputed from the rows".into());
        }
        let wrong: Vec<_> = compared
            .into_iter()
            .filter(|a| a.verdict == Verdict::Differs)
            .filter_map(|a| {
                let rows = a.recomputed.filter(|v| v.abs() > 0.0)?;
                let ratio = a.reported / rows;
                let factor = FACTORS.into_iter().find(|f| (ratio / f - 1.0).abs() < NEAR)?;
                Some((a, rows, factor))
            })
            .collect();
        let Some((first, rows, factor)) = wrong.first().copied() else { return Ok(None) };
        let text = format!(
            "{} is printed as {}, {} times what the rows give ({}): its unit is another than its name says{}.",
            first.field,
            significant(first.reported, 4),
            significant(factor, 1),
            significant(rows, 4),
            match wrong.len() {
                1 => String::new(),
                n => format!("; so are {} more", n - 1),
            }
        );
        Ok(Some(Finding::new(Severity::Warn, text).touches(&[first.metric]).figure(
            first.metric,
            first.stat,
            Value::Reported(first.reported),
            Value::Exact(rows),
        )))
    }
}
