//! Percentiles of phases don’t add up; means do.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::time;

/// p99 of queue, prefill and decode against p99 of E2E.
pub(super) struct PhasesDoNotAdd;

impl Trap for PhasesDoNotAdd {
    fn id(&self) -> &'static str {
        "phases-do-not-add"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        found(account).into_iter().collect()
    }
}

fn found(account: &Account) -> Option<Caution> {
    let of = |measure| {
        let histogram = account.server(measure)?;
        let factor = histogram.row.seconds()?;
        let p99 = histogram.histogram()?.promql(0.99)? * factor;
        Some((p99, histogram.mean()? * factor))
    };
    let phases = [Measure::Queue, Measure::Prefill, Measure::Decode];
    let phases: Vec<(f64, f64)> = phases.into_iter().map(of).collect::<Option<_>>()?;
    let (whole_p99, whole_mean) = of(Measure::E2e)?;
    let (p99s, means) = phases.iter().fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    let text = format!(
        "The p99s of queue, prefill and decode add up to {}, and the p99 of E2E is {}: percentiles of phases are of \
         different requests and don’t add. Their means do: {} of {} in all.",
        time(p99s),
        time(whole_p99),
        time(means),
        time(whole_mean)
    );
    Some(Caution::new(Severity::Note, text))
}
