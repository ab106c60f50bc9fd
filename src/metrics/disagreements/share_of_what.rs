//! Share of what.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::evaluate::Ask;
use crate::metrics::settings::GoodputUnit;
use crate::model::{Metric, Stat};

/// Share of what.
pub(super) struct ShareOfWhat;

impl Disagreement for ShareOfWhat {
    fn id(&self) -> &'static str {
        "share-of-what"
    }
    fn title(&self) -> &'static str {
        "Share of what"
    }
    fn kind(&self) -> char {
        'H'
    }
    fn formula(&self) -> &'static str {
        "good ÷ finished, against good ÷ sent"
    }
    fn paragraph(&self) -> &'static str {
        "A share of good requests needs its denominator. Out of those that finished, a server that fails half of all requests can show 100 %; out of those that were sent it shows half. A failure never meets a limit, so the share of all sent is the one to plan with."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("goodput-unit", "share-of-finished"), ("goodput-unit", "share-of-sent")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        if case.limits().is_empty() {
            return Tested::cannot_tell("no limit is set, so there is no goodput");
        }
        let ask = Ask { limits: case.limits(), ..case.ask.clone() };
        let case = Case { ask: &ask, ..*case };
        let finished = case.ruler(|s| s.goodput_unit = GoodputUnit::ShareOfFinished);
        let sent = case.ruler(|s| s.goodput_unit = GoodputUnit::ShareOfSent);
        case.two(
            ("good of finished", Metric::SloShare, Stat::Value, finished),
            ("good of sent", Metric::SloShare, Stat::Value, sent),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| id == "goodput-unit")
    }
}
