//! The worker's end of the link: a file in and packs out, or a question in and an answer out.

use super::blob_source::BlobSource;
use super::clock;
use super::worker_link::{Parcel, pack};
use crate::engine::protocol::{Cause, JobId, Mapping, Phase, Refusal};
use crate::engine::{Reply, Request, Session, import};
use crate::model;
use js_sys::{Array, ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

/// Milliseconds between two reports of progress.
const BEAT: f64 = 100.0;

/// Listens to the page, and says so: a message sent earlier would be lost.
pub fn listen() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The page tells the reader; the trap that follows ends this worker.
        post(&Reply::Failed { job: None, message: info.to_string() }, Parcel::None);
    }));
    let mut session = Session::new();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok(message) = event.data().dyn_into::<Array>() else { return };
        let json = message.get(0).as_string().unwrap_or_default();
        match serde_json::from_str::<Request>(&json) {
            Ok(Request::Import { job, file, sample, mapping }) => {
                let (packs, refused) = read(job, &file, sample, mapping.as_ref(), message.get(1))
                    .unwrap_or_else(|error| (Vec::new(), vec![unreadable(&file, &error)]));
                post(&Reply::Imported { job, refused }, Parcel::Buffers(packs));
            }
            Ok(request) => {
                let buffers: Vec<Vec<u8>> =
                    message.iter().skip(1).map(|b| Uint8Array::new(&b).to_vec()).collect();
                for (reply, buffers) in session.handle(request, &buffers) {
                    let buffers = buffers.iter().map(|bytes| buffer(bytes)).collect();
                    post(&reply, Parcel::Buffers(buffers));
                }
            }
            Err(error) => post(
                &Reply::Failed { job: None, message: format!("A message was damaged: {error}") },
                Parcel::None,
            ),
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let build = Reflect::get(&scope(), &"SAMERULER_BUILD".into());
    let build = build.ok().and_then(|b| b.as_string()).unwrap_or_default();
    post(&Reply::Ready { build }, Parcel::None);
}

/// Reads one file into packs, telling how far it is. Posting needs no pause in the reading.
fn read(
    job: JobId,
    file: &str,
    sample: bool,
    mapping: Option<&Mapping>,
    blob: JsValue,
) -> Result<(Vec<ArrayBuffer>, Vec<Refusal>), String> {
    let blob = blob.dyn_into::<Blob>().map_err(|_| "no file came along")?;
    let mut source = BlobSource::new(blob)?;
    let (mut said, mut size) = (f64::NEG_INFINITY, 0);
    let imported = import::import_mapped(
        file,
        &mut source,
        sample,
        mapping,
        &mut |phase, done, total, records| {
            size = total;
            let now = clock::millis();
            if now - said >= BEAT {
                said = now;
                post(&Reply::Progress { job, phase, done, total, records }, Parcel::None);
            }
        },
    );
    let packing =
        Reply::Progress { job, phase: Phase::Packing, done: size, total: size, records: 0 };
    post(&packing, Parcel::None);
    let packs = imported
        .runs
        .iter()
        .map(|run| model::pack::encode(run).map(|bytes| buffer(&bytes)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    Ok((packs, imported.refused))
}

fn unreadable(file: &str, error: &str) -> Refusal {
    Refusal {
        file: file.to_owned(),
        kind: Cause::Unreadable,
        what: None,
        error: format!("The file could not be read: {error}."),
        place: "whole file".into(),
        advice: "Choose the file again.".into(),
        mappin,
        mapping: None,
        g: None,
    }
}

fn buffer(bytes: &[u8]) -> ArrayBuffer {
    Uint8Array::from(bytes).buffer()
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(reply: &Reply, parcel: Parcel) {
    let json = serde_json::to_string(reply).unwrap_or_default();
    let (message, moved) = pack(&json, parcel);
    // Posting fails only when the page is gone.
    let _ = scope().post_message_with_transfer(&message, &moved);
}
