//! Engines or replicas that carry unequal loads.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::{number, percent};

/// A share that differs from an equal one by more than this is told.
const UNEVEN: f64 = 0.05;

/// Shares of the generated tokens by engine.
pub(super) struct UnevenEngines;

impl Trap for UnevenEngines {
    fn id(&self) -> &'static str {
        "uneven-engines"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let of = |c: &&super::super::account::ServerCounter| {
            c.row.name.is_some_and(|n| n.measure == Measure::OutputTokens)
        };
        let found = account.counters.iter().filter(of).filter_map(|counter| {
            let total: f64 = counter.parts.iter().map(|part| part.1).sum();
            let equal = 1.0 / counter.parts.len() as f64;
            let uneven = |part: &&(String, f64)| (part.1 / total - equal).abs() > UNEVEN;
            if total <= 0.0 || counter.parts.iter().find(uneven).is_none() {
                return None;
            }
            let shares: Vec<String> = counter
                .parts
                .iter()
                .map(|(which, tokens)| format!("{which} {}", percent(tokens / total)))
                .collect();
            let text = format!(
                "{} is {} over {} series that carry unequal loads: {}.",
                counter.row.key,
                number(total),
                counter.parts.len(),
                shares.join(", ")
            );
            Some(Caution::new(Severity::Note, text).about(&counter.row.key))
        });
        found.collect()
    }
}
