//! The chart of one metric over the load: lines, peaks, knees, limits, saturation.

use super::points::{Curve, Load};
use super::{Across, CurveAxes, LoadAxis, model};
use crate::charts::Spec;
use crate::charts::spec::{
    Axis, Better, Bracket, Flag, Frame, Limit as LimitLine, Point, Scaling, Series, Side, Which,
    Zone,
};
use crate::metrics::{Place, Spread, Steadiness, Support, Value, beaten_by, stamp};
use crate::model::{Limit, LimitMetric, Metric, Stat};
use crate::units::significant;
use crate::views::Context;
use crate::views::labels::trimmed;
use crate::views::measure::is_run_level;
use crate::views::numbers::count;

/// From this ratio between the largest and the smallest value on, a time axis is logarithmic.
const LOG_RATIO: f64 = 20.0;

/// Builds the chart; `None` when no load has both coordinates.
pub(super) fn chart(
    curves: &[Curve<'_>],
    axes: CurveAxes,
    frame: Frame,
    context: &Context,
) -> Option<Spec> {
    let beaten = beaten(curves, axes);
    let mut series = Vec::new();
    let mut zones = Vec::new();
    let mut brackets = Vec::new();
    for (curve, by) in curves.iter().zip(&beaten) {
        let analysis = curve.analysis(axes, context);
        let points = points(curve, axes, frame, &analysis, by);
        if points.is_empty() {
            continue;
        }
        let x_of = |at: usize| curve.loads.get(at).and_then(|load| load.x(axes.x));
        if curve.loads.len() > 1
            && axes.x.follows_load()
            && let Some(from) = analysis.saturated_from.and_then(x_of)
        {
            let said = zones.is_empty() && frame == Frame::Main;
            zones.push(Zone {
                from,
                style: Some(style(curve)),
                text: said.then(|| {
                    // Without send times the rate that was asked for stands in.
                    let sent = curve.loads.iter().all(|load| load.sent_rate().is_some());
                    let rate = if sent { "sent" } else { "asked for" };
                    format!("saturated: serves under 90 % of the rate {rate}")
                }),
            });
        }
        if let Some(peak) = &analysis.goodput_peak
            && let [Some(low), Some(high)] = peak.between
            && !peak.at_edge
            && frame == Frame::Main
            && curve.baseline
        {
            let label = |at: Option<usize>| {
                at.and_then(|at| curve.loads.get(at)).map_or("", |load| load.label.as_str())
            };
            let (before, after) = (label(peak.index.checked_sub(1)), label(Some(peak.index + 1)));
            brackets.push(Bracket {
                low: low.min(high),
                high: low.max(high),
                text: format!("peak bracketed by {before} and {after}"),
                worse: false,
            });
        }
        series.push(Series {
            name: curve.name.clone(),
            style: style(curve),
            strong: series.len() < 8,
            baseline: curve.baseline,
            line: points.len() > 1,
            end_label: (frame == Frame::Main).then(|| curve.name.clone()),
            points,
            ..Series::default()
        });
    }
    if series.is_empty() {
        return None;
    }
    // Drawn first lies on top: the baseline.
    series.sort_by_key(|s| !s.baseline);
    // What joins measured points lies under them.
    let frontier = (axes.frontier && frame == Frame::Main).then(|| frontier(curves, axes, &beaten));
    let log = axes.log.unwrap_or_else(|| spans_a_ratio(&series, axes.y));
    let mut notes = if frame == Frame::Main { unsteady(curves) } else { Vec::new() };
    if frame == Frame::Main && axes.x == Across::Load(LoadAxis::OutputPerGpu) {
        notes.extend(curves.iter().filter_map(typed_gpus));
    }
    let mut said = summary(&series, axes);
    if let Some(model) = model::model(curves, axes, frame, &series) {
        // Drawn first lies on top: what was measured stays in front.
        series.extend(model.series);
        said.extend(model.summary);
        notes.extend(model.notes.into_iter().filter(|_| frame == Frame::Main));
    }
    if let Some((line, sentence)) = frontier.flatten() {
        series.push(line);
        said.push(sentence);
    }
    let spec = Spec {
        title: match frame {
            Frame::Main => title(curves, axes, context),
            Frame::Small | Frame::Spark => small_title(curves, axes, context),
        },
        stamp: stamp_text(curves, axes, context),
        summary: said.join(" "),
        notes,
        frame,
        x: Axis {
            title: axes.x.title(),
            unit: axes.x.unit().to_owned(),
            scale: if log_across(&series, axes.x) {
                Scaling::Log
            } else {
                Scaling::Linear { from_zero: true }
            },
            better: axes.x.better(),
            domain: None,
        },
        y: Axis {
            title: y_title(axes),
            unit: axes.y.unit().symbol().to_owned(),
            scale: if log { Scaling::Log } else { Scaling::Linear { from_zero: true } },
            better: better(axes.y),
            domain: None,
        },
        limits: limits(axes, context),
        series,
        zones,
        brackets,
        ..Spec::default()
    };
    Some(spec)
}

pub(super) fn style(curve: &Curve<'_>) -> u8 {
    u8::try_from(curve.style % 256).unwrap_or(0)
}

fn points(
    curve: &Curve<'_>,
    axes: CurveAxes,
    frame: Frame,
    analysis: &super::points::Analysis,
    beaten: &[Option<String>],
) -> Vec<Point> {
    curve
        .loads
        .iter()
        .enumerate()
        .filter_map(|(at, load)| {
            let value = load.y(axes.y, axes.stat);
            let peak = analysis.goodput_peak.as_ref().filter(|p| p.index == at);
            let knee = analysis.knee == Some(at);
            let text = peak.map(|p| format!("{} at {}", peak_text(p.value), load.title));
            let spread = if frame == Frame::Main {
                load.spread(axes.y, axes.stat)
            } else {
                Spread::default()
            };
            let ends = spread.interval.map(|(ends, _)| ends);
            let mut tip = tip(load, axes, &value);
            if let Some(by) = beaten.get(at).cloned().flatten() {
                tip.push(("beaten by".to_owned(), by));
            }
            Some(Point {
                key: load.key(),
                x: load.x(axes.x)?,
                y: value.number()?,
                hollow: weak(load, axes) || value.exact().is_none(),
                rising: frame == Frame::Main && load.steady().verdict == Steadiness::Growing,
                label: (frame == Frame::Main).then(|| load.label.clone()),
                flag: match (text, knee) {
                    (Some(text), true) => Some(Flag::PeakAndKnee { text }),
                    (Some(text), false) => Some(Flag::Peak { text }),
                    (None, true) => Some(Flag::Knee),
                    (None, false) => None,
                },
                tip,
                low: ends.map(|ends| ends.low),
                high: ends.map(|ends| ends.high),
                ceiling: frame == Frame::Main && analysis.throughput_peak == Some(at),
                ticks: spread.each.iter().filter_map(Value::number).collect(),
                asked: load.fell_short_of().filter(|_| {
                    matches!(axes.x, Across::Load(LoadAxis::Sent | LoadAxis::Achieved))
                }),
                ..Point::default()
            })
        })
        .filter(|point| point.x.is_finite() && point.y.is_finite())
        .collect()
}

/// Of each load of each curve, who beats it on the axes shown: "vLLM at 12 req/s".
pub(super) fn beaten(curves: &[Curve<'_>], axes: CurveAxes) -> Vec<Vec<Option<String>>> {
    let loads =
        || curves.iter().flat_map(|curve| curve.loads.iter().map(move |load| (curve, load)));
    let places: Vec<Place> = loads().map(|(_, load)| load.place(axes)).collect();
    let named: Vec<(&Curve<'_>, &Load<'_>)> = loads().collect();
    let mut by = beaten_by(&places).into_iter().map(|by| {
        let (curve, load) = named.get(by?)?;
        Some(format!("{} at {}", curve.name, load.title))
    });
    curves.iter().map(|curve| by.by_ref().take(curve.loads.len()).collect()).collect()
}

/// The loads that no other beats on the axes shown, joined from left to right, and who they are; nothing
/// of a single one.
fn frontier(
    curves: &[Curve<'_>],
    axes: CurveAxes,
    beaten: &[Vec<Option<String>>],
) -> Option<(Series, String)> {
    let loads = curves.iter().zip(beaten).flat_map(|(curve, by)| {
        curve.loads.iter().zip(by).map(move |(load, by)| (curve, load, by))
    });
    let mut points: Vec<Point> = loads
        .filter(|(_, load, by)| by.is_none() && load.place(axes).is_some())
        .filter_map(|(curve, load, _)| {
            let (x, y) = (load.x(axes.x)?, load.y(axes.y, axes.stat).number()?);
            let named = format!("{} at {}", curve.name, load.title);
            let tip = vec![("no load beats".to_owned(), named)];
            Some(Point { key: format!("frontier/{}", load.key()), x, y, tip, ..Point::default() })
        })
        .filter(|point| point.x.is_finite() && point.y.is_finite())
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let named = |point: &Point| point.tip.first().map(|(_, named)| named.clone());
    let who: Vec<String> = points.iter().filter_map(named).collect();
    (points.len() > 1).then(|| {
        let line = Series {
            name: "Pareto frontier".to_owned(),
            strong: true,
            neutral: true,
            line: true,
            bare: true,
            points,
            ..Series::default()
        };
        (line, format!("On the frontier: {}.", who.join(", ")))
    })
}

/// Whether the statistic rests on fewer than ten samples beyond it.
pub(super) fn weak(load: &Load<'_>, axes: CurveAxes) -> bool {
    let Stat::Percentile(p) = axes.stat else { return false };
    let measured = load.measured.measured(axes.y);
    measured
        .and_then(|m| m.summary())
        .and_then(|s| s.quantile(p))
        .is_some_and(|q| q.support != Support::Plain)
}

fn tip(load: &Load<'_>, axes: CurveAxes, value: &Value) -> Vec<(String, String)> {
    let mut lines = vec![("load".to_owned(), load.title.clone())];
    if let Some(y) = value.number() {
        let unit = axes.y.unit().symbol();
        lines.push((y_title(axes), format!("{} {unit}", significant(y, 3))));
    }
    if let Some(x) = load.x(axes.x) {
        lines.push((axes.x.title(), format!("{} {}", significant(x, 3), axes.x.unit())));
    }
    if let Ok((goodput, exact)) = load.goodput() {
        let at_most = if exact { "" } else { "≤ " };
        lines.push(("goodput".to_owned(), format!("{at_most}{} req/s", significant(goodput, 3))));
    }
    if load.steady().verdict == Steadiness::Growing {
        lines.push(("steady state".to_owned(), "none at this load".to_owned()));
    }
    lines
}

/// "8.86", or "≤ 8.86" where goodput is known as an upper bound only.
fn peak_text((value, exact): (f64, bool)) -> String {
    format!("{}{}", if exact { "" } else { "≤ " }, significant(value, 3))
}

fn spans_a_ratio(series: &[Series], y: Metric) -> bool {
    let values = || series.iter().flat_map(|s| &s.points).map(|p| p.y);
    let largest = values().fold(f64::MIN, f64::max);
    let smallest = values().fold(f64::MAX, f64::min);
    !is_run_level(y) && smallest > 0.0 && largest / smallest > LOG_RATIO
}

/// Whether a metric that goes right spans so much that it takes a logarithmic axis. A load never does.
fn log_across(series: &[Series], x: Across) -> bool {
    let Across::Metric(metric, _) = x else { return false };
    let values = || series.iter().flat_map(|s| &s.points).map(|p| p.x);
    let largest = values().fold(f64::MIN, f64::max);
    let smallest = values().fold(f64::MAX, f64::min);
    !is_run_level(metric) && smallest > 0.0 && largest / smallest > LOG_RATIO
}

/// "TTFT p99", "Output throughput".
pub(super) fn y_title(axes: CurveAxes) -> String {
    if is_run_level(axes.y) {
        return axes.y.name().to_owned();
    }
    let stat = match axes.stat {
        Stat::Median => "p50".to_owned(),
        other => other.name(),
    };
    format!("{} {stat}", axes.y.name())
}

const fn better(metric: Metric) -> Option<Better> {
    match metric {
        Metric::Ttft
        | Metric::Tpot
        | Metric::Itl
        | Metric::E2e
        | Metric::QueueWait
        | Metric::FirstAnswer
        | Metric::WholePerToken
        | Metric::ChunkGap => Some(Better::Down),
        Metric::RequestThroughput
        | Metric::OutputThroughput
        | Metric::InputThroughput
        | Metric::TotalThroughput
        | Metric::UserSpeed
        | Metric::Goodput
        | Metric::SloShare => Some(Better::Up),
        _ => None,
    }
}

/// Whether a limit is a line on the axis of `y`: one on the ITL of each request is none on pooled ITL.
fn is_drawn(limit: &Limit, y: Metric) -> bool {
    limit.metric.metric() == y && !matches!(limit.metric, LimitMetric::Itl(_))
}

fn limits(axes: CurveAxes, context: &Context) -> Vec<LimitLine> {
    let across = match axes.x {
        Across::Metric(metric, _) => Some((Which::X, metric)),
        Across::Load(_) => None,
    };
    let sides = [Some((Which::Y, axes.y)), across].into_iter().flatten();
    let line = |axis: Which, limit: &Limit| {
        let millis = limit.constant()?;
        let label = format!("SLO {} ms", trimmed(millis));
        Some(LimitLine { axis, value: millis, label, fails: Side::Above })
    };
    sides
        .flat_map(|(axis, metric)| {
            let drawn = context.limits.iter().filter(move |limit| is_drawn(limit, metric));
            drawn.filter_map(move |limit| line(axis, limit))
        })
        .collect()
}

fn stamp_text(curves: &[Curve<'_>], axes: CurveAxes, context: &Context) -> String {
    let loads = || curves.iter().flat_map(|c| &c.loads);
    let counts: Vec<usize> =
        loads().filter_map(|l| l.measured.measured(axes.y)?.summary().map(|s| s.n)).collect();
    let support = match (counts.iter().min(), counts.iter().max()) {
        (Some(low), Some(high)) if low == high => format!(" · n {low} a point"),
        (Some(low), Some(high)) => format!(" · n {low} to {high} a point"),
        _ => String::new(),
    };
    let definition = if context.ruler == crate::views::Ruler::Own {
        "each run in its own tool’s words".to_owned()
    } else {
        loads().next().map_or_else(String::new, |l| stamp(axes.y, &l.measured.settings))
    };
    let without: usize = loads().map(|l| l.measured.evaluation.counts.excluded).sum();
    let left_out = match without {
        0 => String::new(),
        n => format!(" · {} left out by hand", count(n, "request")),
    };
    format!("{} · {definition}{support}{left_out}", y_title(axes))
}

/// The finding of a chart: where goodput peaks, or what is plotted.
fn title(curves: &[Curve<'_>], axes: CurveAxes, context: &Context) -> String {
    let lead = lead(curves);
    if let Some(curve) = lead
        && let Some(peak) = curve.analysis(axes, context).goodput_peak
        && let Some(load) = curve.loads.get(peak.index)
    {
        let edge = if peak.at_edge { ", at the edge of the sweep" } else { "" };
        return format!(
            "{}: goodput peaks at {}, {} req/s within limits{edge}",
            curve.name,
            load.title,
            peak_text(peak.value)
        );
    }
    lead.and_then(|curve| Some(format!("{}: {}", curve.name, course(curve, axes)?)))
        .unwrap_or_else(|| format!("{} of {}", y_title(axes), count(curves.len(), "run")))
}

/// The sweep that titles speak of: the baseline's, or else the first.
fn lead<'a, 'b>(curves: &'a [Curve<'b>]) -> Option<&'a Curve<'b>> {
    let sweeps = || curves.iter().filter(|c| c.loads.len() > 1);
    sweeps().find(|c| c.baseline).or_else(|| sweeps().next())
}

/// The finding of a small chart: whether its own limit is kept, or from where to where it goes.
fn small_title(curves: &[Curve<'_>], axes: CurveAxes, context: &Context) -> String {
    let Some(curve) = lead(curves) else { return y_title(axes) };
    let whose = if curves.len() > 1 { format!("{}: ", curve.name) } else { String::new() };
    let limit = context.limits.iter().filter(|l| is_drawn(l, axes.y)).find_map(Limit::constant);
    let said = match limit {
        Some(millis) => kept(curve, axes, millis),
        None if better(axes.y) == Some(Better::Up) => top(curve, axes),
        None => course(curve, axes),
    };
    format!("{whose}{}", said.unwrap_or_else(|| y_title(axes)))
}

/// "E2E p99 passes 900 ms at 12 req/s", "TPOT p50 stays within 18 ms". Nothing where no value is known.
fn kept(curve: &Curve<'_>, axes: CurveAxes, limit: f64) -> Option<String> {
    let value = |load: &Load<'_>| load.y(axes.y, axes.stat).number();
    let known = curve.loads.iter().filter(|load| value(load).is_some()).count();
    let over = curve.loads.iter().find(|load| value(load).is_some_and(|v| v > limit));
    let (y, limit) = (y_title(axes), trimmed(limit));
    match over {
        Some(load) => Some(format!("{y} passes {limit} ms at {}", load.title)),
        None if known == 0 => None,
        None if known < curve.loads.len() => {
            Some(format!("{y} stays within {limit} ms where it is known"))
        }
        None => Some(format!("{y} stays within {limit} ms")),
    }
}

/// "Output throughput tops out at 419 tok/s".
fn top(curve: &Curve<'_>, axes: CurveAxes) -> Option<String> {
    let values = curve.loads.iter().filter_map(|load| load.y(axes.y, axes.stat).number());
    let most = values.max_by(f64::total_cmp)?;
    let unit = axes.y.unit().symbol();
    Some(format!("{} tops out at {} {unit}", y_title(axes), significant(most, 3)))
}

/// "TTFT p99 goes from 119 ms at 4 req/s to 5,190 ms at 26 req/s".
fn course(curve: &Curve<'_>, axes: CurveAxes) -> Option<String> {
    let unit = axes.y.unit().symbol();
    let ends = [curve.loads.first()?, curve.loads.last()?].map(|load| {
        let value = load.y(axes.y, axes.stat).number()?;
        Some(format!("{} {unit} at {}", significant(value, 3), load.title))
    });
    let [Some(first), Some(last)] = ends else { return None };
    Some(format!("{} goes from {first} to {last}", y_title(axes)))
}

/// "vLLM: no steady state at 16, 20 and 26 req/s.", one sentence a curve.
fn unsteady(curves: &[Curve<'_>]) -> Vec<String> {
    curves
        .iter()
        .filter_map(|curve| {
            let growing: Vec<&Load<'_>> = curve
                .loads
                .iter()
                .filter(|load| load.steady().verdict == Steadiness::Growing)
                .collect();
            let (last, before) = growing.split_last()?;
            let labels: Vec<&str> = before.iter().map(|load| load.label.as_str()).collect();
            let loads = if labels.is_empty() {
                last.title.clone()
            } else {
                format!("{} and {}", labels.join(", "), last.title)
            };
            let slope = last.steady().slope.unwrap_or_default();
            Some(format!(
                "{}: no steady state at {loads}. At {} {} more requests are in flight every second, and \
                 latency depends on how long the run was.",
                curve.name,
                last.title,
                significant(slope, 2)
            ))
        })
        .collect()
}

/// "vLLM: 4 GPUs as typed: the file does not say how many served.", where a count was typed.
fn typed_gpus(curve: &Curve<'_>) -> Option<String> {
    let runs = curve.loads.iter().flat_map(Load::all).map(|measured| measured.run);
    let mut said = runs.filter(|run| run.load.gpus.is_none()).filter_map(|run| run.said_gpus);
    let gpus = count(said.next()? as usize, "GPU");
    Some(format!("{}: {gpus} as typed: the file does not say how many served.", curve.name))
}

fn summary(series: &[Series], axes: CurveAxes) -> Vec<String> {
    let unit = axes.y.unit().symbol();
    series
        .iter()
        .filter_map(|s| {
            let (first, last) = (s.points.first()?, s.points.last()?);
            let peak = s
                .points
                .iter()
                .find_map(|p| Some(format!("; goodput peak {}", p.flag.as_ref()?.peak()?)))
                .unwrap_or_default();
            if s.points.len() == 1 {
                let at = first.tip.first().map_or("", |(_, load)| load.as_str());
                let value = significant(first.y, 3);
                return Some(format!(
                    "{}: 1 point, {} {value} {unit} at {at}.",
                    s.name,
                    y_title(axes)
                ));
            }
            Some(format!(
                "{}: {} points, {} from {} to {} {unit}{peak}.",
                s.name,
                s.points.len(),
                y_title(axes),
                significant(first.y, 3),
                significant(last.y, 3)
            ))
        })
        .collect()
}
