//! The two ways to have runs: choose files, or open the sample runs.

use crate::ui::keys::choose_files;
use crate::ui::parts::samples::open_samples;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// Both buttons, for a screen that has nothing to show yet.
#[component]
pub fn WaysIn() -> impl IntoView {
    let state = use_state();
    view! {
        <button type="button" class="button button-primary" on:click=|_| choose_files()>
            "Choose files"
        </button>
        <button type="button" class="button" on:click=move |_| open_samples(state)>
            "Open the sample runs"
        </button>
    }
}
