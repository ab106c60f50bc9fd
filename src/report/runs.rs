//! The runs: identity at length, what their files hold, what differs between them.

use super::ReportInput;
use super::by_value::{Line, by_value};
use super::compare::{COLUMNS, badge, region};
use crate::views::compare::{CompareView, ConfigRow, Sign};
use crate::views::library::{CONTENT, RunRow};
use crate::views::run_card::{AgreementRow, RunCardView};
use maud::{Markup, html};

/// The lines that a reader of the comparison needs; the others stand in the appendix.
const SHORT: [&str; 5] = ["Tool", "Model", "Load", "Requests", "Tokens a stream event"];

/// Lines that the provenance table prints.
const ELSEWHERE: [&str; 2] = ["Size", "SHA-256"];

/// Settings in which the runs differ that stand beside the comparison; the others follow in the appendix.
const SETTINGS: usize = 10;

/// What each run is, in short, and the settings in which they differ.
pub(super) fn runs(input: &ReportInput) -> Markup {
    html! {
        (identity(input, true))
        @if let Some(lead) = input.comparisons.first() {
            @let (rows, more) = split_settings(&lead.view);
            @if !rows.is_empty() {
                h3 { "Where the runs differ" }
                @if !lead.view.config_note.is_empty() { p.note { (lead.view.config_note) } }
                (config("Settings that differ", &lead.view, &rows))
                @if !more.is_empty() {
                    p.note { (more.len()) " more stand in the " a href="#settings" { "appendix" } "." }
                }
            }
        }
    }
}

/// The same at length.
pub(super) fn runs_at_length(input: &ReportInput) -> Markup {
    html! {
        (identity(input, false))
        @if let Some(lead) = input.comparisons.first() {
            @let (_, more) = split_settings(&lead.view);
            @if !more.is_empty() {
                h3 id="settings" { "More settings in which the runs differ" }
                (config("More settings that differ", &lead.view, &more))
            }
        }
    }
}

/// The settings in which the runs differ, without those of the short lines: the first and the rest.
fn split_settings(view: &CompareView) -> (Vec<&ConfigRow>, Vec<&ConfigRow>) {
    let rows = view.config.iter().filter(|row| !SHORT.contains(&row.name.as_str()));
    let first = rows.clone().take(SETTINGS).collect();
    (first, rows.skip(SETTINGS).collect())
}

fn identity(input: &ReportInput, short: bool) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in input.cards.iter().flat_map(|card| &card.lines) {
        let wanted = SHORT.contains(&name.as_str()) == short && !ELSEWHERE.contains(&name.as_str());
        if wanted && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut lines: Vec<Line<'_>> =
        names.into_iter().map(|name| (name, values(input, name))).collect();
    if short {
        let reproduced = input.cards.iter().map(|card| Some(card.reproduced.as_str())).collect();
        lines.push(("Printed values", reproduced));
    }
    let name = if short { "What each run is" } else { "What each run is, at length" };
    match input.cards.len() {
        0..=COLUMNS => by_column(input, name, &lines),
        _ if short => by_run(input, name, &lines),
        _ => by_value(name, "Property", &lines),
    }
}

/// One column a run.
fn by_column(input: &ReportInput, name: &str, lines: &[Line<'_>]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region(name, 0, 1)) {
            table.words.runs {
                thead { tr {
                    th scope="col" { span.hidden { "Property" } }
                    @for (column, card) in input.cards.iter().enumerate() { (card_head(input, card, column)) }
                } }
                tbody { @for (name, values) in lines { (line(name, values)) } }
            }
        }
    }
}

/// One row a run; what all share is said once above.
fn by_run(input: &ReportInput, name: &str, lines: &[Line<'_>]) -> Markup {
    let shared =
        |values: &[Option<&str>]| values.windows(2).all(|pair| pair.first() == pair.last());
    let (same, own): (Vec<&Line<'_>>, Vec<&Line<'_>>) =
        lines.iter().partition(|(_, values)| shared(values));
    html! {
        @if !same.is_empty() {
            dl.box { @for (name, values) in same {
                div { dt { (name) } dd { (text(values.first().copied().flatten())) } }
            } }
        }
        div.scroll role="region" tabindex="0" aria-label=(region(name, 0, 1)) {
            table.words.many {
                thead { tr {
                    th scope="col" { "Run" }
                    @for (name, _) in &own { th scope="col" { (name) } }
                } }
                tbody { @for (column, card) in input.cards.iter().enumerate() { tr {
                    (card_name(input, card, column, "row"))
                    @for (_, values) in &own { td { (text(values.get(column).copied().flatten())) } }
                } } }
            }
        }
    }
}

/// A value, or that there is none.
fn text(value: Option<&str>) -> Markup {
    html! { @match value { Some(value) => (value), None => em { "not recorded" } } }
}

/// The values of one line, one a column.
fn values<'a>(input: &'a ReportInput, name: &str) -> Vec<Option<&'a str>> {
    let value = |card: &'a RunCardView| {
        card.lines.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    };
    input.cards.iter().map(value).collect()
}

/// One line of a table. What all runs share is said once.
fn line(name: &str, values: &[Option<&str>]) -> Markup {
    let shared = values.len() > 1 && values.windows(2).all(|pair| pair.first() == pair.last());
    html! {
        tr {
            th scope="row" { (name) }
            @if shared {
                td colspan=(values.len()) { (text(values.first().copied().flatten())) }
            } @else {
                @for value in values { td { (text(*value)) } }
            }
        }
    }
}

fn card_head(input: &ReportInput, card: &RunCardView, column: usize) -> Markup {
    card_name(input, card, column, "col")
}

fn card_name(input: &ReportInput, card: &RunCardView, column: usize, scope: &str) -> Markup {
    let row = card.id.as_ref().and_then(|id| rows(input).find(|row| row.id == *id));
    html! {
        th scope=(scope) {
            (badge(column, style_of(input, column))) " " (name_of(input, column))
            @if row.is_some_and(|row| row.scripted) { small.scripted { "scripted server, no model" } }
        }
    }
}

/// Palette index of a column.
pub(super) fn style_of(input: &ReportInput, column: usize) -> usize {
    let head = input.comparisons.first().and_then(|c| c.view.columns.get(column));
    head.map_or(column, |head| head.style)
}

/// The name over a column.
fn name_of(input: &ReportInput, column: usize) -> &str {
    let head = input.comparisons.first().and_then(|c| c.view.columns.get(column));
    let card = input.cards.get(column);
    head.map(|head| &head.name).or(card.map(|card| &card.name)).map_or("", String::as_str)
}

/// The Library's rows of the runs in this report.
pub(super) fn rows(input: &ReportInput) -> impl Iterator<Item = &RunRow> {
    let shown = |row: &&RunRow| input.cards.iter().any(|card| card.id.as_ref() == Some(&row.id));
    input.library.groups.iter().flat_map(|group| &group.rows).filter(shown)
}

fn config(name: &str, view: &CompareView, rows: &[&ConfigRow]) -> Markup {
    if view.columns.len() > COLUMNS {
        let lines: Vec<Line<'_>> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.values.iter().map(Option::as_deref).collect()))
            .collect();
        return by_value(name, "Setting", &lines);
    }
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region(name, 0, 1)) {
            table.words {
                thead { tr {
                    th scope="col" { "Setting" }
                    @for (column, head) in view.columns.iter().enumerate() {
                        th scope="col" { (badge(column, head.style)) " " (head.name) }
                    }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { (row.name) }
                    @for value in &row.values { td { (text(value.as_deref())) } }
                } } }
            }
        }
    }
}

/// What each file holds, which decides what can be recomputed from it.
pub(super) fn contents(input: &ReportInput) -> Markup {
    let held: Vec<(usize, &RunRow)> = input
        .cards
        .iter()
        .enumerate()
        .filter_map(|(column, card)| {
            Some((column, rows(input).find(|row| card.id.as_ref() == Some(&row.id))?))
        })
        .collect();
    let alike = held.windows(2).all(|pair| matches!(pair, [(_, a), (_, b)] if a.has == b.has));
    html! {
        @match held.first() {
            Some((_, row)) if alike => (contents_of_all(held.len(), row.has)),
            _ if held.len() > COLUMNS => (contents_by_value(&held)),
            _ => (contents_by_run(input, &held)),
        }
    }
}

/// One list where all files hold the same.
fn contents_of_all(runs: usize, has: [bool; 4]) -> Markup {
    html! {
        p { @if runs == 1 { "The file:" } @else { "Each of the " (runs) " runs:" } }
        ul.plain {
            @for ((head, meaning), has) in CONTENT.into_iter().zip(has) {
                li { strong { (head) } ": " (if has { "yes" } else { "no" }) ", " (meaning) }
            }
        }
    }
}

/// One row for each kind of content.
fn contents_by_value(held: &[(usize, &RunRow)]) -> Markup {
    let runs = held.iter().map(|(column, _)| column + 1).max().unwrap_or(0);
    let lines: Vec<Line<'_>> = CONTENT
        .into_iter()
        .enumerate()
        .map(|(at, (head, _))| {
            let mut values = vec![None; runs];
            for (column, row) in held {
                if let (Some(value), Some(has)) = (values.get_mut(*column), row.has.get(at)) {
                    *value = Some(if *has { "yes" } else { "no" });
                }
            }
            (head, values)
        })
        .collect();
    html! {
        (by_value("What the files hold", "Content", &lines))
        ul.note { @for (head, meaning) in CONTENT { li { (head) ": " (meaning) } } }
    }
}

fn contents_by_run(input: &ReportInput, held: &[(usize, &RunRow)]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="What the files hold" {
            table.words {
                thead { tr {
                    th scope="col" { "Run" }
                    @for (head, meaning) in CONTENT { th scope="col" { (head) small { (meaning) } } }
                } }
                tbody { @for &(column, row) in held { tr {
                    th scope="row" { (badge(column, row.style)) " " (name_of(input, column)) }
                    @for has in row.has { td { (if has { "yes" } else { "no" }) } }
                } } }
            }
        }
    }
}

/// Of so many runs and more only those printed values are listed that do not come out again.
const MANY: usize = 13;

/// Every printed value: those that come out again in short, the others with what was found instead.
pub(super) fn agreement(input: &ReportInput) -> Markup {
    let many = input.cards.len() >= MANY;
    let listed = |card: &RunCardView| {
        !card.agreement.is_empty()
            && (!many || card.agreement.iter().any(|row| row.sign != Sign::Equal))
    };
    html! {
        @if many {
            p.note {
                "Of " (input.cards.len()) " runs the printed values that are not equal to their recomputation:"
                @if !input.cards.iter().any(listed) { " none." }
            }
        }
        @for (column, card) in input.cards.iter().enumerate() {
            @if listed(card) {
                h3 { (badge(column, style_of(input, column))) " " (name_of(input, column)) " " small { (card.reproduced) } }
                (differing(card, name_of(input, column)))
                @if !many { (equal(card)) }
            }
        }
    }
}

fn equal(card: &RunCardView) -> Markup {
    let equal: Vec<&AgreementRow> =
        card.agreement.iter().filter(|row| row.sign == Sign::Equal).collect();
    html! {
        @if !equal.is_empty() {
            details.equal {
                summary { (equal.len()) " equal to their recomputation (=)" }
                p { @for (at, row) in equal.iter().enumerate() {
                    @if at > 0 { " · " }
                    code { (row.field) } " " (row.reported)
                } }
            }
        }
    }
}

fn differing(card: &RunCardView, name: &str) -> Markup {
    let others: Vec<&AgreementRow> =
        card.agreement.iter().filter(|row| row.sign != Sign::Equal).collect();
    html! {
        @if !others.is_empty() {
            div.scroll role="region" tabindex="0" aria-label=(format!("Printed values of {name} that are not equal")) {
                table.agreement {
                    thead { tr {
                        th scope="col" { "Field in the file" }
                        th.number scope="col" { "Printed" }
                        th scope="col" { span.hidden { "Sign" } }
                        th.number scope="col" { "Recomputed" }
                        th scope="col" { "Why" }
                    } }
                    tbody { @for row in others { (agreement_row(row)) } }
                }
            }
        }
    }
}

fn agreement_row(row: &AgreementRow) -> Markup {
    html! {
        tr {
            th scope="row" { code { (field(&row.field)) } }
            td.number { (row.reported) }
            td { span.sign title=(row.sign.words()) { (row.sign.glyph()) } }
            td.number { (row.recomputed) }
            td { (row.because) }
        }
    }
}

/// A key of a file, which may break after its underscores.
fn field(name: &str) -> Markup {
    html! { @for (at, part) in name.split_inclusive('_').enumerate() { @if at > 0 { wbr; } (part) } }
}
