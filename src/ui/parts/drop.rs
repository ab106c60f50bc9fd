//! The whole window as a drop target, and the file inputs behind the buttons.

use super::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use crate::web::files;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{DragEvent, Event, HtmlInputElement};

/// The overlay shown while files are dragged, and two hidden file inputs.
#[component]
pub fn DropEverywhere() -> impl IntoView {
    let state = use_state();
    // Moving over a child leaves its parent: the overlay shows while more were entered than left.
    let depth = RwSignal::new(0_u32);
    let with_files =
        |event: &DragEvent| event.data_transfer().is_some_and(|t| files::carries_files(&t));
    let count = RwSignal::new(0_u32);
    let enter = window_event_listener(ev::dragenter, move |event| {
        if with_files(&event) {
            depth.update(|d| *d += 1);
            count.set(event.data_transfer().map_or(0, |t| t.items().length()));
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if with_files(&event) {
            depth.update(|d| *d = d.saturating_sub(1));
        }
    });
    let fell = window_event_listener(ev::drop, move |event| {
        depth.set(0);
        if let Some(transfer) = event.data_transfer().filter(files::carries_files) {
            event.prevent_default();
            state.take(files::dropped(&transfer));
        }
    });
    on_cleanup(move || {
        enter.remove();
        leave.remove();
        fell.remove();
    });
    let take = move |event: Event| {
        let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) else {
            return;
        };
        if let Some(list) = input.files() {
            state.take(files::chosen(&list));
        }
        // Choosing the same file again must be a change again.
        input.set_value("");
    };
    let words = move || match count.get() {
        0 => "Drop the files to read them".to_owned(),
        1 => "Drop the file or folder to read it".to_owned(),
        n => format!("Drop the {n} items to read them"),
    };
    view! {
        <input type="file" id="choose-files" class="hidden-input" multiple tabindex="-1" aria-hidden="true" on:change=take/>
        <input
            type="file"
            id="choose-folder"
            class="hidden-input"
            multiple
            prop:webkitdirectory=true
            tabindex="-1"
            aria-hidden="true"
            on:change=take
        />
        <Show when=move || depth.get() != 0>
            <div class="drop-overlay" aria-hidden="true">
                <div class="drop-card">
                    <Icon name=Glyph::Drop/>
                    <strong>{words}</strong>
                    <span>"Nothing leaves this computer."</span>
                </div>
            </div>
        </Show>
    }
}
