//! Saved sets of definitions: a small file of JSON that the page writes and reads, and that
//! `--definitions` takes.

use super::Ruler;
use crate::metrics::{COMMON, PRESETS, Preset};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the file says it is, up to its version.
const SCHEMA: &str = "sameruler.set/";
/// The version that this build writes.
const VERSION: u32 = 1;
/// The preset word for each run in its own tool's words.
const OWN: &str = "own";
/// Letters of a name that are kept.
const NAME: usize = 80;

/// A set of definitions with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSet {
    /// What the reader calls it; empty in a file that was written by hand.
    pub name: String,
    /// The preset's id, or `own` for each run in its own tool's words.
    pub preset: String,
    /// Dimension to choice, where it departs from the preset.
    pub changes: BTreeMap<String, String>,
    /// What the file says and this build does not understand, such as a choice of a newer version.
    /// Preset and changes are without it.
    pub not_understood: Vec<String>,
}

/// Why a file is no saved set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedSetError {
    /// It is not a JSON object.
    #[error("it is no JSON object: {0}")]
    NotJson(String),
    /// It names no preset.
    #[error("it names no preset")]
    NoPreset,
    /// It names one that there isn't.
    #[error("there is no preset “{given}”; expected {OWN}, {}", valid.join(", "))]
    UnknownPreset {
        /// What it names.
        given: String,
        /// Those that there are.
        valid: Vec<&'static str>,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    schema: String,
    name: &'a str,
    preset: &'a str,
    changes: &'a BTreeMap<String, String>,
}

impl SavedSet {
    /// A set as it is saved.
    pub fn new(name: &str, ruler: &Ruler) -> Self {
        let (preset, changes) = match ruler {
            Ruler::Own => (OWN.to_owned(), BTreeMap::new()),
            Ruler::Same { preset, changes } => (preset.clone(), changes.clone()),
        };
        Self { name: short(name), preset, changes, not_understood: Vec::new() }
    }

    /// The ruler of the page. Upon each run's own words it makes no changes.
    pub fn ruler(&self) -> Ruler {
        match self.preset.as_str() {
            OWN => Ruler::Own,
            preset => Ruler::Same { preset: preset.to_owned(), changes: self.changes.clone() },
        }
    }

    /// Whether a text claims to be one. Cheap, for files of every kind.
    pub fn claims(text: &str) -> bool {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        start.starts_with('{') && start.get(..400).unwrap_or(start).contains(SCHEMA)
    }

    /// Reads a file. A change that this build does not understand is left out and told.
    ///
    /// # Errors
    /// When it is no JSON object, or its preset is missing or unknown.
    pub fn read(text: &str) -> Result<Self, SavedSetError> {
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text)
            .map_err(|error| SavedSetError::NotJson(error.to_string()))?;
        let Value::Object(map) = value else {
            return Err(SavedSetError::NotJson("it holds another kind of value".to_owned()));
        };
        let word = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut not_understood = Vec::new();
        if let Some(version) = word("schema").strip_prefix(SCHEMA)
            && version.parse::<u32>().is_ok_and(|version| version > VERSION)
        {
            not_understood.push(format!("{SCHEMA}{version} is newer than this version reads"));
        }
        for key in map.keys() {
            if !["schema", "name", "preset", "changes"].contains(&key.as_str()) {
                not_understood.push(format!("“{key}”"));
            }
        }
        let preset = word("preset");
        let mut changes = BTreeMap::new();
        match map.get("changes") {
            None => {}
            Some(Value::Object(said)) => {
                let mut settings = COMMON.settings;
                for (dimension, choice) in said {
                    let choice = choice.as_str().unwrap_or_default();
                    match settings.set(dimension, choice) {
                        Ok(()) => {
                            changes.insert(dimension.clone(), choice.to_owned());
                        }
                        Err(_) => not_understood.push(format!("{dimension}={choice}")),
                    }
                }
            }
            Some(_) => not_understood.push("“changes”, which is no object".to_owned()),
        }
        if preset.is_empty() {
            return Err(SavedSetError::NoPreset);
        }
        if preset != OWN && Preset::find(preset).is_none() {
            let valid = PRESETS.iter().map(|preset| preset.id).collect();
            return Err(SavedSetError::UnknownPreset { given: preset.to_owned(), valid });
        }
        let (name, preset) = (short(word("name")), preset.to_owned());
        Ok(Self { name, preset, changes, not_understood })
    }

    /// The file's text.
    pub fn written(&self) -> String {
        let Self { name, preset, changes, .. } = self;
        let written = Written { schema: format!("{SCHEMA}{VERSION}"), name, preset, changes };
        // Strings and maps of strings always have a JSON form.
        serde_json::to_string_pretty(&written).unwrap_or_default() + "\n"
    }

    /// The file's name: "our-slo.sameruler-set.json".
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let slug: String = self.name.to_lowercase().chars().map(plain).collect();
        let slug = slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let slug = if slug.is_empty() { "definitions" } else { &slug };
        format!("{slug}{}", Self::ENDING)
    }

    /// How names of saved sets end.
    pub const ENDING: &str = ".sameruler-set.json";

    /// What came of it, as a sentence: "Definitions are now “Our SLO”. Not understood: …".
    pub fn said(&self) -> String {
        let name = match self.name.as_str() {
            "" => "those of the file".to_owned(),
            name => format!("“{name}”"),
        };
        let mut left_out = self.not_understood.clone();
        if self.preset == OWN {
            left_out.extend(self.changes.iter().map(|(d, c)| format!("{d}={c} upon {OWN}")));
        }
        if left_out.is_empty() {
            return format!("Definitions are now {name}");
        }
        let left_out = left_out.join(", ");
        format!(
            "Definitions are now {name}, without what this version does not understand: {left_out}"
        )
    }
}

/// A name without control characters, not too long.
fn short(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).take(NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed() -> Ruler {
        let changes = [("tpot", "whole-over-n"), ("window", "skip-first:8")];
        let changes = changes.map(|(d, c)| (d.to_owned(), c.to_owned())).into();
        Ruler::Same { preset: "vllm".to_owned(), changes }
    }

    #[test]
    fn a_set_reads_back_as_it_was_saved() {
        for ruler in [changed(), Ruler::Own, Ruler::default()] {
            let set = SavedSet::new(" Our SLO, 2026 ", &ruler);
            assert_eq!(set.file_name(), "our-slo-2026.sameruler-set.json");
            assert_eq!(set.ruler(), ruler);
            let text = set.written();
            assert!(SavedSet::claims(&text), "{text}");
            assert_eq!(SavedSet::read(&text), Ok(set));
        }
        assert_eq!(SavedSet::new("", &Ruler::Own).file_name(), "definitions.sameruler-set.json");
    }

    #[test]
    fn what_a_newer_version_says_is_left_out_and_told() {
        let text = r#"{"schema": "sameruler.set/2", "name": "New", "preset": "vllm", "colour": "red",
            "changes": {"tpot": "whole-over-n", "itl": "by-photon", "mood": "good"}}"#;
        let set = SavedSet::read(text).unwrap();
        assert_eq!((set.preset.as_str(), set.changes.len()), ("vllm", 1));
        let said = set.said();
        for word in ["sameruler.set/2", "“colour”", "itl=by-photon", "mood=good"] {
            assert!(said.contains(word), "{said}");
        }
    }

    #[test]
    fn files_by_hand_need_only_a_preset() {
        let set = SavedSet::read(r#"{"preset": "common"}"#).unwrap();
        assert_eq!((set.ruler(), set.not_understood.len()), (Ruler::default(), 0));
        assert_eq!(SavedSet::read("{}"), Err(SavedSetError::NoPreset));
        let unknown = SavedSet::read(r#"{"preset": "k6"}"#).unwrap_err().to_string();
        assert!(unknown.contains("“k6”") && unknown.contains("guidellm"), "{unknown}");
        assert!(SavedSet::read("[1]").is_err() && SavedSet::read("tpot").is_err());
        assert!(!SavedSet::claims(r#"{"duration": 1}"#));
    }
}
