//! `explain --library`: the typical disagreements, tested on the data.

use crate::cli::args::ExplainForm;
use crate::cli::input::Loaded;
use crate::cli::output::{TextTable, write_json};
use crate::cli::{Exit, Failure, Streams, say_refused};
use crate::engine::Refusal;
use crate::metrics::Ask;
use crate::metrics::bridge::Bridge;
use crate::metrics::disagreements::{Applies, Case, Entry, disagreements};
use crate::model::{Dump, Run};
use crate::views::explain::{LibraryGroup, groups};
use serde::Serialize;

/// What one run's data say.
#[derive(Debug, Serialize)]
struct RunEntries<'a> {
    run: &'a str,
    name: &'a str,
    disagreements: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    runs: Vec<RunEntries<'a>>,
    refused: &'a [Refusal],
}

/// Tests every disagreement on each run; the first other run is what it is held against.
pub(super) fn run(
    loaded: &Loaded,
    ask: &Ask,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let tested = |run| tested(loaded, run, ask, None);
    print(loaded.runs.iter().map(tested).collect(), loaded, format, streams)?;
    Ok(say_refused(&loaded.refused, streams))
}

/// Which of them lie between two numbers.
pub(super) fn between(
    loaded: &Loaded,
    bridge: &Bridge,
    ask: &Ask,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let run = loaded.runs.iter().find(|run| run.id == bridge.a.run);
    let entries = run.map(|run| tested(loaded, run, ask, Some(bridge)));
    print(entries.into_iter().collect(), loaded, format, streams)
}

/// Those that lie between two numbers, as a text lists them.
pub(super) fn grouped(loaded: &Loaded, bridge: &Bridge, ask: &Ask) -> Vec<LibraryGroup> {
    let run = loaded.runs.iter().find(|run| run.id == bridge.a.run);
    run.map_or_else(Vec::new, |run| {
        groups(&tested(loaded, run, ask, Some(bridge)).disagreements, bridge)
    })
}

fn tested<'a>(
    loaded: &'a Loaded,
    run: &'a Run,
    ask: &Ask,
    bridge: Option<&Bridge>,
) -> RunEntries<'a> {
    let wanted = |other: &&Run| match bridge {
        Some(bridge) => other.id == bridge.b.run,
        None => true,
    };
    let other = loaded.runs.iter().filter(|other| other.id != run.id).find(wanted);
    let dumps: Vec<&Dump> = loaded.dumps.iter().map(|server| &server.dump).collect();
    let case = Case { run, other, dumps: &dumps, ask };
    RunEntries {
        run: run.id.as_str(),
        name: &run.name,
        disagreements: disagreements(&case, bridge),
    }
}

const fn words(applies: Applies) -> &'static str {
    match applies {
        Applies::Applies => "applies",
        Applies::CannotTell => "cannot tell",
        Applies::DoesNot => "does not",
    }
}

fn print(
    runs: Vec<RunEntries<'_>>,
    loaded: &Loaded,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if format == ExplainForm::Json {
        let answer = Answer { schema: "sameruler.disagreements/1", runs, refused: &loaded.refused };
        return Ok(write_json(streams.out, &answer)?);
    }
    for (at, run) in runs.iter().enumerate() {
        if at > 0 {
            writeln!(streams.out)?;
        }
        writeln!(streams.out, "{}", run.name)?;
        let mut table = TextTable::new(&["", "disagreement", "why"], &[]);
        for entry in &run.disagreements {
            table.row([
                words(entry.tested.applies).to_owned(),
                entry.title.clone(),
                entry.tested.because.clone(),
            ]);
        }
        match format {
            ExplainForm::Markdown => table.write_markdown(streams.out)?,
            _ => table.write_aligned(streams.out)?,
        }
    }
    Ok(())
}
