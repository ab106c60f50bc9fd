//! The built-in runs: fetched from this site on a click, read like any file.

use super::icons::{Glyph, Icon};
use crate::ui::state::{State, use_state};
use crate::ui::told::{PRINTED, SAMPLES};
use crate::units::fixed;
use crate::web::files::{self, Named};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What samples are called wherever they are shown.
pub const SCRIPTED: &str = "scripted server, not a model";

/// Opens the built-in runs.
pub fn open_samples(state: State) {
    spawn_local(async move {
        let mut named = Vec::new();
        for file in SAMPLES {
            match files::fetch(&format!("samples/{file}")).await {
                Ok(blob) => named.push(Named { name: format!("samples/{file}"), blob }),
                Err(reason) => {
                    state
                        .toasts
                        .say(format!("A sample could not be had: {reason}. Reload the page."));
                    return;
                }
            }
        }
        state.imports.add(named, true);
    });
}

/// The row that offers them.
#[component]
pub fn SamplesRow() -> impl IntoView {
    let state = use_state();
    let busy = RwSignal::new(false);
    let printed = PRINTED.map(|(_, millis)| millis);
    let [low, high] =
        [printed.into_iter().fold(f64::MAX, f64::min), printed.into_iter().fold(0.0, f64::max)];
    let words = format!(
        "Five tools, one server: a median ITL from {} to {} ms. See why.",
        fixed(low, 1),
        fixed(high, 1)
    );
    view! {
        <section class="samples" aria-label="Sample runs">
            <p>
                <strong>"No file at hand? "</strong>
                {words}
                <span class="badge">{SCRIPTED}</span>
            </p>
            <button
                type="button"
                class="button"
                disabled=move || busy.get()
                on:click=move |_| {
                    busy.set(true);
                    open_samples(state);
                }
            >
                "Open the sample runs"
                <Icon name=Glyph::Arrow/>
            </button>
        </section>
    }
}

/// The mark of a run against a scripted server.
#[component]
pub fn ScriptedBadge() -> impl IntoView {
    view! { <span class="badge" title=SCRIPTED>"scripted"</span> }
}
