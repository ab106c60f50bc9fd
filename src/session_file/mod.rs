//! The session file (`.sameruler`): runs, servers' dumps and the reader's decisions as one file, and the same
//! bytes as text inside a report or a link.
//!
//! Knows the packs of the model and how they lie in a file. Must not know any tool's format, nor what a view
//! shows: the view is kept as the text of its link. Layout and history: `docs/session-format.md`.
#![deny(clippy::indexing_slicing)]

mod base64;
mod codec;
mod hosts;
mod in_link;
mod in_report;
mod level;
mod places;

pub use codec::{SessionError, VERSION, decode, encode, is_session};
pub use in_link::{letters, of_letters};
pub use in_report::{BLOCK, block, is_report, of_report};
pub use level::reduced;
pub use places::Places;

use crate::model::{Level, ReportPlan, Run, RunId, ServerDump};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How session files end.
pub const ENDING: &str = ".sameruler";

/// What the reader decided, and what was on the screen: everything in a session but its data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Decided {
    /// The version that wrote it: `0.1.0`.
    pub made_by: String,
    /// The day on which it was saved, `2026-11-29`, where its writer has a clock.
    pub date: String,
    /// The least level of any of its runs.
    pub level: Level,
    /// The view as the text of its link: selection, baseline, ruler, window, limits, what is left out, screen.
    pub view: String,
    /// Names that the reader gave to runs and dumps.
    pub names: BTreeMap<RunId, String>,
    /// Files that stand alone, whatever their names and ids say.
    pub apart: BTreeSet<RunId>,
    /// Sets of files that are one run.
    pub together: Vec<BTreeSet<RunId>>,
    /// Groups by run, such as the name of a sweep, where the reader chose them.
    pub groups: BTreeMap<RunId, String>,
    /// How many accelerators served a run, where the reader said it.
    pub gpus: BTreeMap<RunId, u32>,
    /// What is wanted of the report.
    pub report: ReportPlan,
    /// Palette index of runs that keep the one that they had, as of a link.
    pub marks: BTreeMap<RunId, u8>,
}

impl Decided {
    /// Without a word on any other run or dump than these.
    #[must_use]
    pub fn only(mut self, of: &BTreeSet<RunId>) -> Self {
        self.names.retain(|id, _| of.contains(id));
        self.groups.retain(|id, _| of.contains(id));
        self.gpus.retain(|id, _| of.contains(id));
        self.marks.retain(|id, _| of.contains(id));
        self.apart.retain(|id| of.contains(id));
        self.together.retain(|set| !set.is_disjoint(of));
        self
    }
}

/// A session as a file holds it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionFile {
    /// What was decided.
    pub decided: Decided,
    /// The runs in order, as they were read: files of one run are put together anew.
    pub runs: Vec<Run>,
    /// What servers said of themselves.
    pub dumps: Vec<ServerDump>,
}

impl SessionFile {
    /// The session with no more of its data than `level`, and without hosts and folders, which are told apart and
    /// no longer named. Server dumps are readings over time and go with the requests.
    #[must_use]
    pub fn at_level(self, level: Level) -> Self {
        let Self { mut decided, runs, dumps } = self;
        let mut places = Places::default();
        let runs: Vec<Run> =
            runs.into_iter().map(|run| places.hidden(reduced(run, level))).collect();
        let dumps = match level {
            Level::Aggregates => Vec::new(),
            Level::Requests | Level::Events => {
                dumps.into_iter().map(|dump| places.hidden_dump(dump)).collect()
            }
        };
        decided.level = level;
        Self { decided, runs, dumps }
    }
}
