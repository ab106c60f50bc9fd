//! The share of the requests sent that keeps each limit, and all of them, by load.

use super::sweep::Sweep;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Better, Bracket, Point, Series};
use crate::metrics::Within;
use crate::units::fixed;
use crate::views::Context;
use crate::views::slo::limit_name;

/// Builds the chart; `None` where no load has a known share.
pub(super) fn chart(sweep: &Sweep<'_>, context: &Context) -> Option<Spec> {
    let line = |name: &str, own: bool, of: &dyn Fn(usize) -> Option<Within>| {
        let points: Vec<Point> = sweep
            .placed()
            .filter_map(|(at, x, _)| {
                let share = of(at)?;
                Some(Point {
                    key: format!("{name}/{at}"),
                    x,
                    y: share.high * 100.0,
                    hollow: share.exact().is_none(),
                    tip: vec![
                        ("load".to_owned(), sweep.load(at)),
                        (name.to_owned(), format!("{} %", fixed(share.high * 100.0, 1))),
                    ],
                    ..Point::default()
                })
            })
            .collect();
        Series {
            name: name.to_owned(),
            style: u8::try_from(sweep.style % 256).unwrap_or(0),
            strong: true,
            baseline: own,
            neutral: !own,
            dashed: !own,
            line: points.len() > 1,
            end_label: Some(name.to_owned()),
            points,
            ..Series::default()
        }
    };
    let points = &sweep.curve.points;
    let mut series = vec![line("all limits", true, &|at| points.get(at)?.share)];
    for (place, limit) in context.limits.iter().enumerate() {
        let share = |at: usize| {
            let judged = points.get(at)?.judged.as_ref().ok()?;
            judged.each.get(place).map(|each| each.share)
        };
        series.push(line(&limit_name(limit.metric), false, &share));
    }
    series.retain(|series| !series.points.is_empty());
    if series.is_empty() {
        return None;
    }
    let binding = binding(sweep);
    let title = match &binding {
        Some(found) if found.to_the_end => {
            format!("From {} on, {} fails most", sweep.load(found.from), found.limit)
        }
        Some(found) => format!("{} fails most", found.limit),
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
    Some(Spec {
        summary: format!("{title}."),
        title,
        stamp: "share of sent · each limit alone and all together".to_owned(),
        x: Axis::from_zero(sweep.x_title(), sweep.unit()),
        y: Axis {
            better: Some(Better::Up),
            domain: Some((0.0, 100.0)),
            ..Axis::from_zero("requests within the limit", "%")
        },
        series,
        brackets: bracket.into_iter().collect(),
        ..Spec::default()
    })
}

/// The limit that binds at most loads, and the unbroken stretch of loads at whose end it still does.
struct Binding {
    limit: String,
    from: usize,
    to: usize,
    to_the_end: bool,
}

fn binding(sweep: &Sweep<'_>) -> Option<Binding> {
    let points = &sweep.curve.points;
    let at = |index: usize| points.get(index).and_then(|point| point.binding()).map(|b| b.limit);
    let last = (0..points.len()).rev().find(|index| at(*index).is_some())?;
    let limit = at(last)?;
    let from = (0..=last).rev().take_while(|index| at(*index) == Some(limit)).last()?;
    let to_the_end = last + 1 == points.len();
    Some(Binding { limit: limit_name(limit.metric), from, to: last, to_the_end })
}
