//! Which definitions each run stands under: `--as`, `--definitions`, `--set` and `--window` together.

use super::Failure;
use super::args;
use crate::metrics::settings::{Duration, Window};
use crate::metrics::{COMMON, PRESETS, Preset, Settings, own};
use crate::model::Run;
use crate::views::{self, SavedSet};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The word for "each run under the definitions of the tool that wrote it".
const OWN: &str = "own";

/// The word for "each run under the Prometheus metrics of its engine".
const PROMETHEUS: &str = "prometheus";

/// Where each run's definitions start from.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// The ruler of the tool that wrote it.
    Own,
    /// The Prometheus preset of its engine.
    Prometheus,
    /// One preset for all runs.
    Same(&'static Preset),
}

/// What the options say.
#[derive(Debug)]
pub(super) struct Ruler {
    base: Base,
    /// Dimension to choice, where it departs from the preset.
    changes: BTreeMap<String, String>,
    /// Whether the window came by its own option, which then divides rates by its length.
    windowed: bool,
}

impl Ruler {
    /// Reads the options; `default` is the preset where none is named.
    pub(super) fn new(args: &args::Ruler, default: &str) -> Result<Self, Failure> {
        let saved = args.definitions.as_ref().map(|path| read(path)).transpose()?;
        let (named, mut changes) = match (&args.preset, saved) {
            (None, Some(saved)) => (saved.preset, saved.changes),
            (named, _) => (named.clone().unwrap_or_else(|| default.to_owned()), BTreeMap::new()),
        };
        changes.extend(once_each(args)?);
        let ruler = Self { base: find(&named)?, changes, windowed: args.window.is_some() };
        // A wrong change is wrong under any preset: say so before a file is read.
        ruler.changed(COMMON.settings)?;
        Ok(ruler)
    }

    /// The definitions of one run, and the id of the preset that they start from.
    pub(super) fn of(&self, run: &Run) -> Result<(&'static str, Settings), Failure> {
        let (preset, settings) = match self.base {
            Base::Own => {
                let own = own(run);
                (own.preset, own.settings)
            }
            Base::Prometheus => {
                let preset = Preset::prometheus(run);
                (preset, preset.settings)
            }
            Base::Same(preset) => (preset, preset.settings),
        };
        Ok((preset.id, self.changed(settings)?))
    }

    /// What views take, which have no changes upon each run's own definitions.
    pub(super) fn for_views(&self) -> Result<views::Ruler, Failure> {
        match self.base {
            Base::Same(preset) => {
                let mut changes = self.changes.clone();
                let wanted = self.changed(preset.settings)?;
                if wanted.duration != preset.settings.duration {
                    changes.insert("duration".to_owned(), wanted.duration.id().to_owned());
                }
                Ok(views::Ruler::Same { preset: preset.id.to_owned(), changes })
            }
            Base::Own if self.changes.is_empty() => Ok(views::Ruler::Own),
            Base::Own => Err(Failure::Use(
                "A report or a picture with changed dimensions needs one preset for all runs; name it with --as, such as --as common."
                    .to_owned(),
            )),
            Base::Prometheus => Err(Failure::Use(
                "A report or a picture needs one preset for all runs; expected --as prometheus-vllm or --as prometheus-sglang."
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

/// What `--set` and `--window` say. Of two choices in one dimension none is meant more than the other.
fn once_each(args: &args::Ruler) -> Result<BTreeMap<String, String>, Failure> {
    let window = args.window.iter().map(|window| ("window".to_owned(), window.clone()));
    let mut changes = BTreeMap::new();
    for (dimension, choice) in args.set.iter().cloned().chain(window) {
        if let Some(other) = changes.get(&dimension)
            && *other != choice
        {
            return Err(Failure::Use(format!(
                "{dimension} is set to {other} and to {choice}; expected one choice. Leave one of them out."
            )));
        }
        changes.insert(dimension, choice);
    }
    Ok(changes)
}

/// What `--as` or a saved set names.
fn find(id: &str) -> Result<Base, Failure> {
    match id {
        OWN => Ok(Base::Own),
        PROMETHEUS => Ok(Base::Prometheus),
        _ => Preset::find(id).map(Base::Same).ok_or_else(|| {
            let ids: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
            let ids = ids.join(", ");
            let words = format!("There is no preset “{id}”; expected {OWN}, {ids}, {PROMETHEUS}.");
            Failure::Use(words)
        }),
    }
}

/// Reads a saved set. Numbers under half of it would pass for those of the whole, so what is not
/// understood is a failure.
fn read(path: &Path) -> Result<SavedSet, Failure> {
    let wrong = |why: String| {
        Failure::Use(format!(
            "{}: {why}; expected JSON such as {{\"preset\": \"common\", \"changes\": {{\"tpot\": \"whole-over-n\"}}}}.",
            path.display()
        ))
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let saved = SavedSet::read(&text).map_err(|error| wrong(error.to_string()))?;
    if saved.not_understood.is_empty() {
        return Ok(saved);
    }
    Err(wrong(format!(
        "this version does not understand {}; sameruler definitions lists what it does",
        saved.not_understood.join(", ")
    )))
}
