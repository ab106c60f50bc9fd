//! Quality and limits of the data: every finding with what it does, what was decided, what passed.

use super::ReportInput;
use super::compare::badge;
use super::runs::{contents, style_of};
use crate::notice::Severity;
use crate::views::count;
use crate::views::quality::{FindingRow, State, Suggestion};
use maud::{Markup, html};

/// Findings of all runs, what was decided about them, and what each file holds.
pub(super) fn quality(input: &ReportInput) -> Markup {
    let view = &input.quality;
    html! {
        @if !view.headline.is_empty() { p { strong { (view.headline) "." } " " (view.subline) } }
        @if !view.rows.is_empty() {
            div.scroll role="region" tabindex="0" aria-label="Findings" {
                table.words.notices {
                    thead { tr {
                        th scope="col" { "Weight" }
                        th scope="col" { "Finding" }
                        th scope="col" { "Effect, as the file has it → without" }
                        th scope="col" { "Decision" }
                    } }
                    tbody { @for row in &view.rows { (finding(input, row)) } }
                }
            }
        }
        @if !view.muted.is_empty() {
            details {
                summary { (view.muted.len()) " muted by the reader" }
                ul { @for row in &view.muted { li { strong { (row.name) } ", " (row.place) ": " (row.text) } } }
            }
        }
        @if !view.passed.is_empty() {
            details {
                summary { (count(view.counts.passed, "check")) " passed" }
                ul { @for passed in &view.passed {
                    li { (passed.clause) @if !passed.but.is_empty() { " " small { "(" (passed.but) ")" } } }
                } }
            }
        }
        @if !view.unknown.is_empty() {
            details {
                summary { (count(view.unknown.len(), "check")) " can’t be made" }
                ul { @for unknown in &view.unknown {
                    li { (unknown.clause) ": " (unknown.reasons.join("; ")) }
                } }
            }
        }
        h3 { "What the files hold" }
        (contents(input))
    }
}

fn finding(input: &ReportInput, row: &FindingRow) -> Markup {
    let columns: Vec<usize> = (0..input.cards.len())
        .filter(|at| {
            let id = input.cards.get(*at).and_then(|card| card.id.as_ref());
            id.is_some_and(|id| row.runs.contains(id))
        })
        .collect();
    let places = |row: &FindingRow| {
        let runs = row.details.runs.iter().map(|run| run.places.as_str());
        runs.filter(|places| !places.is_empty()).collect::<Vec<_>>().join("; ")
    };
    html! {
        tr {
            td { span class=(severity_class(row.severity)) { (row.severity.word()) } }
            td {
                strong { (row.name) }
                @for column in &columns { " " (badge(*column, style_of(input, *column))) }
                div { (row.text) }
                @if let Some(rows) = rows(row) { div { small { (rows) } } }
                @let places = places(row);
                @if !places.is_empty() { div { small { (places) } } }
            }
            td {
                @for effect in &row.effects {
                    div { (effect.name) ": " (effect.before) " → " strong { (effect.after) } " " (effect.unit) }
                }
                @if !row.touches.is_empty() { small { "touches " (row.touches) } }
            }
            td { (decision(row)) }
        }
    }
}

/// "6 of 75 requests", where it is some of them.
fn rows(row: &FindingRow) -> Option<String> {
    row.share.part?;
    let noun = if row.share.of.ends_with('s') { "" } else { " requests" };
    Some(format!("{} {}{noun}", row.share.of_these, row.share.of))
}

/// What the reader decided, or what is suggested.
fn decision(row: &FindingRow) -> Markup {
    html! {
        @match (row.state, &row.suggestion) {
            (State::Open, Suggestion::Do { label, .. }) => { "open; suggested: " (label) }
            (State::Open, Suggestion::Say(sentence)) => { (sentence) }
            (State::Excluded, _) => { strong { "left out by the reader" } }
            (State::Set, _) => { "the suggested definition holds" }
            (State::LetOn, _) => { strong { "let on by the reader" } }
            (State::Muted, _) => { "muted by the reader" }
        }
    }
}

const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "severity note",
        Severity::Warn => "severity warn",
        Severity::Block => "severity block",
    }
}
