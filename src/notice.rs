//! Notices: recoverable trouble met on the way, with a severity, a place and a count.
//!
//! A parser is handed a [`Notices`] and carries on; nothing here is logged, everything is shown.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a notice matters to somebody who compares runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; no number is wrong because of it.
    Note,
    /// A number may mislead.
    Warn,
    /// The run must not win a comparison until somebody has looked.
    Block,
}

impl Severity {
    /// The word in JSON and on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

/// Where in a file something was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The file as a whole.
    WholeFile,
    /// Line and column, both from 1.
    LineColumn {
        /// Line, from 1.
        line: u64,
        /// Column in characters, from 1.
        column: u64,
    },
    /// Byte offset from 0.
    Byte(u64),
    /// A JSON path such as `itls[3][0]`.
    JsonPath(String),
    /// A request by its number in the file, from 1.
    Record(u64),
    /// A cell of a table.
    Cell {
        /// Line, from 1; the header is line 1.
        line: u64,
        /// Column name as in the header.
        column: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WholeFile => write!(f, "whole file"),
            Self::LineColumn { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(at) => write!(f, "byte {at}"),
            Self::JsonPath(path) => write!(f, "{path}"),
            Self::Record(number) => write!(f, "request {number}"),
            Self::Cell { line, column } => write!(f, "line {line}, column “{column}”"),
        }
    }
}

/// One kind of trouble, met `count` times; the first few places are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// Stable id, such as `empty-replies`; one notice a kind.
    pub kind: String,
    /// How often it was met.
    pub count: u64,
    /// The first [`Notices::EXAMPLES`] places.
    pub places: Vec<Place>,
    /// A whole sentence for people.
    pub text: String,
}

/// Collects notices: same kind and text add up to one notice with a count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Notices(Vec<Notice>);

impl Notices {
    /// How many places are kept a kind.
    pub const EXAMPLES: usize = 5;

    /// An empty collector.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one occurrence.
    pub fn add(&mut self, severity: Severity, kind: &str, place: Place, text: impl Into<String>) {
        self.add_many(severity, kind, place, 1, text);
    }

    /// Adds `count` occurrences of which `place` is the first.
    pub fn add_many(
        &mut self,
        severity: Severity,
        kind: &str,
        place: Place,
        count: u64,
        text: impl Into<String>,
    ) {
        let text = text.into();
        if let Some(old) = self.0.iter_mut().find(|n| n.kind == kind && n.text == text) {
            old.count += count;
            old.severity = old.severity.max(severity);
            if old.places.len() < Self::EXAMPLES {
                old.places.push(place);
            }
            return;
        }
        self.0.push(Notice { severity, kind: kind.to_owned(), count, places: vec![place], text });
    }

    /// Moves all of `other` in.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Adds the notices of another file of the same run: what both say is said once.
    pub fn add_new(&mut self, other: &Self) {
        let known = self.0.len();
        for notice in &other.0 {
            let same = |n: &Notice| n.kind == notice.kind && n.text == notice.text;
            if !self.0.iter().take(known).any(same) {
                self.0.push(notice.clone());
            }
        }
    }

    /// The notices in the order in which they were first met.
    pub fn iter(&self) -> std::slice::Iter<'_, Notice> {
        self.0.iter()
    }

    /// Rewrites each notice.
    pub fn rewrite(&mut self, change: impl FnMut(&mut Notice)) {
        self.0.iter_mut().for_each(change);
    }

    /// Whether nothing was met.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many notices are at least this severe.
    pub fn at_least(&self, severity: Severity) -> usize {
        self.0.iter().filter(|n| n.severity >= severity).count()
    }
}

impl<'a> IntoIterator for &'a Notices {
    type Item = &'a Notice;
    type IntoIter = std::slice::Iter<'a, Notice>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_is_one_notice_with_a_count_and_five_places() {
        let mut notices = Notices::new();
        for record in 1..=7 {
            notices.add(Severity::Warn, "empty-replies", Place::Record(record), "Empty replies.");
        }
        let all: Vec<_> = notices.iter().collect();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].count, 7);
        assert_eq!(all[0].places.len(), Notices::EXAMPLES);
    }

    #[test]
    fn what_two_files_of_a_run_say_is_said_once() {
        let mut one = Notices::new();
        one.add(Severity::Note, "a", Place::WholeFile, "A.");
        let mut other = one.clone();
        other.add(Severity::Note, "a", Place::WholeFile, "Another A.");
        one.add_new(&other);
        let texts: Vec<_> = one.iter().map(|n| (n.text.as_str(), n.count)).collect();
        assert_eq!(texts, [("A.", 1), ("Another A.", 1)]);
    }
}
