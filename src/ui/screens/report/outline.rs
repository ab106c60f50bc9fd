//! The sections of the report: which are printed, in what order, under what heading, with what note.

use crate::engine::protocol::OutlineRow;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::{State, use_state};
use crate::units::bytes;
use leptos::prelude::*;

/// The list of sections, each with its switch, its way up and down, and its heading and note.
#[component]
pub fn Outline(
    /// The sections in the order of the report.
    #[prop(into)]
    rows: Signal<Vec<OutlineRow>>,
) -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(String::new());
    let ids = Memo::new(move |_| {
        let filled = |rows: &Vec<OutlineRow>| {
            rows.iter().filter(|row| row.filled).map(|row| row.id.clone()).collect::<Vec<_>>()
        };
        rows.with(filled)
    });
    let planned = move || {
        state.edits.with(|e| !e.now.report.sections.is_empty() || !e.now.report.order.is_empty())
    };
    view! {
        <section class="report-sections" aria-labelledby="report-sections">
            <div class="report-sections-head">
                <h2 id="report-sections">"Sections"</h2>
                <Show when=planned>
                    <button
                        type="button"
                        class="quiet"
                        on:click=move |_| {
                            state.plan_report("Sections as usual", |plan| {
                                plan.order.clear();
                                plan.sections.clear();
                            });
                        }
                    >
                        "As usual"
                    </button>
                </Show>
            </div>
            <ol>
                <For each=move || ids.get() key=String::clone let:id>
                    <Line id rows ids open/>
                </For>
            </ol>
        </section>
    }
}

#[component]
fn Line(
    id: String,
    rows: Signal<Vec<OutlineRow>>,
    ids: Memo<Vec<String>>,
    /// The section whose heading and note are open.
    open: RwSignal<String>,
) -> impl IntoView {
    let state = use_state();
    let id = StoredValue::new(id);
    let row = Memo::new(move |_| {
        id.with_value(|id| rows.with(|rows| rows.iter().find(|row| row.id == *id).cloned()))
    });
    let title =
        move || row.with(|row| row.as_ref().map_or_else(String::new, |row| row.title.clone()));
    let shown = move || row.with(|row| row.as_ref().is_some_and(|row| row.shown));
    let size = move || row.with(|row| row.as_ref().map_or(0, |row| row.bytes));
    let place = move || ids.with(|ids| id.with_value(|id| ids.iter().position(|at| at == id)));
    let last = move || ids.with(Vec::len).saturating_sub(1);
    let is_open = Memo::new(move |_| id.with_value(|id| open.with(|open| open == id)));
    let wanted = move |of: fn(&crate::model::PlannedSection) -> &String| {
        state
            .edits
            .with(|e| id.with_value(|id| e.now.report.of(id).map(|s| of(s).clone())))
            .unwrap_or_default()
    };
    let shift = move |by: isize| {
        let (Some(at), ids) = (place(), ids.get_untracked()) else { return };
        let Some(to) = at.checked_add_signed(by).filter(|to| *to < ids.len()) else { return };
        moved(state, ids, at, to, &untrack(title));
    };
    view! {
        <li class:report-off=move || !shown()>
            <label>
                <input
                    type="checkbox"
                    prop:checked=shown
                    on:change=move |event| {
                        let on = event_target_checked(&event);
                        let said = format!("{} {}", untrack(title), if on { "printed" } else { "left out" });
                        id.with_value(|id| state.plan_report(&said, |plan| plan.change(id, |section| section.shown = on)));
                    }
                />
                <span>{title}</span>
            </label>
            <small>{move || bytes(size())}</small>
            <button
                type="button"
                class="icon-button"
                id=move || id.with_value(|id| format!("up-{id}"))
                aria-label=move || format!("Move {} up", title())
                aria-disabled=move || (place() == Some(0)).to_string()
                on:click=move |_| shift(-1)
            >
                <Icon name=Glyph::Up/>
            </button>
            <button
                type="button"
                class="icon-button"
                id=move || id.with_value(|id| format!("down-{id}"))
                aria-label=move || format!("Move {} down", title())
                aria-disabled=move || (place() == Some(last())).to_string()
                on:click=move |_| shift(1)
            >
                <Icon name=Glyph::Down/>
            </button>
            <button
                type="button"
                class="icon-button"
                aria-label=move || format!("Heading and note of {}", title())
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| open.set(if is_open.get_untracked() { String::new() } else { id.get_value() })
            >
                <Icon name=Glyph::Pencil/>
            </button>
            <Show when=move || is_open.get()>
                <div class="report-words">
                    <label>
                        "Heading"
                        <input
                            class="input"
                            type="text"
                            maxlength="120"
                            placeholder=title
                            prop:value=move || wanted(|section| &section.title)
                            on:change=move |event| {
                                let words = event_target_value(&event);
                                let said = format!("Heading of {}", untrack(title));
                                id.with_value(|id| state.plan_report(&said, |plan| plan.change(id, |section| section.title = words)));
                            }
                        />
                    </label>
                    <label>
                        "Note"
                        <textarea
                            class="input"
                            rows="4"
                            maxlength="4000"
                            placeholder="Stands at the head of the section"
                            prop:value=move || wanted(|section| &section.note)
                            on:change=move |event| {
                                let words = event_target_value(&event);
                                let said = format!("Note to {}", untrack(title));
                                id.with_value(|id| state.plan_report(&said, |plan| plan.change(id, |section| section.note = words)));
                            }
                        ></textarea>
                    </label>
                </div>
            </Show>
        </li>
    }
}

/// Puts the section at one place of the list at another. Sections without content keep their usual place after.
fn moved(state: State, mut ids: Vec<String>, from: usize, to: usize, title: &str) {
    let id = ids.remove(from);
    ids.insert(to, id);
    let way = if to < from { "up" } else { "down" };
    state.plan_report(&format!("{title} moved {way}"), |plan| plan.order = ids);
}
