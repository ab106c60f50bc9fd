//! Messages of a few seconds: what an edit did, with Undo. They never take the focus.

use crate::ui::state::use_state;
use leptos::prelude::*;
use std::time::Duration;

/// How long a message with Undo stays.
const STAY: Duration = Duration::from_secs(10);

/// How long a message stays that only says something: long enough to read, short enough not to be in the way.
const GLANCE: Duration = Duration::from_secs(6);

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    id: u64,
    text: String,
    undo: bool,
}

/// The message that is shown. A newer one takes its place.
#[derive(Clone, Copy)]
pub struct Toasts {
    shown: RwSignal<Option<Toast>>,
    count: StoredValue<u64>,
}

impl Toasts {
    /// Nothing to say yet.
    pub fn new() -> Self {
        Self { shown: RwSignal::new(None), count: StoredValue::new(0) }
    }

    /// Says something.
    pub fn say(self, text: impl Into<String>) {
        self.put(text.into(), false);
    }

    /// Says what an edit did; holds Undo.
    pub fn with_undo(self, text: impl Into<String>) {
        self.put(text.into(), true);
    }

    fn put(self, text: String, undo: bool) {
        self.count.update_value(|n| *n += 1);
        let id = self.count.get_value();
        self.shown.set(Some(Toast { id, text, undo }));
        set_timeout(
            move || {
                if self.shown.with_untracked(|t| t.as_ref().is_some_and(|t| t.id == id)) {
                    self.shown.set(None);
                }
            },
            if undo { STAY } else { GLANCE },
        );
    }
}

impl Default for Toasts {
    fn default() -> Self {
        Self::new()
    }
}

/// The place of the messages, a polite live region.
#[component]
pub fn ToastPlace() -> impl IntoView {
    let state = use_state();
    let shown = state.toasts.shown;
    let body = move || {
        shown.get().map(|toast| {
            view! {
                <div class="toast">
                    <span class="toast-text">{toast.text}</span>
                    {toast
                        .undo
                        .then(|| {
                            view! {
                                <button type="button" class="toast-button" on:click=move |_| state.undo()>
                                    "Undo"
                                </button>
                            }
                        })}
                    <button
                        type="button"
                        class="toast-button"
                        aria-label="Dismiss message"
                        on:click=move |_| shown.set(None)
                    >
                        "✕"
                    </button>
                </div>
            }
        })
    };
    view! { <div class="toast-place" role="status" aria-live="polite">{body}</div> }
}
