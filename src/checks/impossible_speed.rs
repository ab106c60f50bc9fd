//! Tokens that came faster than any server makes them.

use super::{About, Advice, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;
use crate::units::significant;

/// No stream decodes faster, in tokens a second: the fastest public endpoints make a few thousand.
const FASTEST: f64 = 10_000.0;
/// An end this close to the first token is the same reading of the clock, in seconds.
const SAME_READING: f64 = 1e-9;

/// A decode time so short that all tokens were in one read.
pub(super) struct ImpossibleSpeed;

impl Check for ImpossibleSpeed {
    fn about(&self) -> About {
        About {
            id: "impossible-speed",
            name: "Impossible speed",
            passes: "no request decodes faster than 10,000 tok/s",
            rule: "(n − 1) ÷ (E − T) of a request is above 10,000 tok/s",
            source: "sgl-project/genai-bench issue 100",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let (mut asked, mut rows, mut worst) = (0_usize, Vec::new(), 0.0_f64);
        for at in table.finished() {
            let (Some(n), Some(ttft), Some(end)) =
                (table.tokens(at).filter(|n| *n > 1.0), table.ttft(at), table.last_token(at))
            else {
                continue;
            };
            asked += 1;
            let decode = end - ttft;
            if decode > SAME_READING && (n - 1.0) / decode > FASTEST {
                rows.push(at);
                worst = worst.max((n - 1.0) / decode);
            }
        }
        if asked == 0 {
            return Err(
                "no request with several tokens has both its first and its last timed".into()
            );
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let (who, decode, read) = if rows.len() == 1 {
            ("request", "decodes", "its tokens were in one read. It says")
        } else {
            ("requests", "decode", "their tokens were in one read. They say")
        };
        let text = format!(
            "{} {who} of {asked} {decode} at up to {} tok/s, which no server does: {read} nothing about \
             speed.",
            rows.len(),
            significant(worst, 2)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, asked)
                .touches(&[Metric::UserSpeed, Metric::Tpot])
                .advise(Advice::Exclude),
        ))
    }
}
