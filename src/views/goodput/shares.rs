//! The share of requests that keeps each limit, and all of them, by load.

use super::ask::OutOf;
use super::by_load::past;
use super::sweep::Sweep;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Better, Bracket, Flag, Point, Series};
use crate::metrics::Within;
use crate::model::LimitMetric;
use crate::views::Context;
use crate::views::capacity::percent;
use crate::views::slo::limit_name;

/// Markers of limits by their place: the shapes of runs, in the ink of what is no run. The disc is left
/// to all limits together.
const MARKERS: [u8; 7] = [1, 3, 2, 4, 5, 6, 7];

/// Builds the chart; `None` where no load has a known share.
pub(super) fn chart(sweep: &Sweep<'_, '_>, context: &Context) -> Option<Spec> {
    let line = |name: &str, key: String, of: &dyn Fn(usize) -> Option<Within>| {
        let points: Vec<Point> = sweep
            .placed()
            .filter_map(|(at, x, _)| {
                let share = of(at)?;
                // A share within bounds is a band and no point.
                let bounded = sweep.bounds.get(at).is_some_and(Option::is_some);
                (!bounded).then(|| Point {
                    key: format!("{key}/{at}"),
                    x,
                    y: share.high * 100.0,
                    hollow: share.exact().is_none(),
                    tip: vec![
                        ("load".to_owned(), sweep.load(at)),
                        (name.to_owned(), percent(share)),
                    ],
                    ..Point::default()
                })
            })
            .collect();
        Series {
            name: name.to_owned(),
            strong: true,
            line: points.len() > 1,
            end_label: Some(name.to_owned()),
            points,
            ..Series::default()
        }
    };
    let binding = binding(sweep);
    let mut all = line("all limits", "all".to_owned(), &|at| sweep.share(at));
    (all.style, all.baseline) = (sweep.style(), true);
    if let Some(peak) = sweep.peak().filter(|_| sweep.curve.points.len() > 1) {
        let key = format!("all/{}", peak.index);
        let at_peak = all.points.iter_mut().filter(|point| point.key == key);
        at_peak.for_each(|point| point.flag = Some(Flag::Peak { text: String::new() }));
    }
    let mut series = vec![all];
    for (place, limit) in context.limits.iter().enumerate() {
        let share = |at: usize| sweep.share_within(at, place, limit).ok();
        let binds = binding.as_ref().is_some_and(|found| found.metric == limit.metric);
        series.push(Series {
            style: MARKERS.get(place % MARKERS.len()).copied().unwrap_or(1),
            neutral: true,
            dashed: !binds,
            worse: binds,
            ..line(&limit_name(limit.metric), format!("limit-{place}"), &share)
        });
    }
    series.retain(|series| !series.points.is_empty());
    let edges: Vec<(f64, f64, f64)> = sweep
        .placed()
        .filter_map(|(at, x, _)| {
            let bounds = sweep.bounds.get(at)?.as_ref()?;
            Some((x, bounds.share.low * 100.0, bounds.share.high * 100.0))
        })
        .collect();
    let bounded = (edges.len() > 1).then(|| Band {
        style: sweep.style(),
        text: vec!["the share within".to_owned(), "all limits lies in here".to_owned()],
        edges,
    });
    if series.is_empty() && bounded.is_none() {
        return None;
    }
    let title = match &binding {
        Some(found) if found.to_the_end && found.from < found.to => {
            format!("From {} on, {} fails most", sweep.load(found.from), found.limit)
        }
        Some(found) => format!("{} fails most", found.limit),
        None if series.is_empty() => {
            "The share within the limits is known within bounds only".to_owned()
        }
        None if left_open(sweep) => "Which limit fails most can’t be told from bounds".to_owned(),
        None => "Every request keeps every limit".to_owned(),
    };
    let bracket = binding.and_then(|found| {
        let (low, high) = (sweep.x(found.from)?, sweep.x(found.to)?);
        (high > low).then(|| Bracket {
            low,
            high,
            text: format!("{} binds", found.limit),
            worse: true,
        })
    });
    let ends = series.iter().filter_map(|series| {
        let last = series.points.last()?;
        Some(format!("{} {}", series.name, last.tip.last()?.1))
    });
    let last = sweep.load(sweep.curve.points.len().saturating_sub(1));
    let ends: Vec<String> = ends.collect();
    let at_the_end = match ends.as_slice() {
        [] => String::new(),
        ends => format!(" At {last}: {}.", ends.join(", ")),
    };
    let of = match sweep.out_of {
        OutOf::Sent => "share of sent",
        OutOf::Finished => "share of finished",
    };
    Some(Spec {
        summary: format!("{title}.{at_the_end}"),
        title,
        stamp: format!("{of} · each limit alone and all together"),
        x: Axis::from_zero(sweep.x_title(), sweep.unit()),
        y: Axis {
            better: Some(Better::Up),
            domain: Some((0.0, 100.0)),
            ..Axis::from_zero("requests within the limit", "%")
        },
        series,
        bands: bounded.into_iter().collect(),
        zones: past(sweep, sweep.peak(), false).into_iter().collect(),
        brackets: bracket.into_iter().collect(),
        ..Spec::default()
    })
}

/// The limit that binds at the highest load that misses any, and the unbroken stretch of loads at whose
/// end it does.
struct Binding {
    metric: LimitMetric,
    limit: String,
    from: usize,
    to: usize,
    to_the_end: bool,
}

/// Whether how many requests keep a limit is known within bounds only.
fn left_open(sweep: &Sweep<'_, '_>) -> bool {
    let judged = sweep.curve.points.iter().filter_map(|point| point.judged.as_ref().ok());
    judged.flat_map(|goodput| &goodput.each).any(|each| each.met.exact().is_none())
}

fn binding(sweep: &Sweep<'_, '_>) -> Option<Binding> {
    let points = &sweep.curve.points;
    let at = |index: usize| points.get(index).and_then(|point| point.binding()).map(|b| b.limit);
    let last = (0..points.len()).rev().find(|index| at(*index).is_some())?;
    let limit = at(last)?;
    let from = (0..=last).rev().take_while(|index| at(*index) == Some(limit)).last()?;
    let to_the_end = last + 1 == points.len();
    let (metric, limit) = (limit.metric, limit_name(limit.metric));
    Some(Binding { metric, limit, from, to: last, to_the_end })
}
