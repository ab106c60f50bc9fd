//! Most of the observations in one first bucket.

use super::{Caution, Trap, timed};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::words::{percent, time};

/// So large a share in the first bucket puts the median there.
const MOST: f64 = 0.5;

/// The first bucket is wider than the data.
pub(super) struct FirstBucketWide;

impl Trap for FirstBucketWide {
    fn id(&self) -> &'static str {
        "first-bucket-wide"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = timed(account).filter_map(|(histogram, factor)| {
            let buckets = histogram.histogram()?;
            let share = buckets.share_in_first().filter(|share| *share >= MOST)?;
            let edge = *buckets.edges().first()? * factor;
            let mean = histogram.mean()? * factor;
            if edge <= 0.0 {
                return None;
            }
            let text = format!(
                "The first bucket of {}, up to {}, holds {} of the observations, so the median that \
                 histogram_quantile prints is a share of that edge and says nothing of the data. The mean, Σ ÷ n, \
                 is {}.",
                histogram.row.key, time(edge), percent(share), time(mean)
            );
            Some(Caution::new(Severity::Note, text).about(&histogram.row.key))
        });
        found.collect()
    }
}
