//! Goodput: what the limits let through at each load, which limit binds, and what moving them would give.

mod by_load;
mod map;
mod shares;
mod sweep;

pub use map::{Heat, HeatCell};

use super::Context;
use super::capacity::percent;
use super::curves::{Table, Told, told};
use super::slo::limit_in_words;
use crate::charts::Spec;
use crate::model::{LimitMetric, Run, RunId, Stat};
use crate::units::fixed;
use serde::{Deserialize, Serialize};
use sweep::Sweep;

/// What the screen is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoodputAsk {
    /// A run of the sweep to show; the baseline’s sweep where none is named.
    pub run: Option<RunId>,
    /// A run of the sweep to compare the map with.
    pub other: Option<RunId>,
    /// The metric limited across the map.
    pub x: LimitMetric,
    /// The metric limited upward on the map.
    pub y: LimitMetric,
}

impl Default for GoodputAsk {
    fn default() -> Self {
        Self { run: None, other: None, x: LimitMetric::Ttft, y: LimitMetric::Tpot }
    }
}

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

/// One limit by itself at the goodput peak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitRow {
    /// "TTFT ≤ 250 ms".
    pub limit: String,
    /// "87.0 % meet it at 12 req/s".
    pub met: String,
    /// Whether fewest requests meet this one.
    pub binds: bool,
}

/// The Goodput screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoodputView {
    /// Every sweep and load among the selected runs.
    pub sweeps: Vec<SweepName>,
    /// Which of them is shown.
    pub shown: Option<usize>,
    /// Each limit at the goodput peak, or at the only load.
    pub limits: Vec<LimitRow>,
    /// All limits together there: "68 of 84, 81.0 %" and the interval.
    pub together: Vec<String>,
    /// Goodput by load, with throughput behind it.
    pub by_load: Option<Spec>,
    /// The share of the requests sent within each limit and within all, by load.
    pub shares: Option<Spec>,
    /// The peak under pairs of limits.
    pub map: Option<Heat>,
    /// The same less that of the other sweep.
    pub difference: Option<Heat>,
    /// Both charts as a table.
    pub table: Table,
    /// What the sweep says, in sentences.
    pub said: Vec<String>,
    /// Why there is nothing to draw.
    pub empty: Option<String>,
}

/// Builds the screen for the selected runs.
pub fn goodput(all: &[&Run], context: &Context, ask: &GoodputAsk) -> GoodputView {
    let sweeps = sweep::sweeps(all, context);
    let names: Vec<SweepName> = sweeps
        .iter()
        .filter_map(|sweep| {
            let run = sweep.first()?.run.id.clone();
            Some(SweepName { run, name: sweep.name.clone(), style: sweep.style })
        })
        .collect();
    let holding = |id: &Option<RunId>| {
        let id = id.as_ref()?;
        sweeps.iter().position(|sweep| sweep.holds(id))
    };
    let baseline = context.baseline.clone().or_else(|| context.runs.first().cloned());
    let shown =
        holding(&ask.run).or_else(|| holding(&baseline)).or((!names.is_empty()).then_some(0));
    let view = GoodputView { sweeps: names, shown, ..GoodputView::default() };
    let Some(sweep) = shown.and_then(|at| sweeps.get(at)) else {
        return GoodputView {
            empty: Some("No run is selected. Choose runs in the Library.".to_owned()),
            ..view
        };
    };
    if context.limits.is_empty() {
        let why = "No limit is set. A request is good when it keeps every limit; choose a set, or type your own.";
        return GoodputView { empty: Some(why.to_owned()), ..view };
    }
    let load = |at: usize| sweep.load(at);
    let about = Told { limits: &context.limits, limit_stat: Stat::Mean, load: &load };
    let (limits, together) = at_peak(sweep);
    let other = holding(&ask.other).and_then(|at| sweeps.get(at));
    let map = map::map(sweep, context, ask);
    let difference = other.and_then(|other| map::difference(sweep, other, context, ask));
    GoodputView {
        limits,
        together,
        by_load: by_load::chart(sweep, context),
        shares: shares::chart(sweep, context),
        map,
        difference,
        table: table(sweep, context),
        said: told(&sweep.curve, &about),
        ..view
    }
}

/// Each limit and all together at the peak; at the only load where there is one.
fn at_peak(sweep: &Sweep<'_>) -> (Vec<LimitRow>, Vec<String>) {
    let at = sweep.curve.goodput_peak.map_or(0, |peak| peak.index);
    let Some(Ok(goodput)) = sweep.curve.points.get(at).map(|point| &point.judged) else {
        return (Vec::new(), Vec::new());
    };
    let row = |(place, each): (usize, &crate::metrics::LimitShare)| LimitRow {
        limit: limit_in_words(&each.limit),
        met: format!("{} meet it at {}", percent(each.share), sweep.load(at)),
        binds: goodput.binding == Some(place),
    };
    let at_most = if goodput.good.exact().is_some() { "" } else { "at most " };
    let mut together = vec![format!(
        "{at_most}{} of {}, {}",
        fixed(goodput.good.high, 0),
        fixed(goodput.of, 0),
        percent(goodput.share)
    )];
    together.extend(goodput.interval.map(|interval| {
        let [low, high] = [interval.low, interval.high].map(|end| fixed(end * 100.0, 0));
        format!("95 % interval {low} to {high} %")
    }));
    (goodput.each.iter().enumerate().map(row).collect(), together)
}

fn table(sweep: &Sweep<'_>, context: &Context) -> Table {
    let mut head = vec!["Load".to_owned(), "Goodput, req/s".to_owned(), "Served, req/s".to_owned()];
    head.extend(context.limits.iter().map(|limit| format!("{}, %", limit_in_words(limit))));
    head.push("All limits, %".to_owned());
    head.push("Binds".to_owned());
    let rows =
        (0..sweep.curve.points.len()).map(|at| sweep.row(at, context.limits.len())).collect();
    Table { head, rows }
}
