//! Which definitions each run stands under: `--as`, `--definitions`, `--set` and `--window` together.

use super::Failure;
use super::args;
use crate::metrics::settings::{Duration, Window};
use crate::metrics::{COMMON, PRESETS, Preset, Settings, own};
use crate::model::Run;
use crate::views;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;

/// The word for "each run under the definitions of the tool that wrote it".
const OWN: &str = "own";

/// What the options say.
#[derive(Debug)]
pub(super) struct Ruler {
    /// One preset for all runs, or none: each run's own.
    preset: Option<&'static Preset>,
    /// Dimension to choice, where it departs from the preset.
    changes: BTreeMap<String, String>,
    /// Whether the window came by its own option, which then divides rates by its length.
    windowed: bool,
}

/// A saved set of definitions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    preset: String,
    #[serde(default)]
    changes: BTreeMap<String, String>,
}

impl Ruler {
    /// Reads the options; `default` is the preset where none is named.
    pub(super) fn new(args: &args::Ruler, default: &str) -> Result<Self, Failure> {
        let saved = match &args.definitions {
            None => None,
            Some(path) => {
                let wrong = |why: String| {
                    Failure::Use(format!(
                        "{}: {why}; expected JSON such as {{\"preset\": \"common\", \"changes\": {{\"tpot\": \"whole-over-n\"}}}}.",
                        path.display()
                    ))
                };
                let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
                Some(serde_json::from_slice::<Saved>(&bytes).map_err(|e| wrong(e.to_string()))?)
            }
        };
        let (named, mut changes) = match (&args.preset, saved) {
            (None, Some(saved)) => (saved.preset, saved.changes),
            (named, _) => (named.clone().unwrap_or_else(|| default.to_owned()), BTreeMap::new()),
        };
        changes.extend(args.set.iter().cloned());
        changes.extend(args.window.iter().map(|window| ("window".to_owned(), window.clone())));
        let ruler = Self { preset: find(&named)?, changes, windowed: args.window.is_some() };
        // A wrong change is wrong under any preset: say so before a file is read.
        ruler.changed(COMMON.settings)?;
        Ok(ruler)
    }

    /// The definitions of one run, and the id of the preset that they start from.
    pub(super) fn of(&self, run: &Run) -> Result<(&'static str, Settings), Failure> {
        let (preset, settings) = self.preset.map_or_else(
            || {
                let own = own(run);
                (own.preset, own.settings)
            },
            |preset| (preset, preset.settings),
        );
        Ok((preset.id, self.changed(settings)?))
    }

    /// What views take, which have no changes upon each run's own definitions.
    pub(super) fn for_views(&self) -> Result<views::Ruler, Failure> {
        match self.preset {
            Some(preset) => {
                let mut changes = self.changes.clone();
                let changed = self.changed(preset.settings)?;
                if changed.duration != preset.settings.duration {
                    changes.insert("duration".to_owned(), changed.duration.id().to_owned());
                }
                Ok(views::Ruler::Same { preset: preset.id.to_owned(), changes })
            }
            None if self.changes.is_empty() => Ok(views::Ruler::Own),
            None => Err(Failure::Use(
                "A report with changed dimensions needs one preset for all runs; name it with --as, such as --as common."
                    .to_owned(),
            )),
        }
    }

    fn changed(&self, mut settings: Settings) -> Result<Settings, Failure> {
        for (dimension, choice) in &self.changes {
            settings
                .set(dimension, choice)
                .map_err(|error| Failure::Use(format!("{dimension}={choice}: {error}.")))?;
        }
        // The printed duration is that of the whole run.
        if self.windowed
            && settings.window != Window::Whole
            && settings.duration == Duration::AsReported
            && !self.changes.contains_key("duration")
        {
            settings.duration = Duration::Window;
        }
        Ok(settings)
    }
}

/// The preset with this id; none for `own`.
fn find(id: &str) -> Result<Option<&'static Preset>, Failure> {
    if id == OWN {
        return Ok(None);
    }
    let found = Preset::find(id);
    found.map(Some).ok_or_else(|| {
        let ids: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        Failure::Use(format!("There is no preset “{id}”; expected {OWN}, {}.", ids.join(", ")))
    })
}
