//! The goodput peak under pairs of limits, as a map; and the difference of two such maps.

use super::ask::{Counted, GoodputAsk};
use super::sweep::Sweep;
use crate::charts::{Heat, HeatCell};
use crate::metrics::{Counting, MapAxis, MapCell, around, limit_map};
use crate::model::{Limit, LimitMetric};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::labels::trimmed;
use crate::views::slo::{limit_name, limits_in_words};

/// Bins of a map.
const STEPS: u8 = 7;

/// The grid of a map: the two axes around the limits that are set.
struct Grid {
    x: MapAxis,
    y: MapAxis,
    chosen: (usize, usize),
}

/// The pairs of limits that a map can be of: both the same for all requests, each once.
pub(super) fn pairs(context: &Context) -> Vec<(LimitMetric, LimitMetric)> {
    let set: Vec<LimitMetric> = context
        .limits
        .iter()
        .filter(|limit| limit.constant().is_some())
        .map(|limit| limit.metric)
        .collect();
    let mut pairs = Vec::new();
    for (at, x) in set.iter().enumerate() {
        let after = set.iter().skip(at + 1).filter(|y| *y != x);
        pairs.extend(after.map(|y| (*x, *y)));
    }
    pairs
}

/// The pair that is asked for, or else the first there is.
pub(super) fn pair(context: &Context, ask: &GoodputAsk) -> Option<(LimitMetric, LimitMetric)> {
    let pairs = pairs(context);
    let asked = [(ask.x, ask.y), (ask.y, ask.x)];
    pairs.iter().find(|pair| asked.contains(pair)).or(pairs.first()).copied()
}

fn grid(context: &Context, ask: &GoodputAsk) -> Option<Grid> {
    let set = |metric: LimitMetric| {
        context.limits.iter().find(|limit| limit.metric == metric).and_then(Limit::constant)
    };
    let (across, up) = pair(context, ask)?;
    let (x, y) = (set(across)?, set(up)?);
    let axis = |metric, chosen| MapAxis { metric, millis: around(chosen) };
    let place = |axis: &MapAxis, chosen: f64| {
        axis.millis.iter().position(|millis| (millis - chosen).abs() < 1e-9)
    };
    let (x_axis, y_axis) = (axis(across, x), axis(up, y));
    let chosen = (place(&x_axis, x)?, place(&y_axis, y)?);
    Some(Grid { x: x_axis, y: y_axis, chosen })
}

type Cells = Vec<Vec<Option<MapCell>>>;

fn cells(sweep: &Sweep<'_, '_>, context: &Context, grid: &Grid) -> Cells {
    let counted: Counting = match sweep.counted {
        Counted::Requests => |goodput| &goodput.per_second,
        Counted::Tokens => |goodput| &goodput.tokens_per_second,
    };
    limit_map(&sweep.loads(), &context.limits, &grid.x, &grid.y, counted)
}

/// The map of one sweep; nothing where one of the two limits is not set, or no cell has a number.
pub(super) fn map(sweep: &Sweep<'_, '_>, context: &Context, ask: &GoodputAsk) -> Option<Heat> {
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
    let unit = sweep.counted.unit();
    let one = |line: &str, words: String| vec![(line.to_owned(), words)];
    let cell = |cell: &Option<MapCell>| match cell {
        None => HeatCell {
            text: "—".to_owned(),
            tip: one("peak goodput", "can’t be had".to_owned()),
            ..HeatCell::default()
        },
        Some(found) if found.goodput.high <= 0.0 => HeatCell {
            text: "0.0".to_owned(),
            value: Some(0.0),
            tip: one("peak goodput", "no request is good at any load".to_owned()),
            ..HeatCell::default()
        },
        Some(found) => {
            let at_most = if found.goodput.exact().is_some() { "" } else { "≤ " };
            let edge = if found.at_edge { ", at the edge of the sweep" } else { "" };
            HeatCell {
                text: format!("{at_most}{}", significant(found.goodput.high, 2)),
                under: format!("@{}", sweep.label(found.load)),
                value: Some(found.goodput.high),
                step: Some(step(found.goodput.high)),
                tip: vec![
                    (
                        "peak goodput".to_owned(),
                        format!("{at_most}{} {unit}", significant(found.goodput.high, 4)),
                    ),
                    ("at".to_owned(), format!("{}{edge}", sweep.load(found.load))),
                ],
                ..HeatCell::default()
            }
        }
    };
    let top = step(high);
    let key = (0..=top).map(|at| (trimmed((first + f64::from(at)) * bin), at)).collect();
    let title = finding(&cells, &grid);
    Some(Heat {
        summary: format!(
            "{title}. The peak under {} pairs of limits goes from {} to {} {unit}.",
            grid.x.millis.len() * grid.y.millis.len(),
            significant(low, 3),
            significant(high, 3)
        ),
        title,
        stamp: format!(
            "peak goodput, {unit}, and the load that it needs · {}",
            held(context, &grid)
        ),
        unit: unit.to_owned(),
        rows: rows(&cells, &grid, cell),
        key,
        ..frame(&grid)
    })
}

/// The map of a sweep less that of another.
pub(super) fn difference(
    sweep: &Sweep<'_, '_>,
    other: &Sweep<'_, '_>,
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
    let unit = sweep.counted.unit();
    let cell = |change: &Option<f64>| match change {
        None => HeatCell {
            text: "—".to_owned(),
            tip: vec![("difference".to_owned(), "not known".to_owned())],
            ..HeatCell::default()
        },
        Some(change) => {
            let share = if largest > 0.0 { change / largest } else { 0.0 };
            let signed = |digits| {
                let size = significant(change.abs(), digits);
                if *change > 0.0 {
                    format!("+{size}")
                } else if *change < 0.0 {
                    format!("−{size}")
                } else {
                    size
                }
            };
            HeatCell {
                text: signed(2),
                value: Some(*change),
                step: Some((4.0 + (share * 4.0).round()).clamp(0.0, 8.0) as u8),
                tip: vec![("difference".to_owned(), format!("{} {unit}", signed(4)))],
                ..HeatCell::default()
            }
        }
    };
    let title = format!(
        "{} serves more good {} than {} under {} of {} pairs of limits",
        sweep.runs.name,
        sweep.counted.id(),
        other.runs.name,
        fixed(more as f64, 0),
        fixed(known as f64, 0)
    );
    Some(Heat {
        summary: format!("{title}; the largest difference is {} {unit}.", significant(largest, 3)),
        title,
        stamp: format!(
            "peak goodput of {} less that of {}, {unit} · {}",
            sweep.runs.name,
            other.runs.name,
            held(context, &grid)
        ),
        unit: unit.to_owned(),
        diverging: true,
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
        toward: "looser".to_owned(),
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
        row.map(|(x, value)| HeatCell {
            key: format!("{x}/{y}"),
            chosen: (x, y) == grid.chosen,
            ..cell(value)
        })
        .collect()
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
    fn a_range_takes_at_most_seven_bins_and_the_one_of_its_end() {
        for (low, high) in [(0.5, 10.0), (4.8, 10.1), (0.001, 0.002), (3.0, 3.0), (1.0, 900.0)] {
            let bin = bin(low, high);
            assert!((high / bin).floor() - (low / bin).floor() < 8.0, "{low} {high}: {bin}");
        }
    }
}
