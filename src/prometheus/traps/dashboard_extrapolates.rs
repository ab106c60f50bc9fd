//! `rate()` extrapolates each bucket by itself, so a dashboard’s quantile is not that of the raw counters.

use super::{Caution, QUANTILES, Trap, percentile, timed};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::words::time;
use crate::stats::histogram_quantile;
use crate::units::significant;

/// A difference of less than this share of the quantile is not told.
const CLOSE: f64 = 0.01;

/// Buckets of one histogram that get different factors.
pub(super) struct DashboardExtrapolates;

impl Trap for DashboardExtrapolates {
    fn id(&self) -> &'static str {
        "dashboard-extrapolates"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = timed(account).filter_map(|(histogram, factor)| {
            let (rated, raw) = (histogram.rated.as_ref()?, histogram.histogram()?);
            let (q, shown, own) = QUANTILES.iter().find_map(|q| {
                let (shown, own) = (histogram_quantile(*q, &rated.buckets).value, raw.promql(*q)?);
                let apart = (shown - own).abs() > CLOSE * own;
                apart.then_some((*q, shown * factor, own * factor))
            })?;
            let text = format!(
                "rate() multiplies the buckets of {} by {} to {} to reach the ends of its window, each by a factor of \
                 its own since none may go below zero: a dashboard shows {} for {} where the raw counters give {}.",
                histogram.row.key,
                significant(rated.factors.0, 3),
                significant(rated.factors.1, 3),
                time(shown),
                percentile(q),
                time(own)
            );
            Some(Caution::new(Severity::Note, text).about(&histogram.row.key))
        });
        found.collect()
    }
}
