//! Plain tables with one row a request, from spreadsheets, logs and home-made clients.

use super::csv_columns::Plan;
use super::csv_map::Field;
use super::csv_table::{Heading, Table, TimeUnit, number};
use super::documents::Ticker;
use super::error::{ErrorKind, Fault};
use super::slots;
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Column, Origin, Outcome, Requests, Run, Tool};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};

/// A table of requests.
pub(super) struct CsvRequests;

static ABOUT: About = About {
    name: "a CSV of requests",
    file: "a table with one row a request; separated by comma, semicolon, tab or bar",
    versions: "`request_id, prompt_tokens, completion_tokens, ttft_ms, e2e_ms` and the usual other \
               names, in any order; any other names once it is said what they are",
    recognised: "a heading for TTFT or end-to-end latency beside one for tokens or a request id",
    reads: &[
        "prompt and completion tokens, TTFT, end-to-end latency, start, and status or error",
        "the unit of a time from its heading: `ttft_ms`, `ttft (ms)`, `ttft_s`, `latency_seconds`, `_us`, \
         `_ns`",
        "without an end-to-end latency: end − start, or TTFT + TPOT × (tokens − 1)",
    ],
    limits: &[
        "a time without a unit is refused: a unit is never guessed from the size of the numbers",
        "a comma inside a number is refused",
        "empty cells, `nan`, `None`, `-` and `-1` are missing values",
        "there are no gaps between tokens; without start times no throughput follows from it",
        "what stopped the clocks, and who counted the tokens, is not in the table",
    ],
}.lean();

/// What the header of a table must have.
const WANTED: &str = "a TTFT or end-to-end latency (ttft_ms, e2e_ms) beside prompt_tokens, \
                      completion_tokens or request_id";

impl Format for CsvRequests {
    fn id(&self) -> &'static str {
        "csv-requests"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let plan = Plan::of(&table.headings);
        let whose = plan.has(&[Field::InputTokens, Field::OutputTokens]);
        if plan.has(&[Field::Ttft]) && plan.has(&[Field::E2e]) && whose {
            return Verdict::Certain("its header has TTFT, end-to-end latency and tokens".into());
        }
        if plan.has(&[Field::Ttft, Field::E2e]) && (whose || plan.has(&[Field::RequestId])) {
            return Verdict::Likely(
                "its header has a latency beside tokens or a request id".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        let plan = Plan::of(&table.headings);
        read(input, &table, &plan, out)
    }
}

/// Reads a table of requests whose columns are known by a plan.
pub(super) fn read(
    input: Input<'_>,
    table: &Table<'_>,
    plan: &Plan,
    out: &mut Notices,
) -> Result<Vec<Run>, Fault> {
    plan.check(&table.headings)?;
    plan.note_unused(&table.headings, out);
    run(input, CsvRequests.id(), Tool::Csv, table, plan).map(|run| vec![run])
}

/// The run of `tool` in a table of requests.
pub(super) fn run(
    input: Input<'_>,
    format: &str,
    tool: Tool,
    table: &Table<'_>,
    plan: &Plan,
) -> Result<Run, Fault> {
    let mut rows = Rows::default();
    let mut provenance = input.provenance(format, 0, 1);
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    table.each_row(|line, byte, cells| {
        if rows.outcome.len().is_multiple_of(4096) {
            ticker.tell(byte);
        }
        ticker.add(1);
        rows.push(plan, &table.headings, line, cells)
    })?;
    if rows.outcome.is_empty() {
        return Err(Fault::whole(ErrorKind::NoRows));
    }
    let model = rows.model();
    let requests = rows.table(plan, &mut provenance.notices);
    let mut run = super::blank(tool, tool.name(), provenance);
    run.load.requests = Some(requests.len() as u64);
    run.workload.model = model;
    run.requests = Some(requests);
    Ok(run)
}

/// The error for a table of which no column says a latency.
pub(super) fn unknown_table(head: &Head<'_>) -> Option<ErrorKind> {
    let table = Table::of_head(head)?;
    let named = [".csv", ".tsv"].iter().any(|end| head.file.to_ascii_lowercase().ends_with(end));
    let second = head.text.as_deref()?.lines().nth(1)?;
    let wide = second.split([',', ';', '\t', '|']).count() == table.headings.len();
    (named || wide).then(|| ErrorKind::UnknownHeader {
        seen: table.headings.into_iter().take(20).map(|heading| heading.raw).collect(),
        wanted: WANTED,
    })
}

/// The rows so far.
#[derive(Default)]
struct Rows {
    outcome: Vec<Outcome>,
    input: Vec<Option<f64>>,
    output: Vec<Option<f64>>,
    ttft: Vec<Option<f64>>,
    e2e: Vec<Option<f64>>,
    tpot: Vec<Option<f64>>,
    itl: Vec<Option<f64>>,
    decode: Vec<Option<f64>>,
    start: Vec<Option<f64>>,
    end: Vec<Option<f64>>,
    since: Vec<Option<f64>>,
    /// What starts and ends are counted from: the first of them, in the file’s unit.
    zero: Option<i128>,
    models: Vec<String>,
    unknown_status: Vec<usize>,
}

impl Rows {
    fn push(
        &mut self,
        plan: &Plan,
        headings: &[Heading],
        line: u64,
        cells: &csv::StringRecord,
    ) -> Result<(), Fault> {
        let text = |field| plan.column(field).and_then(|(at, _)| cells.get(at)).unwrap_or_default();
        let value = |field| -> Result<Option<f64>, Fault> {
            number(text(field)).map_err(|kind| {
                let at = plan.column(field).map_or(0, |(at, _)| at);
                let column = headings.get(at).map(|h| h.raw.clone()).unwrap_or_default();
                Fault::at(Place::Cell { line, column }, kind)
            })
        };
        // A column without a unit is not used, so its cells need not be numbers.
        let time = |field| if plan.unit(field).is_some() { value(field) } else { Ok(None) };
        self.input.push(value(Field::InputTokens)?);
        self.output.push(value(Field::OutputTokens)?);
        self.ttft.push(time(Field::Ttft)?);
        self.tpot.push(time(Field::Tpot)?);
        self.itl.push(time(Field::Itl)?);
        self.decode.push(time(Field::DecodeTime)?);
        self.since.push(time(Field::InterArrival)?);
        let e2e = time(Field::E2e)?;
        let (start, end) = (time(Field::Start)?, time(Field::End)?);
        let start = start.map(|start| self.clock(text(Field::Start), start));
        self.start.push(start);
        let end = end.map(|end| self.clock(text(Field::End), end));
        self.end.push(end);
        self.e2e.push(e2e);
        let outcome = match outcome_of(&text) {
            Some(Outcome::Ok) if plan.cut_without_e2e && e2e.is_none() => Outcome::Unfinished,
            Some(outcome) => outcome,
            None => {
                self.unknown_status.push(self.outcome.len());
                Outcome::Failed
            }
        };
        self.outcome.push(outcome);
        let model = text(Field::Model);
        if !model.is_empty() && self.models.len() < 2 && !self.models.iter().any(|m| m == model) {
            self.models.push(model.to_owned());
        }
        Ok(())
    }

    /// A clock's time since the first that was read. Clocks in nanoseconds have nineteen digits, which
    /// no double holds: whole numbers are subtracted as such.
    fn clock(&mut self, cell: &str, value: f64) -> f64 {
        let whole = cell.parse::<i128>();
        let zero = *self.zero.get_or_insert(whole.as_ref().map_or(value as i128, |whole| *whole));
        match whole {
            Ok(whole) => whole.saturating_sub(zero) as f64,
            Err(_) => value - zero as f64,
        }
    }

    /// The model, where all rows name the same.
    fn model(&self) -> Option<String> {
        match self.models.as_slice() {
            [model] => Some(model.clone()),
            _ => None,
        }
    }

    fn table(self, plan: &Plan, out: &mut Notices) -> Requests {
        let len = self.outcome.len();
        let ok: Vec<bool> = self.outcome.iter().map(|o| *o == Outcome::Ok).collect();
        note_outcomes(&self.outcome, &self.unknown_status, out);
        let samples = |values: Vec<Option<f64>>, what: &str, out: &mut Notices| {
            let mut bad = Vec::new();
            let kept: Vec<Option<f64>> = values
                .into_iter()
                .zip(&ok)
                .enumerate()
                .map(|(at, (value, ok))| {
                    let value = value.filter(|_| *ok)?;
                    if value > 0.0 && value.is_finite() {
                        return Some(value);
                    }
                    bad.push(at);
                    None
                })
                .collect();
            let text =
                format!("{what}: zero, negative or infinite is taken as missing, not as a time.");
            slots::flag(out, Severity::Warn, "no-time", &bad, &text);
            kept
        };
        let at_once: Vec<bool> = self.ttft.iter().map(|t| *t == Some(0.0)).collect();
        let ttft = samples(self.ttft, "Time to first token", out);
        let e2e = samples(self.e2e, "End-to-end latency", out);
        let tpot = samples(self.tpot, "Time per output token", out);
        let itl = samples(self.itl, "Inter-token latency", out);

        let mut requests = Requests::absent(len);
        requests.outcome = self.outcome;
        if plan.column(Field::InputTokens).is_some() {
            requests.input_tokens = tokens(self.input.into_iter());
        }
        if plan.column(Field::OutputTokens).is_some() {
            // A request that was cut off received its tokens all the same; where only the missing end
            // tells of it (Vidur), the column says what was asked for.
            let received = |outcome| match outcome {
                Outcome::Ok => true,
                Outcome::Cancelled | Outcome::Unfinished => !plan.cut_without_e2e,
                Outcome::Failed => false,
            };
            let kept = self.output.into_iter().zip(&requests.outcome);
            requests.output_tokens =
                tokens(kept.map(|(n, outcome)| n.filter(|_| received(*outcome))));
        }
        if let Some(unit) = plan.unit(Field::Ttft) {
            requests.ttft = times(unit, ttft);
        }
        if let Some(unit) = plan.unit(Field::Start) {
            requests.start = times(unit, self.start);
        } else if let Some(unit) = plan.unit(Field::InterArrival) {
            requests.start = from_arrivals(unit, &self.since);
        }
        if let Some(unit) = plan.unit(Field::Itl) {
            requests.request_itl = times(unit, itl);
        }
        if let Some(unit) = plan.unit(Field::E2e) {
            requests.e2e = times(unit, e2e);
        } else if let Some(unit) = plan.unit(Field::DecodeTime) {
            requests.e2e = from_decode(&requests, unit, &self.decode, &at_once);
        } else if let Some(unit) = plan.unit(Field::End) {
            requests.e2e = from_ends(&requests, unit, &self.end);
        } else if let Some(unit) = plan.unit(Field::Tpot) {
            requests.e2e = from_tpot(&requests, unit, &tpot);
        }
        slots::note_empty(&requests, out);
        slots::note_not_streamed(&requests, out);
        requests
    }
}

fn tokens(values: impl Iterator<Item = Option<f64>>) -> Column<Tokens> {
    let kept = values.map(|n| n.filter(|n| *n >= 0.0).map(Tokens::from_count));
    Column::from_options(Origin::Reported, kept)
}

fn times(unit: TimeUnit, values: Vec<Option<f64>>) -> Column<Seconds> {
    let origin = match unit {
        TimeUnit::Secs => Origin::Reported,
        unit => Origin::Converted { from: unit.symbol().into() },
    };
    Column::from_options(origin, values.into_iter().map(|t| t.map(|t| unit.span(t))))
}

/// The start of each request from the waits between them. The first has none before it.
fn from_arrivals(unit: TimeUnit, since: &[Option<f64>]) -> Column<Seconds> {
    let origin = Origin::Derived { how: "Σ time since the request before".into() };
    if since.iter().skip(1).any(Option::is_none) {
        return Column::absent(since.len());
    }
    let mut clock = 0.0;
    let starts = since.iter().enumerate().map(|(at, since)| {
        clock += since.filter(|_| at > 0).unwrap_or_default();
        Some(unit.span(clock))
    });
    Column::from_options(origin, starts)
}

/// Time to first token plus the time after it; of a reply without a first token (its TTFT is 0) the
/// time alone, which then is the whole request.
fn from_decode(
    requests: &Requests,
    unit: TimeUnit,
    decode: &[Option<f64>],
    at_once: &[bool],
) -> Column<Seconds> {
    let origin = Origin::Derived { how: "TTFT + time after the first token".into() };
    let spans = decode.iter().zip(at_once).enumerate().map(|(at, (decode, at_once))| {
        let decode = unit.span(decode.filter(|t| *t >= 0.0)?);
        let ttft = if *at_once { Seconds::ZERO } else { requests.ttft.get(at)? };
        (requests.outcome.get(at) == Some(&Outcome::Ok)).then_some(ttft + decode)
    });
    Column::from_options(origin, spans)
}

/// End minus start, of finished requests.
fn from_ends(requests: &Requests, unit: TimeUnit, ends: &[Option<f64>]) -> Column<Seconds> {
    if requests.start.is_absent() {
        return Column::absent(requests.len());
    }
    let origin = Origin::Derived { how: "end − start".into() };
    let spans = ends.iter().enumerate().map(|(at, end)| {
        let span = unit.span((*end)?) - requests.start.get(at)?;
        (span.as_secs() > 0.0 && requests.outcome.get(at) == Some(&Outcome::Ok)).then_some(span)
    });
    Column::from_options(origin, spans)
}

/// Time to first token plus the time of the other tokens.
fn from_tpot(requests: &Requests, unit: TimeUnit, tpot: &[Option<f64>]) -> Column<Seconds> {
    let origin = Origin::Derived { how: "TTFT + TPOT × (output tokens − 1)".into() };
    let spans = tpot.iter().enumerate().map(|(at, tpot)| {
        let after = requests.output_tokens.get(at)?.count() - 1.0;
        let ttft = requests.ttft.get(at)?;
        if after < 1.0 {
            return Some(ttft);
        }
        Some(ttft + unit.span((*tpot)? * after))
    });
    Column::from_options(origin, spans)
}

/// How a request ended, by its status, success, error and finish reason; `None` for a word that is
/// not known.
fn outcome_of<'c>(text: &impl Fn(Field) -> &'c str) -> Option<Outcome> {
    let error = text(Field::Error).to_ascii_lowercase();
    if !matches!(error.as_str(), "" | "0" | "-" | "none" | "null" | "nan" | "false" | "ok" | "200")
    {
        return Some(Outcome::Failed);
    }
    let finish = text(Field::FinishReason).to_ascii_lowercase();
    match finish.as_str() {
        "error" => return Some(Outcome::Failed),
        "abort" | "aborted" | "cancelled" | "canceled" => return Some(Outcome::Cancelled),
        _ => {}
    }
    let success = text(Field::Success).to_ascii_lowercase();
    if matches!(success.as_str(), "false" | "0" | "no" | "f" | "n") {
        return Some(Outcome::Failed);
    }
    let status = text(Field::Status).to_ascii_lowercase();
    Some(match status.as_str() {
        "" | "ok" | "success" | "succeeded" | "successful" | "complete" | "completed" | "done"
        | "finished" | "200" | "true" | "stop" | "length" => Outcome::Ok,
        "cancelled" | "canceled" | "aborted" | "abort" => Outcome::Cancelled,
        "running" | "incomplete" | "unfinished" | "pending" => Outcome::Unfinished,
        "failed" | "failure" | "fail" | "error" | "errored" | "timeout" | "timed_out" | "false" => {
            Outcome::Failed
        }
        code if code.len() == 3 && code.chars().all(|c| c.is_ascii_digit()) => Outcome::Failed,
        _ => return None,
    })
}

fn note_outcomes(outcomes: &[Outcome], unknown: &[usize], out: &mut Notices) {
    let rows: Vec<usize> = (0..outcomes.len())
        .filter(|at| outcomes.get(*at).is_some_and(|o| *o != Outcome::Ok))
        .collect();
    let text = "A request did not finish: it is counted, and none of its times is a sample.";
    slots::flag(out, Severity::Warn, "failed-requests", &rows, text);
    let text = "The status of a request is no known word: it is taken as failed.";
    slots::flag(out, Severity::Warn, "unknown-status", unknown, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{ImportError, read};

    fn run(text: &str) -> Result<Run, ImportError> {
        read("x.csv", text.as_bytes(), &mut |_| {}).map(|mut runs| runs.remove(0))
    }

    fn kinds(run: &Run) -> Vec<(&str, u64)> {
        run.provenance.notices.iter().map(|n| (n.kind.as_str(), n.count)).collect()
    }

    #[test]
    fn one_request_with_units_from_the_header() {
        for header in ["ttft_ms,e2e_ms", "TTFT (ms),E2E [ms]", "\"ttftMs\",\"End to end (ms)\""] {
            let text = format!("id,prompt_tokens,completion_tokens,{header}\na,10,5,50,250\n");
            let run = run(&text).unwrap();
            let requests = run.requests.unwrap();
            assert_eq!(requests.ttft.get(0).map(Seconds::as_millis), Some(50.0), "{header}");
            assert_eq!(requests.e2e.get(0).map(Seconds::as_secs), Some(0.25), "{header}");
            assert_eq!(requests.ttft.origin(), &Origin::Converted { from: "ms".into() });
        }
    }

    #[test]
    fn a_heading_that_stands_twice_is_told() {
        let run = run("id,output_tokens,ttft_ms,ttft_ms,e2e_ms\na,5,50,99,250\n").unwrap();
        assert!(kinds(&run).contains(&("column-twice", 1)));
        let ttft = run.requests.unwrap().ttft;
        assert_eq!(ttft.get(0).map(Seconds::as_millis), Some(50.0));
    }

    #[test]
    fn a_unit_is_never_guessed() {
        let error = run("id,output_tokens,ttft,e2e_ms\na,5,50,250\n").unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoUnit { column: "ttft".into(), field: "ttft" });
        assert_eq!(error.place, Place::Cell { line: 1, column: "ttft".into() });
        assert!(error.advice().contains("ttft_ms"));
    }

    #[test]
    fn decimal_commas_are_refused_with_their_cell() {
        let error = run("id;output_tokens;ttft_s;e2e_s\na;5;0,05;0,25\n").unwrap_err();
        assert_eq!(error.kind, ErrorKind::DecimalComma { value: "0,05".into() });
        assert_eq!(error.place, Place::Cell { line: 2, column: "ttft_s".into() });
        let error = run("id,output_tokens,ttft_s,e2e_s\na,5,0,05,0,25\n").unwrap_err();
        assert_eq!(error.place, Place::LineColumn { line: 2, column: 1 });
    }

    #[test]
    fn zeros_and_negatives_are_missing_and_counted() {
        let run =
            run("id,output_tokens,ttft_s,e2e_s\na,9,0.8,0\nb,9,0.1,0.26\nc,9,-0.5,0.3\nd,9,-1,1\n")
                .unwrap();
        assert_eq!(kinds(&run), [("no-time", 1), ("no-time", 1)]);
        let requests = run.requests.unwrap();
        assert_eq!(requests.e2e.present(), 3);
        assert_eq!(requests.ttft.present(), 2);
    }

    #[test]
    fn failed_rows_are_counted_and_no_samples() {
        let run = run("id\tstatus\terror\toutput_tokens\tttft_s\tlatency_seconds\n\
             a\tok\t\t5\t0.1\t0.5\nb\tok\tHTTP 500\t0\t0\t0\nc\tcancelled\t\t2\t0.1\t0.2\nd\todd\t\t1\t1\t1\n")
        .unwrap();
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(
            requests.outcome,
            [Outcome::Ok, Outcome::Failed, Outcome::Cancelled, Outcome::Failed]
        );
        assert_eq!(requests.ttft.present(), 1);
        assert_eq!(kinds(&run), [("failed-requests", 3), ("unknown-status", 1)]);
    }

    #[test]
    fn not_streamed_is_said() {
        let run = run("id,output_tokens,ttft_s,e2e_s\na,29,3.0,3.0\nb,29,0.2,3.0\n").unwrap();
        assert_eq!(kinds(&run), [("not-streamed", 1)]);
    }

    #[test]
    fn latency_follows_from_tpot() {
        let run = run("id,output_tokens,ttft_ms,tpot_ms\na,5,50,10\nb,1,50,\nc,5,50,\n").unwrap();
        let requests = run.requests.unwrap();
        let e2e: Vec<_> = requests.e2e.iter().map(|t| t.map(Seconds::as_millis)).collect();
        assert_eq!(e2e, [Some(90.0), Some(50.0), None]);
        assert!(matches!(requests.e2e.origin(), Origin::Derived { .. }));
    }

    #[test]
    fn clocks_in_nanoseconds_stay_exact() {
        let run = run("id,output_tokens,ttft_ms,start_ns,end_ns\n\
             a,5,50,1768000000123456789,1768000000223456790\nb,5,50,1768000000123456790,\n")
        .unwrap();
        let requests = run.requests.unwrap();
        assert_eq!(requests.start.get(1), Some(Seconds::from_nanos(1.0)));
        assert_eq!(requests.e2e.get(0), Some(Seconds::from_nanos(100_000_001.0)));
    }

    #[test]
    fn latency_follows_from_the_time_after_the_first_token() {
        let run =
            run("id,output_tokens,ttft_s,decode_time_s\na,5,0.5,2\nb,5,0,2\nc,5,,2\n").unwrap();
        let requests = run.requests.unwrap();
        let e2e: Vec<_> = requests.e2e.iter().map(|t| t.map(Seconds::as_secs)).collect();
        assert_eq!(e2e, [Some(2.5), Some(2.0), None]);
    }

    #[test]
    fn unknown_headers_are_named() {
        let error = run("user,score\nanna,3\n").unwrap_err();
        assert!(matches!(&error.kind, ErrorKind::UnknownHeader { seen, .. } if seen[1] == "score"));
        let run = run("id,output_tokens,ttft_s,e2e_s,colour\na,5,0.1,0.2,red\n").unwrap();
        let text = &run.provenance.notices.iter().next().unwrap().text;
        assert!(text.contains("“colour”"), "{text}");
    }

    #[test]
    fn a_header_without_rows_is_refused() {
        assert_eq!(run("id,output_tokens,ttft_s,e2e_s\n").unwrap_err().kind, ErrorKind::NoRows);
    }
}
