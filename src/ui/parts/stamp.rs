//! The definition stamp: what a number means, one click from the whole of it.

use super::card::{Card, Cards};
use leptos::prelude::*;

/// A dotted-underlined stamp that opens the definition at length.
#[component]
pub fn Stamp(
    /// The stamp: "chunk gap · pooled · ms".
    #[prop(into)]
    text: String,
    /// What is defined: "ITL".
    #[prop(into)]
    title: String,
    /// The definition at length; lines part paragraphs.
    #[prop(into)]
    definition: String,
    /// Inside a grid the cells take the Tab key and the stamp is reached by Enter.
    #[prop(optional)]
    in_grid: bool,
) -> impl IntoView {
    let cards = Cards::of_screen();
    let label = format!("Definition of {title}: {text}");
    let shown = text.clone();
    view! {
        <button
            type="button"
            class="stamp"
            aria-haspopup="dialog"
            aria-label=label
            tabindex=if in_grid { "-1" } else { "0" }
            on:click:target=move |event| {
                let lines = definition.lines().map(str::to_owned).collect();
                let card = Card { title: title.clone(), stamp: text.clone(), lines, ..Card::default() };
                cards.open(card.beside(&event.target()));
            }
        >
            {shown}
        </button>
    }
}
