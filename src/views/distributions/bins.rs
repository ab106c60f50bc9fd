//! Samples in bins that all runs share: equal ratios on a log axis, equal steps on a linear one.

use super::runs::Drawn;
use super::{DistributionsAsk, lines, said};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Point, Scaling, Series};
use crate::metrics::Distribution;
use crate::units::{fixed, significant};
use crate::views::Context;

/// At most and at least so many bins.
const MOST: f64 = 48.0;
const LEAST: f64 = 8.0;

/// Builds the histogram; `None` where no run has samples.
pub(super) fn histogram(
    runs: &[&Drawn<'_>],
    context: &Context,
    ask: &DistributionsAsk,
) -> Option<Spec> {
    let known: Vec<&Drawn<'_>> =
        runs.iter().filter(|run| run.samples().is_some()).copied().collect();
    let x = lines::values_axis(&known, &DistributionsAsk { value: None, ..ask.clone() })?;
    let log = x.scale.is_log();
    let edges = edges(&known, log)?;
    let series = known.iter().filter_map(|run| bars(run, &x, &edges, ask)).collect();
    let bins = edges.len() - 1;
    let width = match edges.as_slice() {
        [a, b, ..] if log => format!("each {} % wide", fixed((b / a - 1.0) * 100.0, 0)),
        [a, b, ..] => format!("each {} {} wide", significant(b - a, 2), x.unit),
        _ => String::new(),
    };
    let mut notes = said::notes(runs, ask);
    notes.extend(runs.iter().filter(|run| run.samples().is_none()).map(|run| {
        format!("{}: this file has no single requests, so nothing is counted in bins.", run.name())
    }));
    Some(Spec {
        title: said::kinds(&known, ask.metric())
            .unwrap_or_else(|| said::medians(&known, ask.metric())),
        stamp: format!("{} · {bins} bins, {width}", said::stamp(runs, context, ask.metric())),
        summary: said::summary(&known, ask.metric()),
        notes,
        y: if ask.count {
            Axis::from_zero("samples in a bin", "")
        } else {
            Axis::from_zero("share of samples in a bin", "%")
        },
        series,
        x,
        ..Spec::default()
    })
}

/// The edges of the bins, the first under every sample that has a bin and the last at the largest one.
fn edges(runs: &[&Drawn<'_>], log: bool) -> Option<Vec<f64>> {
    let samples = || runs.iter().filter_map(|run| run.samples());
    let first = |samples: &Distribution| {
        samples.steps.iter().find(|step| !log || step.value > 0.0).map(|step| step.value)
    };
    let low = samples().filter_map(first).fold(f64::INFINITY, f64::min);
    let high = samples().map(Distribution::largest).fold(f64::NEG_INFINITY, f64::max);
    if low >= high || !low.is_finite() || !high.is_finite() {
        return None;
    }
    let fewest = samples().map(|samples| samples.n).min().unwrap_or(1);
    // Rice's rule for the run with the fewest samples.
    let count = (2.0 * (fewest as f64).cbrt()).clamp(LEAST, MOST).round();
    let at = |part: f64| {
        if log { low * (high / low).powf(part) } else { low + (high - low) * part }
    };
    let mut edges: Vec<f64> = (0..count as u32).map(|i| at(f64::from(i) / count)).collect();
    edges.push(high);
    Some(edges)
}

fn bars(run: &Drawn<'_>, x: &Axis, edges: &[f64], ask: &DistributionsAsk) -> Option<Series> {
    let samples = run.samples()?;
    let reached = run.subject().at_or_under(ask.metric(), edges).ok()?;
    let log = x.scale.is_log();
    let up = |weight: f64| if ask.count { weight } else { 100.0 * weight / samples.total };
    let id = run.measured.run.id.as_str();
    let below = if log {
        run.subject().at_or_under(ask.metric(), &[0.0]).ok()?.first().copied()?
    } else {
        0.0
    };
    // The smallest sample lies on the first edge and belongs into the first bin.
    let before = std::iter::once(below).chain(reached.iter().skip(1).copied());
    let mut points: Vec<Point> = Vec::with_capacity(edges.len());
    if x.scale == Scaling::LogWithZero {
        points.push(Point {
            key: format!("{id}/zero"),
            x: 0.0,
            y: up(samples.zeros as f64 * samples.total / samples.n.max(1) as f64),
            unmarked: true,
            tip: vec![(
                "exactly 0".to_owned(),
                said::share(samples.zeros as f64, samples, run.noun()),
            )],
            ..Point::default()
        });
    }
    let bins = edges.windows(2).zip(before.zip(reached.iter().skip(1))).enumerate();
    points.extend(bins.filter_map(|(at, (ends, (before, reached)))| {
        let [low, high] = ends else { return None };
        let weight = reached - before;
        let span = [low, high].map(|end| significant(*end, 3));
        Some(Point {
            key: format!("{id}/bin{at}"),
            x: if log { (low * high).sqrt() } else { f64::midpoint(*low, *high) },
            y: up(weight),
            unmarked: true,
            tip: vec![
                ("from".to_owned(), format!("{} to {} {}", span[0], span[1], x.unit)),
                ("in the bin".to_owned(), said::share(weight, samples, run.noun())),
            ],
            ..Point::default()
        })
    }));
    let fullest =
        points.iter().enumerate().max_by(|a, b| a.1.y.total_cmp(&b.1.y)).map(|(at, _)| at);
    Some(Series {
        name: run.name().to_owned(),
        style: run.style,
        strong: true,
        baseline: run.baseline,
        bars: true,
        tag: fullest.map(|at| (at, String::new())),
        points,
        ..Series::default()
    })
}
