//! A client’s TTFT, the server’s and prefill are three things.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::time;

/// TTFT = queue + prefill + front end, and a client adds the way.
pub(super) struct TtftIsNotPrefill;

impl Trap for TtftIsNotPrefill {
    fn id(&self) -> &'static str {
        "ttft-is-not-prefill"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        found(account).into_iter().collect()
    }
}

fn found(account: &Account) -> Option<Caution> {
    let mean = |measure| {
        let histogram = account.server(measure)?;
        Some(histogram.mean()? * histogram.row.seconds()?)
    };
    let (ttft, prefill) = (mean(Measure::Ttft)?, mean(Measure::Prefill)?);
    let queue = mean(Measure::Queue);
    let key = &account.server(Measure::Ttft)?.row.key;
    let parts = queue.map_or_else(
        || format!("{} of prefill", time(prefill)),
        |queue| format!("{} of waiting and {} of prefill", time(queue), time(prefill)),
    );
    let text = format!(
        "The server’s mean TTFT is {}, of which {parts}. A client adds connection, HTTP and the way back, which the \
         server does not see: client TTFT, server TTFT and prefill are three numbers.",
        time(ttft)
    );
    let rest = ttft - prefill - queue.unwrap_or(0.0);
    Some(Caution::new(Severity::Note, text).about(key).figure(
        "ttft_beside_queue_and_prefill",
        rest,
        UnitOf::Seconds,
    ))
}
