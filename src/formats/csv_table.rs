//! Tables of any separator: headings with their units, cells with their gaps.
//!
//! Knows how people write tables. Must not know what a column means.

use super::error::{ErrorKind, Fault};
use super::sniff::Head;
use crate::notice::{Notices, Place, Severity};
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// The unit of a time column, from its name or said, and never from the size of its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Secs,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millis,
    /// Microseconds.
    #[serde(rename = "us")]
    Micros,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanos,
}

impl TimeUnit {
    /// Every unit, the longest first.
    pub const ALL: [Self; 4] = [Self::Secs, Self::Millis, Self::Micros, Self::Nanos];

    /// The unit that a word names: `ms`, `millis`, `milliseconds`.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "s" | "sec" | "secs" | "second" | "seconds" => Self::Secs,
            "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => Self::Millis,
            "us" | "µs" | "μs" | "usec" | "micros" | "microsecond" | "microseconds" => {
                Self::Micros
            }
            "ns" | "nsec" | "nanos" | "nanosecond" | "nanoseconds" => Self::Nanos,
            _ => return None,
        })
    }

    /// The unit's symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Secs => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
        }
    }

    /// A span of that many.
    pub(super) fn span(self, value: f64) -> Seconds {
        match self {
            Self::Secs => Seconds::from_secs(value),
            Self::Millis => Seconds::from_millis(value),
            Self::Micros => Seconds::from_micros(value),
            Self::Nanos => Seconds::from_nanos(value),
        }
    }
}

/// A column's heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// As written.
    pub(super) raw: String,
    /// In lower case with `_` between the words, without the unit: `ttft`.
    pub(super) name: String,
    /// The unit that the name ends with.
    pub(super) unit: Option<TimeUnit>,
}

impl Heading {
    fn of(raw: &str) -> Self {
        let mut words = words(raw);
        let unit = match words.as_slice() {
            [_, .., last] => TimeUnit::of(last),
            _ => None,
        };
        if unit.is_some() {
            words.pop();
            if words.last().is_some_and(|word| word == "in") {
                words.pop();
            }
        }
        Self { raw: raw.trim().to_owned(), name: words.join("_"), unit }
    }
}

/// The words of a heading: `promptTokens`, `Prompt Tokens` and `prompt-tokens` are the same.
fn words(raw: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in raw.chars() {
        let starts = !c.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase());
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A table: its headings, and its rows behind them.
pub(super) struct Table<'a> {
    pub(super) headings: Vec<Heading>,
    separator: u8,
    body: &'a str,
    lines_before: u64,
}

impl<'a> Table<'a> {
    /// The table in a text; `None` where the first line is no heading of several columns.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let mut body = text;
        let mut lines_before = 0;
        let mut declared = None;
        loop {
            let (line, rest) = body.split_once('\n').unwrap_or((body, ""));
            // Spreadsheets write `sep=;` first.
            let separator = line.trim().strip_prefix("sep=").and_then(|s| s.bytes().next());
            if !line.trim().is_empty() && separator.is_none() {
                break;
            }
            declared = declared.or(separator);
            if rest.is_empty() {
                return None;
            }
            body = rest;
            lines_before += 1;
        }
        let first = body.lines().next()?;
        let separator = match declared {
            Some(separator) => separator,
            None => separator_of(first)?,
        };
        let mut reader = reader(body, separator);
        let headings: Vec<_> = reader.headers().ok()?.iter().map(Heading::of).collect();
        (headings.len() > 1).then_some(Self { headings, separator, body, lines_before })
    }

    /// The table of a whole file. A last row that was cut while it was written is left out: its last
    /// cell can be half a number.
    pub(super) fn whole(text: &'a str, out: &mut Notices) -> Option<Self> {
        let mut table = Self::of(text)?;
        let Some((before, last)) = table.body.rsplit_once('\n') else { return Some(table) };
        let separator = char::from(table.separator);
        let short = |line: &str| line.split(separator).count() < table.headings.len();
        // Where other rows are short too, somebody left the last cells away.
        let cut = !last.trim().is_empty()
            && !table.body.contains('"')
            && short(last)
            && !before.lines().any(|line| !line.trim().is_empty() && short(line));
        if cut {
            let line = before.lines().count() as u64 + 1 + table.lines_before;
            note_cut(Place::LineColumn { line, column: 1 }, out);
            table.body = table.body.get(..=before.len())?;
        }
        Some(table)
    }

    /// The table at the beginning of a file.
    pub(super) fn of_head(head: &'a Head<'_>) -> Option<Self> {
        if head.json.is_some() {
            return None;
        }
        Self::of(head.text.as_deref()?)
    }

    /// Calls `row` with each row's line number, byte offset and cells.
    pub(super) fn each_row(
        &self,
        mut row: impl FnMut(u64, u64, &csv::StringRecord) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut reader = reader(self.body, self.separator);
        let mut record = csv::StringRecord::new();
        loop {
            let at = |line: u64| Place::LineColumn { line: line + self.lines_before, column: 1 };
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => {
                    let line = error.position().map_or(1, csv::Position::line);
                    let said = "a row can’t be read as text".to_owned();
                    return Err(Fault::at(at(line), ErrorKind::WrongType { said }));
                }
            }
            // Files that were joined repeat the header.
            let header = || record.iter().eq(self.headings.iter().map(|h| h.raw.as_str()));
            let rule = self.separator == b'|' && is_rule(&record);
            if record.iter().all(str::is_empty) || header() || rule {
                continue;
            }
            let (line, byte) = record.position().map_or((0, 0), |p| (p.line(), p.byte()));
            if record.len() > self.headings.len() {
                let kind =
                    ErrorKind::RowTooLong { cells: record.len(), headings: self.headings.len() };
                return Err(Fault::at(at(line), kind));
            }
            let quoted_on = record.iter().next_back().is_some_and(|cell| cell.contains('\n'));
            let at_end = reader.position().byte() >= self.body.len() as u64;
            if quoted_on && at_end && !self.body.trim_end().ends_with('"') {
                return Err(Fault::at(at(line), ErrorKind::OpenQuote));
            }
            row(line + self.lines_before, byte, &record)?;
        }
    }
}

/// Says that the last row of a table is cut and not read.
pub(super) fn note_cut(place: Place, out: &mut Notices) {
    let text =
        "The last row ends before its last column: the file is cut there, and the row is not read.";
    out.add(Severity::Warn, "cut-row", place, text);
}

/// Whether a row is the line of dashes below the heading of a Markdown table.
fn is_rule(row: &csv::StringRecord) -> bool {
    row.iter().any(|cell| cell.contains("--"))
        && row.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')))
}

fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes())
}

/// The separator that stands most often in a line, outside quotes.
fn separator_of(line: &str) -> Option<u8> {
    let outside: Vec<&str> = line.split('"').step_by(2).collect();
    let count = |separator: u8| -> usize {
        outside.iter().map(|part| part.bytes().filter(|b| *b == separator).count()).sum()
    };
    let (most, separator) = *b"|\t;,".map(|s| (count(s), s)).iter().max()?;
    (most > 0).then_some(separator)
}

/// The number in a cell: `Ok(None)` where the cell says that there is none.
pub(super) fn number(text: &str) -> Result<Option<f64>, ErrorKind> {
    // Some tools write −1 for "none".
    if matches!(text, "-1" | "-1.0") {
        return Ok(None);
    }
    match super::json::number_of(text) {
        Some(value) if value.is_nan() => Ok(None),
        Some(value) => Ok(Some(value)),
        None if is_decimal_comma(text) => Err(ErrorKind::DecimalComma { value: text.to_owned() }),
        None => Err(ErrorKind::NotANumber { value: text.chars().take(40).collect() }),
    }
}

fn is_decimal_comma(text: &str) -> bool {
    text.contains(',')
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_name_and_unit() {
        let cases = [
            ("TTFT_ms", "ttft", Some(TimeUnit::Millis)),
            ("ttft (ms)", "ttft", Some(TimeUnit::Millis)),
            ("ttft[s]", "ttft", Some(TimeUnit::Secs)),
            ("latency_seconds", "latency", Some(TimeUnit::Secs)),
            ("Latency in µs", "latency", Some(TimeUnit::Micros)),
            ("E2E", "e2e", None),
            ("e2eMs", "e2e", Some(TimeUnit::Millis)),
            ("promptTokens", "prompt_tokens", None),
            ("s", "s", None),
        ];
        for (raw, name, unit) in cases {
            let heading = Heading::of(raw);
            assert_eq!((heading.name.as_str(), heading.unit), (name, unit), "{raw}");
        }
    }

    #[test]
    fn separators_are_found_outside_quotes() {
        assert_eq!(separator_of("\"a,b,c\";d"), Some(b';'));
        assert_eq!(separator_of("a\tb"), Some(b'\t'));
        assert_eq!(separator_of("plain"), None);
        let table = Table::of("sep=;\na;b\n1;2\n").unwrap();
        assert_eq!(table.headings.len(), 2);
        let mut seen = Vec::new();
        table
            .each_row(|line, _, row| {
                seen.push((line, row.len()));
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, [(3, 2)]);
    }

    #[test]
    fn a_row_cut_while_it_was_written_is_left_out_and_told() {
        let rows = |text: &str| {
            let mut out = Notices::new();
            let (table, mut rows) = (Table::whole(text, &mut out).unwrap(), 0);
            let count = |_, _, _: &csv::StringRecord| {
                rows += 1;
                Ok(())
            };
            table.each_row(count).unwrap();
            (rows, out.iter().any(|n| n.kind == "cut-row"))
        };
        assert_eq!(rows("a,b,c\n1,2,3\n4,5"), (1, true));
        assert_eq!(rows("a,b,c\n1,2,3\n4,5\n"), (2, false), "the row was ended");
        assert_eq!(rows("a,b,c\n1,2\n4,5"), (2, false), "others are as short");
        assert_eq!(rows("a,b,c\n1,2,3\n4,5,6"), (2, false));
    }

    #[test]
    fn the_rule_of_a_markdown_table_is_no_row() {
        let rows = |text: &str| {
            let mut seen = Vec::new();
            let row = |line, _: u64, row: &csv::StringRecord| {
                seen.push((line, row.get(1).unwrap().to_owned()));
                Ok(())
            };
            Table::of(text).unwrap().each_row(row).unwrap();
            seen
        };
        let table = "| id | ttft_ms |\n|:---|---:|\n| 1 | 50 |\n| - | - |\n";
        assert_eq!(rows(table), [(3, "1".to_owned()), (4, "-".to_owned())]);
        assert_eq!(rows("id,ttft_ms\n--,--\n").len(), 1, "only in a table of bars");
    }

    #[test]
    fn a_quote_that_never_closes_does_not_swallow_rows() {
        let read = |text: &str| Table::of(text).unwrap().each_row(|_, _, _| Ok(()));
        for open in ["a,b\n1,2\n\"x,3\ny,4\n", "a,b\n1,\"x\ny,4"] {
            let fault = read(open).unwrap_err();
            assert_eq!(fault.kind, ErrorKind::OpenQuote, "{open}");
        }
        for closed in ["a,b\n1,\"x\ny\"\n", "a,b\n\"x\ny\",1\n", "a,b\n1,5\" disk\n"] {
            assert_eq!(read(closed), Ok(()), "{closed}");
        }
    }

    #[test]
    fn cells() {
        assert_eq!(number("1.5"), Ok(Some(1.5)));
        for none in ["", "nan", "None", "-", "-1"] {
            assert_eq!(number(none), Ok(None), "{none}");
        }
        assert!(matches!(number("1,5"), Err(ErrorKind::DecimalComma { .. })));
        assert!(matches!(number("5 ms"), Err(ErrorKind::NotANumber { .. })));
    }
}
