//! The card and the table of the measured loads.

use super::chart::{beaten, y_title};
use super::points::{Curve, Load};
use super::{CurveAxes, PointCard, Table, model};
use crate::metrics::{Steadiness, Steady, Value, stamp};
use crate::model::{Metric, Stat};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::compare::{sample_noun, sign};
use crate::views::explain::{ExplainAsk, Slot, Source, ways};
use crate::views::measure::is_run_level;
use crate::views::numbers::{count, printed, rate as printed_rate};
use crate::views::slo::goodput_lines;

/// One card a load, in the order of the curves.
pub(super) fn cards(curves: &[Curve<'_>], axes: CurveAxes, context: &Context) -> Vec<PointCard> {
    let reference = curves.iter().find(|c| c.baseline);
    let beaten = beaten(curves, axes);
    curves
        .iter()
        .zip(&beaten)
        .flat_map(|(curve, by)| {
            curve.loads.iter().zip(by).map(move |(load, by)| {
                let other = reference
                    .filter(|r| r.style != curve.style)
                    .and_then(|r| r.loads.iter().find(|l| l.label == load.label));
                let mut card = card(curve, load, other, axes, context);
                let by = by.clone().map(|by| ("beaten by".to_owned(), by));
                card.lines.extend(by);
                card
            })
        })
        .collect()
}

fn card(
    curve: &Curve<'_>,
    load: &Load<'_>,
    reference: Option<&Load<'_>>,
    axes: CurveAxes,
    context: &Context,
) -> PointCard {
    let value = load.y(axes.y, axes.stat);
    PointCard {
        key: load.key(),
        run: load.measured.run.id.clone(),
        style: curve.style,
        title: format!("{} at {}", curve.name, load.title),
        value: shown(&value, 3),
        unit: axes.y.unit().symbol().to_owned(),
        stamp: format!("{} · {}", y_title(axes), stamp(axes.y, &load.measured.settings)),
        support: support(load, axes, &value),
        steady: load.steady().sentence(),
        rising: load.steady().verdict == Steadiness::Growing,
        lines: lines(load, axes, context),
        differs: reference.map_or_else(Vec::new, |other| differs(load, other)),
        explain: explain(load, reference, axes, &value, context),
    }
}

/// The ways from the point to what its tool printed and to the baseline’s at this load.
fn explain(
    load: &Load<'_>,
    reference: Option<&Load<'_>>,
    axes: CurveAxes,
    value: &Value,
    context: &Context,
) -> Vec<(String, ExplainAsk)> {
    if matches!(value, Value::Missing(_)) {
        return Vec::new();
    }
    let run = load.measured.run;
    let source = match value {
        Value::Reported(_) => Source::Reported,
        _ => Source::Context,
    };
    let stat = if is_run_level(axes.y) { Stat::Value } else { axes.stat };
    let slot = Slot { run: Some(run.id.clone()), metric: axes.y, stat, source };
    let other = reference.map(|other| (other.measured.run, other.measured.run.name.as_str()));
    ways(run, context, &slot, other)
}

/// "559", "≥ 597", "—".
fn shown(value: &Value, digits: usize) -> String {
    match value {
        Value::Exact(v) | Value::Reported(v) => significant(*v, digits),
        Value::AtLeast(v) => format!("≥ {}", significant(*v, digits)),
        Value::AtMost(v) => format!("≤ {}", significant(*v, digits)),
        Value::Between(low, high) => {
            format!("{} to {}", significant(*low, digits), significant(*high, digits))
        }
        Value::Missing(_) => "—".to_owned(),
    }
}

fn support(load: &Load<'_>, axes: CurveAxes, value: &Value) -> Option<String> {
    if let Value::Missing(because) = value {
        return Some(because.clone());
    }
    if let Value::Reported(_) = value {
        return Some(
            "as printed by the tool; the file has no requests to recompute it from".into(),
        );
    }
    if !load.more.is_empty() {
        return Some(repeats(load, axes));
    }
    let Stat::Percentile(p) = axes.stat else { return None };
    let summary = load.measured.measured(axes.y)?.summary()?;
    let quantile = summary.quantile(p)?;
    let of = fixed(summary.n as f64, 0);
    Some(match quantile.warning(summary.n, sample_noun(axes.y, summary)) {
        Some(warning) => format!("≈ {warning}."),
        None => format!("{} of {of} samples lie above it.", quantile.beyond),
    })
}

/// "3 runs: 105.5, 115.5, 125.5. 95 % interval 90.7 to 140 ms, t interval of the mean over runs."
fn repeats(load: &Load<'_>, axes: CurveAxes) -> String {
    let spread = load.spread(axes.y, axes.stat);
    let each: Vec<String> = spread.each.iter().map(|value| shown(value, 4)).collect();
    let runs = format!("{}: {}.", count(each.len(), "run"), each.join(", "));
    match spread.interval {
        Some((ends, method)) => format!(
            "{runs} {} to {} {}, {}.",
            significant(ends.low, 3),
            significant(ends.high, 3),
            axes.y.unit().symbol(),
            method.words()
        ),
        None => runs,
    }
}

fn lines(load: &Load<'_>, axes: CurveAxes, context: &Context) -> Vec<(String, String)> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    let unit = axes.y.unit().symbol();
    let stat = if is_run_level(axes.y) { Stat::Value } else { axes.stat };
    if let Some(agreement) = load.measured.agreement(axes.y, stat) {
        let glyph = sign(agreement).glyph();
        lines.push(("reported", format!("{} {unit} {glyph}", printed(agreement.reported))));
    }
    let achieved = load.measured.value(Metric::RequestThroughput, Stat::Value);
    let of = load.requested().map_or_else(String::new, |r| format!(" of {}", significant(r, 3)));
    lines.push(("achieved", format!("{}{of} req/s", shown(&achieved, 4))));
    if let Some(sent) = load.sent_rate() {
        lines.push(("sent rate", format!("{} req/s", significant(sent, 3))));
    } else {
        lines.push(("sent rate", "— no send times".to_owned()));
    }
    let output = load.measured.value(Metric::OutputThroughput, Stat::Value);
    lines.push(("output", format!("{} tok/s", shown(&output, 3))));
    let mut lines: Vec<(String, String)> =
        lines.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    if axes.x.load().is_none() {
        let x = load.across(axes.x);
        lines.insert(0, (axes.x.title(), format!("{} {}", shown(&x, 3), axes.x.unit())));
    }
    if !context.limits.is_empty() {
        lines.extend(goodput_lines(&load.goodput_result(), &load.measured.settings));
    }
    lines
}

fn differs(load: &Load<'_>, other: &Load<'_>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for (name, metric) in
        [("output mean", Metric::OutputTokens), ("input mean", Metric::InputTokens)]
    {
        let mean = |l: &Load<'_>| l.measured.value(metric, Stat::Mean).exact();
        if let (Some(mine), Some(theirs)) = (mean(load), mean(other))
            && (mine - theirs).abs() > 0.05 * theirs
        {
            let (a, b) = (significant(mine, 3), significant(theirs, 3));
            rows.push((name.to_owned(), format!("{a}, not {b} tok")));
        }
    }
    let client = |l: &Load<'_>| {
        format!("{} {}", l.measured.run.tool.name(), crate::views::labels::version(l.measured.run))
    };
    if client(load) != client(other) {
        rows.push(("client".to_owned(), client(load)));
    }
    rows
}

/// All loads as a table.
pub(super) fn table(curves: &[Curve<'_>], axes: CurveAxes, context: &Context) -> Table {
    let mut head = vec![
        "Run".to_owned(),
        "Offered".to_owned(),
        "Achieved, req/s".to_owned(),
        format!("{}, {}", y_title(axes), axes.y.unit().symbol()),
        "n".to_owned(),
        "Output, tok/s".to_owned(),
    ];
    let across = axes.x.load().is_none();
    if across {
        head.insert(4, format!("{}, {}", axes.x.title(), axes.x.unit()));
    }
    let limits = !context.limits.is_empty();
    if limits {
        head.extend(["Goodput, req/s".to_owned(), "Within limits".to_owned()]);
    }
    let rising = curves
        .iter()
        .flat_map(|c| &c.loads)
        .any(|load| load.steady().verdict == Steadiness::Growing);
    if rising {
        head.push("Steady state".to_owned());
    }
    if let Some(model) = axes.model.filter(|_| axes.take_a_model()) {
        head.push(format!("{} model (not measured), {}", model.name(), axes.y.unit().symbol()));
    }
    let rows = curves
        .iter()
        .map(|curve| (curve, model::queue(curve)))
        .flat_map(|(curve, queue)| curve.loads.iter().map(move |load| (curve, load, queue.clone())))
        .map(|(curve, load, queue)| {
            let value = |metric| shown(&load.measured.value(metric, Stat::Value), 4);
            let n = load
                .measured
                .measured(axes.y)
                .and_then(|m| m.summary())
                .map_or_else(|| "—".to_owned(), |s| fixed(s.n as f64, 0));
            let mut row = vec![
                curve.name.clone(),
                load.title.clone(),
                value(Metric::RequestThroughput),
                shown(&load.y(axes.y, axes.stat), 4),
                n,
                value(Metric::OutputThroughput),
            ];
            if across {
                row.insert(4, shown(&load.across(axes.x), 4));
            }
            if limits {
                row.push(load.goodput().map_or_else(
                    |_| "—".to_owned(),
                    |(rate, exact)| {
                        format!("{}{}", if exact { "" } else { "≤ " }, printed_rate(rate, 4))
                    },
                ));
                row.push(load.judged().map_or_else(
                    |_| "—".to_owned(),
                    |g| format!("{} of {}", fixed(g.good.high, 0), fixed(g.of, 0)),
                ));
            }
            if rising {
                row.push(steady_cell(load.steady()));
            }
            if let Some(model) = axes.model.filter(|_| axes.take_a_model()) {
                let at = load.x(axes.x).ok_or_else(|| "no rate".to_owned());
                let says = queue.and_then(|q| q.says(model, axes.y, axes.stat, at?));
                row.push(says.map_or_else(|_| "—".to_owned(), |millis| significant(millis, 4)));
            }
            row
        })
        .collect();
    Table { head, rows }
}

/// "steady", "none, 2.8 more in flight every second", "closed loop", or a dash where it can't be told.
fn steady_cell(steady: &Steady) -> String {
    match (steady.verdict, steady.slope) {
        (Steadiness::Growing, Some(slope)) => {
            format!("none, {} more in flight every second", significant(slope, 2))
        }
        (Steadiness::Growing, None) => "none".to_owned(),
        (Steadiness::Steady, _) => "steady".to_owned(),
        (Steadiness::Closed, _) => "closed loop".to_owned(),
        (Steadiness::CannotTell, _) => "—".to_owned(),
    }
}

/// What is left out of the picture, each with its reason.
pub(super) fn left_out(curves: &[Curve<'_>], axes: CurveAxes) -> Vec<String> {
    let mut sentences = Vec::new();
    for curve in curves {
        let mut reasons: Vec<(String, usize)> = Vec::new();
        for load in &curve.loads {
            let reason = match load.y(axes.y, axes.stat) {
                Value::Missing(because) => because,
                Value::Between(..) => "known within bounds only".to_owned(),
                _ if load.x(axes.x).is_none() => format!("no {} recorded", axes.x.name()),
                _ => continue,
            };
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, times)) => *times += 1,
                None => reasons.push((reason, 1)),
            }
        }
        for (reason, times) in reasons {
            sentences.push(format!(
                "{}: {} not drawn, {reason}.",
                curve.name,
                count(times, "load")
            ));
        }
    }
    sentences
}
