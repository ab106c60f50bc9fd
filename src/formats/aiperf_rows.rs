//! The request table behind AIPerf's records and raw records: both name the same requests.

use super::aiperf::SKIP;
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Each, Tree, TreeSeed};
use super::{Input, slots};
use crate::model::{
    Column, EndRule, FirstTokenRule, Origin, Outcome, Ragged, Requests, TokenSource,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};
use std::collections::{BTreeMap, BTreeSet};

/// One request. Times are in seconds from its send.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// When it was sent, in nanoseconds of the wall clock.
    pub(super) start: Option<i128>,
    pub(super) outcome: Option<Outcome>,
    /// The class of its error.
    pub(super) error: Option<String>,
    pub(super) phase: Option<String>,
    /// The turn of its conversation, from 0.
    pub(super) turn: Option<f64>,
    /// Waiting between its release by the scheduler and its send.
    pub(super) wait: Option<f64>,
    pub(super) input: Option<f64>,
    /// Output tokens by the tool's main count.
    pub(super) output: Option<f64>,
    /// Output tokens by the server's usage.
    pub(super) usage: Option<f64>,
    pub(super) ttft: Option<f64>,
    pub(super) first_answer: Option<f64>,
    /// The last content: where AIPerf's request latency stops.
    pub(super) last: Option<f64>,
    /// When reading ended, the end marker included.
    pub(super) end: Option<f64>,
    pub(super) gaps: Option<Vec<f64>>,
    pub(super) event_tokens: Option<Vec<f64>>,
    /// The tool's own mean ITL.
    pub(super) itl: Option<f64>,
}

/// One line.
pub(super) enum Line {
    Counted(Box<Row>),
    WarmUp,
    /// JSON that is no record.
    Other,
}

/// Reads every line of a file; those of warm-up and those that are no records are left out and told.
pub(super) fn lines(
    input: &mut Input<'_>,
    convert: &dyn Fn(Tree) -> Result<Line, String>,
    out: &mut Notices,
) -> Result<Vec<Row>, Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let each = Each { seed: TreeSeed { skip: SKIP, ticker: &ticker }, convert };
    let found = documents::read(input.text, each, &ticker, out)?;
    let (mut rows, mut warm_up, mut other) = (Vec::new(), 0, 0);
    for line in found {
        match line.value {
            Line::Counted(row) => rows.push(*row),
            Line::WarmUp => warm_up += 1,
            Line::Other => other += 1,
        }
    }
    let mut left_out = |count: u64, severity, kind: &str, text: &str| {
        if count > 0 {
            out.add_many(severity, kind, Place::WholeFile, count, text);
        }
    };
    left_out(warm_up, Severity::Note, "warm-up", "A request of the warm-up was left out.");
    left_out(other, Severity::Warn, "no-record", "A line that is no record was left out.");
    if rows.is_empty() {
        return Err(Fault::whole(ErrorKind::NoRuns));
    }
    Ok(rows)
}

/// What the metadata of a record says: a row without times, or that it is none.
pub(super) fn metadata(tree: &Tree) -> Result<Row, Line> {
    let Some(metadata) = tree.get("metadata").filter(|m| !m.members().is_empty()) else {
        return Err(Line::Other);
    };
    // `credit_phase` and `timestamp_ns`: development builds before 0.2.
    let phase =
        metadata.text_at(&["benchmark_phase"]).or_else(|| metadata.text_at(&["credit_phase"]));
    if phase.is_some_and(|phase| phase.eq_ignore_ascii_case("warmup")) {
        return Err(Line::WarmUp);
    }
    let clock = |key: &str| metadata.get(key).and_then(Tree::int);
    let start = clock("request_start_ns").or_else(|| clock("timestamp_ns"));
    let span = |from: Option<i128>, to: Option<i128>| {
        Some(to?.checked_sub(from?)? as f64 / 1e9).filter(|span| *span >= 0.0)
    };
    let yes = |key: &str| metadata.get(key) == Some(&Tree::Bool(true));
    let error = tree.get("error").filter(|error| !error.is_null());
    let cancelled = yes("was_cancelled")
        || error.and_then(|error| error.get("code")).and_then(Tree::int) == Some(CANCELLED);
    let outcome = if cancelled {
        Outcome::Cancelled
    } else if error.is_some() || yes("context_overflow_skip") {
        Outcome::Failed
    } else {
        Outcome::Ok
    };
    let plain = |name: &&str| name.len() < 60 && name.chars().all(|c| c.is_ascii_alphanumeric());
    let class = error.and_then(|error| error.text_at(&["type"])).filter(plain).map(str::to_owned);
    let code = || Some(format!("code {}", error?.get("code")?.int()?));
    Ok(Row {
        start,
        outcome: Some(outcome),
        error: class.or_else(code),
        phase: metadata.text_at(&["phase_name"]).map(str::to_owned),
        turn: metadata.number_at(&["turn_index"]).filter(|turn| *turn >= 0.0),
        wait: span(clock("credit_issued_ns"), start),
        end: span(start, clock("request_end_ns")),
        ..Row::default()
    })
}

/// The code of an error that a deliberate cancellation is booked under.
const CANCELLED: i128 = 499;

/// Rounding noise of a time that went through a double.
const NOISE: f64 = 1e-6;

/// The table of all rows, in the order in which they were sent. Values are `from` the file's unit.
pub(super) fn table(
    mut rows: Vec<Row>,
    from: &str,
    rule: FirstTokenRule,
    out: &mut Notices,
) -> Requests {
    rows.sort_by_key(|row| row.start.unwrap_or(i128::MAX));
    for row in &mut rows {
        if row.outcome != Some(Outcome::Ok) {
            let Row { start, outcome, error, phase, turn, wait, input, .. } = std::mem::take(row);
            *row = Row { start, outcome, error, phase, turn, wait, input, ..Row::default() };
        }
    }
    note_failed(&rows, out);
    note_phases(&rows, out);
    let origin = || Origin::Converted { from: from.to_owned() };
    let derived = |how: &str| Origin::Derived { how: how.to_owned() };
    let seconds = |origin: Origin, get: &dyn Fn(&Row) -> Option<f64>| -> Column<Seconds> {
        if rows.iter().all(|row| get(row).is_none()) {
            return Column::absent(rows.len());
        }
        Column::from_options(origin, rows.iter().map(|row| get(row).map(Seconds::from_secs)))
    };
    let tokens = |get: &dyn Fn(&Row) -> Option<f64>| -> Column<Tokens> {
        if rows.iter().all(|row| get(row).is_none()) {
            return Column::absent(rows.len());
        }
        let counts = rows.iter().map(|row| get(row).filter(|n| *n >= 0.0));
        Column::from_options(Origin::Reported, counts.map(|n| n.map(Tokens::from_count)))
    };
    let mut requests = Requests::absent(rows.len());
    requests.outcome = rows.iter().map(|row| row.outcome.unwrap_or(Outcome::Ok)).collect();
    requests.input_tokens = tokens(&|row| row.input);
    requests.first_token_rule = rule;
    requests.ttft = seconds(origin(), &|row| row.ttft);
    requests.first_answer = seconds(origin(), &|row| row.first_answer);
    let first = rows.iter().filter_map(|row| row.start).min();
    requests.start = seconds(derived("send time less that of the first request"), &|row| {
        // As integers: a double holds nanoseconds of the wall clock to some 256 only.
        Some(row.start?.checked_sub(first?)? as f64 / 1e9)
    });
    requests.queue_wait =
        seconds(derived("request_start_ns − credit_issued_ns"), &|row| row.wait);
    requests.turn = slots::turns(rows.iter().map(|row| row.turn.map(|turn| turn + 1.0)));
    // Reading ends after the last content; where the clock was set in between, it says nothing. Both at
    // the same moment can differ by the rounding of one.
    let both =
        |row: &Row| row.last.is_none_or(|last| row.end.is_some_and(|end| end + NOISE >= last));
    if rows.iter().all(both) && rows.iter().any(|row| row.last.is_some()) {
        requests.end_rule = EndRule::StreamEnd;
        requests.e2e = seconds(derived("request_end_ns − request_start_ns"), &|row| {
            Some(row.end?.max(row.last?))
        });
        requests.last_token = seconds(origin(), &|row| row.last);
    } else {
        requests.e2e = seconds(origin(), &|row| row.last);
    }
    requests.gaps = ragged(&rows, origin(), |row| row.gaps.as_deref(), Seconds::from_secs);
    requests.event_tokens = ragged(
        &rows,
        derived("usage of each chunk less that of the one before"),
        |row| row.event_tokens.as_deref(),
        Tokens::from_count,
    );
    count_output(&mut requests, &rows, tokens);
    if divides_by_later_tokens(&rows, out) {
        requests.request_itl = seconds(origin(), &|row| row.itl);
    }
    slots::note_empty(&requests, out);
    slots::note_not_streamed(&requests, out);
    requests
}

fn ragged<T: crate::units::Quantity>(
    rows: &[Row],
    origin: Origin,
    get: impl Fn(&Row) -> Option<&[f64]>,
    of: impl Fn(f64) -> T,
) -> Ragged<T> {
    if rows.iter().all(|row| get(row).is_none()) {
        return Ragged::absent(rows.len());
    }
    let mut ragged = Ragged::new(origin);
    for row in rows {
        let values = get(row);
        values.unwrap_or_default().iter().for_each(|value| ragged.push(of(*value)));
        ragged.end_row(values.is_some());
    }
    ragged
}

/// Output tokens and who counted them. AIPerf’s count is its own tokenizer’s unless it was told to take
/// the server’s, which the records don’t say: where both are there and agree, it is the server’s.
fn count_output(
    requests: &mut Requests,
    rows: &[Row],
    tokens: impl Fn(&dyn Fn(&Row) -> Option<f64>) -> Column<Tokens>,
) {
    let counted = || rows.iter().filter(|row| row.output.is_some() || row.usage.is_some());
    let same = |row: &Row| match (row.output, row.usage) {
        (Some(own), Some(server)) => (own - server).abs() < 0.5,
        _ => false,
    };
    let (own, server) = (
        counted().any(|row| row.output.is_some()),
        counted().next().is_some() && counted().all(|row| row.usage.is_some()),
    );
    if server && own && !counted().all(same) {
        requests.output_tokens = tokens(&|row| row.usage);
        requests.retokenized = tokens(&|row| row.output);
    } else {
        requests.output_tokens = tokens(&|row| row.output.or(row.usage));
    }
    requests.token_source = match (server, own) {
        (true, _) => TokenSource::Server,
        (false, true) => TokenSource::Retokenized,
        (false, false) => TokenSource::Unknown,
    };
}

/// Whether the tool divided decode times by the tokens after the first chunk instead of all but one:
/// 0.13 does with `--per-chunk-usage`.
fn divides_by_later_tokens(rows: &[Row], out: &mut Notices) -> bool {
    let other = |row: &Row| {
        let (Some(itl), Some(n)) = (row.itl, row.output) else { return false };
        let (Some(ttft), Some(last)) = (row.ttft, row.last) else { return false };
        n >= 2.0 && ((last - ttft) / (n - 1.0) - itl).abs() > NOISE * itl
    };
    let others: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| other(row)).map(|(at, _)| at).collect();
    let text = "The printed ITL of a request is not (E − T) ÷ (n − 1): it was divided by the tokens that \
                came after the first chunk (per-chunk usage), and is kept as AIPerf wrote it.";
    slots::flag(out, Severity::Note, "first-chunk-tokens", &others, text);
    !others.is_empty()
}

fn note_failed(rows: &[Row], out: &mut Notices) {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let failed = rows.iter().enumerate().filter(|(_, row)| row.outcome != Some(Outcome::Ok));
    let mut places = Vec::new();
    for (at, row) in failed {
        places.push(at);
        *kinds.entry(row.error.as_deref().unwrap_or("without a class")).or_default() += 1;
    }
    let Some(first) = places.first() else { return };
    let named: Vec<_> =
        kinds.iter().take(4).map(|(kind, count)| format!("{count} × {kind}")).collect();
    let text = format!(
        "Failed and cancelled requests are counted, and none of their values is a sample ({}).",
        named.join(", ")
    );
    let place = Place::Record(*first as u64 + 1);
    out.add_many(Severity::Warn, "failed-requests", place, places.len() as u64, text);
}

fn note_phases(rows: &[Row], out: &mut Notices) {
    let phases: BTreeSet<&str> = rows.iter().filter_map(|row| row.phase.as_deref()).collect();
    if phases.len() > 1 {
        let text = format!(
            "The file holds {} phases of load; their requests are measured together.",
            phases.len()
        );
        out.add(Severity::Warn, "several-phases", Place::WholeFile, text);
    }
}
