//! What kind of question is asked, the ways to take the answer away, and the finding.

use super::{Asking, View, part};
use crate::ui::address;
use crate::ui::parts::share::copy;
use crate::ui::state::use_state;
use crate::views::explain::{ModeChoice, Part, Side};
use leptos::prelude::*;

/// Kinds of question on the left, Copy on the right.
#[component]
pub(super) fn Head(view: View, asking: Asking) -> impl IntoView {
    let state = use_state();
    let none = Memo::new(move |_| view.with(|v| v.as_ref().is_none_or(|v| v.text.is_empty())));
    let take = move |of: fn(&crate::views::explain::ExplainView) -> &str| {
        view.with_untracked(|v| v.as_deref().map(|v| of(v).to_owned()).unwrap_or_default())
    };
    let link = move |_| {
        // What was chosen by itself is said, or a colleague with other runs would see another view.
        asking.change(Clone::clone);
        copy(state, untrack(|| address::whole(state)), "link to this explanation");
    };
    view! {
        <div class="explain-head">
            <Modes view asking/>
            <div class="explain-take">
                <button type="button" class="button" on:click=link>"Copy link"</button>
                <button
                    type="button"
                    class="button"
                    disabled=move || none.get()
                    on:click=move |_| copy(state, take(|v| &v.markdown), "the explanation as Markdown")
                >
                    "Copy as Markdown"
                </button>
                <button
                    type="button"
                    id="explain-copy"
                    class="button button-primary"
                    aria-keyshortcuts="c"
                    disabled=move || none.get()
                    on:click=move |_| copy(state, take(|v| &v.text), "the explanation as text")
                >
                    "Copy as text"
                    <span class="button-key" aria-hidden="true">"c"</span>
                </button>
            </div>
        </div>
    }
}

/// The three kinds of question; one that can't be asked says why.
#[component]
fn Modes(view: View, asking: Asking) -> impl IntoView {
    let modes = part(view, |v| v.modes.clone());
    let now = part(view, |v| v.mode);
    let segment = move |(at, choice): (usize, ModeChoice)| {
        let ModeChoice { mode, title, ask, why_not } = choice;
        let checked = Memo::new(move |_| now.get() == Some(mode));
        let out_of_reach = ask.is_none();
        let choose = move |_| {
            if let Some(ask) = &ask {
                asking.asked.set(ask.clone());
            }
        };
        view! {
            <label class="segment" class:out-of-reach=out_of_reach title=why_not>
                <input
                    type="radio"
                    id=format!("explain-mode-{at}")
                    name="explain-mode"
                    disabled=out_of_reach
                    prop:checked=checked
                    on:change=choose
                />
                <span>{title}</span>
            </label>
        }
    };
    view! {
        <fieldset class="segmented-field explain-modes">
            <legend class="visually-hidden">"What is explained"</legend>
            <div class="segmented">
                {move || modes.get().into_iter().enumerate().map(segment).collect_view()}
            </div>
        </fieldset>
    }
}

/// The finding and what stands under it.
#[component]
pub(super) fn Lead(view: View) -> impl IntoView {
    let parts = part(view, |v| v.headline_parts.clone());
    let paragraph = part(view, |v| v.paragraph.clone());
    let piece = |Part { side, words }: Part| match side {
        Some(side) => view! { <span class=mark(side)>{words}</span> }.into_any(),
        None => words.into_any(),
    };
    let text = move || {
        let said = paragraph.get();
        (!said.is_empty()).then(|| view! { <p class="explain-lead">{said.join(" ")}</p> })
    };
    view! {
        <header class="explain-finding">
            <h1>
                {move || {
                    let parts = parts.get();
                    if parts.is_empty() {
                        "No bridge between these two".into_any()
                    } else {
                        parts.into_iter().map(piece).collect_view().into_any()
                    }
                }}
            </h1>
            {text}
        </header>
    }
}

/// The class that marks what is said of one number.
const fn mark(side: Side) -> &'static str {
    match side {
        Side::A => "said-of-a",
        Side::B => "said-of-b",
    }
}
