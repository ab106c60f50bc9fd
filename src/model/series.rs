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

/// What one sample of a family says. Some servers write bucket lines without `_bucket`, so ask this, not
/// the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleKind {
    /// The family's own value: a gauge, a counter's total, an info's 1.
    Value,
    /// How many observations were at or under the label `le`.
    Bucket,
    /// A quantile that the server computed, named by the label `quantile`.
    Quantile,
    /// The sum of all observations.
    Sum,
    /// The number of observations.
    Count,
    /// Unix time at which the series began.
    Created,
}

impl Family {
    /// What a series of this family says.
    pub fn sample(&self, series: &Series) -> SampleKind {
        let base = self.name.strip_suffix("_total").unwrap_or(&self.name);
        let ending = series
            .name
            .strip_prefix(self.name.as_str())
            .filter(|ending| !ending.is_empty())
            .or_else(|| series.name.strip_prefix(base))
            .unwrap_or_default();
        let buckets = matches!(self.kind, FamilyKind::Histogram | FamilyKind::GaugeHistogram);
        let counted = buckets || self.kind == FamilyKind::Summary;
        if buckets && series.label("le").is_some() {
            return SampleKind::Bucket;
        }
        if self.kind == FamilyKind::Summary && series.label("quantile").is_some() {
            return SampleKind::Quantile;
        }
        // Triton documents a TYPE whose name differs from that of its samples.
        let ends =
            |with: &str| ending == with || (ending.is_empty() && series.name.ends_with(with));
        match ending {
            "_created" if counted || self.kind == FamilyKind::Counter => SampleKind::Created,
            _ if counted && (ends("_sum") || ends("_gsum")) => SampleKind::Sum,
            _ if counted && (ends("_count") || ends("_gcount")) => SampleKind::Count,
            _ => SampleKind::Value,
        }
    }
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

/// What kind of file a dump was read from, which decides what its numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DumpShape {
    /// One or several pages of `/metrics`, in text 0.0.4 or OpenMetrics.
    #[default]
    Exposition,
    /// Prometheus’s `/federate`.
    Federation,
    /// `promtool tsdb dump` or `dump-openmetrics`.
    TsdbDump,
    /// An answer of the HTTP API.
    Query,
    /// Names and labels without any value: `/api/v1/series`, `promtool tsdb dump --format json`.
    SeriesList,
    /// VictoriaMetrics’s JSON lines.
    VictoriaMetrics,
    /// A panel of Grafana, as a table or JSON.
    Grafana,
    /// AIPerf’s export of what it scraped.
    Aiperf,
}

impl DumpShape {
    /// What the file is, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exposition => "a metrics page",
            Self::Federation => "a federation page",
            Self::TsdbDump => "a dump of Prometheus’s database",
            Self::Query => "an answer of Prometheus’s HTTP API",
            Self::SeriesList => "a list of series without values",
            Self::VictoriaMetrics => "an export of VictoriaMetrics",
            Self::Grafana => "a panel of Grafana",
            Self::Aiperf => "AIPerf’s server metrics",
        }
    }

    /// Whether each series is one that a server exports. Answers and panels may hold what an expression
    /// made of them, such as rates: their `le` series are weights, never counts.
    pub const fn is_raw(self) -> bool {
        !matches!(self, Self::Query | Self::Grafana)
    }
}

/// All series of one file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Dump {
    /// What kind of file they were read from.
    #[serde(default)]
    pub shape: DumpShape,
    /// Readings in order; a file of one reading without a time has one.
    pub scrapes: Vec<Scrape>,
    /// Families in the order of the file.
    pub families: Vec<Family>,
    /// Series in the order of the file.
    pub series: Vec<Series>,
}
