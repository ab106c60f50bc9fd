//! What recognition sees of a file: its name and its first 64 KiB.

use super::text;
use std::borrow::Cow;

/// How many bytes from a file's start recognition looks at.
pub const HEAD_BYTES: usize = 65_536;

/// How sure a format is that a file is its own, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Not this format.
    No,
    /// Could be.
    Maybe(String),
    /// Probably.
    Likely(String),
    /// No other format writes this.
    Certain(String),
}

impl Verdict {
    /// How sure, as a number: 0 is no.
    pub const fn level(&self) -> u8 {
        match self {
            Self::No => 0,
            Self::Maybe(_) => 1,
            Self::Likely(_) => 2,
            Self::Certain(_) => 3,
        }
    }

    /// The reason.
    pub fn because(&self) -> &str {
        match self {
            Self::No => "",
            Self::Maybe(why) | Self::Likely(why) | Self::Certain(why) => why,
        }
    }
}

/// The beginning of a file.
#[derive(Debug, Clone)]
pub struct Head<'a> {
    /// File name with its folders.
    pub file: &'a str,
    /// Size of the whole file.
    pub size: u64,
    /// The first bytes, at most [`HEAD_BYTES`].
    pub bytes: &'a [u8],
    /// The same as text, where it is text.
    pub text: Option<Cow<'a, str>>,
    /// The first JSON value, where there is one.
    pub json: Option<JsonHead>,
}

/// The beginning of a JSON value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonHead {
    /// Whether the value is a list (then the keys are those of its first element).
    pub array: bool,
    /// Top-level keys in order, as far as they were seen.
    pub keys: Vec<String>,
    /// Whether the object ended within the bytes seen.
    pub complete: bool,
}

impl JsonHead {
    /// Whether a key was seen.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|seen| seen == key)
    }

    /// Whether every one of these was seen.
    pub fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    /// Whether any one of these was seen.
    pub fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }
}

impl<'a> Head<'a> {
    /// The head of a file of `size` bytes that starts with `bytes` (which may be the whole file).
    pub fn new(file: &'a str, bytes: &'a [u8], size: u64) -> Self {
        let bytes = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        let text = text::decode_head(bytes).ok().filter(|text| !text.contains('\0'));
        let json = text.as_deref().and_then(json_head);
        Self { file, size, bytes, text, json }
    }

    /// The first line that is not blank.
    pub fn first_line(&self) -> &str {
        let text = self.text.as_deref().unwrap_or_default();
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// Whether the file is JSON that has all of these top-level keys.
    pub fn has_keys(&self, keys: &[&str]) -> bool {
        self.json.as_ref().is_some_and(|json| json.has_all(keys))
    }

    /// Whether the text contains a piece.
    pub fn contains(&self, piece: &str) -> bool {
        self.text.as_deref().is_some_and(|text| text.contains(piece))
    }

    /// What was seen, in words, for a file that nobody knows.
    pub fn seen(&self) -> String {
        match &self.json {
            Some(json) if json.keys.is_empty() => "JSON without any key".into(),
            Some(json) => {
                let some: Vec<_> = json.keys.iter().take(8).map(|key| quote(key)).collect();
                let more = match json.keys.len().saturating_sub(8) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let whole = if json.array { "a list of JSON objects" } else { "JSON" };
                format!("{whole} with the keys {}{more}", some.join(", "))
            }
            None => format!("text that starts with {}", quote(self.first_line())),
        }
    }
}

fn quote(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("“{short}{dots}”")
}

/// Finds the first object or list: at the start, or at the start of a later line (logs are
/// sometimes written into the same file).
fn json_head(text: &str) -> Option<JsonHead> {
    let trimmed = text.trim_start();
    let start = match trimmed.as_bytes().first()? {
        b'{' | b'[' => trimmed,
        _ => trimmed.find("\n{\"").and_then(|at| trimmed.get(at + 1..))?,
    };
    Some(keys(start.as_bytes()))
}

fn keys(text: &[u8]) -> JsonHead {
    let mut head = JsonHead { array: text.first() == Some(&b'['), ..JsonHead::default() };
    let target = if head.array { 2 } else { 1 };
    let (mut depth, mut inside, mut key_next) = (0_usize, false, false);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' => {
                depth += 1;
                inside |= depth == target;
                key_next |= depth == target;
            }
            b'[' => depth += 1,
            b'}' if depth == target => {
                head.complete = true;
                break;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => key_next |= inside && depth == target,
            b'"' => {
                let Some(length) = string_length(text.get(at..).unwrap_or_default()) else { break };
                if key_next && depth == target {
                    let key = text.get(at..at + length).unwrap_or_default();
                    head.keys.push(String::from_utf8_lossy(key).into_owned());
                    key_next = false;
                }
                at += length + 1;
            }
            _ => {}
        }
    }
    head
}

/// Length of a string up to its closing quote.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> JsonHead {
        json_head(text).unwrap()
    }

    #[test]
    fn keys_of_a_cut_object() {
        let seen = head(r#"{"a": "x, \"y\": 1", "b": [{"c": 1}, 2], "d": {"e": 1}, "f": "cu"#);
        assert_eq!(seen.keys, ["a", "b", "d", "f"]);
        assert!(!seen.complete && !seen.array);
    }

    #[test]
    fn keys_of_the_first_element() {
        let seen = head(r#" [{"a": 1, "b": {"x": 2}}, {"c": 1}]"#);
        assert_eq!(seen.keys, ["a", "b"]);
        assert!(seen.complete && seen.array);
        assert_eq!(head("[[1, \"x\"], 2]").keys, Vec::<String>::new());
    }

    #[test]
    fn json_after_lines_of_text() {
        assert_eq!(head("max_prefill:8192\n{\"a\": 1}\n").keys, ["a"]);
        assert_eq!(json_head("a,b\n1,2\n"), None);
    }

    #[test]
    fn long_heads_are_cut() {
        let bytes = vec![b' '; HEAD_BYTES + 9];
        assert_eq!(Head::new("x", &bytes, 70_000).bytes.len(), HEAD_BYTES);
    }
}
