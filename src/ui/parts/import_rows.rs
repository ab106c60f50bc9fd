//! Files on their way in: of a few each with a bar, of many one bar for all and the ones that take long.

use super::strip::plural;
use crate::engine::protocol::Phase;
use crate::ui::imports::{ImportRow, Reading};
use crate::ui::state::use_state;
use crate::units::{bytes, fixed};
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

fn share(done: u64, of: u64) -> f64 {
    done as f64 / of.max(1) as f64
}

/// The files that are being read.
#[component]
pub fn ImportRows() -> impl IntoView {
    let state = use_state();
    let reading = state.imports.reading;
    let rows = move || reading.with(|reading| reading.rows.clone());
    let line = move |job| {
        let row = Memo::new(move |_| {
            reading.with(|reading| reading.rows.iter().find(|r| r.job == job).cloned())
        });
        let share = move || row.get().map_or(0.0, |r| share(r.done, r.size));
        let name = row.get_untracked().map(|r| r.file).unwrap_or_default();
        let cancel = format!("Cancel reading {name}");
        view! {
            <li class="import">
                <b title=name.clone()>{name.clone()}</b>
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
    let busy = Memo::new(move |_| reading.with(Reading::left) != 0);
    let many = Memo::new(move |_| reading.with(Reading::many));
    view! {
        <Show when=move || busy.get()>
            <ul class="imports" aria-label="Files being read">
                <Show when=move || many.get()>
                    <AllFiles/>
                </Show>
                <For each=rows key=|row| row.job.0 children=move |row| line(row.job)/>
            </ul>
        </Show>
        // Of many files, every single one would be too much to hear.
        <p class="visually-hidden" role="status">
            {move || match (busy.get(), many.get()) {
                (false, _) => String::new(),
                (true, true) => "Reading files".to_owned(),
                (true, false) => format!("Reading {}", plural(reading.with(Reading::left), "file")),
            }}
        </p>
    }
}

/// The bar of many files.
#[component]
fn AllFiles() -> impl IntoView {
    let state = use_state();
    let reading = state.imports.reading;
    let words = move || {
        reading
            .with(|r| format!("{} of {} files", fixed(r.done as f64, 0), fixed(r.total as f64, 0)))
    };
    let size =
        move || reading.with(|r| format!("{} of {}", bytes(r.done_bytes), bytes(r.total_bytes)));
    let done = move || {
        reading.with(|r| {
            let begun: u64 = r.rows.iter().map(|row| row.done).sum();
            share(r.done_bytes + begun, r.total_bytes)
        })
    };
    view! {
        <li class="import import-all">
            <b>{words}</b>
            <span class="caption num">{size}</span>
            <button
                type="button"
                class="button button-small"
                on:click=move |_| state.imports.cancel_all()
            >
                "Cancel all"
            </button>
            <progress max="1" value=done aria-label="Reading all files"></progress>
        </li>
    }
}
