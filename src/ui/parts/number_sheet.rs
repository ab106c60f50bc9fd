//! “Whose number is this?”: a number that somebody saw, and the definitions that give it.

use super::select::Select;
use super::share::copy;
use super::sheet::SheetFrame;
use super::suggestion::ExplainLink;
use crate::engine::protocol::Query;
use crate::link::Sheet;
use crate::model::{Metric, RunId};
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::detective::{NumberAnswer, NumberAsk, NumberView};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;

/// Metrics that can be named; the others are found without.
const METRICS: [Metric; 12] = [
    Metric::Ttft,
    Metric::Tpot,
    Metric::Itl,
    Metric::E2e,
    Metric::ChunkGap,
    Metric::UserSpeed,
    Metric::RequestThroughput,
    Metric::OutputThroughput,
    Metric::TotalThroughput,
    Metric::MeanConcurrency,
    Metric::InputTokens,
    Metric::OutputTokens,
];

/// Opens the sheet with a number already asked for.
pub fn look_for(state: State, ask: NumberAsk) {
    state.number.set(ask);
    state.sheet.set(Some(Sheet::Number));
}

/// The sheet.
#[component]
pub fn NumberSheet() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<NumberView>(move || {
        let ask = state.number.get();
        (!ask.text.trim().is_empty()).then(|| (state.context.get(), Query::Number(ask)))
    });
    view! {
        <SheetFrame title="Whose number is this?">
            <div class="number-sheet">
                <p class="lead">
                    "A number that somebody saw for one of these runs: on a dashboard, in a chat, in a report. Its digits are held against every definition, so type it as it was written."
                </p>
                <Asked />
                <div aria-live="polite" aria-busy=move || answer.with(|a| a.pending).to_string()>
                    {move || {
                        answer
                            .with(|a| a.error.clone())
                            .map(|error| view! { <p class="trouble" role="alert">{error}</p> })
                    }}
                    {move || answer.with(|a| a.pending).then(|| view! { <p class="looking">"Looking…"</p> })}
                    {move || {
                        let current = answer.with(|a| (!a.pending).then(|| a.value.clone()).flatten());
                        current.map(|view| view! { <Found view=view /> })
                    }}
                </div>
            </div>
        </SheetFrame>
    }
}

/// The number, the run and the metric that are asked for.
#[component]
fn Asked() -> impl IntoView {
    let state = use_state();
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        let text = state.number.with(|ask| ask.text.clone());
        if let Some(field) = field.get()
            && field.value() != text
        {
            field.set_value(&text);
        }
    });
    let take = move || {
        if let Some(field) = field.get_untracked() {
            let text = field.value();
            // Typed by hand it is under no key of the file any more.
            state.number.maybe_update(|ask| {
                let changed = ask.text != text;
                if changed {
                    (ask.text, ask.field) = (text, None);
                }
                changed
            });
        }
    };
    let runs = Memo::new(move |_| {
        let selected = state.selected();
        let rows = if selected.is_empty() { state.rows() } else { selected };
        rows.into_iter().map(|row| (row.id, row.name)).collect::<Vec<(RunId, String)>>()
    });
    let run = Signal::derive(move || {
        let wanted = state.number.with(|ask| ask.run.clone()).or_else(|| state.baseline());
        runs.with(|runs| runs.iter().position(|(id, _)| Some(id) == wanted.as_ref()).unwrap_or(0))
    });
    let names = Signal::derive(move || {
        runs.with(|runs| runs.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>())
    });
    let metric = Signal::derive(move || {
        let metric = state.number.with(|ask| ask.metric);
        METRICS.iter().position(|other| Some(*other) == metric).map_or(0, |at| at + 1)
    });
    let metrics: Vec<String> = std::iter::once("any metric".to_owned())
        .chain(METRICS.iter().map(|metric| metric.name().to_owned()))
        .collect();
    let choose_run = move |at: usize| {
        let id = runs.with_untracked(|runs| runs.get(at).map(|(id, _)| id.clone()));
        state.number.update(|ask| ask.run = id);
    };
    let choose_metric = move |at: usize| {
        state.number.update(|ask| {
            ask.metric = at.checked_sub(1).and_then(|at| METRICS.get(at).copied());
        });
    };
    view! {
        <form
            class="number-form"
            on:submit=move |event| {
                event.prevent_default();
                take();
            }
        >
            <label for="number-text">"Number"</label>
            <span class="number-typed">
                <input
                    id="number-text"
                    class="input"
                    type="text"
                    inputmode="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="23.4 ms"
                    aria-describedby="number-hint"
                    node_ref=field
                    on:change=move |_| take()
                />
                <button type="submit" class="button button-primary">"Find"</button>
            </span>
            <small id="number-hint">
                "With its unit where it had one: ms, s, µs, tok/s, req/s, tokens, %."
            </small>
            <span class="number-where">
                <Select
                    short="of"
                    label="Run"
                    options=names
                    chosen=run
                    on_choose=Callback::new(choose_run)
                />
                <Select
                    short="as"
                    label="Metric"
                    options=Signal::stored(metrics)
                    chosen=metric
                    on_choose=Callback::new(choose_metric)
                />
            </span>
        </form>
    }
}

/// The answer.
#[component]
fn Found(view: Arc<NumberView>) -> impl IntoView {
    let state = use_state();
    if view.run.is_none() {
        return view! { <p class="number-sentence">"This run is not loaded any more."</p> }
            .into_any();
    }
    if let Some(trouble) = view.trouble.clone() {
        return view! { <p class="trouble" role="alert">{trouble}</p> }.into_any();
    }
    let text = view.as_text.clone();
    let answers = view.answers.iter().cloned().map(|answer| view! { <Answer answer=answer /> });
    let answers = answers.collect_view();
    let near = view.nearest.iter().cloned().map(|line| view! { <li>{line}</li> }).collect_view();
    let closest = (!view.nearest.is_empty()).then(|| {
        view! {
            <section aria-labelledby="number-close">
                <h3 id="number-close">"What comes closest"</h3>
                <ul class="number-near">{near}</ul>
            </section>
        }
    });
    let notes = view.notes.iter().cloned().map(|note| view! { <p class="caption">{note}</p> });
    view! {
        <p class="number-run">{view.name.clone()}</p>
        <p class="number-sentence">{view.sentence.clone()}</p>
        {notes.collect_view()}
        <ol class="number-answers">{answers}</ol>
        {closest}
        <button
            type="button"
            class="button"
            on:click=move |_| copy(state, text.clone(), "the answer")
        >
            "Copy as text"
        </button>
    }
    .into_any()
}

/// One definition, with a button that puts it in force.
#[component]
fn Answer(answer: NumberAnswer) -> impl IntoView {
    let state = use_state();
    let NumberAnswer { words, value, relation, also, ruler, stat, in_force, explain: way } = answer;
    let use_it = move |_| {
        let (ruler, name) = (ruler.clone(), name_of(&ruler));
        state.edit(format!("Definitions are now {name}"), |context| {
            context.ruler = ruler;
            if let Some(stat) = stat {
                context.stat = stat;
            }
        });
    };
    let same = (!also.is_empty()).then(|| {
        let lines = also.into_iter().map(|line| view! { <li>{line}</li> }).collect_view();
        view! {
            <details>
                <summary>"The same number on this run"</summary>
                <ul>{lines}</ul>
            </details>
        }
    });
    view! {
        <li>
            <p class="number-words">{words} <b class="num">{format!(" {value}")}</b></p>
            <p class="number-relation">{relation}</p>
            {same}
            {way.map(|(words, ask)| view! { <ExplainLink words ask/> })}
            {if in_force {
                view! { <p class="number-relation">"In force now."</p> }.into_any()
            } else {
                view! {
                    <button type="button" class="button" on:click=use_it>"Use this definition"</button>
                }
                    .into_any()
            }}
        </li>
    }
}

/// A ruler in a few words for the message of an edit.
fn name_of(ruler: &Ruler) -> String {
    match ruler {
        Ruler::Own => "each tool’s own".to_owned(),
        Ruler::Same { preset, changes } if changes.is_empty() => format!("those of {preset}"),
        Ruler::Same { preset, changes } => {
            let changes: Vec<String> = changes
                .iter()
                .map(|(dimension, choice)| format!("{dimension} = {choice}"))
                .collect();
            format!("{preset} with {}", changes.join(", "))
        }
    }
}
