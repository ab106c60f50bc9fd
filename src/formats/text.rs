//! Bytes to text: byte order marks, UTF-16, and where in a text a byte is.

use crate::notice::Place;
use std::borrow::Cow;

/// The text of a file as UTF-8 without its byte order mark, or the first byte that is no text.
///
/// Shells write UTF-16 with a mark when a result is redirected on Windows.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, u64> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3),
        [0xff, 0xfe, rest @ ..] => utf16(rest, 2, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, 2, u16::from_be_bytes),
        _ if unmarked(bytes) => match bytes {
            [0, ..] => utf16(bytes, 0, u16::from_be_bytes),
            _ => utf16(bytes, 0, u16::from_le_bytes),
        },
        _ => utf8(bytes, 0),
    }
}

/// Whether bytes are UTF-16 without a mark: their first characters are ASCII, each with a zero on the
/// same side.
pub(super) fn unmarked(bytes: &[u8]) -> bool {
    let zero = |[a, b]: [u8; 2]| match (a, b) {
        (0, 1..=0x7f) => Some(false),
        (1..=0x7f, 0) => Some(true),
        _ => None,
    };
    let mut sides =
        bytes.chunks_exact(2).take(4).map(|pair| <[u8; 2]>::try_from(pair).ok().and_then(zero));
    let first = sides.next().flatten();
    first.is_some() && sides.all(|side| side == first)
}

/// The text of a file's beginning, where the last character may be cut in two.
pub(super) fn decode_head(bytes: &[u8]) -> Result<Cow<'_, str>, u64> {
    match decode(bytes) {
        Err(at) if bytes.len() as u64 - at < 4 => {
            decode(bytes.get(..at as usize).unwrap_or_default())
        }
        other => other,
    }
}

fn utf8(bytes: &[u8], skipped: u64) -> Result<Cow<'_, str>, u64> {
    std::str::from_utf8(bytes)
        .map(Cow::Borrowed)
        .map_err(|error| error.valid_up_to() as u64 + skipped)
}

fn utf16(bytes: &[u8], skipped: u64, unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, u64> {
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut at = skipped;
    let units = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(unit);
    for decoded in char::decode_utf16(units) {
        let Ok(decoded) = decoded else { return Err(at) };
        at += 2 * decoded.len_utf16() as u64;
        text.push(decoded);
    }
    if bytes.len().is_multiple_of(2) { Ok(Cow::Owned(text)) } else { Err(at) }
}

/// Tells lines and columns (in characters) of byte offsets, going on from the last one asked for: a
/// file with a fault in every value is then still read once.
pub(super) struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
    column: u64,
}

impl<'a> Lines<'a> {
    /// At the start of a text.
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    /// Line and column of the byte at `offset`.
    pub(super) fn place(&mut self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        if offset < self.at {
            *self = Self::new(self.text);
        }
        let passed = self.text.get(self.at..offset).unwrap_or_default();
        let tail = match passed.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => {
                self.line += passed.split(|byte| *byte == b'\n').count() as u64 - 1;
                self.column = 1;
                passed.get(end + 1..).unwrap_or_default()
            }
            None => passed,
        };
        self.column += characters(tail);
        self.at = offset;
        Place::LineColumn { line: self.line, column: self.column }
    }
}

/// Line and column (in characters) of the byte at `offset`.
pub(super) fn line_column(text: &[u8], offset: usize) -> Place {
    Lines::new(text).place(offset)
}

/// Number of characters in a piece of UTF-8.
fn characters(text: &[u8]) -> u64 {
    text.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() as u64
}

/// The first bytes in hex, for a message.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_wide_texts_are_decoded() {
        assert_eq!(decode(b"\xef\xbb\xbf{}").unwrap(), "{}");
        assert_eq!(decode(b"\xff\xfe{\0}\0").unwrap(), "{}");
        assert_eq!(decode(b"\xfe\xff\0{\0}").unwrap(), "{}");
        assert_eq!(decode(b"ab\xff"), Err(2));
        assert_eq!(decode(b"\xff\xfe{\0}"), Err(4));
        assert_eq!(decode(b"{\0}\0").unwrap(), "{}");
        assert_eq!(decode(b"\0{\0}").unwrap(), "{}");
        assert_eq!(decode(b"{\0\0}").unwrap(), "{\0\0}");
    }

    #[test]
    fn a_head_may_end_inside_a_character() {
        let euro = "a€".as_bytes();
        assert_eq!(decode_head(&euro[..3]).unwrap(), "a");
        assert!(decode_head(b"a\xffbcdefg").is_err());
    }

    #[test]
    fn columns_are_characters() {
        let text = "ab\n€x!".as_bytes();
        assert_eq!(line_column(text, 7), Place::LineColumn { line: 2, column: 3 });
    }

    #[test]
    fn places_are_the_same_in_any_order() {
        let text = "ab\n€x!\n\nyz".as_bytes();
        let mut lines = Lines::new(text);
        for offset in [0, 1, 3, 7, 8, 9, 10, 99, 2, 7] {
            assert_eq!(lines.place(offset), line_column(text, offset), "{offset}");
        }
        assert_eq!(lines.place(11), Place::LineColumn { line: 4, column: 2 });
    }
}
