//! What differs in the set-up of two runs, beside what definitions explain.

use super::{View, part};
use crate::ui::parts::key_name::Key;
use crate::views::compare::ConfigRow;
use leptos::prelude::*;

/// Settings of A and B side by side; nothing for one run.
#[component]
pub(super) fn Config(view: View) -> impl IntoView {
    let rows = part(view, |v| v.config.clone());
    let names = part(view, |v| v.slots.iter().map(|slot| slot.run.clone()).collect::<Vec<_>>());
    let line = |row: ConfigRow| {
        let cells = row.values.into_iter().map(|value| match value {
            Some(text) => view! { <td>{text}</td> }.into_any(),
            None => view! { <td><i>"not recorded"</i></td> }.into_any(),
        });
        view! {
            <tr>
                <th scope="row"><Key name=row.name/></th>
                {cells.collect_view()}
            </tr>
        }
    };
    let head = move || {
        let sides = names.get().into_iter().zip(["A", "B"]);
        sides
            .map(|(name, at)| view! { <th scope="col">{format!("{at}: {name}")}</th> })
            .collect_view()
    };
    view! {
        <Show when=move || rows.with(|rows| !rows.is_empty())>
            <details class="explain-config">
                <summary>{move || format!("{} of the set-up differ", settings(rows.with(Vec::len)))}</summary>
                <div class="explain-config-scroll" role="region" tabindex="0" aria-label="What differs in the set-up">
                    <table>
                        <thead>
                            <tr>
                                <td></td>
                                {head}
                            </tr>
                        </thead>
                        <tbody>{move || rows.get().into_iter().map(line).collect_view()}</tbody>
                    </table>
                </div>
            </details>
        </Show>
    }
}

fn settings(n: usize) -> String {
    if n == 1 { "1 setting".to_owned() } else { format!("{n} settings") }
}
