//! One group of the Library: its heading, and its runs under it, which can be folded away.

use super::icons::{Glyph, Icon};
use super::run_row::RunRowView;
use super::samples::ScriptedBadge;
use super::spark::Spark;
use crate::link::Screen;
use crate::ui::state::use_state;
use crate::views::library::{Group, RunRow};
use leptos::prelude::*;
use std::collections::BTreeMap;
use web_sys::KeyboardEvent;

/// Which groups the reader folded or unfolded, by id; the others are as the Library says.
#[derive(Clone, Copy, Default)]
pub struct Folds(RwSignal<BTreeMap<String, bool>>);

impl Folds {
    /// Whether the runs of a group are shown.
    pub fn open(self, group: &Group) -> bool {
        self.0.with(|chosen| chosen.get(&group.id).copied()).unwrap_or(!group.folded)
    }

    /// Shows or hides the runs of groups.
    pub fn set(self, groups: &[Group], open: bool) {
        self.0.update(|chosen| chosen.extend(groups.iter().map(|g| (g.id.clone(), open))));
    }
}

/// Whether a group can be folded: the heading of one run would take as much room as its row.
pub fn foldable(group: &Group) -> bool {
    group.sweep || group.rows.len() > 1
}

/// What of a row is drawn: the row is drawn anew only when one of these changes.
fn key((row, scripted): &(RunRow, bool)) -> String {
    let note = row.note.as_deref().unwrap_or_default();
    let (id, files) = (row.id.as_str(), row.pieces.len());
    format!("{id} {} {} {note} {} {files} {scripted}", row.style, row.name, row.warnings)
}

/// A group of runs as a table body.
#[component]
pub fn RunGroup(
    /// All shown groups.
    groups: Memo<Vec<Group>>,
    /// The one that is drawn.
    id: String,
    /// Whether a filter is on: then nothing is folded away.
    #[prop(into)]
    filtered: Signal<bool>,
    /// What is folded.
    folds: Folds,
) -> impl IntoView {
    let state = use_state();
    let group = Memo::new(move |_| {
        // A group that is gone is drawn no more; for the moment in between it is empty.
        groups.with(|all| all.iter().find(|g| g.id == id).cloned()).unwrap_or_else(|| Group {
            id: id.clone(),
            title: String::new(),
            subtitle: String::new(),
            sweep: false,
            chosen: false,
            folded: false,
            finding: None,
            spark: Vec::new(),
            rows: Vec::new(),
        })
    });
    let open = Memo::new(move |_| {
        let group = group.get();
        !foldable(&group) || filtered.get() || folds.open(&group)
    });
    let fold = move |open: bool| folds.set(&[group.get_untracked()], open);
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowRight" => fold(true),
        "ArrowLeft" => fold(false),
        _ => {}
    };
    let ids = move || group.get().rows.into_iter().map(|r| r.id).collect::<Vec<_>>();
    let chosen = Memo::new(move |_| {
        let ids = ids();
        let n = state.context.with(|c| ids.iter().filter(|id| c.runs.contains(id)).count());
        (n, ids.len())
    });
    let all = move || chosen.get().0 == chosen.get().1;
    let pick = move |_| {
        let (on, group) = (!all(), group.get());
        let word = if on { "added to the comparison" } else { "left out" };
        let said =
            format!("{} ({}) {word}", group.title, super::strip::plural(group.rows.len(), "run"));
        state.select(&ids(), on, said);
    };
    // When all of a group are scripted, its heading says so once.
    let all_scripted = move || group.with(|g| g.rows.iter().all(|row| row.scripted));
    let rows = move || {
        let above = all_scripted();
        let marked = |row: RunRow| {
            let scripted = row.scripted && !above;
            (row, scripted)
        };
        group.get().rows.into_iter().map(marked).collect::<Vec<_>>()
    };
    let head = move || {
        let now = group.get();
        let style = now.rows.first().map_or(0, |row| row.style);
        let (words, to) = if now.sweep {
            ("Open curves", Screen::Curves)
        } else {
            ("Compare these", Screen::Compare)
        };
        let only = format!("{} selected", now.title);
        view! {
            <div class="group-line">
                {(foldable(&now) && !filtered.get())
                    .then(|| {
                        view! {
                            <button
                                type="button"
                                class="icon-button fold"
                                aria-label=format!("Runs of {}", now.title)
                                aria-expanded=move || open.get().to_string()
                                on:click=move |_| fold(!open.get_untracked())
                            >
                                <Icon name=Glyph::Chevron/>
                            </button>
                        }
                    })}
                <b>{now.title.clone()}</b>
                {now.chosen.then(|| view! { <span class="badge">"your group"</span> })}
                <span>{now.subtitle.clone()}</span>
                {all_scripted().then(|| view! { <ScriptedBadge/> })}
                <Spark points=now.spark.clone() style/>
                {now.finding.clone().map(|f| view! { <span class="finding">{f}</span> })}
                {(now.rows.len() > 1)
                    .then(|| {
                        view! {
                            <button
                                type="button"
                                class="link"
                                on:click=move |_| {
                                    state.select_only(ids(), only.clone());
                                    state.go(to);
                                }
                            >
                                {words}
                            </button>
                        }
                    })}
            </div>
        }
    };
    view! {
        <tbody>
            <tr class="group-head" on:keydown=on_key>
                <th scope="rowgroup" class="pick">
                    <input
                        type="checkbox"
                        aria-label=move || format!("Select all of {}", group.get().title)
                        prop:checked=all
                        prop:indeterminate=move || chosen.get().0 != 0 && !all()
                        on:change=pick
                    />
                </th>
                <th colspan="11" scope="rowgroup">{head}</th>
            </tr>
            <Show when=move || open.get()>
                <For each=rows key=key children=|(row, scripted)| view! { <RunRowView row scripted/> }/>
            </Show>
        </tbody>
    }
}
