//! The runs: identity at length, what their files hold, what differs between them.

use super::ReportInput;
use super::compare::{badge, column_sets};
use crate::views::compare::CompareView;
use crate::views::library::{CONTENT, RunRow};
use crate::views::run_card::{AgreementRow, RunCardView};
use maud::{Markup, html};

/// Identity lines of all runs, side by side, then the settings in which they differ.
pub(super) fn runs(input: &ReportInput) -> Markup {
    html! {
        (identity(input))
        @if let Some(lead) = input.comparisons.first() { (config(&lead.view)) }
    }
}

fn identity(input: &ReportInput) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in input.cards.iter().flat_map(|card| &card.lines) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    html! {
        @for set in column_sets(input.cards.len()) {
            div.scroll role="region" tabindex="0" aria-label="What each run is" {
                table.words.runs {
                    thead { tr {
                        th scope="col" { span.hidden { "Property" } }
                        @for &column in &set {
                            @if let Some(card) = input.cards.get(column) { (card_head(input, card, column)) }
                        }
                    } }
                    tbody {
                        @for name in &names {
                            tr {
                                th scope="row" { (name) }
                                @for &column in &set { td { (line(input.cards.get(column), name)) } }
                            }
                        }
                        tr {
                            th scope="row" { "Printed values" }
                            @for &column in &set {
                                td { @if let Some(card) = input.cards.get(column) { (card.reproduced) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn card_head(input: &ReportInput, card: &RunCardView, column: usize) -> Markup {
    let row = card.id.as_ref().and_then(|id| rows(input).find(|row| row.id == *id));
    html! {
        th scope="col" {
            (badge(column, style_of(input, column))) " " (card.name)
            @if row.is_some_and(|row| row.scripted) { small.scripted { "scripted server, no model" } }
        }
    }
}

fn line(card: Option<&RunCardView>, name: &str) -> Markup {
    let value = card.and_then(|card| card.lines.iter().find(|(n, _)| n == name));
    html! {
        @match value {
            Some((_, value)) => (value),
            None => em { "not recorded" },
        }
    }
}

/// Palette index of a column.
pub(super) fn style_of(input: &ReportInput, column: usize) -> usize {
    let head = input.comparisons.first().and_then(|c| c.view.columns.get(column));
    head.map_or(column, |head| head.style)
}

/// The Library's rows of the runs in this report.
pub(super) fn rows(input: &ReportInput) -> impl Iterator<Item = &RunRow> {
    let shown = |row: &&RunRow| input.cards.iter().any(|card| card.id.as_ref() == Some(&row.id));
    input.library.groups.iter().flat_map(|group| &group.rows).filter(shown)
}

fn config(view: &CompareView) -> Markup {
    html! {
        @if !view.config.is_empty() {
            h3 { "Where the runs differ" }
            @if !view.config_note.is_empty() { p.note { (view.config_note) } }
            @for set in column_sets(view.columns.len()) {
                div.scroll role="region" tabindex="0" aria-label="Settings that differ" {
                    table.words {
                        thead { tr {
                            th scope="col" { "Setting" }
                            @for &column in &set {
                                @if let Some(head) = view.columns.get(column) {
                                    th scope="col" { (badge(column, head.style)) " " (head.name) }
                                }
                            }
                        } }
                        tbody { @for row in &view.config { tr {
                            th scope="row" { (row.name) }
                            @for &column in &set { td {
                                @match row.values.get(column).and_then(Option::as_ref) {
                                    Some(value) => (value),
                                    None => em { "not recorded" },
                                }
                            } }
                        } } }
                    }
                }
            }
        }
    }
}

/// What each file holds, which decides what can be recomputed from it.
pub(super) fn contents(input: &ReportInput) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="What the files hold" {
            table.words {
                thead { tr {
                    th scope="col" { "Run" }
                    @for (head, meaning) in CONTENT { th scope="col" { (head) small { (meaning) } } }
                } }
                tbody { @for (column, card) in input.cards.iter().enumerate() {
                    @if let Some(row) = rows(input).find(|row| card.id.as_ref() == Some(&row.id)) {
                        tr {
                            th scope="row" { (badge(column, row.style)) " " (row.name) }
                            @for has in row.has { td { (if has { "yes" } else { "no" }) } }
                        }
                    }
                } }
            }
        }
    }
}

/// Every printed value against its recomputation, one table a run.
pub(super) fn agreement(input: &ReportInput) -> Markup {
    html! {
        @for (column, card) in input.cards.iter().enumerate() {
            @if !card.agreement.is_empty() {
                h3 { (badge(column, style_of(input, column))) " " (card.name) " " small { (card.reproduced) } }
                div.scroll role="region" tabindex="0" aria-label=(format!("Printed values of {}", card.name)) {
                    table.agreement {
                        thead { tr {
                            th scope="col" { "Field in the file" }
                            th.number scope="col" { "Printed" }
                            th scope="col" { span.hidden { "Sign" } }
                            th.number scope="col" { "Recomputed" }
                            th scope="col" { "Why" }
                        } }
                        tbody { @for row in &card.agreement { (agreement_row(row)) } }
                    }
                }
            }
        }
    }
}

fn agreement_row(row: &AgreementRow) -> Markup {
    html! {
        tr {
            th scope="row" { code { (row.field) } }
            td.number { (row.reported) }
            td { span.sign title=(row.sign.words()) { (row.sign.glyph()) } }
            td.number { (row.recomputed) }
            td { (row.because) }
        }
    }
}
