//! Goodput by load, with throughput behind it and what is lost between the two.

use super::ask::Counted;
use super::sweep::{Peak, Sweep};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Better, Bracket, Flag, Guide, Hatched, Point, Series, Zone};
use crate::units::significant;
use crate::views::Context;
use crate::views::capacity::upper;
use crate::views::numbers::count;
use crate::views::slo::limits_in_words;

/// Builds the chart; `None` where no load has a place or a number.
pub(super) fn chart(sweep: &Sweep<'_, '_>, context: &Context) -> Option<Spec> {
    let peak = sweep.peak();
    let good = good(sweep, peak);
    let served = served(sweep);
    let bounds: Vec<(f64, f64, f64)> = sweep
        .placed()
        .filter_map(|(at, x, _)| sweep.bound(at).map(|bounds| (x, bounds.low, bounds.high)))
        .collect();
    if good.is_empty() && bounds.is_empty() && served.is_empty() {
        return None;
    }
    let widest = sweep.placed().map(|(_, x, _)| x).fold(0.0, f64::max);
    let bands = bands(sweep, &good, &served, &bounds);
    let inner = peak.filter(|peak| !peak.at_edge);
    let x_of = |at: usize| sweep.x(at);
    let bracket = inner.and_then(|peak| {
        let before = peak.index.checked_sub(1)?;
        Some(Bracket {
            low: x_of(before)?,
            high: x_of(peak.index + 1)?,
            text: format!(
                "bracketed by {} and {}",
                sweep.label(before),
                sweep.label(peak.index + 1)
            ),
            worse: false,
        })
    });
    let guide =
        (sweep.of_rates() && sweep.counted == Counted::Requests && !sweep.per_gpu()).then(|| {
            Guide { from: (0.0, 0.0), to: (widest, widest), text: "sent = served".to_owned() }
        });
    let title = title(sweep, peak, &bounds);
    let line = |name: &str, points: Vec<Point>, own: bool| Series {
        name: name.to_owned(),
        style: sweep.style(),
        strong: true,
        baseline: own,
        neutral: !own,
        line: points.len() > 1,
        end_label: Some(name.to_owned()),
        points,
        ..Series::default()
    };
    let series = [line("goodput", good, true), line("throughput", served, false)];
    let noun = match sweep.counted {
        Counted::Requests => "good requests ÷ duration",
        Counted::Tokens => "output tokens of good requests ÷ duration",
    };
    let per = if sweep.per_gpu() { " ÷ GPUs" } else { "" };
    let (hatched, notes) = (hatched(sweep), notes(sweep));
    Some(Spec {
        summary: summary(&title, sweep, peak, &bounds, &notes),
        title,
        stamp: format!("goodput · {} · {noun}{per}", limits_in_words(&context.limits)),
        notes,
        x: Axis::from_zero(sweep.x_title(), sweep.unit()),
        y: Axis {
            better: Some(Better::Up),
            ..Axis::from_zero(sweep.counted.id(), sweep.rate_unit())
        },
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        bands,
        guides: guide.into_iter().collect(),
        zones: past(sweep, peak, true).into_iter().collect(),
        brackets: bracket.into_iter().collect(),
        hatched,
        ..Spec::default()
    })
}

/// The loads past the peak; nothing where it may lie beyond.
pub(super) fn past(sweep: &Sweep<'_, '_>, peak: Option<Peak>, said: bool) -> Option<Zone> {
    let peak = peak.filter(|peak| !peak.at_edge)?;
    let text = said.then(|| "past the peak".to_owned());
    Some(Zone { from: sweep.x(peak.index)?, style: None, text })
}

fn good(sweep: &Sweep<'_, '_>, peak: Option<Peak>) -> Vec<Point> {
    let unit = sweep.rate_unit();
    let point = |(at, x, point): (usize, f64, &crate::metrics::CurvePoint)| {
        let within = sweep.good(at)?;
        let at_most = if within.exact().is_some() { "" } else { "≤ " };
        let flag = peak.filter(|peak| peak.index == at).map(|_| Flag::Peak {
            text: format!("{at_most}{} at {}", significant(within.high, 3), sweep.load(at)),
        });
        let interval = sweep.good_interval(at);
        let mut tip = vec![
            ("load".to_owned(), sweep.load(at)),
            ("goodput".to_owned(), format!("{at_most}{} {unit}", significant(within.high, 4))),
        ];
        tip.extend(interval.map(|interval| {
            let [low, high] = [interval.low, interval.high].map(|end| significant(end, 3));
            ("95 % interval".to_owned(), format!("{low} to {high} {unit}"))
        }));
        let served = sweep.served(at);
        tip.extend(served.map(|v| ("served".to_owned(), format!("{} {unit}", significant(v, 4)))));
        let share = sweep.share(at).map(crate::views::capacity::percent);
        tip.extend(share.map(|share| ("within all limits".to_owned(), share)));
        if let Some(binding) = point.binding() {
            let words = crate::views::slo::limit_in_words(&binding.limit);
            tip.push(("binds".to_owned(), words));
        }
        Some(Point {
            key: format!("good/{at}"),
            x,
            y: within.high,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            hollow: within.exact().is_none(),
            flag,
            tip,
            ..Point::default()
        })
    };
    sweep.placed().filter_map(point).collect()
}

fn served(sweep: &Sweep<'_, '_>) -> Vec<Point> {
    let unit = sweep.rate_unit();
    let point = |(at, x, _): (usize, f64, &crate::metrics::CurvePoint)| {
        let y = sweep.served(at)?;
        let mut tip = vec![
            ("load".to_owned(), sweep.load(at)),
            ("served".to_owned(), format!("{} {unit}", significant(y, 4))),
        ];
        tip.extend(sweep.bound(at).map(|bound| {
            let [low, high] = [bound.low, bound.high].map(|end| significant(end, 3));
            ("goodput lies in".to_owned(), format!("{low} to {high} {unit}"))
        }));
        Some(Point { key: format!("served/{at}"), x, y, tip, ..Point::default() })
    };
    sweep.placed().filter_map(point).collect()
}

fn bands(
    sweep: &Sweep<'_, '_>,
    good: &[Point],
    served: &[Point],
    bounds: &[(f64, f64, f64)],
) -> Vec<Band> {
    let lost: Vec<(f64, f64, f64)> = good
        .iter()
        .filter_map(|point| {
            let served = served.iter().find(|other| (other.x - point.x).abs() < f64::EPSILON)?;
            Some((point.x, point.y, served.y))
        })
        .collect();
    let band = |edges: Vec<(f64, f64, f64)>, words: [&str; 2]| {
        let text = words.map(str::to_owned).to_vec();
        (edges.len() > 1).then(|| Band { style: sweep.style(), text, edges })
    };
    let lost = band(lost, ["served, but", "misses a limit"]);
    let bounded = band(bounds.to_vec(), ["goodput lies", "in here"]);
    lost.into_iter().chain(bounded).collect()
}

/// Stretches around loads of which nothing is known, half way to their neighbours.
fn hatched(sweep: &Sweep<'_, '_>) -> Vec<Hatched> {
    let unknown: Vec<usize> = sweep.unknown().into_iter().map(|(at, _)| at).collect();
    let half = |at: usize, other: Option<usize>, fallback: f64| {
        let own = sweep.x(at)?;
        let other = other.and_then(|other| sweep.x(other));
        Some(other.map_or(own + fallback, |other| f64::midpoint(own, other)))
    };
    let mut stretches: Vec<Hatched> = Vec::new();
    let runs = unknown.chunk_by(|a, b| a + 1 == *b);
    for run in runs {
        let (Some(first), Some(last)) = (run.first().copied(), run.last().copied()) else {
            continue;
        };
        // Past an end of the sweep: half of its load further.
        let reach = |at: usize| sweep.x(at).unwrap_or_default() * 0.5;
        let ends = half(first, first.checked_sub(1), -reach(first)).zip(half(
            last,
            Some(last + 1),
            reach(last),
        ));
        let Some((from, to)) = ends else { continue };
        let text = vec!["not measured".to_owned(), format!("in {}", sweep.runs.name)];
        stretches.push(Hatched { from, to, text });
    }
    stretches
}

/// The finding: the peak, or the bounds within which it must lie.
fn title(sweep: &Sweep<'_, '_>, peak: Option<Peak>, bounds: &[(f64, f64, f64)]) -> String {
    let unit = sweep.rate_unit();
    let Some(peak) = peak else {
        let known = (0..sweep.curve.points.len()).filter_map(|at| sweep.good(at));
        let known = known.filter(|good| good.high > 0.0).map(|good| (good.low, good.high));
        let ends: Vec<(f64, f64)> =
            bounds.iter().map(|(_, low, high)| (*low, *high)).chain(known).collect();
        let most = ends.iter().map(|(_, high)| *high).fold(0.0, f64::max);
        let least = ends.iter().map(|(low, _)| *low).fold(0.0, f64::max);
        return if !ends.is_empty() {
            format!(
                "Goodput peaks somewhere between {} and {} {unit}",
                significant(least, 3),
                significant(most, 3)
            )
        } else if (0..sweep.curve.points.len()).any(|at| sweep.good(at).is_some()) {
            "No request keeps all limits at any load".to_owned()
        } else {
            format!("Goodput is not measured in {}", sweep.runs.name)
        };
    };
    let at_most = if peak.value.exact().is_some() { "" } else { "at most " };
    let edge = if peak.at_edge { ", at the edge of the sweep" } else { "" };
    let value = significant(peak.value.high, 3);
    let load = sweep.load(peak.index);
    let what = match sweep.counted {
        Counted::Requests => "good requests a second",
        Counted::Tokens => "tokens of good requests a second",
    };
    let each = if sweep.per_gpu() { " and GPU" } else { "" };
    match sweep.curve.points.len() {
        1 => format!("{at_most}{value} {what}{each} at {load}"),
        _ => format!("Peak {at_most}{value} {what}{each}, at {load}{edge}"),
    }
}

fn summary(
    title: &str,
    sweep: &Sweep<'_, '_>,
    peak: Option<Peak>,
    bounds: &[(f64, f64, f64)],
    notes: &[String],
) -> String {
    let unit = sweep.rate_unit();
    let mut said = vec![format!("{}.", upper(title))];
    let last = sweep.curve.points.len().saturating_sub(1);
    let value = |at: usize| sweep.good(at).map(|good| significant(good.high, 4));
    if let (Some(_), Some(first), Some(end)) = (peak.filter(|_| last > 0), value(0), value(last)) {
        said.push(format!(
            "{}: goodput {first} {unit} at {}, {end} {unit} at {}.",
            count(last + 1, "load"),
            sweep.load(0),
            sweep.load(last)
        ));
    }
    if let (Some(first), Some(end)) = (sweep.served(0), sweep.served(last).filter(|_| last > 0)) {
        said.push(format!(
            "Served in all: {} to {} {unit}.",
            significant(first, 4),
            significant(end, 4)
        ));
    }
    if !bounds.is_empty() {
        said.push(format!("{} known within bounds only.", count(bounds.len(), "load")));
    }
    said.extend(notes.iter().cloned());
    said.join(" ")
}

/// What the picture can’t show.
fn notes(sweep: &Sweep<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    let said = |gpus: &u32| sweep.per_gpu() && *gpus > 0;
    let mut typed = sweep.runs.measured.iter().filter(|m| m.run.load.gpus.is_none());
    if let Some(gpus) = typed.find_map(|m| m.run.said_gpus.filter(said)) {
        notes.push(format!(
            "{} as typed: the file does not say how many served.",
            count(gpus as usize, "GPU")
        ));
    }
    if (0..sweep.curve.points.len()).any(|at| sweep.bound(at).is_some()) {
        notes.push(
            "Band: the file holds printed percentiles and no requests, so the share of requests within the limits is \
             known only between two of them."
                .to_owned(),
        );
    }
    let because =
        sweep.curve.points.iter().find_map(|point| point.judged.as_ref().ok()?.because.clone());
    notes.extend(because.map(|because| format!("Hollow: an upper bound, {because}.")));
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (at, because) in sweep.unknown() {
        match reasons.iter_mut().find(|(known, _)| *known == because) {
            Some((_, loads)) => loads.push(sweep.label(at)),
            None => reasons.push((because, vec![sweep.label(at)])),
        }
    }
    notes.extend(reasons.into_iter().map(|(because, loads)| {
        let loads = loads.join(", ");
        let why = match because.as_str() {
            "" => "the file does not tell".to_owned(),
            because => because.to_owned(),
        };
        format!("Not measured in {} at {loads} {}: {why}.", sweep.runs.name, sweep.unit())
    }));
    notes
}
