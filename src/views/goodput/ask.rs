//! What the Goodput screen is asked for.

use crate::model::{LimitMetric, RunId};
use serde::{Deserialize, Serialize};

/// What goodput counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Good requests.
    #[default]
    Requests,
    /// Output tokens of good requests.
    Tokens,
}

impl Counted {
    /// Both, in the order to offer them.
    pub const ALL: [Self; 2] = [Self::Requests, Self::Tokens];

    /// Stable id, as in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Tokens => "tokens",
        }
    }

    /// The symbol of its rate.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Requests => "req/s",
            Self::Tokens => "tok/s",
        }
    }
}

/// Out of which requests a share is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutOf {
    /// All that were sent: a failure is not good.
    #[default]
    Sent,
    /// Those that finished: failures are hidden.
    Finished,
}

impl OutOf {
    /// Both, in the order to offer them.
    pub const ALL: [Self; 2] = [Self::Sent, Self::Finished];

    /// Stable id, as in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Finished => "finished",
        }
    }
}

/// What the screen is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodputAsk {
    /// A run of the sweep to show; the baseline’s sweep where none is named.
    pub run: Option<RunId>,
    /// A run of the sweep to compare the map with.
    pub other: Option<RunId>,
    /// The metric limited across the map.
    pub x: LimitMetric,
    /// The metric limited upward on the map.
    pub y: LimitMetric,
    /// Requests or their tokens.
    #[serde(default)]
    pub counted: Counted,
    /// The denominator of shares.
    #[serde(default)]
    pub out_of: OutOf,
    /// Whether rates are divided by the accelerators that served, where their count is known.
    #[serde(default)]
    pub per_gpu: bool,
}

impl Default for GoodputAsk {
    fn default() -> Self {
        Self {
            run: None,
            other: None,
            x: LimitMetric::Ttft,
            y: LimitMetric::Tpot,
            counted: Counted::default(),
            out_of: OutOf::default(),
            per_gpu: false,
        }
    }
}
