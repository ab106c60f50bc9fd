//! The disagreement that the reader explained: the finding, the steps as a table, what is left over.

use crate::views::explain::{BarKind, ExplainView, WaterfallBar};
use maud::{Markup, html};

/// The section's body.
pub(super) fn explain(view: &ExplainView) -> Markup {
    let orders = [&view.order, &view.average].map(String::as_str);
    let orders = orders.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("; ");
    let notes = [&view.left_over, &view.equal, &orders].map(String::as_str);
    html! {
        p { strong { (view.headline) } }
        @if !view.paragraph.is_empty() { p { (view.paragraph.join(" ")) } }
        div.scroll role="region" tabindex="0" aria-label="From A to B" {
            table.words {
                thead { tr {
                    th scope="col" { "Step" }
                    th scope="col" { "Why" }
                    th.number scope="col" { (view.waterfall.unit) }
                } }
                tbody {
                    @for (bar, stamp) in ends(view, BarKind::A) { (end(bar, stamp)) }
                    @for (at, step) in (1..).zip(&view.steps) { tr {
                        th scope="row" { (at) " " (step.title) }
                        td { (step.because) @if !step.touched.is_empty() { " " small { (step.touched) } } }
                        td.number { (step.change) }
                    } }
                    @for (bar, _) in ends(view, BarKind::Remainder) { (end(bar, &bar.cause)) }
                    @for (bar, stamp) in ends(view, BarKind::B) { (end(bar, stamp)) }
                }
            }
        }
        @for note in notes.into_iter().filter(|note| !note.is_empty()) { p.note { (note) "." } }
        @if let Some(story) = &view.story { p.note { (story) } }
    }
}

/// The bars of a kind, each with its definition and its run.
fn ends(view: &ExplainView, kind: BarKind) -> impl Iterator<Item = (&WaterfallBar, &str)> {
    let slot = match kind {
        BarKind::B => view.slots.last(),
        _ => view.slots.first(),
    };
    let stamp = slot.map_or("", |slot| slot.stamp.as_str());
    view.waterfall.bars.iter().filter(move |bar| bar.kind == kind).map(move |bar| (bar, stamp))
}

fn end(bar: &WaterfallBar, words: &str) -> Markup {
    html! {
        tr {
            th scope="row" { (bar.mark) " " (bar.title) }
            td { (words) }
            td.number { strong { (bar.label) } }
        }
    }
}
