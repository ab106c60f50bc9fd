//! What the checks say of each run, and what a finding does to its numbers: worked out once and kept with
//! the run.

use crate::checks::{Between, Blocked, Effect, Examined, between, effects_of, examine};
use crate::metrics::{Ask, evaluate, own};
use crate::model::{Limit, Run, RunId, Stat};
use std::sync::Arc;

/// The question to one run: all checks.
#[derive(PartialEq)]
struct Checked;

/// The verdicts on a run in the order of the checks, and what its importer noticed.
pub(super) fn examined(run: &Run) -> Arc<Vec<Examined>> {
    run.memory.recall(Checked, || examine(run))
}

/// The question to one run: what blocks it apart from repaired findings, by their ids.
#[derive(PartialEq)]
struct BlockedApartFrom(Vec<String>);

/// What blocks a run, where it is not one of the findings with these ids.
pub(super) fn blocked_apart_from(run: &Run, repaired: Vec<String>) -> Arc<Option<Blocked>> {
    let spared = repaired.clone();
    run.memory.recall(BlockedApartFrom(repaired), || {
        crate::checks::blocked_unless(run, |examined| spared.iter().any(|id| *id == examined.id))
    })
}

/// The question to several runs, kept with the first.
#[derive(PartialEq)]
struct Compared(Vec<RunId>);

/// What keeps runs from being compared.
pub(super) fn apart(runs: &[&Run]) -> Arc<Vec<Between>> {
    let ids = runs.iter().map(|run| run.id.clone()).collect();
    let Some(first) = runs.first() else { return Arc::default() };
    first.memory.recall(Compared(ids), || between(runs))
}

/// The question to one run: the effects of the finding at a place of its verdicts.
#[derive(PartialEq)]
struct EffectsOf(usize, Vec<Limit>);

/// What the finding at this place of [`examined`] does to the numbers of its run: under the definitions
/// of the tool that wrote them, over all requests of the file.
pub(super) fn effects(run: &Run, place: usize, limits: &[Limit]) -> Arc<Vec<Effect>> {
    run.memory.recall(EffectsOf(place, limits.to_vec()), || {
        let verdicts = examined(run);
        let found = verdicts.get(place).and_then(|examined| examined.verdict.found());
        let Some(finding) = found else { return Vec::new() };
        let ask = Ask { limits: limits.to_vec(), ..Ask::default() };
        let settings = own(run).settings;
        let before = run.memory.recall((settings, ask.clone()), || evaluate(run, &settings, &ask));
        effects_of(run, finding, &settings, &ask, Stat::Mean, &before)
    })
}
