//! What can be put into the slots, and what a choice in one means for the other.

use super::{ExplainAsk, Slot, Source};
use crate::metrics::bridge::{Mode, Side};
use crate::metrics::{PRESETS, own};
use crate::model::{Metric, Run, RunId, Stat};
use crate::views::measure::base;
use crate::views::{Context, Ruler, labels};
use serde::{Deserialize, Serialize};

/// Statistics that a slot offers besides the one that it holds.
const STATS: [Stat; 7] = [
    Stat::Mean,
    Stat::Median,
    Stat::Percentile(90.0),
    Stat::Percentile(95.0),
    Stat::Percentile(99.0),
    Stat::Max,
    Stat::Std,
];

/// What a slot can hold, each with its words. What it holds is among them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SlotChoices {
    /// The loaded runs.
    pub runs: Vec<(RunId, String)>,
    /// The metrics.
    pub metrics: Vec<(Metric, String)>,
    /// The statistics; empty for a metric that is one number for the run.
    pub stats: Vec<(Stat, String)>,
    /// By whose definition.
    pub sources: Vec<(Source, String)>,
}

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

/// One choice in a slot.
#[derive(Debug, Clone, PartialEq)]
pub enum Chosen {
    /// Another run.
    Run(RunId),
    /// Another metric.
    Metric(Metric),
    /// Another statistic.
    Stat(Stat),
    /// Another definition.
    Source(Source),
}

impl ExplainAsk {
    /// The slot of one side.
    pub const fn slot(&self, side: Side) -> Option<&Slot> {
        match side {
            Side::A => self.a.as_ref(),
            Side::B => self.b.as_ref(),
        }
    }

    /// With another choice in one slot. The other follows where no definition would lead from the one
    /// number to the other: to a metric of the same unit, and off a printed number of another run.
    #[must_use]
    pub fn choose(&self, side: Side, chosen: Chosen) -> Self {
        let (Some(a), Some(b)) = (&self.a, &self.b) else { return self.clone() };
        let (mut own, mut other) = match side {
            Side::A => (a.clone(), b.clone()),
            Side::B => (b.clone(), a.clone()),
        };
        match chosen {
            Chosen::Run(run) => own.run = Some(run),
            Chosen::Metric(metric) => {
                own.metric = metric;
                own.stat = fitting(metric, own.stat);
                if other.metric.unit() != metric.unit() {
                    (other.metric, other.stat) = (metric, own.stat);
                }
                // What the tool printed is of one metric: both sides are of it.
                if own.source == Source::Reported || other.source == Source::Reported {
                    (other.metric, other.stat) = (metric, own.stat);
                }
            }
            Chosen::Stat(stat) => {
                own.stat = stat;
                if own.source == Source::Reported || other.source == Source::Reported {
                    other.stat = stat;
                }
            }
            Chosen::Source(source) => {
                if source == Source::Reported {
                    (other.metric, other.stat) = (own.metric, own.stat);
                }
                own.source = source;
            }
        }
        if own.run != other.run {
            for slot in [&mut own, &mut other] {
                if slot.source == Source::Reported {
                    slot.source = Source::Own;
                }
            }
        }
        let (a, b) = match side {
            Side::A => (own, other),
            Side::B => (other, own),
        };
        // An order names the dimensions that differ, and these are others now; so is the request.
        Self { a: Some(a), b: Some(b), average: self.average, ..Self::default() }
    }

    /// With A and B changed about; `None` where the walk can only go one way, from a printed number.
    #[must_use]
    pub fn swapped(&self) -> Option<Self> {
        let printed =
            |slot: &Option<Slot>| slot.as_ref().is_some_and(|slot| slot.source == Source::Reported);
        if printed(&self.a) || printed(&self.b) {
            return None;
        }
        Some(Self { a: self.b.clone(), b: self.a.clone(), ..self.clone() })
    }

    /// With the step at `from` in the place of the one at `to`; `steps` are the ids in the order in
    /// force.
    #[must_use]
    pub fn moved(&self, steps: &[String], from: usize, to: usize) -> Self {
        let mut order = steps.to_vec();
        if from < order.len() && to < order.len() {
            let step = order.remove(from);
            order.insert(to, step);
        }
        // Those that are told together are several dimensions.
        let order = order.iter().flat_map(|id| id.split('+')).map(str::to_owned).collect();
        Self { order, ..self.clone() }
    }
}

/// A statistic that a metric has.
fn fitting(metric: Metric, stat: Stat) -> Stat {
    match stat {
        _ if !metric.is_distribution() => Stat::Value,
        Stat::Value => Stat::Mean,
        stat => stat,
    }
}

/// What the slot of one side can hold.
pub(super) fn choices(
    all: &[&Run],
    context: &Context,
    ask: &ExplainAsk,
    side: Side,
) -> SlotChoices {
    let Some(slot) = ask.slot(side) else { return SlotChoices::default() };
    let run = run_of(all, context, slot);
    let names = labels::distinct_names(all);
    let runs = all.iter().map(|run| run.id.clone()).zip(names).collect();
    let metrics =
        Metric::ALL.into_iter().map(|metric| (metric, metric.name().to_owned())).collect();
    let mut stats: Vec<(Stat, String)> = Vec::new();
    if slot.metric.is_distribution() {
        let more = (!STATS.contains(&slot.stat)).then_some(slot.stat);
        stats.extend(STATS.into_iter().chain(more).map(|stat| (stat, stat_words(stat))));
    }
    // The walk goes from a printed number to the rows of the same run.
    let together = ask.slot(side.other()).and_then(|other| run_of(all, context, other));
    let prints = run.filter(|run| {
        side == Side::A
            && together.is_some_and(|other| other.id == run.id)
            && run.reported.find(slot.metric, fitting(slot.metric, slot.stat)).is_some()
    });
    let mut sources = vec![
        (Source::Own, run.map_or_else(|| "its tool’s own".to_owned(), own_words)),
        (Source::Context, format!("ruler in force: {}", ruler_words(&context.ruler))),
    ];
    if prints.is_some() || slot.source == Source::Reported {
        sources.push((Source::Reported, "as printed".to_owned()));
    }
    sources.extend(PRESETS.iter().map(|preset| {
        let ruler = Ruler::Same { preset: preset.id.to_owned(), changes: [].into() };
        (Source::Ruler(ruler.clone()), format!("as {}", ruler_words(&ruler)))
    }));
    if let Source::Ruler(ruler @ Ruler::Same { changes, .. }) = &slot.source
        && !changes.is_empty()
    {
        sources.push((slot.source.clone(), format!("as {}", ruler_words(ruler))));
    }
    SlotChoices { runs, metrics, stats, sources }
}

/// The run of a slot; the baseline where it names none.
fn run_of<'a>(all: &[&'a Run], context: &Context, slot: &Slot) -> Option<&'a Run> {
    let wanted = slot.run.as_ref().or(context.baseline.as_ref()).or(context.runs.first());
    match wanted {
        Some(id) => all.iter().find(|run| &run.id == id).copied(),
        None => all.first().copied(),
    }
}

fn own_words(run: &Run) -> String {
    format!("as {} (own)", own(run).preset.name)
}

/// “common ruler”, “vLLM”, “common ruler, 2 changes”.
fn ruler_words(ruler: &Ruler) -> String {
    let Ruler::Same { preset, changes } = ruler else { return "each tool’s own".to_owned() };
    let base = base(preset);
    let name = if base.id == "common" { "common ruler" } else { base.name };
    match changes.len() {
        0 => name.to_owned(),
        1 => format!("{name}, 1 change"),
        n => format!("{name}, {n} changes"),
    }
}

fn stat_words(stat: Stat) -> String {
    match stat {
        Stat::Max => "largest".to_owned(),
        Stat::Min => "smallest".to_owned(),
        Stat::Std => "standard deviation".to_owned(),
        other => other.name(),
    }
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
    use super::*;
    use crate::metrics::testing::run;
    use crate::model::ReportedValue;

    /// Two runs whose files hold chunks of several tokens; the first prints its TPOT.
    fn two() -> (Run, Run) {
        let mut first = run(&[(100.0, &[40.0, 40.0], 6.0)]);
        first.id = RunId::parse("0123456789ab").unwrap();
        first.reported.values.push(ReportedValue {
            field: "mean_tpot_ms".into(),
            metric: Metric::Tpot,
            stat: Stat::Mean,
            value: 16.0,
            scale: 1.0,
        });
        let mut second = run(&[(90.0, &[30.0, 30.0], 5.0)]);
        second.id = RunId::parse("ba9876543210").unwrap();
        (first, second)
    }

    fn slot(run: &Run, metric: Metric, source: Source) -> Slot {
        Slot { run: Some(run.id.clone()), metric, stat: Stat::Mean, source }
    }

    fn ask(a: Slot, b: Slot) -> ExplainAsk {
        ExplainAsk { a: Some(a), b: Some(b), order: vec!["tpot".into()], ..ExplainAsk::default() }
    }

    #[test]
    fn a_metric_of_another_unit_takes_the_other_slot_along() {
        let (one, _) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Itl, Source::Own));
        let kept = start.choose(Side::A, Chosen::Metric(Metric::E2e));
        assert_eq!(kept.b.as_ref().map(|b| b.metric), Some(Metric::Itl), "both are in ms");
        assert!(kept.order.is_empty(), "the order was of other steps");
        let moved = start.choose(Side::B, Chosen::Metric(Metric::OutputThroughput));
        for side in [Side::A, Side::B] {
            let slot = moved.slot(side).unwrap();
            assert_eq!((slot.metric, slot.stat), (Metric::OutputThroughput, Stat::Value));
        }
        let back = moved.choose(Side::A, Chosen::Metric(Metric::Ttft));
        assert_eq!(back.b.map(|b| (b.metric, b.stat)), Some((Metric::Ttft, Stat::Mean)));
    }

    #[test]
    fn a_printed_number_is_walked_to_its_own_rows_only() {
        let (one, other) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Itl, Source::Own));
        let printed = start.choose(Side::A, Chosen::Source(Source::Reported));
        assert_eq!(printed.b.as_ref().map(|b| b.metric), Some(Metric::Tpot));
        assert_eq!(printed.swapped(), None);
        let apart = printed.choose(Side::B, Chosen::Run(other.id.clone()));
        assert_eq!(apart.a.map(|a| a.source), Some(Source::Own));
        let all = [&one, &other];
        let offers = |ask: &ExplainAsk, side| {
            let found = choices(&all, &Context::default(), ask, side);
            found.sources.iter().any(|(source, _)| *source == Source::Reported)
        };
        assert!(offers(&start, Side::A) && !offers(&start, Side::B));
        let apart = start.choose(Side::B, Chosen::Run(other.id.clone()));
        assert!(!offers(&apart, Side::A), "of two runs neither is printed");
    }

    #[test]
    fn what_a_slot_holds_is_among_its_choices() {
        let (one, other) = two();
        let changes = [("tpot".to_owned(), "whole-over-n".to_owned())].into();
        let ruler = Ruler::Same { preset: "common".into(), changes };
        let held = Slot {
            stat: Stat::Percentile(99.9),
            ..slot(&one, Metric::Tpot, Source::Ruler(ruler.clone()))
        };
        let ask = ask(held.clone(), held.clone());
        let found = choices(&[&one, &other], &Context::default(), &ask, Side::A);
        assert!(found.runs.iter().any(|(id, _)| Some(id) == held.run.as_ref()));
        assert!(found.stats.iter().any(|(stat, words)| *stat == held.stat && words == "p99.9"));
        let words = found.sources.iter().find(|(source, _)| *source == held.source);
        assert_eq!(words.map(|(_, words)| words.as_str()), Some("as common ruler, 1 change"));
    }

    #[test]
    fn swapping_twice_changes_nothing_and_moving_keeps_every_step() {
        let (one, other) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&other, Metric::Itl, Source::Own));
        assert_eq!(start.swapped().and_then(|ask| ask.swapped()), Some(start.clone()));
        let steps =
            ["itl/tpot".to_owned(), "window+window-edge".to_owned(), "weighting".to_owned()];
        let moved = start.moved(&steps, 2, 0);
        assert_eq!(moved.order, ["weighting", "itl/tpot", "window", "window-edge"]);
        assert_eq!(
            start.moved(&steps, 7, 0).order.len(),
            4,
            "a place that is not there moves nothing"
        );
    }

    #[test]
    fn each_mode_has_slots_or_says_why_not() {
        let (one, other) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Itl, Source::Own));
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
