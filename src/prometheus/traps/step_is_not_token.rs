//! vLLM’s inter-token latency is a time between engine steps.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{counted, time};
use crate::units::significant;
use std::fmt::Write as _;

/// More tokens a step than this are told.
const ONE: f64 = 1.001;

/// A step with several tokens is one sample, undivided.
pub(super) struct StepIsNotToken;

impl Trap for StepIsNotToken {
    fn id(&self) -> &'static str {
        "step-is-not-token"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        found(account).into_iter().collect()
    }
}

fn found(account: &Account) -> Option<Caution> {
    if !account.is("vllm") {
        return None;
    }
    let gaps = account.server(Measure::Itl)?;
    let (steps, sum) = (gaps.count.filter(|n| *n > 0.0)?, gaps.sum?);
    let old = gaps.row.name.is_some_and(|name| name.name == "time_per_output_token_seconds");
    let named = if old { ", and was never a TPOT per request in spite of its name" } else { "" };
    let key = &gaps.row.key;
    // A request’s first token comes of its prefill and is no step of this histogram.
    let (first, assumed) = match account.server(Measure::Ttft).and_then(|h| h.count) {
        Some(first) => (first, None),
        None => match account.finished() {
            Some(finished) => (
                finished,
                Some(format!(
                    "there is no TTFT histogram to count first tokens, so one is taken off for each of {}",
                    counted(finished, "finished request", "finished requests")
                )),
            ),
            None => (
                0.0,
                Some(
                    "nothing here counts first tokens, which come before the first step, so all tokens are taken \
                     for those of steps: at most that many a step"
                        .to_owned(),
                ),
            ),
        },
    };
    let after_first = account.counted(Measure::OutputTokens).map(|tokens| tokens - first);
    let Some(tokens) = after_first.filter(|tokens| *tokens > 0.0) else {
        let text = format!(
            "{key} is a time between engine steps{named}; nothing here tells how many tokens a step gave."
        );
        return Some(Caution::new(Severity::Note, text).about(key));
    };
    let a_step = tokens / steps;
    if a_step <= ONE {
        return old.then(|| {
            let text = format!(
                "{key} is a time between engine steps{named}. Here every step gave one token."
            );
            Caution::new(Severity::Note, text).about(key)
        });
    }
    let mut text = format!(
        "{key} is a time between engine steps{named}: {} tokens a step, so its mean of {} a step is {} a token. Step \
         time is not TPOT.",
        significant(a_step, 3),
        time(sum / steps),
        time(sum / tokens)
    );
    if let Some(assumed) = assumed {
        let _ = write!(text, " Assumed: {assumed}.");
    }
    if let Some((drafts, accepted)) = account
        .counter("spec_decode_num_drafts_total")
        .filter(|n| *n > 0.0)
        .zip(account.counter("spec_decode_num_accepted_tokens_total"))
    {
        let _ = write!(
            text,
            " Speculation: {}, {} accepted tokens a draft.",
            counted(drafts, "draft", "drafts"),
            significant(accepted / drafts, 3)
        );
    }
    let caution = Caution::new(Severity::Warn, text).about(key);
    Some(caution.figure("tokens_per_step", a_step, UnitOf::Bare).figure(
        "time_per_token",
        sum / tokens,
        UnitOf::Seconds,
    ))
}
