//! One real request under both rulers, and the way to another one.

use super::{Asking, View, part};
use crate::ui::parts::chart_table::ChartTable;
use crate::views::explain::ExplainAsk;
use leptos::prelude::*;

/// The request.
#[component]
pub(super) fn Request(view: View, asking: Asking) -> impl IntoView {
    let picture = part(view, |v| v.picture.clone());
    let words = part(view, |v| v.picture_words.clone());
    let there = Memo::new(move |_| picture.with(Option::is_some));
    let table = RwSignal::new(false);
    let step = move |by: isize| {
        let at = picture.with_untracked(|p| {
            let p = p.as_ref()?;
            let of = isize::try_from(p.of).ok().filter(|of| *of > 0)?;
            usize::try_from((isize::try_from(p.at).ok()? + by).rem_euclid(of)).ok()
        });
        if at.is_some() {
            asking.change(|ask| ExplainAsk { request: at, ..ask.clone() });
        }
    };
    let readings = part(view, |v| v.picture_readings.clone());
    let rows = part(view, |v| v.picture_table.clone());
    view! {
        <Show when=move || there.get()>
            <section class="explain-request" aria-labelledby="request-title">
                <header>
                    <h2 id="request-title">"One request under both rulers"</h2>
                    <p class="caption">{words}</p>
                    <div class="request-ways">
                        <button
                            type="button"
                            class="quiet"
                            aria-label="Table of this request"
                            aria-pressed=move || table.get().to_string()
                            on:click=move |_| table.update(|shown| *shown = !*shown)
                        >
                            "Table"
                        </button>
                        <button
                            type="button"
                            class="icon-button request-way"
                            aria-label="Previous request"
                            title="Previous request"
                            on:click=move |_| step(-1)
                        >
                            "‹"
                        </button>
                        <button
                            type="button"
                            class="icon-button request-way"
                            aria-label="Next request"
                            title="Next request"
                            on:click=move |_| step(1)
                        >
                            "›"
                        </button>
                    </div>
                </header>
                <ul class="request-readings">
                    {move || readings.get().into_iter().map(|words| view! { <li>{words}</li> }).collect_view()}
                </ul>
                <Show when=move || table.get()>
                    <ChartTable
                        table=rows.into()
                        named_by="request-title".to_owned()
                        on_close=Callback::new(move |()| table.set(false))
                    />
                </Show>
            </section>
        </Show>
    }
}
