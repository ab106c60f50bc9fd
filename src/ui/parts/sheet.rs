//! The frame of a sheet: beside the screen, without a veil, so that the screen stays alive.

use crate::ui::state::use_state;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

/// A sheet with a heading and a close button. Esc closes it; the focus goes back where it was.
#[component]
pub fn SheetFrame(
    /// Heading.
    #[prop(into)]
    title: Signal<String>,
    /// What stands in it.
    children: Children,
) -> impl IntoView {
    let state = use_state();
    let heading = NodeRef::<html::H2>::new();
    let before = document().active_element().and_then(|e| e.dyn_into::<HtmlElement>().ok());
    let before = StoredValue::new_local(before);
    heading.on_load(|h| drop(h.focus()));
    on_cleanup(move || {
        before.with_value(|element| {
            if let Some(element) = element {
                // An element that is gone takes no focus, which is no trouble.
                let _ = element.focus();
            }
        });
    });
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            state.sheet.set(None);
        }
    };
    view! {
        <section class="sheet" role="dialog" aria-labelledby="sheet-title" on:keydown=on_key>
            <div class="sheet-head">
                <h2 id="sheet-title" tabindex="-1" node_ref=heading>{title}</h2>
                <button
                    type="button"
                    class="icon-button"
                    aria-label="Close"
                    title="Close (Esc)"
                    on:click=move |_| state.sheet.set(None)
                >
                    <super::icons::Icon name=super::icons::Glyph::Close/>
                </button>
            </div>
            <div class="sheet-body">{children()}</div>
        </section>
    }
}
