//! Limits beyond one bound for all requests: on ITL within a request, and bounds that grow with length.

use super::limits_sheet::has_field;
use crate::model::{Aggregation, Limit, LimitMetric};
use crate::ui::state::use_state;
use crate::views::slo::{limit_in_words, limit_name};
use leptos::prelude::*;

/// What a limit can be added on, by its id.
const METRICS: [(&str, &str); 7] = [
    ("itl.max", "ITL, the largest of a request"),
    ("itl.p99", "ITL, p99 within a request"),
    ("itl.p95", "ITL, p95 within a request"),
    ("itl.mean", "ITL, mean of a request"),
    ("ttft", "TTFT, growing with length"),
    ("tpot", "TPOT, growing with length"),
    ("e2e", "E2E, growing with length"),
];

/// An example of a bound for the field.
fn example(metric: LimitMetric) -> &'static str {
    match metric {
        LimitMetric::Itl(_) => "200 ms",
        LimitMetric::Tpot => "10ms + output_tokens*0.01ms",
        LimitMetric::Ttft => "input_tokens/512s",
        LimitMetric::E2e => "1s + output_tokens*20ms",
    }
}

/// The list of these limits, and the form that adds one.
#[component]
pub fn FurtherLimits() -> impl IntoView {
    let state = use_state();
    let further = Memo::new(move |_| {
        state.context.with(|context| {
            context.limits.iter().filter(|limit| !has_field(limit)).copied().collect::<Vec<_>>()
        })
    });
    let chosen = RwSignal::new(LimitMetric::Itl(Aggregation::Max));
    let text = RwSignal::new(String::new());
    let trouble = RwSignal::new(None::<String>);
    let add = move || {
        let metric = chosen.get_untracked();
        let limit = match Limit::bounded(metric, &text.get_untracked()) {
            Ok(limit) => limit,
            Err(error) => {
                trouble.set(Some(format!("{}. {}.", upper(error.reason), error.advice)));
                return;
            }
        };
        if has_field(&limit) {
            let name = limit_name(metric);
            trouble.set(Some(format!(
                "A {name} limit that is the same for every request stands in its own field above. Here, name a length, as in {}.",
                example(metric)
            )));
            return;
        }
        trouble.set(None);
        text.set(String::new());
        state.edit(format!("Limit {} added", limit_in_words(&limit)), |context| {
            context.limits.retain(|known| known.place() != limit.place());
            context.limits.push(limit);
            context.limits.sort_by_key(Limit::place);
        });
    };
    view! {
        <section class="further-limits" aria-labelledby="further-limits-title">
            <h3 id="further-limits-title">"More limits"</h3>
            <ul class="further-list" hidden=move || further.with(Vec::is_empty)>
                {move || {
                    further.get().into_iter().map(|limit| view! { <Further limit=limit/> }).collect_view()
                }}
            </ul>
            <form
                class="further-form"
                novalidate=true
                on:submit=move |event| {
                    event.prevent_default();
                    add();
                }
            >
                <label for="further-metric">"Limit on"</label>
                <select
                    id="further-metric"
                    on:change:target=move |event| {
                        if let Some(metric) = LimitMetric::from_id(&event.target().value()) {
                            chosen.set(metric);
                            trouble.set(None);
                        }
                    }
                >
                    {METRICS.map(|(id, name)| view! { <option value=id>{name}</option> }).collect_view()}
                </select>
                <label for="further-bound">"at most"</label>
                <input
                    id="further-bound"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=move || example(chosen.get())
                    prop:value=text
                    aria-invalid=move || trouble.with(|t| t.is_some().to_string())
                    aria-describedby="further-hint"
                    on:input:target=move |event| {
                        text.set(event.target().value());
                        trouble.set(None);
                    }
                />
                <button type="submit" class="button">"Add limit"</button>
                <small id="further-hint" class:trouble=move || trouble.with(Option::is_some) aria-live="polite">
                    {move || trouble.get().unwrap_or_else(|| {
                        "A time, or a time for each token: 200 ms, input_tokens/512s, 1s + output_tokens*20ms. A request whose length is not recorded lacks the metric.".into()
                    })}
                </small>
            </form>
        </section>
    }
}

/// A clause as the start of a sentence.
fn upper(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// One limit of the list.
#[component]
fn Further(limit: Limit) -> impl IntoView {
    let state = use_state();
    let words = limit_in_words(&limit);
    let said = format!("Limit {words} taken away");
    let remove = move |_| {
        state.edit(said.clone(), |context| context.limits.retain(|known| known != &limit));
    };
    view! {
        <li>
            <span>{words.clone()}</span>
            <button type="button" class="quiet" aria-label=format!("Take away {words}") on:click=remove>
                "✕"
            </button>
        </li>
    }
}
