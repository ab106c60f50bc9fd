//! Requests that wait grow over the readings.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::number;

/// So many readings are needed at least: two in each third.
const LEAST: usize = 6;
/// The last third has so many times the waiting requests of the first, and at least so many more.
const TIMES: f64 = 2.0;
const MORE: f64 = 1.0;

/// More arrive than are served.
pub(super) struct QueueDoesNotSettle;

impl Trap for QueueDoesNotSettle {
    fn id(&self) -> &'static str {
        "queue-does-not-settle"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let waiting = account
            .gauges
            .iter()
            .filter(|g| g.row.name.is_some_and(|n| n.measure == Measure::Waiting));
        let found = waiting.filter_map(|gauge| {
            let levels: Vec<f64> = gauge.readings.iter().map(|reading| reading.2).collect();
            if levels.len() < LEAST {
                return None;
            }
            let third = levels.len() / 3;
            let mean = |part: &[f64]| crate::stats::mean(part);
            let first = mean(levels.get(..third)?)?;
            let middle = mean(levels.get(third..levels.len() - third)?)?;
            let last = mean(levels.get(levels.len() - third..)?)?;
            let grows = last > TIMES * first && last > first + MORE && middle >= first && last >= middle;
            grows.then(|| {
                let text = format!(
                    "{} grows: {} in the first third of the readings, {} in the middle, {} in the last. More requests \
                     arrive than are served, so there is no steady state, and queue time and TTFT grow with the \
                     length of the run.",
                    gauge.row.key, number(first), number(middle), number(last)
                );
                Caution::new(Severity::Warn, text).about(&gauge.row.key)
            })
        });
        found.collect()
    }
}
