//! Output forms: aligned text, Markdown, CSV and JSON, written to whatever it is handed.

use crate::views::chart_words::inert;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use std::io::{self, Write};

/// A table of text; columns named in `numbers` are aligned to the right.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    /// Column heads.
    pub(super) head: Vec<String>,
    /// Rows; a short one is filled with nothing.
    pub(super) rows: Vec<Vec<String>>,
    /// Which columns hold numbers.
    pub(super) numbers: Vec<usize>,
}

impl TextTable {
    /// An empty table with these heads.
    pub(super) fn new(head: &[&str], numbers: &[usize]) -> Self {
        Self {
            head: head.iter().map(|h| (*h).to_owned()).collect(),
            rows: Vec::new(),
            numbers: numbers.to_vec(),
        }
    }

    /// Appends a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Aligned columns with two spaces between, no trailing space.
    pub(super) fn write_aligned(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let mut line = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let gap = " ".repeat(width - cell.chars().count().min(*width));
                if column > 0 {
                    line.push_str("  ");
                }
                if self.numbers.contains(&column) {
                    line.push_str(&gap);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&gap);
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn width(&self, column: usize) -> usize {
        let cells = std::iter::once(&self.head).chain(&self.rows).filter_map(|r| r.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    /// A Markdown table.
    pub(super) fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.collect();
            format!("| {} |", cells.join(" | "))
        };
        let columns = 0..self.head.len();
        writeln!(out, "{}", line(&mut self.head.iter().map(|h| escape_markdown(h))))?;
        let rule = |column| if self.numbers.contains(&column) { "---:" } else { "---" };
        writeln!(out, "{}", line(&mut columns.clone().map(|c| rule(c).to_owned())))?;
        for row in &self.rows {
            let cell = |c: usize| row.get(c).map_or_else(String::new, |cell| escape_markdown(cell));
            writeln!(out, "{}", line(&mut columns.clone().map(cell)))?;
        }
        Ok(())
    }

    /// Comma-separated values.
    pub(super) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(out);
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let cells = row.iter().map(|cell| inert(cell).into_owned());
            writer.write_record(cells).map_err(io::Error::other)?;
        }
        writer.flush()
    }
}

/// Text that does not break a Markdown table.
pub(super) fn escape_markdown(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}

/// A JSON object whose keys keep the order in which they were put in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ordered<K, V>(pub(super) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Ordered<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Writes one JSON value, indented, with a newline at the end.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    writeln!(out, "{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new(&["metric", "mean"], &[1]);
        table.row(["TTFT".into(), "84.5".into()]);
        table.row(["a|b <c>".into(), "−3".into()]);
        table
    }

    fn text(write: impl Fn(&TextTable, &mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&table(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let want = "metric   mean\nTTFT     84.5\na|b <c>    −3\n";
        assert_eq!(text(TextTable::write_aligned), want);
    }

    #[test]
    fn markdown_cells_are_escaped() {
        let want = "| metric | mean |\n| --- | ---: |\n| TTFT | 84.5 |\n| a\\|b &lt;c> | −3 |\n";
        assert_eq!(text(TextTable::write_markdown), want);
    }

    #[test]
    fn objects_keep_their_order() {
        let ordered = Ordered(vec![("b", 1), ("a", 2)]);
        assert_eq!(serde_json::to_string(&ordered).unwrap(), r#"{"b":1,"a":2}"#);
    }
}
