//! A worker's end of the link, whatever its role: messages in, replies out, and its last words.

use super::worker_link::{Parcel, Role, pack};
use crate::engine::protocol::Said;
use crate::engine::wire;
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Listens to the page, and says so: a message sent earlier would be lost.
pub(super) fn listen<R: Role>(mut handle: impl FnMut(R::Request, &Array) + 'static) {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The page tells the reader; the trap that follows ends this worker.
        say::<R>(&Said::Broke { words: info.to_string() }, Parcel::None);
    }));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok(message) = event.data().dyn_into::<Array>() else { return };
        let bytes = message.get(0).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec());
        match wire::read(&bytes.unwrap_or_default()) {
            Ok(request) => handle(request, &message),
            Err(error) => {
                let words = format!("A message was damaged: {error}");
                say::<R>(&Said::Broke { words }, Parcel::None);
            }
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let build = Reflect::get(&scope(), &"SAMERULER_BUILD".into());
    let build = build.ok().and_then(|b| b.as_string()).unwrap_or_default();
    say::<R>(&Said::Ready { build }, Parcel::None);
}

/// Sends a reply to the page.
pub(super) fn reply<R: Role>(reply: R::Reply, parcel: Parcel) {
    say::<R>(&Said::Reply(reply), parcel);
}

fn say<R: Role>(said: &Said<R::Reply>, parcel: Parcel) {
    let (message, moved) = pack(&wire::write(said), parcel);
    // Posting fails only when the page is gone.
    let _ = scope().post_message_with_transfer(&message, &moved);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
