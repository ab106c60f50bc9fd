//! Coordinated omission.

use super::{Case, Disagreement, Step, Tested, one_side};
use crate::metrics::settings::ClockStart;
use crate::model::{Metric, Stat};

/// Coordinated omission.
pub(super) struct CoordinatedOmission;

impl Disagreement for CoordinatedOmission {
    fn id(&self) -> &'static str {
        "coordinated-omission"
    }
    fn title(&self) -> &'static str {
        "Coordinated omission"
    }
    fn kind(&self) -> char {
        'G'
    }
    fn formula(&self) -> &'static str {
        "from the actual send, against from when it was due"
    }
    fn paragraph(&self) -> &'static str {
        "With a limit on requests in flight, a slow server makes the client wait before it sends. A clock that starts at the send leaves that wait out, so latency looks flat at overload: the slow moments are the ones that are measured least. Counted from when each request was due, the wait is inside."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("clock-start", "send"), ("clock-start", "scheduled")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let send = case.ruler(|s| s.clock_start = ClockStart::Send);
        let due = case.ruler(|s| s.clock_start = ClockStart::Scheduled);
        case.two(
            ("mean E2E from the send", Metric::E2e, Stat::Mean, send),
            ("mean E2E from when it was due", Metric::E2e, Stat::Mean, due),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &["clock-start"], &["scheduled"])
    }
}
