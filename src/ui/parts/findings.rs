//! The findings of one run, as its card lists them.

use crate::link::Screen;
use crate::notice::Severity;
use crate::ui::state::use_state;
use crate::views::quality::{FindingRow, State};
use leptos::prelude::*;

/// What a severity is called here.
const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "Note",
        Severity::Warn => "Warning",
        Severity::Block => "Blocks a verdict",
    }
}

/// A run's findings, gravest first, with the way to where something can be done about them.
#[component]
pub fn FindingList(
    /// The findings.
    rows: Vec<FindingRow>,
) -> impl IntoView {
    let state = use_state();
    let item = |row: FindingRow| {
        let effects =
            row.effects.iter().map(|e| format!("{} {} → {} {}", e.name, e.before, e.after, e.unit));
        let effects = effects.collect::<Vec<_>>().join(" · ");
        let places = row.details.runs.first().map(|run| run.places.clone()).unwrap_or_default();
        view! {
            <li class=format!("notice notice-{}", row.severity.word())>
                <p class="notice-head">
                    <b>{severity_word(row.severity)}</b>
                    <span>{row.name.clone()}</span>
                    {(row.state != State::Open).then(|| view! { <span>{row.done()}</span> })}
                </p>
                <p>{row.text.clone()}</p>
                {(!effects.is_empty()).then(|| view! { <p class="notice-effects">{effects}</p> })}
                {(!places.is_empty()).then(|| view! { <p class="caption">{places}</p> })}
            </li>
        }
    };
    view! {
        <ul class="notices">{rows.into_iter().map(item).collect_view()}</ul>
        <button type="button" class="link" on:click=move |_| state.go(Screen::Quality)>
            "What can be done about it"
        </button>
    }
}
