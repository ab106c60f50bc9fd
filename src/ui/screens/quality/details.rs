//! What opens below a finding.

use crate::views::curves::Table;
use crate::views::quality::{Details, RunDetail};
use leptos::prelude::*;

/// The requests, run by run, and the source of the check.
#[component]
pub(super) fn DetailsView(details: Details) -> impl IntoView {
    let several = details.runs.len() > 1;
    let source = if details.rule.is_empty() {
        "Met while the file was read.".to_owned()
    } else {
        format!("Found when {}. Source: {}.", details.rule, details.source)
    };
    let run = move |run: RunDetail| {
        let rows = !run.table.rows.is_empty();
        let label = format!("Requests of {}", run.name);
        view! {
            <section class="found-run">
                {several
                    .then(|| {
                        view! {
                            <p class="found-run-head">
                                <b>{run.name.clone()}</b>
                                <span class="found-place">{run.file.clone()}</span>
                                <span>{run.text.clone()}</span>
                            </p>
                        }
                    })}
                {rows.then(|| view! { <Requests table=run.table.clone() label/> })}
                {(!run.places.is_empty())
                    .then(|| view! { <p class="caption">{format!("Places: {}", run.places)}</p> })}
                {run.more.clone().map(|more| view! { <p class="caption">{more}</p> })}
            </section>
        }
    };
    view! {
        {details.runs.into_iter().map(run).collect_view()}
        <p class="caption found-source">{source}</p>
    }
}

/// What the file says of each request.
#[component]
fn Requests(table: Table, label: String) -> impl IntoView {
    let row = |cells: Vec<String>| {
        let cells = cells.into_iter().enumerate().map(|(at, cell)| {
            if at == 0 {
                view! { <th scope="row">{cell}</th> }.into_any()
            } else {
                view! { <td>{cell}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    };
    view! {
        <div class="found-requests" role="region" tabindex="0" aria-label=label>
            <table>
                <thead>
                    <tr>{table.head.into_iter().map(|head| view! { <th scope="col">{head}</th> }).collect_view()}</tr>
                </thead>
                <tbody>{table.rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
