//! Distributions: every sample of one metric, its tail, and what lengths do with latencies.

mod controls;
mod strip;

use crate::charts::Spec;
use crate::engine::protocol::Query;
use crate::ui::parts::chart::ChartLinks;
use crate::ui::parts::figure::Figure;
use crate::ui::parts::held_back::HeldBackNote;
use crate::ui::parts::nothing::Nothing;
use crate::ui::state::use_state;
use crate::views::Ruler;
use crate::views::distributions::{DistributionsView, RelationsView};
use controls::Controls;
use leptos::prelude::*;
use std::sync::Arc;
use strip::Strip;

type View = Memo<Option<Arc<DistributionsView>>>;

/// The Distributions screen.
#[component]
pub fn Distributions() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<DistributionsView>(move || {
        let context = state.context.get();
        let shown = state.distributions.get();
        (!context.runs.is_empty()).then_some((context, Query::Distributions { shown }))
    });
    let view: View = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let main = Memo::new(move |_| view.with(|v| v.as_ref().and_then(|v| v.main.clone())));
    let links = ChartLinks {
        toggle_log: Some(Callback::new(move |()| controls::toggle_log(state, view))),
        ..ChartLinks::alone()
    };
    let held_back = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.held_back.clone()).unwrap_or_default())
    });
    let twin = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.table.clone()).unwrap_or_default())
    });
    let drawn = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| v.beside.is_some())));
    let why = Signal::derive(move || view.with(|v| v.as_ref().and_then(|v| v.empty.clone())));
    let error = move || answer.with(|a| a.error.clone());
    view! {
        <div class="distributions" aria-busy=move || answer.with(|a| a.pending).to_string()>
            <Controls view />
            {move || error().map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Counting the samples…"</p> })
            }}
            <Mixed view />
            <Show when=move || drawn.get() fallback=move || view! { <Nothing title="Every sample, not one number" why /> }>
                <div class="distributions-pair">
                    <Show when=move || main.with(Option::is_some)>
                        <Figure
                            spec=Signal::derive(move || main.get().unwrap_or_default())
                            class="distributions-chart"
                            links=links
                            twin=twin
                        />
                    </Show>
                    <Picture view of=|v| v.beside.as_ref() class="distributions-chart" />
                </div>
                <Lines view of=|v| &v.answers label="What was asked" live=true />
                <Lines view of=|v| &v.said label="What the samples say" live=false />
                <div class="distributions-pair distributions-under">
                    <Strip view />
                    <Picture view of=|v| v.same.as_ref() class="distributions-small" />
                </div>
                <Relations />
            </Show>
            <HeldBackNote runs=held_back what="not drawn" />
            <Lines view of=|v| &v.left_out label="Not drawn" live=false />
        </div>
    }
}

/// One of the pictures beside the main one; nothing where there is none.
#[component]
fn Picture(
    view: View,
    of: fn(&DistributionsView) -> Option<&Spec>,
    class: &'static str,
) -> impl IntoView {
    let spec = Memo::new(move |_| view.with(|v| v.as_ref().and_then(|v| of(v).cloned())));
    let there = Memo::new(move |_| spec.with(Option::is_some));
    move || {
        there.get().then(|| {
            let spec = Signal::derive(move || spec.get().unwrap_or_default());
            view! { <Figure spec=spec class=class /> }
        })
    }
}

/// Sentences under the charts.
#[component]
fn Lines(
    view: View,
    of: fn(&DistributionsView) -> &Vec<String>,
    label: &'static str,
    live: bool,
) -> impl IntoView {
    let lines =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| of(v).clone()).unwrap_or_default()));
    view! {
        <ul
            class="distributions-lines"
            aria-label=label
            aria-live=live.then_some("polite")
            hidden=move || lines.with(Vec::is_empty)
        >
            {move || lines.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}
        </ul>
    }
}

/// Says that the lines stand under several definitions, and the way to one.
#[component]
fn Mixed(view: View) -> impl IntoView {
    let state = use_state();
    let mixed = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| v.mixed)));
    move || {
        mixed.get().then(|| {
            view! {
                <p class="distributions-mixed" role="note">
                    <b>"Mixed definitions."</b>
                    " Each run is drawn in its own tool’s words, so differences between the lines are not differences between servers. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            state.edit("All runs are now on one ruler", |context| context.ruler = Ruler::default());
                        }
                    >
                        "Use the same ruler"
                    </button>
                </p>
            }
        })
    }
}

/// Latencies by length, in small charts.
#[component]
fn Relations() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<RelationsView>(move || {
        let context = state.context.get();
        (!context.runs.is_empty()).then_some((context, Query::Relations))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let count = Memo::new(move |_| view.with(|v| v.as_ref().map_or(0, |v| v.charts.len())));
    let missing = move || view.with(|v| v.as_ref().map(|v| v.missing.clone()).unwrap_or_default());
    let figure = move |at: usize| {
        let spec = Memo::new(move |_| {
            view.with(|v| v.as_ref().and_then(|v| v.charts.get(at).cloned()).unwrap_or_default())
        });
        view! { <Figure spec=spec class="figure-small" /> }
    };
    view! {
        <section aria-label="Latency by length">
            {move || {
                (count.get() > 0).then(|| {
                    view! {
                        <div class="small-multiples">{(0..count.get()).map(figure).collect_view()}</div>
                    }
                })
            }}
            <ul class="left-out" hidden=move || missing().is_empty()>
                {move || missing().into_iter().map(|why| view! { <li>{why}</li> }).collect_view()}
            </ul>
        </section>
    }
}
