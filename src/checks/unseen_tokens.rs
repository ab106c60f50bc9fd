//! A time per token below the shortest gap between events.

use super::hidden::Hidden;
use super::subject::median;
use super::words::{millis, whole};
use super::{About, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// So many streams must look like it.
const SOME: f64 = 0.1;

/// TPOT counts tokens that no event showed arriving.
pub(super) struct UnseenTokens;

impl Check for UnseenTokens {
    fn about(&self) -> About {
        About {
            id: "unseen-tokens",
            name: "TPOT below the shortest gap",
            passes: "no TPOT is below the shortest gap of its stream",
            rule: "in at least 10 % of the streams TPOT is below the shortest gap and there are more \
                   tokens than events, unless the tokens of each event are recorded, or TTFT shows over \
                   ten streams or more that the tokens came with the events",
            source: "PaddlePaddle/FastDeploy PR 8113",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        table.counted()?;
        let hidden = Hidden::of(table)?;
        if !table.0.event_tokens.is_absent() || hidden.came_with_events() || hidden.came_first() {
            return Ok(None);
        }
        let (mut rows, mut shortest, mut tpots) = (Vec::new(), Vec::new(), Vec::new());
        let (mut tokens, mut events) = (0.0, 0_usize);
        for at in &hidden.streams {
            let (Some(row), Some(n)) = (table.gaps(*at), table.tokens(*at)) else { continue };
            let decode: f64 = row.iter().map(|gap| gap.as_secs()).sum();
            let least = row.iter().map(|gap| gap.as_secs()).fold(f64::INFINITY, f64::min);
            let tpot = decode / (n - 1.0);
            if n > row.len() as f64 + 1.5 && tpot < least {
                rows.push(*at);
                shortest.push(least);
                tpots.push(tpot);
                tokens += n;
                events += row.len() + 1;
            }
        }
        let of = hidden.streams.len();
        if rows.is_empty() || (rows.len() as f64) < SOME * of as f64 {
            return Ok(None);
        }
        let text = format!(
            "TPOT {} is below the shortest gap {}, and {} tokens against {events} visible events: \
             {} tokens were not seen arriving, or came several to an event. The gaps alone give the \
             time between events.",
            millis(median(tpots).unwrap_or_default()),
            millis(median(shortest).unwrap_or_default()),
            whole(tokens),
            whole(tokens - events as f64)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, of)
                .touches(&[Metric::Tpot, Metric::UserSpeed, Metric::Ttft])
                .set("tpot", "visible-gaps"),
        ))
    }
}
