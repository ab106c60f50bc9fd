//! Printed percentiles that fall as they should rise.

use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// Rounding of printed numbers.
const ROUNDING: f64 = 1e-3;

/// min ≤ p50 ≤ p90 ≤ p99 ≤ max, and min ≤ mean ≤ max.
pub(super) struct PrintedOrder;

impl Check for PrintedOrder {
    fn about(&self) -> About {
        About {
            id: "printed-order",
            name: "Printed percentiles out of order",
            passes: "printed percentiles rise, and the mean lies within the extremes",
            rule: "a printed percentile is below a lower one by more than 0.1 %, or the mean is outside of \
                   the printed minimum and maximum",
            source: "vllm-project/vllm 0.6.0 to 0.6.3: mean and median of E2EL were swapped",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let values = &subject.run.reported.values;
        let mut asked = false;
        // A tool may count the percentiles of a speed from the fast end, so that p99 is the slow tail.
        let rising = |metric: &Metric| metric.is_distribution() && *metric != Metric::UserSpeed;
        for metric in Metric::ALL.into_iter().filter(rising) {
            let mut ranks: Vec<(f64, f64)> = values
                .iter()
                .filter(|v| v.metric == metric && v.value.is_finite())
                .filter_map(|v| Some((rank(v.stat)?, v.value)))
                .collect();
            ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
            asked |= ranks.len() > 1;
            let name = |rank: f64| match rank {
                0.0 => "minimum".to_owned(),
                100.0 => "maximum".to_owned(),
                rank => format!("p{rank}"),
            };
            for pair in ranks.windows(2) {
                let [(low, a), (high, b)] = pair else { continue };
                if high > low && *b < a - ROUNDING * a.abs() {
                    let text = format!(
                        "{}: the printed {} of {} is below the {} of {}.",
                        metric.name(),
                        name(*high),
                        significant(*b, 4),
                        name(*low),
                        significant(*a, 4)
                    );
                    return Ok(Some(Finding::new(Severity::Warn, text).touches(&[metric])));
                }
            }
            let of = |stat| values.iter().find(|v| v.metric == metric && v.stat == stat);
            let Some(mean) = of(Stat::Mean) else { continue };
            for (stat, side, sign) in
                [(Stat::Max, "above the maximum", 1.0), (Stat::Min, "below the minimum", -1.0)]
            {
                let Some(end) = of(stat) else { continue };
                asked = true;
                if sign * (mean.value - end.value) <= ROUNDING * end.value.abs() {
                    continue;
                }
                let text = format!(
                    "{}: the printed mean of {} is {side} of {}.",
                    metric.name(),
                    significant(mean.value, 4),
                    significant(end.value, 4)
                );
                return Ok(Some(Finding::new(Severity::Warn, text).touches(&[metric])));
            }
        }
        if asked {
            Ok(None)
        } else {
            Err("the file prints no two statistics of a metric that have an order".into())
        }
    }
}

fn rank(stat: Stat) -> Option<f64> {
    match stat {
        Stat::Min => Some(0.0),
        Stat::Median => Some(50.0),
        Stat::Percentile(p) => Some(p),
        Stat::Max => Some(100.0),
        Stat::Mean | Stat::Std | Stat::Value => None,
    }
}
