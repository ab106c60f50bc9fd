//! Compare: the finding, the two rulers, metrics by run, and what else differs.

mod config;
mod controls;
mod finding;
mod grid;
mod head;
mod table;

use crate::engine::protocol::Query;
use crate::ui::client::Loaded;
use crate::ui::parts::card::{CardPlace, Cards};
use crate::ui::parts::repeats_card::RepeatsCard;
use crate::ui::parts::suggestion::SuggestionLine;
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::changes::Changes;
use crate::views::compare::{CompareView, NumbersView};
use crate::views::repeats::RepeatsView;
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
    let ask = move |query: Query| {
        let context = state.context.get();
        (!context.runs.is_empty()).then_some((context, query))
    };
    // In this order: the numbers come before their intervals, and what is further down last.
    let numbers = state.client.query::<NumbersView>(move || ask(Query::Numbers));
    let answer = state.client.query::<CompareView>(move || ask(Query::Compare));
    let repeats = state.client.query::<RepeatsView>(move || ask(Query::Repeats));
    let whole = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let view = Memo::new(move |_| newest(&answer.get(), &numbers.get()));
    let shown = Shown {
        group: RwSignal::new(None),
        hide_equal: RwSignal::new(false),
        changes: changes_of(state, whole),
    };
    let body = move |view: Arc<CompareView>| {
        let finding = view.clone();
        let controls = view.clone();
        let table = view.clone();
        let runs = view.columns.len().to_string();
        view! {
            <Finding view=finding />
            <SuggestionLine />
            <div class="compare-body" style:--runs=runs>
                <Controls view=controls shown=shown />
                <CompareTable view=table shown=shown />
                {move || {
                    let view = repeats.with(|r| r.value.clone()).filter(|view| !view.rows.is_empty());
                    view.map(|view| view! { <RepeatsCard view=(*view).clone() /> })
                }}
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

/// The last whole answer, with newer numbers where they are there and their intervals are not.
fn newest(answer: &Loaded<CompareView>, numbers: &Loaded<NumbersView>) -> Option<Arc<CompareView>> {
    let whole = answer.value.as_ref()?;
    let early = numbers.value.as_ref().filter(|early| {
        let columns = whole.columns.iter().map(|column| &column.id);
        answer.pending && !numbers.pending && columns.eq(early.runs.iter())
    });
    Some(early.map_or_else(
        || whole.clone(),
        |early| Arc::new(CompareView { groups: early.groups.clone(), ..(**whole).clone() }),
    ))
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
