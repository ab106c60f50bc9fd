//! One real request under both rulers, and the way to another one.

use super::{Asking, View, part};
use crate::charts::Stream;
use crate::ui::parts::chart::export::ExportMenu;
use crate::ui::parts::chart::{Chart, ChartLinks};
use crate::views::explain::ExplainAsk;
use leptos::prelude::*;

/// The request; nothing where neither ruler can be laid on one.
#[component]
pub(super) fn Request(view: View, asking: Asking) -> impl IntoView {
    let rulers = part(view, |v| v.rulers.clone());
    let drawn: Signal<Stream> = Memo::new(move |_| rulers.get().unwrap_or_default()).into();
    let there = Memo::new(move |_| rulers.with(Option::is_some));
    let words = part(view, |v| v.picture_words.clone());
    let place = part(view, |v| v.picture.as_ref().map(|picture| (picture.at, picture.of)));
    let links = ChartLinks::alone();
    // A chunk that was pinned is one of the request before.
    Effect::new(move |_| {
        place.track();
        links.pinned.set(None);
    });
    let step = move |by: isize| {
        let at = place.get_untracked().and_then(|(at, of)| {
            let of = isize::try_from(of).ok().filter(|of| *of > 0)?;
            usize::try_from((isize::try_from(at).ok()? + by).rem_euclid(of)).ok()
        });
        if at.is_some() {
            asking.change(|ask| ExplainAsk { request: at, ..ask.clone() });
        }
    };
    view! {
        <Show when=move || there.get()>
            <section class="explain-request" aria-labelledby="request-title">
                <header>
                    <h2 id="request-title">"One request under both rulers"</h2>
                    <p class="caption">{words}</p>
                    <div class="request-ways">
                        <button
                            type="button"
                            class="quiet export-small"
                            aria-label="Table of this request"
                            aria-pressed=move || links.table.get().to_string()
                            on:click=move |_| links.table.update(|shown| *shown = !*shown)
                        >
                            "Table"
                        </button>
                        <ExportMenu spec=drawn small=true/>
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
                <figure class="figure" aria-labelledby="request-title">
                    <Chart spec=drawn links=links named_by="request-title".to_owned() tip_when_pinned=true/>
                </figure>
            </section>
        </Show>
    }
}
