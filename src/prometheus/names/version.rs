//! Versions of engines, as far as they order metrics.

use std::fmt;

/// A release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// A release by its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// A span of versions: “0.8.5…”, “0.3.3 to 0.8.0”, “…0.10.0”; nothing without an end.
pub(in crate::prometheus) fn span(since: Option<Version>, until: Option<Version>) -> String {
    match (since, until) {
        (Some(since), Some(until)) if since == until => since.to_string(),
        (Some(since), Some(until)) => format!("{since} to {until}"),
        (Some(since), None) => format!("{since}…"),
        (None, Some(until)) => format!("…{until}"),
        (None, None) => String::new(),
    }
}
