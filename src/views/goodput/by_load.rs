//! Goodput by load, with throughput behind it and what is lost between the two.

use super::sweep::Sweep;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Better, Bracket, Flag, Guide, Point, Series, Zone};
use crate::units::significant;
use crate::views::Context;
use crate::views::numbers::count;
use crate::views::slo::limits_in_words;

/// Builds the chart; `None` where no load has a place or a number.
pub(super) fn chart(sweep: &Sweep<'_>, context: &Context) -> Option<Spec> {
    let peak = sweep.curve.goodput_peak;
    let good: Vec<Point> = sweep
        .placed()
        .filter_map(|(at, x, point)| {
            let within = point.goodput?;
            let flag = peak.filter(|peak| peak.index == at).map(|_| {
                let at_most = if within.exact().is_some() { "" } else { "≤ " };
                Flag::Peak {
                    text: format!("{at_most}{} at {}", significant(within.high, 3), sweep.load(at)),
                }
            });
            let interval = point.goodput_interval;
            Some(Point {
                key: format!("good/{at}"),
                x,
                y: within.high,
                low: interval.map(|i| i.low),
                high: interval.map(|i| i.high),
                hollow: within.exact().is_none(),
                flag,
                tip: vec![
                    ("load".to_owned(), sweep.load(at)),
                    ("goodput".to_owned(), format!("{} req/s", significant(within.high, 4))),
                ],
                ..Point::default()
            })
        })
        .collect();
    let served: Vec<Point> = sweep
        .placed()
        .filter_map(|(at, x, point)| {
            let y = point.request_throughput?;
            let tip = vec![
                ("load".to_owned(), sweep.load(at)),
                ("served".to_owned(), format!("{} req/s", significant(y, 4))),
            ];
            Some(Point { key: format!("served/{at}"), x, y, tip, ..Point::default() })
        })
        .collect();
    let bounds: Vec<(f64, f64, f64)> = sweep
        .placed()
        .filter_map(|(at, x, _)| {
            let bounds = sweep.bounds.get(at).copied().flatten()?.per_second;
            Some((x, bounds.low, bounds.high))
        })
        .collect();
    if good.is_empty() && bounds.is_empty() {
        return None;
    }
    let style = u8::try_from(sweep.style % 256).unwrap_or(0);
    let widest = sweep.placed().map(|(_, x, _)| x).fold(0.0, f64::max);
    let mut bands = Vec::new();
    let lost: Vec<(f64, f64, f64)> = good
        .iter()
        .filter_map(|point| {
            let served = served.iter().find(|other| (other.x - point.x).abs() < f64::EPSILON)?;
            Some((point.x, point.y, served.y))
        })
        .collect();
    if lost.len() > 1 {
        let text = vec!["served, but".to_owned(), "misses a limit".to_owned()];
        bands.push(Band { style, text, edges: lost });
    }
    if bounds.len() > 1 {
        let text = vec!["goodput lies".to_owned(), "in here".to_owned()];
        bands.push(Band { style, text, edges: bounds.clone() });
    }
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
    let zone = inner.and_then(|peak| {
        let text = Some("past the peak".to_owned());
        Some(Zone { from: x_of(peak.index)?, style: None, text })
    });
    let guide = (!sweep.of_caps()).then(|| Guide {
        from: (0.0, 0.0),
        to: (widest, widest),
        text: "sent = served".to_owned(),
    });
    let title = title(sweep, &bounds);
    let line = |name: &str, points: Vec<Point>, own: bool| Series {
        name: name.to_owned(),
        style,
        strong: true,
        baseline: own,
        neutral: !own,
        line: points.len() > 1,
        end_label: Some(name.to_owned()),
        points,
        ..Series::default()
    };
    let series = [line("goodput", good, true), line("throughput", served, false)];
    Some(Spec {
        summary: format!(
            "{title}. {}",
            sweep.curve.goodput_peak.map_or_else(String::new, |peak| {
                format!(
                    "Highest of {}: {} req/s at {}.",
                    count(sweep.curve.points.len(), "load"),
                    significant(peak.value.high, 4),
                    sweep.load(peak.index)
                )
            })
        ),
        title,
        stamp: format!("goodput · {} · good requests ÷ duration", limits_in_words(&context.limits)),
        notes: notes(sweep),
        x: Axis::from_zero(sweep.x_title(), sweep.unit()),
        y: Axis { better: Some(Better::Up), ..Axis::from_zero("requests", "req/s") },
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        bands,
        guides: guide.into_iter().collect(),
        zones: zone.into_iter().collect(),
        brackets: bracket.into_iter().collect(),
        ..Spec::default()
    })
}

/// The finding: the peak, or the bounds within which it must lie.
fn title(sweep: &Sweep<'_>, bounds: &[(f64, f64, f64)]) -> String {
    let Some(peak) = sweep.curve.goodput_peak else {
        let most = bounds.iter().map(|(_, _, high)| *high).fold(0.0, f64::max);
        let least = bounds.iter().map(|(_, low, _)| *low).fold(0.0, f64::max);
        return if bounds.is_empty() {
            "No request keeps all limits at any load".to_owned()
        } else {
            format!(
                "Goodput peaks somewhere between {} and {} req/s",
                significant(least, 3),
                significant(most, 3)
            )
        };
    };
    let at_most = if peak.value.exact().is_some() { "" } else { "at most " };
    let edge = if peak.at_edge { ", at the edge of the sweep" } else { "" };
    format!(
        "Peak {at_most}{} good requests a second, at {}{edge}",
        significant(peak.value.high, 3),
        sweep.load(peak.index)
    )
}

/// What the picture can’t show.
fn notes(sweep: &Sweep<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if sweep.bounds.iter().any(Option::is_some) {
        notes.push(
            "Band: the file holds printed percentiles and no requests, so the share of requests within the limits is \
             known only between two of them."
                .to_owned(),
        );
    }
    let because =
        sweep.curve.points.iter().find_map(|point| point.judged.as_ref().ok()?.because.clone());
    notes.extend(because.map(|because| format!("Hollow: an upper bound, {because}.")));
    notes
}
