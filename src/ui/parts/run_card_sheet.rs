//! One run at length: what it is, and whether what its tool printed comes out again.

use super::cell::SignChip;
use super::findings::FindingList;
use super::icons::{Glyph, Icon};
use super::key_name::Key;
use super::number_sheet::look_for;
use super::sheet::SheetFrame;
use super::suggestion::explain;
use crate::engine::protocol::Query;
use crate::model::RunId;
use crate::ui::state::use_state;
use crate::views::run_card::{AgreementRow, RunCardView};
use leptos::prelude::*;
use std::sync::Arc;

/// The sheet of one run.
#[component]
pub fn RunCardSheet(
    /// The run.
    run: RunId,
) -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<RunCardView>(move || {
        Some((state.context.get(), Query::RunCard { run: run.clone() }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let title = Signal::derive(move || {
        view.with(|view| view.as_ref().map_or_else(|| "Run".to_owned(), |view| view.name.clone()))
    });
    view! {
        <SheetFrame title=title>
            <div class="run-card">
                {move || {
                    answer
                        .with(|a| a.error.clone())
                        .map(|error| view! { <p class="trouble" role="alert">{error}</p> })
                }}
                {move || view.get().map(|view| view! { <Body view=view /> })}
            </div>
        </SheetFrame>
    }
}

#[component]
fn Body(view: Arc<RunCardView>) -> impl IntoView {
    if view.id.is_none() {
        let gone = "This run is not loaded any more. Undo brings a removed run back.";
        return view! { <p class="lead">{gone}</p> }.into_any();
    }
    let line = |(name, value): (String, String)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    let agreement = (!view.agreement.is_empty()).then(|| {
        view! {
            <section aria-labelledby="agreement-title">
                <h3 id="agreement-title">{view.reproduced.clone()}</h3>
                <Agreement rows=view.agreement.clone() />
            </section>
        }
    });
    let findings = (!view.findings.is_empty()).then(|| {
        view! {
            <section aria-labelledby="run-findings-title">
                <h3 id="run-findings-title">"What to know"</h3>
                <FindingList rows=view.findings.clone() />
            </section>
        }
    });
    let hints = (!view.hints.is_empty()).then(|| {
        let hints = view.hints.clone().into_iter().map(|hint| view! { <li>{hint}</li> });
        view! {
            <section aria-labelledby="hints-title">
                <h3 id="hints-title">"What would have recorded more"</h3>
                <ul class="hints">{hints.collect_view()}</ul>
            </section>
        }
    });
    let further = (!view.further.is_empty()).then(|| {
        view! {
            <details class="further">
                <summary>{format!("{} more printed by the tool", view.further.len())}</summary>
                <dl class="lines">{view.further.clone().into_iter().map(line).collect_view()}</dl>
            </details>
        }
    });
    view! {
        <dl class="lines identity">{view.lines.clone().into_iter().map(line).collect_view()}</dl>
        {agreement}
        {further}
        {findings}
        {hints}
    }
    .into_any()
}

/// Every printed value beside its recomputation under the tool's own definitions.
#[component]
fn Agreement(rows: Vec<AgreementRow>) -> impl IntoView {
    let state = use_state();
    let row = move |row: AgreementRow| {
        let silent = row.because.is_empty() && row.seek.is_none();
        let find = row.seek.map(|ask| {
            view! {
                <button
                    type="button"
                    class="link"
                    on:click=move |_| look_for(state, ask.clone())
                >
                    "Find whose number it is"
                </button>
            }
        });
        let way = row.explain.map(|ask| {
            let words = format!("Explain {}", row.field);
            view! {
                <button
                    type="button"
                    class="icon-button"
                    aria-label=words.clone()
                    title=words
                    on:click=move |_| explain(state, ask.clone())
                >
                    <Icon name=Glyph::Explain/>
                </button>
            }
        });
        view! {
            <tr>
                <th scope="row"><code><Key name=row.field /></code></th>
                <td class="num">{row.reported}</td>
                <td><SignChip sign=row.sign /></td>
                <td class="num">{row.recomputed}</td>
                <td>{way}</td>
            </tr>
            <tr class="agreement-why" hidden=silent>
                <td colspan="5">{row.because} " " {find}</td>
            </tr>
        }
    };
    view! {
        <table class="agreement">
            <thead>
                <tr>
                    <th scope="col">"Key in the file"</th>
                    <th scope="col">"Printed"</th>
                    <th scope="col"><span class="visually-hidden">"Agreement"</span></th>
                    <th scope="col">"Recomputed"</th>
                    <th scope="col"><span class="visually-hidden">"Explain"</span></th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}
