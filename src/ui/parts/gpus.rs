//! How many accelerators served: as the files say, or typed, never assumed.

use leptos::either::Either;
use leptos::prelude::*;

/// No sweep was served by more: what is typed above is a slip.
const MOST: u32 = 1_000_000;

/// The count of a sweep, or the field for it.
#[component]
pub fn Gpus(
    /// The sweep's name.
    #[prop(into)]
    name: Signal<String>,
    /// What all its files say.
    #[prop(into)]
    filed: Signal<Option<u32>>,
    /// What was typed.
    #[prop(into)]
    said: Signal<Option<u32>>,
    /// Takes what is typed; an empty field takes it back.
    on_say: Callback<Option<u32>>,
) -> impl IntoView {
    let words = move || said.get().map_or_else(String::new, |gpus| gpus.to_string());
    let filed = Memo::new(move |_| filed.get());
    move || match filed.get() {
        Some(gpus) => Either::Left(
            view! { <span class="gpus">{super::strip::plural(gpus as usize, "GPU")}</span> },
        ),
        None => Either::Right(view! {
            <input
                class="input gpus num"
                type="number"
                min="1"
                max=MOST.to_string()
                step="1"
                inputmode="numeric"
                placeholder="GPUs"
                aria-label=move || format!("GPUs that served {}", name.get())
                title="The files don’t say how many accelerators served, and none is assumed"
                prop:value=words
                on:change:target=move |event| {
                    let field = event.target();
                    let count = field.value().trim().parse().ok();
                    let typed = count.filter(|gpus: &u32| (1..=MOST).contains(gpus));
                    if typed.is_some() || field.value().trim().is_empty() {
                        on_say.run(typed);
                    } else {
                        field.set_value(&untrack(words));
                    }
                }
            />
        }),
    }
}
