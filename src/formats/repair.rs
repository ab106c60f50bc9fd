//! Mends what Python writes and JSON forbids: bare `NaN` and `Infinity`, and trailing commas.
//!
//! Each token is replaced in place by an equally long value, so that every later position stays
//! true. Text inside strings is never touched.

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
            b'"' if scan.depth > 0 => scan.skip_string(),
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
            _ if scan.depth > 0 => match scan.word() {
                Some((word, value)) => {
                    out.add(Severity::Note, "bare-word", lines.place(scan.at), sentence(word));
                    let padded = value.bytes().chain(std::iter::repeat(b' '));
                    for (slot, new) in fixed.iter_mut().skip(scan.at).take(word.len()).zip(padded) {
                        *slot = new;
                    }
                    scan.at += word.len();
                }
                None => scan.at += 1,
            },
            _ => scan.at += 1,
        }
    }
    fixed
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

    /// Skips a string. A line end inside one means that it was never closed.
    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\n' => return,
                _ => self.at += 1,
            }
        }
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
    fn words_inside_other_words_stay() {
        let text = r#"{"a": info, "b": xnan, "c": 1}"#;
        assert_eq!(mended(text).0, text);
    }
}
