//! What printed percentiles say of goodput where the file holds no requests.

use crate::metrics::{Measured, Within, share_between, share_of_all};
use crate::model::{Limit, LimitMetric, Metric, Stat};
use crate::views::Context;
use crate::views::measure::Measurement;

/// What printed percentiles allow to say of a load.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// The share within all limits.
    pub share: Within,
    /// Good requests per second.
    pub per_second: Within,
    /// The share within each limit; none of a metric without percentiles.
    pub each: Vec<Option<Within>>,
}

/// Bounds out of printed percentiles; nothing where no limited metric has any. A limit without any may be
/// kept by none or by all.
pub(super) fn printed(run: &Measurement<'_>, context: &Context) -> Option<Bounds> {
    let each: Vec<Option<Within>> = context.limits.iter().map(|limit| share(run, limit)).collect();
    if each.iter().all(Option::is_none) {
        return None;
    }
    let open = Within { low: 0.0, high: 1.0 };
    let known: Vec<Within> = each.iter().map(|share| share.unwrap_or(open)).collect();
    let share = share_of_all(&known)?;
    let served = run.value(Metric::RequestThroughput, Stat::Value).number()?;
    let per_second = Within { low: share.low * served, high: share.high * served };
    Some(Bounds { share, per_second, each })
}

/// The share of requests within one limit, between two printed percentiles.
fn share(run: &Measurement<'_>, limit: &Limit) -> Option<Within> {
    // Printed percentiles of ITL are of its samples, not of requests.
    if matches!(limit.metric, LimitMetric::Itl(_)) {
        return None;
    }
    let metric = limit.metric.metric();
    let Measured::Reported { .. } = run.measured(metric)? else { return None };
    let values = run.run.reported.values.iter().filter(|value| value.metric == metric);
    let percentiles: Vec<(f64, f64)> = values
        .filter_map(|value| {
            let below = match value.stat {
                Stat::Percentile(p) => p / 100.0,
                Stat::Median => 0.5,
                Stat::Max => 1.0,
                _ => return None,
            };
            Some((below, value.value))
        })
        .collect();
    share_between(&percentiles, limit.constant()?)
}
