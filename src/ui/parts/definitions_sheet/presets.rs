//! The presets as buttons, and how far the present ruler is from the one it came from.

use super::choose_preset;
use crate::ui::state::use_state;
use crate::views::definitions::{DefinitionsView, PresetChoice};
use leptos::prelude::*;
use std::sync::Arc;

/// One button a preset; the chosen one is pressed.
#[component]
pub(super) fn Presets(view: Arc<DefinitionsView>) -> impl IntoView {
    let state = use_state();
    let base = view.presets.iter().find(|preset| preset.base).cloned();
    let note = base.as_ref().map(|preset| preset.note.clone()).unwrap_or_default();
    let custom = (!view.custom.is_empty()).then(|| view.custom.clone());
    let whole = custom.is_none();
    let button = move |preset: PresetChoice| {
        let PresetChoice { id, name, note, chosen, .. } = preset;
        let words = name.clone();
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=chosen.to_string()
                title=note
                on:click=move |_| choose_preset(state, &id, &name)
            >
                {words}
            </button>
        }
    };
    let reset = move || {
        base.clone().map(|preset| {
            view! {
                " "
                <button
                    type="button"
                    class="link"
                    on:click=move |_| choose_preset(state, &preset.id, &preset.name)
                >
                    "Reset"
                </button>
            }
        })
    };
    view! {
        <section class="presets" aria-label="Presets">
            <div class="preset-buttons">
                {view.presets.clone().into_iter().map(button).collect_view()}
                {(!whole).then(|| view! { <span class="preset custom">"Custom"</span> })}
            </div>
            <p class="preset-note">
                {custom.unwrap_or(note)} {(!whole).then(reset)}
            </p>
        </section>
    }
}
