//! Raw tables: every number of the runs, and each request, as text to compute on.

use super::Context;
use super::chart_words::row as line;
use super::labels::letter;
use super::measure::{Measurement, PERCENTILES, selected};
use super::numbers::full;
use crate::metrics::{METRICS, Measured, RequestTable, Value, long_stamp, request_table};
use crate::model::{Outcome, Requests, Run, Stat};
use serde::{Deserialize, Serialize};

/// A table as text: lines of comment that begin with `#`, a line of heads, the rows; comma-separated, `.` as
/// decimal point, an empty field where there is no value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RawTable {
    /// "Every metric of every run", "Requests of A, vLLM".
    pub title: String,
    /// Lines under the heads.
    pub rows: usize,
    /// The text.
    pub csv: String,
}

/// More requests than this are no text to copy out: the data of the report, or the command, have them.
const REQUESTS: usize = 20_000;

/// The table of metrics, and where `requests` is set one of the requests of each run that holds any, up to
/// twenty thousand of all runs.
pub fn raw_tables(all: &[&Run], context: &Context, requests: bool) -> Vec<RawTable> {
    let runs = selected(all, context);
    let mut tables = vec![metrics(&runs)];
    let held = |run: &Measurement<'_>| run.run.requests.as_ref().map_or(0, Requests::len);
    if requests && runs.iter().map(held).sum::<usize>() <= REQUESTS {
        tables.extend(runs.iter().enumerate().filter_map(|(at, run)| rows(run, at, context)));
    }
    tables
}

/// One line a run and metric: a distribution by its statistics, anything else by its value.
fn metrics(runs: &[Measurement<'_>]) -> RawTable {
    let percentiles = PERCENTILES.map(Stat::Percentile);
    let stats = [&[Stat::Value, Stat::Mean], &percentiles[..]].concat();
    let names: Vec<String> = stats.iter().map(|stat| stat.name()).collect();
    let head = ["run", "metric", "unit", "origin"];
    let head: Vec<&str> = head.into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new("Every metric of every run".into(), &head);
    for metric in METRICS {
        let known = |run: &&Measurement<'_>| {
            run.measured(metric).is_some_and(|m| !matches!(m, Measured::Unavailable(_)))
        };
        let Some(first) = runs.iter().find(known) else { continue };
        // The same for all runs but where each stands in its own tool's words.
        let mut stamps: Vec<String> = vec![long_stamp(metric, &first.settings)];
        for run in runs {
            let stamp = long_stamp(metric, &run.settings);
            if !stamps.contains(&stamp) {
                stamps.push(stamp);
            }
        }
        table.note(&format!("{}, {}: {}", metric.id(), metric.unit().symbol(), stamps.join(" | ")));
        for (at, run) in runs.iter().enumerate() {
            let Some(measured) = run.measured(metric) else { continue };
            let values = stats.iter().map(|stat| {
                let apart = (*stat == Stat::Value) == metric.is_distribution();
                if apart { Value::Missing(String::new()) } else { measured.value(*stat) }
            });
            let values: Vec<Value> = values.collect();
            // The reason why there is none stands in the comparison.
            let Some(origin) = values.iter().find_map(origin) else { continue };
            let mut cells = vec![
                letter(at),
                metric.id().to_owned(),
                metric.unit().symbol().to_owned(),
                origin.to_owned(),
            ];
            cells.extend(values.iter().map(cell));
            table.row(&cells);
        }
    }
    table.done()
}

/// Where a number comes from.
const fn origin(value: &Value) -> Option<&'static str> {
    match value {
        Value::Exact(_) => Some("recomputed"),
        Value::Reported(_) => Some("reported"),
        Value::AtLeast(_) | Value::AtMost(_) | Value::Between(..) => Some("bounds"),
        Value::Missing(_) => None,
    }
}

/// A number with ten significant digits, or its bounds: "3..", "..4", "3..4".
fn cell(value: &Value) -> String {
    let full = |value: f64| {
        // Parsing what was just written does not fail.
        let ten = format!("{value:.9e}").parse().unwrap_or(value);
        full(ten)
    };
    match value {
        Value::Exact(v) | Value::Reported(v) => full(*v),
        Value::AtLeast(low) => format!("{}..", full(*low)),
        Value::AtMost(high) => format!("..{}", full(*high)),
        Value::Between(low, high) => format!("{}..{}", full(*low), full(*high)),
        Value::Missing(_) => String::new(),
    }
}

/// The requests of one run under the ruler in force.
fn rows(run: &Measurement<'_>, at: usize, context: &Context) -> Option<RawTable> {
    let found = request_table(run.run, &run.settings, &context.limits, run.excluded()).ok()?;
    let head = [
        "request",
        "outcome",
        "start_s",
        "ttft_ms",
        "tpot_ms",
        "e2e_ms",
        "longest_gap_ms",
        "input_tokens",
        "output_tokens",
        "in_window",
    ];
    let mut table = Table::new(format!("Requests of {}, {}", letter(at), run.name), &head);
    for request in 0..found.len() {
        table.row(&request_row(&found, request));
    }
    Some(table.done())
}

fn request_row(table: &RequestTable, at: usize) -> Vec<String> {
    let of = |column: &[Option<f64>]| column.get(at).copied().flatten();
    // A tenth of a microsecond: below what any client's clock tells apart.
    let short = |value: f64, places: usize| {
        let text = format!("{value:.places$}");
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        text.to_owned()
    };
    let secs = |column| of(column).map_or_else(String::new, |v| short(v, 7));
    let millis = |column| of(column).map_or_else(String::new, |v| short(v * 1e3, 4));
    let tokens = |column| of(column).map_or_else(String::new, |v| short(v, 4));
    let outcome = match table.outcome.get(at) {
        Some(Outcome::Ok) => "ok",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::Cancelled) => "cancelled",
        Some(Outcome::Unfinished) => "unfinished",
        None => "",
    };
    vec![
        at.to_string(),
        outcome.to_owned(),
        secs(&table.start),
        millis(&table.ttft),
        millis(&table.tpot),
        millis(&table.e2e),
        millis(&table.gap),
        tokens(&table.input),
        tokens(&table.tokens),
        table.inside.get(at).map_or_else(String::new, |inside| u8::from(*inside).to_string()),
    ]
}

/// A table in the making.
struct Table(RawTable, String);

impl Table {
    fn new(title: String, head: &[&str]) -> Self {
        let mut csv = line(head);
        csv.push('\n');
        Self(RawTable { title, rows: 0, csv }, String::new())
    }

    fn row(&mut self, cells: &[String]) {
        self.0.rows += 1;
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        self.0.csv.push_str(&line(&cells));
        self.0.csv.push('\n');
    }

    /// A line of comment above the heads: they come as the table grows, and are put first in the end.
    fn note(&mut self, text: &str) {
        self.1.push_str("# ");
        self.1.push_str(text);
        self.1.push('\n');
    }

    fn done(self) -> RawTable {
        let Self(table, notes) = self;
        RawTable { csv: notes + &table.csv, ..table }
    }
}
