//! One-token replies in goodput.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::evaluate::Ask;
use crate::metrics::settings::GoodputMissing;
use crate::model::{Metric, Stat};

/// One-token replies in goodput.
pub(super) struct OneTokenInGoodput;

impl Disagreement for OneTokenInGoodput {
    fn id(&self) -> &'static str {
        "one-token-in-goodput"
    }
    fn title(&self) -> &'static str {
        "One-token replies in goodput"
    }
    fn kind(&self) -> char {
        'H'
    }
    fn formula(&self) -> &'static str {
        "a missing TPOT passes, against a missing TPOT fails"
    }
    fn paragraph(&self) -> &'static str {
        "A reply of one token has no TPOT. vLLM takes it as 0, so it meets any limit; AIPerf and inference-perf say that a request without a limited metric is not good. Same run, same limits, other goodput: the rule must be said beside the number."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("goodput-missing", "passes"),
            ("goodput-missing", "fails"),
            ("goodput-missing", "not-applicable"),
        ]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        if case.limits().is_empty() {
            return Tested::cannot_tell("no limit is set, so there is no goodput");
        }
        let ask = Ask { limits: case.limits(), ..case.ask.clone() };
        let case = Case { ask: &ask, ..*case };
        let passes = case.ruler(|s| s.goodput_missing = GoodputMissing::Passes);
        let fails = case.ruler(|s| s.goodput_missing = GoodputMissing::Fails);
        case.two(
            ("the share of good requests, missing passes", Metric::SloShare, Stat::Value, passes),
            ("the share, missing fails", Metric::SloShare, Stat::Value, fails),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| id == "goodput-missing")
    }
}
