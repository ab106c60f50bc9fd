//! The keys, in a native dialog.

use crate::ui::keys::KEYS;
use crate::ui::state::use_state;
use leptos::html;
use leptos::prelude::*;

/// The dialog behind `?`.
#[component]
pub fn HelpSheet() -> impl IntoView {
    let state = use_state();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if state.help.get() && !dialog.open() {
            // Fails only for a dialog outside the document.
            let _ = dialog.show_modal();
        } else if !state.help.get() {
            dialog.close();
        }
    });
    let lines = KEYS
        .iter()
        .map(|(keys, what)| {
            let keys = keys.split(' ').map(|k| view! { <kbd>{k}</kbd> }).collect_view();
            view! {
                <div class="key-line">
                    <dt>{keys}</dt>
                    <dd>{*what}</dd>
                </div>
            }
        })
        .collect_view();
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="help-title"
            on:close=move |_| state.help.set(false)
        >
            <h2 id="help-title">"Keys"</h2>
            <dl class="key-list">{lines}</dl>
            <p class="caption">
                "Keys act when no text field has the focus. On a Mac, Cmd stands for Ctrl."
            </p>
            <form method="dialog">
                <button class="button">"Close"</button>
            </form>
        </dialog>
    }
}
