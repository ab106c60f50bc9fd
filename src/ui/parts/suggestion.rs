//! The most important disagreement of the session, in one computed sentence with a button.

use super::icons::{Glyph, Icon};
use crate::engine::protocol::Query;
use crate::link::Screen;
use crate::ui::state::{State, use_state};
use crate::views::Context;
use crate::views::explain::{ExplainAsk, Suggestion};
use leptos::prelude::*;

/// Opens Explain with a question. A sheet that the way started from closes.
pub fn explain(state: State, ask: ExplainAsk) {
    state.explain.set(ask);
    state.sheet.set(None);
    state.go(Screen::Explain);
}

/// A way into Explain from a number that stands elsewhere.
#[component]
pub fn ExplainLink(
    /// Its words.
    words: String,
    /// The question.
    ask: ExplainAsk,
) -> impl IntoView {
    let state = use_state();
    let open = move |_| explain(state, ask.clone());
    view! {
        <p>
            <button type="button" class="link" on:click=open>{words}</button>
        </p>
    }
}

/// The sentence; nothing where no definition moves a number.
#[component]
pub fn SuggestionLine() -> impl IntoView {
    let state = use_state();
    // What is found depends on the runs and on what is left out of them, on no ruler and no limit.
    let bare = Memo::new(move |_| {
        state.context.with(|context| Context {
            runs: context.runs.clone(),
            judged: context.judged.clone(),
            ..Context::default()
        })
    });
    let answer = state.client.query_last::<Option<Suggestion>>(move || {
        state.loaded.get().then(|| (bare.get(), Query::Suggestion))
    });
    let found = Memo::new(move |_| {
        answer.with(|a| a.value.as_ref().and_then(|found| found.as_ref().clone()))
    });
    move || {
        found.get().map(|Suggestion { sentence, ask }| {
            view! {
                <section class="suggestion" aria-label="The most important disagreement">
                    <Icon name=Glyph::Explain/>
                    <p>{sentence}</p>
                    <button
                        type="button"
                        class="button button-small"
                        on:click=move |_| explain(state, ask.clone())
                    >
                        "Explain"
                    </button>
                </section>
            }
        })
    }
}
