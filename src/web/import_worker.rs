//! The import worker: a file in, and packs of its runs and dumps out.

use super::blob_source::BlobSource;
use super::clock;
use super::worker::{listen as listen_as, reply};
use super::worker_link::{Importer, Parcel};
use crate::engine::import;
use crate::engine::protocol::{Cause, ImportReply, ImportRequest, Opened, Phase, Refusal};
use crate::model::{dump_pack, pack};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

/// Milliseconds between two reports of progress, and before the first: of small files nothing is told.
const BEAT: f64 = 100.0;

/// Reads the files that the page sends.
pub fn listen() {
    listen_as::<Importer>(|request, message| {
        let (packs, refused, opened) = read(&request, message.get(1)).unwrap_or_else(|error| {
            (Vec::new(), vec![unreadable(&request.file, &error)], Vec::new())
        });
        let imported = ImportReply::Imported { job: request.job, refused, opened };
        reply::<Importer>(imported, Parcel::Buffers(packs));
    });
}

/// What one file comes to: packs of runs and of dumps, what was refused, and the sessions that it opens.
type Read = (Vec<ArrayBuffer>, Vec<Refusal>, Vec<Opened>);

/// Reads one file into packs, telling how far it is. Posting needs no pause in the reading.
fn read(request: &ImportRequest, blob: JsValue) -> Result<Read, String> {
    let ImportRequest { job, file, sample, mapping } = request;
    let job = *job;
    let blob = blob.dyn_into::<Blob>().map_err(|_| "no file came along")?;
    let size = blob.size() as u64;
    let mut source = BlobSource::new(blob)?;
    let mut said = clock::millis();
    let mut tell = |phase, done, total, records| {
        let now = clock::millis();
        if now - said >= BEAT {
            said = now;
            let progress = ImportReply::Progress { job, phase, done, total, records };
            reply::<Importer>(progress, Parcel::None);
        }
    };
    let imported = import::import_mapped(file, &mut source, *sample, mapping.as_ref(), &mut tell);
    tell(Phase::Packing, size, size, 0);
    let runs = imported.runs.iter().map(pack::encode);
    let dumps = imported.dumps.iter().map(dump_pack::encode);
    let packs = runs
        .chain(dumps)
        .map(|pack| pack.map(|bytes| Uint8Array::from(&bytes[..]).buffer()))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    Ok((packs, imported.refused, imported.opened))
}

fn unreadable(file: &str, error: &str) -> Refusal {
    Refusal {
        file: file.to_owned(),
        kind: Cause::Unreadable,
        what: None,
        error: format!("The file could not be read: {error}."),
        place: "whole file".into(),
        advice: "Choose the file again.".into(),
        mapping: None,
    }
}
