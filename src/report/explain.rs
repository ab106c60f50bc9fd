//! The disagreement that the reader explained: the finding, the steps as a table, what is left over.

use super::figure;
use crate::charts::waterfall::{BarKind, WaterfallRow};
use crate::views::explain::ExplainView;
use maud::{Markup, html};

/// The section's body.
pub(super) fn explain(view: &ExplainView) -> Markup {
    let orders = [&view.order, &view.average].map(String::as_str);
    let orders = orders.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("; ");
    let notes = [&view.left_over, &view.equal, &orders].map(String::as_str);
    html! {
        @if view.waterfall.title != view.headline { p { strong { (view.headline) } } }
        ul.note { @for (letter, slot) in ["A", "B"].into_iter().zip(&view.slots) {
            li { strong { (letter) } ": " (slot.title) " of " (slot.run) ", " (slot.stamp) }
        } }
        @if !view.paragraph.is_empty() { p { (view.paragraph.join(" ")) } }
        (figure::rows(&view.waterfall))
        div.scroll role="region" tabindex="0" aria-label="From A to B" {
            table.words {
                thead { tr {
                    th scope="col" { "Step" }
                    th scope="col" { "Why" }
                    th.number scope="col" { (view.waterfall.unit) }
                } }
                tbody {
                    @for row in of(view, BarKind::A) { (end(row)) }
                    @for (at, step) in (1..).zip(&view.steps) { tr {
                        th scope="row" { (at) " " (step.title) }
                        td { (step.because) @if !step.touched.is_empty() { " " small { (step.touched) } } }
                        td.number { (step.change) }
                    } }
                    @for row in of(view, BarKind::Remainder) { (end(row)) }
                    @for row in of(view, BarKind::B) { (end(row)) }
                }
            }
        }
        @for note in notes.into_iter().filter(|note| !note.is_empty()) { p.note { (note) "." } }
        @if let Some(story) = &view.story { p.note { (story) } }
        @if let Some(rulers) = &view.rulers {
            h3 { "One request under both rulers" }
            (figure::rows(rulers))
        }
    }
}

/// The rows of a kind.
fn of(view: &ExplainView, kind: BarKind) -> impl Iterator<Item = &WaterfallRow> {
    view.waterfall.rows.iter().filter(move |row| row.kind == kind)
}

fn end(row: &WaterfallRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.mark) " " (row.title) }
            td { (row.under) }
            td.number { strong { (row.label) } }
        }
    }
}
