//! Quality: what the checks found in the selected runs, what it does to the numbers, and what to do.

mod details;
mod drawing;
mod folds;
mod row;

use crate::engine::protocol::Query;
use crate::link::Screen;
use crate::notice::Severity;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::{State, use_state};
use crate::views::quality::{Counts, FindingRow, QualityView};
use folds::{Muted, Passed, Unknown};
use leptos::ev;
use leptos::prelude::*;
use row::FindingItem;
use std::sync::Arc;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

type View = Memo<Option<Arc<QualityView>>>;

/// Which finding the keys act on, and which are open.
#[derive(Clone, Copy)]
struct Shown {
    view: View,
    /// Id of the finding with the tab stop; the first one when it names none.
    current: RwSignal<Option<String>>,
    /// Ids of those whose details are open.
    open: RwSignal<Vec<String>>,
}

impl Shown {
    fn ids(self) -> Vec<String> {
        let ids = |view: &QualityView| view.rows.iter().map(|row| row.id.clone()).collect();
        self.view.with(|view| view.as_deref().map(ids).unwrap_or_default())
    }

    /// The finding with the tab stop.
    fn current(self) -> Option<String> {
        let ids = self.ids();
        self.current.get().filter(|id| ids.contains(id)).or_else(|| ids.first().cloned())
    }

    fn row(self, id: &str) -> Option<FindingRow> {
        let all = self.view.get()?;
        all.rows.iter().chain(&all.muted).find(|row| row.id == id).cloned()
    }

    fn toggle(self, id: &str) {
        self.open.update(|open| {
            if open.iter().any(|other| other == id) {
                open.retain(|other| other != id);
            } else {
                open.push(id.to_owned());
            }
        });
    }

    /// Moves the tab stop by so many findings, and the focus with it.
    fn step(self, by: isize) {
        let ids = self.ids();
        let now = self.current().and_then(|id| ids.iter().position(|other| *other == id));
        let inside = document()
            .active_element()
            .is_some_and(|e| e.closest(".findings").is_ok_and(|f| f.is_some()));
        let to = match now {
            // The first step of a reader who comes from above goes to where the tab stop is.
            Some(at) if inside => at.saturating_add_signed(by).min(ids.len().saturating_sub(1)),
            Some(at) => at,
            None => return,
        };
        if let Some(id) = ids.get(to) {
            self.current.set(Some(id.clone()));
            focus(id);
        }
    }
}

/// The element that holds a finding's tab stop.
fn name_id(id: &str) -> String {
    format!("finding-{id}")
}

fn focus(id: &str) {
    let found = document().get_element_by_id(&name_id(id));
    if let Some(element) = found.and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        // A button on the screen takes the focus.
        let _ = element.focus();
    }
}

/// Does what is suggested, or opens the details where that is all there is to do.
fn apply(state: State, shown: Shown, row: &FindingRow) {
    let said = row.said();
    if said.is_empty() || row.state != crate::views::quality::State::Open {
        shown.toggle(&row.id);
    } else {
        state.edit(said, |context| {
            row.apply(context);
        });
    }
}

/// Mutes a finding and hands the focus to the next one.
fn mute(state: State, shown: Shown, row: &FindingRow) {
    let ids = untrack(|| shown.ids());
    let at = ids.iter().position(|id| *id == row.id);
    let next = at.and_then(|at| ids.get(at + 1).or_else(|| ids.get(at.checked_sub(1)?))).cloned();
    let said = format!("“{}” of {} muted", row.name, row.whose);
    state.edit(said, |context| row.mute(context));
    if let Some(next) = next {
        shown.current.set(Some(next.clone()));
        focus(&next);
    }
}

/// Takes a decision back.
fn take_back(state: State, row: &FindingRow) {
    let said = format!("“{}” of {} is open again", row.name, row.whose);
    state.edit(said, |context| row.take_back(context));
}

/// The Quality screen.
#[component]
pub fn Quality() -> impl IntoView {
    let state = use_state();
    let answer =
        state.client.query::<QualityView>(move || Some((state.context.get(), Query::Quality)));
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let shown = Shown { view, current: RwSignal::new(None), open: RwSignal::new(Vec::new()) };
    let listening = window_event_listener(ev::keydown, move |event| on_key(state, shown, &event));
    on_cleanup(move || listening.remove());
    let ids = move || shown.ids();
    let some = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| !v.rows.is_empty())));
    view! {
        <div class="quality" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Checking the runs…"</p> })
            }}
            <Head view/>
            <Show when=move || some.get()>
                <div class="findings-head" aria-hidden="true">
                    <span>"Finding"</span>
                    <span>"Rows"</span>
                    <span class="findings-legend">"Effect: " <drawing::Dot filled=false/> " as the file has it, " <drawing::Dot filled=true/> " without"</span>
                    <span>"Suggested"</span>
                </div>
                <ul class="findings" aria-label="Findings">
                    <For each=ids key=Clone::clone let:id>
                        <FindingItem id shown/>
                    </For>
                </ul>
            </Show>
            <Passed view/>
            <Unknown view/>
            <Muted shown/>
            <Show when=move || some.get()>
                <footer class="findings-foot">
                    <span class="keys">
                        <kbd>"↑"</kbd> " " <kbd>"↓"</kbd> " move" <kbd>"Enter"</kbd> " details"
                        <kbd>"x"</kbd> " do what is suggested" <kbd>"m"</kbd> " mute" <kbd>"u"</kbd> " undo"
                    </span>
                </footer>
            </Show>
            <Empty view/>
        </div>
    }
}

/// Keys act where the focus is on a finding, or where nothing else takes them.
fn on_key(state: State, shown: Shown, event: &KeyboardEvent) {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
    if modified || event.default_prevented() {
        return;
    }
    let at = document().active_element();
    let free = at.is_none_or(|element| {
        element.tag_name() == "BODY"
            || element.id() == "main"
            || element.closest(".findings, .rail").is_ok_and(|found| found.is_some())
    });
    let dialog = document().query_selector("dialog[open]").is_ok_and(|found| found.is_some());
    if !free || dialog {
        return;
    }
    let row = untrack(|| shown.current().and_then(|id| shown.row(&id)));
    match (event.key().as_str(), row) {
        ("ArrowDown", Some(_)) => untrack(|| shown.step(1)),
        ("ArrowUp", Some(_)) => untrack(|| shown.step(-1)),
        ("x", Some(row)) => apply(state, shown, &row),
        ("m", Some(row)) => mute(state, shown, &row),
        ("u", Some(row)) if row.undoable => {
            take_back(state, &row);
        }
        ("u", _) => state.undo(),
        _ => return,
    }
    event.prevent_default();
}

/// A severity's sign and the word for it.
const fn sign(severity: Severity) -> (Glyph, &'static str) {
    match severity {
        Severity::Block => (Glyph::Block, "block"),
        Severity::Warn => (Glyph::Warning, "warn"),
        Severity::Note => (Glyph::Info, "note"),
    }
}

/// The headline with the counts beside it.
#[component]
fn Head(view: View) -> impl IntoView {
    let words = move |of: fn(&QualityView) -> String| {
        view.with(|view| view.as_deref().map(of).unwrap_or_default())
    };
    let counts =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.counts)).unwrap_or_default());
    let there = Memo::new(move |_| view.with(Option::is_some));
    let count =
        move |of: fn(&Counts) -> usize, glyph: Glyph, word: &'static str, class: &'static str| {
            let number = move || counts.with(of);
            view! {
                <li class=class class:zero=move || number() == 0>
                    <Icon name=glyph/>
                    <b>{number}</b>
                    {word}
                </li>
            }
        };
    view! {
        <Show when=move || there.get()>
            <header class="quality-head">
                <div>
                    <h1>{move || words(|v| v.headline.clone())}</h1>
                    <p class="quality-sub">{move || words(|v| v.subline.clone())}</p>
                </div>
                <ul class="quality-counts" aria-label="Findings by weight">
                    {count(|c| c.block, Glyph::Block, "block", "count-block")}
                    {count(|c| c.warn, Glyph::Warning, "warn", "count-warn")}
                    {count(|c| c.note, Glyph::Info, "note", "count-note")}
                    {move || {
                        let settled = counts.with(|c| c.settled);
                        (settled > 0)
                            .then(|| view! { <li class="count-note"><Icon name=Glyph::Flag/><b>{settled}</b>"settled"</li> })
                    }}
                    {count(|c| c.passed, Glyph::Check, "passed", "count-passed")}
                </ul>
            </header>
        </Show>
    }
}

/// The way to runs when there are none.
#[component]
fn Empty(view: View) -> impl IntoView {
    let state = use_state();
    let none = Memo::new(move |_| view.with(Option::is_some) && !state.loaded.get());
    view! {
        <Show when=move || none.get()>
            <div class="empty">
                <p>"Every run is checked for what makes a number mislead: zeros where nothing was measured, lengths cut short, a client that could not keep up. Add a result file."</p>
                <button
                    type="button"
                    class="button button-primary"
                    on:click=move |_| state.go(Screen::Library)
                >
                    "To the Library"
                </button>
            </div>
        </Show>
    }
}
