//! Every histogram’s buckets, count and sum say the same.

use super::{About, Identity, Outcome, Weighed, same};
use crate::prometheus::account::{Account, ServerHistogram};
use crate::prometheus::names::UnitOf;
use crate::prometheus::words::counted;

/// The bucket up to +Inf = `_count`, and the sum lies inside of what the buckets allow.
pub(super) struct BucketsAndCount;

impl Identity for BucketsAndCount {
    fn about(&self) -> About {
        About {
            id: "buckets-and-count",
            formula: "bucket up to +Inf = count, and Σ within what the buckets allow",
            broken: "the scrape caught a histogram half written, or its parts are not of the same series",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let all: Vec<&ServerHistogram> =
            account.histograms.iter().filter(|h| h.counted_twice.is_some()).collect();
        let (left, right) = all
            .iter()
            .filter_map(|h| h.counted_twice)
            .fold((0.0, 0.0), |sums, both| (sums.0 + both.0, sums.1 + both.1));
        if all.is_empty() {
            return Err("no histogram has both a bucket up to +Inf and a count".into());
        }
        let wrong = |h: &&&ServerHistogram| {
            let counts = h.counted_twice.is_some_and(|(a, b)| !same(a, b));
            counts || h.histogram().is_some_and(|buckets| buckets.credible(0.0).is_err())
        };
        let broken: Vec<&str> = all.iter().filter(wrong).map(|h| h.row.key.as_str()).collect();
        let (outcome, text) = if broken.is_empty() {
            let all = counted(all.len() as f64, "histogram agrees", "histograms agree");
            (Outcome::Holds, format!("{all} with their counts, and each sum with its buckets."))
        } else {
            let text = format!(
                "Buckets, count and sum contradict each other in {}: {}.",
                counted(broken.len() as f64, "histogram", "histograms"),
                broken.join(", ")
            );
            (Outcome::Broken, text)
        };
        Ok(Weighed { left, right, unit: UnitOf::Bare, outcome, text })
    }
}
