//! Finished requests without a time.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// From this share on the others may be a choice.
const SOME: f64 = 0.05;

/// A metric of some requests only.
pub(super) struct Unmeasured;

impl Check for Unmeasured {
    fn about(&self) -> About {
        About {
            id: "unmeasured",
            name: "Finished requests without a time",
            passes: "finished requests have their times",
            rule: "at least 5 % of the requests that finished with a token lack the TTFT or latency that \
                   others have",
            source: "vllm-project/vllm-omni issue 6693",
            covers: &["no-time", "unusable-times"],
            blocks: false,
        }
    }

    fn taken_out(&self) -> &'static [&'static str] {
        self.about().covers
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        let timed = (!requests.ttft.is_absent(), !requests.e2e.is_absent());
        if timed == (false, false) {
            return Err("the file holds no times of each request".into());
        }
        let lacks = |at: &usize| {
            timed.0 && table.ttft(*at).is_none() || timed.1 && table.e2e(*at).is_none()
        };
        let all = table.finished_count();
        let rows: Vec<usize> = table.finished().filter(lacks).collect();
        if rows.is_empty() || (rows.len() as f64) < SOME * all as f64 {
            return Ok(None);
        }
        let text = format!(
            "{} of {all} finished requests ({}) {} no TTFT or latency: the statistics are of the others.",
            rows.len(),
            percent(rows.len() as f64 / all as f64),
            if rows.len() == 1 { "has" } else { "have" }
        );
        Ok(Some(Finding::new(Severity::Warn, text).rows(rows, all).touches(&[
            Metric::Ttft,
            Metric::E2e,
            Metric::Tpot,
        ])))
    }
}
