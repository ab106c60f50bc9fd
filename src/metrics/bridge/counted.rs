//! Choices that mean “as the client recorded it”, where the two clients recorded different things: one word,
//! two definitions, and A's rows hold one of them alone.

use super::adapt::not_so;
use super::{Number, Unmeasured};
use crate::metrics::ruler::dimensions_of;
use crate::metrics::settings::{FirstToken, Itl, Settings, TokenCount, Tpot};
use crate::model::{FirstTokenRule, Metric, TokenSource};

/// Makes such choices of `target`, B's ruler for A's rows, say what B's client recorded, where a choice says
/// it; else tells what A's rows can't give.
pub(super) fn counted(a: &Number<'_>, b: &Number<'_>, target: &mut Settings) -> Vec<Unmeasured> {
    let (Some(of_a), Some(of_b)) = (&a.run.requests, &b.run.requests) else { return Vec::new() };
    let mut apart = Vec::new();
    if a.run.id == b.run.id {
        return apart;
    }
    let relevant = dimensions_of(b.metric, target);
    let name = &a.run.name;
    let (rule_a, rule_b) = (of_a.first_token_rule, of_b.first_token_rule);
    let as_timed = relevant.contains(&"first-token") && target.first_token == FirstToken::FirstEvent;
    if as_timed {
        target.first_token = choice(rule_b);
    }
    let any = |rule| rule == FirstTokenRule::FirstEvent;
    let events = counts_events(b.metric, target) && rule_a != rule_b;
    if (as_timed && any(rule_b) && !any(rule_a)) || events {
        let said = |rule| match rule {
            FirstTokenRule::FirstEvent => "any event, with text or without",
            FirstTokenRule::FirstText => "events with text",
            FirstTokenRule::FirstAnswer => "events of the answer",
        };
        let reason =
            format!("its client counted {}, that of B {}", said(rule_a), said(rule_b));
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
    apart
}

const fn choice(rule: FirstTokenRule) -> FirstToken {
    match rule {
        FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
        FirstTokenRule::FirstText => FirstToken::FirstText,
        FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
    }
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
