//! Explain: from one number to another, one definition at a time, with what each is and why.

mod config;
mod empty;
mod head;
mod library;
mod request;
mod seen;
mod slots;
mod steps;
mod waterfall;

use crate::engine::protocol::Query;
use crate::ui::parts::card::{CardPlace, Cards};
use crate::ui::state::use_state;
use crate::views::explain::{ExplainAsk, ExplainView};
use config::Config;
use empty::Empty;
use head::{Head, Lead};
use leptos::prelude::*;
use library::Library;
use request::Request;
use slots::Slots;
use std::sync::Arc;
use steps::Steps;
use waterfall::Bridge;

type View = Memo<Option<Arc<ExplainView>>>;

/// A part of the view, followed.
fn part<T>(view: View, of: fn(&ExplainView) -> T) -> Memo<T>
where
    T: Clone + Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| view.with(|view| view.as_deref().map(of).unwrap_or_default()))
}

/// Asks for another explanation, from what is shown now: what was chosen by itself is part of it.
#[derive(Clone, Copy)]
struct Asking {
    shown: View,
    asked: RwSignal<ExplainAsk>,
}

impl Asking {
    /// The question that is shown, with its slots filled.
    fn now(self) -> ExplainAsk {
        let shown = self.shown.with_untracked(|view| view.as_ref().map(|view| view.ask.clone()));
        shown.unwrap_or_else(|| self.asked.get_untracked())
    }

    fn change(self, change: impl FnOnce(&ExplainAsk) -> ExplainAsk) {
        self.asked.set(change(&self.now()));
    }
}

/// The Explain screen.
#[component]
pub fn Explain() -> impl IntoView {
    let state = use_state();
    let cards = Cards::provide();
    let answer = state.client.query::<ExplainView>(move || {
        let ask = state.explain.get();
        state.loaded.get().then(|| (state.context.get(), Query::Explain(ask)))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let asking = Asking { shown: view, asked: state.explain };
    let order_open = RwSignal::new(false);
    let trouble = part(view, |v| v.trouble.clone());
    let there = Memo::new(move |_| view.with(Option::is_some));
    let whole = Memo::new(move |_| there.get() && trouble.with(Option::is_none));
    view! {
        <div class="explain" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (!there.get() && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Looking for what lies between two numbers…"</p> })
            }}
            <Show when=move || there.get()>
                <div class="explain-page">
                    <Head view asking/>
                    <Lead view/>
                    <div class="explain-main">
                        <Slots view asking/>
                        {move || trouble.get().map(|words| view! { <p class="banner" role="note">{words}</p> })}
                        <Show when=move || whole.get()>
                            <Bridge view asking order_open/>
                            <Steps view asking open=order_open/>
                            <Config view/>
                        </Show>
                    </div>
                    <Show when=move || whole.get()>
                        <Library view/>
                        <Request view asking/>
                    </Show>
                </div>
            </Show>
            <Show when=move || !state.loaded.get()>
                <Empty/>
            </Show>
            <CardPlace cards=cards/>
        </div>
    }
}
