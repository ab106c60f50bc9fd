//! The Library: what is loaded, what is on its way, what was not read.

use super::first::{choose_folder, paste};
use crate::link::Screen;
use crate::model::RunId;
use crate::ui::keys::choose_files;
use crate::ui::parts::arrange::Arrange;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::import_rows::ImportRows;
use crate::ui::parts::refusals::{NotRead, Refusals};
use crate::ui::parts::remember::Remember;
use crate::ui::parts::run_group::{Folds, RunGroup, foldable};
use crate::ui::parts::servers::Servers;
use crate::ui::parts::strip::plural;
use crate::ui::parts::suggestion::SuggestionLine;
use crate::ui::state::{State, use_state};
use crate::views::library::{CONTENT, Group};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

/// The Library screen.
#[component]
pub fn Library() -> impl IntoView {
    let state = use_state();
    let filter = RwSignal::new(String::new());
    let groups = Memo::new(move |_| matching(state.groups(), &filter.get()));
    let folds = Folds::default();
    let ids = move || groups.with(|all| all.iter().map(|g| g.id.clone()).collect::<Vec<_>>());
    let filtered = Signal::derive(move || filter.with(|f| !f.trim().is_empty()));
    let summary = move || {
        let loaded = state.loaded.get() || state.served.get();
        let words = || state.library.with(|l| l.value.as_ref().map(|v| v.summary.clone()));
        loaded.then(words).flatten().unwrap_or_else(|| "Nothing is loaded yet.".to_owned())
    };
    let trouble = move || state.library.with(|l| l.error.clone());
    view! {
        <header class="page-head">
            <div>
                <h1>"Library"</h1>
                <p class="library-sub">{summary} <NotRead/> <FoldAll groups folds filtered/></p>
            </div>
            <div class="page-actions">
                <div class="filter">
                    <Icon name=Glyph::Search/>
                    <input
                        id="library-filter"
                        type="search"
                        placeholder="Filter"
                        aria-label="Filter runs"
                        prop:value=move || filter.get()
                        on:input=move |event| filter.set(event_target_value(&event))
                    />
                    <kbd aria-hidden="true">"/"</kbd>
                </div>
                <button type="button" class="button" title="Choose files (o)" on:click=|_| choose_files()>
                    <Icon name=Glyph::Plus/>
                    "Add files"
                </button>
                <Show when=move || state.loaded.get()>
                    <Arrange/>
                    <Onward/>
                </Show>
            </div>
        </header>
        <ImportRows/>
        <SuggestionLine/>
        {move || trouble().map(|words| view! { <p class="notice notice-block">{words}</p> })}
        <Show when=move || state.loaded.get()>
            <table class="run-table" on:keydown=move |event| on_key(state, &event)>
                <caption class="visually-hidden">"Loaded runs"</caption>
                <thead>
                    <tr>
                        <th scope="col" class="pick"><span class="visually-hidden">"Selected"</span></th>
                        <th scope="col">"Run"</th>
                        {CONTENT
                            .map(|(name, what)| {
                                view! { <th scope="col" class="mid" title=what>{name}</th> }
                            })
                            .collect_view()}
                        <th scope="col" class="num sent">"Sent"</th>
                        <th scope="col" class="load">"Load"</th>
                        <th scope="col" class="num duration">"Duration"</th>
                        <th scope="col" class="num size">"Size"</th>
                        <th scope="col">"Note"</th>
                        <th scope="col" class="hash">
                            <span>"Hash"</span>
                            <span class="visually-hidden">" and actions"</span>
                        </th>
                    </tr>
                </thead>
                <For each=ids key=Clone::clone let:id>
                    <RunGroup groups id filtered folds/>
                </For>
            </table>
            <p class="visually-hidden" role="status">
                {move || {
                    let n: usize = groups.get().iter().map(|g| g.rows.len()).sum();
                    if filtered.get() { plural(n, "run") + " shown" } else { String::new() }
                }}
            </p>
            <Show when=move || groups.get().is_empty()>
                <p class="empty">
                    {move || format!("No run matches “{}”.", filter.get().trim())}
                    " "
                    <button type="button" class="link" on:click=move |_| filter.set(String::new())>
                        "Show all"
                    </button>
                </p>
            </Show>
        </Show>
        <Servers/>
        <Refusals/>
        <p class="more-drop">
            <Icon name=Glyph::Drop/>
            <span>"Drop more files or folders anywhere on this page, or"</span>
            <button type="button" class="link" on:click=|_| choose_folder()>"choose a folder"</button>
            <span>"or"</span>
            <button type="button" class="link" on:click=move |_| paste(state)>"paste a result"</button>
        </p>
        <footer class="library-foot">
            <Remember/>
            <span class="keys">
                <kbd>"Space"</kbd> " select" <kbd>"b"</kbd> " baseline" <kbd>"F2"</kbd> " rename"
                <kbd>"Del"</kbd> " remove"
            </span>
        </footer>
    }
}

/// Shows or hides the runs of all groups.
#[component]
fn FoldAll(
    /// All shown groups.
    groups: Memo<Vec<Group>>,
    /// What is folded.
    folds: Folds,
    /// Whether a filter is on: then nothing is folded.
    filtered: Signal<bool>,
) -> impl IntoView {
    let open = Memo::new(move |_| {
        let several = groups.with(|all| {
            let all: Vec<&Group> = all.iter().filter(|group| foldable(group)).collect();
            (all.len() > 1).then(|| all.iter().any(|group| folds.open(group)))
        });
        several.filter(|_| !filtered.get())
    });
    move || {
        open.get().map(|open| {
            let words = if open { "Fold all" } else { "Unfold all" };
            let act = move |_| {
                let all: Vec<Group> = groups.get_untracked().into_iter().filter(foldable).collect();
                folds.set(&all, !open);
            };
            view! {
                " · "
                <button type="button" class="link" on:click=act>
                    {words}
                </button>
            }
        })
    }
}

/// The one main step from here: to the comparison of what is selected, or to its curve.
#[component]
fn Onward() -> impl IntoView {
    let state = use_state();
    move || {
        let selected = state.selected();
        let sweep = state.groups().iter().any(|g| {
            g.sweep
                && selected.len() > 1
                && selected.iter().all(|s| g.rows.iter().any(|r| r.id == s.id))
        });
        let (words, to) = if sweep {
            ("Open curves".to_owned(), Screen::Curves)
        } else {
            (format!("Compare {}", plural(selected.len(), "run")), Screen::Compare)
        };
        view! {
            <button
                type="button"
                class="button button-primary"
                disabled=selected.is_empty()
                on:click=move |_| state.go(to)
            >
                {words}
            </button>
        }
    }
}

fn matching(groups: Vec<Group>, filter: &str) -> Vec<Group> {
    let words: Vec<_> = filter.split_whitespace().map(str::to_lowercase).collect();
    groups
        .into_iter()
        .filter_map(|mut group| {
            group.rows.retain(|row| {
                let row_text =
                    [&row.name, &row.version, &row.model, &row.file, &row.load, &row.hash];
                let pieces = row.pieces.iter().map(|piece| &piece.file);
                let text: Vec<String> = row_text
                    .into_iter()
                    .chain(pieces)
                    .chain([&group.title])
                    .map(|text| text.to_lowercase())
                    .collect();
                words.iter().all(|word| text.iter().any(|t| t.contains(word)))
            });
            (!group.rows.is_empty()).then_some(group)
        })
        .collect()
}

/// The focused row, if the focus is in one.
fn row_in_focus(state: State) -> Option<(RunId, String)> {
    let at = document().active_element()?.closest("[data-run]").ok()??;
    let id = at.get_attribute("data-run")?;
    let row = state.rows().into_iter().find(|row| row.id.as_str() == id)?;
    Some((row.id, row.name))
}

fn on_key(state: State, event: &KeyboardEvent) {
    let writing = event.target().is_some_and(|t| {
        t.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|i| i.type_() == "text")
    });
    if writing {
        return;
    }
    match event.key().as_str() {
        "ArrowDown" => step(1),
        "ArrowUp" => step(-1),
        "Delete" => match untrack(|| row_in_focus(state)) {
            Some((id, name)) => untrack(|| state.remove(vec![id], format!("{name} removed"))),
            None => return,
        },
        _ => return,
    }
    event.prevent_default();
}

/// Moves the focus along the check boxes of groups and runs.
fn step(by: i32) {
    let Ok(boxes) = document().query_selector_all(".run-table tbody .pick input") else { return };
    let boxes: Vec<HtmlElement> =
        (0..boxes.length()).filter_map(|i| boxes.get(i)?.dyn_into().ok()).collect();
    let row = document().active_element().and_then(|e| e.closest("tr").ok().flatten());
    let at = boxes.iter().position(|b| row.as_ref().is_some_and(|row| row.contains(Some(b))));
    let next = match at {
        Some(at) => (at as i32 + by).clamp(0, boxes.len() as i32 - 1),
        None => 0,
    };
    if let Some(next) = boxes.get(next as usize) {
        // A check box on the screen takes the focus.
        let _ = next.focus();
    }
}
