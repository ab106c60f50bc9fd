//! Where a run comes from.

use super::{Level, RunId};
use crate::notice::Notices;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// A SHA-256 digest in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hex = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }

    /// All 64 digits.
    pub fn hex(&self) -> &str {
        &self.0
    }

    /// The first `digits` digits.
    pub fn short(&self, digits: usize) -> &str {
        self.0.get(..digits).unwrap_or(&self.0)
    }
}

/// Which part of a run a file holds. A run of several files is put together from its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// All that the tool writes of it.
    #[default]
    Whole,
    /// Every stream event of every request.
    Events,
    /// Every request.
    Requests,
    /// Aggregates of the whole run.
    Summary,
    /// Aggregates of one stage of a run of several.
    Stage,
    /// Aggregates of slices of time.
    Timeslices,
    /// What the server measured of itself.
    Server,
    /// What the accelerators measured of themselves.
    Accelerators,
}

/// A file that was joined to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The run that it was by itself.
    pub id: RunId,
    /// Its file, with folders.
    pub file: String,
    /// Digest of the file.
    pub sha256: Digest,
    /// Id of the format that read it.
    pub format: String,
    /// What it holds of the run.
    pub part: Part,
}

/// Where a run comes from, and what was met on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// File name with the folders under which it was added, `/` between them.
    pub file: String,
    /// Size of the file.
    pub bytes: u64,
    /// Digest of the file.
    pub sha256: Digest,
    /// Which run of the file, from 0.
    pub index: usize,
    /// How many runs the file holds.
    pub of: usize,
    /// Id of the format that read it.
    pub format: String,
    /// Why this format, in words.
    pub because: String,
    /// Which part of its run the file holds.
    #[serde(default)]
    pub part: Part,
    /// What the content of all files of one run has in common, such as an id that the tool gave the
    /// run. Files of one tool, equal kin and different parts are one run.
    #[serde(default)]
    pub kin: Option<String>,
    /// What the names of all files of one run share, where the file's name tells. Files of one tool and
    /// folder, equal stem and different parts are one run.
    #[serde(default)]
    pub stem: Option<String>,
    /// The other files of the run, once they were joined.
    #[serde(default)]
    pub joined: Vec<Piece>,
    /// How much of what the file held is here: less than all only of a run that was saved with less.
    #[serde(default)]
    pub level: Level,
    /// Recoverable trouble.
    pub notices: Notices,
}

impl Provenance {
    /// A whole file that holds one run.
    pub fn new(file: &str, bytes: u64, sha256: Digest, format: &str, because: &str) -> Self {
        Self {
            file: file.to_owned(),
            bytes,
            sha256,
            index: 0,
            of: 1,
            format: format.to_owned(),
            because: because.to_owned(),
            part: Part::Whole,
            kin: None,
            stem: None,
            joined: Vec::new(),
            level: Level::default(),
            notices: Notices::new(),
        }
    }
}
