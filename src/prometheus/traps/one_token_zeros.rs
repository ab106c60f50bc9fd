//! vLLM’s TPOT holds zeros of one-token replies.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{counted, number, time};

/// Requests of at most one token enter the TPOT as 0.
pub(super) struct OneTokenZeros;

impl Trap for OneTokenZeros {
    fn id(&self) -> &'static str {
        "one-token-zeros"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        found(account).into_iter().collect()
    }
}

fn found(account: &Account) -> Option<Caution> {
    if !account.is("vllm") {
        return None;
    }
    let tpot = account.server(Measure::Tpot)?;
    let (count, sum) = (tpot.count.filter(|n| *n > 0.0)?, tpot.sum?);
    let lengths = account.server(Measure::OutputTokens);
    let Some((all, buckets)) = lengths.and_then(|h| Some((h.count?, h.histogram()?))) else {
        let text = "The TPOT holds a 0 for each request of at most one token, and nothing here counts them: its \
                    mean and its quantiles may be too low.";
        return Some(Caution::new(Severity::Note, text).about(&tpot.row.key));
    };
    let short = buckets.buckets().iter().find(|(edge, _)| (edge - 1.0).abs() < 1e-9).map(|b| b.1);
    let Some(short) = short else {
        let text = "The TPOT holds a 0 for each request of at most one token, and the edges of \
                    request_generation_tokens don’t count them: its mean and its quantiles may be too low.";
        return Some(Caution::new(Severity::Note, text).about(&tpot.row.key));
    };
    // A program that writes under vLLM’s names may leave them out: then the TPOT has fewer observations.
    let zeros = (count - (all - short)).clamp(0.0, short);
    if zeros <= 0.0 || zeros >= count {
        return None;
    }
    let (with, without) = (sum / count, sum / (count - zeros));
    let text = format!(
        "{} of {} had at most one token and entered the TPOT as 0. Its mean, {}, is {} without them, and its \
         quantiles are those of a distribution with that many zeros.",
        number(zeros),
        counted(count, "request", "requests"),
        time(with),
        time(without)
    );
    let caution = Caution::new(Severity::Warn, text).about(&tpot.row.key);
    Some(caution.figure("one_token_requests", zeros, UnitOf::Requests).figure(
        "tpot_mean_without_zeros",
        without,
        UnitOf::Seconds,
    ))
}
