//! The keys, in a native dialog.

use super::how_to_check::Dialog;
use crate::ui::keys::KEYS;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// The dialog behind `?`.
#[component]
pub fn HelpSheet() -> impl IntoView {
    let state = use_state();
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
        <Dialog title="Keys" open=state.help>
            <dl class="key-list">{lines}</dl>
            <p class="caption">
                "Keys act when no text field has the focus. On a Mac, Cmd stands for Ctrl."
            </p>
        </Dialog>
    }
}
