//! Two histograms of one name, seen from two places.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::{Account, ServerHistogram};
use crate::prometheus::names::Measure;
use crate::prometheus::words::time;

/// A router’s or front end’s number beside the engine’s.
pub(super) struct TwoVantages;

impl Trap for TwoVantages {
    fn id(&self) -> &'static str {
        "two-vantages"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let measures = [Measure::Ttft, Measure::Itl, Measure::Tpot, Measure::E2e];
        measures.into_iter().filter_map(|measure| found(account, measure)).collect()
    }
}

fn found(account: &Account, measure: Measure) -> Option<Caution> {
    let all: Vec<&ServerHistogram> = of_measure(account, measure).collect();
    let first = *all.first()?;
    let vantage = |h: &ServerHistogram| h.row.name.map(|name| name.vantage);
    let other = *all.iter().find(|h| vantage(h) != vantage(first))?;
    let mean = |h: &ServerHistogram| h.mean().map_or_else(|| "no mean".to_owned(), time);
    let text = format!(
        "{} is here twice, seen from two places: {} (mean {}) and {} (mean {}). Compare their means; their edges may \
         differ, and then their quantiles can’t be subtracted.",
        measure.label(),
        first.row.key,
        mean(first),
        other.row.key,
        mean(other)
    );
    Some(Caution::new(Severity::Note, text).about(&first.row.key).about(&other.row.key))
}
