//! The table twin of a chart.

use crate::views::curves::Table;
use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// A plain table with a way back to the picture. It takes the focus, since it takes the place of
/// what had it; `t` and Esc lead back.
#[component]
pub fn ChartTable(
    /// The table.
    table: Signal<Table>,
    /// The element that names it.
    named_by: String,
    /// Leads back to the picture.
    on_close: Callback<()>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    place.on_load(|place| drop(place.focus()));
    view! {
        <div
            class="chart-table"
            tabindex="0"
            role="region"
            aria-labelledby=named_by
            node_ref=place
            on:keydown=move |event: KeyboardEvent| {
                if matches!(event.key().as_str(), "t" | "Escape") {
                    event.stop_propagation();
                    on_close.run(());
                }
            }
        >
            <Lines table/>
        </div>
    }
}

/// Head and rows of a table; the first cell of a row names it.
#[component]
pub fn Lines(
    /// The table.
    #[prop(into)]
    table: Signal<Table>,
) -> impl IntoView {
    let head = move || {
        let head = table.read().head.clone();
        head.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()
    };
    let cells = |row: Vec<String>| {
        let mut cells = row.into_iter();
        view! {
            <tr>
                <th scope="row">{cells.next().unwrap_or_default()}</th>
                {cells.map(|text| view! { <td class="num">{text}</td> }).collect_view()}
            </tr>
        }
    };
    view! {
        <table>
            <thead>
                <tr>{head}</tr>
            </thead>
            <tbody>{move || table.read().rows.clone().into_iter().map(cells).collect_view()}</tbody>
        </table>
    }
}
