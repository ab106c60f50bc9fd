//! B's definition on A's rows: as it is, or without the choices that A's file can't honour.

use super::moves::{Move, place};
use super::{Number, Unmeasured};
use crate::metrics::dimensions::Dimension;
use crate::metrics::hints::hint;
use crate::metrics::measured::Value;
use crate::metrics::ruler::dimensions_of;

/// A number that the rows can give, and what keeps it from being the one that was asked for.
pub(super) struct Adapted<'a> {
    pub number: Number<'a>,
    pub unmeasured: Vec<Unmeasured>,
    /// Why the walk does not reach B at all, as sentences.
    pub stopped: Option<String>,
}

/// The number nearest to `target` that the rows of `a` can give.
pub(super) fn adapt<'a>(a: &Number<'a>, target: &Number<'a>) -> Adapted<'a> {
    let Value::Missing(reason) = target.value() else {
        return Adapted { number: *target, unmeasured: Vec::new(), stopped: None };
    };
    let relevant = dimensions_of(target.metric, &target.settings);
    let mut candidates: Vec<&'static Dimension> = a
        .settings
        .differing(&target.settings)
        .into_iter()
        .filter(|dimension| relevant.contains(&dimension.id))
        .collect();
    // What is counted and timed is what files lack: a formula is the last thing to give up.
    candidates.sort_by_key(|dimension| place(dimension.id));
    let kept = |dimensions: &[&'static Dimension]| {
        let mut settings = target.settings;
        for dimension in dimensions {
            let _ = dimension.write(&mut settings, &dimension.read(&a.settings));
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
        if !matches!(number.value(), Value::Missing(_)) {
            let unmeasured = dimensions.iter().map(|d| unmeasured(a, target, d, &reason)).collect();
            return Adapted { number, unmeasured, stopped: None };
        }
    }
    let flag = hint(a.run, target.metric, &target.settings);
    let mut stopped = format!("The rows of {} can’t give it: {reason}.", a.run.name);
    if let Some(flag) = flag {
        stopped.push(' ');
        stopped.push_str(flag);
    }
    Adapted { number: *a, unmeasured: Vec::new(), stopped: Some(stopped) }
}

fn unmeasured(
    a: &Number<'_>,
    target: &Number<'_>,
    dimension: &'static Dimension,
    reason: &str,
) -> Unmeasured {
    let name = Move::Dimension(dimension).name().to_owned();
    let mut because = format!(
        "{} can’t be measured so: {reason}. What it would change is inside what is left over.",
        a.run.name
    );
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
