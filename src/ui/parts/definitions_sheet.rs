//! The Definitions sheet: which sums the names stand for, each with the result for one real request.

mod dimension;
mod example;
mod presets;
mod save;

use super::sheet::SheetFrame;
use crate::engine::protocol::Query;
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::definitions::DefinitionsView;
use dimension::{Disputed, Plain};
use example::Example;
use leptos::prelude::*;
use presets::{Presets, RunRulers};
use save::SaveSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Dimensions that stand first with a result under every choice.
const DISPUTED: usize = 2;

/// The Definitions sheet. Changes are felt behind it at once.
#[component]
pub fn DefinitionsSheet() -> impl IntoView {
    let state = use_state();
    let request = RwSignal::new(0_usize);
    let answer = state.client.query::<DefinitionsView>(move || {
        Some((state.context.get(), Query::Definitions { request: request.get() }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let body = move |view: Arc<DefinitionsView>| {
        let (disputed, plain) = view.dimensions.split_at(DISPUTED.min(view.dimensions.len()));
        let example = view.example.clone().map(|e| view! { <Example example=e request=request /> });
        let disputed = disputed.iter().cloned().map(|d| view! { <Disputed dimension=d /> });
        let plain = plain.iter().cloned().map(|d| view! { <Plain dimension=d /> });
        view! {
            <Presets view=view.clone() />
            <RunRulers runs=view.runs.clone() />
            {example}
            <div class="disputed">{disputed.collect_view()}</div>
            <div class="plain-dimensions">{plain.collect_view()}</div>
            <SaveSet />
        }
    };
    view! {
        <SheetFrame title="Definitions">
            <div class="definitions">
                <Scope />
                {move || {
                    answer
                        .with(|a| a.error.clone())
                        .map(|error| view! { <p class="trouble" role="alert">{error}</p> })
                }}
                {move || view.get().map(body)}
            </div>
        </SheetFrame>
    }
}

/// Brings a dimension of the open sheet into sight, once its answer is there.
pub fn show_dimension(dimension: String) {
    /// Looks again so often, a few frames apart: the sheet asks before it is filled.
    const LOOKS: usize = 40;
    fn look(dimension: String, left: usize) {
        let found = document().get_element_by_id(&format!("dimension-{dimension}"));
        match found {
            Some(place) => place.scroll_into_view(),
            None if left > 0 => {
                let pause = std::time::Duration::from_millis(50);
                set_timeout(move || look(dimension, left - 1), pause);
            }
            None => {}
        }
    }
    look(dimension, LOOKS);
}

/// Whether one set holds for all runs.
#[component]
fn Scope() -> impl IntoView {
    let state = use_state();
    let own = move || state.context.with(|context| context.ruler == Ruler::Own);
    view! {
        <Show
            when=own
            fallback=move || {
                view! {
                    <p class="scope">
                        "One set for all runs, or "
                        <button type="button" class="link" on:click=move |_| own_words(state)>
                            "each run in its own tool’s words"
                        </button>
                    </p>
                }
            }
        >
            <p class="scope scope-mixed">
                "Mixed definitions: each run is in its own tool’s words, and no differences are taken. A choice here puts all runs on one ruler."
            </p>
        </Show>
    }
}

/// Puts each run under the ruler of the tool that wrote it.
fn own_words(state: State) {
    state.edit("Each run is now in its own tool’s words", |context| context.ruler = Ruler::Own);
}

/// Chooses a whole preset.
fn choose_preset(state: State, id: &str, name: &str) {
    let ruler = Ruler::Same { preset: id.to_owned(), changes: BTreeMap::default() };
    state.edit(format!("Definitions are now {name}"), |context| context.ruler = ruler);
}

/// Goes on to the preset after the present one.
pub fn next_preset(state: State) {
    let context = state.context.get_untracked();
    let query = Query::Definitions { request: 0 };
    state.client.ask_once(context, query, move |view: Result<DefinitionsView, _>| {
        let Ok(view) = view else { return };
        let at = view.presets.iter().position(|preset| preset.base);
        let next = at.map_or(0, |at| (at + 1) % view.presets.len().max(1));
        if let Some(preset) = view.presets.get(next) {
            choose_preset(state, &preset.id, &preset.name);
        }
    });
}

/// Chooses one option of one dimension.
fn choose(state: State, dimension: (&str, &str), choice: (&str, &str)) {
    let ((id, label), (choice, words)) = (dimension, choice);
    state.edit(format!("{label}: now {words}"), |context| {
        let (preset, mut changes) = match &context.ruler {
            Ruler::Same { preset, changes } => (preset.clone(), changes.clone()),
            Ruler::Own => match Ruler::default() {
                Ruler::Same { preset, changes } => (preset, changes),
                Ruler::Own => return,
            },
        };
        changes.insert(id.to_owned(), choice.to_owned());
        context.ruler = Ruler::Same { preset, changes };
    });
}
