//! The tables that AIPerf and GenAI-Perf print: a title, statistics as columns, one metric a row, a
//! long label going on in the next row.

use super::aggregates::{further, put, usual_stat};
use super::console::{Summary, TITLES};
use super::json::number_of;
use crate::model::{Limit, LimitMetric, Load, Metric, RequestRate, Stat};
use crate::notice::{Place, Severity};
use crate::units::Unit;

/// Labels in lower case without their unit, their metric, and whether it is one number for the run.
const LABELS: &[(&str, Metric, bool)] = &[
    ("time to first token", Metric::Ttft, false),
    ("time to first output token", Metric::FirstAnswer, false),
    ("inter token latency", Metric::Itl, false),
    ("inter chunk latency", Metric::ChunkGap, false),
    ("request latency", Metric::E2e, false),
    ("output token throughput per user", Metric::UserSpeed, false),
    ("input sequence length", Metric::InputTokens, false),
    ("output sequence length", Metric::OutputTokens, false),
    ("request throughput", Metric::RequestThroughput, true),
    ("output token throughput", Metric::OutputThroughput, true),
    ("input token throughput", Metric::InputThroughput, true),
    ("total token throughput", Metric::TotalThroughput, true),
    ("goodput", Metric::Goodput, true),
    ("request goodput", Metric::Goodput, true),
    ("request count", Metric::Completed, true),
    ("error request count", Metric::Failed, true),
    ("total input sequence length", Metric::TotalInputTokens, true),
    ("total output sequence length", Metric::TotalOutputTokens, true),
];

/// Every summary in a text. A table whose title has already come opens another one.
pub(super) fn read(text: &str) -> Vec<Summary> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        reader.line(line.trim(), number as u64 + 1);
    }
    reader.close_table();
    reader.close();
    reader.done
}

#[derive(Default)]
struct Reader {
    done: Vec<Summary>,
    open: Option<Summary>,
    /// Titles of the tables of the open summary.
    titles: Vec<String>,
    table: Option<Table>,
    /// The lines of a command that goes on.
    command: Option<String>,
}

struct Table {
    columns: Vec<String>,
    rows: Vec<(u64, String, Vec<String>)>,
}

impl Reader {
    fn line(&mut self, line: &str, number: u64) {
        let title = TITLES.iter().find_map(|(title, tool)| Some((line.find(title)?, tool)));
        if let Some((at, tool)) = title {
            self.close_table();
            let title = line.get(at..).unwrap_or_default().trim().to_owned();
            if self.titles.contains(&title) {
                self.close();
            }
            self.titles.push(title);
            self.open.get_or_insert_with(|| Summary::of(*tool));
        } else if let Some(cells) = cells(line) {
            self.row(&cells, number);
        } else {
            self.words(line);
        }
    }

    fn row(&mut self, cells: &[&str], number: u64) {
        let Some((label, cells)) = cells.split_first() else { return };
        if ["metric", "statistic"].contains(&label.to_ascii_lowercase().as_str()) {
            self.close_table();
            let columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            self.table = self.open.is_some().then(|| Table { columns, rows: Vec::new() });
            return;
        }
        let Some(table) = &mut self.table else { return };
        if cells.len() != table.columns.len() {
            return;
        }
        match table.rows.last_mut() {
            Some((_, last, _)) if cells.iter().all(|cell| cell.is_empty()) => {
                last.push(' ');
                last.push_str(label);
            }
            _ => {
                let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
                table.rows.push((number, (*label).to_owned(), cells));
            }
        }
    }

    /// A line outside of tables: the length of the run, the command line.
    fn words(&mut self, line: &str) {
        if let Some(rest) = line.split_once("Benchmark Duration: ").map(|(_, rest)| rest) {
            self.close_table();
            let seconds = rest.strip_suffix(" sec").and_then(number);
            if let Some(summary) = &mut self.open {
                let (field, stat) = ("Benchmark Duration", Stat::Value);
                put(&mut summary.reported, field, Metric::Duration, stat, seconds, 1.0);
            }
        }
        if let Some((_, rest)) = line.split_once("CLI Command: ") {
            self.command = Some(rest.to_owned());
        } else if let Some(command) = &mut self.command {
            // The next entry of the list has a colon behind its name.
            let entry = line.split_once(": ").is_some_and(|(name, _)| {
                name.starts_with(char::is_uppercase) && !name.contains(['\'', '-'])
            });
            if line.is_empty() || entry {
                self.end_command();
            } else {
                command.push(' ');
                command.push_str(line);
            }
        }
    }

    fn end_command(&mut self) {
        let (Some(command), Some(summary)) = (self.command.take(), &mut self.open) else { return };
        let words = words(&command);
        let value = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at + 1).map(String::as_str)
        };
        summary.workload.model = value("--model").map(str::to_owned);
        summary.workload.tokenizer = value("--tokenizer").map(str::to_owned);
        summary.load = Load {
            request_rate: value("--request-rate").and_then(number).map(RequestRate::PerSecond),
            max_concurrency: value("--concurrency").and_then(|n| n.parse().ok()),
            requests: value("--request-count").and_then(|n| n.parse().ok()),
            ..Load::default()
        };
        summary.reported.limits = value("--goodput").and_then(limits);
    }

    fn close_table(&mut self) {
        let (Some(table), Some(summary)) = (self.table.take(), &mut self.open) else { return };
        for (line, label, cells) in table.rows {
            for (column, cell) in table.columns.iter().zip(&cells) {
                if cell.ends_with('…') {
                    summary.notices.add(
                        Severity::Warn,
                        "cut-cell",
                        Place::LineColumn { line, column: 1 },
                        "The terminal cut a number short; it was left out.",
                    );
                } else if let Some(value) = number(cell) {
                    add(summary, &label, column, value);
                }
            }
        }
    }

    fn close(&mut self) {
        self.end_command();
        self.titles.clear();
        self.done.extend(self.open.take());
    }
}

/// Adds one number under its label, as AIPerf and GenAI-Perf mean it.
fn add(summary: &mut Summary, label: &str, column: &str, value: f64) {
    let (name, unit) = unit_of(label);
    let lower = name.to_ascii_lowercase();
    let known = LABELS.iter().find(|(known, ..)| *known == lower);
    let scaled = known.and_then(|(_, metric, one)| Some((*metric, *one, scale(*metric, unit)?)));
    let reported = &mut summary.reported;
    match (scaled, usual_stat(column)) {
        (Some((metric, true, scale)), Some(Stat::Mean)) => {
            put(reported, name, metric, Stat::Value, Some(value), scale);
        }
        (Some((metric, false, scale)), Some(stat)) => {
            put(reported, &format!("{name} {column}"), metric, stat, Some(value), scale);
        }
        _ => further(reported, &format!("{name} {column}"), Some(value), unit),
    }
}

/// A label without its unit, which is the last thing in brackets.
fn unit_of(label: &str) -> (&str, &str) {
    label
        .strip_suffix(')')
        .and_then(|label| label.rsplit_once(" ("))
        .map_or((label, ""), |(name, unit)| (name.trim(), unit))
}

/// The factor to the metric's unit; `None` for one that nobody knows.
fn scale(metric: Metric, unit: &str) -> Option<f64> {
    match (metric.unit(), unit) {
        (Unit::Millis, "ms") => Some(1.0),
        (Unit::Millis, "s" | "sec") => Some(1e3),
        (Unit::Millis, "us" | "µs") => Some(1e-3),
        (Unit::Millis, "ns") => Some(1e-6),
        (Unit::Millis, _) => None,
        _ => Some(1.0),
    }
}

/// The cells of a row; `None` of a line that is none.
fn cells(line: &str) -> Option<Vec<&str>> {
    let border = ['┃', '│', '|'];
    let inner = line.strip_prefix(border)?.strip_suffix(border)?;
    Some(inner.split(border).map(str::trim).collect())
}

/// A number with commas between thousands.
fn number(text: &str) -> Option<f64> {
    number_of(&text.trim().replace(',', "")).filter(|value| value.is_finite())
}

/// The words of a command line; quoted text is one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, piece) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Limits as `time_to_first_token:110 request_latency:1000`, in milliseconds.
fn limits(text: &str) -> Option<Vec<Limit>> {
    let pairs = text.split_whitespace().filter_map(|pair| pair.split_once(':'));
    super::console::limits(pairs, |name| match name {
        "time_to_first_token" => Some(LimitMetric::Ttft),
        "inter_token_latency" => Some(LimitMetric::Tpot),
        "request_latency" => Some(LimitMetric::E2e),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tool;

    const TABLE: &str = "\
                                  NVIDIA GenAI-Perf | LLM Metrics
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┓
┃                   Statistic ┃      avg ┃    p99 ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━┩
│    Time to first token (ms) │ 1,016.40 │ 2,01…  │
│     Output token throughput │   240.08 │    N/A │
│                   (per sec) │          │        │
│       Decode Duration (sec) │     0.25 │   0.50 │
└─────────────────────────────┴──────────┴────────┘
";

    #[test]
    fn thousands_cut_cells_and_labels_that_go_on() {
        let found = read(TABLE);
        let summary = &found[0];
        assert_eq!(summary.tool, Tool::GenaiPerf);
        let values: Vec<_> =
            summary.reported.values.iter().map(|v| (v.metric, v.stat, v.value)).collect();
        assert_eq!(
            values,
            [(Metric::Ttft, Stat::Mean, 1016.4), (Metric::OutputThroughput, Stat::Value, 240.08)]
        );
        assert_eq!(
            summary.notices.iter().map(|n| n.kind.as_str()).collect::<Vec<_>>(),
            ["cut-cell"]
        );
        let further = &summary.reported.further[1];
        assert_eq!((further.field.as_str(), further.unit.as_str()), ("Decode Duration p99", "sec"));
    }

    #[test]
    fn a_title_that_comes_again_opens_another_summary() {
        assert_eq!(read(&format!("{TABLE}\n{TABLE}")).len(), 2);
    }

    #[test]
    fn of_the_command_only_load_model_and_limits_are_kept() {
        let text = format!(
            "{TABLE}CLI Command: aiperf profile --model 'made/x' --request-rate 8 --api-key \
             'made-key'\n--request-count 60 --goodput 'time_to_first_token:110 \
             inter_token_latency:18'\nBenchmark Duration: 10.22 sec\n"
        );
        let summary = &read(&text)[0];
        assert_eq!(summary.workload.model.as_deref(), Some("made/x"));
        assert_eq!(summary.load.requests, Some(60));
        assert_eq!(summary.reported.limits.as_ref().map(Vec::len), Some(2));
        assert!(!format!("{summary:?}").contains("made-key"));
    }
}
