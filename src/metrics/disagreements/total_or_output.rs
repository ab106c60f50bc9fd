//! Total or output throughput.

use super::{Case, Disagreement, Step, Tested, one_side};
use crate::model::{Metric, Stat};

/// Total or output throughput.
pub(super) struct TotalOrOutput;

impl Disagreement for TotalOrOutput {
    fn id(&self) -> &'static str {
        "total-or-output"
    }
    fn title(&self) -> &'static str {
        "Total or output throughput"
    }
    fn kind(&self) -> char {
        'I'
    }
    fn formula(&self) -> &'static str {
        "(input + output tokens) ÷ duration, against output tokens ÷ duration"
    }
    fn paragraph(&self) -> &'static str {
        "“Tokens per second” may count the prompt. With long prompts the total is mostly input, which costs the server far less than output, so a chart of totals says little about generation. Always say output, input or total."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("duration", "as-reported")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let ruler = case.ruler(|_| {});
        case.two(
            ("total throughput", Metric::TotalThroughput, Stat::Value, ruler),
            ("output throughput", Metric::OutputThroughput, Stat::Value, ruler),
            "",
        )
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &["metric"], &["total-throughput"])
    }
}
