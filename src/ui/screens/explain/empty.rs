//! Explain with nothing loaded: what it does, and what to drop.

use crate::ui::parts::ways_in::WaysIn;
use leptos::prelude::*;

/// The way to a first explanation.
#[component]
pub(super) fn Empty() -> impl IntoView {
    view! {
        <section class="explain-empty">
            <h1>"“My TPOT is 14 ms, yours is 31 ms, same server.”"</h1>
            <p class="lead">
                "Drop the result file of a client, or those of two. The most important disagreement in them is found and taken apart, one definition at a time: what each step comes to, which requests it touches, why, and what is left over. The answer can be pasted into a chat."
            </p>
            <p class="caption">
                "A file with its requests explains exactly; vLLM writes them with --save-detailed, SGLang with --output-details. A file of printed totals explains as far as it goes, and the steps that it can’t give are named."
            </p>
            <p class="explain-ways">
                <WaysIn/>
            </p>
        </section>
    }
}
