//! The distribution of one metric: its picture, what it says, and the values of each run.

use super::figure;
use crate::views::distributions::{DistributionsView, SummaryRow};
use maud::{Markup, html};

/// The section's body; nothing where no run has samples or printed percentiles.
pub(super) fn distributions(view: &DistributionsView) -> Option<Markup> {
    let main = view.main.as_ref()?;
    let sentences = || view.said.iter().chain(&view.answers).chain(&view.left_out);
    Some(html! {
        @if view.mixed {
            p { "Each run stands in its own tool’s words, so differences between the lines are not differences between servers." }
        }
        (figure::main(main))
        @if sentences().next().is_some() {
            ul.note { @for sentence in sentences() { li { (sentence) } } }
        }
        div.scroll role="region" tabindex="0" aria-label=(view.summary.title) {
            table.points {
                thead { tr {
                    th scope="col" { "Run" }
                    th scope="col" { "One sample is" }
                    @for head in &view.summary.head { th scope="col" { (head) } }
                    @for head in &view.summary.same_head { th scope="col" { (head) ", same ruler" } }
                } }
                tbody { @for row in &view.summary.rows { (line(row)) } }
            }
        }
        p.note { (view.summary.title) @if !view.summary.better.is_empty() { "; " (view.summary.better) } "." }
    })
}

fn line(row: &SummaryRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                span class=(format!("letter s{}", row.style % 8 + 1)) {} " " (row.name)
                @if row.printed { " " small { "as printed" } }
            }
            td { (row.sample) }
            @for cell in row.cells.iter().chain(&row.same) { td { (cell) } }
        }
    }
}
