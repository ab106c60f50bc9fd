//! Printed against its own rows.

use super::{Case, Disagreement, Said, Tested, unit};
use crate::metrics::agreement::{Agreement, Verdict, agreement};

/// What follows the field of a printed number.
pub const AS_PRINTED: &str = " as printed";

/// Printed against its own rows.
pub(super) struct PrintedOrRows;

impl Disagreement for PrintedOrRows {
    fn id(&self) -> &'static str {
        "printed-or-rows"
    }
    fn title(&self) -> &'static str {
        "Printed against its own rows"
    }
    fn kind(&self) -> char {
        'J'
    }
    fn formula(&self) -> &'static str {
        "the number in the summary, against the same statistic of the rows under the tool’s own definition"
    }
    fn paragraph(&self) -> &'static str {
        "A result file holds what the tool printed and, often, the rows it was made of. Where the two differ, the unit, the definition or the file is not what it seems: seconds beside milliseconds, another version’s formula, a file that was edited or put together. Rows are the ground to stand on."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        if case.run.requests.is_none() {
            return Tested::cannot_tell("the file holds what the tool printed only, no rows");
        }
        let all = agreement(case.run, case.ask);
        let compared = all.iter().filter(|one| one.recomputed.is_some()).count();
        if compared == 0 {
            return Tested::cannot_tell("the tool printed nothing that its rows give");
        }
        let apart = |one: &&Agreement| one.verdict == Verdict::Differs && one.recomputed.is_some();
        let off = |one: &Agreement| {
            let again = one.recomputed.unwrap_or_default();
            (one.reported - again).abs()
                / one.reported.abs().max(again.abs()).max(f64::MIN_POSITIVE)
        };
        let worst = all.iter().filter(apart).max_by(|a, b| off(a).total_cmp(&off(b)));
        match worst {
            None => {
                Tested::does_not(format!("{compared} printed numbers come out again from the rows"))
            }
            Some(one) => Tested::of(
                Said::new(format!("{}{AS_PRINTED}", one.field), one.reported, unit(one.metric)),
                Said::new(
                    "the same of the rows",
                    one.recomputed.unwrap_or_default(),
                    unit(one.metric),
                ),
                one.because.as_deref().unwrap_or_default(),
            ),
        }
    }
}
