//! A drop-down list with its name in front.

use leptos::prelude::*;

/// Chooses one of many values by their index.
#[component]
pub fn Select(
    /// The short name in front, such as "y".
    #[prop(into)]
    short: String,
    /// The whole name, for readers who can't see it.
    #[prop(into)]
    label: String,
    /// The words of the values.
    #[prop(into)]
    options: Signal<Vec<String>>,
    /// Index of the chosen one.
    #[prop(into)]
    chosen: Signal<usize>,
    /// Takes the index of the new choice.
    on_choose: Callback<usize>,
    /// Choices that can't be made, with the reason in their words.
    #[prop(optional, into)]
    unavailable: Signal<Vec<String>>,
) -> impl IntoView {
    // Room for the name in front, by about how wide its letters are.
    let em = |letter: char| match letter {
        'f' | 'i' | 'j' | 'l' | 'r' | 't' => 0.36,
        'm' | 'w' => 0.85,
        _ => 0.6,
    };
    let lead = if short.is_empty() {
        "9px".to_owned()
    } else {
        format!("calc(17px + {:.2}em)", short.chars().map(em).sum::<f64>())
    };
    let option = move |(index, words): (usize, String)| {
        view! {
            <option value=index.to_string() prop:selected=move || chosen.get() == index>
                {words}
            </option>
        }
    };
    view! {
        <label class="select">
            <span class="select-short" aria-hidden="true">{short}</span>
            <select
                aria-label=label
                style:padding-left=lead
                on:change:target=move |event| {
                    if let Ok(index) = event.target().value().parse() {
                        on_choose.run(index);
                    }
                }
            >
                {move || options.get().into_iter().enumerate().map(option).collect_view()}
                {move || {
                    let all = unavailable.get().into_iter();
                    all.map(|words| view! { <option disabled=true>{words}</option> }).collect_view()
                }}
            </select>
        </label>
    }
}
