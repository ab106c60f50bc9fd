//! What a server says of itself: named series with labels, each a value at some times.

use crate::units::UnixTime;
use serde::{Deserialize, Serialize};

/// What kind of number a family holds, as its TYPE line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FamilyKind {
    /// Only rises, but for a restart.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Cumulative buckets by `le`, with `_sum` and `_count`.
    Histogram,
    /// Buckets of what is there now, which may fall.
    GaugeHistogram,
    /// Quantiles that the server computed, with `_sum` and `_count`.
    Summary,
    /// Facts as labels; the value is 1.
    Info,
    /// One series a state, 1 for those that hold.
    StateSet,
    /// Nothing says it.
    #[default]
    Unknown,
}

/// A metric family: one name, its kind and its series.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Family {
    /// The name without `_bucket`, `_sum`, `_count`; a counter's with `_total`, as text 0.0.4 has it.
    pub name: String,
    /// Its kind.
    pub kind: FamilyKind,
    /// The HELP line.
    pub help: Option<String>,
    /// The UNIT line.
    pub unit: Option<String>,
}

/// One value of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Which scrape of the dump it stands in, from 0: [`Dump::scrapes`].
    pub scrape: u32,
    /// Its own time, where the line gives one.
    pub at: Option<UnixTime>,
    /// The value; NaN where the server wrote NaN.
    pub value: f64,
}

/// One series: a sample name, its labels, its values in order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Index of its family in [`Dump::families`].
    pub family: u32,
    /// The sample's name as written, such as `vllm:time_to_first_token_seconds_bucket`.
    pub name: String,
    /// Labels sorted by name, `le` and `quantile` among them.
    pub labels: Vec<(String, String)>,
    /// Values in order of time.
    pub points: Vec<Point>,
}

impl Series {
    /// The value of a label.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// One reading of all series.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scrape {
    /// When, where the file says it: a time stamp, a line of `date` between two scrapes.
    pub at: Option<UnixTime>,
    /// What stood before it in the file, such as a file name or a heading.
    pub title: Option<String>,
}

/// All series of one file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Dump {
    /// Readings in order; a file of one reading without a time has one.
    pub scrapes: Vec<Scrape>,
    /// Families in the order of the file.
    pub families: Vec<Family>,
    /// Series in the order of the file.
    pub series: Vec<Series>,
}
