//! The engine's worker: a question in and an answer out.

use super::worker::{listen as listen_as, reply};
use super::worker_link::{Engine, Parcel};
use crate::engine::Session;
use js_sys::Uint8Array;

/// Keeps a session and answers the page.
pub fn listen() {
    let mut session = Session::new();
    listen_as::<Engine>(move |request, message| {
        let buffers: Vec<Vec<u8>> =
            message.iter().skip(1).map(|buffer| Uint8Array::new(&buffer).to_vec()).collect();
        for (answer, buffers) in session.handle(request, &buffers) {
            let buffers = buffers.iter().map(|bytes| Uint8Array::from(&bytes[..]).buffer());
            reply::<Engine>(answer, Parcel::Buffers(buffers.collect()));
        }
    });
}
