//! `explain --number`: the detective, as a table, Markdown or JSON of schema `sameruler.detective/1`.

use super::bridge::statistic;
use crate::cli::args::{self, ExplainForm};
use crate::cli::metrics::unit_symbol;
use crate::cli::output::{Ordered, TextTable, write_json};
use crate::cli::{Exit, Failure, Streams, say_refused};
use crate::engine::Refusal;
use crate::metrics::{
    Candidate, Change, DIMENSIONS, Detected, Inquiry, Near, Settings, WrittenUnit, detect, own,
};
use crate::model::{Metric, Run};
use crate::units::{Unit, significant};
use serde::Serialize;
use std::io::{self, Write};

/// One number looked for in one run.
struct Found<'a> {
    run: &'a Run,
    detected: Detected,
}

/// Looks for every number in every run.
pub(super) fn run(args: &args::Explain, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let of_two = [
        ("--to-metric", args.to_metric.is_some()),
        ("--to-stat", args.to_stat.is_some()),
        ("--set-a", !args.set_a.is_empty()),
        ("--set-b", !args.set_b.is_empty()),
        ("--set", !args.set.is_empty()),
        ("--as", args.preset.is_some()),
        ("--order", !args.order.is_empty()),
        ("--average", args.average),
        ("--library", args.library),
    ];
    if let Some((flag, _)) = of_two.iter().find(|(_, given)| *given) {
        return Err(Failure::Use(format!(
            "{flag} is of an explanation between two numbers; --number looks for one: leave one of them out."
        )));
    }
    let (loaded, _) = super::sides::runs(&args.input, streams)?;
    let stat = match (args.metric, args.stat) {
        (Some(metric), Some(stat)) => Some(statistic(metric, Some(stat), "--stat")?),
        (_, stat) => stat,
    };
    let inquiry = Inquiry {
        metric: args.metric,
        stat,
        name: args.field.clone(),
        limits: args.slo.clone(),
        excluded: Vec::new(),
    };
    let mut found = Vec::new();
    for run in &loaded.runs {
        for figure in &args.number {
            found.push(Found { run, detected: detect(run, figure, &inquiry) });
        }
    }
    match args.format {
        ExplainForm::Json => write_json(streams.out, &answer(&found, &loaded.refused))?,
        ExplainForm::Markdown => markdown(&found, streams.out)?,
        ExplainForm::Table | ExplainForm::Text => table(&found, streams.out)?,
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// A value with its unit: `23.41 ms`.
fn with_unit(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::Share => format!("{} %", significant(value * 100.0, 5)),
        unit => format!("{} {}", significant(value, 5), unit.symbol()),
    }
}

/// The choices that were changed: `tpot = whole-over-n`.
fn changed(changes: &[Change]) -> String {
    let words = changes.iter().map(|change| format!("{} = {}", change.dimension, change.to));
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

/// “0.7 % above”, “0.7 % below”.
fn off(near: &Near) -> String {
    let side = if near.off < 0.0 { "below" } else { "above" };
    format!("{} % {side}", significant(near.off.abs() * 100.0, 2))
}

fn candidates(detected: &Detected) -> TextTable {
    let mut table = TextTable::new(&["", "what it is", "value", "choices changed"], &[0, 2]);
    for (at, candidate) in detected.candidates.iter().enumerate() {
        table.row([
            (at + 1).to_string(),
            candidate.words.clone(),
            with_unit(candidate.metric, candidate.value),
            changed(&candidate.changes),
        ]);
    }
    table
}

/// What is said below the list: the first answer at length, the closest, and what to know.
fn lines(detected: &Detected) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = detected.candidates.first() {
        lines.push(first.relation.clone());
        if !first.used_by.is_empty() {
            lines.push(format!("Measured so by {}.", first.used_by.join(", ")));
        }
        if !first.also.is_empty() {
            lines.push(format!("On this run the same as: {}.", first.also.join("; ")));
        }
    }
    for near in &detected.nearest {
        let value = with_unit(near.metric, near.value);
        lines.push(format!("Close: {value} is {}, {} it.", near.words, off(near)));
    }
    if !detected.printed.is_empty() && detected.tried > 0 {
        lines.push(format!("The file prints this number as {}.", detected.printed.join(", ")));
    }
    lines.extend(detected.notes.iter().cloned());
    lines
}

fn table(found: &[Found<'_>], out: &mut dyn Write) -> io::Result<()> {
    for (at, Found { run, detected }) in found.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", run.name)?;
        writeln!(out, "{}", detected.sentence)?;
        if !detected.candidates.is_empty() {
            writeln!(out)?;
            candidates(detected).write_aligned(out)?;
            writeln!(out)?;
        }
        for line in lines(detected) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn markdown(found: &[Found<'_>], out: &mut dyn Write) -> io::Result<()> {
    for (at, Found { run, detected }) in found.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "**{}** · {}", run.name, detected.sentence)?;
        if !detected.candidates.is_empty() {
            writeln!(out)?;
            candidates(detected).write_markdown(out)?;
        }
        let lines = lines(detected);
        if !lines.is_empty() {
            writeln!(out)?;
        }
        for line in lines {
            writeln!(out, "- {line}")?;
        }
    }
    Ok(())
}

/// The whole answer.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    answers: Vec<AnswerEntry<'a>>,
    refused: &'a [Refusal],
}

#[derive(Debug, Serialize)]
struct AnswerEntry<'a> {
    run: RunEntry<'a>,
    number: NumberEntry<'a>,
    sentence: &'a str,
    candidates: Vec<CandidateEntry<'a>>,
    matches: usize,
    tried: usize,
    by_chance: f64,
    printed_as: &'a [String],
    nearest: Vec<NearEntry<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct RunEntry<'a> {
    id: &'a str,
    name: &'a str,
    file: &'a str,
    index: usize,
    preset: &'static str,
}

#[derive(Debug, Serialize)]
struct NumberEntry<'a> {
    text: &'a str,
    value: f64,
    half_last_digit: f64,
    digits: usize,
    unit: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct CandidateEntry<'a> {
    metric: &'static str,
    stat: String,
    value: f64,
    unit: &'static str,
    words: &'a str,
    relation: &'a str,
    changes: &'a [Change],
    tool: Option<&'a str>,
    used_by: &'a [String],
    also: &'a [String],
    tied: bool,
    definitions: Ordered<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct NearEntry<'a> {
    metric: &'static str,
    stat: String,
    value: f64,
    unit: &'static str,
    off: f64,
    words: &'a str,
    definitions: Ordered<&'static str, String>,
}

fn answer<'a>(found: &'a [Found<'a>], refused: &'a [Refusal]) -> Answer<'a> {
    Answer {
        schema: "sameruler.detective/1",
        answers: found.iter().map(answer_entry).collect(),
        refused,
    }
}

fn answer_entry<'a>(Found { run, detected }: &'a Found<'a>) -> AnswerEntry<'a> {
    AnswerEntry {
        run: RunEntry {
            id: run.id.as_str(),
            name: &run.name,
            file: &run.provenance.file,
            index: run.provenance.index,
            preset: own(run).preset.id,
        },
        number: NumberEntry {
            text: &detected.figure.text,
            value: detected.figure.number,
            half_last_digit: detected.figure.half,
            digits: detected.figure.digits,
            unit: detected.figure.unit.map(WrittenUnit::symbol),
        },
        sentence: &detected.sentence,
        candidates: detected.candidates.iter().map(candidate_entry).collect(),
        matches: detected.matches,
        tried: detected.tried,
        by_chance: detected.by_chance,
        printed_as: &detected.printed,
        nearest: detected.nearest.iter().map(near_entry).collect(),
        notes: &detected.notes,
    }
}

fn candidate_entry(candidate: &Candidate) -> CandidateEntry<'_> {
    CandidateEntry {
        metric: candidate.metric.id(),
        stat: candidate.stat.name(),
        value: candidate.value,
        unit: unit_symbol(candidate.metric),
        words: &candidate.words,
        relation: &candidate.relation,
        changes: &candidate.changes,
        tool: candidate.preset.as_deref(),
        used_by: &candidate.used_by,
        also: &candidate.also,
        tied: candidate.tied,
        definitions: definitions(&candidate.settings),
    }
}

fn near_entry(near: &Near) -> NearEntry<'_> {
    NearEntry {
        metric: near.metric.id(),
        stat: near.stat.name(),
        value: near.value,
        unit: unit_symbol(near.metric),
        off: near.off,
        words: &near.words,
        definitions: definitions(&near.settings),
    }
}

pub(super) fn definitions(settings: &Settings) -> Ordered<&'static str, String> {
    let choice = |id: &'static str| (id, settings.value(id).unwrap_or_default());
    Ordered(DIMENSIONS.iter().map(|dimension| choice(dimension.id)).collect())
}
