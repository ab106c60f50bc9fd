//! Runs that a finding holds back, each with its reason and the two ways on.

use crate::link::Screen;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use crate::units::within_sentence;
use crate::views::quality::HeldBack;
use leptos::prelude::*;

/// So many runs are named one by one.
const NAMED: usize = 3;

/// What is held back on this screen; nothing when nothing is.
#[component]
pub fn HeldBackNote(
    /// The runs.
    #[prop(into)]
    runs: Signal<Vec<HeldBack>>,
    /// What does not happen to them: "not compared", "on no curve".
    what: &'static str,
) -> impl IntoView {
    let state = use_state();
    let line = move |run: HeldBack| {
        let (id, name) = (run.id.clone(), run.name.clone());
        let let_on = move |_| {
            let id = id.clone();
            state.edit(format!("{name} let on"), move |context| {
                context.judged.let_on.insert(id);
            });
        };
        let label = format!("Let it on: {}", run.name);
        view! {
            <li>
                <span class="held-back-words">
                    <b>{format!("{} is {what}: {}.", run.name, within_sentence(&run.finding))}</b>
                    " "
                    {run.text}
                </span>
                <span class="held-back-do">
                    <button type="button" class="link" on:click=move |_| state.go(Screen::Quality)>
                        "See Quality"
                    </button>
                    <button type="button" class="button button-small" aria-label=label on:click=let_on>
                        "Let it on"
                    </button>
                </span>
            </li>
        }
    };
    let many = move |all: Vec<HeldBack>| {
        let count = all.len();
        let ids: Vec<_> = all.into_iter().map(|run| run.id).collect();
        let let_on = move |_| {
            let ids = ids.clone();
            state.edit(format!("{count} runs let on"), move |context| {
                context.judged.let_on.extend(ids);
            });
        };
        view! {
            <li>
                <span class="held-back-words"><b>{format!("{count} runs are {what}, for what the checks found in them.")}</b></span>
                <span class="held-back-do">
                    <button type="button" class="link" on:click=move |_| state.go(Screen::Quality)>
                        "See Quality"
                    </button>
                    <button type="button" class="button button-small" on:click=let_on>
                        "Let them on"
                    </button>
                </span>
            </li>
        }
    };
    move || {
        let all = runs.get();
        (!all.is_empty()).then(|| {
            let lines = if all.len() > NAMED {
                many(all).into_any()
            } else {
                all.into_iter().map(line).collect_view().into_any()
            };
            view! {
                <div class="held-back" role="note">
                    <Icon name=Glyph::Block/>
                    <ul>{lines}</ul>
                </div>
            }
        })
    }
}
