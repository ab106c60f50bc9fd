//! The table that Grafana saves of a panel: times, then a column a legend, often with units in the cells.
//!
//! Its numbers are what an expression made and a panel formatted: rounded, and in the panel's own units and
//! time zone.

use super::dates;
use super::scanner;
use super::store::Store;
use crate::notice::{Notices, Place, Severity};
use crate::units::UnixTime;

/// The heading of the first column.
const TIME: &str = "Time";

/// The separator of the table that a text begins with, and how long a line is that only says it.
pub(super) fn separator(text: &str) -> Option<(u8, usize)> {
    let said = text
        .strip_prefix("sep=")
        .or_else(|| text.strip_prefix("\"sep="))
        .map_or(0, |rest| text.len() - rest.split_once('\n').map_or("", |(_, table)| table).len());
    let table = text.get(said..)?;
    let cell = table.strip_prefix('"').unwrap_or(table).strip_prefix(TIME)?;
    let cell = cell.strip_prefix('"').unwrap_or(cell);
    let separator = cell.bytes().next().filter(|b| matches!(b, b',' | b';' | b'\t'))?;
    Some((separator, said))
}

/// Whether the first row under the headings begins with a date, as far as the table is there.
pub(super) fn has_dates(table: &str, separator: u8) -> bool {
    let row = table.lines().nth(1).unwrap_or_default();
    let cell = row.split(separator as char).next().unwrap_or_default();
    row.is_empty() || dates::dated(cell).is_some()
}

/// Reads the table into the store. Cells that are no numbers are missing values.
pub(super) fn read(text: &str, separator: u8, store: &mut Store, out: &mut Notices) {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut columns: Vec<Option<usize>> = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut zoned = true;
    let mut first = true;
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(1, csv::Position::line);
                let place = Place::LineColumn { line, column: 1 };
                out.add(
                    Severity::Warn,
                    "skipped-line",
                    place,
                    "A row that can’t be read was left out.",
                );
                continue;
            }
        }
        if std::mem::take(&mut first) {
            columns = record.iter().skip(1).map(|heading| column(heading, store)).collect();
            continue;
        }
        let line = record.position().map_or(1, csv::Position::line);
        let Some(time) = record.get(0).and_then(dates::dated) else {
            let place = Place::Cell { line, column: TIME.to_owned() };
            out.add(Severity::Warn, "skipped-line", place, "A row without a time was left out.");
            continue;
        };
        zoned &= time.zoned;
        for (column, cell) in columns.iter().zip(record.iter().skip(1)) {
            let Some((column, (value, unit))) = column.zip(measured(cell)) else { continue };
            if let Some(unit) = unit {
                store.unit(column, unit);
            }
            store.value(column, value, Some(UnixTime::from_secs(time.at.as_secs())));
        }
    }
    if !zoned {
        let said = "Grafana wrote times without their zone; they are taken for UTC.";
        out.add(Severity::Warn, "no-time-zone", Place::WholeFile, said);
    }
}

/// The series of a column: its heading is a series as Prometheus writes it, or a legend.
fn column(heading: &str, store: &mut Store) -> Option<usize> {
    let heading = heading.trim();
    match scanner::series(heading) {
        Some(named) => store.series(&named.name, &named.labels, heading),
        None => store.series::<&str, &str>(heading, &[], heading),
    }
}

/// A cell's number in its base unit, and that unit: `350 ms` is 0.35 s, `45%` is 0.45.
fn measured(cell: &str) -> Option<(f64, Option<&'static str>)> {
    let cell = cell.trim();
    if let Some(value) = scanner::number(cell) {
        return Some((value, None));
    }
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ',');
    let end = cell.find(|c| !plain(c)).unwrap_or(cell.len());
    let (number, unit) = cell.split_at_checked(end)?;
    let value = scanner::number(&number.replace(',', ""))?;
    // Divided where the unit is smaller than its base: 350 ÷ 1000 is the double of 0.35, 350 × 0.001 is not.
    let (value, unit) = match unit.trim() {
        "" => (value, ""),
        "ns" => (value / 1e9, "s"),
        "µs" | "μs" | "us" => (value / 1e6, "s"),
        "ms" => (value / 1e3, "s"),
        "s" => (value, "s"),
        "min" | "mins" => (value * 60.0, "s"),
        "hour" | "hours" => (value * 3600.0, "s"),
        "%" => (value / 1e2, "ratio"),
        "K" => (value * 1e3, ""),
        "Mil" | "M" => (value * 1e6, ""),
        "Bil" => (value * 1e9, ""),
        "req/s" | "reqps" => (value, "req/s"),
        "tok/s" => (value, "tok/s"),
        _ => return None,
    };
    Some((value, Some(unit).filter(|unit| !unit.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_in_base_units() {
        assert_eq!(measured("350 ms"), Some((0.35, Some("s"))));
        assert_eq!(measured("45%"), Some((0.45, Some("ratio"))));
        assert_eq!(measured("1,234.5"), Some((1234.5, None)));
        assert_eq!(measured("1.2 K"), Some((1200.0, None)));
        assert_eq!(measured("1e-3"), Some((0.001, None)));
        assert_eq!(measured("undefined"), None);
    }

    #[test]
    fn a_table_of_a_panel_begins_with_its_times() {
        assert_eq!(separator("\"Time\",\"a\"\n"), Some((b',', 0)));
        assert_eq!(separator("sep=;\r\nTime;a\n"), Some((b';', 7)));
        assert_eq!(separator("Timestamp,a"), None);
        assert_eq!(separator("sep=,"), None);
    }
}
