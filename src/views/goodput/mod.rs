//! Goodput: what the limits let through at each load, which limit binds, and what moving them would give.

mod ask;
mod bounds;
mod by_load;
mod map;
mod rows;
mod shares;
mod sweep;

pub use ask::{Counted, GoodputAsk, OutOf};
pub use rows::LimitRow;

use super::Context;
use super::capacity::{CapacityCard, Planned, attainment_in_words, capacity};
use super::curves::{Table, Told, told};
use super::quality::HeldBack;
use super::slo::limit_name;
use crate::charts::{Heat, Spec};
use crate::metrics::Replica;
use crate::model::{LimitMetric, Run, RunId, Stat};
use serde::{Deserialize, Serialize};
use sweep::{Runs, Sweep, sweeps};

/// A sweep that can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepName {
    /// Its first run.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// Palette index.
    pub style: usize,
}

/// How many accelerators served a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Served {
    /// As all its files say.
    pub filed: Option<u32>,
    /// As the reader says of runs whose files do not.
    pub said: Option<u32>,
    /// The runs of the sweep.
    pub runs: Vec<RunId>,
}

impl Served {
    fn of(runs: &[&Run]) -> Self {
        let filed = runs.first().and_then(|run| run.load.gpus);
        Self {
            filed: filed.filter(|_| runs.iter().all(|run| run.load.gpus == filed)),
            said: runs.iter().find_map(|run| run.said_gpus),
            runs: runs.iter().map(|run| run.id.clone()).collect(),
        }
    }
}

/// The Goodput screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoodputView {
    /// Every sweep and load among the selected runs.
    pub sweeps: Vec<SweepName>,
    /// Which of them is shown.
    pub shown: Option<usize>,
    /// How many accelerators served it.
    pub gpus: Served,
    /// Runs to be compared, with the words of the button: the peaks of all sweeps, or that of the only one with
    /// its neighbours.
    pub to_compare: Option<(String, Vec<RunId>)>,
    /// Each limit at the goodput peak, or at the only load.
    pub limits: Vec<LimitRow>,
    /// All limits together there: "68 of 84, 81.0 %" and the interval.
    pub together: Vec<String>,
    /// Goodput by load, with throughput behind it.
    pub by_load: Option<Spec>,
    /// The share of the requests within each limit and within all, by load.
    pub shares: Option<Spec>,
    /// Both charts as a table.
    pub table: Table,
    /// What the sweep says, in sentences.
    pub said: Vec<String>,
    /// The highest load that attains the share asked for, as a sentence.
    pub attained: Vec<String>,
    /// The capacity plan of the sweep.
    pub capacity: Vec<CapacityCard>,
    /// Runs that a finding holds back: they are in no sweep until they are let on.
    pub held_back: Vec<HeldBack>,
    /// Why there is nothing to draw.
    pub empty: Option<String>,
}

/// The maps of the Goodput screen, asked for by themselves: they take a count a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoodputMaps {
    /// The pairs of limits that a map can be of.
    pub pairs: Vec<(LimitMetric, LimitMetric)>,
    /// The same in words: "TTFT by TPOT".
    pub names: Vec<String>,
    /// Which of them is shown.
    pub pair: Option<usize>,
    /// The peak under pairs of limits.
    pub map: Option<Heat>,
    /// The same less that of the other sweep.
    pub difference: Option<Heat>,
    /// Why there is no map, as a sentence.
    pub none: Option<String>,
}

/// The sweep that is asked for, the baseline’s, or else the first.
fn shown(sweeps: &[Runs<'_>], context: &Context, ask: &GoodputAsk) -> Option<usize> {
    let baseline = context.baseline.clone().or_else(|| context.runs.first().cloned());
    let first = (!sweeps.is_empty()).then_some(0);
    holding(sweeps, ask.run.as_ref()).or_else(|| holding(sweeps, baseline.as_ref())).or(first)
}

fn holding(sweeps: &[Runs<'_>], id: Option<&RunId>) -> Option<usize> {
    let id = id?;
    sweeps.iter().position(|sweep| sweep.holds(id))
}

/// Builds the screen for the selected runs.
pub fn goodput(all: &[&Run], context: &Context, ask: &GoodputAsk) -> GoodputView {
    let (sweeps, held_back) = sweeps(all, context);
    let names: Vec<SweepName> = sweeps
        .iter()
        .filter_map(|sweep| {
            let run = sweep.measured.first()?.run.id.clone();
            Some(SweepName { run, name: sweep.name.clone(), style: sweep.style })
        })
        .collect();
    let shown = shown(&sweeps, context, ask);
    let view = GoodputView { sweeps: names, shown, held_back, ..GoodputView::default() };
    let Some(runs) = shown.and_then(|at| sweeps.get(at)) else {
        let why = if view.held_back.is_empty() {
            "No run is selected. Choose runs in the Library."
        } else {
            "Every selected run is held back by a finding."
        };
        return GoodputView { empty: Some(why.to_owned()), ..view };
    };
    if context.limits.is_empty() {
        let why = "No limit is set. A request is good when it keeps every limit; choose a set, or type your own.";
        return GoodputView { empty: Some(why.to_owned()), ..view };
    }
    let sweep = Sweep::new(runs, context, ask);
    let view = GoodputView {
        gpus: Served::of(&runs.measured.iter().map(|measured| measured.run).collect::<Vec<_>>()),
        to_compare: to_compare(&sweeps, &sweep, context, ask),
        ..view
    };
    let load = |at: usize| sweep.load(at);
    let bounded = sweep.bounds.iter().any(Option::is_some);
    let about = Told { limits: &context.limits, limit_stat: Stat::Mean, bounded, load: &load };
    let (attained, capacity) = planned(&sweep, context);
    GoodputView {
        limits: rows::limits(&sweep, context),
        together: rows::together(&sweep),
        by_load: by_load::chart(&sweep, context),
        shares: shares::chart(&sweep, context),
        table: rows::table(&sweep, context),
        said: told(&sweep.curve, &about),
        attained,
        capacity,
        ..view
    }
}

/// The runs at the goodput peaks of all sweeps, or at the peak of the only one and beside it.
fn to_compare(
    sweeps: &[Runs<'_>],
    shown: &Sweep<'_, '_>,
    context: &Context,
    ask: &GoodputAsk,
) -> Option<(String, Vec<RunId>)> {
    let run = |sweep: &Sweep<'_, '_>, at: usize| {
        sweep.curve.points.get(at).map(|point| point.run.clone())
    };
    if sweeps.len() > 1 {
        let peaks = sweeps.iter().filter_map(|runs| {
            let sweep = Sweep::new(runs, context, ask);
            run(&sweep, sweep.peak()?.index)
        });
        let peaks: Vec<RunId> = peaks.collect();
        return (peaks.len() > 1).then(|| ("Compare the peaks".to_owned(), peaks));
    }
    let peak = shown.peak()?.index;
    let around = [peak.checked_sub(1), Some(peak), Some(peak + 1)];
    let runs: Vec<RunId> = around.into_iter().flatten().filter_map(|at| run(shown, at)).collect();
    (runs.len() > 1).then(|| ("Compare the peak with its neighbours".to_owned(), runs))
}

/// The highest load that attains the share asked for, and the capacity plan; of a single load neither.
fn planned(sweep: &Sweep<'_, '_>, context: &Context) -> (Vec<String>, Vec<CapacityCard>) {
    if sweep.curve.points.len() < 2 {
        return (Vec::new(), Vec::new());
    }
    let load = |at: usize| sweep.load(at);
    let attained = sweep.curve.attainment.map(|attainment| attainment_in_words(&attainment, &load));
    let gpus: Vec<Option<u32>> = sweep.runs.measured.iter().map(|m| m.run.gpus()).collect();
    let same = gpus.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
    let planned = Planned {
        name: &sweep.runs.name,
        style: sweep.runs.style,
        demand: context.demand,
        gpus: gpus.first().copied().flatten().filter(|_| same),
    };
    let card = capacity(&Replica::of(&sweep.curve), planned, &load);
    (attained.into_iter().collect(), vec![card])
}

/// Builds the maps of the sweep that is shown.
pub fn goodput_maps(all: &[&Run], context: &Context, ask: &GoodputAsk) -> GoodputMaps {
    let (sweeps, _) = sweeps(all, context);
    let pairs = map::pairs(context);
    let chosen = map::pair(context, ask);
    let named =
        |(x, y): &(LimitMetric, LimitMetric)| format!("{} by {}", limit_name(*x), limit_name(*y));
    let maps = GoodputMaps {
        names: pairs.iter().map(named).collect(),
        pair: chosen.and_then(|chosen| pairs.iter().position(|pair| *pair == chosen)),
        pairs,
        ..GoodputMaps::default()
    };
    let Some(runs) = shown(&sweeps, context, ask).and_then(|at| sweeps.get(at)) else {
        return maps;
    };
    if maps.pairs.is_empty() {
        let why = "A map is over two limits that are the same for every request: set another.";
        return GoodputMaps { none: Some(why.to_owned()), ..maps };
    }
    let sweep = Sweep::new(runs, context, ask);
    let other = holding(&sweeps, ask.other.as_ref()).and_then(|at| sweeps.get(at));
    let other = other.filter(|other| other.style != runs.style);
    let other = other.map(|other| Sweep::new(other, context, ask));
    let map = map::map(&sweep, context, ask);
    let without = sweep.curve.points.iter().all(|point| point.judged.is_err());
    let none = if without { "the files hold none" } else { "of these no load has a good one" };
    let why =
        format!("No map: goodput at other limits is counted from single requests, and {none}.");
    GoodputMaps {
        none: map.is_none().then_some(why),
        map,
        difference: other.and_then(|other| map::difference(&sweep, &other, context, ask)),
        ..maps
    }
}
