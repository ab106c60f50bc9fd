//! Goodput as DistServe has it: the highest load of a sweep at which a share of the requests is good.

use super::goodput::{Goodput, Within};
use serde::{Deserialize, Serialize};

/// The highest load at which at least a share of the requests sent keeps every limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Attainment {
    /// The share that was asked for.
    pub wanted: f64,
    /// Where it is reached.
    pub reached: Reached,
}

/// Where a share is reached. Places are those of the curve's points, in order of load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reached {
    /// At this load, and at no higher one that was measured.
    At {
        /// The load.
        index: usize,
        /// The share there.
        share: Within,
        /// The next higher load with its share, which misses; none where the highest load attains:
        /// then the answer is "at least".
        next: Option<(usize, Option<Within>)>,
        /// A lower load that misses, though this one attains.
        missed_below: Option<usize>,
    },
    /// At no measured load; the lowest one and its share, below which it may still be reached.
    Below {
        /// The lowest load with a known share.
        lowest: usize,
        /// The share there.
        share: Within,
    },
}

/// The highest load that attains `wanted`, from the goodput of each load in order of load. `None`
/// where no load has a known share, or where bounds leave open whether any attains.
pub(super) fn attainment(loads: &[Option<&Goodput>], wanted: f64) -> Option<Attainment> {
    let attains = |at: usize| loads.get(at).copied().flatten().and_then(|g| g.attains(wanted));
    let share = |at: usize| loads.get(at).copied().flatten().map(|g| g.share_of_sent);
    let places = 0..loads.len();
    let highest = places.clone().rev().find(|at| attains(*at) == Some(true));
    let reached = if let Some(index) = highest {
        Reached::At {
            index,
            share: share(index)?,
            next: (index + 1 < loads.len()).then(|| (index + 1, share(index + 1))),
            missed_below: places.clone().take(index).find(|at| attains(*at) == Some(false)),
        }
    } else if places.clone().any(|at| share(at).is_some() && attains(at).is_none()) {
        return None;
    } else {
        let lowest = places.clone().find(|at| share(*at).is_some())?;
        Reached::Below { lowest, share: share(lowest)? }
    };
    Some(Attainment { wanted, reached })
}
