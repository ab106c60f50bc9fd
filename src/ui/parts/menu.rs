//! A button with a panel under it. The panel takes the focus and closes when it leaves, or on Esc.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{FocusEvent, KeyboardEvent, Node};

/// A button that opens a panel.
#[component]
pub fn Menu(
    /// Class of the button.
    class: &'static str,
    /// What the panel is called.
    label: &'static str,
    /// Where the panel ends: `left` or `right` edge of the button.
    #[prop(default = "left")]
    edge: &'static str,
    /// Whether the panel is open; owned by the caller, who may close it.
    open: RwSignal<bool>,
    /// What stands on the button.
    button: AnyView,
    /// What stands in the panel.
    children: ChildrenFn,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let knob = NodeRef::<html::Button>::new();
    let panel = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(panel) = panel.get() {
            // A panel that was just put in can take the focus.
            let _ = panel.focus();
        }
    });
    let on_leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|t| t.dyn_into::<Node>().ok());
        if !place.get().is_some_and(|place| place.contains(to.as_ref())) {
            open.set(false);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && open.get() {
            event.stop_propagation();
            open.set(false);
            if let Some(knob) = knob.get() {
                let _ = knob.focus();
            }
        }
    };
    view! {
        <div class="menu" node_ref=place on:focusout=on_leave on:keydown=on_key>
            <button
                type="button"
                class=class
                node_ref=knob
                aria-haspopup="dialog"
                aria-expanded=move || open.get().to_string()
                on:mousedown=move |event| {
                    // Keeps the focus inside, so that a click on the open button closes and not reopens.
                    event.prevent_default();
                }
                on:click=move |_| open.update(|o| *o = !*o)
            >
                {button}
            </button>
            <Show when=move || open.get()>
                <div
                    class=format!("panel panel-{edge}")
                    role="dialog"
                    aria-label=label
                    tabindex="-1"
                    node_ref=panel
                >
                    {children()}
                </div>
            </Show>
        </div>
    }
}
