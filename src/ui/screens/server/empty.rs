//! The way to server metrics when there are none.

use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::share::copy;
use crate::ui::parts::ways_in::WaysIn;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// One page before a run and one after it.
const COMMANDS: [(&str, &str); 2] = [
    ("before", "curl -s http://localhost:8000/metrics > metrics_before.txt"),
    ("after", "curl -s http://localhost:8000/metrics > metrics_after.txt"),
];

/// How to have both sides.
#[component]
pub(super) fn Empty() -> impl IntoView {
    let state = use_state();
    let command = move |(when, line): (&'static str, &'static str)| {
        view! {
            <li>
                <span>{format!("Just {when} the run")}</span>
                <code>{line}</code>
                <button
                    type="button"
                    class="button button-small"
                    aria-label=format!("Copy the command for {when} the run")
                    on:click=move |_| copy(state, line.to_owned(), "the command")
                >
                    <Icon name=Glyph::Copy/>
                    "Copy"
                </button>
            </li>
        }
    };
    view! {
        <section class="server-empty">
            <h1>"The server’s side of a run"</h1>
            <p class="lead">
                "A server counts its requests into buckets at "
                <code>"/metrics"</code>
                ". Take that page before and after a run and drop both files beside the run’s result: this screen takes one from the other, puts the client’s requests into the same buckets, and says why the two p99s differ."
            </p>
            <ol>{COMMANDS.map(command).collect_view()}</ol>
            <p class="caption">
                "vLLM, SGLang, TGI, Triton, TensorRT-LLM, Dynamo and llama.cpp are known by name. Also read: answers of Prometheus’s API, promtool’s dumps, VictoriaMetrics’ lines, Grafana’s panels, AIPerf’s exports."
            </p>
            <p class="server-ways">
                <WaysIn/>
            </p>
        </section>
    }
}
