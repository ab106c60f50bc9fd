//! The Library: what is loaded, what each thing is.

use crate::model::RunId;
use serde::{Deserialize, Serialize};

/// Everything that is loaded, in groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LibraryView {
    /// "11 runs from 3 files, grouped by what was measured".
    pub summary: String,
    /// Sweeps and single runs in the order in which they came.
    pub groups: Vec<Group>,
    /// "3.1 MB": numbers held in memory.
    pub held: String,
}

/// Runs that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Stable id of the group, from its runs.
    pub id: String,
    /// Heading, such as `vLLM · mock-model`.
    pub title: String,
    /// "6 loads, 4 to 26 req/s".
    pub subtitle: String,
    /// Whether the runs are loads of one sweep, which can be drawn as a curve.
    pub sweep: bool,
    /// "Goodput peaks at 12 req/s", when limits are set and the runs are a sweep.
    pub finding: Option<String>,
    /// Throughput and goodput by load, for a small line beside the row: both from 0 to 1.
    pub spark: Vec<SparkPoint>,
    /// The runs, sorted by load in a sweep.
    pub rows: Vec<RunRow>,
}

/// One load of a sweep's spark line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SparkPoint {
    /// Position of the load from 0 to 1.
    pub x: f64,
    /// Request throughput from 0 to 1 of the larger maximum.
    pub throughput: f64,
    /// Goodput from 0 to 1 of the larger maximum; missing when it can't be had.
    pub goodput: Option<f64>,
}

/// One run in the Library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Palette index of its colour and marker.
    pub style: usize,
    /// Editable name.
    pub name: String,
    /// "0.5.23" or "about 0.33 · chat".
    pub version: String,
    /// File name with folders.
    pub file: String,
    /// What it holds, in the order of [`CONTENT`].
    pub has: [bool; 4],
    /// Requests sent.
    pub sent: String,
    /// "8 req/s Poisson", "unlimited, at most 64 in flight".
    pub load: String,
    /// With its unit.
    pub duration: String,
    /// With its unit.
    pub size: String,
    /// First 8 digits of the file's digest.
    pub hash: String,
    /// The most important thing to know, short.
    pub note: Option<String>,
    /// Number of notices of severity warn or block.
    pub warnings: usize,
    /// Whether the server was scripted, not a model.
    pub scripted: bool,
}

/// Column heads of [`RunRow::has`], each with what it means.
pub const CONTENT: [(&str, &str); 4] = [
    ("Totals", "aggregates as the tool printed them"),
    ("Reqs", "one row a request: TTFT, lengths"),
    ("Chunks", "the gaps between stream events"),
    ("Clock", "send times, so that windows and in-flight counts can be had"),
];
