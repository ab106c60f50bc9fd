//! The goodput peak under pairs of limits, as a map; and the difference of two such maps.

use super::GoodputAsk;
use super::sweep::Sweep;
use crate::metrics::{MapAxis, MapCell, around, limit_map};
use crate::model::{Limit, LimitMetric};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::labels::trimmed;
use crate::views::slo::{limit_name, limits_in_words};
use serde::{Deserialize, Serialize};

/// A map over two limits: columns with x, rows with y, the loosest limit of y on top.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Heat {
    /// The finding.
    pub title: String,
    /// What a cell is, and which limits are held.
    pub stamp: String,
    /// "TTFT limit, ms".
    pub x_title: String,
    /// "TPOT limit, ms".
    pub y_title: String,
    /// The limits across, as text.
    pub x: Vec<String>,
    /// The limits upward, the loosest first.
    pub y: Vec<String>,
    /// One row a limit of y.
    pub rows: Vec<Vec<HeatCell>>,
    /// The bins: least value of each, with its step.
    pub key: Vec<(String, u8)>,
}

/// One pair of limits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeatCell {
    /// "8.9", "≤ 8.9", "+1.2"; a dash where it can’t be had.
    pub text: String,
    /// "@12": the load of the peak. Empty on a difference.
    pub load: String,
    /// Which bin, from 0; none without a number. On a difference 4 is none, more is better.
    pub step: Option<u8>,
    /// Whether it is the pair of limits that is set.
    pub chosen: bool,
    /// The cell in words.
    pub tip: String,
}

/// Bins of a map.
const STEPS: u8 = 8;

/// The grid of a map: the two axes around the limits that are set.
struct Grid {
    x: MapAxis,
    y: MapAxis,
    chosen: (usize, usize),
}

fn grid(context: &Context, ask: &GoodputAsk) -> Option<Grid> {
    let set = |metric: LimitMetric| {
        context.limits.iter().find(|limit| limit.metric == metric).and_then(Limit::constant)
    };
    if ask.x == ask.y {
        return None;
    }
    let (x, y) = (set(ask.x)?, set(ask.y)?);
    let axis = |metric, chosen| MapAxis { metric, millis: around(chosen) };
    let place = |axis: &MapAxis, chosen: f64| {
        axis.millis.iter().position(|millis| (millis - chosen).abs() < 1e-9)
    };
    let (x_axis, y_axis) = (axis(ask.x, x), axis(ask.y, y));
    let chosen = (place(&x_axis, x)?, place(&y_axis, y)?);
    Some(Grid { x: x_axis, y: y_axis, chosen })
}

type Cells = Vec<Vec<Option<MapCell>>>;

fn cells(sweep: &Sweep<'_>, context: &Context, grid: &Grid) -> Cells {
    limit_map(&sweep.loads(), &context.limits, &grid.x, &grid.y)
}

/// The map of one sweep; nothing where one of the two limits is not set, or no cell has a number.
pub(super) fn map(sweep: &Sweep<'_>, context: &Context, ask: &GoodputAsk) -> Option<Heat> {
    let grid = grid(context, ask)?;
    let cells = cells(sweep, context, &grid);
    // No request at all is good: that is no bin of its own, and would darken all others.
    let values = || {
        let all = cells.iter().flatten().flatten().map(|cell| cell.goodput.high);
        all.filter(|value| *value > 0.0)
    };
    let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let bin = bin(low, high);
    let first = (low / bin).floor();
    let step = |value: f64| ((value / bin).floor() - first).clamp(0.0, f64::from(STEPS - 1)) as u8;
    let cell = |cell: &Option<MapCell>| match cell {
        None => HeatCell {
            text: "—".to_owned(),
            tip: "goodput can’t be had".to_owned(),
            ..HeatCell::default()
        },
        Some(found) if found.goodput.high <= 0.0 => HeatCell {
            text: "0.0".to_owned(),
            tip: "no request is good at any load".to_owned(),
            ..HeatCell::default()
        },
        Some(found) => {
            let at_most = if found.goodput.exact().is_some() { "" } else { "≤ " };
            let edge = if found.at_edge { ", at the edge of the sweep" } else { "" };
            let value = significant(found.goodput.high, 2);
            HeatCell {
                text: format!("{at_most}{value}"),
                load: format!("@{}", sweep.label(found.load)),
                step: Some(step(found.goodput.high)),
                chosen: false,
                tip: format!(
                    "{at_most}{} req/s at {}{edge}",
                    significant(found.goodput.high, 4),
                    sweep.load(found.load)
                ),
            }
        }
    };
    let top = step(high);
    let key = (0..=top).map(|at| (trimmed((first + f64::from(at)) * bin), at)).collect();
    Some(Heat {
        title: finding(&cells, &grid),
        stamp: format!(
            "peak goodput, req/s, and the load that it needs · {}",
            held(context, &grid)
        ),
        rows: rows(&cells, &grid, cell),
        key,
        ..frame(&grid)
    })
}

/// The map of a sweep less that of another.
pub(super) fn difference(
    sweep: &Sweep<'_>,
    other: &Sweep<'_>,
    context: &Context,
    ask: &GoodputAsk,
) -> Option<Heat> {
    let grid = grid(context, ask)?;
    let (own, theirs) = (cells(sweep, context, &grid), cells(other, context, &grid));
    let change = |own: &Option<MapCell>, theirs: &Option<MapCell>| {
        // Two bounds say nothing of their difference.
        let exact = |cell: &Option<MapCell>| cell.as_ref()?.goodput.exact();
        Some(exact(own)? - exact(theirs)?)
    };
    let changes: Vec<Vec<Option<f64>>> = own
        .iter()
        .zip(&theirs)
        .map(|(own, theirs)| own.iter().zip(theirs).map(|(a, b)| change(a, b)).collect())
        .collect();
    let largest = changes.iter().flatten().flatten().fold(0.0_f64, |most, v| most.max(v.abs()));
    let more = changes.iter().flatten().flatten().filter(|v| **v > 0.0).count();
    let known = changes.iter().flatten().flatten().count();
    if known == 0 {
        return None;
    }
    let cell = |change: &Option<f64>| match change {
        None => {
            HeatCell { text: "—".to_owned(), tip: "not known".to_owned(), ..HeatCell::default() }
        }
        Some(change) => {
            let share = if largest > 0.0 { change / largest } else { 0.0 };
            let sign = if *change > 0.0 { "+" } else { "" };
            HeatCell {
                text: format!("{sign}{}", significant(*change, 2)),
                step: Some((4.0 + (share * 4.0).round()).clamp(0.0, 8.0) as u8),
                tip: format!("{sign}{} req/s", significant(*change, 4)),
                ..HeatCell::default()
            }
        }
    };
    Some(Heat {
        title: format!(
            "{} serves more good requests than {} under {} of {} pairs of limits",
            sweep.name,
            other.name,
            fixed(more as f64, 0),
            fixed(known as f64, 0)
        ),
        stamp: format!(
            "peak goodput of {} less that of {}, req/s · {}",
            sweep.name,
            other.name,
            held(context, &grid)
        ),
        rows: rows(&changes, &grid, cell),
        ..frame(&grid)
    })
}

/// The words around a map.
fn frame(grid: &Grid) -> Heat {
    let title = |metric: LimitMetric| format!("{} limit, ms", limit_name(metric));
    Heat {
        x_title: title(grid.x.metric),
        y_title: title(grid.y.metric),
        x: grid.x.millis.iter().map(|millis| trimmed(*millis)).collect(),
        y: grid.y.millis.iter().rev().map(|millis| trimmed(*millis)).collect(),
        ..Heat::default()
    }
}

/// The rows from the loosest limit of y down, the pair that is set marked.
fn rows<T>(cells: &[Vec<T>], grid: &Grid, cell: impl Fn(&T) -> HeatCell) -> Vec<Vec<HeatCell>> {
    let rows = cells.iter().enumerate().rev();
    rows.map(|(y, row)| {
        let row = row.iter().enumerate();
        row.map(|(x, value)| HeatCell { chosen: (x, y) == grid.chosen, ..cell(value) }).collect()
    })
    .collect()
}

/// "E2E ≤ 900 ms held", where another limit is set.
fn held(context: &Context, grid: &Grid) -> String {
    let others = context.limits.iter().copied();
    let others: Vec<Limit> = others
        .filter(|limit| limit.metric != grid.x.metric && limit.metric != grid.y.metric)
        .collect();
    if others.is_empty() {
        "no other limit".to_owned()
    } else {
        format!("{} held", limits_in_words(&others))
    }
}

/// "Looser limits gain at most 13 %", from the cell that is set to the loosest of both.
fn finding(cells: &Cells, grid: &Grid) -> String {
    let (x, y) = grid.chosen;
    let value = |row: Option<&Vec<Option<MapCell>>>, at: Option<usize>| {
        row?.get(at?).copied().flatten().map(|cell| cell.goodput.high)
    };
    let own = value(cells.get(y), Some(x));
    let last = grid.x.millis.len().checked_sub(1);
    match own.zip(value(cells.last(), last)) {
        Some((own, loosest)) if own > 0.0 => {
            format!("Looser limits gain at most {} %", fixed((loosest / own - 1.0) * 100.0, 0))
        }
        _ => "No request keeps the limits that are set; looser ones let some through".to_owned(),
    }
}

/// The width of a bin, 1, 2 or 5 times a power of ten, so that the range takes at most eight.
fn bin(low: f64, high: f64) -> f64 {
    let span = (high - low).max(high * 1e-3).max(f64::MIN_POSITIVE);
    let raw = span / f64::from(STEPS - 1);
    let power = 10_f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|by| by * power).find(|bin| *bin >= raw).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_takes_at_most_eight_bins() {
        for (low, high) in [(0.5, 10.0), (4.8, 10.1), (0.001, 0.002), (3.0, 3.0), (1.0, 900.0)] {
            let bin = bin(low, high);
            assert!((high / bin).floor() - (low / bin).floor() < 8.0, "{low} {high}: {bin}");
        }
    }
}
