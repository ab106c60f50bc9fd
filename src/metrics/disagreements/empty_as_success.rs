//! Failures kept.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::settings::EmptyOutputs;
use crate::model::{Metric, Stat};

/// Failures kept.
pub(super) struct EmptyAsSuccess;

impl Disagreement for EmptyAsSuccess {
    fn id(&self) -> &'static str {
        "failures-kept"
    }
    fn title(&self) -> &'static str {
        "Failures kept"
    }
    fn kind(&self) -> char {
        'E'
    }
    fn formula(&self) -> &'static str {
        "median over all that was written, against median over what was measured"
    }
    fn paragraph(&self) -> &'static str {
        "A reply without a token, or a failed request, has no latency. Clients that write a zero for it and average it in print a TTFT that is too good: with many of them the median is 0. They belong into the counts, and into the denominator of goodput, but not among the samples."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("empty-outputs", "as-success"), ("empty-outputs", "exclude"), ("population", "ok")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let kept = case.ruler(|s| s.empty_outputs = EmptyOutputs::AsSuccess);
        let out = case.ruler(|s| s.empty_outputs = EmptyOutputs::Exclude);
        case.two(
            ("mean TTFT with empty replies as written", Metric::Ttft, Stat::Mean, kept),
            ("mean TTFT of replies with a token", Metric::Ttft, Stat::Mean, out),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| matches!(id, "empty-outputs" | "population"))
    }
}
