//! Replies too short for a TPOT enter its mean as 0.

use super::words::counted;
use super::{About, Check, Finding, Subject};
use crate::metrics::settings::ShortOutputs;
use crate::model::Metric;
use crate::notice::Severity;

/// The tool writes 0 for a TPOT that there is none of.
pub(super) struct ShortAsZero;

impl Check for ShortAsZero {
    fn about(&self) -> About {
        About {
            id: "short-as-zero",
            name: "Short replies count as TPOT 0",
            passes: "no reply enters TPOT as 0",
            rule: "the tool’s own definition takes replies of fewer than two tokens as a TPOT of 0, and \
                   such replies are there",
            source: "NVIDIA/TensorRT-LLM: trtllm-bench; vllm-project/vllm: the server’s own histogram",
            covers: &["zeros-in-mean"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        if subject.own.short_outputs != ShortOutputs::Zero {
            return Ok(None);
        }
        let short = |at: &usize| table.tokens(*at).is_some_and(|n| n < 2.0);
        let rows: Vec<usize> = table.finished().filter(short).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let text = format!(
            "{} TPOT as 0, though one token has no time per token: the mean is too low.",
            counted(rows.len(), "reply of one token enters", "replies of one token enter")
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, table.finished_count())
                .touches(&[Metric::Tpot, Metric::UserSpeed])
                .set("short-outputs", "exclude"),
        ))
    }
}
