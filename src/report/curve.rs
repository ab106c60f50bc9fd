//! The load curve: its picture, its points, and what it leaves out.

use super::{ReportInput, figure};
use crate::views::curves::Table;
use maud::{Markup, html};

/// The section's body; nothing where there is neither a curve nor a word about it.
pub(super) fn curve(input: &ReportInput) -> Option<Markup> {
    let view = &input.curves;
    let silent = view.left_out.is_empty() && view.held_back.is_empty();
    if view.main.is_none() && view.empty.is_none() && silent {
        return None;
    }
    Some(html! {
        @if let Some(spec) = &view.main { (figure::main(spec)) }
        @if let Some(empty) = &view.empty { p { (empty) } }
        @if !view.caption.is_empty() && view.main.is_some() { p.note { (view.caption) } }
        (table(&view.table, "Points of the curve"))
        @if !view.small.is_empty() {
            div.small-multiples { @for spec in &view.small { (figure::small(spec)) } }
        }
        @if !view.held_back.is_empty() || !view.left_out.is_empty() {
            ul.note {
                @for run in &view.held_back {
                    li { strong { (run.name) " is on no curve: " (run.finding) "." } " " (run.text) }
                }
                @for sentence in &view.left_out { li { (sentence) } }
            }
        }
    })
}

/// Points as a table whose first column names them.
pub(super) fn table(table: &Table, label: &str) -> Markup {
    html! {
        @if !table.rows.is_empty() {
            div.scroll role="region" tabindex="0" aria-label=(label) {
                table.points {
                    thead { tr { @for head in &table.head { th scope="col" { (head) } } } }
                    tbody { @for row in &table.rows { tr {
                        @for (at, cell) in row.iter().enumerate() {
                            @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                        }
                    } } }
                }
            }
        }
    }
}
