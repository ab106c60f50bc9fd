//! Files that were not read: which, why, where, and what to do.

use super::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use leptos::prelude::*;

/// The tray of refusals.
#[component]
pub fn Refusals() -> impl IntoView {
    let state = use_state();
    let list = state.imports.refusals;
    let entries = move || {
        list.get()
            .into_iter()
            .enumerate()
            .map(|(index, refusal)| {
                let place =
                    (refusal.place != "whole file").then(|| format!(" ({})", refusal.place));
                let label = format!("Dismiss {}", refusal.file);
                view! {
                    <li class="refusal">
                        <Icon name=Glyph::File/>
                        <div>
                            <p>
                                <strong>{refusal.file}</strong>
                                " was not read. "
                                {refusal.error}
                                <span class="caption">{place}</span>
                            </p>
                            <p>{refusal.advice}</p>
                        </div>
                        <button
                            type="button"
                            class="button button-small"
                            aria-label=label
                            on:click=move |_| state.imports.dismiss(index)
                        >
                            "Dismiss"
                        </button>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Show when=move || list.with(|l| !l.is_empty())>
            <section aria-labelledby="not-read">
                <div class="section-head">
                    <h2 id="not-read">"Not read"</h2>
                    <span class="caption" role="status">
                        {move || super::strip::plural(list.with(Vec::len), "file")}
                    </span>
                </div>
                <ul class="refusals">{entries}</ul>
            </section>
        </Show>
    }
}
