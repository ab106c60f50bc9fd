//! Saving the present ruler as a set that another session, or `--definitions`, reads.

use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::SavedSet;
use crate::web::download;
use leptos::html;
use leptos::prelude::*;

/// A name, and a button that saves.
#[component]
pub(super) fn SaveSet() -> impl IntoView {
    let state = use_state();
    let field = NodeRef::<html::Input>::new();
    let id = unique("set-name");
    let save = move || {
        let name = field.get_untracked().map(|input| input.value()).unwrap_or_default();
        let set = state.context.with_untracked(|context| SavedSet::new(&name, &context.ruler));
        let file = set.file_name();
        match download::save(&file, &set.written(), "application/json") {
            Ok(()) => {
                state.toasts.say(format!("Saved as {file}. Drop it on any page to apply it."));
            }
            Err(_) => state.toasts.say("The set could not be saved: the browser refused."),
        }
    };
    view! {
        <form
            class="save-set"
            on:submit=move |event| {
                event.prevent_default();
                save();
            }
        >
            <label for=id.clone()>"Name of this set"</label>
            <input node_ref=field id=id type="text" maxlength="80" autocomplete="off" placeholder="such as: our SLO" />
            <button type="submit" class="button">"Save as set"</button>
            <p>"A small JSON file. Drop it on the page to apply it, or give it to sameruler --definitions."</p>
        </form>
    }
}
