//! Mends what Python writes and JSON forbids: bare `NaN` and `Infinity`, trailing commas, numbers beyond
//! a double, and halves of characters.
//!
//! Each token is replaced in place by an equally long value, so that every later position stays
//! true. Text inside strings is never touched, but for half a character, which no text can hold.

use super::text::Lines;
use crate::notice::{Notices, Severity};

/// Stands for infinity in a mended text: one control byte, which no tool writes, since the shortest
/// spelling (`inf`) leaves room for one character between quotes.
pub(super) const INFINITE: &str = "\u{7f}";

/// The spellings, and what each becomes before padding.
const WORDS: [(&str, &str); 12] = [
    ("-Infinity", "\"-\u{7f}\""),
    ("Infinity", "\"\u{7f}\""),
    ("-Inf", "\"-\u{7f}\""),
    ("-inf", "\"-\u{7f}\""),
    ("Inf", "\"\u{7f}\""),
    ("inf", "\"\u{7f}\""),
    ("-NaN", "\"\""),
    ("-nan", "\"\""),
    ("NaN", "\"\""),
    ("nan", "\"\""),
    ("+Inf", "\"\u{7f}\""),
    ("+inf", "\"\u{7f}\""),
];

/// The mended text. Each repair adds a notice with its place.
pub(super) fn mend(text: &[u8], out: &mut Notices) -> Vec<u8> {
    let mut fixed = text.to_vec();
    let mut scan = Scan { text, at: 0, depth: 0 };
    let mut lines = Lines::new(text);
    while let Some(byte) = scan.peek() {
        match byte {
            b'\n' => scan.newline(),
            b'"' if scan.depth > 0 => {
                let halves = scan.skip_string();
                for at in halves {
                    out.add(Severity::Note, "half-character", lines.place(at), HALF);
                    replace(&mut fixed, at, 6, "\\ufffd");
                }
            }
            b'{' | b'[' => {
                scan.depth += 1;
                scan.at += 1;
            }
            b'}' | b']' => {
                scan.depth = scan.depth.saturating_sub(1);
                scan.at += 1;
            }
            b',' if scan.depth > 0 && scan.closes_after_comma() => {
                out.add(
                    Severity::Note,
                    "trailing-comma",
                    lines.place(scan.at),
                    "A comma before a closing bracket was ignored.",
                );
                if let Some(slot) = fixed.get_mut(scan.at) {
                    *slot = b' ';
                }
                scan.at += 1;
            }
            _ if scan.depth > 0 => match (scan.word(), scan.number()) {
                (Some((word, value)), _) => {
                    out.add(Severity::Note, "bare-word", lines.place(scan.at), sentence(word));
                    replace(&mut fixed, scan.at, word.len(), value);
                    scan.at += word.len();
                }
                (None, Some(number)) => {
                    let length = number.len();
                    if let Some(value) = beyond(number) {
                        out.add(Severity::Note, "huge-number", lines.place(scan.at), HUGE);
                        replace(&mut fixed, scan.at, length, value);
                    }
                    scan.at += length;
                }
                (None, None) => scan.at += 1,
            },
            _ => scan.at += 1,
        }
    }
    fixed
}

const HUGE: &str =
    "A number is larger than any that can be calculated with; it was read as infinite.";
const HALF: &str = "A text holds half of a character; the half was replaced.";

/// Puts `value` in place of `length` bytes, filled up with blanks.
fn replace(text: &mut [u8], at: usize, length: usize, value: &str) {
    let padded = value.bytes().chain(std::iter::repeat(b' '));
    for (slot, new) in text.iter_mut().skip(at).take(length).zip(padded) {
        *slot = new;
    }
}

/// What stands for a number beyond the range of a double, where it is one.
fn beyond(number: &[u8]) -> Option<&'static str> {
    // A double ends at 1.8e308: shorter numbers without an exponent are within it.
    if number.len() < 308 && !number.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return None;
    }
    let value: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    match value {
        f64::INFINITY => Some("\"\u{7f}\""),
        f64::NEG_INFINITY => Some("\"-\u{7f}\""),
        _ => None,
    }
}

fn sentence(word: &str) -> String {
    if word.to_ascii_lowercase().contains("nan") {
        format!("The bare word {word}, which JSON does not allow, was read as missing.")
    } else {
        format!("The bare word {word}, which JSON does not allow, was read as infinite.")
    }
}

/// A position in a text that may hold several JSON values with other lines between.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn newline(&mut self) {
        self.at += 1;
        // A brace in the first column starts a new value, also after a line that was cut.
        if self.peek() == Some(b'{') {
            self.depth = 0;
        }
    }

    /// Skips a string, and tells where halves of characters are escaped in it: Python writes those of
    /// texts that were cut between two bytes. A line end inside a string means that it was never closed.
    fn skip_string(&mut self) -> Vec<usize> {
        let mut halves = Vec::new();
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => match (self.escaped(0), self.escaped(6)) {
                    (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => self.at += 12,
                    (Some(0xd800..=0xdfff), _) => {
                        halves.push(self.at);
                        self.at += 6;
                    }
                    _ => self.at += 2,
                },
                b'"' => {
                    self.at += 1;
                    break;
                }
                b'\n' => break,
                _ => self.at += 1,
            }
        }
        halves
    }

    /// The unit that `\uXXXX` stands for, `ahead` bytes from here.
    fn escaped(&self, ahead: usize) -> Option<u16> {
        let digits = self.rest().get(ahead..ahead + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }

    /// The number that starts here.
    fn number(&self) -> Option<&[u8]> {
        let first = self.rest().iter().find(|byte| **byte != b'-')?;
        let part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let length = self.rest().iter().take_while(part).count();
        first.is_ascii_digit().then(|| self.rest().get(..length)).flatten()
    }

    fn closes_after_comma(&self) -> bool {
        let next = self.rest().iter().skip(1).find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b'}' | b']'))
    }

    fn word(&self) -> Option<(&'static str, &'static str)> {
        if !matches!(self.peek(), Some(b'-' | b'+' | b'i' | b'I' | b'n' | b'N')) {
            return None;
        }
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if self.at.checked_sub(1).and_then(|before| self.text.get(before)).is_some_and(part) {
            return None;
        }
        WORDS.into_iter().find(|(word, _)| {
            self.rest().starts_with(word.as_bytes())
                && !self.rest().get(word.len()).is_some_and(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Place;

    fn mended(text: &str) -> (String, Notices) {
        let mut out = Notices::new();
        let fixed = mend(text.as_bytes(), &mut out);
        (String::from_utf8(fixed).unwrap(), out)
    }

    #[test]
    fn words_are_replaced_outside_strings_only() {
        let text =
            r#"{"a": -nan, "b": inf, "c": 1.5, "d": "NaN is \" fine, Infinity", "e": -Infinity}"#;
        let (fixed, out) = mended(text);
        assert_eq!(fixed.len(), text.len());
        let value: serde_json::Value = serde_json::from_str(&fixed).unwrap();
        assert_eq!(value["a"], "");
        assert_eq!(value["b"], INFINITE);
        assert_eq!(value["c"], 1.5);
        assert_eq!(value["d"], "NaN is \" fine, Infinity");
        assert_eq!(value["e"], format!("-{INFINITE}"));
        let places: Vec<_> = out.iter().flat_map(|n| n.places.clone()).collect();
        assert_eq!(places[0], Place::LineColumn { line: 1, column: 7 });
        assert_eq!(places.len(), 3);
    }

    #[test]
    fn trailing_commas_and_lines_of_text() {
        let (fixed, out) = mended("it's \"odd: NaN\n{\"a\": [1, 2, ],\n}\n");
        assert_eq!(fixed, "it's \"odd: NaN\n{\"a\": [1, 2  ] \n}\n");
        assert_eq!(out.iter().map(|n| n.count).sum::<u64>(), 2);
    }

    #[test]
    fn numbers_beyond_a_double_are_infinite() {
        let long = "9".repeat(400);
        let (fixed, out) =
            mended(&format!("{{\"a\": 1e999, \"b\": -{long}, \"c\": 1e-999, \"d\": 12}}"));
        let value: serde_json::Value = serde_json::from_str(&fixed).unwrap();
        assert_eq!(value["a"], INFINITE);
        assert_eq!(value["b"], format!("-{INFINITE}"));
        assert_eq!((&value["c"], &value["d"]), (&0.0.into(), &12.into()));
        assert_eq!(out.iter().map(|n| (n.kind.as_str(), n.count)).next(), Some(("huge-number", 2)));
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        let (fixed, out) =
            mended(r#"{"a": "x\ud83d", "b": "\ud83d\ude00", "c": "\\ud83d", "d": "\ude00"}"#);
        let value: serde_json::Value = serde_json::from_str(&fixed).unwrap();
        assert_eq!((&value["a"], &value["b"]), (&"x\u{fffd}".into(), &"😀".into()));
        assert_eq!((&value["c"], &value["d"]), (&r"\ud83d".into(), &"\u{fffd}".into()));
        assert_eq!(out.iter().map(|n| n.count).sum::<u64>(), 2);
    }

    #[test]
    fn words_inside_other_words_stay() {
        let text = r#"{"a": info, "b": xnan, "c": 1}"#;
        assert_eq!(mended(text).0, text);
    }
}
