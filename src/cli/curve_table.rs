//! The curves as text: a table for a terminal, Markdown, CSV.

use super::curve::{ALL_STAGES, Curves, Measured, Series, ends, origin, words};
use super::output::{TextTable, escape_markdown};
use crate::metrics::{Axis, CurvePoint, GoodputResult, Value, Within, place, stamp};
use crate::model::{Metric, RunId, Stat};
use crate::units::{fixed, significant};
use crate::views::curves::{AxisWords, axis_words};
use crate::views::slo::limits_in_words;
use std::io::{self, Write};

/// A place across: whole loads are written whole.
fn across(value: &Value) -> String {
    match value {
        Value::Exact(v) if v.fract().abs() < 1e-9 => fixed(*v, 0),
        value => shown(value),
    }
}

/// "12.3", "≥ 12.3", "12.3 printed", "–".
fn shown(value: &Value) -> String {
    match value {
        Value::Exact(v) => significant(*v, 4),
        Value::Reported(v) => format!("{} printed", significant(*v, 4)),
        Value::AtLeast(v) => format!("≥ {}", significant(*v, 4)),
        Value::AtMost(v) => format!("≤ {}", significant(*v, 4)),
        Value::Between(low, high) => {
            format!("{} to {}", significant(*low, 4), significant(*high, 4))
        }
        Value::Missing(_) => "–".to_owned(),
    }
}

fn within(value: Option<Within>, factor: f64) -> String {
    match value {
        None => "–".to_owned(),
        Some(within) => match within.exact() {
            Some(v) => significant(v * factor, 4),
            None => format!("≤ {}", significant(within.high * factor, 4)),
        },
    }
}

fn head(words: &AxisWords) -> String {
    if words.unit.is_empty() {
        words.name.clone()
    } else {
        format!("{}, {}", words.name, words.unit)
    }
}

/// The points of all series.
fn table(found: &Curves<'_>) -> TextTable {
    let (x, y) = (axis_words(found.x), axis_words(found.y));
    let limits = !found.ask.limits.is_empty();
    let mut table =
        TextTable::new(&["load", &head(&x), &head(&y), "95 % interval", "n"], &[1, 2, 4]);
    if limits {
        table.head.extend(["goodput, req/s".into(), "within limits, %".into(), "binds".into()]);
        table.numbers.extend([5, 6]);
    }
    table.head.push("marks".into());
    for (at, series) in found.series.iter().enumerate() {
        for (index, point) in series.curve.points.iter().enumerate() {
            let mut row = vec![
                series.load(index),
                across(&point.x),
                shown(&point.y),
                point.y_spread.interval.map_or_else(
                    || "–".to_owned(),
                    |(ends, _)| {
                        format!("{} to {}", significant(ends.low, 3), significant(ends.high, 3))
                    },
                ),
                point.n.to_string(),
            ];
            if limits {
                row.push(within(point.goodput, 1.0));
                row.push(within(point.share, 100.0));
                row.push(point.binding().map_or_else(String::new, |b| b.limit.to_string()));
            }
            row.push(marks(found, at, index));
            table.row(row);
        }
    }
    table
}

/// "goodput peak, knee, beaten by vLLM at 12 req/s".
fn marks(found: &Curves<'_>, at: usize, index: usize) -> String {
    let Some(series) = found.series.get(at) else { return String::new() };
    let curve = &series.curve;
    let mut marks = Vec::new();
    let mut mark = |is: bool, word: &str| {
        if is {
            marks.push(word.to_owned());
        }
    };
    let alone = curve.points.len() < 2;
    mark(!alone && curve.goodput_peak.is_some_and(|p| p.index == index), "goodput peak");
    mark(!alone && curve.throughput_peak.is_some_and(|p| p.index == index), "throughput peak");
    mark(curve.knee.as_ref().is_ok_and(|k| k.index == index), "knee");
    mark(curve.saturated_from.is_some_and(|from| index >= from), "saturated");
    let repeats = curve.points.get(index).map_or(0, |point| point.runs.len());
    mark(repeats > 1, &format!("{repeats} runs"));
    let by = found.beaten.get(at).and_then(|of| of.get(index)).copied().flatten();
    match by.and_then(|(other, point)| Some((found.series.get(other)?, other, point))) {
        Some((_, other, point)) if other == at => {
            marks.push(format!("beaten by {}", series.load(point)));
        }
        Some((by, _, point)) => marks.push(format!("beaten by {} at {}", by.name, by.load(point))),
        None => {
            let placed = curve
                .points
                .get(index)
                .is_some_and(|p| place((found.x, &p.x), (found.y, &p.y)).is_some());
            if placed {
                marks.push("frontier".to_owned());
            }
        }
    }
    marks.join(", ")
}

/// One row a point, with every digit.
pub(super) fn csv(found: &Curves<'_>) -> TextTable {
    let (x, y) = (axis_words(found.x), axis_words(found.y));
    let mut table = TextTable::new(
        &[
            "series",
            "run",
            "name",
            "runs",
            "load",
            "x_id",
            "x_unit",
            "x",
            "y_id",
            "y_unit",
            "y",
            "y_low",
            "y_high",
            "origin",
            "requested_rate",
            "achieved_rate",
            "request_throughput",
            "goodput",
            "goodput_low",
            "goodput_high",
            "share_of_sent",
            "share_of_finished",
            "binding",
            "n",
            "marks",
            "reason",
        ],
        &[],
    );
    let number = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    for (at, series) in found.series.iter().enumerate() {
        for (index, point) in series.curve.points.iter().enumerate() {
            let judged = point.judged.as_ref().ok();
            let (low, high) = ends(point);
            let exact = |w: Option<Within>| number(w.and_then(Within::exact));
            table.row([
                series.name.clone(),
                point.run.as_str().to_owned(),
                series.measured(index).map_or_else(String::new, |m| m.run.name.clone()),
                point.runs.iter().map(RunId::as_str).collect::<Vec<_>>().join(" "),
                series.load(index),
                x.id.clone(),
                x.unit.to_owned(),
                number(point.x.exact_or_reported()),
                y.id.clone(),
                y.unit.to_owned(),
                number(point.y.exact_or_reported()),
                number(low),
                number(high),
                origin(&point.y).to_owned(),
                number(point.requested_rate),
                number(point.achieved_rate),
                number(point.request_throughput),
                exact(point.goodput),
                number(point.goodput_interval.map(|i| i.low).or(point.goodput.map(|g| g.low))),
                number(point.goodput_interval.map(|i| i.high).or(point.goodput.map(|g| g.high))),
                exact(judged.map(|g| g.share_of_sent)),
                exact(judged.map(|g| g.share_of_finished)),
                point.binding().map_or_else(String::new, |b| b.limit.to_string()),
                point.n.to_string(),
                marks(found, at, index),
                reason(&point.y).to_owned(),
            ]);
        }
    }
    table
}

fn reason(value: &Value) -> &str {
    if let Value::Missing(because) = value { because } else { "" }
}

/// "TTFT p99 against achieved request rate", and the definition of y.
fn title(found: &Curves<'_>) -> String {
    let [x, y] = [found.x, found.y].map(axis_words);
    format!("{} against {}", y.name, x.name)
}

fn definitions(found: &Curves<'_>) -> Vec<String> {
    let metric = match found.y {
        Axis::Metric(metric, _) => metric,
        Axis::UserSpeed(_) => Metric::UserSpeed,
        _ => return Vec::new(),
    };
    let mut stamps: Vec<String> = Vec::new();
    for measured in found.series.iter().flat_map(|series| &series.runs) {
        let stamp = stamp(metric, &measured.settings);
        if !stamps.contains(&stamp) {
            stamps.push(stamp);
        }
    }
    stamps
}

/// For a terminal: each series with its points and what they say.
pub(super) fn write_table(found: &Curves<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", title(found))?;
    for stamp in definitions(found) {
        writeln!(out, "definition: {stamp}")?;
    }
    let rows = table(found);
    let mut left = rows.rows.into_iter();
    for series in &found.series {
        writeln!(out, "\n{}", series.name)?;
        let part = TextTable {
            head: rows.head.clone(),
            numbers: rows.numbers.clone(),
            rows: left.by_ref().take(series.curve.points.len()).collect(),
        };
        part.write_aligned(out)?;
        for sentence in &series.said {
            writeln!(out, "{sentence}")?;
        }
        for line in beside(series, found) {
            writeln!(out, "{line}")?;
        }
    }
    held_back(found, out)
}

/// What is left out, and what is bounded or missing, each reason once.
fn beside(series: &Series<'_>, found: &Curves<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut push = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for (axis, of) in [(found.x, 0), (found.y, 1)] {
        for point in &series.curve.points {
            let value = if of == 0 { &point.x } else { &point.y };
            if let Value::Missing(because) = value {
                push(format!("{}: {because}", axis_words(axis).name));
            }
        }
    }
    for line in printed(series, found) {
        push(line);
    }
    for point in &series.curve.points {
        if let Some(because) = no_interval(point, found.y) {
            push(format!("no 95 % interval: {because}"));
        }
    }
    for measured in &series.runs {
        if let GoodputResult::Unavailable(because) = &measured.evaluation.goodput {
            push(format!("goodput: {because}"));
        }
        let shown = |axis: Axis| match axis {
            Axis::Metric(metric, _) => Some(metric),
            Axis::UserSpeed(_) => Some(Metric::UserSpeed),
            _ => None,
        };
        for left_out in &measured.evaluation.excluded {
            if [shown(found.x), shown(found.y)].contains(&Some(left_out.metric)) {
                push(format!(
                    "left out of {}: {} of {}, {}",
                    left_out.metric.name(),
                    left_out.count,
                    measured.evaluation.counts.sent,
                    left_out.reason
                ));
            }
        }
    }
    lines
}

/// What is as the tool printed it; of goodput also under which limits, which are the tool’s.
fn printed(series: &Series<'_>, found: &Curves<'_>) -> Vec<String> {
    let is = |value: &Value| matches!(value, Value::Reported(_));
    let mut lines = Vec::new();
    if series.curve.points.iter().any(|point| is(&point.x) || is(&point.y)) {
        lines.push("printed: as the tool printed it, not recomputed".to_owned());
    }
    let goodput = |axis: Axis| matches!(axis, Axis::Metric(Metric::Goodput | Metric::SloShare, _));
    if !goodput(found.y) {
        return lines;
    }
    for Measured { run, .. } in series.runs.iter().copied() {
        let Some(value) = run.reported.find(Metric::Goodput, Stat::Value) else { continue };
        let limits = match &run.reported.limits {
            Some(limits) => limits_in_words(limits),
            None => "limits that the file does not name".to_owned(),
        };
        lines.push(format!(
            "{}: the tool printed a goodput of {} req/s under {limits}",
            words(run, series.varied),
            significant(value.value, 4)
        ));
    }
    lines
}

/// Why a value has no interval.
fn no_interval(point: &CurvePoint, axis: Axis) -> Option<&'static str> {
    if point.y_spread.interval.is_some() {
        return None;
    }
    let run_level = matches!(axis, Axis::Metric(metric, _) if !metric.is_distribution());
    match point.y {
        Value::Missing(_) => None,
        Value::Reported(_) => Some("of a printed number the samples are not in the file"),
        Value::AtLeast(_) | Value::AtMost(_) | Value::Between(..) => {
            Some("a number known within bounds has none")
        }
        Value::Exact(_) if run_level && point.runs.len() < 3 => {
            Some("of one number for a run it takes three runs of that load")
        }
        Value::Exact(_) => Some("the samples are too few, or their statistic has none"),
    }
}

fn held_back(found: &Curves<'_>, out: &mut dyn Write) -> io::Result<()> {
    for run in &found.all_stages {
        writeln!(out, "\n{}: left off, {ALL_STAGES}.", run.provenance.file)?;
    }
    for (run, blocked) in &found.held_back {
        writeln!(
            out,
            "\n{}, {}: left off, {}. {} --anyway draws it.",
            run.name, run.provenance.file, blocked.name, blocked.text
        )?;
    }
    Ok(())
}

/// For an issue tracker.
pub(super) fn markdown(found: &Curves<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = table(found);
    let mut left = rows.rows.into_iter();
    for series in &found.series {
        writeln!(out, "**{}: {}**\n", escape_markdown(&series.name), title(found))?;
        let part = TextTable {
            head: rows.head.clone(),
            numbers: rows.numbers.clone(),
            rows: left.by_ref().take(series.curve.points.len()).collect(),
        };
        part.write_markdown(out)?;
        writeln!(out)?;
        for sentence in &series.said {
            writeln!(out, "{}", escape_markdown(sentence))?;
        }
        writeln!(out)?;
    }
    // Names of runs and files are anybody’s words.
    let mut left_off = Vec::new();
    held_back(found, &mut left_off)?;
    for line in String::from_utf8_lossy(&left_off).lines() {
        writeln!(out, "{}", escape_markdown(line))?;
    }
    Ok(())
}
