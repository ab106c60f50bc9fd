//! The window sheet: the runs over time with a brush, the choices, whole and windowed side by side.

mod choices;
mod side_by_side;
mod timeline;

use super::sheet::SheetFrame;
use crate::engine::protocol::Query;
use crate::ui::state::{State, use_state};
use crate::views::window::{Offer, WindowView, ruler_with, short};
use choices::Choices;
use leptos::prelude::*;
use side_by_side::SideBySide;
use timeline::TimelinePart;

/// The id of a window from `from` to `to` seconds.
fn spelled((from, to): (f64, f64)) -> String {
    format!("brush:{from}..{to}")
}

/// Chooses a window or an edge rule as one step with Undo.
fn choose(state: State, dimension: &'static str, choice: &str, words: String) {
    state.edit(words, |context| context.ruler = ruler_with(&context.ruler, dimension, choice));
}

/// The same for what changes with every key: steps that follow each other are one.
fn nudge(state: State, choice: &str) {
    let words = format!("Window: now {}", short(choice));
    state.nudge(words, "window", |context| {
        context.ruler = ruler_with(&context.ruler, "window", choice);
    });
}

/// The window sheet. What is brushed is felt in it at once, and everywhere when it is let go.
#[component]
pub fn WindowSheet() -> impl IntoView {
    let state = use_state();
    let draft = RwSignal::new(None::<(f64, f64)>);
    let answer = state.client.query::<WindowView>(move || {
        let proposed = draft.get().map(spelled);
        Some((state.context.get(), Query::Window { proposed }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.as_deref().cloned()));
    let part = move |get: fn(&WindowView) -> Option<String>| {
        Memo::new(move |_| view.with(|view| view.as_ref().and_then(get)))
    };
    let own = part(|view| view.own_words.clone());
    let empty = part(|view| view.empty.clone());
    let offers = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|v| v.offers.clone()).unwrap_or_default())
    });
    let notes = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|v| v.notes.clone()).unwrap_or_default())
    });
    let said = |class: &'static str, text: Memo<Option<String>>| {
        move || text.get().map(|text| view! { <p class=class>{text}</p> })
    };
    view! {
        <SheetFrame title="Window">
            <div class="window-sheet">
                <p class="lead">
                    "Which stretch of each run counts. It changes every number of every screen, and each says so."
                </p>
                {said("scope scope-mixed", own)}
                {move || {
                    answer
                        .with(|a| a.error.clone())
                        .map(|error| view! { <p class="trouble" role="alert">{error}</p> })
                }}
                {said("window-empty", empty)}
                <TimelinePart view=view draft=draft/>
                <Offers offers=offers/>
                <Choices view=view/>
                <SideBySide view=view/>
                <ul class="window-notes">
                    {move || notes.get().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
                </ul>
            </div>
        </SheetFrame>
    }
}

#[component]
fn Offers(offers: Memo<Vec<Offer>>) -> impl IntoView {
    let state = use_state();
    let offer = move |offer: Offer| {
        let Offer { seen, text, window } = offer;
        let take =
            move |_| choose(state, "window", &window, format!("Window: now {}", short(&window)));
        view! {
            <li>
                <span>{seen}</span>
                <button type="button" class="button" on:click=take>{text}</button>
            </li>
        }
    };
    view! {
        <ul class="window-offers" aria-label="Offers" hidden=move || offers.with(Vec::is_empty)>
            {move || offers.get().into_iter().map(offer).collect_view()}
        </ul>
    }
}
