//! The finding cut where it speaks of one of the two numbers, so that each can be marked in its colour.

use super::Side;
use serde::{Deserialize, Serialize};

/// A piece of the finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which number it speaks of; none for what is said of both.
    pub side: Option<Side>,
    /// Its words, with the signs and spaces around them.
    pub words: String,
}

/// “A waits for chunks”, “, ”, “B counts tokens”, “: that is …”; whole where it has not that form.
pub fn parts(sentence: &str) -> Vec<Part> {
    let part = |side, words: &str| Part { side, words: words.to_owned() };
    let cut = || {
        let end = sentence.find(": ")?;
        let (clauses, rest) = sentence.split_at_checked(end)?;
        let (a, b) = clauses.split_once(", B ")?;
        a.starts_with("A ").then_some((a, b, rest))
    };
    match cut() {
        Some((a, b, rest)) => vec![
            part(Some(Side::A), a),
            part(None, ", "),
            part(Some(Side::B), &format!("B {b}")),
            part(None, rest),
        ],
        None => vec![part(None, sentence)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_are_the_sentence_again() {
        let verbs = "A waits for chunks, B counts tokens: that is 17.00 ms of the 17.03 ms.";
        for sentence in [
            verbs,
            "Window: A has the whole run, B the first 8 requests; that is 3 ms of the 4 ms.",
            "3 causes share the 9 ms; the largest is unit, 4 ms.",
            "A is 13.57 ms, B is at least 13.49 ms.",
            "",
        ] {
            let parts = parts(sentence);
            let again: String = parts.iter().map(|part| part.words.as_str()).collect();
            assert_eq!(again, sentence);
            let marked = parts.iter().filter(|part| part.side.is_some()).count();
            assert_eq!(marked, if sentence == verbs { 2 } else { 0 }, "{sentence}");
        }
    }
}
