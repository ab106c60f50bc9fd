//! What is known of one metric: samples in numbers, one number, bounds, the printed value, or why not.

use crate::model::{ReportedValue, Stat};
use crate::stats::{Interval, QuantileValue, beyond};
use crate::units::{fixed, within_sentence};
use serde::{Deserialize, Serialize};

/// How much a percentile stands on. Every one but [`Support::Plain`] is shown with ≈ and drawn hollow;
/// those below [`Support::Weak`] with a note beside the number, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// At least ten samples lie beyond it.
    Plain,
    /// Five to nine samples lie beyond it.
    Weak,
    /// One to four samples lie beyond it.
    Few,
    /// No sample lies beyond it: it is decided by the largest (or smallest) one.
    IsMax,
}

impl Support {
    /// Its id in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Weak => "weak",
            Self::Few => "few",
            Self::IsMax => "is-max",
        }
    }

    /// The support of a percentile with so many samples beyond it.
    pub const fn of(beyond: usize) -> Self {
        match beyond {
            0 => Self::IsMax,
            1..5 => Self::Few,
            5..10 => Self::Weak,
            _ => Self::Plain,
        }
    }
}

/// One percentile with what it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The percentile, 0 to 100.
    pub p: f64,
    /// Its value in the metric's unit.
    pub value: QuantileValue,
    /// Samples beyond it.
    pub beyond: usize,
    /// Whether that is enough.
    pub support: Support,
    /// The 95 % interval by the order of the samples, whatever their distribution
    /// ([`crate::stats::quantile_ranks`]). `None` where there are too few, and where one request gave
    /// several of them or they have weights: then it takes resampling by request
    /// ([`super::Subject::interval`]).
    pub interval: Option<Interval>,
}

impl Quantile {
    /// The percentile `p` of `n` samples.
    pub(super) fn new(p: f64, value: f64, n: usize, interval: Option<Interval>) -> Self {
        let beyond = beyond(n, p / 100.0);
        let value = QuantileValue::new(value);
        Self { p, value, beyond, support: Support::of(beyond), interval }
    }

    /// What is wrong with reading it as that percentile, if anything: "n = 300 supports p99 poorly: 3
    /// requests lie above it". `samples` is what it is a percentile of, such as "requests".
    pub fn warning(&self, n: usize, samples: &str) -> Option<String> {
        let name = Stat::Percentile(self.p).name();
        let upper = self.p >= 50.0;
        let (side, extreme) = if upper { ("above", "largest") } else { ("below", "smallest") };
        let beyond = self.beyond;
        match self.support {
            Support::Plain => None,
            Support::Weak | Support::Few if beyond == 1 => {
                Some(format!("n = {n} supports {name} poorly: 1 of the {samples} lies {side} it"))
            }
            Support::Weak | Support::Few => {
                Some(format!("n = {n} supports {name} poorly: {beyond} {samples} lie {side} it"))
            }
            Support::IsMax => {
                let tail = if upper { 100.0 - self.p } else { self.p };
                let needed = (100.0 / tail - 1e-9).ceil();
                Some(if needed.is_finite() && n > 1 {
                    format!(
                        "{name} of fewer than {} samples is the {extreme} sample: n = {n}",
                        fixed(needed, 0)
                    )
                } else {
                    format!("{name} of n = {n} is the {extreme} sample")
                })
            }
        }
    }
}

/// A metric's samples in numbers, in the metric's unit.
///
/// The mean is always there; the rest is missing where the file allows the mean only, and `note`
/// says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Number of samples.
    pub n: usize,
    /// Number of requests that gave them: fewer than `n` where one request gave several.
    pub requests: usize,
    /// Whether the samples have weights: then their order alone says nothing of a percentile.
    pub weighed: bool,
    /// Mean.
    pub mean: f64,
    /// The 50th percentile by the rule of the definition set.
    pub median: Option<f64>,
    /// Standard deviation.
    pub std: Option<f64>,
    /// Median absolute deviation from the ordinary median, not scaled.
    pub mad: Option<f64>,
    /// Smallest sample.
    pub min: Option<f64>,
    /// Largest sample.
    pub max: Option<f64>,
    /// The percentiles that were asked for.
    pub percentiles: Vec<Quantile>,
    /// What to know about it, as a sentence.
    pub note: Option<String>,
}

impl Summary {
    /// One statistic of it.
    pub fn stat(&self, stat: Stat) -> Option<f64> {
        match stat {
            Stat::Mean => Some(self.mean),
            Stat::Median => self.median,
            Stat::Std => self.std,
            Stat::Min => self.min,
            Stat::Max => self.max,
            Stat::Percentile(p) => {
                let asked = self.percentiles.iter().find(|q| same(q.p, p)).map(|q| q.value.shown());
                asked.or(if same(p, 50.0) { self.median } else { None })
            }
            Stat::Value => None,
        }
    }

    /// The percentile `p` with what it stands on.
    pub fn quantile(&self, p: f64) -> Option<&Quantile> {
        self.percentiles.iter().find(|q| same(q.p, p))
    }
}

/// A note, which is a sentence, as a reason, which stands inside one: without its full stop, its first word
/// small unless it is a short name.
fn clause(note: &str) -> String {
    within_sentence(note.strip_suffix('.').unwrap_or(note))
}

/// Said of sums of squares beyond the largest double, and of a reciprocal of 0.
const NOT_FINITE: &str = "it comes to no finite number in double precision";

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// What is known of one metric of a run under a definition set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// Recomputed from samples.
    Summary(Summary),
    /// Recomputed, one number for the run.
    Scalar(f64),
    /// Known within bounds: every statistic but the standard deviation lies between those of `low`
    /// and `high`, where there are such.
    Bounds {
        /// Not below this.
        low: Option<Summary>,
        /// Not above this.
        high: Option<Summary>,
        /// Why no more is known, as a clause.
        because: String,
    },
    /// One number for the run, known within bounds.
    ScalarBounds {
        /// Not below this.
        low: Option<f64>,
        /// Not above this.
        high: Option<f64>,
        /// Why no more is known, as a clause.
        because: String,
    },
    /// Only as printed by the tool, whose own definition is the one that was asked for.
    Reported {
        /// What was printed.
        values: Vec<ReportedValue>,
        /// Why it can't be recomputed, as a clause.
        because: String,
    },
    /// Not to be had; the reason is a sentence without its full stop.
    Unavailable(String),
}

/// What is known of one statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// Recomputed.
    Exact(f64),
    /// Not below this.
    AtLeast(f64),
    /// Not above this.
    AtMost(f64),
    /// Between the two.
    Between(f64, f64),
    /// As printed by the tool.
    Reported(f64),
    /// Not to be had, and why.
    Missing(String),
}

impl Value {
    /// The number behind it where there is one: exact, printed, or the only bound.
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Exact(v) | Self::AtLeast(v) | Self::AtMost(v) | Self::Reported(v) => Some(*v),
            Self::Between(..) | Self::Missing(_) => None,
        }
    }

    /// The number, where it was recomputed exactly.
    pub const fn exact(&self) -> Option<f64> {
        match self {
            Self::Exact(v) => Some(*v),
            _ => None,
        }
    }

    /// The number, where it is one: recomputed exactly, or as printed.
    pub const fn exact_or_reported(&self) -> Option<f64> {
        match self {
            Self::Exact(v) | Self::Reported(v) => Some(*v),
            _ => None,
        }
    }

    pub(super) fn from_bounds(low: Option<f64>, high: Option<f64>, because: &str) -> Self {
        match (low, high) {
            (Some(low), Some(high)) => Self::Between(low, high),
            (Some(low), None) => Self::AtLeast(low),
            (None, Some(high)) => Self::AtMost(high),
            (None, None) => Self::Missing(because.to_owned()),
        }
    }
}

impl Measured {
    /// Why it is not simply there, as a clause.
    pub fn because(&self) -> Option<&str> {
        match self {
            Self::Summary(summary) => summary.note.as_deref(),
            Self::Scalar(_) => None,
            Self::Bounds { because, .. }
            | Self::ScalarBounds { because, .. }
            | Self::Reported { because, .. } => Some(because),
            Self::Unavailable(reason) => Some(reason),
        }
    }

    /// What is known of one statistic; `Mean`, `Median` and percentiles of a run-level number are missing, and
    /// so is what comes to no finite number.
    pub fn value(&self, stat: Stat) -> Value {
        match self.held(stat) {
            Value::Exact(v) | Value::AtLeast(v) | Value::AtMost(v) if !v.is_finite() => {
                Value::Missing(NOT_FINITE.into())
            }
            Value::Between(low, high) if !(low.is_finite() && high.is_finite()) => {
                Value::from_bounds(
                    Some(low).filter(|v| v.is_finite()),
                    Some(high).filter(|v| v.is_finite()),
                    NOT_FINITE,
                )
            }
            value => value,
        }
    }

    fn held(&self, stat: Stat) -> Value {
        let missing = |s: &Summary| {
            if stat == Stat::Std && s.n == 1 {
                return Value::Missing("one sample has no spread that is divided by N − 1".into());
            }
            Value::Missing(
                s.note
                    .as_deref()
                    .map_or_else(|| format!("{} was not computed", stat.name()), clause),
            )
        };
        match self {
            Self::Summary(s) => s.stat(stat).map_or_else(|| missing(s), Value::Exact),
            Self::Scalar(v) if stat == Stat::Value => Value::Exact(*v),
            Self::ScalarBounds { low, high, because } if stat == Stat::Value => {
                Value::from_bounds(*low, *high, because)
            }
            Self::Scalar(_) | Self::ScalarBounds { .. } => {
                Value::Missing("one number for the run, not a distribution".into())
            }
            Self::Bounds { because, .. } if stat == Stat::Std => {
                Value::Missing(format!("{because}; bounds of values do not bound their spread"))
            }
            Self::Bounds { low, high, because } => {
                let of = |s: &Option<Summary>| s.as_ref().and_then(|s| s.stat(stat));
                Value::from_bounds(of(low), of(high), because)
            }
            Self::Reported { values, because } => {
                let same_stat =
                    |v: &&ReportedValue| v.stat == stat || (is_median(v.stat) && is_median(stat));
                values.iter().find(same_stat).map_or_else(
                    || Value::Missing(format!("{because}; the tool printed no {}", stat.name())),
                    |v| Value::Reported(v.value),
                )
            }
            Self::Unavailable(reason) => Value::Missing(reason.clone()),
        }
    }

    /// The summary, where it was recomputed exactly.
    pub const fn summary(&self) -> Option<&Summary> {
        match self {
            Self::Summary(summary) => Some(summary),
            _ => None,
        }
    }

    /// The run-level number, where it was recomputed exactly.
    pub const fn scalar(&self) -> Option<f64> {
        match self {
            Self::Scalar(value) => Some(*value),
            _ => None,
        }
    }
}

pub(super) fn is_median(stat: Stat) -> bool {
    matches!(stat, Stat::Median) || matches!(stat, Stat::Percentile(p) if same(p, 50.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_says_when_it_stands_on_little() {
        let warning = |p, n, unit| Quantile::new(p, 1.0, n, None).warning(n, unit);
        assert_eq!(warning(99.0, 1000, "requests"), None);
        assert_eq!(
            warning(99.0, 300, "requests").unwrap(),
            "n = 300 supports p99 poorly: 3 requests lie above it"
        );
        assert_eq!(
            warning(1.0, 700, "gaps").unwrap(),
            "n = 700 supports p1 poorly: 7 gaps lie below it"
        );
        assert_eq!(
            warning(99.0, 150, "requests").unwrap(),
            "n = 150 supports p99 poorly: 1 of the requests lies above it"
        );
        assert_eq!(
            warning(99.0, 20, "requests").unwrap(),
            "p99 of fewer than 100 samples is the largest sample: n = 20"
        );
        assert_eq!(
            warning(99.9, 300, "requests").unwrap(),
            "p99.9 of fewer than 1,000 samples is the largest sample: n = 300"
        );
        let marks = [0, 1, 4, 5, 9, 10].map(Support::of);
        let marks = marks.map(Support::id);
        assert_eq!(marks, ["is-max", "few", "few", "weak", "weak", "plain"]);
    }
}
