//! Why an archive or one of its members was not opened.

use super::{FREE_BYTES, MAX_DEPTH, MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_RATIO, MAX_TOTAL_BYTES};
use crate::units::bytes;
use std::fmt;
use std::io;

/// What is wrong with an archive or a member. The message says what happened and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Needs a password.
    Encrypted,
    /// Packed in a way that is not read: the number that ZIP gives it.
    Method(u16),
    /// A tar member that lists only the parts of a file that are not zeros.
    Sparse,
    /// Bytes that make no sense, in words.
    Damaged(String),
    /// Ends before its end.
    Cut,
    /// A ZIP archive without its directory.
    NoDirectory,
    /// A ZIP archive in several files.
    Split,
    /// More members than are read.
    TooMany,
    /// Archives in archives in archives.
    TooDeep,
    /// A member larger than is read.
    MemberTooBig,
    /// Unpacks to more than its size allows.
    Ratio,
    /// Unpacks to more than is read in all.
    Total,
    /// The file below could not be read, in words.
    Source(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encrypted => {
                write!(f, "It is encrypted; expected files that open without a password.")
            }
            Self::Method(number) => write!(
                f,
                "It is packed by {}; expected stored, deflated or Zstandard files.",
                method(*number)
            ),
            Self::Sparse => write!(f, "It is stored as a sparse file; expected a plain one."),
            Self::Damaged(what) => write!(f, "It is damaged: {what}; expected an intact archive."),
            Self::Cut => {
                write!(f, "The archive is cut: it ends before its end; expected all of it.")
            }
            Self::NoDirectory => write!(
                f,
                "The archive is cut or damaged: its list of members is not at its end; expected a whole \
                 ZIP archive."
            ),
            Self::Split => write!(
                f,
                "The archive is one part of several; expected one that is whole by itself."
            ),
            Self::TooMany => {
                write!(f, "The archive has too many members; expected at most {MAX_MEMBERS}.")
            }
            Self::TooDeep => write!(
                f,
                "Archives lie too deep in each other here; expected at most {MAX_DEPTH} levels."
            ),
            Self::MemberTooBig => {
                write!(
                    f,
                    "It unpacks to more than is read; expected at most {}.",
                    bytes(MAX_MEMBER_BYTES)
                )
            }
            Self::Ratio => write!(
                f,
                "The archive unpacks to more than {MAX_RATIO} times its size, as no result does; \
                 expected less, or at most {}.",
                bytes(FREE_BYTES)
            ),
            Self::Total => write!(
                f,
                "The archive unpacks to more than is read at once; expected at most {}.",
                bytes(MAX_TOTAL_BYTES)
            ),
            Self::Source(what) => write!(f, "The file could not be read: {what}."),
        }
    }
}

/// The name of a ZIP method (APPNOTE 6.3.10, section 4.4.5).
fn method(number: u16) -> String {
    match number {
        1..=6 => "an old method of PKZIP".into(),
        9 => "Deflate64".into(),
        12 => "bzip2".into(),
        14 => "LZMA".into(),
        95 => "xz".into(),
        98 => "PPMd".into(),
        other => format!("an unknown method ({other})"),
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        Self::other(fault)
    }
}

impl Fault {
    /// The fault behind an error of a stream: ours where one was passed on, else what a decoder said.
    pub fn of(error: &io::Error) -> Self {
        if let Some(fault) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return fault.clone();
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Cut,
            io::ErrorKind::OutOfMemory => Self::MemberTooBig,
            _ => inner(error),
        }
    }

    /// What to do about it, in the imperative.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Encrypted => "Unpack it with its password and drop the files inside.",
            Self::Method(_) | Self::Sparse => "Unpack it and drop the files inside.",
            Self::Damaged(_) | Self::Cut | Self::NoDirectory => {
                "Copy or download the archive again; if it stays so, pack the files anew."
            }
            Self::Split => "Join the parts, unpack them and drop the files inside.",
            Self::TooMany | Self::MemberTooBig | Self::Ratio | Self::Total => {
                "Unpack it and drop the result files that you mean to compare."
            }
            Self::TooDeep => "Unpack the outer archives and drop the inner one.",
            Self::Source(_) => {
                "Choose the file again; if it is being written or was moved, wait and add it anew."
            }
        }
    }

    /// Whether nothing further can be read of the archive.
    pub const fn ends(&self) -> bool {
        matches!(self, Self::TooMany | Self::Ratio | Self::Total | Self::Source(_))
    }
}

/// The fault inside an error that a decoder wrapped once more, or its words.
fn inner(error: &io::Error) -> Fault {
    let mut source = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(inner) = source {
        if let Some(fault) = inner.downcast_ref::<Fault>() {
            return fault.clone();
        }
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            return Fault::of(inner);
        }
        source = inner.source();
    }
    Fault::Damaged(error.to_string())
}
