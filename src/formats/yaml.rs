//! YAML documents as [`Tree`]s, so that a report in YAML goes the way of the same report in JSON.
//!
//! Knows YAML's events, and bounds what they may cost: depth, and copies that aliases ask for. Must
//! not know what any key means. The choice of parser: `docs/decisions/0008-yaml.md`.

use super::documents::Ticker;
use super::error::{ErrorKind, Fault};
use super::tree::Tree;
use crate::notice::Place;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use std::collections::BTreeMap;

/// The deepest nesting: as deep as the JSON reader goes.
const DEEPEST: usize = 128;
/// Values that aliases may add beyond one a byte of text. Python's writer uses an alias wherever the
/// same object stands twice; a document that unfolds into far more than its text is made to do harm.
const MOST_COPIES: usize = 1_000_000;
/// Events between two reports of progress.
const TICK: usize = 4096;

/// Reads every document of a YAML text. Members with a key in `skip` are passed over at any depth.
pub(super) fn read(text: &str, skip: &[&str], ticker: &Ticker<'_>) -> Result<Vec<Tree>, Fault> {
    let mut builder = Builder {
        skip,
        stack: Vec::new(),
        muted: None,
        anchors: BTreeMap::new(),
        left: text.len().saturating_add(MOST_COPIES),
        done: Vec::new(),
    };
    let mut parser = Parser::new_from_str(text);
    let (mut events, mut characters) = (0_usize, 0);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| broken(&error))?;
        characters = span.start.index().max(characters);
        events += 1;
        if events.is_multiple_of(TICK) {
            ticker.tell(characters as u64);
        }
        builder.take(event).map_err(|said| fault(span, said))?;
    }
    Ok(builder.done)
}

fn broken(error: &ScanError) -> Fault {
    let place = place(error.marker().line(), error.marker().col());
    Fault::at(place, ErrorKind::BrokenYaml { said: error.info().to_owned() })
}

fn fault(span: Span, said: &'static str) -> Fault {
    let place = place(span.start.line(), span.start.col());
    Fault::at(place, ErrorKind::BrokenYaml { said: said.to_owned() })
}

fn place(line: usize, column: usize) -> Place {
    Place::LineColumn { line: line as u64, column: column as u64 + 1 }
}

/// A list or object that is not closed yet, with its anchor.
enum Open {
    List(Vec<Tree>, usize),
    Object { members: Vec<(String, Tree)>, key: Option<String>, anchor: usize },
}

struct Builder<'s> {
    skip: &'s [&'s str],
    stack: Vec<Open>,
    /// How deep inside a skipped value; 0 before it starts.
    muted: Option<usize>,
    anchors: BTreeMap<usize, Tree>,
    /// Values that may still be built.
    left: usize,
    done: Vec<Tree>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        if let Some(depth) = self.muted {
            let depth = match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => depth + 1,
                Event::SequenceEnd | Event::MappingEnd => depth.saturating_sub(1),
                _ => depth,
            };
            self.muted = (depth > 0).then_some(depth);
            return if depth > DEEPEST { Err(TOO_DEEP) } else { Ok(()) };
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                if self.wants_key() {
                    self.key(text.into_owned(), anchor);
                    return Ok(());
                }
                let value = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Tree::Text(text.into_owned()),
                };
                self.value(value, anchor)
            }
            Event::SequenceStart(anchor, _) => self.open(Open::List(Vec::new(), anchor)),
            Event::MappingStart(anchor, _) => {
                self.open(Open::Object { members: Vec::new(), key: None, anchor })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Open::List(elements, anchor)) => self.value(Tree::List(elements), anchor),
                Some(Open::Object { members, anchor, .. }) => {
                    self.value(Tree::Object(members), anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let Some(copied) = self.anchors.get(&anchor).cloned() else {
                    return self.unknown(anchor);
                };
                if self.wants_key() {
                    return match copied {
                        Tree::Text(text) => {
                            self.key(text, 0);
                            Ok(())
                        }
                        _ => Err(NO_TEXT),
                    };
                }
                self.spend(&copied)?;
                self.value(copied, 0)
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open::Object { key: None, .. }))
    }

    fn key(&mut self, text: String, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, Tree::Text(text.clone()));
        }
        if self.skip.contains(&text.as_str()) {
            self.muted = Some(0);
        } else if let Some(Open::Object { key, .. }) = self.stack.last_mut() {
            *key = Some(text);
        }
    }

    fn open(&mut self, open: Open) -> Result<(), &'static str> {
        if self.wants_key() {
            return Err(NO_TEXT);
        }
        if self.stack.len() >= DEEPEST {
            return Err(TOO_DEEP);
        }
        self.stack.push(open);
        Ok(())
    }

    fn value(&mut self, value: Tree, anchor: usize) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or(TOO_MANY)?;
        if anchor > 0 {
            self.spend(&value)?;
            self.anchors.insert(anchor, value.clone());
        }
        match self.stack.last_mut() {
            Some(Open::List(elements, _)) => elements.push(value),
            Some(Open::Object { members, key, .. }) => {
                if let Some(key) = key.take() {
                    members.push((key, value));
                }
            }
            None => self.done.push(value),
        }
        Ok(())
    }

    /// An alias of a value that is not there: passed over, then so is the alias; or still open.
    fn unknown(&mut self, alias: usize) -> Result<(), &'static str> {
        let itself = |open: &Open| match open {
            Open::List(_, anchor) | Open::Object { anchor, .. } => *anchor == alias,
        };
        if self.stack.iter().any(itself) {
            return Err("an alias stands inside its own value");
        }
        match self.stack.last_mut() {
            Some(Open::Object { key: None, .. }) => Err(NO_TEXT),
            Some(Open::Object { key, .. }) => {
                *key = None;
                Ok(())
            }
            _ => self.value(Tree::Null, 0),
        }
    }

    /// Takes the values of a copy off what is left.
    fn spend(&mut self, copied: &Tree) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or(TOO_MANY)?;
        for element in copied.list() {
            self.spend(element)?;
        }
        for (_, member) in copied.members() {
            self.spend(member)?;
        }
        Ok(())
    }
}

const NO_TEXT: &str = "a key is a list or an object";
const TOO_DEEP: &str = "values stand more than 128 deep inside one another";
const TOO_MANY: &str = "its aliases unfold into far more values than its text holds";

/// A plain scalar by YAML 1.2's core schema: nothing, truth, number or text.
fn plain(text: &str) -> Tree {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Tree::Null,
        "true" | "True" | "TRUE" => return Tree::Bool(true),
        "false" | "False" | "FALSE" => return Tree::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" => return Tree::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Tree::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Tree::Float(f64::NAN),
        _ => {}
    }
    // Rust reads `inf` and `nan` as numbers too; in YAML they are words.
    if text.contains(|c: char| c.is_ascii_digit()) {
        if let Ok(whole) = text.parse() {
            return Tree::Int(whole);
        }
        if let Ok(number) = text.parse() {
            return Tree::Float(number);
        }
    }
    Tree::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(text: &str, skip: &[&str]) -> Result<Vec<Tree>, Fault> {
        let mut silent = |_| {};
        read(text, skip, &Ticker::new(text.len() as u64, &mut silent))
    }

    fn one(text: &str) -> Tree {
        trees(text, &[]).unwrap().remove(0)
    }

    #[test]
    fn scalars_are_what_the_core_schema_says() {
        let tree =
            one("a: 1\nb: 1.5e3\nc:\nd: '1'\ne: .inf\nf: 0.2.1\ng: true\nh: inf\ni: 2025-11-05\n");
        assert_eq!(tree.get("a"), Some(&Tree::Int(1)));
        assert_eq!(tree.get("b"), Some(&Tree::Float(1500.0)));
        assert_eq!(tree.get("c"), Some(&Tree::Null));
        assert_eq!(tree.get("d"), Some(&Tree::Text("1".into())));
        assert_eq!(tree.get("e"), Some(&Tree::Float(f64::INFINITY)));
        assert_eq!(tree.get("f").and_then(Tree::text), Some("0.2.1"));
        assert_eq!(tree.get("g"), Some(&Tree::Bool(true)));
        assert_eq!(tree.get("h").and_then(Tree::text), Some("inf"));
        assert_eq!(tree.get("i").and_then(Tree::text), Some("2025-11-05"));
    }

    #[test]
    fn skipped_members_are_not_there_and_what_follows_is() {
        let tree =
            trees("a: 1\nskip:\n  - {x: [1, 2]}\n  - y\nb: 2\nskip: text\nc: 3\n", &["skip"])
                .unwrap()
                .remove(0);
        let keys: Vec<_> = tree.members().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c"]);
    }

    #[test]
    fn aliases_repeat_their_value() {
        let tree = one("a: &x [1, 2]\nb: *x\n");
        assert_eq!(tree.get("a"), tree.get("b"));
    }

    #[test]
    fn an_alias_of_what_was_passed_over_is_passed_over() {
        let tree = trees("skip: &x [1, 2]\nb: *x\nc: 3\n", &["skip"]).unwrap().remove(0);
        assert_eq!(tree, Tree::Object(vec![("c".into(), Tree::Int(3))]));
    }

    #[test]
    fn a_billion_laughs_are_refused() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let below = vec![format!("*a{}", level - 1); 10].join(", ");
            text += &["a", &level.to_string(), ": &a", &level.to_string(), " [", &below, "]\n"]
                .concat();
        }
        let fault = trees(&text, &[]).unwrap_err();
        assert_eq!(fault.kind, ErrorKind::BrokenYaml { said: TOO_MANY.into() });
    }

    #[test]
    fn what_is_too_deep_or_no_key_or_broken_is_refused_with_its_place() {
        let deep = format!("{}x{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(
            trees(&deep, &[]).unwrap_err().kind,
            ErrorKind::BrokenYaml { said: TOO_DEEP.into() }
        );
        assert!(trees("? [a]\n: 1\n", &[]).is_err());
        assert!(trees("a: &x [*x]\n", &[]).is_err());
        let fault = trees("a: 1\nb: [1, 2\n", &[]).unwrap_err();
        assert!(matches!(fault.place, Place::LineColumn { line: 2..=3, .. }), "{fault:?}");
    }
}
