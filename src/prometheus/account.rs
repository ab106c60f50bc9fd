//! A server's account of a stretch of time: what its histograms, counters and gauges say, added up by a
//! named rule.

use super::engine::Engine;
use super::keys::Folded;
use super::names::{Measure, Name, Vantage};
use crate::stats::{Histogram, Repair};

/// Which stretch of time an account is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// From one reading to another.
    TwoScrapes,
    /// Since the server's start: one reading.
    SinceStart,
    /// Over three or more readings.
    Range,
}

impl Stretch {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::TwoScrapes => "two-scrapes",
            Self::SinceStart => "since-start",
            Self::Range => "range",
        }
    }
}

/// The stretch, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its kind.
    pub stretch: Stretch,
    /// Its length in seconds, where the dump has times.
    pub seconds: Option<f64>,
    /// Number of readings.
    pub scrapes: usize,
}

/// What is asked of a dump.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Labels by which series stay apart.
    pub by: Vec<String>,
}

/// A server's account of a stretch of time.
#[derive(Debug, Clone)]
pub struct Account {
    /// The stretch.
    pub span: Span,
    /// The engine; `None` where no name is known.
    pub engine: Option<Engine>,
    /// Histograms in the order of the file.
    pub histograms: Vec<ServerHistogram>,
    /// Counters in the order of the file.
    pub counters: Vec<ServerCounter>,
    /// Gauges in the order of the file.
    pub gauges: Vec<ServerGauge>,
    /// Summaries in the order of the file.
    pub summaries: Vec<ServerSummary>,
    /// Which labels were folded, and how.
    pub folded: Vec<Folded>,
    /// Whether the readings say when their process or their series began.
    pub says_start: bool,
}

/// What all rows have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The series in PromQL's spelling, without labels that were folded.
    pub key: String,
    /// The family's name as the file has it.
    pub family: String,
    /// The labels that stayed.
    pub labels: Vec<(String, String)>,
    /// What it means; `None` of a name that no table has.
    pub name: Option<&'static Name>,
    /// How many series it is made of.
    pub series: usize,
    /// How often one of them began anew.
    pub resets: usize,
    /// Whether the numbers are lower bounds: something before a restart, or after a series ended, is lost.
    pub at_least: bool,
    /// How many of its series came up within the stretch, and count from zero.
    pub appeared: usize,
}

impl Row {
    /// The id of its meaning: `ttft/server`.
    pub fn meaning(&self) -> Option<String> {
        self.name.map(Name::meaning)
    }

    /// Its unit as a symbol; empty of a bare number and of what is not known.
    pub fn unit(&self) -> &'static str {
        self.name.map_or_else(|| unit_by_name(&self.family), |name| name.unit.symbol())
    }

    /// What turns its numbers into seconds, where they are times.
    pub fn seconds(&self) -> Option<f64> {
        match self.name {
            Some(name) => name.unit.seconds(),
            None => (self.unit() == "s").then_some(1.0),
        }
    }

    /// The value of a label that stayed.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// A unit that a name says by convention.
fn unit_by_name(family: &str) -> &'static str {
    let base = family.strip_suffix("_total").unwrap_or(family);
    let units =
        [("_seconds", "s"), ("_milliseconds", "ms"), ("_bytes", "bytes"), ("_tokens", "tokens")];
    units.iter().find(|(end, _)| base.ends_with(end)).map_or("", |(_, unit)| unit)
}

/// A histogram over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerHistogram {
    /// Key, meaning, restarts.
    pub row: Row,
    /// Number of observations, as `_count` says it, or else the bucket up to +Inf.
    pub count: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// The buckets; or why there are none that can be used, as a clause.
    pub buckets: Result<Histogram, String>,
    /// The bucket up to +Inf as it stands beside `_count`, where both are there.
    pub counted_twice: Option<(f64, f64)>,
    /// Set when counts fell from one edge to the next and were raised.
    pub repair: Option<Repair>,
    /// Edges that not all of its series have, which were left out.
    pub edges_lost: usize,
    /// What `rate()` makes of the buckets over a window that reaches half a scrape interval beyond the
    /// readings at both ends, as a dashboard’s does on average; where there are three readings with times.
    pub rated: Option<Rated>,
}

/// Buckets as `rate()` extrapolates them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// (upper edge, increase of the observations up to it), ascending.
    pub buckets: Vec<(f64, f64)>,
    /// The smallest and the largest factor by which a bucket was multiplied.
    pub factors: (f64, f64),
}

impl ServerHistogram {
    /// Σ ÷ n, which buckets don’t blur.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count.filter(|count| *count > 0.0)?;
        Some(self.sum? / count)
    }

    /// Its buckets, if they can be used.
    pub fn histogram(&self) -> Option<&Histogram> {
        self.buckets.as_ref().ok()
    }
}

/// A counter over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCounter {
    /// Key, meaning, restarts.
    pub row: Row,
    /// By how much it rose; of one reading, its total.
    pub delta: f64,
    /// That a second, where the length of the stretch is known.
    pub rate: Option<f64>,
    /// What each of several series gave: what it differs in, and its rise.
    pub parts: Vec<(String, f64)>,
}

/// A gauge over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerGauge {
    /// Key and meaning.
    pub row: Row,
    /// (number of the reading, time in seconds where there is one, value), in order.
    pub readings: Vec<(u32, Option<f64>, f64)>,
}

impl ServerGauge {
    /// The last value.
    pub fn last(&self) -> Option<f64> {
        self.readings.last().map(|reading| reading.2)
    }

    /// The first value.
    pub fn first(&self) -> Option<f64> {
        self.readings.first().map(|reading| reading.2)
    }
}

/// A summary: quantiles that the server worked out itself, over a window of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSummary {
    /// Key, meaning, restarts.
    pub row: Row,
    /// Number of observations.
    pub count: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// (quantile, value) as the last reading has them; of one series only, since quantiles of several
    /// are never averaged.
    pub quantiles: Vec<(f64, f64)>,
}

impl Account {
    /// The histogram of a meaning, summed over all its labels that stayed apart; `None` where there is
    /// none, or more than one model’s.
    pub fn histogram(&self, measure: Measure, vantage: Vantage) -> Option<&ServerHistogram> {
        let mut found = self
            .histograms
            .iter()
            .filter(|h| h.row.name.is_some_and(|n| n.measure == measure && n.vantage == vantage));
        let first = found.next()?;
        // The old and the new name of one thing stand beside each other in some versions.
        let same = |other: &ServerHistogram| {
            first.row.name.and_then(|n| n.instead) == other.row.name.map(|n| n.name)
        };
        found.all(same).then_some(first)
    }

    /// Why there is no single histogram of a measure though the server has several, as a clause; `None`
    /// where it has none, or one.
    pub fn apart(&self, measure: Measure) -> Option<String> {
        if self.server(measure).is_some() {
            return None;
        }
        let of = |h: &&ServerHistogram| {
            h.row.name.is_some_and(|n| n.measure == measure && n.vantage == Vantage::Server)
        };
        let rows: Vec<&Row> = self.histograms.iter().filter(of).map(|h| &h.row).collect();
        let (first, others) = rows.split_first()?;
        let differs = first.labels.iter().find(|(label, value)| {
            others.iter().any(|other| other.label(label) != Some(value.as_str()))
        });
        let Some((label, _)) = differs else {
            let families: Vec<&str> = rows.iter().map(|row| row.family.as_str()).collect();
            return Some(format!(
                "{} of the server measure the same, and none of them is taken for all: {}",
                families.len(),
                families.join(", ")
            ));
        };
        let values: Vec<&str> = rows.iter().filter_map(|row| row.label(label)).collect();
        Some(format!(
            "the server’s histograms are kept apart by {label} ({}), and a sum needs one of each: leave {label} out \
             of --by, or give a page of one {label} alone",
            values.join(", ")
        ))
    }

    /// The engine’s own histogram of a measure.
    pub fn server(&self, measure: Measure) -> Option<&ServerHistogram> {
        self.histogram(measure, Vantage::Server)
    }

    /// The rise of a counter by its name without prefix, summed over the labels with a meaning.
    pub fn counter(&self, name: &str) -> Option<f64> {
        let of_name = |c: &&ServerCounter| c.row.name.is_some_and(|n| n.name == name);
        let mut found = self.counters.iter().filter(of_name).peekable();
        found.peek()?;
        Some(found.map(|counter| counter.delta).sum())
    }

    /// The rise of the engine’s counter of a measure, summed over the labels with a meaning; `None` where
    /// two names count the same.
    pub fn counted(&self, measure: Measure) -> Option<f64> {
        let of = |c: &&ServerCounter| {
            c.row.name.is_some_and(|n| n.measure == measure && n.vantage == Vantage::Server)
        };
        let mut found = self.counters.iter().filter(of).peekable();
        let name = found.peek()?.row.family.clone();
        let same: Vec<&ServerCounter> = found.filter(|c| c.row.family == name).collect();
        Some(same.iter().map(|counter| counter.delta).sum())
    }

    /// Requests that ended well by the engine’s counter: those that it counts as aborted or failed leave no
    /// E2E. `None` without such a counter.
    pub fn finished(&self) -> Option<f64> {
        const BADLY: [&str; 2] = ["abort", "error"];
        let of = |c: &&ServerCounter| {
            c.row
                .name
                .is_some_and(|n| n.measure == Measure::Finished && n.vantage == Vantage::Server)
        };
        let mut found = self.counters.iter().filter(of).peekable();
        found.peek()?;
        let well =
            found.filter(|c| !c.row.label("finished_reason").is_some_and(|r| BADLY.contains(&r)));
        Some(well.map(|counter| counter.delta).sum())
    }

    /// Whether the engine is this one.
    pub fn is(&self, id: &str) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.exporter.id == id)
    }
}
