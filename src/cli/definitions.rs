//! `definitions`: the dimensions of a definition, their choices, and the presets.

use super::args::Form;
use super::metrics_json::EditionAnswer;
use super::output::{Ordered, TextTable, write_json};
use super::{Exit, Failure};
use crate::metrics::{Choice, DIMENSIONS, Dimension, EDITIONS, Edition, PRESETS, Preset, Usage};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    dimensions: Vec<DimensionEntry>,
    presets: Vec<PresetEntry>,
}

#[derive(Debug, Serialize)]
struct DimensionEntry {
    id: &'static str,
    label: &'static str,
    choices: Vec<ChoiceEntry>,
}

#[derive(Debug, Serialize)]
struct ChoiceEntry {
    id: &'static str,
    spelling: String,
    label: &'static str,
    meaning: &'static str,
    formula: &'static str,
    needs: &'static str,
    edge_cases: &'static str,
    used_by: Vec<UsageEntry>,
}

#[derive(Debug, Serialize)]
struct UsageEntry {
    tool: &'static str,
    since: &'static str,
    source: &'static str,
}

#[derive(Debug, Serialize)]
struct PresetEntry {
    id: &'static str,
    name: &'static str,
    versions: &'static str,
    source: &'static str,
    note: &'static str,
    first_version: Option<&'static str>,
    last_version: Option<&'static str>,
    editions: Vec<EditionAnswer>,
    choices: Ordered<&'static str, String>,
}

/// Runs the subcommand.
pub(super) fn run(form: Form, out: &mut dyn Write) -> Result<Exit, Failure> {
    match form {
        Form::Json => write_json(
            out,
            &Answer {
                schema: "sameruler.definitions/1",
                dimensions: DIMENSIONS.iter().map(dimension_entry).collect(),
                presets: PRESETS.iter().copied().map(preset_entry).collect(),
            },
        )?,
        Form::Csv => choices().write_csv(out)?,
        Form::Markdown => {
            choices().write_markdown(out)?;
            writeln!(out)?;
            presets().write_markdown(out)?;
            writeln!(out)?;
            editions().write_markdown(out)?;
        }
        Form::Table => text(out)?,
    }
    Ok(Exit::Read)
}

fn dimension_entry(dimension: &Dimension) -> DimensionEntry {
    DimensionEntry {
        id: dimension.id,
        label: dimension.label,
        choices: dimension.choices.iter().map(choice_entry).collect(),
    }
}

fn choice_entry(choice: &Choice) -> ChoiceEntry {
    ChoiceEntry {
        id: choice.id,
        spelling: choice.spelling(),
        label: choice.label,
        meaning: choice.meaning,
        formula: choice.formula,
        needs: choice.needs,
        edge_cases: choice.edge_cases,
        used_by: choice
            .used_by
            .iter()
            .map(|u| UsageEntry { tool: u.tool, since: u.since, source: u.source })
            .collect(),
    }
}

fn preset_entry(preset: &Preset) -> PresetEntry {
    let choice = |d: &Dimension| (d.id, preset.settings.value(d.id).unwrap_or_default());
    PresetEntry {
        id: preset.id,
        name: preset.name,
        versions: preset.versions,
        source: preset.source,
        note: preset.note,
        first_version: (!preset.first.is_empty()).then_some(preset.first),
        last_version: (!preset.last.is_empty()).then_some(preset.last),
        editions: Edition::all_of(preset).map(EditionAnswer::of).collect(),
        choices: Ordered(DIMENSIONS.iter().map(choice).collect()),
    }
}

fn choices() -> TextTable {
    let head = ["dimension", "choice", "formula", "meaning", "needs", "edge cases", "used by"];
    let mut table = TextTable::new(&head, &[]);
    for dimension in DIMENSIONS {
        for choice in dimension.choices {
            table.row([
                dimension.id.to_owned(),
                choice.spelling(),
                choice.formula.to_owned(),
                choice.meaning.to_owned(),
                choice.needs.to_owned(),
                choice.edge_cases.to_owned(),
                users(choice),
            ]);
        }
    }
    table
}

/// "vLLM (0.4.0 on; vllm/benchmarks/serve.py), SGLang (all; …)".
fn users(choice: &Choice) -> String {
    let one = |u: &Usage| format!("{} ({}; {})", u.tool, u.since, u.source);
    choice.used_by.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// One column a preset, one row a dimension.
fn presets() -> TextTable {
    let head: Vec<&str> =
        std::iter::once("dimension").chain(PRESETS.iter().map(|p| p.id)).collect();
    let mut table = TextTable::new(&head, &[]);
    for dimension in DIMENSIONS {
        let chosen = PRESETS.iter().map(|p| p.settings.value(dimension.id).unwrap_or_default());
        table.row(std::iter::once(dimension.id.to_owned()).chain(chosen));
    }
    table
}

/// One row an edition.
fn editions() -> TextTable {
    let mut table = TextTable::new(&["preset", "versions", "changes", "meaning", "source"], &[]);
    for edition in EDITIONS {
        let changes: Vec<String> =
            edition.changes.iter().map(|(d, c)| format!("{d}={c}")).collect();
        table.row([
            edition.preset.to_owned(),
            edition.versions(),
            changes.join(", "),
            edition.note.to_owned(),
            edition.source.to_owned(),
        ]);
    }
    table
}

fn text(out: &mut dyn Write) -> io::Result<()> {
    for dimension in DIMENSIONS {
        writeln!(out, "{}: {}", dimension.id, dimension.label)?;
        for choice in dimension.choices {
            writeln!(out, "  {:<26} {}", choice.spelling(), choice.meaning)?;
            if !choice.formula.is_empty() {
                writeln!(out, "  {:<26} {}", "", choice.formula)?;
            }
            writeln!(out, "  {:<26} needs {}", "", choice.needs)?;
            writeln!(out, "  {:<26} {}", "", choice.edge_cases)?;
            if !choice.used_by.is_empty() {
                writeln!(out, "  {:<26} used by {}", "", users(choice))?;
            }
        }
        writeln!(out)?;
    }
    presets().write_aligned(out)?;
    for preset in PRESETS {
        writeln!(out)?;
        writeln!(out, "{} ({}) {}", preset.name, preset.id, preset.versions)?;
        writeln!(out, "  {}", preset.note)?;
        writeln!(out, "  read in {}", preset.source)?;
        for edition in Edition::all_of(preset) {
            writeln!(out, "  {}: {}", edition.versions(), edition.note)?;
            let changes: Vec<String> =
                edition.changes.iter().map(|(d, c)| format!("{d}={c}")).collect();
            writeln!(out, "    {}; read in {}", changes.join(", "), edition.source)?;
        }
    }
    Ok(())
}
