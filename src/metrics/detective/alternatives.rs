//! Which choices can make a difference on a run: what its file can't give, or what comes to the same
//! thing on it, is no alternative.

use crate::metrics::dimensions::Dimension;
use crate::metrics::rows::{Rows, Values, ends, has_silent, writes_zeros};
use crate::metrics::settings::{End, FirstToken, Population, Settings, TokenCount, Window};
use crate::model::{FirstTokenRule, Metric, Outcome, Requests, Run};

/// The choices of one dimension that are not the own one.
#[derive(Debug)]
pub(super) struct Alternative {
    /// The dimension.
    pub dimension: &'static Dimension,
    /// Its other choices with their parameters, as `--set` takes them.
    pub choices: Vec<String>,
}

/// The dimensions in which samples are made, in the order in which the search changes them: those that
/// others hang on first. How a percentile and a spread are read off is no part of it.
const ORDER: [&str; 15] = [
    "tpot",
    "itl",
    "user-speed",
    "clock-start",
    "first-token",
    "end",
    "decode-end",
    "token-count",
    "short-outputs",
    "empty-outputs",
    "population",
    "weighting",
    "window",
    "duration",
    "goodput-missing",
];

/// What of `run` can be measured otherwise than by `own`.
pub(super) fn alternatives(run: &Run, requests: &Requests, own: &Settings) -> Vec<Alternative> {
    let facts = Facts::of(requests);
    let of = |id: &str| {
        let dimension = Dimension::find(id)?;
        let own_choice = dimension.read(own);
        let choices: Vec<String> = possible(id, run, requests, own, &facts)
            .into_iter()
            .filter(|choice| *choice != own_choice)
            .collect();
        (!choices.is_empty()).then_some(Alternative { dimension, choices })
    };
    ORDER.into_iter().filter_map(of).collect()
}

/// What the table holds, looked at once.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the table")]
struct Facts {
    gap_sums: Values,
    gaps: bool,
    starts: bool,
    event_tokens: bool,
    /// Whether a reply may be too short for a TPOT.
    short: bool,
    /// Whether empty replies or written zeros make a difference.
    empty: bool,
    cut: bool,
    failed: bool,
}

impl Facts {
    fn of(requests: &Requests) -> Self {
        let sum = |row: Option<&[crate::units::Seconds]>| {
            row.map(|gaps| gaps.iter().map(|gap| gap.as_secs()).sum())
        };
        let few = |at: usize| {
            let counts = [requests.output_tokens.get(at), requests.retokenized.get(at)];
            counts.into_iter().flatten().any(|n| n.count() < 2.0)
                || requests.gaps.row(at).is_some_and(<[_]>::is_empty)
        };
        let ended = |outcome| requests.outcome.contains(&outcome);
        Self {
            gap_sums: requests.gaps.rows().map(sum).collect(),
            gaps: !requests.gaps.is_absent(),
            starts: !requests.start.is_absent(),
            event_tokens: !requests.event_tokens.is_absent(),
            short: (0..requests.len()).any(few),
            empty: has_silent(requests) || writes_zeros(requests),
            cut: ended(Outcome::Cancelled) || ended(Outcome::Unfinished),
            failed: ended(Outcome::Failed),
        }
    }
}

fn possible(
    id: &str,
    run: &Run,
    requests: &Requests,
    own: &Settings,
    facts: &Facts,
) -> Vec<String> {
    let all = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
    let when = |holds: bool, ids: &[&str]| if holds { all(ids) } else { Vec::new() };
    match id {
        "tpot" => [
            when(true, &["after-first", "whole-over-n", "after-first-over-n"]),
            when(facts.gaps || facts.event_tokens, &["after-first-event"]),
            when(facts.gaps, &["visible-gaps"]),
        ]
        .concat(),
        "itl" => [
            when(true, &["request-mean"]),
            when(facts.gaps, &["event-gap", "token-spread", "token-zeros", "whole-over-events"]),
            when(!requests.request_itl.is_absent(), &["as-recorded"]),
        ]
        .concat(),
        "user-speed" => all(&["decode", "whole", "reciprocal-of-tpot"]),
        "clock-start" => {
            let waited = requests.queue_wait.iter().flatten().any(|w| w.as_secs() > 0.0);
            when(waited, &["send", "scheduled"])
        }
        "first-token" => first_tokens(requests, own),
        "end" => other_ends(requests, own, facts),
        "decode-end" => {
            let known = ends(requests, End::LastToken, &facts.gap_sums).exact;
            when(known && own.end != End::LastToken, &["request-end", "last-token"])
        }
        "token-count" => other_counts(requests, own),
        "short-outputs" => when(facts.short, &["exclude", "zero", "exclude-ttft"]),
        "empty-outputs" => when(facts.empty, &["exclude", "as-success", "count-only"]),
        "population" => match (facts.cut, facts.failed) {
            (true, true) => all(&["ok", "ok-and-cut", "sent"]),
            (true, false) if own.population != Population::Sent => all(&["ok", "ok-and-cut"]),
            (_, false) => Vec::new(),
            (false, true) => all(&["ok", "sent"]),
        },
        "weighting" => all(&["per-request", "per-token"]),
        "window" => windows(run, facts),
        "duration" => [
            when(run.reported.value(Metric::Duration).is_some(), &["as-reported"]),
            when(
                facts.starts,
                &[
                    "first-send-to-last-token",
                    "first-send-to-last-end",
                    "first-token-to-last-token",
                    "window",
                ],
            ),
        ]
        .concat(),
        "goodput-missing" => all(&["not-applicable", "passes", "fails"]),
        _ => Vec::new(),
    }
}

/// Other first tokens that the file times.
fn first_tokens(requests: &Requests, own: &Settings) -> Vec<String> {
    if requests.first_answer.is_absent() {
        return Vec::new();
    }
    let other = match (own.first_token, requests.first_token_rule) {
        (FirstToken::FirstAnswer, FirstTokenRule::FirstText) => FirstToken::FirstText,
        (FirstToken::FirstAnswer, FirstTokenRule::FirstEvent) => FirstToken::FirstEvent,
        (FirstToken::FirstAnswer, FirstTokenRule::FirstAnswer) => return Vec::new(),
        _ => FirstToken::FirstAnswer,
    };
    vec![other.id().to_owned()]
}

/// Other ends that the file knows exactly and that lie elsewhere.
fn other_ends(requests: &Requests, own: &Settings, facts: &Facts) -> Vec<String> {
    let own_ends = ends(requests, own.end, &facts.gap_sums);
    [End::LastToken, End::LastMessage, End::StreamEnd]
        .into_iter()
        .filter(|rule| {
            let other = ends(requests, *rule, &facts.gap_sums);
            other.exact && !(own_ends.exact && other.low == own_ends.low)
        })
        .map(|rule| rule.id().to_owned())
        .collect()
}

/// Other counts that the file holds and that are other numbers, each number once.
fn other_counts(requests: &Requests, own: &Settings) -> Vec<String> {
    let counted = |rule: TokenCount| {
        let settings = Settings { token_count: rule, window: Window::Whole, ..*own };
        Rows::new(requests, &settings, &[]).ok().and_then(|rows| rows.tokens.ok())
    };
    let mut seen: Vec<Option<Values>> = vec![counted(own.token_count)];
    let mut others = Vec::new();
    let rules =
        [TokenCount::AsRecorded, TokenCount::Server, TokenCount::Retokenized, TokenCount::Events];
    for rule in rules {
        let tokens = counted(rule);
        if tokens.is_some() && !seen.contains(&tokens) {
            others.push(rule.id().to_owned());
            seen.push(tokens);
        }
    }
    others
}

/// The stretches that are tried: the whole run, and without what is cold or ramping.
fn windows(run: &Run, facts: &Facts) -> Vec<String> {
    let first = run.load.max_concurrency.map(|cap| Window::SkipFirst(cap as usize));
    let timed = [Window::AfterFirstCompletion, Window::Steady(0.9)];
    let timed = timed.into_iter().filter(|_| facts.starts);
    std::iter::once(Window::Whole).chain(first).chain(timed).map(|w| w.to_string()).collect()
}
