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
    let of = move || view.with(|v| v.as_ref().map(|v| v.passed.clone()).unwrap_or_default());
    let some = Memo::new(move |_| !of().is_empty());
    let clauses = move || of().into_iter().map(|p| p.clause).collect::<Vec<_>>().join(" · ");
    view! {
        <Show when=move || some.get()>
            <Fold
                head=Signal::derive(move || format!("{} passed", plural(of().len(), "check")))
                glimpse=Signal::derive(clauses)
            >
                <ul class="quality-clauses">
                    {move || {
                        of()
                            .into_iter()
                            .map(|passed| {
                                let but = (!passed.but.is_empty()).then_some(passed.but);
                                view! {
                                    <li>
                                        {passed.clause}
                                        {but.map(|but| view! { <span class="caption">{but}</span> })}
                                    </li>
                                }
                            })
                            .collect_view()
                    }}
                </ul>
            </Fold>
        </Show>
    }
}

/// Checks that no file allows, with the reasons.
#[component]
pub(super) fn Unknown(view: View) -> impl IntoView {
    let of = move || view.with(|v| v.as_ref().map(|v| v.unknown.clone()).unwrap_or_default());
    let some = Memo::new(move |_| !of().is_empty());
    let clauses = move || of().into_iter().map(|u| u.clause).collect::<Vec<_>>().join(" · ");
    view! {
        <Show when=move || some.get()>
            <Fold
                head=Signal::derive(move || format!("{} can’t be made", plural(of().len(), "check")))
                glimpse=Signal::derive(clauses)
            >
                <ul class="quality-clauses">
                    {move || {
                        of()
                            .into_iter()
                            .map(|unknown| {
                                view! {
                                    <li>
                                        {unknown.clause}
                                        <span class="caption">{unknown.reasons.join("; ")}</span>
                                    </li>
                                }
                            })
                            .collect_view()
                    }}
                </ul>
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
