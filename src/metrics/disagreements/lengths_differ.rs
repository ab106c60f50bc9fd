//! Replies of other lengths.

use super::{Case, Disagreement, Said, Tested};
use crate::model::{Metric, Stat};
use crate::units::significant;

/// Mean lengths may differ by this much.
const LENGTHS: f64 = 0.05;

/// Replies of other lengths.
pub(super) struct LengthsDiffer;

impl Disagreement for LengthsDiffer {
    fn id(&self) -> &'static str {
        "lengths-differ"
    }
    fn title(&self) -> &'static str {
        "Replies of other lengths"
    }
    fn kind(&self) -> char {
        'M'
    }
    fn formula(&self) -> &'static str {
        "mean E2E of A, against mean E2E of B, at mean output lengths nA and nB"
    }
    fn paragraph(&self) -> &'static str {
        "Two runs whose replies differ in length can’t be compared by E2E or throughput: a model that stops early looks fast. Flags don’t help, since tools read the same flag differently and models stop when they like. Compare measured lengths first; where they differ by more than 5 %, compare TTFT and TPOT only."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("tpot", "after-first")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let Some(other) = case.other else {
            return Tested::cannot_tell("it takes two runs");
        };
        let second = Case { run: other, other: None, ..*case };
        let mean = |case: &Case<'_>| {
            case.value(Metric::OutputTokens, Stat::Mean, case.ruler(|_| {})).exact_or_reported()
        };
        match (mean(case), mean(&second)) {
            (Some(a), Some(b)) if (a - b).abs() > LENGTHS * a.max(b) => Tested::of(
                Said::new(format!("the mean reply of {}", case.run.name), a, "tokens"),
                Said::new(format!("that of {}", other.name), b, "tokens"),
                "",
            ),
            (Some(a), Some(b)) => Tested::does_not(format!(
                "mean lengths are within 5 %: {} and {} tokens",
                significant(a, 3),
                significant(b, 3)
            )),
            _ => Tested::cannot_tell("one of the two files holds no output lengths"),
        }
    }
}
