//! Files on their way in: a bar each, what is being done, and Cancel.

use crate::engine::protocol::Phase;
use crate::ui::imports::ImportRow;
use crate::ui::state::use_state;
use crate::units::bytes;
use leptos::prelude::*;

fn doing(row: &ImportRow) -> String {
    let size = bytes(row.size);
    match row.phase {
        None => format!("waiting, {size}"),
        Some(Phase::Reading) => format!("reading, {} of {size}", bytes(row.done)),
        Some(Phase::Recognising) => format!("recognising, {size}"),
        Some(Phase::Parsing) if row.records > 0 => {
            format!("{} of {size}, {} requests", bytes(row.done), row.records)
        }
        Some(Phase::Parsing) => format!("{} of {size}", bytes(row.done)),
        Some(Phase::Packing) => "handing over".to_owned(),
    }
}

/// The files that are being read.
#[component]
pub fn ImportRows() -> impl IntoView {
    let state = use_state();
    let rows = state.imports.rows;
    let line = move |job| {
        let row = Memo::new(move |_| rows.with(|rows| rows.iter().find(|r| r.job == job).cloned()));
        let share = move || row.get().map_or(0.0, |r| r.done as f64 / r.size.max(1) as f64);
        let name = row.get_untracked().map(|r| r.file).unwrap_or_default();
        let cancel = format!("Cancel reading {name}");
        view! {
            <li class="import">
                <b>{name.clone()}</b>
                <span class="caption num">{move || row.get().map(|r| doing(&r))}</span>
                <button
                    type="button"
                    class="button button-small"
                    aria-label=cancel
                    on:click=move |_| state.imports.cancel(job)
                >
                    "Cancel"
                </button>
                <progress max="1" value=share aria-label=format!("Reading {name}")></progress>
            </li>
        }
    };
    let busy = Memo::new(move |_| rows.with(Vec::len));
    view! {
        <Show when=move || busy.get() != 0>
            <ul class="imports" aria-label="Files being read">
                <For each=move || rows.get() key=|row| row.job.0 children=move |row| line(row.job)/>
            </ul>
        </Show>
        <p class="visually-hidden" role="status">
            {move || match busy.get() {
                0 => String::new(),
                n => format!("Reading {}", super::strip::plural(n, "file")),
            }}
        </p>
    }
}
