//! The waterfall with what always stands under it: what is left over, what is equal, the order.

use super::{Asking, View, part};
use crate::charts::Waterfall;
use crate::ui::parts::chart::export::ExportMenu;
use crate::ui::parts::chart::{Chart, ChartLinks};
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
    let drawn: Signal<Waterfall> = part(view, |v| v.waterfall.clone()).into();
    let links = ChartLinks::alone();
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
    let over_orders = move || {
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
        <figure class="figure explain-waterfall" aria-labelledby="waterfall-title">
            <h2 id="waterfall-title" class="visually-hidden">"From A to B, one definition at a time"</h2>
            <div class="explain-tools">
                <button
                    type="button"
                    class="quiet export-small"
                    aria-label="Table of the waterfall"
                    aria-pressed=move || links.table.get().to_string()
                    on:click=move |_| links.table.update(|shown| *shown = !*shown)
                >
                    "Table"
                </button>
                <ExportMenu spec=drawn small=true/>
            </div>
            <Chart spec=drawn links=links named_by="waterfall-title".to_owned() tip_when_pinned=true/>
        </figure>
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
                {over_orders}
            </p>
            {move || story.get().map(|words| view! { <p class="explain-story">{words}</p> })}
        </div>
    }
}
