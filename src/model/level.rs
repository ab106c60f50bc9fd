//! How much of a run's data is there: what may be left out when it is saved or put into a report.

use serde::{Deserialize, Serialize};

/// How much of a run's data is there. A lower level holds nothing that a higher one doesn't.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// What the tool printed, and what is known of the run. No request.
    Aggregates,
    /// Also when each request was sent, began to answer and ended, and its tokens.
    Requests,
    /// Also when each event came: all that the file holds.
    #[default]
    Events,
}

impl Level {
    /// All levels, the least first.
    pub const ALL: [Self; 3] = [Self::Aggregates, Self::Requests, Self::Events];

    /// Stable id, as in JSON and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Aggregates => "aggregates",
            Self::Requests => "requests",
            Self::Events => "events",
        }
    }

    /// The level with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.id() == id)
    }

    /// In a sentence: “data level request timings”.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aggregates => "printed aggregates",
            Self::Requests => "request timings",
            Self::Events => "event times",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_json_form_and_come_back() {
        for level in Level::ALL {
            assert_eq!(serde_json::to_string(&level).unwrap(), format!("\"{}\"", level.id()));
            assert_eq!(Level::from_id(level.id()), Some(level));
        }
        assert!(Level::Aggregates < Level::Requests && Level::Requests < Level::Events);
        assert_eq!(Level::from_id("prompts"), None);
    }
}
