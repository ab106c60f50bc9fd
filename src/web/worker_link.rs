//! The page's end of a worker: a queue until it listens, messages with buffers, and its end noticed.
//!
//! A message is an array: its bytes, then the buffers or the blob that travel with it.

use crate::engine::{ImportReply, ImportRequest, Reply, Request, Said, wire};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions};

/// What a worker is for. Each role is a Wasm module of its own.
pub trait Role: 'static {
    /// The name of the module, and of the worker in the developer tools.
    const NAME: &'static str;
    /// What the page sends.
    type Request: Serialize + DeserializeOwned;
    /// What the worker replies.
    type Reply: Serialize + DeserializeOwned;
}

/// Reads files into packs.
#[derive(Debug)]
pub struct Importer;

impl Role for Importer {
    const NAME: &'static str = "importer";
    type Request = ImportRequest;
    type Reply = ImportReply;
}

/// Keeps the runs and answers questions.
#[derive(Debug)]
pub struct Engine;

impl Role for Engine {
    const NAME: &'static str = "engine";
    type Request = Request;
    type Reply = Reply;
}

/// What travels beside the bytes of the message.
#[derive(Debug, Clone, Default)]
pub enum Parcel {
    /// Nothing.
    #[default]
    None,
    /// A file: a handle, not a copy.
    Blob(Blob),
    /// Buffers, moved and not copied.
    Buffers(Vec<ArrayBuffer>),
}

/// What a worker's owner is told.
#[derive(Debug)]
pub enum Event<T> {
    /// The worker answered.
    Reply(T, Vec<ArrayBuffer>),
    /// The worker belongs to another build than the page: only reloading helps.
    OtherBuild,
    /// The worker is gone, with the last words it said.
    Crashed(String),
}

/// A running worker. Dropping it ends the worker at once, whatever it is doing.
pub struct WorkerLink<R: Role> {
    role: PhantomData<R>,
    worker: Worker,
    state: Rc<State>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

#[derive(Default)]
struct State {
    ready: Cell<bool>,
    waiting: RefCell<Vec<(Vec<u8>, Parcel)>>,
    last_words: RefCell<Option<String>>,
}

impl<R: Role> WorkerLink<R> {
    /// Starts a worker of this build and reports to `on`.
    ///
    /// # Errors
    /// When the browser refuses to start workers.
    pub fn spawn(on: impl Fn(Event<R::Reply>) + 'static) -> Result<Self, String> {
        let build = page_build();
        Self::start(&format!("worker-start.js?v={build}"), build, on)
    }

    /// Starts the worker of a script, which must say that it is of `build`.
    ///
    /// # Errors
    /// When the browser refuses to start workers.
    pub fn start(
        script: &str,
        build: String,
        on: impl Fn(Event<R::Reply>) + 'static,
    ) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_name(R::NAME);
        let worker = Worker::new_with_options(script, &options).map_err(|e| words(&e))?;
        let state = Rc::new(State::default());
        let on = Rc::new(on);

        let on_message = {
            let (worker, state, on) = (worker.clone(), state.clone(), on.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
                match open(&message.data()) {
                    Ok((Said::Ready { build: theirs }, _)) if theirs == build => {
                        state.ready.set(true);
                        for (bytes, parcel) in state.waiting.take() {
                            post(&worker, &bytes, parcel);
                        }
                    }
                    Ok((Said::Ready { .. }, _)) => on(Event::OtherBuild),
                    // After a panic's words the error event follows that ends the worker.
                    Ok((Said::Broke { words }, _)) => {
                        state.last_words.replace(Some(words));
                    }
                    Ok((Said::Reply(reply), buffers)) => on(Event::Reply(reply, buffers)),
                    Err(error) => on(Event::Crashed(error)),
                }
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));

        let on_error = {
            let state = state.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |error: ErrorEvent| {
                error.prevent_default();
                let said = state.last_words.take().unwrap_or_else(|| error.message());
                on(Event::Crashed(said));
            })
        };
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        Ok(Self { role: PhantomData, worker, state, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request, or keeps it until the worker listens.
    pub fn send(&self, request: &R::Request, parcel: Parcel) {
        let bytes = wire::write(request);
        if self.state.ready.get() {
            post(&self.worker, &bytes, parcel);
        } else {
            self.state.waiting.borrow_mut().push((bytes, parcel));
        }
    }
}

impl<R: Role> Drop for WorkerLink<R> {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// A message as the array that is posted, and the list of what is moved with it.
pub fn pack(bytes: &[u8], parcel: Parcel) -> (Array, Array) {
    let bytes = Uint8Array::from(bytes);
    let (message, moved) = (Array::of1(&bytes), Array::of1(&bytes.buffer()));
    match parcel {
        Parcel::None => {}
        Parcel::Blob(blob) => {
            message.push(&blob);
        }
        Parcel::Buffers(buffers) => {
            for buffer in &buffers {
                message.push(buffer);
                moved.push(buffer);
            }
        }
    }
    (message, moved)
}

fn post(worker: &Worker, bytes: &[u8], parcel: Parcel) {
    let (message, moved) = pack(bytes, parcel);
    // Fails only for a buffer that was moved before, which ownership of the parcel rules out.
    let _ = worker.post_message_with_transfer(&message, &moved);
}

fn open<T: DeserializeOwned>(data: &JsValue) -> Result<(Said<T>, Vec<ArrayBuffer>), String> {
    let message: &Array = data.dyn_ref().ok_or("a message that is no array")?;
    let bytes =
        message.get(0).dyn_into::<Uint8Array>().map_err(|_| "a message without its bytes")?;
    let reply = wire::read(&bytes.to_vec())?;
    Ok((reply, message.iter().skip(1).filter_map(|b| b.dyn_into().ok()).collect()))
}

/// The name of the build that made this page.
fn page_build() -> String {
    web_sys::window()
        .and_then(|w| w.document())
        .and_then(|d| d.query_selector("meta[name=build]").ok().flatten())
        .and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default()
}

/// What a thrown value says.
pub fn words(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
