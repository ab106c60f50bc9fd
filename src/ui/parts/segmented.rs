//! A segmented control: a few choices side by side, native radio buttons underneath.

use super::marker::Marker;
use super::unique::unique;
use leptos::prelude::*;

/// Chooses one of a few values; the arrow keys move the choice.
#[component]
pub fn Segmented<T>(
    /// What is chosen, for the group's name.
    #[prop(into)]
    label: String,
    /// Values with their words.
    options: Vec<(T, String)>,
    /// The chosen value.
    #[prop(into)]
    chosen: Signal<Option<T>>,
    /// Takes the new choice.
    on_choose: Callback<T>,
    /// The palette index of the run that a value is.
    #[prop(optional)]
    marked: Option<fn(&T) -> usize>,
    /// What stands under the words of a value, and may come later.
    #[prop(optional)]
    note: Option<Callback<T, String>>,
    /// Shows the group's name before it.
    #[prop(optional)]
    labelled: bool,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let name = unique("segmented");
    let segment = move |(value, words): (T, String)| {
        let mine = value.clone();
        let under = note.map(|note| {
            let of = value.clone();
            view! { <small>{move || note.run(of.clone())}</small> }
        });
        let sign = marked.map(|style| view! { <Marker style=style(&value) /> });
        let checked = Memo::new(move |_| chosen.with(|c| c.as_ref() == Some(&mine)));
        view! {
            <label class="segment">
                <input
                    type="radio"
                    name=name.clone()
                    prop:checked=checked
                    on:change=move |_| on_choose.run(value.clone())
                />
                <span>{sign} {words} {under}</span>
            </label>
        }
    };
    view! {
        <fieldset class="segmented-field">
            <legend class=if labelled { "segmented-label" } else { "visually-hidden" }>{label}</legend>
            <div class="segmented">{options.into_iter().map(segment).collect_view()}</div>
        </fieldset>
    }
}
