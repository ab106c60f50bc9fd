//! Servers' dumps in the answers of `inspect` and `metrics`: what they hold. They are no runs.

use super::metrics_json::NoticeAnswer;
use super::output::TextTable;
use crate::model::ServerDump;
use crate::notice::Severity;
use crate::views::dumps::Holds;
use serde::Serialize;
use std::io::{self, Write};

/// A dump in JSON.
#[derive(Debug, Serialize)]
pub(super) struct DumpAnswer<'a> {
    id: &'a str,
    name: &'a str,
    source: DumpSource<'a>,
    recognised_because: &'a str,
    /// What kind of file it is: `exposition`, `query`, `tsdb-dump`, …
    shape: crate::model::DumpShape,
    scripted: bool,
    holds: Holds,
    notices: Vec<NoticeAnswer<'a>>,
}

#[derive(Debug, Serialize)]
struct DumpSource<'a> {
    file: &'a str,
    format: &'a str,
    sha256: &'a str,
    bytes: u64,
}

/// The dumps in JSON.
pub(super) fn answers(dumps: &[ServerDump]) -> Vec<DumpAnswer<'_>> {
    dumps.iter().map(answer).collect()
}

fn answer(server: &ServerDump) -> DumpAnswer<'_> {
    let provenance = &server.provenance;
    DumpAnswer {
        id: server.id.as_str(),
        name: &server.name,
        source: DumpSource {
            file: &provenance.file,
            format: &provenance.format,
            sha256: provenance.sha256.hex(),
            bytes: provenance.bytes,
        },
        recognised_because: &provenance.because,
        shape: server.dump.shape,
        scripted: server.scripted,
        holds: Holds::of(server),
        notices: provenance.notices.iter().map(NoticeAnswer::of).collect(),
    }
}

/// The dumps as a table.
pub(super) fn table(dumps: &[ServerDump]) -> TextTable {
    let headings = ["file", "server metrics", "format", "holds", "models", "warnings", "sha256"];
    let mut table = TextTable::new(&headings, &[5]);
    for server in dumps {
        let holds = Holds::of(server);
        table.row([
            server.provenance.file.clone(),
            server.dump.shape.name().to_owned(),
            server.provenance.format.clone(),
            holds.words(server.dump.shape),
            holds.models.join(" "),
            server.provenance.notices.at_least(Severity::Warn).to_string(),
            server.provenance.sha256.short(12).to_owned(),
        ]);
    }
    table
}

/// One line a dump, for an answer that is about runs.
pub(super) fn beside(dumps: &[ServerDump], out: &mut dyn Write) -> io::Result<()> {
    for server in dumps {
        writeln!(
            out,
            "{}: {}, {}. It is no run of requests and has none of these metrics; see `sameruler server`.",
            server.provenance.file,
            server.dump.shape.name(),
            Holds::of(server).words(server.dump.shape),
        )?;
    }
    Ok(())
}
