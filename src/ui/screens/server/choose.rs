//! Which dumps are read and which run stands beside them.

use super::View;
use crate::ui::parts::select::Select;
use crate::views::server::{Beside, Mark, Pick, ServerAsk};
use leptos::prelude::*;

/// The choices, and why those in force were made.
#[component]
pub(super) fn Choose(
    /// What is shown.
    view: View,
    /// What is asked.
    ask: RwSignal<ServerAsk>,
) -> impl IntoView {
    let dumps =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.dumps.clone()).unwrap_or_default()));
    let runs =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.runs.clone()).unwrap_or_default()));
    let facts =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.facts.clone()).unwrap_or_default()));
    let at = move |place: usize| dumps.with(|all| all.iter().position(|d| d.at == Some(place)));
    let dump_names = move || dumps.with(|all| names(all));
    let first = Signal::derive(move || at(0).unwrap_or(0));
    // Index 0 is none.
    let second = Signal::derive(move || at(1).map_or(0, |at| at + 1));
    let second_names = Signal::derive(move || with_none("no second page", dump_names()));
    let beside = Signal::derive(move || {
        runs.with(|all| all.iter().position(|run| run.at.is_some()).map_or(0, |at| at + 1))
    });
    let beside_names = Signal::derive(move || with_none("no client", runs.with(|all| names(all))));
    let choose = move |first: usize, second: Option<usize>| {
        let id = |at: usize| dumps.with_untracked(|all| all.get(at).map(|d| d.id.clone()));
        let second = second.filter(|second| *second != first).and_then(id);
        let chosen = id(first).into_iter().chain(second).collect();
        ask.update(|ask| ask.dumps = chosen);
    };
    let by_hand = move || ask.with(|ask| *ask != ServerAsk::default());
    view! {
        <div class="server-choose">
            <Select
                short="before"
                label="The page before the run, or the only one"
                options=Signal::derive(dump_names)
                chosen=first
                on_choose=Callback::new(move |at| choose(at, second.get_untracked().checked_sub(1)))
            />
            <Select
                short="after"
                label="The page after the run"
                options=second_names
                chosen=second
                on_choose=Callback::new(move |at: usize| choose(first.get_untracked(), at.checked_sub(1)))
            />
            <Select
                short="client"
                label="The run beside the server"
                options=beside_names
                chosen=beside
                on_choose=Callback::new(move |at: usize| {
                    let run = at.checked_sub(1);
                    let id = run.and_then(|at| runs.with_untracked(|all| all.get(at).map(|r| r.id.clone())));
                    ask.update(|ask| ask.beside = id.map_or(Beside::Nobody, Beside::Run));
                })
            />
            <Show when=by_hand>
                <button type="button" class="quiet" on:click=move |_| ask.set(ServerAsk::default())>
                    "As found"
                </button>
            </Show>
        </div>
        <dl class="server-facts">
            {move || {
                facts
                    .get()
                    .into_iter()
                    .map(|fact| {
                        let warn = fact.mark == Mark::Warn;
                        view! {
                            <div class:warn=warn>
                                <dt>{fact.name}</dt>
                                <dd>{fact.text}</dd>
                            </div>
                        }
                    })
                    .collect_view()
            }}
        </dl>
    }
}

fn names(all: &[Pick]) -> Vec<String> {
    all.iter().map(|pick| pick.name.clone()).collect()
}

fn with_none(none: &str, names: Vec<String>) -> Vec<String> {
    std::iter::once(none.to_owned()).chain(names).collect()
}
