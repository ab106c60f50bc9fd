//! Server metrics: what servers said of themselves, beside the run that they are attached to.

use super::compare::region;
use super::figure;
use crate::views::server::{Against, Line, Mark, ServerView};
use maud::{Markup, html};

/// The heads of the table of both sides.
const HEADS: [&str; 7] = [
    "Measure, ms",
    "Client mean",
    "Server mean",
    "Difference",
    "Client p99",
    "Client p99 in the server’s buckets",
    "Server p99",
];

/// The section's body; nothing where no server's metrics are there.
pub(super) fn server(view: &ServerView) -> Option<Markup> {
    (!view.dumps.is_empty() && !view.headline.is_empty()).then(|| {
        html! {
            p { strong { (view.headline) } " " (view.subline) }
            (lines("What was read", &view.facts))
            @if !view.against.is_empty() { (against(&view.against)) }
            @if !view.said.is_empty() { ul.note { @for sentence in &view.said { li { (sentence) } } } }
            @if !view.phases.is_empty() {
                h3 { "The mean request by phase" }
                dl.box { @for phase in &view.phases { div { dt { (phase.name) } dd { (phase.text) } } } }
            }
            (lines("What the buckets say of the limits", &view.limits))
            @for spec in &view.gauges { (figure::wide(spec)) }
            (lines("To be known before a number is quoted", &view.traps))
            (lines("Sums that the server keeps", &view.identities))
            (lines("Counters", &view.counters))
        }
    })
}

fn lines(title: &str, lines: &[Line]) -> Markup {
    html! {
        @if !lines.is_empty() {
            h3 { (title) }
            ul.note { @for line in lines {
                li class=[(line.mark == Mark::Warn).then_some("worse")] { strong { (line.name) } ": " (line.text) }
            } }
        }
    }
}

fn against(rows: &[Against]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region("Client against server", 0, 1)) {
            table.points {
                thead { tr {
                    @for head in HEADS { th scope="col" { (head) } }
                    th scope="col" { "Reads" }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { (row.name) }
                    @for cell in &row.cells { td { (cell) } }
                    td { (row.reading) }
                } } }
            }
        }
    }
}
