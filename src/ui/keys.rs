//! Keys that work everywhere, outside text fields. The help sheet is drawn from the same list.

use super::parts::definitions_sheet;
use super::parts::rail;
use super::parts::share::{save_report, save_session};
use super::state::State;
use crate::link::{Screen, Sheet};
use crate::web::files;
use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::prelude::*;
use web_sys::{ClipboardEvent, Element, EventTarget, HtmlElement, KeyboardEvent};

/// Keys and what they do, for the help sheet.
pub const KEYS: [(&str, &str); 34] = [
    ("g l", "Library"),
    ("g c", "Compare"),
    ("g u", "Curves"),
    ("g o", "Goodput"),
    ("g d", "Distributions"),
    ("g r", "Requests"),
    ("g e", "Explain"),
    ("g s", "Server metrics"),
    ("g q", "Quality"),
    ("g p", "Report"),
    ("o", "Choose files"),
    ("Ctrl+V", "Paste a result"),
    ("/", "Filter the Library"),
    ("d", "Definitions; with Shift: the next preset"),
    ("w", "The window: which stretch of each run counts"),
    ("n", "Whose number is this?"),
    ("b", "Take the focused run as baseline, or go on to the next selected run"),
    ("Shift+E", "On Compare: explain the focused number against the baseline’s"),
    ("s", "On Explain: A and B change places; on Goodput: the first limit"),
    ("↑ ↓", "In a limit: 1 % more or less; with Shift: 10 %"),
    ("p", "On Goodput and in charts: the peak"),
    ("c", "On Explain: copy the explanation as text"),
    ("q", "On Distributions: the value of a percentile"),
    ("v", "On Distributions: the share at or under a value"),
    ("j k", "On Requests: the next request, the one before"),
    (". ,", "On Requests: the next stall, the one before"),
    ("f", "On Requests: zoom to the chosen request; again: the whole run"),
    ("w", "On Requests, with a stretch of time chosen: use it as window"),
    ("x", "Leave out the focused run, or take it in; on Quality: do what is suggested"),
    ("F2", "Rename the focused run"),
    ("Delete", "Remove the focused run"),
    ("Ctrl+Z", "Undo; with Shift: redo"),
    ("Ctrl+S", "Save the report; with Shift: the session"),
    ("?", "These keys"),
];

/// `g` is followed by a screen's letter within this many milliseconds.
const FOLLOW: f64 = 1500.0;

/// Listens from now on.
pub fn listen(state: State) {
    let went = Cell::new(f64::NEG_INFINITY);
    let on_key = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
        // A dialog is modal: what lies under it does not act.
        if event.default_prevented() || is_there("dialog[open]") {
            return;
        }
        let done = if event.ctrl_key() || event.meta_key() {
            chord(state, &event)
        } else {
            !event.alt_key() && !in_text(&event) && single(state, &event, &went)
        };
        if done {
            event.prevent_default();
        }
    });
    let on_paste = Closure::<dyn FnMut(ClipboardEvent)>::new(move |event: ClipboardEvent| {
        let Some(data) = event.clipboard_data() else { return };
        if event.target().is_some_and(|t| is_text(&t)) {
            return;
        }
        let mut incoming = files::dropped(&data);
        if incoming.is_empty() {
            let text = data.get_data("text/plain").unwrap_or_default();
            if text.trim().is_empty() {
                return;
            }
            incoming.extend(files::pasted(&text));
        }
        event.prevent_default();
        state.take(incoming);
    });
    let window = window();
    // Both listeners live as long as the page.
    let _ = window.add_event_listener_with_callback("keydown", on_key.as_ref().unchecked_ref());
    let _ = window.add_event_listener_with_callback("paste", on_paste.as_ref().unchecked_ref());
    on_key.forget();
    on_paste.forget();
}

fn chord(state: State, event: &KeyboardEvent) -> bool {
    match event.key().to_lowercase().as_str() {
        "s" if event.shift_key() => save_session(state),
        "s" => save_report(state),
        "o" => choose_files(),
        // In a text field the browser's own undo is meant.
        "z" if !has_own_undo(event) => {
            if event.shift_key() {
                state.redo();
            } else {
                state.undo();
            }
        }
        "y" if !has_own_undo(event) => state.redo(),
        _ => return false,
    }
    true
}

fn single(state: State, event: &KeyboardEvent, went: &Cell<f64>) -> bool {
    let key = event.key();
    if went.replace(f64::NEG_INFINITY) + FOLLOW > event.time_stamp() {
        let to = Screen::ALL.into_iter().find(|s| key == rail::entry(*s).1.to_string());
        if let Some(screen) = to {
            state.go(screen);
            return true;
        }
    }
    let loaded = state.loaded.get_untracked();
    let requests = state.screen.get_untracked() == Screen::Requests;
    match key.as_str() {
        "?" => state.help.set(true),
        "o" => choose_files(),
        "g" if loaded || state.served.get_untracked() => went.set(event.time_stamp()),
        "d" if loaded => state.toggle(Sheet::Definitions),
        "j" if requests => return press("requests-next"),
        "k" if requests => return press("requests-before"),
        "." if requests => return press("stall-next"),
        "," if requests => return press("stall-before"),
        "f" if requests => return press("requests-zoom"),
        "w" if requests && is_there("#requests-window:enabled") => return press("requests-window"),
        "w" if loaded => state.toggle(Sheet::Window),
        "n" if loaded => state.toggle(Sheet::Number),
        "D" if loaded => definitions_sheet::next_preset(state),
        "/" => return focus("#library-filter"),
        "Escape" => {
            if state.sheet.get_untracked().is_none() {
                return false;
            }
            state.sheet.set(None);
        }
        "s" if on(state, Screen::Explain) => return press("explain-swap"),
        "c" if on(state, Screen::Explain) => return press("explain-copy"),
        "s" if on(state, Screen::Goodput) => return focus(".limits .limit-field"),
        "p" if on(state, Screen::Goodput) => return press("goodput-peak"),
        "q" if on(state, Screen::Distributions) => return focus("#distributions-percentile"),
        "v" if on(state, Screen::Distributions) => return focus("#distributions-value"),
        "b" if loaded => untrack(|| baseline(state)),
        "x" if loaded => return untrack(|| exclude(state)),
        _ => return false,
    }
    true
}

/// The run of the focused row or column: whatever carries `data-run`.
fn focused(state: State) -> Option<crate::views::library::RunRow> {
    let at = document().active_element()?.closest("[data-run]").ok()??;
    let id = at.get_attribute("data-run")?;
    state.rows().into_iter().find(|row| row.id.as_str() == id)
}

fn baseline(state: State) {
    let next = focused(state).or_else(|| {
        let (rows, now) = (state.selected(), state.baseline()?);
        let at = rows.iter().position(|row| row.id == now)?;
        rows.get((at + 1) % rows.len()).cloned()
    });
    if let Some(row) = next {
        state.set_baseline(row.id, &row.name);
    }
}

fn exclude(state: State) -> bool {
    let Some(row) = focused(state) else { return false };
    let on = state.context.with(|c| c.runs.contains(&row.id));
    let word = if on { "left out" } else { "added to the comparison" };
    state.select(&[row.id], !on, format!("{} {word}", row.name));
    true
}

/// Opens the browser's file dialog.
pub fn choose_files() {
    if let Ok(Some(input)) = document().query_selector("#choose-files") {
        input.unchecked_into::<HtmlElement>().click();
    }
}

fn is_there(selector: &str) -> bool {
    document().query_selector(selector).is_ok_and(|found| found.is_some())
}

fn on(state: State, screen: Screen) -> bool {
    state.screen.get_untracked() == screen
}

/// Presses a button of the screen, which says the same as its key.
fn press(id: &str) -> bool {
    let Some(button) = document().get_element_by_id(id) else { return false };
    button.unchecked_into::<HtmlElement>().click();
    true
}

fn focus(selector: &str) -> bool {
    let Ok(Some(element)) = document().query_selector(selector) else { return false };
    element.unchecked_into::<HtmlElement>().focus().is_ok()
}

fn in_text(event: &KeyboardEvent) -> bool {
    event.target().is_some_and(|target| is_text(&target))
}

/// Whether the browser keeps an undo of its own for the focused field. Lists and sliders take letters or
/// arrows, but have none.
fn has_own_undo(event: &KeyboardEvent) -> bool {
    let listed = |target: &EventTarget| {
        let element = target.dyn_ref::<Element>();
        element.is_some_and(|element| element.matches("select, input[type=range]") == Ok(true))
    };
    event.target().is_some_and(|target| is_text(&target) && !listed(&target))
}

fn is_text(target: &EventTarget) -> bool {
    // The window itself is a target as well, and no element.
    let Some(element) = target.dyn_ref::<Element>() else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => {
            !matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio" | "file"))
        }
        _ => element.get_attribute("contenteditable").is_some(),
    }
}
