//! What else differs between the runs: settings side by side.

use crate::ui::parts::key_name::Key;
use crate::ui::state::use_state;
use crate::views::compare::{CompareView, ConfigRow};
use leptos::either::Either;
use leptos::prelude::*;
use std::sync::Arc;

/// Only rows that differ; what a file does not say is "not recorded", which is not "equal".
#[component]
pub(super) fn ConfigTable(view: Arc<CompareView>) -> impl IntoView {
    let state = use_state();
    let anyway = view.withheld.then(|| {
        view! {
            " "
            <button
                type="button"
                class="link"
                on:click=move |_| {
                    state.edit("Unlike runs are compared anyway", |context| context.compare_anyway = true);
                }
            >
                "Compare anyway"
            </button>
        }
    });
    let baselines: Vec<bool> = view.columns.iter().map(|column| column.baseline).collect();
    let names: Vec<String> = view.columns.iter().map(|column| column.name.clone()).collect();
    let everywhere = |row: &ConfigRow| row.values.iter().all(Option::is_some);
    let (known, partly): (Vec<_>, Vec<_>) = view.config.iter().cloned().partition(everywhere);
    let title = match partly.len() {
        0 => String::new(),
        1 => "1 setting that not every run records".to_owned(),
        n => format!("{n} settings that not every run records"),
    };
    let open = known.is_empty();
    let rest = (!partly.is_empty()).then(|| {
        let (names, baselines) = (names.clone(), baselines.clone());
        view! {
            <details class="config-rest" open=open>
                <summary>{title}</summary>
                <Rows rows=partly names=names baselines=baselines />
            </details>
        }
    });
    let first =
        (!known.is_empty()).then(|| view! { <Rows rows=known names=names baselines=baselines /> });
    (!view.config.is_empty() || view.withheld).then(|| {
        view! {
            <section class="config" aria-labelledby="config-title">
                <header>
                    <h2 id="config-title">"Config that differs"</h2>
                    <p>{view.config_note.clone()} {anyway}</p>
                </header>
                {first}
                {rest}
            </section>
        }
    })
}

/// Settings by run, in the columns of the table above.
#[component]
fn Rows(rows: Vec<ConfigRow>, names: Vec<String>, baselines: Vec<bool>) -> impl IntoView {
    let runs = names.len().to_string();
    let heads = names.into_iter().map(|name| view! { <th scope="col">{name}</th> });
    let rows = rows.into_iter().map(move |row| {
        let cells = row.values.into_iter().zip(baselines.clone()).map(|(value, baseline)| {
            let text = match value {
                Some(text) => Either::Left(text),
                None => Either::Right(view! { <i>"not recorded"</i> }),
            };
            view! { <td class="num" class:baseline=baseline>{text}</td> }
        });
        view! {
            <tr>
                <th scope="row" class="metric"><Key name=row.name /></th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <div
            class="compare-scroll"
            style:--runs=runs
            role="region"
            aria-label="What was compared, by run"
            tabindex="0"
        >
            <table class="compare-table config-table">
                <colgroup>
                    <col class="names" />
                </colgroup>
                <thead class="visually-hidden">
                    <tr>
                        <th scope="col">"Setting"</th>
                        {heads.collect_view()}
                    </tr>
                </thead>
                <tbody class="current">{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}
