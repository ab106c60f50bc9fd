//! A dimension of the ruler with its choices.

use super::choose;
use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::definitions::{ChoiceOption, DimensionChoice};
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// A dimension that tools disagree on: the example's result under every choice, and the sum.
#[component]
pub(super) fn Disputed(dimension: DimensionChoice) -> impl IntoView {
    let worked = dimension.worked.clone().map(|sum| view! { <p class="worked">{sum}</p> });
    let (question, meaning) = (dimension.question.clone(), dimension.meaning.clone());
    let (label, changed) = (dimension.label.clone(), dimension.changed);
    let id = format!("dimension-{}", dimension.id);
    view! {
        <fieldset class="dimension" class:changed=changed id=id>
            <legend>
                <b>{label}</b>
                " "
                <span>{question}</span>
            </legend>
            <Choices dimension=dimension results=true />
            {worked}
            <p class="meaning">{meaning}</p>
        </fieldset>
    }
}

/// A dimension in one row.
#[component]
pub(super) fn Plain(dimension: DimensionChoice) -> impl IntoView {
    let (label, meaning) = (dimension.label.clone(), dimension.meaning.clone());
    let changed = dimension.changed;
    let id = format!("dimension-{}", dimension.id);
    view! {
        <fieldset class="dimension-row" class:changed=changed id=id>
            <legend>{label}</legend>
            <Choices dimension=dimension results=false />
            <p class="meaning">{meaning}</p>
        </fieldset>
    }
}

#[component]
fn Choices(dimension: DimensionChoice, results: bool) -> impl IntoView {
    let state = use_state();
    let name = unique("dimension");
    let DimensionChoice { id, label, choices, .. } = dimension;
    let option = move |choice: ChoiceOption| {
        let ChoiceOption { id: own, label: words, meaning, result, chosen } = choice;
        let (id, label, shown) = (id.clone(), label.clone(), words.clone());
        let out_of_reach = matches!(result, Some(Err(_)));
        let result = match result.filter(|_| results) {
            Some(Ok(value)) => EitherOf3::A(view! { <b class="num">{value}</b> }),
            Some(Err(why)) => EitherOf3::B(view! { <i>{why}</i> }),
            None => EitherOf3::C(()),
        };
        view! {
            <label class="segment" class:out-of-reach=out_of_reach title=meaning>
                <input
                    type="radio"
                    name=name.clone()
                    prop:checked=chosen
                    on:change=move |_| choose(state, (&id, &label), (&own, &words))
                />
                <span>
                    <span class="segment-words">{shown}</span>
                    {result}
                </span>
            </label>
        }
    };
    view! {
        <div class="segmented" class:segmented-results=results>
            {choices.into_iter().map(option).collect_view()}
        </div>
    }
}
