//! The worker's end of the link: a file in and packs out, or a question in and an answer out.

use super::worker_link::{Parcel, pack};
use crate::engine::{Reply, Request};
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Listens to the page, and says so: a message sent earlier would be lost.
pub fn listen() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The page tells the reader; the trap that follows ends this worker.
        post(&Reply::Failed { job: None, message: info.to_string() }, Parcel::None);
    }));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok(message) = event.data().dyn_into::<Array>() else { return };
        let json = message.get(0).as_string().unwrap_or_default();
        match serde_json::from_str::<Request>(&json) {
            Ok(_request) => {}
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

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(reply: &Reply, parcel: Parcel) {
    let json = serde_json::to_string(reply).unwrap_or_default();
    let (message, moved) = pack(&json, parcel);
    // Posting fails only when the page is gone.
    let _ = scope().post_message_with_transfer(&message, &moved);
}
