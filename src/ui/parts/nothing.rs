//! What stands in place of a chart: why there is none, and the way to one.

use crate::link::Screen;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// Why nothing is drawn, with the way to the Library; nothing while an answer is awaited.
#[component]
pub fn Nothing(
    /// What would stand here.
    title: &'static str,
    /// Why it does not, as the answer says.
    #[prop(into)]
    why: Signal<Option<String>>,
) -> impl IntoView {
    let state = use_state();
    let unselected = move || state.context.with(|c| c.runs.is_empty());
    let why = move || why.get().or_else(|| unselected().then(|| "No run is selected.".to_owned()));
    move || {
        why().map(|why| {
            view! {
                <div class="empty">
                    <h2>{title}</h2>
                    <p>{why}</p>
                    <button
                        type="button"
                        class="button button-primary"
                        on:click=move |_| state.go(Screen::Library)
                    >
                        "Choose runs in the Library"
                    </button>
                </div>
            }
        })
    }
}
