//! Raw tables: every number of the report, and each request, as text to copy out.

use super::ReportInput;
use crate::views::count;
use maud::{Markup, html};

/// The section's body; nothing where there is no table.
pub(super) fn raw(input: &ReportInput) -> Option<Markup> {
    (!input.raw.is_empty()).then(|| {
        html! {
            p.note { "Comma-separated: metrics with ten significant digits and their units, times of requests to a tenth of a microsecond. No texts, no hosts, no keys. Copy a table out to compute on." }
            @for table in &input.raw {
                details.raw {
                    summary { (table.title) ", " (count(table.rows, "row")) }
                    pre tabindex="0" aria-label=(table.title) { (table.csv) }
                }
            }
        }
    })
}
