//! Where a request ends.

use super::{Case, Disagreement, Step, Tested};
use crate::metrics::settings::End;
use crate::model::{Metric, Stat};

/// Where a request ends.
pub(super) struct StreamEnd;

impl Disagreement for StreamEnd {
    fn id(&self) -> &'static str {
        "stream-end"
    }
    fn title(&self) -> &'static str {
        "Where a request ends"
    }
    fn kind(&self) -> char {
        'B'
    }
    fn formula(&self) -> &'static str {
        "to the last token, against to the end of the stream"
    }
    fn paragraph(&self) -> &'static str {
        "After the last token a stream still brings a usage chunk and an end marker. A client that stops its clock there has a longer E2E, and where it takes decode time from it, a longer TPOT: 50 ms of trailing chunk over 5 tokens are 12.5 ms a token. Check: latency − TTFT is the sum of the gaps."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("end", "last-token"), ("end", "stream-end"), ("decode-end", "last-token")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let last = case.ruler(|s| s.end = End::LastToken);
        let closed = case.ruler(|s| s.end = End::StreamEnd);
        case.two(
            ("mean E2E to the last token", Metric::E2e, Stat::Mean, last),
            ("mean E2E to the end of the stream", Metric::E2e, Stat::Mean, closed),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        step.dimension.split('+').any(|id| matches!(id, "end" | "decode-end"))
    }
}
