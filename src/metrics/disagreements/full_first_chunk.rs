//! First chunk with several tokens.

use super::{Case, Disagreement, FORMULA, Step, Tested, one_side};
use crate::metrics::settings::Tpot;
use crate::model::{Metric, Stat};

/// First chunk with several tokens.
pub(super) struct FullFirstChunk;

impl Disagreement for FullFirstChunk {
    fn id(&self) -> &'static str {
        "full-first-chunk"
    }
    fn title(&self) -> &'static str {
        "First chunk with several tokens"
    }
    fn kind(&self) -> char {
        'A'
    }
    fn formula(&self) -> &'static str {
        "(E − T) ÷ (n − 1), against (E − T) ÷ (n − c₁)"
    }
    fn paragraph(&self) -> &'static str {
        "The usual formula takes it that one token came at the time of the first. A server that sends several in its first chunk then looks faster: its decode time holds fewer tokens than are counted. With c₁ tokens in the first chunk the right divisor is n − c₁."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("tpot", "after-first-event"), ("tpot", "after-first")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let usual = case.ruler(|s| s.tpot = Tpot::AfterFirst);
        let fair = case.ruler(|s| s.tpot = Tpot::AfterFirstEvent);
        case.two(
            ("(E − T) ÷ (n − 1)", Metric::Tpot, Stat::Mean, usual),
            ("(E − T) ÷ (n − c₁)", Metric::Tpot, Stat::Mean, fair),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &FORMULA, &["after-first-event"])
    }
}
