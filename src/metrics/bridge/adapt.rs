//! B's definition on A's rows: as it is, or without the choices that A's file can't honour.

use super::counted::{Counted, WroteEmpty, counted, wrote_empty};
use super::moves::{Move, place};
use super::{Number, Step, Unmeasured, words};
use crate::metrics::dimensions::{DIMENSIONS, Dimension};
use crate::metrics::hints::hint;
use crate::metrics::measured::Value;
use crate::metrics::ruler::dimensions_of;
use crate::metrics::settings::EmptyOutputs;

/// A number that the rows can give, and what keeps it from being the one that was asked for.
pub(super) struct Adapted<'a> {
    pub number: Number<'a>,
    pub unmeasured: Vec<Unmeasured>,
    /// Why the walk does not reach B at all, as sentences.
    pub stopped: Option<String>,
    /// A step that is known to change nothing, though A's rows can't be measured so.
    pub alike: Option<Step>,
}

/// The number nearest to `b` that the rows of `a` can give.
pub(super) fn adapt<'a>(a: &Number<'a>, b: &Number<'a>) -> Adapted<'a> {
    let mut target = Number { run: a.run, ask: a.ask, ..*b };
    let Counted { mut apart, alike } = counted(a, b, &mut target.settings);
    let same = a.run.id == b.run.id;
    let mut adapted = nearest(a, &target, same);
    match wrote_empty(&adapted.number, b) {
        WroteEmpty::Alike => {}
        WroteEmpty::AloneOfA => {
            target.settings.empty_outputs = EmptyOutputs::Exclude;
            adapted = nearest(a, &target, same);
        }
        WroteEmpty::AloneOfB(unmeasured) => apart.push(unmeasured),
    }
    // What A's rows lack altogether is said once.
    let known = |one: &Unmeasured| adapted.unmeasured.iter().any(|o| o.dimension == one.dimension);
    let more: Vec<Unmeasured> = apart.into_iter().filter(|one| !known(one)).collect();
    adapted.unmeasured.extend(more);
    adapted.alike = alike;
    adapted
}

fn nearest<'a>(a: &Number<'a>, target: &Number<'a>, same: bool) -> Adapted<'a> {
    // On the same rows a range is a step; between runs what is left over would be one too.
    let there = |value: &Value| match value {
        Value::Missing(reason) => Err(reason.clone()),
        Value::Exact(_) | Value::Reported(_) => Ok(()),
        _ if same => Ok(()),
        bounded => Err(format!(
            "its rows hold it within bounds only, {}",
            words::value(bounded, target.metric, 1)
        )),
    };
    let Err(reason) = there(&target.value()) else {
        return Adapted { number: *target, unmeasured: Vec::new(), stopped: None, alike: None };
    };
    // What the tool printed under its own definition is no reason.
    let reason = reason.split("; the tool printed").next().unwrap_or(&reason).to_owned();
    let relevant = dimensions_of(target.metric, &target.settings);
    let bears = |dimension: &&'static Dimension| relevant.contains(&dimension.id);
    let mut candidates: Vec<&'static Dimension> =
        a.settings.differing(&target.settings).into_iter().filter(bears).collect();
    // What is counted and timed is what files lack: a formula is the last thing to give up.
    candidates.sort_by_key(|dimension| place(dimension.id));
    let kept = |dimensions: &[&'static Dimension]| {
        // What B's number does not depend on is as A has it: another formula may.
        let mut settings = a.settings;
        for dimension in DIMENSIONS.iter().filter(bears) {
            if !dimensions.iter().any(|kept| kept.id == dimension.id) {
                let _ = dimension.write(&mut settings, &dimension.read(&target.settings));
            }
        }
        Number { settings, ..*target }
    };
    let pairs = candidates
        .iter()
        .enumerate()
        .flat_map(|(at, one)| candidates.iter().skip(at + 1).map(move |other| vec![*one, *other]));
    let single = candidates.iter().map(|one| vec![*one]);
    let all = std::iter::once(candidates.clone());
    for dimensions in single.chain(pairs).chain(all) {
        let number = kept(&dimensions);
        if there(&number.value()).is_ok() {
            let unmeasured = dimensions.iter().map(|d| unmeasured(a, target, d, &reason)).collect();
            return Adapted { number, unmeasured, stopped: None, alike: None };
        }
    }
    let flag = hint(a.run, target.metric, &target.settings);
    let mut stopped = format!("The rows of {} can’t give it: {reason}.", a.run.name);
    if let Some(flag) = flag {
        stopped.push(' ');
        stopped.push_str(flag);
    }
    Adapted { number: *a, unmeasured: Vec::new(), stopped: Some(stopped), alike: None }
}

/// Where the change of a choice that can't be had has gone, between two runs.
pub(super) const INSIDE: &str = " What it would change is inside what is left over.";

/// Why a choice can't be had of the rows of `name`; the reason is a clause.
pub(super) fn not_so(name: &str, reason: &str) -> String {
    format!("{name} can’t be measured so: {reason}.{INSIDE}")
}

fn unmeasured(
    a: &Number<'_>,
    target: &Number<'_>,
    dimension: &'static Dimension,
    reason: &str,
) -> Unmeasured {
    let name = Move::Dimension(dimension).name().to_owned();
    let mut because = not_so(&a.run.name, reason);
    if let Some(flag) = hint(a.run, target.metric, &target.settings) {
        because.push(' ');
        because.push_str(flag);
    }
    Unmeasured {
        dimension: dimension.id.to_owned(),
        name,
        from: dimension.read(&a.settings),
        to: dimension.read(&target.settings),
        because,
    }
}
