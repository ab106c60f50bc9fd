//! The axes of curves: which there are, their ids, and how they are called.

use crate::charts::spec::Better;
use crate::metrics::{Axis, Direction};
use crate::model::{Metric, Stat};
use crate::units::Unit;
use crate::views::measure::is_run_level;
use serde::{Deserialize, Serialize};

/// The load axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadAxis {
    /// Finished requests per second.
    Achieved,
    /// Requests per second asked for.
    Requested,
    /// Requests per second sent: sends ÷ the time from the first to the last.
    Sent,
    /// Requests in flight allowed by the client.
    Concurrency,
    /// Mean requests in flight by Little's law.
    InFlight,
    /// Output tokens per second as one user sees them, the median.
    UserSpeed,
    /// Output tokens per second.
    OutputThroughput,
    /// Output tokens per second and accelerator.
    OutputPerGpu,
}

impl LoadAxis {
    /// All of them, in the order to offer them.
    pub const ALL: [Self; 8] = [
        Self::Achieved,
        Self::Requested,
        Self::Sent,
        Self::Concurrency,
        Self::InFlight,
        Self::UserSpeed,
        Self::OutputThroughput,
        Self::OutputPerGpu,
    ];

    /// Stable id, as in links and in `sameruler curve --x`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Achieved => "achieved",
            Self::Requested => "requested",
            Self::Sent => "sent",
            Self::Concurrency => "concurrency",
            Self::InFlight => "in-flight",
            Self::UserSpeed => "user-speed",
            Self::OutputThroughput => "output-throughput",
            Self::OutputPerGpu => "output-per-gpu",
        }
    }

    /// The axis with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.id() == id)
    }

    /// The axis of the definition engine.
    pub const fn axis(self) -> Axis {
        match self {
            Self::Achieved => Axis::Metric(Metric::RequestThroughput, Stat::Value),
            Self::Requested => Axis::RequestedRate,
            Self::Sent => Axis::AchievedRate,
            Self::Concurrency => Axis::MaxConcurrency,
            Self::InFlight => Axis::InFlight,
            Self::UserSpeed => Axis::UserSpeed(Stat::Median),
            Self::OutputThroughput => Axis::Metric(Metric::OutputThroughput, Stat::Value),
            Self::OutputPerGpu => Axis::OutputPerAccelerator,
        }
    }

    /// The name in pickers: "achieved req/s".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Achieved => "achieved req/s",
            Self::Requested => "requested req/s",
            Self::Sent => "sent req/s",
            Self::Concurrency => "allowed in flight",
            Self::InFlight => "in flight (Little)",
            Self::UserSpeed => "tok/s per user",
            Self::OutputThroughput => "output tok/s",
            Self::OutputPerGpu => "output tok/s per GPU",
        }
    }

    /// The axis title: what is measured, without its unit.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Achieved => "achieved request rate",
            Self::Requested => "requested rate",
            Self::Sent => "sent request rate",
            Self::Concurrency => "allowed in flight",
            Self::InFlight => "mean in flight, by Little’s law",
            Self::UserSpeed => "tokens per second and user, p50",
            Self::OutputThroughput => "output",
            Self::OutputPerGpu => "output per GPU",
        }
    }

    /// The symbol of its unit.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Achieved | Self::Requested | Self::Sent => "req/s",
            Self::Concurrency | Self::InFlight => "requests",
            Self::UserSpeed | Self::OutputThroughput | Self::OutputPerGpu => "tok/s",
        }
    }

    /// The good end, of what was achieved rather than asked for.
    pub(super) const fn better(self) -> Option<Better> {
        match self {
            Self::Achieved | Self::UserSpeed | Self::OutputThroughput | Self::OutputPerGpu => {
                Some(Better::Right)
            }
            Self::Requested | Self::Sent | Self::Concurrency | Self::InFlight => None,
        }
    }
}

/// What goes right on the main chart: a load, or another metric of each load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Across {
    /// A load.
    Load(LoadAxis),
    /// A statistic of a metric.
    Metric(Metric, Stat),
}

impl From<LoadAxis> for Across {
    fn from(axis: LoadAxis) -> Self {
        Self::Load(axis)
    }
}

impl Across {
    /// The axis of the definition engine.
    pub const fn axis(self) -> Axis {
        match self {
            Self::Load(load) => load.axis(),
            Self::Metric(metric, _) if is_run_level(metric) => Axis::Metric(metric, Stat::Value),
            Self::Metric(metric, stat) => Axis::Metric(metric, stat),
        }
    }

    /// What an axis of the definition engine is here; nothing of one that no picture has across.
    pub fn of(axis: Axis) -> Option<Self> {
        match (LoadAxis::ALL.into_iter().find(|load| load.axis() == axis), axis) {
            (Some(load), _) => Some(Self::Load(load)),
            (None, Axis::Metric(metric, stat)) => Some(Self::Metric(metric, stat)),
            (None, Axis::UserSpeed(stat)) => Some(Self::Metric(Metric::UserSpeed, stat)),
            (None, _) => None,
        }
    }

    /// The load, where it is one.
    pub const fn load(self) -> Option<LoadAxis> {
        match self {
            Self::Load(load) => Some(load),
            Self::Metric(..) => None,
        }
    }

    /// The word in links: `achieved`, `tpot.p50`.
    pub fn id(self) -> String {
        match self {
            Self::Load(load) => load.id().to_owned(),
            Self::Metric(metric, stat) => format!("{}.{}", metric.id(), stat.name()),
        }
    }

    /// The name in pickers and sentences: "achieved req/s", "TPOT p50".
    pub fn name(self) -> String {
        match self {
            Self::Load(load) => load.name().to_owned(),
            Self::Metric(..) => axis_words(self.axis()).name,
        }
    }

    /// The axis title: what is measured, without its unit.
    pub(super) fn title(self) -> String {
        match self {
            Self::Load(load) => load.title().to_owned(),
            Self::Metric(..) => axis_words(self.axis()).name,
        }
    }

    /// The symbol of its unit.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Load(load) => load.unit(),
            Self::Metric(..) => axis_words(self.axis()).unit,
        }
    }

    /// The good end.
    pub(super) const fn better(self) -> Option<Better> {
        match self {
            Self::Load(load) => load.better(),
            Self::Metric(..) => match self.axis().direction() {
                Some(Direction::Higher) => Some(Better::Right),
                Some(Direction::Lower) => Some(Better::Left),
                None => None,
            },
        }
    }

    /// Whether more load lies farther right, so that what begins at a load goes on to the right edge.
    pub(super) const fn follows_load(self) -> bool {
        matches!(self, Self::Load(load) if !matches!(load, LoadAxis::UserSpeed))
    }
}

/// How an axis is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AxisWords {
    /// Stable id: `achieved`, `ttft.p99`.
    pub id: String,
    /// "achieved request rate", "TTFT p99".
    pub name: String,
    /// The symbol of its unit.
    pub unit: &'static str,
    /// `higher` or `lower`, where one end is good.
    pub better: Option<&'static str>,
}

/// The words of an axis.
pub fn axis_words(axis: Axis) -> AxisWords {
    if let Some(load) = LoadAxis::ALL.into_iter().find(|load| load.axis() == axis) {
        return AxisWords {
            id: load.id().to_owned(),
            name: load.title().to_owned(),
            unit: load.unit(),
            better: load.better().map(|_| "higher"),
        };
    }
    let (metric, stat) = match axis {
        Axis::Metric(metric, stat) => (metric, stat),
        Axis::UserSpeed(stat) => (Metric::UserSpeed, stat),
        // The others are load axes.
        _ => (Metric::RequestThroughput, Stat::Value),
    };
    let p = if stat == Stat::Median { "p50".to_owned() } else { stat.name() };
    let (id, name) = if is_run_level(metric) {
        (metric.id().to_owned(), metric.name().to_owned())
    } else {
        (format!("{}.{p}", metric.id()), format!("{} {p}", metric.name()))
    };
    let unit = match metric.unit() {
        Unit::Share => "share",
        unit => unit.symbol(),
    };
    let better = axis.direction().map(|end| match end {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    });
    AxisWords { id, name, unit, better }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_load_axis_is_found_by_its_id() {
        for axis in LoadAxis::ALL {
            assert_eq!(LoadAxis::from_id(axis.id()), Some(axis));
            assert_eq!(axis_words(axis.axis()).id, axis.id());
        }
    }

    #[test]
    fn what_goes_right_is_a_load_or_a_metric_with_its_good_end() {
        for axis in LoadAxis::ALL {
            assert_eq!(Across::of(axis.axis()), Some(Across::Load(axis)));
        }
        let tpot = Across::Metric(Metric::Tpot, Stat::Median);
        assert_eq!(Across::of(tpot.axis()), Some(tpot));
        assert_eq!((tpot.id().as_str(), tpot.name().as_str()), ("tpot.median", "TPOT p50"));
        assert_eq!((tpot.unit(), tpot.better()), ("ms", Some(Better::Left)));
        assert!(!tpot.follows_load() && Across::Load(LoadAxis::Sent).follows_load());
    }

    #[test]
    fn a_metric_says_its_statistic_and_its_good_end() {
        let words = axis_words(Axis::Metric(Metric::Ttft, Stat::Percentile(99.0)));
        assert_eq!((words.id.as_str(), words.name.as_str()), ("ttft.p99", "TTFT p99"));
        assert_eq!((words.unit, words.better), ("ms", Some("lower")));
        let words = axis_words(Axis::Metric(Metric::Goodput, Stat::Value));
        assert_eq!((words.id.as_str(), words.unit), ("goodput", "req/s"));
    }
}
