//! No run, or no limit yet: what this screen shows, and the limits to start from.

use super::View;
use crate::link::Screen;
use crate::ui::parts::limit_sets::LimitSets;
use crate::ui::parts::limits_editor::LimitsEditor;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// Why nothing is drawn, and the way on.
#[component]
pub(super) fn Empty(view: View) -> impl IntoView {
    let state = use_state();
    let why = Memo::new(move |_| match view.get() {
        Some(view) => view.empty.clone(),
        None if state.context.with(|context| context.runs.is_empty()) => {
            Some("No run is selected.".to_owned())
        }
        None => None,
    });
    let limited = Memo::new(move |_| state.context.with(|context| !context.limits.is_empty()));
    let sweeps = super::part(view, |view| !view.sweeps.is_empty());
    move || {
        why.get().map(|why| {
            let to_limits = (sweeps.get() && !limited.get()).then(|| {
                view! {
                    <LimitSets />
                    <LimitsEditor />
                }
            });
            let to_library = (!sweeps.get()).then(|| {
                view! {
                    <button
                        type="button"
                        class="button button-primary"
                        on:click=move |_| state.go(Screen::Library)
                    >
                        "Choose runs in the Library"
                    </button>
                }
            });
            view! {
                <div class="empty goodput-empty">
                    <h2>"Good requests a second, by load"</h2>
                    <p>{why}</p>
                    <p class="caption">
                        "Then: goodput with throughput behind it and its peak, the limit that fails most, the peak under other limits, and the replicas that a demand takes."
                    </p>
                    {to_limits}
                    {to_library}
                </div>
            }
        })
    }
}
