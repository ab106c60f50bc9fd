//! Where a run comes from.

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
    /// Recoverable trouble.
    pub notices: Notices,
}
