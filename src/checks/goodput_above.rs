//! Goodput above throughput.

use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// Rounding of printed numbers.
const ROUNDING: f64 = 1.001;

/// More good requests a second than requests.
pub(super) struct GoodputAbove;

impl Check for GoodputAbove {
    fn about(&self) -> About {
        About {
            id: "goodput-above",
            name: "Goodput above throughput",
            passes: "goodput is no more than the request throughput",
            rule: "the printed goodput is above the printed request throughput, or the share above 1",
            source: "kubernetes-sigs/inference-perf issue 169; definitions of H1 to H3",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let printed = |metric| subject.printed(metric, Stat::Value);
        let share = printed(Metric::SloShare);
        if let Some(share) = share.filter(|share| *share > ROUNDING) {
            let text = format!("A share of {} within the SLO can’t be.", significant(share, 3));
            return Ok(Some(Finding::new(Severity::Warn, text).touches(&[Metric::SloShare])));
        }
        let Some(goodput) = printed(Metric::Goodput) else {
            return match share {
                Some(_) => Ok(None),
                None => Err("the file prints no goodput".into()),
            };
        };
        let served = printed(Metric::RequestThroughput);
        let served = served.ok_or("the file prints no request throughput")?;
        if goodput <= served * ROUNDING {
            return Ok(None);
        }
        let text = format!(
            "The printed goodput of {} req/s is above the request throughput of {}.",
            significant(goodput, 3),
            significant(served, 3)
        );
        Ok(Some(Finding::new(Severity::Warn, text).touches(&[Metric::Goodput])))
    }
}
