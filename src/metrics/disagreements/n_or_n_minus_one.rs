//! n or n − 1.

use super::{Case, Disagreement, FORMULA, Step, Tested, one_side};
use crate::metrics::settings::Tpot;
use crate::model::{Metric, Stat};

/// n or n − 1.
pub(super) struct NOrNMinusOne;

impl Disagreement for NOrNMinusOne {
    fn id(&self) -> &'static str {
        "n-or-n-minus-one"
    }
    fn title(&self) -> &'static str {
        "n or n − 1"
    }
    fn kind(&self) -> char {
        'I'
    }
    fn formula(&self) -> &'static str {
        "(E − T) ÷ n, against (E − T) ÷ (n − 1)"
    }
    fn paragraph(&self) -> &'static str {
        "The time after the first token belongs to the tokens after the first: n − 1 of them. Dividing by n gives a number that is a little low, by a factor of (n − 1) ÷ n: half of the truth for a reply of two tokens, one per cent for one of a hundred."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("tpot", "after-first-over-n"), ("tpot", "after-first")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let over_n = case.ruler(|s| s.tpot = Tpot::AfterFirstOverN);
        let after = case.ruler(|s| s.tpot = Tpot::AfterFirst);
        case.two(
            ("(E − T) ÷ n", Metric::Tpot, Stat::Mean, over_n),
            ("(E − T) ÷ (n − 1)", Metric::Tpot, Stat::Mean, after),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &FORMULA, &["after-first-over-n"])
    }
}
