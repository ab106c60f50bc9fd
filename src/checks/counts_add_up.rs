//! Sent = finished + failed + cut.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Outcome, Stat};
use crate::notice::Severity;

/// Printed counts against the rows, and both against what was asked for.
pub(super) struct CountsAddUp;

impl Check for CountsAddUp {
    fn about(&self) -> About {
        About {
            id: "counts-add-up",
            name: "Counts don’t add up",
            passes: "sent = finished + failed + cut",
            rule: "the printed finished or failed requests are not those of the rows, or fewer requests \
                   are in the file than were asked for",
            source: "vllm-project/guidellm issues 77, 444, 529 and 272",
            covers: &["completed-differs"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let printed = |metric| subject.printed(metric, Stat::Value);
        let (completed, failed) = (printed(Metric::Completed), printed(Metric::Failed));
        let asked = subject.run.load.requests.map(|n| n as f64);
        let touches = [Metric::Completed, Metric::RequestThroughput, Metric::SloShare];
        let same = |a: f64, b: f64| (a - b).abs() < 0.5;
        let Ok(table) = subject.requests() else {
            let (Some(completed), Some(asked)) = (completed, asked) else {
                return Err("the file counts neither the requests nor those asked for".into());
            };
            let sent = completed + failed.unwrap_or_default();
            if sent > asked - 0.5 {
                return Ok(None);
            }
            let text = format!(
                "{} requests were asked for, and {} finished{}: what became of the other \
                 {} is not said.",
                whole(asked),
                whole(completed),
                failed.map_or_else(String::new, |n| format!(" and {} failed", whole(n))),
                whole(asked - sent)
            );
            return Ok(Some(Finding::new(Severity::Warn, text).touches(&touches)));
        };
        let requests = table.0;
        let ok = requests.count(Outcome::Ok);
        let empty = (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).count();
        let lost = requests.count(Outcome::Failed);
        let cut = requests.count(Outcome::Cancelled) + requests.count(Outcome::Unfinished);
        // Tools differ in whether a reply without a token has finished.
        let fits = |n: f64| same(n, ok as f64) || same(n, (ok - empty) as f64);
        if let Some(completed) = completed.filter(|n| !fits(*n)) {
            let text = format!(
                "{} requests are printed as finished; the rows hold {ok} finished, {lost} failed \
                 and {cut} cut off.",
                whole(completed)
            );
            return Ok(Some(Finding::new(Severity::Warn, text).touches(&touches)));
        }
        let failures = |n: f64| {
            [lost, lost + empty, lost + cut, lost + cut + empty]
                .into_iter()
                .any(|m| same(n, m as f64))
        };
        if let Some(failed) = failed.filter(|n| !failures(*n)) {
            let text = format!(
                "{} requests are printed as failed; the rows hold {lost} failed and {cut} cut off.",
                whole(failed)
            );
            return Ok(Some(Finding::new(Severity::Warn, text).touches(&touches)));
        }
        if let Some(asked) = asked.filter(|n| *n > requests.len() as f64 + 0.5) {
            let text = format!(
                "{} requests were asked for, and the file holds {}: the run ended early, or failures \
                 were not recorded.",
                whole(asked),
                requests.len()
            );
            return Ok(Some(Finding::new(Severity::Note, text).touches(&touches)));
        }
        Ok(None)
    }
}
