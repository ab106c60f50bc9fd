//! Provenance: the files behind the runs, what this file holds, and who wrote it.

use super::ReportInput;
use crate::units::bytes;
use maud::{Markup, html};

/// The section's body.
pub(super) fn provenance(input: &ReportInput) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="Input files" {
            table.words.files {
                thead { tr {
                    th scope="col" { "File" }
                    th scope="col" { "Made by" }
                    th.number scope="col" { "Bytes" }
                    th scope="col" { "SHA-256" }
                } }
                tbody { @for source in &input.sources { tr {
                    th scope="row" { (source.file) }
                    td { (source.made_by) }
                    td.number title=(bytes(source.bytes)) { (source.bytes) }
                    td { code { (source.sha256) } }
                } } }
            }
        }
        @if let Some(data) = &input.data {
            p.note {
                "This file carries the data of its runs (" (data.level.name()) ", "
                (bytes(data.block.len() as u64)) "): drop it on Same Ruler, or name it to the command, and the runs, definitions and view are back."
            }
        }
        p.note {
            "Written by Same Ruler " (env!("CARGO_PKG_VERSION")) @if !input.date.is_empty() { " on " (input.date) }
            ". The same files and settings give the same report, byte for byte."
        }
    }
}
