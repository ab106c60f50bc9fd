//! The line under the Library: what is held in memory, and what is remembered on this device.

use crate::ui::state::use_state;
use crate::units::bytes;
use leptos::prelude::*;

/// Turns the memory on this device on and off, and wipes it.
#[component]
pub fn Remember() -> impl IntoView {
    let state = use_state();
    let on = state.memory.on;
    let held = move || {
        let any = state.loaded.get() || state.served.get();
        let words = || state.library.with(|l| l.value.as_ref().map(|v| v.held.clone()));
        any.then(words).flatten().map(|held| format!("Held in memory: {held}."))
    };
    let words = move || match (on.get(), state.memory.bytes.get()) {
        (false, _) => "off; nothing is kept when this page closes.".to_owned(),
        (true, None) => "nothing yet.".to_owned(),
        (true, Some(kept)) => format!("{}.", bytes(kept)),
    };
    let wipe = move |_| {
        state.set_remembered(false);
        state.toasts.say("Wiped from this device. What is loaded stays until this page closes.");
    };
    view! {
        <span class="remember">
            {held} " "
            <label>
                <input
                    type="checkbox"
                    prop:checked=move || on.get()
                    on:change=move |event| state.set_remembered(event_target_checked(&event))
                />
                "Remember on this device"
            </label>
            <span role="status">": " {words}</span>
            <Show when=move || on.get()>
                " "
                <button type="button" class="link" on:click=wipe>"Wipe"</button>
                " removes it at once and can’t be undone."
            </Show>
        </span>
    }
}
