//! Warm-up and drain.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::settings::{Duration, Window};
use crate::model::{Metric, Stat};

/// Warm-up and drain.
pub(super) struct WarmUpAndDrain;

impl Disagreement for WarmUpAndDrain {
    fn id(&self) -> &'static str {
        "warm-up-and-drain"
    }
    fn title(&self) -> &'static str {
        "Warm-up and drain"
    }
    fn kind(&self) -> char {
        'F'
    }
    fn formula(&self) -> &'static str {
        "tokens of the whole run ÷ its length, against those of its steady part ÷ its length"
    }
    fn paragraph(&self) -> &'static str {
        "While a run fills up and while it drains, the server does not carry the load that is being measured. Over the whole run its throughput is lower than what it sustains, the more so the shorter the run. The steady part is the longest stretch with at least 90 % of the peak in flight."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("window", "whole"), ("window", "steady")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let whole = case.ruler(|s| {
            s.window = Window::Whole;
            s.duration = Duration::FirstSendToLastToken;
        });
        let steady = case.ruler(|s| {
            s.window = Window::Steady(0.9);
            s.duration = Duration::Window;
        });
        case.two(
            ("output of the whole run", Metric::OutputThroughput, Stat::Value, whole),
            ("output of its steady part", Metric::OutputThroughput, Stat::Value, steady),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| matches!(id, "window" | "window-edge"))
    }
}
