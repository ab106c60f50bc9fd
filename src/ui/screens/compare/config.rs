//! What else differs between the runs: settings side by side.

use crate::ui::state::use_state;
use crate::views::compare::CompareView;
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
    let rows = view.config.clone().into_iter().map(move |row| {
        let cells = row.values.into_iter().zip(baselines.clone()).map(|(value, baseline)| {
            let text = match value {
                Some(text) => leptos::either::Either::Left(text),
                None => leptos::either::Either::Right(view! { <i>"not recorded"</i> }),
            };
            view! { <td class="num" class:baseline=baseline>{text}</td> }
        });
        view! {
            <tr>
                <th scope="row" class="metric">{row.name}</th>
                {cells.collect_view()}
            </tr>
        }
    });
    let heads = view.columns.iter().map(|c| view! { <th scope="col">{c.name.clone()}</th> });
    (!view.config.is_empty() || view.withheld).then(|| {
        view! {
            <section class="config" aria-labelledby="config-title">
                <header>
                    <h2 id="config-title">"Config that differs"</h2>
                    <p>{view.config_note.clone()} {anyway}</p>
                </header>
                <div class="compare-scroll" style:--runs=view.columns.len().to_string()>
                    <table class="compare-table config-table">
                        <thead class="visually-hidden">
                            <tr>
                                <th scope="col">"Setting"</th>
                                {heads.collect_view()}
                            </tr>
                        </thead>
                        <tbody class="current">{rows.collect_view()}</tbody>
                    </table>
                </div>
            </section>
        }
    })
}
