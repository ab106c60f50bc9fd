//! What every view is asked under: which runs, which ruler, which limits.

use crate::metrics::Preset;
use crate::model::{Limit, RunId, Stat};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One set of definitions for all runs, or each run in its own tool's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruler {
    /// Every run under one preset with some dimensions changed.
    Same {
        /// Preset id, such as `common`.
        preset: String,
        /// Dimension id to choice id, only where it departs from the preset.
        changes: BTreeMap<String, String>,
    },
    /// Each run under the preset of the tool that wrote it.
    Own,
}

impl Default for Ruler {
    fn default() -> Self {
        Self::Same { preset: "common".into(), changes: BTreeMap::new() }
    }
}

impl Ruler {
    /// What of it means nothing in this build, such as a preset of a newer one.
    pub fn unknown(&self) -> Option<String> {
        let Self::Same { preset, changes } = self else { return None };
        let Some(base) = Preset::find(preset) else { return Some(preset.clone()) };
        let mut settings = base.settings;
        let wrong = changes.iter().find(|(name, choice)| settings.set(name, choice).is_err());
        wrong.map(|(name, choice)| format!("{name}:{choice}"))
    }
}

/// What the reader decided about what the checks found. A check is named by its id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    /// Findings whose requests are left out of everything.
    pub excluded: BTreeSet<(RunId, String)>,
    /// Single requests that are left out of everything, by their number from 0.
    pub requests: BTreeSet<(RunId, usize)>,
    /// Runs that a check blocks, and that may be compared and drawn all the same.
    pub let_on: BTreeSet<RunId>,
    /// Findings that are listed as muted, and warn no more.
    pub muted: BTreeSet<(RunId, String)>,
}

/// What a view is asked under. The page sends it whole with each question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// Selected runs in the order of their columns.
    pub runs: Vec<RunId>,
    /// The run that differences are taken against; the first selected one if not selected.
    pub baseline: Option<RunId>,
    /// The definitions.
    pub ruler: Ruler,
    /// The limits of the SLO; none set means no goodput.
    pub limits: Vec<Limit>,
    /// Requests per second that a capacity plan is for.
    #[serde(default)]
    pub demand: Option<f64>,
    /// The statistic of the latency rows.
    pub stat: Stat,
    /// Whether to take differences although lengths, models or loads differ.
    pub compare_anyway: bool,
    /// What was decided about findings.
    #[serde(default)]
    pub judged: Judged,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            baseline: None,
            ruler: Ruler::default(),
            limits: Vec::new(),
            demand: None,
            stat: Stat::Median,
            compare_anyway: false,
            judged: Judged::default(),
        }
    }
}
