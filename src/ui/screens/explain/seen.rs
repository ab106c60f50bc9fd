//! A number that somebody saw: it is typed, looked for in the session, and what is found stands in the slot.

use super::Asking;
use crate::engine::protocol::Query;
use crate::ui::state::use_state;
use crate::views::explain::{Chosen, SeenAsk, SeenNumber, SeenView, Side, Slot, SlotChoices};
use leptos::html;
use leptos::prelude::*;

/// The field, and what the number can be.
#[component]
pub(super) fn Seen(
    choices: Memo<SlotChoices>,
    held: Memo<Option<Slot>>,
    asking: Asking,
    side: Side,
) -> impl IntoView {
    let state = use_state();
    let letter = side.letter();
    let field = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let answer = state.client.query::<SeenView>(move || {
        let text = typed.get();
        let ask = || SeenAsk {
            text: text.clone(),
            run: held.get_untracked().and_then(|slot| slot.run),
            servers: choices.with_untracked(|c| !c.servers.is_empty()),
        };
        (!text.trim().is_empty()).then(|| (state.context.get(), Query::Seen(ask())))
    });
    let find = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get_untracked() {
            typed.set(field.value());
        }
    };
    let take = move |number: &SeenNumber| {
        let chosen = if number.server {
            Chosen::Server(number.slot.clone())
        } else {
            Chosen::Number(number.slot.clone())
        };
        asking.change(|ask| ask.choose(side, chosen));
        let stands = if number.server { Side::B } else { side };
        state.toasts.say(format!("{} is now {}", stands.letter(), number.words));
    };
    let number = move |number: SeenNumber| {
        let words = number.words.clone();
        view! {
            <li>
                <button type="button" class="link" on:click=move |_| take(&number)>{words}</button>
            </li>
        }
    };
    let found = move || {
        let view = answer.with(|a| (!a.pending).then(|| a.value.clone()).flatten())?;
        let SeenView { said, found } = view.as_ref().clone();
        let said = (!said.is_empty()).then(|| view! { <p class="caption">{said}</p> });
        let numbers = found.into_iter().map(number).collect_view();
        Some(view! {
            <ol class="seen-numbers" aria-label=format!("What the number for {letter} can be")>{numbers}</ol>
            {said}
        })
    };
    view! {
        <form class="seen" on:submit=find>
            <input
                type="text"
                class="input"
                autocomplete="off"
                spellcheck="false"
                placeholder="a number you saw: 182 ms"
                aria-label=format!("A number you saw, for {letter}")
                node_ref=field
            />
            <button type="submit" class="button">"Find"</button>
        </form>
        <div aria-live="polite" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {move || answer.with(|a| a.pending).then(|| view! { <p class="caption">"Looking…"</p> })}
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {found}
        </div>
    }
}
