//! The typical disagreements as they are listed beside a bridge.

use super::text::unit;
use crate::metrics::bridge::{Bridge, Digits, change_words};
use crate::metrics::disagreements::{AS_PRINTED, Applies, Entry};
use crate::metrics::{Dimension, Value};
use crate::views::definitions;
use serde::{Deserialize, Serialize};

/// One typical disagreement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LibraryEntry {
    /// Stable id.
    pub id: String,
    /// Title.
    pub title: String,
    /// What it makes of the difference, or the two numbers on this data; empty where neither is known.
    pub amount: String,
    /// Why it applies or does not, or what the data lack, as a sentence.
    pub because: String,
    /// Both formulas.
    pub formula: String,
    /// The paragraph.
    pub paragraph: String,
    /// Definitions to read further: dimension and choice.
    pub links: Vec<(String, String)>,
    /// What those are called.
    pub link_words: Vec<String>,
}

/// The disagreements of one verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LibraryGroup {
    /// The verdict.
    pub applies: Applies,
    /// “Applies here”, “Cannot tell”, “Does not apply”.
    pub title: String,
    /// Its disagreements, those that make most first.
    pub entries: Vec<LibraryEntry>,
}

/// Entries by verdict, the empty groups too: a blank says nothing.
pub fn groups(entries: &[Entry], bridge: &Bridge) -> Vec<LibraryGroup> {
    let group = |(applies, title): (Applies, &str)| {
        let mut of: Vec<&Entry> = entries.iter().filter(|e| e.tested.applies == applies).collect();
        let size = |entry: &Entry| entry.change.map_or(0.0, f64::abs);
        of.sort_by(|x, y| size(y).total_cmp(&size(x)));
        LibraryGroup {
            applies,
            title: title.to_owned(),
            entries: of.into_iter().map(|entry| view(entry, bridge)).collect(),
        }
    };
    let titles = [
        (Applies::Applies, "Applies here"),
        (Applies::CannotTell, "Cannot tell"),
        (Applies::DoesNot, "Does not apply"),
    ];
    titles.into_iter().map(group).collect()
}

fn view(entry: &Entry, bridge: &Bridge) -> LibraryEntry {
    let amount = match (entry.change, &entry.tested.numbers) {
        (Some(change), _) => {
            let places = Digits::of(bridge).places;
            let text = change_words(&Value::Exact(change), bridge.a.metric, places);
            format!("{text} {}", unit(bridge.a.metric))
        }
        (None, Some((a, b))) => {
            // A printed number is named by its field: the title names no metric.
            let field = a.words.strip_suffix(AS_PRINTED);
            let field = field.map_or_else(String::new, |field| format!("{field}: "));
            format!("{field}{} against {}", a.shown(), b.shown())
        }
        (None, None) => String::new(),
    };
    LibraryEntry {
        id: entry.id.clone(),
        title: entry.title.clone(),
        amount,
        because: entry.tested.because.clone(),
        formula: entry.formula.clone(),
        paragraph: entry.paragraph.clone(),
        links: entry.links.clone(),
        link_words: entry
            .links
            .iter()
            .map(|(dimension, choice)| words(dimension, choice))
            .collect(),
    }
}

/// “ITL sample: chunk gap”; the dimension alone where no choice of it is meant.
fn words(dimension: &str, choice: &str) -> String {
    let Some(found) = Dimension::find(dimension) else { return dimension.to_owned() };
    let name = definitions::name_of(found);
    match found.choice(choice) {
        Some(one) => format!("{name}: {}", one.label),
        None => name.to_owned(),
    }
}
