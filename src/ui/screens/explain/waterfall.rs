//! The waterfall with what always stands under it: what is left over, what is equal, the order.

use super::{Asking, View, part};
use crate::views::explain::ExplainAsk;
use leptos::prelude::*;

/// The picture and its foot.
#[component]
pub(super) fn Bridge(
    view: View,
    asking: Asking,
    /// Whether the steps are unfolded.
    order_open: RwSignal<bool>,
) -> impl IntoView {
    let left_over = part(view, |v| v.left_over.clone());
    let equal = part(view, |v| v.equal.clone());
    let order = part(view, |v| v.order.clone());
    let average = part(view, |v| v.average.clone());
    let has_average = part(view, |v| v.has_average);
    let averaged = part(view, |v| v.ask.average);
    let story = part(view, |v| v.story.clone());
    let toggle = move |_| {
        asking.change(|ask| ExplainAsk { average: !ask.average, ..ask.clone() });
    };
    let left = move || {
        let words = left_over.get();
        // That both come from the same requests stands above already.
        let short = words.split(':').next().unwrap_or_default().to_owned();
        (!short.is_empty()).then(|| view! { <b>{short}</b> })
    };
    let averages = move || {
        let words = average.get();
        if words.is_empty() {
            return ().into_any();
        }
        if !has_average.get() {
            return view! { <span>{words}</span> }.into_any();
        }
        view! {
            <label class="average">
                <input
                    type="checkbox"
                    id="explain-average"
                    prop:checked=averaged
                    on:change=toggle
                />
                {words}
            </label>
        }
        .into_any()
    };
    view! {
        <div class="explain-foot">
            <p>{left} <span>{equal}</span></p>
            <p class="explain-order">
                <Show when=move || order.with(|order| !order.is_empty())>
                    <button
                        type="button"
                        class="stamp"
                        aria-expanded=move || order_open.get().to_string()
                        title="Change the order of the steps"
                        on:click=move |_| order_open.update(|open| *open = !*open)
                    >
                        {order}
                    </button>
                </Show>
                {averages}
            </p>
            {move || story.get().map(|words| view! { <p class="explain-story">{words}</p> })}
        </div>
    }
}
