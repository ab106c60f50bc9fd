//! Output tokens are claimed, and nothing came.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{Metric, Outcome, Stat};
use crate::notice::Severity;
use crate::units::Tokens;

/// Every finished request brought nothing, yet the run counts output tokens.
pub(super) struct NothingGenerated;

impl Check for NothingGenerated {
    fn about(&self) -> About {
        About {
            id: "nothing-generated",
            name: "Nothing was generated",
            passes: "tokens were seen arriving",
            rule: "output tokens are counted, and the client’s tokenizer found none in the text of any \
                   request, or no request had a first token",
            source: "sgl-project/sglang issues 9585 and 12389",
            covers: &["nothing-generated", "booked-length", "empty-replies"],
            blocks: true,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        let ok: Vec<usize> = (0..requests.len())
            .filter(|at| requests.outcome.get(*at) == Some(&Outcome::Ok))
            .collect();
        if ok.is_empty() {
            return Err("no request finished".into());
        }
        let booked: f64 = ok.iter().filter_map(|at| table.tokens(*at)).sum();
        let printed = subject.printed(Metric::TotalOutputTokens, Stat::Value);
        let claimed = printed.unwrap_or(booked).max(booked);
        let seen: Vec<f64> =
            ok.iter().filter_map(|at| requests.retokenized.get(*at)).map(Tokens::count).collect();
        let no_text = seen.len() == ok.len() && seen.iter().all(|n| *n <= 0.0);
        let no_token = ok.iter().all(|at| requests.is_empty_reply(*at));
        if claimed <= 0.0 || !(no_text || no_token) {
            return Ok(None);
        }
        let mut facts = Vec::new();
        if ok.iter().all(|at| table.ttft(*at).is_none_or(|ttft| ttft <= 0.0)) {
            facts.push("no first token was timed");
        }
        if ok.iter().all(|at| table.gaps(*at).is_none_or(<[_]>::is_empty)) {
            facts.push("there is no gap between tokens");
        }
        if no_text {
            facts.push("the client’s tokenizer counts 0 tokens in the text");
        }
        let text = format!(
            "{} output tokens are claimed by {} requests, but none was seen arriving: {}.",
            whole(claimed),
            ok.len(),
            facts.join(", ")
        );
        let before = subject.number(Metric::OutputThroughput, Stat::Value);
        let mut finding = Finding::new(Severity::Block, text)
            .rows(ok, requests.len())
            .touches(&[Metric::OutputThroughput, Metric::TotalOutputTokens])
            .say("Measure again: the server answered without generating.");
        if let Some(before) = before.filter(|rate| *rate > 0.0) {
            finding = finding.figure(
                Metric::OutputThroughput,
                Stat::Value,
                Value::Exact(before),
                Value::Exact(0.0),
            );
        }
        Ok(Some(finding))
    }
}
