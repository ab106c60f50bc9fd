//! The requests of a GuideLLM benchmark.
//!
//! Its clocks are epoch seconds in doubles: a start that is taken off leaves what digits they have.

use super::tree::Tree;
use super::{guidellm_stats, slots};
use crate::model::{Column, EndRule, FirstTokenRule, Origin, Outcome, Requests, Run, TokenSource};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};

/// One request, in epoch seconds.
struct Row {
    outcome: Outcome,
    start: Option<f64>,
    end: Option<f64>,
    first: Option<f64>,
    answer: Option<f64>,
    last: Option<f64>,
    due: Option<f64>,
    input: Option<f64>,
    output: Option<f64>,
    cached: Option<f64>,
}

/// The lists of requests, and how those in them ended.
const LISTS: [(&str, Outcome); 3] = [
    ("successful", Outcome::Ok),
    ("incomplete", Outcome::Unfinished),
    ("errored", Outcome::Failed),
];

/// The protocol as 0.2 and 0.3 write it with each request.
pub(super) fn request_type(benchmark: &Tree) -> Option<&str> {
    LISTS.iter().find_map(|(list, _)| {
        benchmark.at(&["requests", list])?.list().first()?.text_at(&["request_type"])
    })
}

/// Reads the requests of `benchmark` into `run`, unless they are only a sample of them.
pub(super) fn fill(run: &mut Run, benchmark: &Tree, minor: u32, strategy: &str) {
    let notices = &mut run.provenance.notices;
    let mut rows: Vec<Row> = Vec::new();
    for (list, outcome) in LISTS {
        let requests = benchmark.at(&["requests", list]).map_or(&[][..], Tree::list);
        rows.extend(requests.iter().map(|request| row(request, outcome, minor)));
    }
    if minor >= 4 {
        keep_measured(&mut rows, benchmark, notices);
    }
    let ok = rows.iter().filter(|row| row.outcome == Outcome::Ok).count();
    let counted = guidellm_stats::totals(benchmark).and_then(|t| t.number_at(&["successful"]));
    let counted = counted.unwrap_or(0.0) as usize;
    if ok < counted {
        let text = if rows.is_empty() {
            format!(
                "The file holds none of its {counted} finished requests (they were sampled away): only what GuideLLM printed is read."
            )
        } else {
            format!(
                "The file holds a sample of {ok} of its {counted} finished requests, from which no rate or percentile of the run follows: only what GuideLLM printed is read."
            )
        };
        notices.add(Severity::Warn, "sampled-requests", Place::JsonPath("requests".into()), text);
        return;
    }
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| {
        let at = |row: &Row| row.start.unwrap_or(f64::INFINITY);
        at(a).total_cmp(&at(b))
    });
    let mut requests = table(&rows);
    requests.first_token_rule =
        if minor >= 7 { FirstTokenRule::FirstText } else { FirstTokenRule::FirstAnswer };
    requests.end_rule = EndRule::StreamEnd;
    requests.token_source = token_source(benchmark, minor);
    // Only a schedule has due times; before 0.8 the other strategies write the start of the run.
    if minor >= 8 || matches!(strategy, "constant" | "poisson" | "async") {
        let wait = |row: &Row| if unset(row) { None } else { span(row.due?, row.start?) };
        requests.queue_wait = column("request_start − targeted_start", rows.iter().map(wait));
        let lost = rows.iter().filter(|row| unset(row)).count();
        if lost > 0 {
            let text = "A request was due about 1970: GuideLLM scheduled it before its clock was set, so \
                        how long it waited in the client is not known.";
            let place = Place::JsonPath("requests[].info.timings.targeted_start".into());
            notices.add_many(Severity::Note, "due-time", place, lost as u64, text);
        }
    }
    slots::note_empty(&requests, notices);
    slots::note_not_streamed(&requests, notices);
    run.requests = Some(requests);
}

/// Takes out the requests that GuideLLM leaves out of its statistics: those that don't touch the
/// measured window, and those that were never sent.
fn keep_measured(rows: &mut Vec<Row>, benchmark: &Tree, notices: &mut Notices) {
    let window = benchmark.number_at(&["start_time"]).zip(benchmark.number_at(&["end_time"]));
    let (mut unsent, mut outside) = (0_u64, 0_u64);
    rows.retain(|row| match (row.start.zip(row.end), window) {
        (None, _) if row.outcome == Outcome::Unfinished => {
            unsent += 1;
            false
        }
        (Some((start, end)), Some((from, to))) if end < from || start > to => {
            outside += 1;
            false
        }
        _ => true,
    });
    let place = || Place::JsonPath("requests".into());
    if unsent > 0 {
        let text = "A request was cancelled before it was sent; it is left out of the table.";
        notices.add_many(Severity::Note, "never-sent", place(), unsent, text);
    }
    if outside > 0 {
        let text = "A request lies outside the measured window (warm-up or cool-down); it is left out of \
                    the table, as GuideLLM leaves it out of its statistics.";
        notices.add_many(Severity::Note, "outside-the-window", place(), outside, text);
    }
}

fn row(request: &Tree, outcome: Outcome, minor: u32) -> Row {
    // −1 is how 0.2 and 0.3 write that no token came.
    let time = |path: &[&str]| request.number_at(path).filter(|time| *time > 0.0);
    let timing = |key: &str| time(&["info", "timings", key]);
    let either = |own: &str, sent: &str, resolved: &str| {
        time(&[own]).or_else(|| timing(sent)).or_else(|| timing(resolved))
    };
    let count = |key: &str| request.number_at(&[key]).filter(|count| *count >= 0.0);
    let (input, output) = (count("prompt_tokens"), count("output_tokens"));
    if minor < 4 {
        return Row {
            outcome,
            start: time(&["start_time"]),
            end: time(&["end_time"]),
            first: time(&["first_token_time"]),
            answer: None,
            last: time(&["last_token_time"]),
            due: time(&["scheduler_info", "targeted_start_time"]),
            input,
            output,
            cached: None,
        };
    }
    Row {
        outcome,
        start: either("request_start_time", "request_start", "resolve_start"),
        end: either("request_end_time", "request_end", "resolve_end"),
        first: timing("first_token_iteration"),
        answer: timing("first_output_token_iteration"),
        last: timing("last_token_iteration"),
        due: timing("targeted_start"),
        input,
        output,
        cached: count("cached_tokens"),
    }
}

/// Who counted, as far as the file says: the server's count comes first unless that is turned off,
/// and then it is the length that was asked for. 0.2 and 0.3 have a setting that is in no file.
fn token_source(benchmark: &Tree, minor: u32) -> TokenSource {
    match benchmark.at(&["config", "prefer_response_metrics"]) {
        _ if minor < 4 => TokenSource::Unknown,
        Some(Tree::Bool(true)) => TokenSource::Server,
        Some(Tree::Bool(false)) => TokenSource::Requested,
        _ => TokenSource::Unknown,
    }
}

/// Whether a request was due about 1970 and sent in our days (seen in 0.8.1, whose first requests of a
/// benchmark can be scheduled before its clock is set).
fn unset(row: &Row) -> bool {
    const YEAR_2001: f64 = 1e9;
    row.due.is_some_and(|due| due < YEAR_2001) && row.start.is_some_and(|start| start > YEAR_2001)
}

fn span(from: f64, to: f64) -> Option<f64> {
    (to >= from).then_some(to - from)
}

fn column(how: &str, seconds: impl Iterator<Item = Option<f64>>) -> Column<Seconds> {
    let origin = Origin::Derived { how: how.to_owned() };
    let values: Vec<_> = seconds.map(|s| s.map(Seconds::from_secs)).collect();
    if values.iter().all(Option::is_none) {
        return Column::absent(values.len());
    }
    Column::from_options(origin, values)
}

/// The table of `rows`. Failed requests keep nothing but their start and prompt.
fn table(rows: &[Row]) -> Requests {
    let first_start = rows.iter().filter_map(|row| row.start).fold(f64::INFINITY, f64::min);
    let after_start = |pick: fn(&Row) -> Option<f64>| {
        rows.iter().map(move |row| match row.outcome {
            Outcome::Failed => None,
            _ => span(row.start?, pick(row)?),
        })
    };
    let tokens = |pick: fn(&Row) -> Option<f64>| {
        let values = rows.iter().map(|row| pick(row).map(Tokens::from_count));
        Column::from_options(Origin::Reported, values)
    };
    let mut requests = Requests::absent(rows.len());
    requests.outcome = rows.iter().map(|row| row.outcome).collect();
    requests.input_tokens = tokens(|row| row.input);
    requests.output_tokens = tokens(|row| row.output.filter(|_| row.outcome != Outcome::Failed));
    let served = |row: &Row| row.cached.filter(|_| row.outcome == Outcome::Ok);
    requests.cached_tokens = slots::cached(rows.iter().map(served));
    requests.ttft = column("first token − start", after_start(|row| row.first));
    requests.first_answer = column("first answer token − start", after_start(|row| row.answer));
    requests.last_token = column("last token − start", after_start(|row| row.last));
    requests.e2e = column("end − start", after_start(|row| row.end));
    requests.start =
        column("start − first start", rows.iter().map(|row| span(first_start, row.start?)));
    requests
}
