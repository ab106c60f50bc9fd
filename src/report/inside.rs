//! What a report holds, in sentences for whoever is about to send it.

use super::ReportInput;
use super::runs::rows;
use crate::model::Level;
use crate::views::{self, count};

/// What stands in place of a key, as the last gate before a run is kept writes it.
const HIDDEN: &str = "[key hidden]";

/// Sentences on what is inside and what is not.
pub(super) fn inside(input: &ReportInput) -> Vec<String> {
    let mut sentences = vec![format!(
        "{} and {}: names, tools, versions, settings, digests.",
        count(input.cards.len(), "run"),
        count(input.sources.len(), "file name"),
    )];
    sentences.push(match &input.data {
        None => "Printed numbers only; no data to open again.".to_owned(),
        Some(data) => match data.level {
            Level::Aggregates => "Data: what the tools printed, no single requests.".to_owned(),
            Level::Requests => {
                format!("Data: timings and token counts of {}.", requests(data.requests))
            }
            Level::Events => {
                format!("Data: {} with the times of their events.", requests(data.requests))
            }
        },
    });
    let masked = match hidden(input) {
        0 => String::new(),
        keys => format!(" {} hidden.", count(keys, "key")),
    };
    sentences.push(format!(
        "No prompts, no replies, no command lines; hosts and folders masked.{masked}"
    ));
    if rows(input).any(|row| row.scripted) {
        sentences
            .push("Some of it was measured on a scripted server: no model, no GPU.".to_owned());
    }
    sentences
}

fn requests(count: u64) -> String {
    views::count(usize::try_from(count).unwrap_or(usize::MAX), "request")
}

/// How many texts of the runs had a key in them.
fn hidden(input: &ReportInput) -> usize {
    let lines = input.cards.iter().flat_map(|card| &card.lines).map(|(_, value)| value.as_str());
    let names = input.cards.iter().map(|card| card.name.as_str());
    let files = input.sources.iter().map(|source| source.file.as_str());
    lines.chain(names).chain(files).map(|text| text.matches(HIDDEN).count()).sum()
}
