//! The explanation as plain text for a chat, and as Markdown for an issue tracker.

use crate::metrics::bridge::{Bridge, End, Mode, change_words, decimals, value_words};
use crate::metrics::{Value, stamp};
use crate::model::{Metric, Stat};
use crate::units::Unit;
use std::fmt::Write as _;

/// “ITL mean”, “Output throughput”.
pub(super) fn number(metric: Metric, stat: Stat) -> String {
    match stat {
        Stat::Value => metric.name().to_owned(),
        stat => format!("{} {}", metric.name(), stat.name()),
    }
}

/// What an end is: “ITL mean (chunk gap), vLLM S2”.
fn end(bridge: &Bridge, end: &End) -> String {
    let printed = bridge.mode == Mode::Reported && matches!(end.value, Value::Reported(_));
    let ruler = if printed { "as printed".to_owned() } else { stamp(end.metric, &end.settings) };
    let ruler = if ruler.is_empty() { String::new() } else { format!(" ({ruler})") };
    format!("{}{ruler}, {}", number(end.metric, end.stat), end.name)
}

fn unit(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Share => "%",
        unit => unit.symbol(),
    }
}

/// A value with its unit, as far as it is known.
pub(super) fn with_unit(value: &Value, metric: Metric, places: usize) -> String {
    value_words(value, metric, places)
}

/// One line of the table.
struct Line {
    at: String,
    what: String,
    number: String,
    because: String,
}

/// The table as lines: A, the steps, what is left over, B.
fn lines(bridge: &Bridge) -> Vec<Line> {
    let (metric, places) = (bridge.a.metric, decimals(bridge));
    let line = |at: &str, what: String, number: String, because: String| Line {
        at: at.to_owned(),
        what,
        number,
        because,
    };
    let with_unit = |change: &Value| match change {
        Value::Missing(_) => change_words(change, metric, places),
        change => format!("{} {}", change_words(change, metric, places), unit(metric)),
    };
    let mut lines = vec![line(
        "A",
        end(bridge, &bridge.a),
        value_words(&bridge.a.value, metric, places),
        String::new(),
    )];
    for (at, step) in bridge.steps.iter().enumerate() {
        lines.push(line(
            &(at + 1).to_string(),
            format!("{}: {} → {}", step.name, step.from_words, step.to_words),
            with_unit(&step.change),
            step.because.clone(),
        ));
    }
    for one in &bridge.unmeasured {
        lines.push(line(
            "?",
            format!("{}: {} → {}", one.name, one.from, one.to),
            "not known".into(),
            one.because.clone(),
        ));
    }
    if let Some(rest) = &bridge.remainder {
        lines.push(line(
            "",
            rest.name.clone(),
            with_unit(&Value::Exact(rest.change)),
            rest.because.clone(),
        ));
    }
    lines.push(line(
        "B",
        end(bridge, &bridge.b),
        value_words(&bridge.b.value, metric, places),
        String::new(),
    ));
    lines
}

/// “Left over 0.00 ms: both numbers come from the same requests”, or what is left over and its interval.
pub(super) fn left_over(bridge: &Bridge) -> String {
    let (metric, places) = (bridge.a.metric, decimals(bridge));
    let said =
        |v: f64| format!("{} {}", change_words(&Value::Exact(v), metric, places), unit(metric));
    match &bridge.remainder {
        Some(rest) => match (rest.low, rest.high) {
            (Some(low), Some(high)) => {
                format!("Left over {} ({} to {})", said(rest.change), said(low), said(high))
            }
            _ => format!("Left over {}", said(rest.change)),
        },
        None if bridge.mode == Mode::SameRows
            && bridge.difference().is_some()
            && bridge.stopped.is_none() =>
        {
            format!("Left over {}: both numbers come from the same requests", said(0.0))
        }
        None => String::new(),
    }
}

/// “Order: unit, weighting”, and “average over both orders: −16.996, −0.038” or why there is none.
pub(super) fn order_and_average(bridge: &Bridge) -> (String, String) {
    if bridge.steps.len() < 2 {
        return (String::new(), String::new());
    }
    let (metric, places) = (bridge.a.metric, decimals(bridge) + 1);
    let names: Vec<String> = bridge.steps.iter().map(|s| s.name.to_lowercase()).collect();
    let averages: Option<Vec<String>> = bridge
        .steps
        .iter()
        .map(|s| s.average.map(|v| change_words(&Value::Exact(v), metric, places)))
        .collect();
    let orders = if bridge.steps.len() == 2 { "both" } else { "all" };
    let average = match (averages, &bridge.no_average) {
        (Some(averages), _) => format!("average over {orders} orders: {}", averages.join(", ")),
        (None, Some(reason)) => format!("no average over {orders} orders: {reason}"),
        (None, None) => String::new(),
    };
    (format!("Order: {}", names.join(", ")), average)
}

/// What stands under the table: what is left over, and what the orders say.
fn footer(bridge: &Bridge) -> Vec<String> {
    let (order, average) = order_and_average(bridge);
    let orders = [order, average].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>();
    let mut said: Vec<String> = Vec::new();
    for line in [left_over(bridge), orders.join("; ")] {
        if !line.is_empty() {
            said.push(format!("{line}."));
        }
    }
    said.extend(bridge.story.clone());
    said
}

/// Plain text for a chat: aligned with spaces, no markup.
pub fn plain(bridge: &Bridge) -> String {
    let lines = lines(bridge);
    let width = |get: &dyn Fn(&Line) -> &String| {
        lines.iter().map(|line| get(line).chars().count()).max().unwrap_or(0)
    };
    let (what, number) = (width(&|l| &l.what), width(&|l| &l.number));
    let mut text = format!("{}\n\n", bridge.sentence);
    for line in &lines {
        let pad = |s: &str, to: usize| " ".repeat(to.saturating_sub(s.chars().count()));
        let row = format!(
            "{:<2} {}{}  {}{}  {}",
            line.at,
            line.what,
            pad(&line.what, what),
            pad(&line.number, number),
            line.number,
            line.because
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text.push('\n');
    for said in footer(bridge) {
        let _ = writeln!(text, "{said}");
    }
    if let Some(stopped) = &bridge.stopped {
        let _ = writeln!(text, "{stopped}");
    }
    text
}

/// Markdown for an issue tracker.
pub fn markdown(bridge: &Bridge) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
    let mut text = format!(
        "**{}**\n\n| | Step | {} | Why |\n| --- | --- | ---: | --- |\n",
        escape(&bridge.sentence),
        unit(bridge.a.metric)
    );
    for line in lines(bridge) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            line.at,
            escape(&line.what),
            line.number,
            escape(&line.because)
        );
    }
    text.push('\n');
    for said in footer(bridge).into_iter().chain(bridge.stopped.clone()) {
        let _ = writeln!(text, "- {}", escape(&said));
    }
    text
}
