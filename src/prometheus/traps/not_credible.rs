//! A histogram whose numbers can’t be what they say.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::{counted, time};
use crate::units::significant;

/// No first token leaves a server faster than this, in seconds: a tenth of a millisecond.
const LEAST_TTFT: f64 = 1e-4;

/// A broken clock.
pub(super) struct NotCredible;

impl Trap for NotCredible {
    fn id(&self) -> &'static str {
        "not-credible"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let of_ttft = of_measure(account, Measure::Ttft).filter_map(|histogram| {
            let factor = histogram.row.seconds()?;
            let buckets = histogram.histogram()?;
            let because = buckets.credible(LEAST_TTFT / factor).err()?;
            let mean = histogram.mean()? * factor;
            if mean >= LEAST_TTFT {
                // A sum outside of its buckets: the identity of buckets and counts says so.
                return None;
            }
            let finished = account.finished().filter(|n| *n > 0.0);
            let ratio = finished.zip(histogram.count).map_or(String::new(), |(finished, count)| {
                format!(
                    " Against {} that is {} first tokens a finished request.",
                    counted(finished, "finished request", "finished requests"),
                    significant(count / finished, 3)
                )
            });
            let text = format!(
                "TTFT is not credible: a mean of {} over {}. {}: a broken clock (vLLM 0.5.1 put every TTFT into the \
                 first bucket). Keep it out of comparisons.{ratio}",
                time(mean),
                counted(histogram.count?, "first token", "first tokens"),
                capital(&because)
            );
            Some(Caution::new(Severity::Block, text).about(&histogram.row.key))
        });
        of_ttft.collect()
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
