//! Failures that lie close together in time.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Outcome};
use crate::notice::Severity;
use crate::units::significant;

/// Fewer failures lie together by chance.
const FEWEST: usize = 5;
/// Five failures fall into such a share of the run by chance in 2 % of all runs (5 × 0.25⁴).
const STRETCH: f64 = 0.25;

/// All failures were sent within a short stretch of the run: an incident, not a rate of errors.
pub(super) struct ErrorsClustered;

impl Check for ErrorsClustered {
    fn about(&self) -> About {
        About {
            id: "errors-clustered",
            name: "Errors lie together in time",
            passes: "failures are not all in one stretch of the run",
            rule: "five failures or more, all sent within a quarter of the time over which requests were \
                   sent, while at least half of the requests did not fail",
            source: "rule of measurement: such a run is two runs",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.start.is_absent() {
            return Err("the file holds no send times".into());
        }
        let failed = |at: &usize| requests.outcome.get(*at) == Some(&Outcome::Failed);
        let rows: Vec<usize> = (0..requests.len()).filter(failed).collect();
        if rows.len() < FEWEST || rows.len() * 2 > requests.len() {
            return Ok(None);
        }
        let ends = |rows: &mut dyn Iterator<Item = usize>| {
            let (from, to) = rows
                .filter_map(|at| table.start(at))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
            to - from
        };
        let all = ends(&mut (0..requests.len()));
        let stretch = ends(&mut rows.iter().copied());
        if !all.is_finite() || !stretch.is_finite() || all <= 0.0 || stretch > STRETCH * all {
            return Ok(None);
        }
        let text = format!(
            "All {} failures were sent within {} s, {} of the run: something happened then. Measure the \
             rest as a run of its own.",
            rows.len(),
            significant(stretch, 2),
            percent(stretch / all)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, requests.len())
                .touches(&[Metric::RequestThroughput, Metric::SloShare])
                .say("Choose a window without that stretch."),
        ))
    }
}
