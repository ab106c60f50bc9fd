//! The values of each run under the charts, under its own words and, where these differ, on one ruler.

use super::View;
use crate::link::Sheet;
use crate::ui::parts::marker::Marker;
use crate::ui::state::use_state;
use crate::views::distributions::SummaryRow;
use leptos::prelude::*;

/// The table of values; a run's name opens its card.
#[component]
pub(super) fn Strip(view: View) -> impl IntoView {
    let state = use_state();
    let summary = Memo::new(move |_| {
        view.with(|v| v.as_ref().map(|v| v.summary.clone()).unwrap_or_default())
    });
    let head = |class: &'static str, heads: Vec<String>| {
        let one = move |name| view! { <th scope="col" class=class>{name}</th> };
        heads.into_iter().map(one).collect_view()
    };
    let row = move |row: SummaryRow| {
        let run = row.run.clone();
        let cell = |class: &'static str| move |text| view! { <td class=class>{text}</td> };
        view! {
            <tr class:printed=row.printed>
                <th scope="row">
                    <button
                        type="button"
                        class="head-name"
                        aria-haspopup="dialog"
                        title=format!("{}: open its run card", row.name)
                        on:click=move |_| state.sheet.set(Some(Sheet::Run(run.clone())))
                    >
                        <Marker style=usize::from(row.style) />
                        <span>{row.name.clone()}</span>
                    </button>
                </th>
                <td class="distributions-sample">{row.sample}</td>
                {row.cells.into_iter().map(cell("num")).collect_view()}
                {row.same.into_iter().map(cell("num same")).collect_view()}
            </tr>
        }
    };
    view! {
        <div class="distributions-strip">
            <h2 id="distributions-summary">
                {move || summary.with(|s| s.title.clone())}
                <small>{move || summary.with(|s| s.better.clone())}</small>
            </h2>
            <div class="distributions-scroll" tabindex="0" role="region" aria-labelledby="distributions-summary">
                <table>
                    <thead>
                        {move || {
                            let (own, same) = summary.with(|s| (s.head.len(), s.same_head.len()));
                            (same > 0).then(|| {
                                view! {
                                    <tr class="distributions-over">
                                        <td colspan="2"></td>
                                        <th scope="colgroup" colspan=own.to_string()>"in its own tool’s words"</th>
                                        <th scope="colgroup" colspan=same.to_string() class="same">"same ruler"</th>
                                    </tr>
                                }
                            })
                        }}
                        <tr>
                            <th scope="col">"Run"</th>
                            <th scope="col">"One sample is"</th>
                            {move || head("num", summary.with(|s| s.head.clone()))}
                            {move || head("num same", summary.with(|s| s.same_head.clone()))}
                        </tr>
                    </thead>
                    <tbody>
                        {move || summary.with(|s| s.rows.clone()).into_iter().map(row).collect_view()}
                    </tbody>
                </table>
            </div>
        </div>
    }
}
