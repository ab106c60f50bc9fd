//! The explanation as plain text for a chat, and as Markdown for an issue tracker: all that the screen says.

use super::library::{LibraryEntry, LibraryGroup};
use super::steps::touched;
use crate::metrics::bridge::{Bridge, Digits, End, Mode, Piece, Side, change_words, value_words};
use crate::metrics::disagreements::Applies;
use crate::metrics::{Value, stamp};
use crate::model::{Metric, Stat};
use crate::units::{Unit, within_sentence};
use std::fmt::Write as _;

/// “ITL mean”, “Output throughput”.
pub(super) fn number(metric: Metric, stat: Stat) -> String {
    match stat {
        Stat::Value => metric.name().to_owned(),
        stat => format!("{} {}", metric.name(), stat.name()),
    }
}

/// One end of a bridge.
pub(super) const fn end_of(bridge: &Bridge, side: Side) -> &End {
    match side {
        Side::A => &bridge.a,
        Side::B => &bridge.b,
    }
}

/// Whether an end is as its tool printed it, beside rows that say what they say.
pub(super) fn is_print(bridge: &Bridge, side: Side) -> bool {
    let led_over = bridge.prints.iter().any(|print| print.side == side);
    let reported = matches!(end_of(bridge, side).value, Value::Reported(_));
    led_over || bridge.mode == Mode::Reported && reported
}

/// What an end is: “ITL mean (chunk gap), vLLM S2”.
fn end(bridge: &Bridge, side: Side) -> String {
    let end = end_of(bridge, side);
    let ruler = if is_print(bridge, side) {
        "as printed".to_owned()
    } else {
        stamp(end.metric, &end.settings)
    };
    let ruler = if ruler.is_empty() { String::new() } else { format!(" ({ruler})") };
    format!("{}{ruler}, {}", number(end.metric, end.stat), end.name)
}

pub(super) fn unit(metric: Metric) -> &'static str {
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

/// The table as lines: A, what lies between in its order, B.
fn lines(bridge: &Bridge) -> Vec<Line> {
    let digits = Digits::of(bridge);
    let (metric, places) = (bridge.a.metric, digits.places);
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
    let of_end = |at: &str, side: Side| {
        let value = value_words(&end_of(bridge, side).value, metric, places);
        line(at, end(bridge, side), value, String::new())
    };
    let mut lines = vec![of_end("A", Side::A)];
    let (mut taken, mut told) = (0, false);
    for (at, piece) in bridge.pieces().into_iter().enumerate() {
        let change = with_unit(&digits.change(at));
        match piece {
            Piece::Step(step) => {
                taken += 1;
                let what = format!("{}: {} → {}", step.name, step.from_words, step.to_words);
                let touched = touched(step.touched);
                let touched = if touched.is_empty() { touched } else { format!(" ({touched})") };
                let because = format!("{}{touched}", step.because);
                lines.push(line(&taken.to_string(), what, change, because));
            }
            Piece::Rest(rest) => {
                // What can't be told apart from the rest stands before it.
                lines.extend(unmeasured(bridge));
                told = true;
                lines.push(line("", rest.name.clone(), change, rest.because.clone()));
            }
            Piece::Print(_, rest) => {
                lines.push(line("", rest.name.clone(), change, rest.because.clone()));
            }
        }
    }
    if !told {
        lines.extend(unmeasured(bridge));
    }
    lines.push(of_end("B", Side::B));
    lines
}

fn unmeasured(bridge: &Bridge) -> impl Iterator<Item = Line> {
    bridge.unmeasured.iter().map(|one| Line {
        at: "?".into(),
        what: format!("{}: {} → {}", one.name, one.from, one.to),
        number: "not known".into(),
        because: one.because.clone(),
    })
}

/// “Left over 0.00 ms: both numbers come from the same requests”, or what is left over and its interval.
pub(super) fn left_over(bridge: &Bridge) -> String {
    let digits = Digits::of(bridge);
    let (metric, places) = (bridge.a.metric, digits.places);
    let words =
        |change: &Value| format!("{} {}", change_words(change, metric, places), unit(metric));
    let said = |v: f64| words(&Value::Exact(v));
    let all = bridge.pieces();
    let rest = all.iter().enumerate().find_map(|(at, piece)| match piece {
        Piece::Rest(rest) => Some((at, *rest)),
        _ => None,
    });
    let print = || {
        all.iter().enumerate().find_map(|(at, piece)| match piece {
            Piece::Print(_, rest) => Some((at, *rest)),
            _ => None,
        })
    };
    match rest.or_else(print) {
        Some((at, rest)) => match (rest.low, rest.high) {
            (Some(low), Some(high)) => {
                format!("Left over {} ({} to {})", words(&digits.change(at)), said(low), said(high))
            }
            _ => format!("Left over {}", words(&digits.change(at))),
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

/// “10 other dimensions equal”.
pub(super) fn equal(bridge: &Bridge) -> String {
    match bridge.equal.len() {
        0 => String::new(),
        1 => "1 other dimension equal".into(),
        n => format!("{n} other dimensions equal"),
    }
}

/// “Order: unit, weighting”, and “average over both orders: −16.996, −0.038” or why there is none.
pub(super) fn order_and_average(bridge: &Bridge) -> (String, String) {
    if bridge.steps.len() < 2 {
        return (String::new(), String::new());
    }
    let (metric, places) = (bridge.a.metric, Digits::of(bridge).places + 1);
    let names: Vec<String> = bridge.steps.iter().map(|s| within_sentence(&s.name)).collect();
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

/// What stands under the table: what is left over, what is equal, what the orders say, what is to be known
/// besides, and the typical disagreements that lie between the two numbers.
fn footer(bridge: &Bridge, library: &[LibraryGroup]) -> Vec<String> {
    let (order, average) = order_and_average(bridge);
    let join = |parts: [String; 2]| {
        parts.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("; ")
    };
    let mut said: Vec<String> = Vec::new();
    for line in [join([left_over(bridge), equal(bridge)]), join([order, average])] {
        if !line.is_empty() {
            said.push(format!("{line}."));
        }
    }
    said.extend(bridge.story.clone());
    said.extend(bridge.stopped.clone());
    // What the table or a line above has said is not said again.
    let told = |detail: &&String| {
        said.contains(*detail)
            || detail.starts_with("Nothing is left over")
            || detail.starts_with("There is no average")
            || bridge.unmeasured.iter().any(|one| detail.ends_with(one.because.as_str()))
            || bridge.pieces().iter().any(|piece| match piece {
                Piece::Print(_, rest) | Piece::Rest(rest) => rest.because == **detail,
                Piece::Step(_) => false,
            })
    };
    let more: Vec<String> = bridge.details.iter().filter(|detail| !told(detail)).cloned().collect();
    said.extend(more);
    let between: Vec<String> = library
        .iter()
        .filter(|group| group.applies == Applies::Applies)
        .flat_map(|group| &group.entries)
        .filter(|entry| !entry.amount.is_empty())
        .map(|entry: &LibraryEntry| format!("{} ({})", within_sentence(&entry.title), entry.amount))
        .collect();
    if !between.is_empty() {
        said.push(format!("Typical disagreements that apply here: {}.", between.join("; ")));
    }
    said
}

/// Plain text for a chat: aligned with spaces, no markup.
pub fn plain(bridge: &Bridge, library: &[LibraryGroup]) -> String {
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
    for said in footer(bridge, library) {
        let _ = writeln!(text, "{said}");
    }
    text
}

/// Markdown for an issue tracker.
pub fn markdown(bridge: &Bridge, library: &[LibraryGroup]) -> String {
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
    for said in footer(bridge, library) {
        let _ = writeln!(text, "- {}", escape(&said));
    }
    text
}
