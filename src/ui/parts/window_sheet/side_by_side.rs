//! Whole and windowed side by side, a table a run.

use crate::ui::parts::marker::Marker;
use crate::views::window::{WindowRow, WindowRun, WindowView};
use leptos::prelude::*;

/// A table a run: the metric, the whole run, the window, windowed ÷ whole.
#[component]
pub(super) fn SideBySide(view: Memo<Option<WindowView>>) -> impl IntoView {
    let runs =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.runs.clone()).unwrap_or_default()));
    move || runs.get().into_iter().map(|run| view! { <RunPart run=run/> }).collect_view()
}

#[component]
fn RunPart(run: WindowRun) -> impl IntoView {
    let WindowRun { style, name, span, inside, rows, .. } = run;
    let row = |row: WindowRow| {
        let WindowRow { label, unit, whole, windowed, ratio, because } = row;
        let ratio = ratio.unwrap_or_else(|| "—".to_owned());
        view! {
            <tr title=because.clone()>
                <th scope="row">{label} " " <small>{unit}</small></th>
                <td class="num">{whole}</td>
                <td class="num"><b>{windowed}</b></td>
                <td class="num">{ratio}</td>
            </tr>
            {because
                .map(|because| view! { <tr class="window-why"><td colspan="4">{because}</td></tr> })}
        }
    };
    let caption = format!("{name}: the whole run and the window");
    view! {
        <section class="window-run">
            <h3><Marker style=style/> {name}</h3>
            <p class="window-span">{span} <br/> {inside}</p>
            <table class="window-table" aria-label=caption>
                <thead>
                    <tr>
                        <th scope="col">"Metric"</th>
                        <th scope="col">"Whole"</th>
                        <th scope="col">"Window"</th>
                        <th scope="col" title="windowed ÷ whole">"Ratio"</th>
                    </tr>
                </thead>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
}
