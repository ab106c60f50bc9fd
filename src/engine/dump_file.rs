//! Reading one file of server metrics into dumps, for whoever asks for nothing else.

use super::import::import;
use super::plain;
use super::protocol::{Cause, Refusal};
use super::source::ByteSource;
use crate::archives::{Allowance, Kind, gzip, zstd};
use crate::formats::{self, MAX_BYTES, decode};
use crate::model::Dump;
use crate::notice::Notices;
use crate::prometheus;
use std::io::Read as _;

/// How a page of server metrics is had.
const SAVE: &str = "Save what the server answers at /metrics, such as with curl -s HOST:8000/metrics > before.txt.";

/// Reads one file of server metrics, compressed or packed or neither.
///
/// # Errors
/// When it can’t be read, or holds no sample.
pub fn dump_file(file: &str, source: &mut dyn ByteSource) -> Result<Vec<(Dump, Notices)>, Refusal> {
    // As it would be dropped: archives of several pages, and what a benchmark scraped.
    let imported = import(file, source, false, &mut |_, _, _, _| {});
    if !imported.dumps.is_empty() {
        let dumps = imported.dumps.into_iter();
        return Ok(dumps.map(|one| (one.dump, one.provenance.notices)).collect());
    }
    if let Some(run) = imported.runs.first() {
        return Err(result(file, &run.provenance.format));
    }
    let known = |refusal: &&Refusal| refusal.what.is_some();
    if let Some(refusal) = imported.refused.iter().find(known) {
        return Err(foreign(file, refusal.what.as_deref().unwrap_or_default()));
    }
    // A page of a line or two looks like nothing in particular, but somebody says that it is one.
    let refused = |kind, error: String, advice: &str| {
        plain::refusal(Refusal {
            file: file.to_owned(),
            kind,
            what: None,
            error,
            place: "whole file".into(),
            advice: advice.into(),
            mapping: None,
        })
    };
    let again = "Copy the file to this disk and try again.";
    let size = source.len();
    if size > MAX_BYTES {
        let error = format!("The file is larger than {}.", crate::units::bytes(MAX_BYTES));
        return Err(refused(Cause::TooBig, error, "Cut it to the readings that matter."));
    }
    let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
    let mut at = 0;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| !rest.is_empty()) {
        let count = source.read_at(at as u64, rest).map_err(|error| {
            refused(Cause::Unreadable, format!("The file could not be read: {error}."), again)
        })?;
        if count == 0 {
            break;
        }
        at += count;
    }
    bytes.truncate(at);
    // What is inside may be compressed once more.
    for _ in 0..2 {
        let allowance = Allowance::of(size);
        let mut inside = Vec::new();
        let unpacked = match Kind::of(&bytes) {
            Some(Kind::Gzip) => gzip(bytes.as_slice(), &allowance).read_to_end(&mut inside),
            Some(Kind::Zstd) => zstd(bytes.as_slice(), &allowance).read_to_end(&mut inside),
            _ => break,
        };
        unpacked.map_err(|error| {
            refused(Cause::Unreadable, format!("The compressed file is broken: {error}."), again)
        })?;
        bytes = inside;
    }
    let advice = SAVE;
    let text = decode(&bytes).map_err(|at| {
        let error =
            format!("It is no text: byte {at} fits no encoding; expected a page of metrics.");
        refused(Cause::Foreign, error, advice)
    })?;
    let mut notices = Notices::new();
    let dump = prometheus::read(&text, &mut notices).map_err(|unread| {
        refused(Cause::Foreign, format!("No series of a server: {unread}."), advice)
    })?;
    Ok(vec![(dump, notices)])
}

/// A client’s result where a server’s page was asked for.
fn result(file: &str, format: &str) -> Refusal {
    let name = formats::by_id(format).map_or(format, |known| known.about().name);
    plain::refusal(Refusal {
        file: file.to_owned(),
        kind: Cause::Foreign,
        what: Some(format!("a result of {name}").into()),
        error: format!(
            "The file is a client’s result ({name}) and holds no server metrics; expected a page of /metrics."
        ),
        place: "whole file".into(),
        advice: format!(
            "Put it beside the server with --client {file} and the pages before and after its run, or see its own \
             numbers with sameruler metrics {file}."
        ),
        mapping: None,
    })
}

/// Something else that is known.
fn foreign(file: &str, what: &str) -> Refusal {
    plain::refusal(Refusal {
        file: file.to_owned(),
        kind: Cause::Foreign,
        what: Some(what.into()),
        error: format!(
            "The file is {what} and holds no server metrics; expected a page of /metrics."
        ),
        place: "whole file".into(),
        advice: SAVE.into(),
        mapping: None,
    })
}
