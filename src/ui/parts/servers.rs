//! What servers said of themselves, listed under the runs of the Library.

use super::icons::{Glyph, Icon};
use super::samples::ScriptedBadge;
use super::strip::plural;
use crate::ui::state::use_state;
use crate::views::dumps::ServerRow;
use leptos::prelude::*;

/// The dumps that are loaded; nothing without any.
#[component]
pub fn Servers() -> impl IntoView {
    let state = use_state();
    let rows = Memo::new(move |_| {
        state
            .library
            .with(|l| l.value.as_ref().map(|view| view.servers.clone()).unwrap_or_default())
    });
    view! {
        <Show when=move || !rows.with(Vec::is_empty)>
            <section class="servers" aria-labelledby="servers-title">
                <h2 id="servers-title">"Server metrics"</h2>
                <p class="servers-sub">
                    "What servers said of themselves. They are no runs and stand in no comparison."
                </p>
                <ul>
                    <For each=move || rows.get() key=|row| (row.id.as_str().to_owned(), row.name.clone()) let:row>
                        <Server row/>
                    </For>
                </ul>
            </section>
        </Show>
    }
}

/// One dump.
#[component]
fn Server(
    /// The dump.
    row: ServerRow,
) -> impl IntoView {
    let state = use_state();
    let ServerRow { id, name, file, what, holds, models, size, hash, notices, warnings, scripted } =
        row;
    let words = [what, holds, models].into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>();
    let label = format!("Remove {name}");
    let removed = format!("{name} removed");
    let remove = move |_| untrack(|| state.remove(vec![id.clone()], removed.clone()));
    let told = (!notices.is_empty()).then(|| {
        let summary = match warnings {
            0 => plural(notices.len(), "note"),
            n => plural(n, "warning"),
        };
        let lines = notices.into_iter().map(|words| view! { <li>{words}</li> }).collect_view();
        view! {
            <details>
                <summary>{summary}</summary>
                <ul>{lines}</ul>
            </details>
        }
    });
    view! {
        <li class="server">
            <div class="server-cell">
                <div class="run-name">
                    <span class="name" title=name.clone()>{name.clone()}</span>
                    {scripted.then(|| view! { <ScriptedBadge/> })}
                </div>
                <p>{words.join(" · ")}</p>
                {(file != name).then(|| view! { <span class="mono" title=file.clone()>{file.clone()}</span> })}
                {told}
            </div>
            <span class="server-size">{size} <span class="mono">{hash}</span></span>
            <button type="button" class="icon-button" aria-label=label.clone() title=label on:click=remove>
                <Icon name=Glyph::Close/>
            </button>
        </li>
    }
}
