//! Opening what Same Ruler wrote itself: a session file, or a report or link that carries one.

use super::import::Imported;
use super::protocol::{Carrier, Cause, Opened, Refusal};
use crate::archives::{Allowance, Fault, gzip};
use crate::link::inside;
use crate::session_file::{self, SessionFile};
use std::borrow::Cow;
use std::io::Read as _;

/// What carries the session in a file that begins like this, if it is ours.
pub(super) fn of(head: &[u8]) -> Option<Carrier> {
    if session_file::is_session(head) {
        return Some(Carrier::Session);
    }
    if session_file::is_report(head) {
        return Some(Carrier::Report);
    }
    link(head).map(|_| Carrier::Link)
}

/// The link that a text is.
fn link(text: &[u8]) -> Option<&str> {
    std::str::from_utf8(text).ok().and_then(inside::fragment)
}

/// Reads a file of ours.
pub(super) fn read(
    carrier: Carrier,
    file: &str,
    bytes: &[u8],
    allowance: &Allowance,
) -> Result<Imported, Refusal> {
    let refused = |error: String, place: String, advice: &str| Refusal {
        file: file.to_owned(),
        kind: Cause::Broken,
        what: None,
        error,
        place,
        advice: advice.to_owned(),
        mapping: None,
    };
    let unpacked = |packed: &[u8], place: &str| {
        let mut content = Vec::new();
        match gzip(packed, allowance).read_to_end(&mut content) {
            Ok(_) => Ok(content),
            Err(error) => {
                let fault = Fault::of(&error);
                Err(refused(fault.to_string(), place.to_owned(), fault.advice()))
            }
        }
    };
    let mut view = None;
    let content = match carrier {
        Carrier::Session => Cow::Borrowed(bytes),
        Carrier::Report => {
            let packed = session_file::of_report(bytes).map_err(|(error, place)| {
                refused(error, place, "Open the files that the report was made of: it names them.")
            })?;
            Cow::Owned(unpacked(&packed, "data of the report")?)
        }
        Carrier::Link => {
            let (of_view, letters) = inside::taken_out(link(bytes).unwrap_or_default());
            let letters = letters.ok_or_else(|| {
                let error =
                    "This link has settings and no data; expected one with aggregates inside.";
                refused(
                    error.into(),
                    "whole link".into(),
                    "Open it in a browser, and drop the files on the page there.",
                )
            })?;
            view = Some(of_view);
            let packed = session_file::of_letters(letters)
                .map_err(|(error, place)| refused(error, place, COPY_AGAIN))?;
            let content = unpacked(&packed, "data of the link").map_err(|refusal| Refusal {
                error:
                    "The data in the link is cut or damaged; expected all of it as it was copied."
                        .into(),
                advice: COPY_AGAIN.into(),
                ..refusal
            });
            Cow::Owned(content?)
        }
    };
    let session = session_file::decode(&content)
        .map_err(|error| refused(error.to_string(), error.place(), error.advice()))?;
    let SessionFile { mut decided, runs, dumps } = session;
    decided.view = view.unwrap_or(decided.view);
    let opened = Opened { file: file.to_owned(), carrier, decided };
    Ok(Imported { runs, dumps, opened: vec![opened], refused: Vec::new() })
}

/// What helps a link whose data is cut or damaged.
const COPY_AGAIN: &str = "Copy the whole link again, or drop the files that it was made of.";
