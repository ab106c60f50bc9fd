//! The bytes of a session file: gzip around a head and the packs.

use super::{Decided, SessionFile};
use crate::model::{dump_pack, pack};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Write as _;

/// The version that [`encode`] writes.
pub const VERSION: u32 = 1;

/// How the content begins, once it is unpacked.
const MAGIC: &[u8; 4] = b"SMRS";

/// One step for each version before this one: what makes of a head of version `n + 1` one of version `n + 2`.
const UPGRADES: [fn(&mut Value); (VERSION - 1) as usize] = [];

/// Why a session could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The bytes do not begin as a session does.
    #[error("It does not begin as a session does; expected a file that Same Ruler saved.")]
    NotASession,
    /// A newer version wrote it.
    #[error(
        "It is a session of version {found}, which is newer than this; expected at most {VERSION}."
    )]
    Newer {
        /// The file's version.
        found: u32,
    },
    /// It ends early.
    #[error("The session ends early; expected {what}.")]
    Cut {
        /// What should have followed.
        what: &'static str,
        /// Where it ends: the byte of the unpacked content.
        at: usize,
    },
    /// Its head is no head.
    #[error("The head of the session is damaged ({0}); expected its list of runs.")]
    Head(String),
    /// A run or dump in it can't be read.
    #[error("Part {number} of the session can’t be read: {error}.")]
    Part {
        /// Which, from 1: the runs in order, then the dumps.
        number: usize,
        /// Why.
        error: String,
    },
    /// More bytes than the head speaks of.
    #[error("{0} bytes follow the last part of the session; expected its end.")]
    Longer(usize),
}

impl SessionError {
    /// Where: for [`crate::notice::Place`]-like columns of a refusal.
    pub fn place(&self) -> String {
        match self {
            Self::Cut { at, .. } => format!("byte {at} of the unpacked session"),
            Self::Part { number, .. } => format!("part {number}"),
            Self::Head(_) => "head".into(),
            Self::NotASession | Self::Newer { .. } | Self::Longer(_) => "whole file".into(),
        }
    }

    /// What to do, in the imperative.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Newer { .. } => "Reload the page, or update the command, and open it again.",
            _ => {
                "Save the session again where it came from, or open the files that it was made of."
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(flatten)]
    decided: Decided,
    /// Bytes of each run's pack.
    runs: Vec<usize>,
    /// Bytes of each dump's pack.
    dumps: Vec<usize>,
}

/// Whether unpacked content begins as a session does.
pub fn is_session(content: &[u8]) -> bool {
    content.starts_with(MAGIC)
}

/// The whole file. The same session gives the same bytes: the gzip head has neither time nor name.
///
/// # Errors
/// When a run can't be written, which none that was read from a file causes.
pub fn encode(session: &SessionFile) -> Result<Vec<u8>, String> {
    packed(session, Compression::default())
}

/// The same file in as few bytes as it goes, for what is small and must stay so.
///
/// # Errors
/// As [`encode`].
pub(super) fn encode_small(session: &SessionFile) -> Result<Vec<u8>, String> {
    packed(session, Compression::best())
}

fn packed(session: &SessionFile, compression: Compression) -> Result<Vec<u8>, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let runs: Vec<_> =
        session.runs.iter().map(pack::encode).collect::<Result<_, _>>().map_err(|e| words(&e))?;
    let dumps: Vec<_> = session
        .dumps
        .iter()
        .map(dump_pack::encode)
        .collect::<Result<_, _>>()
        .map_err(|e| words(&e))?;
    let head = Head {
        decided: session.decided.clone(),
        runs: runs.iter().map(Vec::len).collect(),
        dumps: dumps.iter().map(Vec::len).collect(),
    };
    let head = serde_json::to_vec(&head).map_err(|e| words(&e))?;
    let mut file = GzEncoder::new(Vec::new(), compression);
    let written = file.write_all(MAGIC).and_then(|()| {
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&(head.len() as u64).to_le_bytes())?;
        file.write_all(&head)?;
        runs.iter().chain(&dumps).try_for_each(|part| file.write_all(part))
    });
    written.and_then(|()| file.finish()).map_err(|e| words(&e))
}

/// The session of unpacked content.
///
/// # Errors
/// When it is no session, of a newer version, cut or damaged. Never panics on any bytes.
pub fn decode(content: &[u8]) -> Result<SessionFile, SessionError> {
    let cut = |what, rest: &[u8]| SessionError::Cut { what, at: content.len() - rest.len() };
    let rest = content.strip_prefix(MAGIC).ok_or(SessionError::NotASession)?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(|| cut("its version", rest))?;
    let found = u32::from_le_bytes(*version);
    if found > VERSION {
        return Err(SessionError::Newer { found });
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(|| cut("its head", rest))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (head, mut rest) = rest.split_at_checked(length).ok_or_else(|| cut("its head", rest))?;
    let head = upgraded(head, found)?;
    let mut session = SessionFile { decided: head.decided, ..SessionFile::default() };
    let mut number = 0;
    let mut next = |length: &usize| {
        number += 1;
        let (part, after) = rest.split_at_checked(*length).ok_or_else(|| cut("a run", rest))?;
        rest = after;
        Ok((number, part))
    };
    let bad =
        |number, error: pack::PackError| SessionError::Part { number, error: error.to_string() };
    for length in &head.runs {
        let (number, part) = next(length)?;
        session.runs.push(pack::decode(part).map_err(|error| bad(number, error))?);
    }
    for length in &head.dumps {
        let (number, part) = next(length)?;
        session.dumps.push(dump_pack::decode(part).map_err(|error| bad(number, error))?);
    }
    if rest.is_empty() { Ok(session) } else { Err(SessionError::Longer(rest.len())) }
}

/// The head of a session of version `found` as one of this version, step by step.
fn upgraded(head: &[u8], found: u32) -> Result<Head, SessionError> {
    let words = |error: serde_json::Error| SessionError::Head(error.to_string());
    let mut head: Value = serde_json::from_slice(head).map_err(words)?;
    if found == 0 {
        return Err(SessionError::Head("there is no version 0".into()));
    }
    for step in UPGRADES.iter().skip(found as usize - 1) {
        step(&mut head);
    }
    serde_json::from_value(head).map_err(words)
}
