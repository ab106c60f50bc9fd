//! Two counts of the same output.

use super::words::{percent, whole};
use super::{About, Advice, Check, Finding, Subject};
use crate::model::{Metric, TokenSource};
use crate::notice::Severity;
use crate::units::Tokens;

/// Counts this far apart differ by more than the tokenizer's rounding at the ends.
const APART: f64 = 0.05;
/// Or by no more than this many tokens.
const TOKENS: f64 = 1.5;
/// From this share of the requests on means move.
const MANY: f64 = 0.05;

/// The server's count against that of the client's tokenizer.
pub(super) struct TokenCountsDiffer;

impl Check for TokenCountsDiffer {
    fn about(&self) -> About {
        About {
            id: "token-counts-differ",
            name: "Two token counts differ",
            passes: "both counts of output tokens agree",
            rule: "the two counts of a request differ by more than 5 % and more than one token; a warning \
                   from 5 % of the requests on",
            source: "CentML/flexible-inference-bench PR 66; vllm-project/vllm PR 12288",
            covers: &["counts-differ"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.retokenized.is_absent() {
            return Err("the file holds one count of output tokens".into());
        }
        let (mut asked, mut rows, mut main, mut other) = (0_usize, Vec::new(), 0.0, 0.0);
        for at in table.finished() {
            let Some((n, second)) =
                table.tokens(at).zip(requests.retokenized.get(at).map(Tokens::count))
            else {
                continue;
            };
            asked += 1;
            let apart = (n - second).abs();
            if apart > TOKENS && apart > APART * n.max(second) {
                rows.push(at);
                main += n;
                other += second;
            }
        }
        if asked == 0 {
            return Err("no request has two counts of output tokens".into());
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let share = rows.len() as f64 / asked as f64;
        let severity = if share >= MANY { Severity::Warn } else { Severity::Note };
        let text = format!(
            "In {} of {asked} requests ({}) the two counts differ by more than 5 %: {} tokens {}, \
             {} by the client’s tokenizer.",
            rows.len(),
            percent(share),
            whole(main),
            requests.token_source.words(),
            whole(other)
        );
        let touches = [Metric::Tpot, Metric::OutputThroughput, Metric::OutputTokens];
        let finding = Finding::new(severity, text).rows(rows, asked).touches(&touches);
        // Text can’t be counted back into tokens, so the server’s count stands where there is one.
        Ok(Some(match requests.token_source {
            TokenSource::Server => finding.advise(Advice::Look),
            _ => finding.set("token-count", "retokenized"),
        }))
    }
}
