//! The presets as buttons, and how far the present ruler is from the one it came from.

use super::choose_preset;
use crate::ui::parts::marker::Marker;
use crate::ui::state::use_state;
use crate::views::Ruler;
use crate::views::definitions::{DefinitionsView, PresetChoice, RunRuler};
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
    let editions = base.as_ref().map(|preset| preset.editions.clone()).unwrap_or_default();
    let editions = (!editions.is_empty()).then(|| {
        let line = |line: String| view! { <li>{line}</li> };
        view! {
            <details class="editions">
                <summary>"What its versions measured otherwise"</summary>
                <ul>{editions.into_iter().map(line).collect_view()}</ul>
                <p>"A run in its own words is under the edition of its version."</p>
            </details>
        }
    });
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
            {editions}
        </section>
    }
}

/// The ruler under which each shown run was printed, and from what that is known. Open where the runs are
/// under it, or where one of them is in doubt.
#[component]
pub(super) fn RunRulers(runs: Vec<RunRuler>) -> impl IntoView {
    let state = use_state();
    let doubtful = runs.iter().any(|run| run.doubtful);
    let open = doubtful || state.context.with_untracked(|c| c.ruler == Ruler::Own);
    let row = |run: RunRuler| {
        let RunRuler { style, name, stamp, edition, because, by_file, doubtful } = run;
        let edition = (!edition.is_empty()).then(|| format!(", edition {edition}"));
        let by_file = (!by_file.is_empty())
            .then(|| format!(" In this file besides: {}.", by_file.join(", ")));
        view! {
            <li class:doubtful=doubtful>
                <Marker style=style />
                " "
                <b>{name}</b>
                ": "
                {stamp}
                {edition}
                ". "
                {because}
                {by_file}
            </li>
        }
    };
    (!runs.is_empty()).then(|| {
        view! {
            <details class="editions run-rulers" open=open>
                <summary>"The ruler under which each run was printed"</summary>
                <ul>{runs.into_iter().map(row).collect_view()}</ul>
            </details>
        }
    })
}
