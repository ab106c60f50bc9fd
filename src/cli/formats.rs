//! `formats`: the result files that can be read.

use super::args::Form;
use super::output::{TextTable, write_json};
use super::{Exit, Failure};
use crate::engine::import::formats;
use serde::Serialize;
use std::io::Write;

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    formats: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    id: &'static str,
    name: &'static str,
    file: &'static str,
    versions: &'static str,
    recognised: &'static str,
    reads: &'static [&'static str],
    limits: &'static [&'static str],
}

/// Runs the subcommand.
pub(super) fn run(form: Form, out: &mut dyn Write) -> Result<Exit, Failure> {
    let entries: Vec<Entry> = formats()
        .map(|(id, about)| Entry {
            id,
            name: about.name,
            file: about.file,
            versions: about.versions,
            recognised: about.recognised,
            reads: about.reads,
            limits: about.limits,
        })
        .collect();
    match form {
        Form::Json => write_json(out, &Answer { schema: "sameruler.formats/1", formats: entries })?,
        Form::Csv => table(&entries).write_csv(out)?,
        Form::Markdown => table(&entries).write_markdown(out)?,
        Form::Table => {
            for (at, entry) in entries.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                block(entry, out)?;
            }
        }
    }
    Ok(Exit::Read)
}

fn table(entries: &[Entry]) -> TextTable {
    let mut table = TextTable::new(
        &["id", "name", "file", "versions", "recognised by", "reads", "limits"],
        &[],
    );
    for entry in entries {
        table.row([
            entry.id.to_owned(),
            entry.name.to_owned(),
            entry.file.to_owned(),
            entry.versions.to_owned(),
            entry.recognised.to_owned(),
            entry.reads.join("; "),
            entry.limits.join("; "),
        ]);
    }
    table
}

/// One format at length: its texts are sentences, too long for a column.
fn block(entry: &Entry, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{} ({})", entry.name, entry.id)?;
    writeln!(out, "  file        {}", entry.file)?;
    writeln!(out, "  versions    {}", entry.versions)?;
    writeln!(out, "  recognised  {}", entry.recognised)?;
    for (at, reads) in entry.reads.iter().enumerate() {
        writeln!(out, "  {}  {reads}", if at == 0 { "reads     " } else { "          " })?;
    }
    for (at, limit) in entry.limits.iter().enumerate() {
        writeln!(out, "  {}  {limit}", if at == 0 { "limits    " } else { "          " })?;
    }
    Ok(())
}
