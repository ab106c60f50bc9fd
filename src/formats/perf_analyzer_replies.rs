//! The replies of one request in a Perf Analyzer export: which of them brought text, as GenAI-Perf counts.
//!
//! Perf Analyzer stamps each callback of its transport. One may hold several stream events or a piece of
//! one. `profile_data_parser/llm_profile_data_parser.py` of GenAI-Perf 0.0.16 is followed here.

use super::documents::{self, Ticker};
use super::tree::{Tree, TreeSeed};
use crate::notice::Notices;

/// One callback: its time in nanoseconds and what it brought.
#[derive(Debug)]
pub(super) struct Callback {
    pub(super) at: i128,
    /// Raw text of an HTTP reply; `None` for the tensors of Triton, each of which is a reply.
    pub(super) text: Option<String>,
}

/// What the replies of a request come to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Replies {
    /// When text of any kind came, reasoning and tool calls included.
    pub(super) events: Vec<i128>,
    /// When the first text came that is an answer.
    pub(super) answer: Option<i128>,
    /// The server's counts of prompt and output, where it sent them.
    pub(super) usage: [Option<f64>; 2],
    /// Whether the server reported an error.
    pub(super) failed: bool,
    /// Whether they hold something else than generated text, such as embeddings.
    pub(super) other: bool,
}

/// The marker of a stream event's data.
const DATA: &str = "data:";

/// Reads the callbacks of one request.
pub(super) fn replies(mut callbacks: Vec<Callback>) -> Replies {
    join_fragments(&mut callbacks);
    let mut replies = Replies::default();
    for Callback { at, text } in callbacks {
        let Some(text) = text else {
            replies.events.push(at);
            replies.answer = replies.answer.or(Some(at));
            continue;
        };
        let (any, answer) = read(&text, &mut replies);
        if any || answer {
            replies.events.push(at);
        }
        if answer {
            replies.answer = replies.answer.or(Some(at));
        }
    }
    replies
}

/// Gives each callback's text up to its first event to the callback before, which holds the rest of it.
/// From the end, so that an event in many pieces comes together where it began.
fn join_fragments(callbacks: &mut [Callback]) {
    for at in (1..callbacks.len()).rev() {
        let Some((before, rest)) = callbacks.split_at_mut_checked(at) else { continue };
        let (Some(Callback { text: Some(before), .. }), Some(Callback { text: Some(text), .. })) =
            (before.last_mut(), rest.first_mut())
        else {
            continue;
        };
        if text.starts_with(DATA) || is_comment(text) {
            continue;
        }
        let start = text.find("\ndata:").map_or(text.len(), |newline| newline + 1);
        before.push_str(text.get(..start).unwrap_or_default());
        text.replace_range(..start, "");
    }
}

/// Whether a line of a stream is no data: a comment or the name of an event.
fn is_comment(line: &str) -> bool {
    [":", "event:", "id:", "retry:"].iter().any(|start| line.starts_with(start))
}

/// Whether any text and whether answer text is in the events of one callback.
fn read(text: &str, replies: &mut Replies) -> (bool, bool) {
    if !text.lines().any(|line| line.starts_with(DATA)) {
        return message(text, replies);
    }
    replies.failed |= text.lines().any(|line| line.starts_with("event: error"));
    let mut found = (false, false);
    for data in text.lines().filter_map(|line| line.strip_prefix(DATA)) {
        let (any, answer) = message(data.trim(), replies);
        found = (found.0 || any, found.1 || answer);
    }
    found
}

/// The same of one message.
fn message(text: &str, replies: &mut Replies) -> (bool, bool) {
    if !text.starts_with('{') && !text.starts_with('[') {
        return (false, false);
    }
    let mut silent = |_| {};
    let ticker = Ticker::new(0, &mut silent);
    let seed = TreeSeed { skip: &["logprobs", "embedding"], ticker: &ticker };
    let Ok(found) = documents::read(text, seed, &ticker, &mut Notices::new()) else {
        return (false, false);
    };
    let mut has = (false, false);
    for tree in found.iter().map(|document| &document.value) {
        for (slot, key) in replies.usage.iter_mut().zip(["prompt_tokens", "completion_tokens"]) {
            *slot = tree.number_at(&["usage", key]).or(*slot);
        }
        replies.failed |= tree.get("error").is_some_and(|error| !error.is_null());
        let choices = tree.get("choices");
        replies.other |= choices.is_none()
            && tree.get("text_output").is_none()
            && (tree.get("data").is_some()
                || !tree.list().is_empty()
                || tree.get("rankings").is_some());
        let choice = choices.and_then(|choices| choices.list().first());
        let sources =
            [choice, choice.and_then(|c| c.get("delta")), choice.and_then(|c| c.get("message"))];
        let filled =
            |source: &Tree, keys: &[&str]| keys.iter().any(|key| source.text_at(&[key]).is_some());
        for source in sources.into_iter().flatten() {
            has.1 |= filled(source, &["content", "text"]);
            has.0 |= filled(source, &["reasoning_content", "reasoning"]);
            has.0 |= source.get("tool_calls").is_some_and(|calls| !calls.list().is_empty());
        }
        has.1 |= tree.text_at(&["text_output"]).is_some();
    }
    has
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Replies {
        let callback = |(at, text): (usize, &&str)| Callback {
            at: at as i128 + 1,
            text: Some((*text).to_owned()),
        };
        replies(texts.iter().enumerate().map(callback).collect())
    }

    const HI: &str = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";

    #[test]
    fn frames_usage_and_the_end_marker_are_no_tokens() {
        let got = of(&[
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
            HI,
            ": ping\n\n",
            HI,
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":4}}\n\n",
            "data: [DONE]\n\n",
        ]);
        assert_eq!(got.events, [2, 3, 5]);
        assert_eq!(got.answer, Some(3));
        assert_eq!(got.usage, [Some(7.0), Some(4.0)]);
        assert!(!got.failed && !got.other);
    }

    #[test]
    fn an_event_in_three_pieces_came_with_its_first() {
        let (one, rest) = HI.split_at(20);
        let (two, three) = rest.split_at(30);
        let last = format!("{three}{HI}data: [DONE]\n\n");
        assert_eq!(of(&[HI, one, two, &last]).events, [1, 2, 4]);
    }

    #[test]
    fn several_events_in_one_callback_are_one() {
        assert_eq!(of(&[&format!("{HI}{HI}"), "data: [DONE]\n\n"]).events, [1]);
    }

    #[test]
    fn whole_replies_and_other_kinds() {
        let whole = of(&[
            "{\"object\":\"chat.completion\",\"choices\":[{\"message\":{\"content\":\"x\"}}]}",
        ]);
        assert_eq!((whole.events, whole.answer), (vec![1], Some(1)));
        assert!(of(&["{\"object\":\"list\",\"data\":[{\"embedding\":[1]}]}"]).other);
        assert!(of(&["{\"error\":{\"message\":\"x\"}}"]).failed);
        assert_eq!(of(&["data: {\"broken\n\n"]), Replies::default());
        let tensors = vec![Callback { at: 4, text: None }, Callback { at: 6, text: None }];
        assert_eq!(replies(tensors).events, [4, 6]);
    }
}
