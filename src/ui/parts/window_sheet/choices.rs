//! The kinds of windows with their parameters, and the rule for requests across an edge.

use super::{choose, nudge};
use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::window::{WindowChoice, WindowView};
use leptos::prelude::*;

/// Kinds and edge rules.
#[component]
pub(super) fn Choices(view: Memo<Option<WindowView>>) -> impl IntoView {
    let kinds = Memo::new(move |_| {
        view.with(|v| v.as_ref().map(|v| v.choices.clone()).unwrap_or_default())
    });
    let edges =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.edges.clone()).unwrap_or_default()));
    let words = move || view.with(|v| v.as_ref().map(|v| v.edge_words.clone()));
    let split = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| v.edged)));
    view! {
        <fieldset class="window-choices">
            <legend>"Window"</legend>
            {move || lines("window", "Window", kinds.get())}
        </fieldset>
        <fieldset class="window-choices" disabled=move || !split.get()>
            <legend>"Requests across its edge"</legend>
            {move || lines("window-edge", "Edge of the window", edges.get())}
            <p class="meaning" hidden=move || split.get()>{words}</p>
        </fieldset>
    }
}

fn lines(
    dimension: &'static str,
    label: &'static str,
    choices: Vec<WindowChoice>,
) -> impl IntoView {
    let name = unique("window-choice");
    let each = move |choice| view! { <Line choice=choice dimension=dimension label=label name=name.clone()/> };
    choices.into_iter().map(each).collect_view()
}

#[component]
fn Line(
    choice: WindowChoice,
    dimension: &'static str,
    label: &'static str,
    name: String,
) -> impl IntoView {
    let state = use_state();
    let WindowChoice { id, label: words, meaning, spelling, parameter, chosen } = choice;
    let said = format!("{label}: now {words}");
    let take = move |_| choose(state, dimension, &spelling, said.clone());
    let value = parameter.map(|(hint, value)| {
        let id = id.clone();
        let typed =
            move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlInputElement>| {
                nudge(state, &format!("{id}:{}", event.target().value().trim()));
            };
        view! {
            <input
                class="input window-parameter"
                type="number"
                step="any"
                min="0"
                aria-label=format!("{words}: {hint}")
                prop:value=value
                on:change:target=typed
            />
        }
    });
    view! {
        <div class="window-line">
            <label class="choice-line">
                <input type="radio" name=name prop:checked=chosen on:change=take/>
                <span>{words.clone()} " " <small>{meaning}</small></span>
            </label>
            {value}
        </div>
    }
}
