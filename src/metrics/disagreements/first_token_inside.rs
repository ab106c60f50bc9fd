//! First token inside TPOT.

use super::{Case, Disagreement, FORMULA, Step, Tested, one_side};
use crate::metrics::settings::Tpot;
use crate::model::{Metric, Stat};

/// First token inside TPOT.
pub(super) struct FirstTokenInside;

impl Disagreement for FirstTokenInside {
    fn id(&self) -> &'static str {
        "first-token-inside"
    }
    fn title(&self) -> &'static str {
        "First token inside TPOT"
    }
    fn kind(&self) -> char {
        'I'
    }
    fn formula(&self) -> &'static str {
        "E ÷ n, against (E − T) ÷ (n − 1)"
    }
    fn paragraph(&self) -> &'static str {
        "Time per output token either starts at the first token or at the send. Counted from the send, the wait for the first token is spread over the reply, so short replies and long prompts look slow per token. GuideLLM’s TPOT and inference-perf’s NTPOT are of that kind; vLLM, SGLang and most others start at the first token. E = T + (n − 1) · TPOT only holds for the latter."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("tpot", "whole-over-n"), ("tpot", "after-first")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let whole = case.ruler(|s| s.tpot = Tpot::WholeOverN);
        let after = case.ruler(|s| s.tpot = Tpot::AfterFirst);
        case.two(
            ("E ÷ n", Metric::Tpot, Stat::Mean, whole),
            ("(E − T) ÷ (n − 1)", Metric::Tpot, Stat::Mean, after),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &FORMULA, &["whole-over-n", "whole-over-events"])
    }
}
