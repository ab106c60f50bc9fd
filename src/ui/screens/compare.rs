//! Compare: the finding, the two rulers, metrics by run, and what else differs.

mod config;
mod controls;
mod finding;
mod grid;
mod head;
mod table;

use crate::engine::protocol::Query;
use crate::ui::parts::card::{CardPlace, Cards};
use crate::ui::parts::repeats_card::RepeatsCard;
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::changes::Changes;
use crate::views::compare::CompareView;
use config::ConfigTable;
use controls::Controls;
use finding::Finding;
use leptos::prelude::*;
use std::sync::Arc;
use table::CompareTable;

/// The group that a phone shows, whether rows without a difference are hidden, and what changed.
#[derive(Clone, Copy)]
struct Shown {
    group: RwSignal<Option<String>>,
    hide_equal: RwSignal<bool>,
    changes: Signal<Arc<Changes>>,
}

/// The Compare screen.
#[component]
pub fn Compare() -> impl IntoView {
    let state = use_state();
    let cards = Cards::provide();
    let answer = state.client.query::<CompareView>(move || {
        let context = state.context.get();
        (!context.runs.is_empty()).then_some((context, Query::Compare))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let shown = Shown {
        group: RwSignal::new(None),
        hide_equal: RwSignal::new(false),
        changes: changes_of(state, view),
    };
    let body = move |view: Arc<CompareView>| {
        let finding = view.clone();
        let controls = view.clone();
        let table = view.clone();
        let repeats = view.repeats.clone();
        let runs = view.columns.len().to_string();
        view! {
            <Finding view=finding />
            <div class="compare-body" style:--runs=runs>
                <Controls view=controls shown=shown />
                <CompareTable view=table shown=shown />
                {repeats.map(|view| view! { <RepeatsCard view=view /> })}
                <ConfigTable view=view />
            </div>
        }
    };
    view! {
        <div class="compare" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Comparing the runs…"</p> })
            }}
            {move || view.get().map(body)}
            <Empty missing=Signal::derive(move || view.with(Option::is_none) && !answer.with(|a| a.pending)) />
            <CardPlace cards=cards />
        </div>
    }
}

/// What the last answer changed, if definitions were changed for it; said once with Undo.
fn changes_of(state: State, view: Memo<Option<Arc<CompareView>>>) -> Signal<Arc<Changes>> {
    let seen = StoredValue::new(None::<(Ruler, Arc<CompareView>)>);
    let changes = Memo::new(move |_| {
        let Some(new) = view.get() else { return Arc::default() };
        let ruler = state.context.with_untracked(|context| context.ruler.clone());
        let old =
            seen.try_update_value(|seen| seen.replace((ruler.clone(), new.clone()))).flatten();
        match old {
            Some((before, old)) if before != ruler => Arc::new(Changes::between(&old, &new)),
            _ => Arc::default(),
        }
    });
    Effect::new(move |_| {
        let changes = changes.get();
        if changes.of > 0 {
            let said = untrack(|| state.undoable()).unwrap_or_default();
            state.toasts.with_undo(format!("{said}. {}.", changes.sentence()));
        }
    });
    changes.into()
}

/// What to do when nothing is selected.
#[component]
fn Empty(missing: Signal<bool>) -> impl IntoView {
    let state = use_state();
    move || {
        (missing.get() && state.context.with(|c| c.runs.is_empty())).then(|| {
            view! {
                <div class="empty">
                    <h1>"Compare runs on one ruler"</h1>
                    <p>
                        "Every metric by run, computed again under one definition, with what each tool printed beside it. No run is selected."
                    </p>
                    <button
                        type="button"
                        class="button button-primary"
                        on:click=move |_| state.go(crate::link::Screen::Library)
                    >
                        "Choose runs in the Library"
                    </button>
                </div>
            }
        })
    }
}
