//! What a bridge says: its sentence, and what to know besides.

use super::digits::{Digits, factor};
use super::{Bridge, Mode, Piece, Step};
use crate::metrics::measured::Value;
use crate::model::{Metric, Stat};
use crate::units::{Unit, fixed, within_sentence};

/// A number in words: “ITL mean”, “output throughput”.
pub(super) fn number(metric: Metric, stat: Stat) -> String {
    match stat {
        Stat::Value => metric.name().to_owned(),
        stat => format!("{} {}", metric.name(), stat.name()),
    }
}

/// The factor and the symbol by which a value is shown: a share as per cent.
fn shown(metric: Metric) -> (f64, &'static str) {
    match metric.unit() {
        Unit::Share => (factor(metric), "%"),
        unit => (factor(metric), unit.symbol()),
    }
}

/// A change with its sign, or the range it lies in, without its unit.
pub fn change(value: &Value, metric: Metric, places: usize) -> String {
    let (factor, _) = shown(metric);
    let signed = |v: f64| {
        let text = fixed(v * factor, places);
        if v > 0.0 && text.chars().any(|c| matches!(c, '1'..='9')) {
            format!("+{text}")
        } else {
            text
        }
    };
    match value {
        Value::Exact(v) | Value::Reported(v) => signed(*v),
        Value::Between(low, high) => format!("{} to {}", signed(*low), signed(*high)),
        Value::AtLeast(low) => format!("at least {}", signed(*low)),
        Value::AtMost(high) => format!("at most {}", signed(*high)),
        Value::Missing(_) => "not known".into(),
    }
}

/// A value with its unit, as far as it is known.
pub fn value(value: &Value, metric: Metric, places: usize) -> String {
    let (factor, unit) = shown(metric);
    let plain = |v: f64| fixed(v * factor, places);
    match value {
        Value::Exact(v) | Value::Reported(v) => format!("{} {unit}", plain(*v)),
        Value::Between(low, high) => format!("{} to {} {unit}", plain(*low), plain(*high)),
        Value::AtLeast(low) => format!("at least {} {unit}", plain(*low)),
        Value::AtMost(high) => format!("at most {} {unit}", plain(*high)),
        Value::Missing(_) => "not known".into(),
    }
}

/// A share of the difference that is worth a word.
const TOLD: f64 = 0.01;
/// From this share on, two orders tell different stories.
const STORIES: f64 = 0.1;

/// Marks the steps whose average has another sign or rank, and says so where it matters.
pub(super) fn compare_orders(bridge: &mut Bridge) {
    let Some(gap) = bridge.difference().map(f64::abs) else { return };
    let pairs: Vec<(f64, f64)> =
        bridge.steps.iter().filter_map(|step| Some((step.exact()?, step.average?))).collect();
    if pairs.len() != bridge.steps.len() || pairs.len() < 2 {
        return;
    }
    let size = pairs.iter().map(|(one, _)| one.abs()).fold(gap, f64::max);
    let rank = |of: f64, all: &dyn Fn(&(f64, f64)) -> f64| {
        pairs.iter().filter(|pair| all(pair).abs() > of.abs() + TOLD * size).count()
    };
    let mut said = Vec::new();
    for (step, (one, average)) in bridge.steps.iter_mut().zip(&pairs) {
        let matters = one.abs().max(average.abs()) > TOLD * size;
        let flips = one * average < 0.0 && one.abs().min(average.abs()) > TOLD * size;
        let moves = rank(*one, &|p| p.0) != rank(*average, &|p| p.1);
        step.other_story = matters && (flips || moves);
        let (name, unit) = (&step.name, shown(bridge.a.metric));
        if step.other_story || (one - average).abs() > STORIES * size {
            said.push(format!(
                "{name} is {} {} in this order and {} on average",
                change(&Value::Exact(*one), bridge.a.metric, 2),
                unit.1,
                change(&Value::Exact(*average), bridge.a.metric, 2)
            ));
        }
    }
    if !said.is_empty() {
        bridge.story = Some(format!("The orders tell different stories: {}.", said.join("; ")));
    }
}

/// What a ruler does, in a word, where the two of a step are best told by verbs.
fn verbs(step: &Step) -> Option<(&'static str, &'static str)> {
    let verb = |id: &str| {
        Some(match id {
            "event-gap" | "visible-gaps" => "waits for chunks",
            "token-spread" | "after-first" | "request-mean" => "counts tokens",
            "token-zeros" => "counts further tokens of a chunk as 0",
            "whole-over-n" | "send" => "starts at the send",
            "whole-over-events" => "starts at the send and counts chunks",
            "after-first-over-n" => "divides by all tokens",
            "after-first-event" => "leaves out the first chunk",
            "pooled" => "pools all samples",
            "per-request" => "gives each request one vote",
            "per-token" => "gives each token one vote",
            "server" => "counts as the server does",
            "retokenized" => "counts with its own tokenizer",
            "events" => "counts chunks",
            "scheduled" => "starts when the request was due",
            "first-event" => "stops at the first event",
            "first-text" => "stops at the first text",
            "first-answer" => "waits for the answer",
            "last-token" => "stops at the last token",
            "stream-end" => "stops when the stream closes",
            "zero" => "takes one-token replies as 0",
            "ok" => "counts what succeeded",
            "ok-and-cut" => "counts what was cut, too",
            "sent" => "counts all that was sent",
            "linear" => "reads off its samples",
            "bucket-linear" => "draws a line through a bucket",
            _ => return None,
        })
    };
    let (mut from, to) = (verb(&step.from)?, verb(&step.to)?);
    // The start of decoding is told by where it starts, not by what it counts.
    if step.to == "whole-over-n" && from == "counts tokens" {
        from = "starts at the first token";
    }
    let to = if step.from == "whole-over-n" && to == "counts tokens" {
        "starts at the first token"
    } else {
        to
    };
    (from != to).then_some((from, to))
}

/// What the two numbers are, by the runs' names, and the sentence of the bridge with those in place of A and B.
pub fn named(bridge: &Bridge) -> String {
    let places = Digits::of(bridge).places;
    let (a, b) = (&bridge.a, &bridge.b);
    let [value_a, value_b] = [a, b].map(|end| value(&end.value, end.metric, places));
    let [number_a, number_b] = [a, b].map(|end| number(end.metric, end.stat));
    let two_runs = bridge.mode == Mode::TwoRuns;
    let two = match (two_runs, number_a == number_b) {
        (true, true) => {
            format!("{number_a} is {value_a} for {} and {value_b} for {}", a.name, b.name)
        }
        (true, false) => {
            format!("{number_a} of {} is {value_a}, {number_b} of {} {value_b}", a.name, b.name)
        }
        (false, true) => {
            format!("{number_a} of {} is {value_a} (A) or {value_b} (B), by definition", a.name)
        }
        (false, false) => {
            format!("{number_a} of {} is {value_a} (A), its {number_b} {value_b} (B)", a.name)
        }
    };
    let word = |word| match word {
        "A" if two_runs => a.name.as_str(),
        "B" if two_runs => b.name.as_str(),
        word => word,
    };
    let sentence = bridge.sentence.split(' ').map(word).collect::<Vec<_>>().join(" ");
    format!("{two}. {sentence}")
}

/// The sentence and the details of a bridge.
pub(super) fn say(bridge: &mut Bridge) {
    bridge.sentence = sentence(bridge);
    bridge.details = details(bridge);
}

fn sentence(bridge: &Bridge) -> String {
    let metric = bridge.a.metric;
    let digits = Digits::of(bridge);
    let places = digits.places;
    let (factor, unit) = shown(metric);
    let Some(gap) = bridge.difference() else {
        let a = value(&bridge.a.value, metric, places);
        return match (&bridge.stopped, &bridge.b.value) {
            (Some(why), _) => format!("A is {a}; B can’t be had. {why}"),
            (None, Value::Missing(why)) => format!("A is {a}; B can’t be had: {why}."),
            (None, b) => format!("A is {a}, B is {}.", value(b, metric, places)),
        };
    };
    let plain = |v: f64| fixed((v * factor).abs(), places);
    let size = bridge.steps.iter().filter_map(Step::exact).fold(gap.abs(), |m, v| m.max(v.abs()));
    if bridge.pieces().is_empty()
        && size > 1e-9 * bridge.a.value.exact_or_reported().unwrap_or(1.0).abs()
    {
        let both = format!(
            "A is {}, B is {}.",
            value(&bridge.a.value, metric, places),
            value(&bridge.b.value, metric, places)
        );
        let why = bridge.stopped.as_deref();
        return format!("{both} {}", why.unwrap_or("What lies between can’t be taken apart."));
    }
    let equal = bridge.equal.len();
    let both_printed =
        [&bridge.a, &bridge.b].iter().all(|end| matches!(end.value, Value::Reported(_)));
    if bridge.a == bridge.b
        && both_printed
        && bridge.mode == Mode::Reported
        && bridge.stopped.is_none()
    {
        return format!(
            "Both ends are one number, the printed {}: there is nothing between them. Choose another for one of them.",
            value(&bridge.a.value, metric, places)
        );
    }
    let same = || {
        if both_printed && bridge.mode == Mode::TwoRuns {
            return "Both tools printed the same number, and no definition of it can be tried."
                .to_owned();
        }
        // Of what is printed the definition is the tool’s word.
        for (end, letter) in [(&bridge.a, "A"), (&bridge.b, "B")] {
            if bridge.mode == Mode::TwoRuns && matches!(end.value, Value::Reported(_)) {
                return format!(
                    "These are the same number as far as {letter} is printed, which the rows of {} don’t give again.",
                    end.name
                );
            }
        }
        format!("These are the same number by {equal} equal choices.")
    };
    if bridge.pieces().is_empty() {
        return match &bridge.stopped {
            Some(_) if equal == 0 => format!(
                "{} is as printed, and nothing else in the file gives it.",
                value(&bridge.a.value, metric, places)
            ),
            _ => same(),
        };
    }
    let in_digits = |piece: &Piece<'_>| match piece {
        Piece::Print(_, rest) => rest.name == super::reported::DIGITS,
        _ => false,
    };
    if bridge.mode == Mode::Reported && bridge.pieces().iter().all(in_digits) {
        let is_print = matches!(bridge.a.value, Value::Reported(_));
        let printed = if is_print { &bridge.a.value } else { &bridge.b.value };
        return format!("The rows give the printed {} again.", value(printed, metric, places));
    }
    if size <= 1e-9 * bridge.a.value.exact_or_reported().unwrap_or(1.0).abs() {
        if bridge.steps.is_empty() && bridge.unmeasured.is_empty() {
            return same();
        }
        return "The definitions differ, and come to the same number on these rows.".into();
    }
    // Of what no definition explains the larger part is told.
    let unexplained =
        bridge.pieces().into_iter().enumerate().filter_map(|(at, piece)| match piece {
            Piece::Print(_, rest) | Piece::Rest(rest) => {
                Some((rest.change, rest.name.as_str(), at))
            }
            Piece::Step(_) => None,
        });
    let rest = unexplained.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let largest = bridge
        .pieces()
        .into_iter()
        .enumerate()
        .filter_map(|(at, piece)| match piece {
            Piece::Step(step) => Some((step.exact()?, step, at)),
            _ => None,
        })
        .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    // As the pieces and the ends are printed.
    let whole = plain(digits.difference().unwrap_or(gap));
    if let Some((change, name, at)) = rest
        && largest.is_none_or(|(step, _, _)| step.abs() < change.abs())
    {
        let change = digits.change(at).exact().unwrap_or(change);
        return unexplained_first(bridge, &digits, (name, change), gap);
    }
    let Some((change, step, at)) = largest else {
        return format!("The {whole} {unit} between the two can’t be taken apart on these rows.");
    };
    let amount = plain(digits.change(at).exact().unwrap_or(change));
    let alone = bridge.steps.iter().filter(|s| s.exact().is_some_and(|v| v.abs() > TOLD * size));
    let alone = alone.count() == 1 && rest.is_none_or(|(v, ..)| v.abs() <= TOLD * size);
    let against = change * gap < 0.0;
    // A part is told as it is printed: by rounding it can come to the whole, and to more than that.
    let printed = |v: Option<f64>, exact: f64| v.unwrap_or(exact).abs();
    let back = printed(digits.change(at).exact(), change) - printed(digits.difference(), gap);
    let share = if against {
        let ends = if gap > 0.0 { "higher" } else { "lower" };
        format!(
            "that is {amount} {unit} the other way; other causes more than undo it, and B ends {whole} {unit} {ends}"
        )
    } else if amount == whole {
        format!("that is all of the {whole} {unit}")
    } else if back > 0.0 {
        format!("that is {amount} {unit}, of which other causes take back {} {unit}", plain(back))
    } else {
        format!("that is {amount} {unit} of the {whole} {unit}")
    };
    if alone || change.abs() > 0.5 * gap.abs() {
        return match verbs(step) {
            Some((a, b)) => format!("A {a}, B {b}: {share}."),
            None => {
                format!("{}: A has {}, B {}; {share}.", step.name, step.from_words, step.to_words)
            }
        };
    }
    let causes = bridge.steps.iter().filter(|s| s.exact().is_some_and(|v| v.abs() > TOLD * size));
    let causes = causes.count() + usize::from(rest.is_some_and(|(v, ..)| v.abs() > TOLD * size));
    format!(
        "{causes} causes share the {whole} {unit}; the largest is {}, {amount} {unit}.",
        within_sentence(&step.name)
    )
}

/// The sentence where no definition makes as much as what none of them explains.
fn unexplained_first(
    bridge: &Bridge,
    digits: &Digits,
    (name, change): (&str, f64),
    gap: f64,
) -> String {
    let (metric, places) = (bridge.a.metric, digits.places);
    let unit = shown(metric).1;
    let text = |v: f64| fixed((v * factor(metric)).abs(), places);
    let size = |v: f64| format!("{} {unit}", text(v));
    let gap = digits.difference().unwrap_or(gap);
    let other = gap - change;
    let none = |v: f64| text(v) == text(0.0);
    let pieces = bridge.pieces().into_iter().enumerate();
    let defined: Option<f64> = pieces
        .filter(|(_, piece)| matches!(piece, Piece::Step(_)))
        .map(|(at, _)| digits.change(at).exact())
        .sum();
    let defined = defined.filter(|defined| !none(*defined));
    let (said, whole) = (size(change), size(gap));
    // What another definition would change is not told apart from the rest: it is named with it.
    let unknown: Vec<&str> = bridge.unmeasured.iter().map(|one| one.name.as_str()).collect();
    let in_rest = bridge.remainder.as_ref().is_some_and(|rest| rest.name == name);
    let hidden = in_rest && bridge.mode == Mode::TwoRuns && !unknown.is_empty();
    let name = if hidden {
        format!(
            "{}, {}, which these rows can’t tell apart",
            unknown.join(", "),
            within_sentence(name)
        )
    } else {
        name.to_owned()
    };
    if none(other) {
        return format!("{name}: all of the {whole}.");
    }
    if other * change < 0.0 {
        let who = match (defined, hidden) {
            (Some(_), true) => "the other definitions",
            (Some(_), false) => "the definitions",
            (None, _) => "other causes",
        };
        return format!("{name}: {said}, of which {who} take back {}.", size(other));
    }
    match defined {
        Some(defined) => {
            let which = if hidden { "the other definitions" } else { "the definitions" };
            format!("{name}: {said} of the {whole}; {which} make {}.", size(defined))
        }
        None => format!("{name}: {said} of the {whole}."),
    }
}

fn details(bridge: &Bridge) -> Vec<String> {
    let mut details: Vec<String> = Vec::new();
    details.extend(bridge.unmeasured.iter().map(|one| format!("{}: {}", one.name, one.because)));
    if let Some(why) = &bridge.stopped {
        details.push(why.clone());
    }
    if bridge.mode == Mode::TwoRuns {
        for (letter, end) in [("A", &bridge.a), ("B", &bridge.b)] {
            if matches!(end.value, Value::Reported(_))
                && !bridge.prints.iter().any(|print| print.side.letter() == letter)
            {
                details.push(format!(
                    "{letter} is as printed: the rows of {} don’t give it, so its definition is its tool’s word.",
                    end.name
                ));
            }
        }
    }
    if bridge.mode == Mode::SameRows && bridge.stopped.is_none() && bridge.difference().is_some() {
        let requests = bridge.steps.iter().map(|step| step.touched.of).max().unwrap_or(0);
        if requests > 0 {
            details.push(format!(
                "Nothing is left over, because both numbers come from the same {} requests.",
                fixed(requests as f64, 0)
            ));
        }
    }
    for piece in bridge.pieces() {
        if let Piece::Print(_, rest) | Piece::Rest(rest) = piece {
            details.push(rest.because.clone());
        }
    }
    details.extend(bridge.story.clone());
    if let Some(reason) = &bridge.no_average {
        details.push(format!("There is no average over all orders: {reason}."));
    }
    details
}
