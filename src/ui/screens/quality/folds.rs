//! What is folded below the findings: checks that passed, that can't be made, and muted findings.

use super::{Shown, View, take_back};
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::strip::plural;
use crate::ui::state::use_state;
use crate::views::quality::{FindingRow, QualityView};
use leptos::prelude::*;

/// A fold with its head in words and a line of what is in it.
#[component]
fn Fold(
    /// "34 checks passed".
    #[prop(into)]
    head: Signal<String>,
    /// The beginning of what is in it.
    #[prop(into)]
    glimpse: Signal<String>,
    /// What is in it.
    children: ChildrenFn,
) -> impl IntoView {
    view! {
        <details class="quality-fold">
            <summary>
                <Icon name=Glyph::Chevron/>
                <b>{head}</b>
                <span class="quality-glimpse" aria-hidden="true">{glimpse}</span>
            </summary>
            {children()}
        </details>
    }
}

/// Checks that found nothing, with what holds.
#[component]
pub(super) fn Passed(view: View) -> impl IntoView {
    let lines = |view: &QualityView| {
        let passed = view.passed.iter();
        passed.map(|passed| (passed.clause.clone(), passed.but.clone())).collect()
    };
    view! { <Clauses view outcome="passed" lines/> }
}

/// Checks that no file allows, with the reasons.
#[component]
pub(super) fn Unknown(view: View) -> impl IntoView {
    let lines = |view: &QualityView| {
        let unknown = view.unknown.iter();
        unknown.map(|unknown| (unknown.clause.clone(), unknown.reasons.join("; "))).collect()
    };
    view! { <Clauses view outcome="can’t be made" lines/> }
}

/// Checks of one outcome, folded: what each says, and a caption where there is one.
#[component]
fn Clauses(
    view: View,
    /// As it follows "34 checks".
    outcome: &'static str,
    /// Clause and caption of each.
    lines: fn(&QualityView) -> Vec<(String, String)>,
) -> impl IntoView {
    let of = move || view.with(|v| v.as_deref().map(lines).unwrap_or_default());
    let some = Memo::new(move |_| !of().is_empty());
    let clauses = move || of().into_iter().map(|line| line.0).collect::<Vec<_>>().join(" · ");
    let line = |(clause, caption): (String, String)| {
        let caption =
            (!caption.is_empty()).then(|| view! { <span class="caption">{caption}</span> });
        view! { <li>{clause} {caption}</li> }
    };
    view! {
        <Show when=move || some.get()>
            <Fold
                head=Signal::derive(move || format!("{} {outcome}", plural(of().len(), "check")))
                glimpse=Signal::derive(clauses)
            >
                <ul class="quality-clauses">{move || of().into_iter().map(line).collect_view()}</ul>
            </Fold>
        </Show>
    }
}

/// Findings that were muted, each with the way back.
#[component]
pub(super) fn Muted(shown: Shown) -> impl IntoView {
    let state = use_state();
    let muted = |view: &QualityView| view.muted.clone();
    let of = move || shown.view.with(|v| v.as_deref().map(muted).unwrap_or_default());
    let some = Memo::new(move |_| !of().is_empty());
    let names = move || of().into_iter().map(|row| row.name).collect::<Vec<_>>().join(" · ");
    let line = move |row: FindingRow| {
        let label = format!("Undo: mute {}, {}", row.name, row.whose);
        let (name, place, text) = (row.name.clone(), row.place.clone(), row.text.clone());
        view! {
            <li>
                <span><b>{name}</b> " " <span class="found-place">{place}</span></span>
                <span class="caption">{text}</span>
                <button type="button" class="link" aria-label=label on:click=move |_| take_back(state, &row)>
                    "Undo"
                </button>
            </li>
        }
    };
    view! {
        <Show when=move || some.get()>
            <Fold head=Signal::derive(move || format!("{} muted", of().len())) glimpse=Signal::derive(names)>
                <ul class="quality-clauses">{move || of().into_iter().map(line).collect_view()}</ul>
            </Fold>
        </Show>
    }
}
