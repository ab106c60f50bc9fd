//! The three kinds of question that the screen offers, each with the slots that it would start from.

use super::choices::{fitting, run_of};
use super::{ExplainAsk, Slot, Source};
use crate::metrics::bridge::Mode;
use crate::model::{Metric, Run, Stat};
use crate::views::Context;
use serde::{Deserialize, Serialize};

/// What the two numbers of one kind of question would be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModeChoice {
    /// The kind.
    pub mode: Mode,
    /// “Same rows, two definitions”.
    pub title: String,
    /// The question with its slots filled.
    pub ask: Option<ExplainAsk>,
    /// Why there is none, as a sentence; empty where there is one.
    pub why_not: String,
}

/// The three kinds of question, each with the slots that it would start from, and why it can't be asked.
pub(super) fn modes(all: &[&Run], context: &Context, ask: &ExplainAsk) -> Vec<ModeChoice> {
    let (Some(a), Some(b)) = (&ask.a, &ask.b) else { return Vec::new() };
    let Some(run) = run_of(all, context, a) else { return Vec::new() };
    let titles = [
        (Mode::SameRows, "Same rows, two definitions", same_rows(run, context)),
        (Mode::Reported, "Reported against recomputed", reported(run, a)),
        (Mode::TwoRuns, "Two runs", two_runs(all, context, run, (a, b))),
    ];
    let choice = |(mode, title, slots): (Mode, &str, Result<(Slot, Slot), String>)| {
        let (ask, why_not) = match slots {
            Ok((a, b)) => {
                let ask = ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() };
                (Some(ask), String::new())
            }
            Err(why_not) => (None, why_not),
        };
        ModeChoice { mode, title: title.to_owned(), ask, why_not }
    };
    titles.into_iter().map(choice).collect()
}

/// The two definitions that are furthest apart on the rows of a run.
fn same_rows(run: &Run, context: &Context) -> Result<(Slot, Slot), String> {
    if run.requests.is_none() {
        return Err(format!(
            "{} holds no requests, so no other definition can be tried.",
            run.name
        ));
    }
    let one = Context { runs: vec![run.id.clone()], ..context.clone() };
    let asks = super::asks(&[run], &one);
    Ok(super::foremost_of(&asks, &one).map_or_else(
        || {
            let slot = |metric| Slot {
                run: Some(run.id.clone()),
                metric,
                stat: Stat::Mean,
                source: Source::Own,
            };
            (slot(Metric::Itl), slot(Metric::Tpot))
        },
        |found| super::slots_of(&found),
    ))
}

/// What a tool printed, under the ruler in force: of the metric in the slot, or the first that it printed.
fn reported(run: &Run, slot: &Slot) -> Result<(Slot, Slot), String> {
    let wanted = run.reported.find(slot.metric, fitting(slot.metric, slot.stat));
    let latency = || run.reported.values.iter().find(|value| value.metric.is_distribution());
    let Some(printed) = wanted.or_else(latency).or_else(|| run.reported.values.first()) else {
        return Err(format!("The file of {} holds no printed numbers.", run.name));
    };
    let slot = |source| Slot {
        run: Some(run.id.clone()),
        metric: printed.metric,
        stat: printed.stat,
        source,
    };
    Ok((slot(Source::Reported), slot(Source::Context)))
}

/// The same number of two runs, each in its tool's own words.
fn two_runs(
    all: &[&Run],
    context: &Context,
    run: &Run,
    (a, b): (&Slot, &Slot),
) -> Result<(Slot, Slot), String> {
    let second = run_of(all, context, b).filter(|other| other.id != run.id);
    let selected = context.runs.iter().filter_map(|id| all.iter().find(|run| &run.id == id));
    let mut others = selected.chain(all).filter(|other| other.id != run.id);
    let Some(second) = second.or_else(|| others.next().copied()) else {
        return Err("It takes a second run: drop another file.".to_owned());
    };
    let slot = |run: &Run| Slot {
        run: Some(run.id.clone()),
        metric: a.metric,
        stat: fitting(a.metric, a.stat),
        source: Source::Own,
    };
    Ok((slot(run), slot(second)))
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::{slot, two};
    use super::*;

    #[test]
    fn each_mode_has_slots_or_says_why_not() {
        let (one, other) = two();
        let start = ExplainAsk {
            a: Some(slot(&one, Metric::Tpot, Source::Own)),
            b: Some(slot(&one, Metric::Itl, Source::Own)),
            ..ExplainAsk::default()
        };
        let found = modes(&[&one, &other], &Context::default(), &start);
        assert_eq!(
            found.iter().map(|choice| choice.mode).collect::<Vec<_>>(),
            [Mode::SameRows, Mode::Reported, Mode::TwoRuns]
        );
        for choice in &found {
            let ask = choice.ask.as_ref().unwrap();
            let view = super::super::explain(&[&one, &other], &[], &Context::default(), ask);
            assert_eq!((view.trouble, view.mode), (None, Some(choice.mode)));
        }
        let mut bare = one.clone();
        (bare.requests, bare.reported.values) = (None, Vec::new());
        let alone = modes(&[&bare], &Context::default(), &start);
        assert!(alone.iter().all(|choice| choice.ask.is_none() && choice.why_not.ends_with('.')));
    }
}
