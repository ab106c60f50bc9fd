//! Reciprocal of a percentile.

use super::{Case, Disagreement, Step, Tested, one_side};
use crate::metrics::settings::{Tpot, UserSpeed, Weighting};
use crate::model::{Metric, Stat};

/// Reciprocal of a percentile.
pub(super) struct ReciprocalOfPercentile;

impl Disagreement for ReciprocalOfPercentile {
    fn id(&self) -> &'static str {
        "reciprocal-of-percentile"
    }
    fn title(&self) -> &'static str {
        "Reciprocal of a percentile"
    }
    fn kind(&self) -> char {
        'D'
    }
    fn formula(&self) -> &'static str {
        "p90 of (n − 1) ÷ (E − T), against 1 ÷ p90 of TPOT"
    }
    fn paragraph(&self) -> &'static str {
        "Speed is the reciprocal of time, and that turns percentiles over: the p90 of TPOT is the slow tail, so 1 ÷ that is the p10 of speed. A table that prints 1 ÷ p90 TPOT under “p90 tokens per second per user” shows the slowest users under the name of the fastest. A mean or a standard deviation has no reciprocal at all."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("user-speed", "decode"), ("user-speed", "reciprocal-of-tpot")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let speed = case.ruler(|s| s.user_speed = UserSpeed::Decode);
        let turned = case.ruler(|s| {
            s.user_speed = UserSpeed::ReciprocalOfTpot;
            s.tpot = Tpot::AfterFirst;
            s.weighting = Weighting::PerRequest;
        });
        let p90 = Stat::Percentile(90.0);
        case.two(
            ("p90 of user speed", Metric::UserSpeed, p90, speed),
            ("1 ÷ p90 of TPOT", Metric::UserSpeed, p90, turned),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &["user-speed"], &["reciprocal-of-tpot"])
    }
}
