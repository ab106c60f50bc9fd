//! What sweeps say, in sentences: their peaks, their knee, the limit that binds, their saturation.

use leptos::prelude::*;

/// A heading and its sentences for each sweep; nothing where none says anything.
#[component]
pub fn Said(
    /// Name and sentences of each sweep.
    #[prop(into)]
    said: Signal<Vec<(String, Vec<String>)>>,
) -> impl IntoView {
    let one = |(name, sentences): (String, Vec<String>)| {
        view! {
            <section class="curves-said-one">
                <h3>{name}</h3>
                <ul>{sentences.into_iter().map(|said| view! { <li>{said}</li> }).collect_view()}</ul>
            </section>
        }
    };
    move || {
        let said = said.get();
        (!said.is_empty()).then(|| {
            view! {
                <section class="curves-said" aria-label="What the sweeps say">
                    {said.into_iter().map(one).collect_view()}
                </section>
            }
        })
    }
}
