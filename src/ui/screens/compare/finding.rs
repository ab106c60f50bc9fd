//! The finding: one line, the cause in a few sentences, the two rulers beside it.

use crate::ui::parts::held_back::HeldBackNote;
use crate::ui::parts::ruler_strip::RulerStripFigure;
use crate::ui::state::use_state;
use crate::views::compare::CompareView;
use crate::web::download;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Copies a text and says so.
pub(super) fn copy(text: String, what: &'static str) {
    let state = use_state();
    spawn_local(async move {
        state.toasts.say(match download::copy(&text).await {
            Ok(()) => format!("{what} copied"),
            Err(_) => format!("The browser did not let the page copy. {what} was not copied."),
        });
    });
}

/// Headline, detail, Copy as text, and the strip where two runs have both values.
#[component]
pub(super) fn Finding(view: Arc<CompareView>) -> impl IntoView {
    let state = use_state();
    let text = view.text.clone();
    let strip = view.strip.clone().map(|strip| view! { <RulerStripFigure strip=strip /> });
    let banner = view.banner.clone().map(|words| {
        view! { <p class="banner" role="note">{words}</p> }
    });
    let anyway = move || {
        state.context.with(|c| c.compare_anyway).then(|| {
        view! {
            <span class="chip chip-warn">
                "compared anyway "
                <button
                    type="button"
                    class="link"
                    on:click=move |_| {
                        state.edit("Differences of unlike runs are withheld again", |c| c.compare_anyway = false);
                    }
                >
                    "Withhold"
                </button>
            </span>
        }
    })
    };
    let held_back = view.held_back.clone();
    view! {
        {banner}
        <HeldBackNote runs=Signal::stored(held_back) what="not compared" />
        <header class="finding">
            <div class="finding-words">
                <h1>{view.headline.clone()}</h1>
                <p class="finding-detail">{view.detail.clone()}</p>
                <div class="finding-actions">
                    <button
                        type="button"
                        class="button"
                        on:click=move |_| copy(text.clone(), "The finding")
                    >
                        "Copy as text"
                    </button>
                    {anyway}
                </div>
            </div>
            {strip}
        </header>
    }
}
