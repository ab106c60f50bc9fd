//! The ready-made sets of limits, and the share of requests that must keep what is set.

use super::limits_editor::{Typed, settle, typed};
use crate::ui::state::use_state;
use crate::views::Ruler;
use crate::views::limit_sets::{LIMIT_SETS, LimitSet, wanted_percent, with_percent};
use crate::views::slo::limits_in_words;
use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

/// One button a set. A set takes the place of all limits, and can be edited like any others.
#[component]
pub fn LimitSets() -> impl IntoView {
    let state = use_state();
    let button = move |set: LimitSet| {
        let chosen = Memo::new(move |_| state.context.with(|c| c.limits == set.limits()));
        let choose = move |_| {
            let said = format!("Limits of {} set: {}", set.name, limits_in_words(&set.limits()));
            state.edit(said, |context| context.limits = set.limits());
        };
        view! {
            <button
                type="button"
                class="button"
                aria-pressed=move || chosen.get().to_string()
                title=set.meant
                on:click=choose
            >
                <b>{set.name}</b>
                <small>{limits_in_words(&set.limits())}</small>
            </button>
        }
    };
    view! {
        <div class="limit-sets" role="group" aria-label="Limits to start from">
            {LIMIT_SETS.map(button).into_iter().collect_view()}
        </div>
        <p class="caption">"To start from, and no standard: edit them below."</p>
    }
}

/// The share in percent of the sent requests.
#[component]
pub fn ShareField() -> impl IntoView {
    let state = use_state();
    let wanted = Memo::new(move |_| state.context.with(|c| wanted_percent(&c.ruler)));
    let own = move || state.context.with(|c| c.ruler == Ruler::Own);
    let place = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(place) = place.get() {
            settle(&place, wanted.get());
        }
    });
    let set = move |field: &HtmlInputElement| {
        let Typed::Limit(percent) = typed(field) else { return };
        let ruler = state.context.with_untracked(|c| with_percent(&c.ruler, percent));
        let Some(ruler) = ruler else { return };
        let said = match percent {
            Some(percent) => format!("{percent} % of the requests sent must keep the limits"),
            None => "No share of the requests is asked for".to_owned(),
        };
        state.nudge(said, "limit-share", |context| context.ruler = ruler);
    };
    let hint = move || {
        if own() {
            "Each run is in its own tool’s words, none of which knows a share: put all runs on one ruler first."
        } else {
            "of the requests sent must keep all limits; Curves then finds the highest load that does"
        }
    };
    view! {
        <div class="field">
            <label for="limit-share">"Share at least"</label>
            <span class="field-unit">
                <input
                    id="limit-share"
                    type="number"
                    min="0"
                    max="100"
                    step="any"
                    inputmode="decimal"
                    placeholder="none asked for"
                    aria-describedby="limit-share-hint"
                    disabled=own
                    node_ref=place
                    on:input:target=move |event| set(&event.target())
                    on:blur:target=move |event| settle(&event.target(), wanted.get_untracked())
                />
                "%"
            </span>
            <small id="limit-share-hint">{hint}</small>
        </div>
    }
}
