//! What is loaded and shown, remembered on this device for whoever asks for it: off until then, and written
//! when things have settled.

use super::address;
use super::client::{Lost, Saved};
use super::imports::{Batch, Source};
use super::parts::share::kept;
use super::state::State;
use crate::engine::protocol::Query;
use crate::model::Level;
use crate::units::bytes;
use crate::web::files::Named;
use crate::web::{clock, device, storage};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// Where it is noted that the reader asked for it. Nothing stands there before.
const KEY: &str = "sameruler-remember";

/// How long nothing must change before the session is written, in milliseconds; at least …
const SETTLED: f64 = 1_000.0;
/// … and as a multiple of the time that writing took, so that a large session is not written all the time.
const SLOWLY: f64 = 5.0;

/// What is remembered.
#[derive(Clone, Copy)]
pub struct Memory {
    /// Whether the reader asked for it.
    pub on: RwSignal<bool>,
    /// Bytes kept.
    pub bytes: RwSignal<Option<u64>>,
    /// Whether the page was opened by an address with a view, which holds over the remembered one.
    pub(super) addressed: bool,
    /// Whether what was kept is back, so that it may be written anew.
    back: RwSignal<bool>,
    /// Counts changes; and how long the last writing took.
    turn: StoredValue<(u64, f64)>,
}

impl Memory {
    /// As it was left at the last visit.
    pub fn new() -> Self {
        Self {
            on: RwSignal::new(storage::get(KEY).is_some()),
            bytes: RwSignal::new(None),
            addressed: window().location().hash().is_ok_and(|hash| hash.len() > 1),
            back: RwSignal::new(false),
            turn: StoredValue::new((0, 0.0)),
        }
    }
}

impl State {
    /// Brings back what was remembered, and remembers from then on.
    pub(super) fn remember(self) {
        let memory = self.memory;
        if memory.on.get_untracked() {
            spawn_local(async move {
                match device::kept().await {
                    Ok(Some(blob)) => {
                        memory.bytes.set(Some(blob.size() as u64));
                        let file = Named { name: "session.sameruler".to_owned(), blob };
                        let batch = Batch { source: Source::Device, ..Batch::default() };
                        self.imports.add_as(file, batch);
                    }
                    Ok(None) => self.came_back(),
                    // It may be there all the same: nothing is written over it at this visit.
                    Err(why) => self.toasts.say(format!(
                        "What was remembered could not be read: {why}. It is left as it is; reload to try again."
                    )),
                }
            });
        }
        Effect::new(move |_| {
            if !memory.on.get() || !memory.back.get() {
                return;
            }
            self.client.revision.track();
            self.edits.track();
            // Whatever the address says is kept with it.
            address::view(self);
            let (turn, took) = memory.turn.get_value();
            memory.turn.set_value((turn + 1, took));
            let wait = Duration::from_millis((took * SLOWLY).max(SETTLED) as u64);
            set_timeout(
                move || {
                    if memory.turn.get_value().0 == turn + 1 {
                        self.write();
                    }
                },
                wait,
            );
        });
    }

    /// What was remembered is back, or was not there.
    pub(super) fn came_back(self) {
        self.memory.back.set(true);
    }

    /// Turns it on, or off, which removes what is kept.
    pub fn set_remembered(self, on: bool) {
        let memory = self.memory;
        storage::set(KEY, on.then_some("on"));
        memory.on.set(on);
        memory.bytes.set(None);
        memory.back.set(on);
        spawn_local(async move {
            if on {
                device::persist().await;
            } else {
                device::wipe().await;
            }
        });
    }

    fn write(self) {
        let memory = self.memory;
        if !memory.on.get_untracked() {
            return;
        }
        if !self.loaded.get_untracked() && !self.served.get_untracked() {
            // Nothing is there because the reader took it out, or because it is still on its way.
            if self.edits.with_untracked(|e| !e.now.removed.is_empty()) {
                memory.bytes.set(None);
                spawn_local(device::wipe());
            }
            return;
        }
        let started = clock::millis();
        let query = Query::Save(untrack(|| kept(self, Level::Events)));
        let context = self.context.get_untracked();
        self.client.ask_once(context, query, move |saved: Result<Saved, Lost>| {
            // An engine that broke is fed again, which is a change.
            let Ok(Saved { bytes: file, .. }) = saved else { return };
            spawn_local(async move {
                let written = device::keep(&file).await;
                memory.turn.update_value(|(_, took)| *took = clock::millis() - started);
                if !memory.on.get_untracked() {
                    // It was turned off meanwhile.
                    device::wipe().await;
                    return;
                }
                match written {
                    Ok(()) => memory.bytes.set(Some(file.len() as u64)),
                    Err(why) => {
                        let size = bytes(file.len() as u64);
                        let what = if memory.bytes.get_untracked().is_some() {
                            "What was kept before is still there."
                        } else {
                            self.set_remembered(false);
                            "Save the session as a file instead."
                        };
                        self.toasts.say(format!("Not remembered ({size}): {why}. {what}"));
                    }
                }
            });
        });
    }
}
