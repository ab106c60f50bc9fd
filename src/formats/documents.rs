//! The JSON values of a file: one object, an array of objects, or several objects with other lines
//! between them (JSON Lines, also under the name `.json`).

use super::error::{ErrorKind, Fault};
use super::repair;
use super::text::Lines;
use super::{Phase, Progress};
use crate::notice::{Notices, Place, Severity};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::error::Category;
use std::cell::{Cell, RefCell};
use std::fmt;

/// Reports progress from inside a parse: visitors see slices of the text, so a borrowed key tells
/// how far the parse has come.
pub(super) struct Ticker<'p> {
    base: Cell<usize>,
    total: u64,
    records: Cell<u64>,
    report: RefCell<&'p mut dyn FnMut(Progress)>,
}

impl<'p> Ticker<'p> {
    /// A ticker for a text of `total` bytes.
    pub(super) fn new(total: u64, report: &'p mut dyn FnMut(Progress)) -> Self {
        Self { base: Cell::new(0), total, records: Cell::new(0), report: RefCell::new(report) }
    }

    /// Reports that the parse has reached a piece of the text.
    pub(super) fn reached(&self, piece: &str) {
        let done = (piece.as_ptr() as usize).saturating_sub(self.base.get()) as u64;
        self.tell(done.min(self.total));
    }

    /// Adds requests read.
    pub(super) fn add(&self, records: u64) {
        self.records.set(self.records.get() + records);
    }

    /// Reports that `done` bytes are read.
    pub(super) fn tell(&self, done: u64) {
        if let Ok(mut report) = self.report.try_borrow_mut() {
            report(Progress {
                phase: Phase::Parsing,
                done,
                total: self.total,
                records: self.records.get(),
            });
        }
    }
}

/// One object that was read, and where it starts.
pub(super) struct Document<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// Reads every top-level object of `text`, or every element of one top-level array.
///
/// A text that is not plain JSON is mended ([`repair`]) and read again; then lines that are no
/// JSON are skipped, and so is a broken object when others are good, each with a notice.
pub(super) fn read<T, S>(
    text: &str,
    seed: S,
    ticker: &Ticker<'_>,
    out: &mut Notices,
) -> Result<Vec<Document<T>>, Fault>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let text = text.as_bytes();
    ticker.base.set(text.as_ptr() as usize);
    let mut strict = Walk::new(text, seed);
    match strict.next() {
        Ok(()) if strict.at_end() => return Ok(strict.found),
        Err(Stop::Data(fault)) => return Err(fault),
        // More follows, or it is no plain JSON: start again, leniently.
        Ok(()) | Err(Stop::Syntax { .. } | Stop::NoJson) => {}
    }
    let mended = repair::mend(text, out);
    ticker.base.set(mended.as_ptr() as usize);
    ticker.records.set(0);
    Walk::new(&mended, seed).lenient(ticker, out)
}

/// A byte order mark in UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

enum Stop {
    /// Valid JSON with a wrong value.
    Data(Fault),
    /// Invalid JSON.
    Syntax { fault: Fault, cut: bool, kept: usize },
    /// Something else than an object or array.
    NoJson,
}

struct Walk<'a, T, S> {
    text: &'a [u8],
    lines: Lines<'a>,
    seed: S,
    at: usize,
    found: Vec<Document<T>>,
}

impl<'a, T, S> Walk<'a, T, S>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    fn new(text: &'a [u8], seed: S) -> Self {
        Self { text, lines: Lines::new(text), seed, at: 0, found: Vec::new() }
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips white space, and tells whether the text ends there. Commas and record separators
    /// between objects are as good as white space, and so are the byte order marks of files that
    /// were joined.
    fn at_end(&mut self) -> bool {
        let between = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, b',' | 0x1e);
        loop {
            self.at += self.rest().iter().take_while(between).count();
            if !self.rest().starts_with(MARK) {
                return self.rest().is_empty();
            }
            self.at += MARK.len();
        }
    }

    /// Reads the next object or array.
    fn next(&mut self) -> Result<(), Stop> {
        if self.at_end() {
            return Ok(());
        }
        let many = match self.rest().first() {
            Some(b'{') => false,
            Some(b'[') => true,
            _ => return Err(Stop::NoJson),
        };
        let mut de =
            serde_json::Deserializer::from_slice(self.text.get(self.at..).unwrap_or_default());
        let mut values = Vec::new();
        let read = if many {
            (&mut de).deserialize_seq(Elements { seed: self.seed, into: &mut values })
        } else {
            self.seed.deserialize(&mut de).map(|value| values.push(value))
        };
        let length = de.into_iter::<serde::de::IgnoredAny>().byte_offset();
        let place = self.lines.place(self.at);
        let values = values.into_iter().map(|value| Document { value, place: place.clone() });
        match read {
            Ok(()) => {
                self.found.extend(values);
                self.at += length;
                Ok(())
            }
            Err(error) => {
                let mut stop = self.stop(&error, many);
                // Of a list that is cut, what came before the cut is whole.
                if let Stop::Syntax { cut: true, kept, .. } = &mut stop {
                    *kept = values.len();
                    self.found.extend(values);
                }
                Err(stop)
            }
        }
    }

    fn stop(&mut self, error: &serde_json::Error, many: bool) -> Stop {
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said).to_owned();
        match error.classify() {
            Category::Data => {
                let path = self.path(many);
                let said = said.strip_prefix("invalid type: ").unwrap_or(&said).to_owned();
                Stop::Data(Fault::at(Place::JsonPath(path), ErrorKind::WrongType { said }))
            }
            Category::Eof => Stop::Syntax {
                fault: Fault::at(self.lines.place(self.text.len()), ErrorKind::CutOff),
                cut: true,
                kept: 0,
            },
            Category::Syntax | Category::Io => {
                let at = self.at + offset(self.rest(), error.line(), error.column());
                Stop::Syntax {
                    fault: Fault::at(self.lines.place(at), ErrorKind::BrokenJson { said }),
                    cut: false,
                    kept: 0,
                }
            }
        }
    }

    /// The JSON path of a wrong value: paths cost time, so only a failed parse learns it.
    fn path(&self, many: bool) -> String {
        let mut de = serde_json::Deserializer::from_slice(self.rest());
        let mut track = serde_path_to_error::Track::new();
        let de = serde_path_to_error::Deserializer::new(&mut de, &mut track);
        if many {
            let into = &mut Vec::new();
            let _ = de.deserialize_seq(Elements { seed: self.seed, into });
        } else {
            let _ = self.seed.deserialize(de);
        }
        track.path().to_string()
    }

    fn lenient(
        mut self,
        ticker: &Ticker<'_>,
        out: &mut Notices,
    ) -> Result<Vec<Document<T>>, Fault> {
        let mut broken: Vec<Fault> = Vec::new();
        while !self.at_end() {
            ticker.tell(self.at as u64);
            match self.next() {
                Ok(()) => {}
                Err(Stop::Data(fault)) => return Err(fault),
                Err(Stop::NoJson) => {
                    out.add(
                        Severity::Note,
                        "text-line",
                        self.lines.place(self.at),
                        "A line that is no JSON stands between the results; it was skipped.",
                    );
                    self.at += line_length(self.rest());
                }
                Err(Stop::Syntax { fault, cut, kept }) => {
                    broken.push(fault);
                    // The next value starts in the first column of a later line.
                    let next = self.rest().windows(2).position(|pair| pair == b"\n{");
                    match next {
                        Some(next) if kept == 0 => self.at += next,
                        _ if cut => self.at = self.text.len(),
                        _ => self.at += line_length(self.rest()),
                    }
                }
            }
        }
        if self.found.is_empty() {
            return Err(match broken.into_iter().next() {
                Some(fault) => fault,
                None => Fault::whole(ErrorKind::NoRuns),
            });
        }
        for fault in broken {
            let text = format!("One result was left out. {}", fault.kind);
            out.add(Severity::Warn, "broken-result", fault.place, text);
        }
        Ok(self.found)
    }
}

fn line_length(text: &[u8]) -> usize {
    text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1)
}

/// Byte offset of a line and column (both from 1, in bytes) as the JSON reader counts them.
fn offset(text: &[u8], line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    before + column.saturating_sub(1)
}

/// The elements of an array of results, kept also where a later one can't be read.
struct Elements<'v, S, T> {
    seed: S,
    into: &'v mut Vec<T>,
}

impl<'de, T, S: DeserializeSeed<'de, Value = T> + Copy> Visitor<'de> for Elements<'_, S, T> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of results")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(one) = seq.next_element_seed(self.seed)? {
            self.into.push(one);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::Value;
    use super::*;
    use std::marker::PhantomData;

    fn values(text: &str) -> (Result<Vec<Value>, Fault>, Notices) {
        let mut out = Notices::new();
        let mut silent = |_| {};
        let ticker = Ticker::new(text.len() as u64, &mut silent);
        let read = read(text, PhantomData::<Value>, &ticker, &mut out);
        (read.map(|all| all.into_iter().map(|one| one.value).collect()), out)
    }

    #[test]
    fn several_objects_in_one_file_with_text_between() {
        let (read, out) = values("max_prefill:8192\n{\"a\": Infinity}\n{\"a\": NaN}\n");
        assert_eq!(read.unwrap().len(), 2);
        let kinds: Vec<_> = out.iter().map(|n| (n.kind.as_str(), n.count)).collect();
        assert_eq!(kinds, [("bare-word", 1), ("bare-word", 1), ("text-line", 1)]);
    }

    #[test]
    fn joined_files_keep_their_byte_order_marks() {
        let (read, out) = values("{\"a\": 1}\n\u{feff}{\"a\": 2}\n\u{feff}");
        assert_eq!(read.unwrap().len(), 2);
        assert!(out.is_empty());
    }

    /// Takes minutes where a place costs the text before it.
    #[test]
    fn a_fault_in_every_value_costs_no_more_than_the_text() {
        let long = format!("{{\"a\": [{}1]}}", "NaN, ".repeat(200_000));
        let (read, out) = values(&long);
        assert_eq!(read.unwrap().len(), 1);
        assert_eq!(out.iter().map(|n| n.count).sum::<u64>(), 200_000);
        let lines = format!("{{\"a\": 1}}\n{}", "no JSON\n".repeat(200_000));
        assert_eq!(values(&lines).1.iter().map(|n| n.count).sum::<u64>(), 200_000);
    }

    #[test]
    fn arrays_and_pretty_objects() {
        assert_eq!(values("[{\"a\": 1}, {\"a\": 2}]").0.unwrap().len(), 2);
        assert_eq!(values("{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}").0.unwrap().len(), 2);
    }

    #[test]
    fn a_cut_file_says_where_it_ends() {
        let fault = values("{\n  \"a\": 1,\n  \"b").0.unwrap_err();
        assert_eq!(fault.kind, ErrorKind::CutOff);
        assert_eq!(fault.place, Place::LineColumn { line: 3, column: 5 });
    }

    #[test]
    fn a_cut_last_line_leaves_the_others() {
        let (read, out) = values("{\"a\": 1}\n{\"a\": [1, 2");
        assert_eq!(read.unwrap().len(), 1);
        assert_eq!(out.iter().next().unwrap().kind, "broken-result");
    }

    #[test]
    fn a_cut_list_leaves_what_came_before_the_cut() {
        let (read, out) = values("[{\"a\": 1},\n{\"a\": 2},\n{\"a\": [3, 4");
        assert_eq!(read.unwrap().len(), 2);
        let notice = out.iter().next().unwrap();
        assert_eq!(notice.kind, "broken-result");
        assert_eq!(notice.places, [Place::LineColumn { line: 3, column: 12 }]);
        let none = values("[{\"a\": [3, 4").0.unwrap_err();
        assert_eq!(none.kind, ErrorKind::CutOff);
    }

    #[test]
    fn a_number_beyond_a_double_does_not_refuse_the_rest() {
        let (read, out) = values("{\"a\": 1e999, \"b\": 2}");
        assert_eq!(read.unwrap().len(), 1);
        assert_eq!(out.iter().next().unwrap().kind, "huge-number");
    }

    #[test]
    fn broken_json_names_line_and_column() {
        let fault = values("{\n  \"a\": 1,\n  b: 2\n}").0.unwrap_err();
        assert!(matches!(fault.kind, ErrorKind::BrokenJson { .. }), "{fault:?}");
        assert_eq!(fault.place, Place::LineColumn { line: 3, column: 3 });
    }
}
