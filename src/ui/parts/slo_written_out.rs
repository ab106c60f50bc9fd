//! The SLO with its five parts, for each selected run, ready to be copied.

use super::share::copy;
use crate::engine::protocol::Query;
use crate::ui::client::Lost;
use crate::ui::state::{State, use_state};
use crate::views::slo::{SloView, Statement};
use leptos::prelude::*;

/// Statements that are shown; the copied text holds all.
const SHOWN: usize = 6;

/// One line a statement.
fn in_lines(statements: &[Statement]) -> String {
    let line = |s: &Statement| format!("{}: {}", s.name, s.sentence);
    statements.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Copies the SLO of the selected runs, written out.
pub fn copy_slo(state: State) {
    let context = state.context.get_untracked();
    state.client.ask_once(context, Query::Slo, move |slo: Result<SloView, Lost>| match slo {
        Ok(slo) => copy(state, in_lines(&slo.statements), "SLO"),
        Err(_) => state.toasts.say("The SLO was not written out. Try once more."),
    });
}

/// The statements of the selected runs. Nothing where no limit is set.
#[component]
pub fn SloWrittenOut() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<SloView>(move || {
        let context = state.context.get();
        let asked = !context.limits.is_empty() && !context.runs.is_empty();
        asked.then_some((context, Query::Slo))
    });
    let none = move || state.context.with(|c| c.limits.is_empty() || c.runs.is_empty());
    let statements = Memo::new(move |_| {
        let view = answer.with(|a| a.value.clone());
        if none() { Vec::new() } else { view.map(|v| v.statements.clone()).unwrap_or_default() }
    });
    let text = move || statements.with_untracked(|all| in_lines(all));
    view! {
        <section class="slo-written" aria-labelledby="slo-written-title" hidden=move || statements.with(Vec::is_empty)>
            <h3 id="slo-written-title">"The SLO written out"</h3>
            <ul>
                {move || {
                    let shown = statements.get().into_iter().take(SHOWN);
                    shown.map(|s| view! { <li><b>{s.name}</b> ": " {s.sentence}</li> }).collect_view()
                }}
            </ul>
            <p hidden=move || statements.with(|all| all.len() <= SHOWN)>
                {move || format!("and {} more in the copied text", statements.with(Vec::len).saturating_sub(SHOWN))}
            </p>
            <button type="button" class="button" on:click=move |_| copy(state, text(), "SLO")>
                "Copy"
            </button>
        </section>
    }
}
