//! Choices that mean “as the client recorded it”, where the two clients recorded different things: one word,
//! two definitions, and A's rows hold one of them alone.

use super::adapt::not_so;
use super::{Number, Step, Touched, Unmeasured};
use crate::metrics::measured::Value;
use crate::metrics::rows::{Rows, Values};
use crate::metrics::ruler::dimensions_of;
use crate::metrics::samples;
use crate::metrics::settings::{EmptyOutputs, FirstToken, Itl, Settings, TokenCount, Tpot};
use crate::model::{FirstTokenRule, GapKind, Metric, Outcome, Requests, TokenSource};
use crate::units::fixed;

/// What `counted` found.
#[derive(Default)]
pub(super) struct Counted {
    /// Choices that A's rows can't give.
    pub apart: Vec<Unmeasured>,
    /// A step that changes nothing, since B's rows hold both counts and they agree.
    pub alike: Option<Step>,
}

/// Makes such choices of `target`, B's ruler for A's rows, say what B's client recorded, where a choice says
/// it; else tells what A's rows can't give.
pub(super) fn counted(a: &Number<'_>, b: &Number<'_>, target: &mut Settings) -> Counted {
    let mut found = Counted::default();
    let (Some(of_a), Some(of_b)) = (&a.run.requests, &b.run.requests) else { return found };
    if a.run.id == b.run.id {
        return found;
    }
    let apart = &mut found.apart;
    let relevant = dimensions_of(b.metric, target);
    let name = &a.run.name;
    let (rule_a, rule_b) = (of_a.first_token_rule, of_b.first_token_rule);
    let as_timed =
        relevant.contains(&"first-token") && target.first_token == FirstToken::FirstEvent;
    if as_timed {
        target.first_token = choice(rule_b);
    }
    let any = |rule| rule == FirstTokenRule::FirstEvent;
    let by_events = counts_events(b.metric, target);
    let events = by_events && rule_a != rule_b;
    let (more_of_a, more_of_b) = (some_without_text(of_a), some_without_text(of_b));
    if by_events && !events && !any(rule_a) && more_of_a != more_of_b {
        // Both are said to count the same, and the events of one outnumber its tokens.
        let (does, other) = if more_of_a { ("", " not") } else { (" not", "") };
        let reason = format!(
            "its client did{does} count events that carry no token, as their number shows, and that of B did{other}"
        );
        apart.push(Unmeasured {
            dimension: "first-token".into(),
            name: "Counted events".into(),
            from: choice(rule_a).id().into(),
            to: choice(rule_b).id().into(),
            because: not_so(name, &reason),
        });
    }
    let client = |n: &Number<'_>| (n.run.tool, n.run.workload.endpoint.clone());
    if any(rule_a) && any(rule_b) && (as_timed || by_events) && client(a) != client(b) {
        let reason =
            "its client counted any event, and so did that of B: they need not be the same ones";
        apart.push(Unmeasured {
            dimension: "first-token".into(),
            name: "Counted events".into(),
            from: choice(rule_a).id().into(),
            to: choice(rule_b).id().into(),
            because: not_so(name, reason),
        });
    }
    if (as_timed && any(rule_b) && !any(rule_a)) || events {
        let said = |rule| match rule {
            FirstTokenRule::FirstEvent => "any event, with text or without",
            FirstTokenRule::FirstText => "events with text",
            FirstTokenRule::FirstAnswer => "events of the answer",
        };
        let reason = format!("its client counted {}, that of B {}", said(rule_a), said(rule_b));
        apart.push(Unmeasured {
            dimension: "first-token".into(),
            name: if events { "Counted events" } else { "First token" }.into(),
            from: choice(rule_a).id().into(),
            to: choice(rule_b).id().into(),
            because: not_so(name, &reason),
        });
    }
    if relevant.contains(&"token-count") && target.token_count == TokenCount::AsRecorded {
        let (source_a, source_b) = (of_a.token_source, of_b.token_source);
        match source_b {
            TokenSource::Server => target.token_count = TokenCount::Server,
            TokenSource::Retokenized => target.token_count = TokenCount::Retokenized,
            TokenSource::Events => target.token_count = TokenCount::Events,
            TokenSource::Requested | TokenSource::Unknown if source_a != source_b => {
                let reason = format!(
                    "its output tokens are {}, those of B {}",
                    source_a.words(),
                    source_b.words()
                );
                apart.push(Unmeasured {
                    dimension: "token-count".into(),
                    name: "Token count".into(),
                    from: TokenCount::AsRecorded.id().into(),
                    to: TokenCount::AsRecorded.id().into(),
                    because: not_so(name, &reason),
                });
            }
            TokenSource::Requested | TokenSource::Unknown => {}
        }
    }
    if relevant.contains(&"token-count") {
        found.alike = alike(a, b, target);
    }
    found
}

/// What the clients wrote for replies without a token.
pub(super) enum WroteEmpty {
    /// The same, or none is a sample in either.
    Alike,
    /// A's are samples on B's ruler and B's own are not: on it none of A's is one either.
    AloneOfA,
    /// B's are samples, and A's rows can't give them.
    AloneOfB(Unmeasured),
}

/// Compares what the two clients wrote for replies without a token, on a ruler that A's rows can be measured
/// by and that lets them enter as successes.
pub(super) fn wrote_empty(a: &Number<'_>, b: &Number<'_>) -> WroteEmpty {
    let relevant = dimensions_of(b.metric, &a.settings).contains(&"empty-outputs");
    if a.run.id == b.run.id || !relevant || a.settings.empty_outputs != EmptyOutputs::AsSuccess {
        return WroteEmpty::Alike;
    }
    let enter = |n: &Number<'_>| {
        let requests = n.run.requests.as_ref()?;
        let rows = Rows::new(requests, &n.settings, &n.ask.excluded).ok()?;
        let is_empty = |at: &usize| requests.is_empty_reply(*at);
        if !rows.counted_rows().any(|at| is_empty(&at)) {
            return None;
        }
        let ends = rows.ends_of(n.metric);
        let ends = ends.low.as_ref().or(ends.high.as_ref());
        let samples = samples::of(&rows, n.metric, ends.unwrap_or(&Values::new())).ok()?;
        Some(samples.ends.iter().any(|(_, at)| is_empty(at)))
    };
    match (enter(a), enter(b)) {
        (Some(true), Some(false)) => WroteEmpty::AloneOfA,
        (Some(false), Some(true)) => WroteEmpty::AloneOfB(Unmeasured {
            dimension: "empty-outputs".into(),
            name: "Empty replies".into(),
            from: EmptyOutputs::AsSuccess.id().into(),
            to: EmptyOutputs::AsSuccess.id().into(),
            because: not_so(
                &a.run.name,
                "its client wrote nothing for replies without a token that would enter, that of B did",
            ),
        }),
        _ => WroteEmpty::Alike,
    }
}

/// Where A holds one count alone and B both, which agree in every request: B's choice is A's then.
fn alike(a: &Number<'_>, b: &Number<'_>, target: &mut Settings) -> Option<Step> {
    let (of_a, of_b) = (a.run.requests.as_ref()?, b.run.requests.as_ref()?);
    let (from, to, whose) = match (target.token_count, of_a.token_source) {
        (TokenCount::Retokenized, TokenSource::Server) if of_a.retokenized.is_absent() => {
            (TokenCount::Server, TokenCount::Retokenized, "the server’s")
        }
        (TokenCount::Server, TokenSource::Retokenized) => {
            (TokenCount::Retokenized, TokenCount::Server, "its tokenizer’s")
        }
        _ => return None,
    };
    if of_b.token_source != TokenSource::Server {
        return None;
    }
    let both = of_b.output_tokens.iter().zip(of_b.retokenized.iter());
    let both: Vec<_> = both.filter_map(|(server, own)| Some((server?, own?))).collect();
    let agree = both.iter().all(|(server, own)| (server.count() - own.count()).abs() < 0.5);
    if both.is_empty() || !agree {
        return None;
    }
    target.token_count = from;
    let label = |choice: TokenCount| Settings { token_count: choice, ..*target }.get("token-count");
    let words = |choice| label(choice).map_or_else(String::new, |found| found.label.to_owned());
    let n = fixed(both.len() as f64, 0);
    Some(Step {
        dimension: "token-count".into(),
        name: "Token count".into(),
        from: from.id().into(),
        to: to.id().into(),
        from_words: words(from),
        to_words: words(to),
        after: Value::Exact(f64::NAN),
        change: Value::Exact(0.0),
        touched: Touched { of: of_a.len(), ..Touched::default() },
        because: format!(
            "{} holds {whose} count only; in {} both counts agree in {n} of {n} requests.",
            a.run.name, b.run.name
        ),
        average: Some(0.0),
        other_story: false,
    })
}

const fn choice(rule: FirstTokenRule) -> FirstToken {
    match rule {
        FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
        FirstTokenRule::FirstText => FirstToken::FirstText,
        FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
    }
}

/// A client that counts an event more for every twentieth token counts events without one.
const MORE: f64 = 1.05;

/// Whether so many events were counted that some of them must have carried no token.
fn some_without_text(requests: &Requests) -> bool {
    if requests.gap_kind == GapKind::TokenSpread {
        return false;
    }
    let (mut events, mut tokens) = (0.0, 0.0);
    for at in 0..requests.len() {
        let finished = requests.outcome.get(at) == Some(&Outcome::Ok);
        let counted = requests.gaps.row(at).zip(requests.output_tokens.get(at));
        if let (true, Some((gaps, n))) = (finished && !requests.is_empty_reply(at), counted) {
            events += gaps.len() as f64 + 1.0;
            tokens += n.count();
        }
    }
    events > MORE * tokens && tokens > 0.0
}

/// Whether the samples of a metric are made of stream events.
fn counts_events(metric: Metric, settings: &Settings) -> bool {
    let by_events = settings.token_count == TokenCount::Events;
    match metric {
        Metric::ChunkGap => true,
        Metric::Itl => settings.itl != Itl::RequestMean && settings.itl != Itl::AsRecorded,
        Metric::Tpot => {
            matches!(settings.tpot, Tpot::VisibleGaps | Tpot::AfterFirstEvent) || by_events
        }
        Metric::OutputThroughput | Metric::TotalOutputTokens | Metric::OutputTokens => by_events,
        _ => false,
    }
}
