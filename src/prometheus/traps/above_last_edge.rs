//! Above the last finite edge a dashboard shows that edge.

use super::{Caution, QUANTILES, Trap, percentile, timed};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::words::{counted, number, time};

/// “60 s” that means “more than 60 s”.
pub(super) struct AboveLastEdge;

impl Trap for AboveLastEdge {
    fn id(&self) -> &'static str {
        "above-last-edge"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let found = timed(account).filter_map(|(histogram, factor)| {
            let buckets = histogram.histogram()?;
            let edge = *buckets.edges().last()? * factor;
            let q = *QUANTILES
                .iter()
                .find(|q| buckets.bounds(**q).is_some_and(|bounds| bounds.above_last_edge))?;
            let above = buckets.above_last_edge();
            let mean = histogram.mean().map(|mean| mean * factor).filter(|mean| *mean > edge);
            let mean = mean.map_or(String::new(), |mean| {
                format!(" The mean alone, Σ ÷ n, is {}.", time(mean))
            });
            let text = format!(
                "{} of {} is above {}, the last finite edge ({} of {} lie beyond it); histogram_quantile prints {} \
                 there.{mean}",
                percentile(q),
                histogram.row.key,
                time(edge),
                number(above),
                counted(buckets.count(), "observation", "observations"),
                time(edge)
            );
            Some(Caution::new(Severity::Warn, text).about(&histogram.row.key))
        });
        found.collect()
    }
}
