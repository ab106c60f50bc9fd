//! Request or token: who votes.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::settings::{Itl, Tpot, Weighting};
use crate::model::{Metric, Stat};

/// Request or token: who votes.
pub(super) struct RequestOrTokenVote;

impl Disagreement for RequestOrTokenVote {
    fn id(&self) -> &'static str {
        "request-or-token"
    }
    fn title(&self) -> &'static str {
        "Request or token: who votes"
    }
    fn kind(&self) -> char {
        'D'
    }
    fn formula(&self) -> &'static str {
        "mean over requests of Σ gaps ÷ gaps, against Σ gaps ÷ number of gaps"
    }
    fn paragraph(&self) -> &'static str {
        "Mean TPOT gives every request one vote, mean ITL every gap. They differ wherever lengths vary and long replies are not as fast as short ones; that is no fault. A few short, slow replies move the mean per request and hardly the pooled one."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("weighting", "per-request"), ("weighting", "pooled")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let request = case.ruler(|s| {
            s.tpot = Tpot::VisibleGaps;
            s.weighting = Weighting::PerRequest;
        });
        let pooled = case.ruler(|s| {
            s.itl = Itl::EventGap;
            s.weighting = Weighting::Pooled;
        });
        case.two(
            ("the mean gap, each request once", Metric::Tpot, Stat::Mean, request),
            ("the mean gap, each gap once", Metric::Itl, Stat::Mean, pooled),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| id == "weighting")
    }
}
