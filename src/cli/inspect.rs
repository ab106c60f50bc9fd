//! `inspect`: what each file is, what it holds, and what to know about it.

use super::args::{self, Form};
use super::dumps::{self, DumpAnswer};
use super::input::{Naming, load};
use super::metrics_json::{LoadAnswer, NoticeAnswer, OwnRuler, Source};
use super::output::{TextTable, write_json};
use super::{Exit, Failure, Streams, say_refused};
use crate::engine::Refusal;
use crate::metrics::own;
use crate::model::{Outcome, Requests, Run};
use crate::notice::{Notices, Severity};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    runs: Vec<RunAnswer<'a>>,
    dumps: Vec<DumpAnswer<'a>>,
    refused: &'a [Refusal],
}

#[derive(Debug, Serialize)]
struct RunAnswer<'a> {
    id: &'a str,
    name: &'a str,
    source: Source<'a>,
    recognised_because: &'a str,
    model: Option<&'a str>,
    dataset: Option<&'a str>,
    endpoint: Option<&'a str>,
    date: Option<&'a str>,
    load: LoadAnswer,
    own_ruler: OwnRuler,
    holds: Holds,
    notices: Vec<NoticeAnswer<'a>>,
}

/// What can be recomputed follows from what a file holds.
#[derive(Debug, Serialize)]
struct Holds {
    printed_values: usize,
    requests: Option<usize>,
    failed: Option<usize>,
    columns: Vec<&'static str>,
}

/// The columns of requests: id, name for people, and whether a run has it.
type Column = (&'static str, &'static str, fn(&Requests) -> bool);

const COLUMNS: [Column; 8] = [
    ("ttft", "TTFT", |r| !r.ttft.is_absent()),
    ("e2e", "E2E", |r| !r.e2e.is_absent()),
    ("output_tokens", "output tokens", |r| !r.output_tokens.is_absent()),
    ("gaps", "gaps", |r| !r.gaps.is_absent()),
    ("event_tokens", "tokens of events", |r| !r.event_tokens.is_absent()),
    ("start", "send times", |r| !r.start.is_absent()),
    ("turn", "turns", |r| !r.turn.is_absent()),
    ("cached_tokens", "cached tokens", |r| !r.cached_tokens.is_absent()),
];

impl Holds {
    fn of(run: &Run) -> Self {
        let requests = run.requests.as_ref();
        let columns = COLUMNS.iter().filter(|(_, _, has)| requests.is_some_and(has));
        Self {
            printed_values: run.reported.values.len(),
            requests: requests.map(Requests::len),
            failed: requests.map(|r| r.count(Outcome::Failed)),
            columns: columns.map(|(id, ..)| *id).collect(),
        }
    }

    /// The contents in words: "totals, requests, TTFT, gaps".
    fn words(&self) -> String {
        let mut words = Vec::new();
        if self.printed_values > 0 {
            words.push("printed values");
        }
        if self.requests.is_some() {
            words.push("requests");
        }
        let held = COLUMNS.iter().filter(|(id, ..)| self.columns.contains(id));
        words.extend(held.map(|(_, word, _)| *word));
        if words.is_empty() { "nothing".into() } else { words.join(", ") }
    }
}

/// Runs the subcommand.
pub(super) fn run(args: &args::Inspect, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let loaded = load(&args.input, Naming::AsGiven, streams);
    match args.format {
        Form::Json => write_json(
            streams.out,
            &Answer {
                schema: "sameruler.inspect/1",
                runs: loaded.runs.iter().map(run_answer).collect(),
                dumps: dumps::answers(&loaded.dumps),
                refused: &loaded.refused,
            },
        )?,
        // A file holds one table: of the runs where there are any.
        Form::Csv if loaded.runs.is_empty() && !loaded.dumps.is_empty() => {
            dumps::table(&loaded.dumps).write_csv(streams.out)?;
        }
        Form::Csv => {
            table(&loaded.runs).write_csv(streams.out)?;
            dumps::beside(&loaded.dumps, streams.err)?;
        }
        Form::Markdown => {
            if !loaded.runs.is_empty() || loaded.dumps.is_empty() {
                table(&loaded.runs).write_markdown(streams.out)?;
            }
            if !loaded.dumps.is_empty() {
                writeln!(streams.out)?;
                dumps::table(&loaded.dumps).write_markdown(streams.out)?;
            }
        }
        Form::Table => {
            if !loaded.runs.is_empty() {
                table(&loaded.runs).write_aligned(streams.out)?;
            }
            if !loaded.dumps.is_empty() {
                if !loaded.runs.is_empty() {
                    writeln!(streams.out)?;
                }
                dumps::table(&loaded.dumps).write_aligned(streams.out)?;
            }
            let runs = loaded.runs.iter().map(|run| (run.name.as_str(), &run.provenance.notices));
            let servers = loaded.dumps.iter().map(|d| (d.name.as_str(), &d.provenance.notices));
            notices(runs.chain(servers), streams.out)?;
        }
    }
    Ok(say_refused(&loaded.refused, streams))
}

fn run_answer(run: &Run) -> RunAnswer<'_> {
    RunAnswer {
        id: run.id.as_str(),
        name: &run.name,
        source: Source::of(run),
        recognised_because: &run.provenance.because,
        model: run.workload.model.as_deref(),
        dataset: run.workload.dataset.as_deref(),
        endpoint: run.workload.endpoint.as_deref(),
        date: run.workload.date.as_deref(),
        load: LoadAnswer::of(&run.load),
        own_ruler: OwnRuler::of(run),
        holds: Holds::of(run),
        notices: run.provenance.notices.iter().map(NoticeAnswer::of).collect(),
    }
}

fn table(runs: &[Run]) -> TextTable {
    let mut table = TextTable::new(
        &[
            "file", "run", "tool", "version", "format", "requests", "failed", "holds", "warnings",
            "sha256", "ruler",
        ],
        &[5, 6, 8],
    );
    let count = |n: Option<usize>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
    for run in runs {
        let holds = Holds::of(run);
        let version = match (&run.version.exact, &run.version.guess) {
            (Some(exact), _) => exact.clone(),
            (None, Some(guess)) => format!("about {guess}"),
            (None, None) => "not recorded".into(),
        };
        table.row([
            run.provenance.file.clone(),
            run.name.clone(),
            run.tool.name().to_owned(),
            version,
            run.provenance.format.clone(),
            count(holds.requests),
            count(holds.failed),
            holds.words(),
            run.provenance.notices.at_least(Severity::Warn).to_string(),
            run.provenance.sha256.short(12).to_owned(),
            own(run).stamp(),
        ]);
    }
    table
}

fn notices<'n>(
    named: impl Iterator<Item = (&'n str, &'n Notices)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (name, notices) in named.filter(|(_, notices)| !notices.is_empty()) {
        writeln!(out, "\n{name}")?;
        for notice in notices {
            let times =
                if notice.count > 1 { format!(" ({} times)", notice.count) } else { String::new() };
            let places: Vec<String> = notice.places.iter().map(ToString::to_string).collect();
            writeln!(
                out,
                "  {}: {}{times} [{}]",
                notice.severity.word(),
                notice.text,
                places.join(", ")
            )?;
        }
    }
    Ok(())
}
