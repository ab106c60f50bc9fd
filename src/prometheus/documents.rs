//! JSON documents in a text, one after another, and what Python prints in place of JSON.

use std::borrow::Cow;

/// The next JSON object or list of a text.
pub(super) struct Document<'a> {
    /// Its text; cut off where the file is.
    pub text: &'a str,
    /// Line of its beginning, from 1.
    pub line: u64,
}

/// The objects and lists of a text, whatever stands between them.
pub(super) fn documents(text: &str) -> impl Iterator<Item = Document<'_>> {
    let mut rest = text;
    let mut line = 1;
    std::iter::from_fn(move || {
        let start = rest.find(['{', '['])?;
        let (before, from) = rest.split_at_checked(start)?;
        line += lines(before);
        let (document, behind) = from.split_at_checked(length(from))?;
        let begins = line;
        line += lines(document);
        rest = behind;
        Some(Document { text: document, line: begins })
    })
}

fn lines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// The length of the object or list that a text begins with.
fn length(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if byte == b'\\' => escaped = true,
            Some(mark) if byte == mark => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'\'' => quote = Some(byte),
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            },
        }
    }
    text.len()
}

/// Whether a text is what Python prints of a dictionary or a list: its texts stand in single quotes.
pub(super) fn is_python(text: &str) -> bool {
    text.trim_start().trim_start_matches(['{', '[', '(', ' ', '\n', '\r', '\t']).starts_with('\'')
}

/// JSON of what Python prints: texts in double quotes, `None` and truth values in lower case, tuples as
/// lists, numbers that are none as texts.
pub(super) fn from_python(text: &str) -> Cow<'_, str> {
    let mut json = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' | '"' => {
                let (inside, behind) = python_text(rest, first);
                json.push('"');
                json.push_str(&inside);
                json.push('"');
                rest = behind;
                continue;
            }
            '(' => json.push('['),
            ')' => json.push(']'),
            letter if letter.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
                match word {
                    "None" => json.push_str("null"),
                    "True" => json.push_str("true"),
                    "False" => json.push_str("false"),
                    "nan" | "inf" => json.extend(["\"", word, "\""]),
                    other => json.push_str(other),
                }
                rest = behind;
                continue;
            }
            other => json.push(other),
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    Cow::Owned(json)
}

/// A Python text as JSON writes it, and what follows it.
fn python_text(text: &str, quote: char) -> (String, &str) {
    let mut json = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some((_, '\'')) => json.push('\''),
                Some((_, other)) => json.extend(['\\', other]),
                None => {}
            },
            '"' if quote == '\'' => json.push_str("\\\""),
            end if end == quote => {
                return (json, text.get(at + 1..).unwrap_or_default());
            }
            other => json.push(other),
        }
    }
    (json, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_follow_each_other() {
        let text = "query: up\n{\"a\": [\"}\"]}\n\n[1, 2]{\"cut\": [";
        let found: Vec<_> = documents(text).map(|d| (d.line, d.text)).collect();
        assert_eq!(found, [(2, "{\"a\": [\"}\"]}"), (4, "[1, 2]"), (4, "{\"cut\": [")]);
    }

    #[test]
    fn what_python_prints_becomes_json() {
        let text = "{'a': 'it\\'s \"x\"', 'b': (None, True), \"c'd\": nan, 'é': -1.5e3}";
        assert!(is_python(text));
        let json =
            "{\"a\": \"it's \\\"x\\\"\", \"b\": [null, true], \"c'd\": \"nan\", \"é\": -1.5e3}";
        assert_eq!(from_python(text), json);
        assert!(!is_python("{\"a\": 'b'}"));
    }
}
