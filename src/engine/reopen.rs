//! Opening what Same Ruler wrote itself: a session file, or a report that carries one.

use super::import::Imported;
use super::protocol::{Cause, Opened, Refusal};
use crate::archives::{Allowance, Fault, gzip};
use crate::session_file::{self, SessionFile};
use std::io::Read as _;

/// What a file of ours is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// A session, unpacked.
    Session,
    /// A report.
    Report,
}

/// What a file that begins like this is, if it is ours.
pub(super) fn of(head: &[u8]) -> Option<Own> {
    if session_file::is_session(head) {
        Some(Own::Session)
    } else {
        session_file::is_report(head).then_some(Own::Report)
    }
}

/// Reads a file of ours.
pub(super) fn read(
    own: Own,
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
    let unpacked;
    let content = match own {
        Own::Session => bytes,
        Own::Report => {
            let packed = session_file::of_report(bytes).map_err(|(error, place)| {
                refused(error, place, "Open the files that the report was made of: it names them.")
            })?;
            let mut content = Vec::new();
            gzip(packed.as_slice(), allowance).read_to_end(&mut content).map_err(|error| {
                let fault = Fault::of(&error);
                refused(fault.to_string(), "data of the report".into(), fault.advice())
            })?;
            unpacked = content;
            &unpacked
        }
    };
    let session = session_file::decode(content)
        .map_err(|error| refused(error.to_string(), error.place(), error.advice()))?;
    let SessionFile { decided, runs, dumps } = session;
    let opened = Opened { file: file.to_owned(), report: own == Own::Report, decided };
    Ok(Imported { runs, dumps, opened: vec![opened], refused: Vec::new() })
}
