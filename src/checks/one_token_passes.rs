//! One-token replies meet a limit on TPOT that they have none of.

use super::words::counted;
use super::{About, Check, Finding, Subject};
use crate::metrics::settings::GoodputMissing;
use crate::metrics::{Ask, GoodputResult, Value, evaluate};
use crate::model::{LimitMetric, Metric, Stat};
use crate::notice::Severity;

/// The tool counts a missing TPOT as met, and the run has such replies.
pub(super) struct OneTokenPasses;

impl Check for OneTokenPasses {
    fn about(&self) -> About {
        About {
            id: "one-token-passes",
            name: "One-token replies pass the TPOT limit",
            passes: "no reply meets a limit by lacking the metric",
            rule: "the file has a limit on TPOT, the tool counts a missing TPOT as met, and replies of one \
                   token are there",
            source: "vllm-project/vllm PR 9338; ai-dynamo/aiperf PR 311",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let limits = subject.run.reported.limits.clone();
        let limits = limits.ok_or("the file names no limits of a goodput")?;
        if !limits.iter().any(|limit| limit.metric == LimitMetric::Tpot) {
            return Err("the file names no limit on TPOT".into());
        }
        if subject.own.goodput_missing != GoodputMissing::Passes {
            return Ok(None);
        }
        let single = |at: &usize| table.tokens(*at).is_some_and(|n| n > 0.0 && n < 2.0);
        let rows: Vec<usize> = table.finished().filter(single).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let ask = Ask { limits, ..Ask::default() };
        let mut fails = subject.own;
        fails.goodput_missing = GoodputMissing::Fails;
        let rate = |settings| match evaluate(subject.run, settings, &ask).goodput {
            GoodputResult::Known(goodput) => goodput.per_second.ok()?.exact(),
            _ => None,
        };
        let text = format!(
            "{} no TPOT; the tool counts 0 for it, so that it meets any limit on TPOT.",
            counted(rows.len(), "reply of one token has", "replies of one token have")
        );
        let mut finding = Finding::new(Severity::Warn, text)
            .rows(rows, table.finished_count())
            .touches(&[Metric::Goodput, Metric::SloShare])
            .set("goodput-missing", "fails");
        if let (Some(before), Some(after)) = (rate(&subject.own), rate(&fails)) {
            finding = finding.figure(
                Metric::Goodput,
                Stat::Value,
                Value::Exact(before),
                Value::Exact(after),
            );
        }
        Ok(Some(finding))
    }
}
