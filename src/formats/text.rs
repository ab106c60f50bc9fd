//! Bytes to text: byte order marks, UTF-16, and where in a text a byte is.

use crate::notice::Place;
use std::borrow::Cow;

/// The text of a file as UTF-8 without its byte order mark, or the first byte that is no text.
///
/// Shells write UTF-16 with a mark when a result is redirected on Windows.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, u64> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes, 0),
    }
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

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, u64> {
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut at = 2;
    let units = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(unit);
    for decoded in char::decode_utf16(units) {
        let Ok(decoded) = decoded else { return Err(at) };
        at += 2 * decoded.len_utf16() as u64;
        text.push(decoded);
    }
    if bytes.len().is_multiple_of(2) { Ok(Cow::Owned(text)) } else { Err(at) }
}

/// Line and column (in characters) of the byte at `offset`.
pub(super) fn line_column(text: &[u8], offset: usize) -> Place {
    let before = text.get(..offset.min(text.len())).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.split(|byte| *byte == b'\n').count() as u64;
    Place::LineColumn { line, column: 1 + characters(before.get(start..).unwrap_or_default()) }
}

/// Number of characters in a piece of UTF-8.
pub(super) fn characters(text: &[u8]) -> u64 {
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
}
