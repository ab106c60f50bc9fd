//! A found definition as a sentence: what the number is, how that leaves the tool's own words, and whose
//! words it is.

use crate::metrics::dimensions::{Choice, Dimension};
use crate::metrics::settings::{Settings, Window};
use crate::model::{Metric, Stat};
use crate::units::within_sentence;

/// What a number is: “mean TPOT with the first token inside (E ÷ n), over ok requests”. `changed` are the
/// dimensions in which the set leaves the tool's own.
pub(super) fn what(
    metric: Metric,
    stat: Stat,
    settings: &Settings,
    changed: &[&'static Dimension],
) -> String {
    let mut text = named(metric, stat);
    for id in said(metric, stat, changed) {
        let Some(dimension) = Dimension::find(id) else { continue };
        let clause = clause(dimension, settings);
        if !clause.is_empty() {
            if !text.ends_with(&metric_name(metric)) {
                text.push(',');
            }
            text.push(' ');
            text.push_str(&clause);
        }
    }
    text
}

/// “mean TPOT”, “p99 of ITL”, “output throughput”.
pub(super) fn named(metric: Metric, stat: Stat) -> String {
    let name = metric_name(metric);
    match stat {
        Stat::Mean => format!("mean {name}"),
        Stat::Median => format!("median {name}"),
        Stat::Std => format!("standard deviation of {name}"),
        Stat::Min => format!("smallest {name}"),
        Stat::Max => format!("largest {name}"),
        Stat::Percentile(p) => format!("p{p} {name}"),
        Stat::Value => name,
    }
}

/// The name inside a sentence: abbreviations stay, words are small.
fn metric_name(metric: Metric) -> String {
    // What a table can head a row with is no noun of a sentence.
    match metric {
        Metric::Completed => "the number of completed requests".into(),
        Metric::Failed => "the number of failed requests".into(),
        Metric::TotalInputTokens => "the sum of input tokens".into(),
        Metric::TotalOutputTokens => "the sum of output tokens".into(),
        Metric::Duration => "the duration of the run".into(),
        metric => within_sentence(metric.name()),
    }
}

/// The dimensions that are said: the formula always, then what was changed, then who counts.
fn said(metric: Metric, stat: Stat, changed: &[&'static Dimension]) -> Vec<&'static str> {
    let formula = match metric {
        Metric::Tpot => Some("tpot"),
        Metric::Itl => Some("itl"),
        Metric::UserSpeed => Some("user-speed"),
        _ => None,
    };
    let mut said: Vec<&'static str> = formula.into_iter().collect();
    let rest = changed.iter().map(|dimension| dimension.id);
    said.extend(rest.filter(|id| Some(*id) != formula && *id != "population"));
    let counts = changed.iter().any(|dimension| dimension.id == "population");
    if counts || stat != Stat::Value {
        said.push("population");
    }
    said
}

/// One choice as a clause behind a metric's name.
fn clause(dimension: &Dimension, settings: &Settings) -> String {
    let value = dimension.read(settings);
    let id = value.split(':').next().unwrap_or(&value);
    let Some(choice) = dimension.choice(id) else { return value };
    let words = match (dimension.id, id) {
        ("tpot", "after-first") => "without the first token",
        ("tpot", "after-first-over-n") => "with decode time over all tokens",
        ("tpot", "whole-over-n") => "with the first token inside",
        ("tpot", "after-first-event") => "over the tokens after the first event",
        ("tpot", "visible-gaps") => "as the mean gap of each request",
        ("itl", "event-gap") => return "as the time between stream events".into(),
        ("itl", "token-spread") => return "with each gap shared by the tokens of its event".into(),
        ("itl", "token-zeros") => return "with a 0 for each further token of an event".into(),
        ("itl", "request-mean") => return "as one mean a request ((E − T) ÷ (n − 1))".into(),
        ("itl", "whole-over-events") => {
            return "over events, with the first token inside ((T + Σ gaps) ÷ m)".into();
        }
        ("itl", "as-recorded") => return "as the tool wrote it for each request".into(),
        ("user-speed", "decode") => "once the first token has come",
        ("user-speed", "whole") => "from the send on",
        ("user-speed", "reciprocal-of-tpot") => "as the reciprocal of TPOT",
        ("clock-start", "send") => return "from the actual send".into(),
        ("clock-start", "scheduled") => return "from when it was due".into(),
        ("clock-start", "server-arrival") => return "from its arrival at the server".into(),
        ("first-token" | "end", _) => return format!("to the {}", choice.label),
        ("decode-end", _) => return format!("with decode time to the {}", choice.label),
        ("token-count", "as-recorded") => return "with tokens as the file counts them".into(),
        ("token-count", "server") => return "with tokens counted by the server".into(),
        ("token-count", "retokenized") => return "with tokens counted by the client".into(),
        ("token-count", "events") => return "with one token an event".into(),
        ("short-outputs", "exclude") => return "without replies of one token".into(),
        ("short-outputs", "zero") => return "with replies of one token as 0".into(),
        ("short-outputs", "exclude-ttft") => {
            return "without the TTFT of replies of one token".into();
        }
        ("empty-outputs", "exclude") => return "without empty replies".into(),
        ("empty-outputs", "count-only") => return "with empty replies only counted".into(),
        ("empty-outputs", "as-success") => return "with empty replies as they were written".into(),
        ("population", "ok") => return "over ok requests".into(),
        ("population", "ok-and-cut") => return "over ok and cut requests".into(),
        ("population", "sent") => return "over all sent requests".into(),
        ("weighting", "per-token") => return "weighted by tokens".into(),
        ("weighting", _) => return "each sample once".into(),
        ("percentile", _) => return format!("read off by {}", choice.label),
        ("spread", _) => return format!("divided by {}", choice.label),
        ("window", _) => return window(settings.window),
        ("duration", "window") => return "over the length of the window".into(),
        ("duration", "as-reported") => return "over the printed duration".into(),
        ("duration", _) => return format!("over {}", choice.label),
        ("goodput-missing", "passes") => return "where a missing metric passes".into(),
        ("goodput-missing", "fails") => return "where a missing metric fails".into(),
        ("goodput-missing", _) => return "without requests that lack a limited metric".into(),
        // A choice that this page has no clause for yet is said by its label.
        _ => return format!("with {} = {}", dimension.id, choice.label),
    };
    format!("{words} ({})", formula(choice))
}

fn formula(choice: &Choice) -> &'static str {
    if choice.formula.is_empty() { choice.label } else { choice.formula }
}

fn window(window: Window) -> String {
    match window {
        Window::Whole => "over the whole run".into(),
        Window::FirstSendToLastToken => "from the first send to the last token".into(),
        Window::AfterFirstCompletion => "of requests sent after the first completion".into(),
        Window::SkipFirst(count) => format!("without the first {count} requests"),
        Window::Steady(share) => format!("of the steady span ({share} of the peak in flight)"),
        Window::UntilStable => "of requests sent once latencies were stable".into(),
        Window::Brush { from, to } => format!("of requests sent from {from} to {to} s"),
    }
}

/// Which tools measure so: those behind the formula where that was changed, else behind the first change.
pub(super) fn used_by(changed: &[&'static Dimension], settings: &Settings) -> Vec<String> {
    let formula = |d: &&&'static Dimension| matches!(d.id, "tpot" | "itl" | "user-speed");
    let telling = changed.iter().find(formula).or_else(|| changed.first());
    let Some(choice) = telling.and_then(|dimension| settings.get(dimension.id)) else {
        return Vec::new();
    };
    choice
        .used_by
        .iter()
        .map(|usage| match usage.since {
            "all" | "all read" => usage.tool.to_owned(),
            since => format!("{} ({since})", usage.tool),
        })
        .collect()
}

/// A list in words: “a”, “a and b”, “a, b and c”.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
