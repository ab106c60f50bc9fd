//! Percentile method.

use super::{Case, Disagreement, Step, Tested, one_side};
use crate::metrics::settings::Percentile;
use crate::model::{Metric, Stat};

/// Percentile method.
pub(super) struct PercentileMethod;

impl Disagreement for PercentileMethod {
    fn id(&self) -> &'static str {
        "percentile-method"
    }
    fn title(&self) -> &'static str {
        "Percentile method"
    }
    fn kind(&self) -> char {
        'D'
    }
    fn formula(&self) -> &'static str {
        "between two neighbours in proportion, against the element ⌈p · N⌉"
    }
    fn paragraph(&self) -> &'static str {
        "A percentile of few samples falls between two of them, or on one: tools differ in which, and with 20 requests the p99 is the largest sample by one rule and a mixture of the two largest by another. Where the rule matters, the percentile stands on too little data: fewer than 100 samples have no p99 but their maximum."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("percentile", "linear"), ("percentile", "nearest-rank"), ("percentile", "floor-index")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let linear = case.ruler(|s| s.percentile = Percentile::Linear);
        let nearest = case.ruler(|s| s.percentile = Percentile::NearestRank);
        let p99 = Stat::Percentile(99.0);
        case.two(
            ("p99 of TTFT by interpolation", Metric::Ttft, p99, linear),
            ("p99 of TTFT as a measured value", Metric::Ttft, p99, nearest),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        let buckets = one_side(step, &["percentile"], &["bucket-linear"]);
        step.dimension.split('+').any(|id| id == "percentile") && !buckets
    }
}
