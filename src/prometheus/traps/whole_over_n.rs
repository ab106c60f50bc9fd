//! Times per token with the first token inside.

use super::{Caution, Trap, of_measure};
use crate::notice::Severity;
use crate::prometheus::account::{Account, ServerHistogram};
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::time;

/// The whole latency over n, where a TPOT is expected.
pub(super) struct WholeOverN;

impl Trap for WholeOverN {
    fn id(&self) -> &'static str {
        "whole-over-n"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = of_measure(account, Measure::WholePerToken).filter_map(|histogram| {
            let mean = histogram.mean()?;
            let key = &histogram.row.key;
            let inner = account.server(Measure::Tpot).and_then(ServerHistogram::mean);
            let beside = inner.map_or(String::new(), |tpot| {
                format!(" The mean TPOT beside it is {}.", time(tpot))
            });
            let text = format!(
                "{key} divides by all tokens and has the time to the first one inside: with a mean of {} it is above \
                 a TPOT.{beside}",
                time(mean)
            );
            let caution = Caution::new(Severity::Note, text).about(key);
            Some(caution.figure("whole_per_token_mean", mean, UnitOf::Seconds))
        });
        found.collect()
    }
}
