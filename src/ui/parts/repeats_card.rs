//! The card of repeats: each run's number and what all say together.

use crate::views::repeats::{RepeatsRow, RepeatsView};
use leptos::prelude::*;

/// A table of the metrics of runs that measured the same.
#[component]
pub fn RepeatsCard(
    /// What it shows.
    view: RepeatsView,
) -> impl IntoView {
    let RepeatsView { title, note, runs, rows } = view;
    let heads = runs.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view();
    let rows = rows.into_iter().map(row).collect_view();
    view! {
        <section class="repeats" aria-labelledby="repeats-title">
            <h2 id="repeats-title">{title}</h2>
            <p class="repeats-note">{note}</p>
            <div class="repeats-scroll" role="region" tabindex="0" aria-label="Table of the repeats">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Metric"</th>
                            <th scope="col">"All"</th>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(row: RepeatsRow) -> impl IntoView {
    let RepeatsRow { name, stamp, each, together, spread } = row;
    let each = each.into_iter().map(|text| view! { <td class="num">{text}</td> }).collect_view();
    view! {
        <tr>
            <th scope="row">{name} <small>{stamp}</small></th>
            <td><b class="num">{together}</b> <small>{spread}</small></td>
            {each}
        </tr>
    }
}
