//! llama.cpp writes averages of a lifetime and six digits.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::number;
use crate::units::significant;

/// From here on six digits lose units.
const SIX_DIGITS: f64 = 1e6;

/// Gauges of a lifetime, counters of six digits.
pub(super) struct LifetimeAverages;

impl Trap for LifetimeAverages {
    fn id(&self) -> &'static str {
        "lifetime-averages"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if !account.is("llamacpp") {
            return Vec::new();
        }
        let mut found = Vec::new();
        let rates: Vec<String> = account
            .gauges
            .iter()
            .filter(|g| g.row.name.is_some_and(|n| n.measure == Measure::Throughput))
            .map(|g| g.row.key.clone())
            .collect();
        if !rates.is_empty() {
            let tokens = account.counted(Measure::OutputTokens);
            let secs = account.counter("tokens_predicted_seconds_total").filter(|s| *s > 0.0);
            let right = tokens.zip(secs).map_or(String::new(), |(tokens, secs)| {
                format!(
                    " Over this stretch {} tokens took {} s of generation: {} tok/s.",
                    number(tokens),
                    significant(secs, 4),
                    significant(tokens / secs, 3)
                )
            });
            let text = format!(
                "{} are averages of the server’s lifetime, not of a window.{right}",
                rates.join(" and ")
            );
            found.push(Caution { keys: rates, ..Caution::new(Severity::Warn, text) });
        }
        let large: Vec<String> = account
            .counters
            .iter()
            .filter(|c| c.delta >= SIX_DIGITS)
            .map(|c| c.row.key.clone())
            .collect();
        if !large.is_empty() {
            let text = "Counters above a million are written with six digits: differences come in steps of ten and \
                        more.";
            found.push(Caution { keys: large, ..Caution::new(Severity::Note, text) });
        }
        found
    }
}
