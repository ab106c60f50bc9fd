//! The window: the whole run beside the stretch that counts, where that is not all of it.

use super::figure;
use crate::views::window::{WindowRow, WindowView, short};
use maud::{Markup, html};

/// The section's body.
pub(super) fn window(view: &WindowView) -> Markup {
    html! {
        p {
            "The numbers of this report are of a window: " strong { (short(&view.window)) } ". "
            (view.edge_words)
        }
        @for spec in view.flight.iter().chain(&view.output) { (figure::wide(spec)) }
        @for run in &view.runs {
            h3 { (run.name) }
            p.note { (run.span) @if !run.inside.is_empty() { "; " (run.inside) } "." }
            div.scroll role="region" tabindex="0" aria-label=(format!("{}: whole and window", run.name)) {
                table {
                    thead {
                        tr {
                            th scope="col" { "Metric" }
                            th scope="col" { "Whole run" }
                            th scope="col" { "Window" }
                            th scope="col" { "Window ÷ whole" }
                        }
                    }
                    tbody { @for row in &run.rows { (line(row)) } }
                }
            }
        }
        @for note in &view.notes { p.note { (note) } }
    }
}

fn line(row: &WindowRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.label) " " small { (row.unit) } }
            td { (row.whole) }
            td { strong { (row.windowed) } }
            td { (row.ratio.as_deref().unwrap_or("—")) }
        }
        @if let Some(because) = &row.because {
            tr { td colspan="4" { small { (because) } } }
        }
    }
}
