//! The session inside a report: text in an element that shows nothing and runs nothing.

use super::base64;

/// The id of the element. A `template` is inert: its content is parsed and neither shown, fetched nor run.
pub const BLOCK: &str = "sameruler-session";

/// What marks a page as a report of ours, as its head writes it.
const GENERATOR: &str = "name=\"generator\" content=\"Same Ruler";

/// The element's text: the bytes of a session file.
pub fn block(file: &[u8]) -> String {
    base64::encode(file)
}

/// Whether a page begins as a report of ours.
pub fn is_report(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    let html = start.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"<!DOCTYPE"));
    let marks = |window: &[u8]| window == GENERATOR.as_bytes();
    html && head.get(..4096).unwrap_or(head).windows(GENERATOR.len()).any(marks)
}

/// The bytes of the session file in a report.
///
/// # Errors
/// What is wrong with the report, and where.
pub fn of_report(page: &[u8]) -> Result<Vec<u8>, (String, String)> {
    let open = format!("<template id=\"{BLOCK}\"");
    let at = page.windows(open.len()).position(|window| window == open.as_bytes());
    let at = at.ok_or_else(|| {
        let none = "This report was saved without its data; expected one that carries it.";
        (none.to_owned(), "whole file".to_owned())
    })?;
    let rest = page.get(at + open.len()..).unwrap_or_default();
    let start = rest.iter().position(|byte| *byte == b'>').map_or(rest.len(), |end| end + 1);
    let rest = rest.get(start..).unwrap_or_default();
    // Letters of the block are none of HTML's: the next tag ends it.
    let end = rest.iter().position(|byte| *byte == b'<').ok_or_else(|| {
        let cut = "The report is cut within its data; expected all of it.";
        (cut.to_owned(), format!("byte {}", page.len()))
    })?;
    let text = rest.get(..end).unwrap_or_default();
    let first = at + open.len() + start;
    let damaged = |letter: usize| {
        let words = "The data of the report is damaged; expected it as it was saved.";
        (words.to_owned(), format!("byte {}", first + letter))
    };
    let text = std::str::from_utf8(text).map_err(|error| damaged(error.valid_up_to()))?;
    base64::decode(text).map_err(damaged)
}
