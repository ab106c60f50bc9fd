//! The table: some rows of it in sight, or all of them as a file.

use super::ask::{Named as _, RowsAsk, Sort};
use super::lanes::status;
use super::list::{self, value};
use super::{Shown, Worked, counted};
use crate::metrics::{Kept, stamp};
use crate::model::{Metric, Outcome};
use crate::units::fixed;
use serde::{Deserialize, Serialize};

/// Rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RowsView {
    /// “50 requests”, “12 of 50 requests”.
    pub caption: String,
    /// “longest gap first”.
    pub order: String,
    /// The columns.
    pub head: Vec<Column>,
    /// How many rows there are in all.
    pub total: usize,
    /// The place of the first of the rows here.
    pub from: usize,
    /// The rows.
    pub rows: Vec<RequestRow>,
    /// The place of the chosen request, where it is in the table.
    pub chosen_at: Option<usize>,
    /// All rows as CSV with every digit, where that was asked for.
    pub file: Option<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Column {
    /// By what it is sorted.
    pub sort: Sort,
    /// “TTFT”.
    pub name: String,
    /// “ms”; empty where it has none.
    pub unit: String,
    /// Its definition in a few signs, or why it has no value.
    pub stamp: String,
    /// Whether the largest stands at the top; nothing where the table is sorted otherwise.
    pub descending: Option<bool>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RequestRow {
    /// Its number from 0.
    pub request: usize,
    /// A cell a column.
    pub cells: Vec<String>,
    /// Whether it failed or misses a limit.
    pub alarm: bool,
    /// Whether it lies outside of the window in force, so that it is in no number above.
    pub outside: bool,
}

pub(super) fn rows(shown: &Shown<'_>, worked: &Worked, ask: &RowsAsk) -> RowsView {
    let table = &worked.table;
    let matching = list::matching(worked, &ask.of);
    let order = list::sorted(worked, ask.sort, ask.turned, matching);
    let columns = columns(shown, worked, ask);
    let texts: Vec<Box<dyn Fn(usize) -> String + '_>> =
        columns.iter().map(|column| cell(worked, column.sort)).collect();
    let row = |at: &usize| RequestRow {
        request: *at,
        cells: texts.iter().map(|text| text(*at)).collect(),
        alarm: table.outcome.get(*at) != Some(&Outcome::Ok)
            || matches!(list::kept(table, *at), Some(Kept::Missed(_))),
        outside: table.inside.get(*at) == Some(&false),
    };
    let last = columns.iter().find(|column| column.sort == ask.sort);
    let largest = ask.sort.largest_first() != ask.turned;
    RowsView {
        caption: counted(order.len(), table.len()),
        order: match ask.sort {
            Sort::Turn => format!("{} turn first", if largest { "last" } else { "first" }),
            Sort::Number => format!("{} number first", if largest { "highest" } else { "lowest" }),
            Sort::Start => format!("{} first", if largest { "latest" } else { "earliest" }),
            Sort::Status | Sort::Slo => {
                format!("{}, {} first", ask.sort.words(), if largest { "worst" } else { "best" })
            }
            Sort::Gap => format!("{} gap first", if largest { "longest" } else { "shortest" }),
            sort => {
                format!("{} {} first", if largest { "largest" } else { "smallest" }, sort.words())
            }
        },
        chosen_at: ask.of.chosen.and_then(|chosen| order.iter().position(|at| *at == chosen)),
        total: order.len(),
        from: ask.from.min(order.len()),
        rows: order
            .iter()
            .skip(ask.from)
            .take(if ask.file { 0 } else { ask.count })
            .map(row)
            .collect(),
        file: ask.file.then(|| file(shown, worked, &order, last.map_or("", |c| c.name.as_str()))),
        head: columns,
    }
}

fn columns(shown: &Shown<'_>, worked: &Worked, ask: &RowsAsk) -> Vec<Column> {
    let settings = &shown.own.settings;
    let table = &worked.table;
    let told = |metric: Metric| {
        table.why(metric).map_or_else(|| stamp(metric, settings), |why| format!("not known: {why}"))
    };
    let mut all = vec![
        (Sort::Number, "#", "", "number in the file, from 1".to_owned()),
        (Sort::Start, "start", "s", "send, after the first send of the run".to_owned()),
        (Sort::Ttft, "TTFT", "ms", told(Metric::Ttft)),
        (Sort::Tpot, "TPOT", "ms", told(Metric::Tpot)),
        (Sort::Gap, "max gap", "ms", told(Metric::ChunkGap)),
        (Sort::E2e, "E2E", "ms", told(Metric::E2e)),
        (Sort::Tokens, "tokens", "", told(Metric::OutputTokens)),
    ];
    if table.turn.iter().any(Option::is_some) {
        all.push((Sort::Turn, "turn", "", "its place in the conversation, from 1".to_owned()));
    }
    if table.cached.iter().any(Option::is_some) {
        let told = "input tokens that a prefix cache held, as the server says";
        all.push((Sort::Cached, "cached", "", told.to_owned()));
    }
    // Where all ended alike the column would say one word over and over.
    if table.outcome.iter().any(|outcome| *outcome != Outcome::Ok) {
        all.push((Sort::Status, "status", "", "how it ended".to_owned()));
    }
    if let Some(slo) = &table.slo {
        let told = match slo {
            Ok(_) => crate::views::slo::limits_in_words(&shown.context.limits),
            Err(reason) => format!("not known: {reason}"),
        };
        all.push((Sort::Slo, "SLO", "", told));
    }
    all.into_iter()
        .map(|(sort, name, unit, stamp)| Column {
            sort,
            name: name.to_owned(),
            unit: unit.to_owned(),
            stamp,
            descending: (sort == ask.sort).then_some(sort.largest_first() != ask.turned),
        })
        .collect()
}

/// How the cells of a column are written: all with the same decimals.
fn cell<'w>(worked: &'w Worked, sort: Sort) -> Box<dyn Fn(usize) -> String + 'w> {
    let table = &worked.table;
    let times = |column: &'w [Option<f64>], factor: f64| -> Box<dyn Fn(usize) -> String + 'w> {
        let decimals = decimals(column, factor);
        Box::new(move |at| {
            value(column, at).map_or_else(|| "—".to_owned(), |v| fixed(v * factor, decimals))
        })
    };
    let counts = |column: &'w [Option<f64>]| -> Box<dyn Fn(usize) -> String + 'w> {
        Box::new(move |at| value(column, at).map_or_else(|| "—".to_owned(), |n| fixed(n, 0)))
    };
    match sort {
        Sort::Number => Box::new(|at| fixed(at as f64 + 1.0, 0)),
        Sort::Start => {
            let last = table.start.iter().flatten().copied().fold(0.0, f64::max);
            let decimals = if last < 100.0 { 2 } else { 1 };
            Box::new(move |at| {
                value(&table.start, at).map_or_else(|| "—".to_owned(), |s| fixed(s, decimals))
            })
        }
        Sort::Ttft => times(&table.ttft, 1e3),
        Sort::Tpot => times(&table.tpot, 1e3),
        Sort::Gap => times(&table.gap, 1e3),
        Sort::E2e => times(&table.e2e, 1e3),
        Sort::Tokens => counts(&table.tokens),
        Sort::Turn => counts(&table.turn),
        Sort::Cached => counts(&table.cached),
        Sort::Status => {
            Box::new(move |at| table.outcome.get(at).map_or("—", |o| status(*o)).to_owned())
        }
        Sort::Slo => Box::new(move |at| slo(list::kept(table, at)).to_owned()),
    }
}

/// What became of a request under the SLO, in a word.
fn slo(kept: Option<Kept>) -> &'static str {
    match kept {
        Some(Kept::All) => "met",
        Some(Kept::Missed(_)) => "missed",
        Some(Kept::Perhaps) => "open",
        Some(Kept::NotApplicable) => "no value",
        Some(Kept::Outside) => "outside",
        None => "—",
    }
}

/// Decimals that give the median of a column three digits, or two beside values of four digits before the point.
fn decimals(column: &[Option<f64>], factor: f64) -> usize {
    let mut known: Vec<f64> = column
        .iter()
        .flatten()
        .map(|v| (v * factor).abs())
        .filter(|v| v.is_finite() && *v > 0.0)
        .collect();
    let middle = known.len() / 2;
    if middle >= known.len() {
        return 0;
    }
    let largest = known.iter().copied().fold(0.0, f64::max);
    let (_, median, _) = known.select_nth_unstable_by(middle, f64::total_cmp);
    let digits = if largest >= 1000.0 { 1 } else { 2 };
    (digits - median.log10().floor() as i32).clamp(0, 6) as usize
}

/// All rows as CSV. Lines that begin with `#` say what they are.
fn file(shown: &Shown<'_>, worked: &Worked, order: &[usize], sort: &str) -> String {
    let (table, settings) = (&worked.table, &shown.own.settings);
    let mut lines = vec![
        format!("# {}: {}", shown.own.name, counted(order.len(), table.len())),
        format!("# file {}, sha256 {}", shown.own.run.provenance.file, shown.own.run.id.as_str()),
        format!("# sorted by {sort}; window {}", settings.window),
    ];
    for metric in [Metric::Ttft, Metric::Tpot, Metric::E2e, Metric::OutputTokens] {
        lines.push(format!("# {}: {}", metric.name(), stamp(metric, settings)));
    }
    if !shown.context.limits.is_empty() {
        let limits = crate::views::slo::limits_in_words(&shown.context.limits);
        lines.push(format!("# SLO: {limits}"));
    }
    lines.push(
        "request,start_s,client_wait_ms,ttft_ms,tpot_ms,longest_gap_ms,e2e_ms,input_tokens,output_tokens,status,slo,in_window,turn,cached_input_tokens"
            .to_owned(),
    );
    let number =
        |v: Option<f64>, factor: f64| v.map(|v| (v * factor).to_string()).unwrap_or_default();
    for at in order.iter().copied() {
        let of = |column: &[Option<f64>], factor: f64| number(value(column, at), factor);
        lines.push(
            [
                (at + 1).to_string(),
                of(&table.start, 1.0),
                of(&table.wait, 1e3),
                of(&table.ttft, 1e3),
                of(&table.tpot, 1e3),
                of(&table.gap, 1e3),
                of(&table.e2e, 1e3),
                of(&table.input, 1.0),
                of(&table.tokens, 1.0),
                table.outcome.get(at).map_or("", |outcome| status(*outcome)).to_owned(),
                list::kept(table, at).map_or("", |kept| slo(Some(kept))).to_owned(),
                (table.inside.get(at) == Some(&true)).to_string(),
                of(&table.turn, 1.0),
                of(&table.cached, 1.0),
            ]
            .join(","),
        );
    }
    lines.push(String::new());
    lines.join("\n")
}
