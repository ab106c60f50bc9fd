//! What a file is that no format reads: known neighbours, named, with what to drop instead.

use super::error::ErrorKind;
use super::sniff::Head;

/// A known kind of file by its first bytes.
pub(super) fn by_bytes(_head: &Head<'_>) -> Option<ErrorKind> {
    None
}

/// A known kind of file by its text or keys.
pub(super) fn by_text(_head: &Head<'_>) -> Option<ErrorKind> {
    None
}

/// The error for a file that nobody knows.
pub(super) fn unknown(head: &Head<'_>) -> ErrorKind {
    ErrorKind::Unknown { seen: head.seen() }
}
