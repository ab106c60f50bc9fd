//! Chunk against token.

use super::{Case, Disagreement, FORMULA, Step, Tested, one_side};
use crate::metrics::settings::Itl;
use crate::model::{Metric, Stat};

/// Chunk against token.
pub(super) struct ChunkOrToken;

impl Disagreement for ChunkOrToken {
    fn id(&self) -> &'static str {
        "chunk-or-token"
    }
    fn title(&self) -> &'static str {
        "Chunk against token"
    }
    fn kind(&self) -> char {
        'A'
    }
    fn formula(&self) -> &'static str {
        "t(k) − t(k−1) for each event, against (E − T) ÷ (n − 1)"
    }
    fn paragraph(&self) -> &'static str {
        "A stream event is a chunk, and a chunk may carry several tokens: with speculative decoding, with parsers that hold tokens back, and where the network merges packets. The time between chunks is then longer than the time per token by the tokens in a chunk. Neither is wrong. A reader who waits for text feels the chunks; a capacity plan needs the tokens."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("itl", "event-gap"), ("itl", "token-spread"), ("tpot", "after-first")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let gaps = case.ruler(|s| s.itl = Itl::EventGap);
        let tokens = case.ruler(|s| s.itl = Itl::TokenSpread);
        case.two(
            ("the mean gap between chunks", Metric::Itl, Stat::Mean, gaps),
            ("the mean time per token", Metric::Itl, Stat::Mean, tokens),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &FORMULA, &["event-gap", "visible-gaps"])
    }
}
