//! A bridge led on to a number that is none of rows, such as a quantile of a server's histogram.

use super::{Bridge, End, Mode, Remainder, Step, Unmeasured, words};

/// A bridge on the rows of A, led on by `steps`, by choices that the rows can't give, and by a remainder to
/// `b`, which stands on no rows. There is no average over orders: what is led on comes last.
pub fn extended(
    rows: &Bridge,
    steps: Vec<Step>,
    unmeasured: Vec<Unmeasured>,
    rest: Option<Remainder>,
    b: End,
) -> Bridge {
    let mut bridge = rows.clone();
    // What the rows lack stops a walk on the same rows; here it is inside of what is left over.
    if !bridge.unmeasured.is_empty() {
        bridge.stopped = None;
    }
    bridge.mode = Mode::TwoRuns;
    bridge.b = b;
    if !steps.is_empty() {
        for step in &mut bridge.steps {
            step.average = None;
            step.other_story = false;
        }
        bridge.story = None;
        bridge.no_average = Some("what the server’s buckets do comes last".into());
    }
    let changed: Vec<&str> = steps.iter().map(|step| step.dimension.as_str()).collect();
    bridge.equal.retain(|group| !changed.iter().any(|id| group.starts_with(id)));
    bridge.steps.extend(steps);
    bridge.unmeasured.extend(unmeasured);
    bridge.remainder = rest;
    words::say(&mut bridge);
    bridge
}
