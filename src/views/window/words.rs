//! A window in words, and the ruler with a window in it.

use super::secs;
use crate::metrics::settings::{Duration, Window};
use crate::views::{Ruler, measure};
use std::collections::BTreeMap;

/// A window in a few words for a button: "whole run", "2 to 10 s", "without the first 10".
pub fn short(window: &str) -> String {
    match Window::parse(window) {
        None => window.to_owned(),
        Some(window) => in_words(&window),
    }
}

/// A window in words.
pub fn in_words(window: &Window) -> String {
    match window {
        Window::Whole => "whole run".to_owned(),
        Window::FirstSendToLastToken => "first send to last token".to_owned(),
        Window::AfterFirstCompletion => "after the first completion".to_owned(),
        Window::SkipFirst(count) => format!("without the first {count}"),
        Window::Steady(share) => format!("steady at {share} of the peak"),
        Window::UntilStable => "once TTFT is stable".to_owned(),
        Window::Brush { from, to } => format!("{} to {} s", secs(*from), secs(*to)),
    }
}

/// The ruler with one choice about the window changed. A window other than the whole run divides rates
/// by its own length, since the printed duration is that of the whole; going back takes that back too.
/// Each run's own
/// words have no window to change, so the change puts all runs on the common ruler.
pub fn ruler_with(ruler: &Ruler, dimension: &str, choice: &str) -> Ruler {
    let (preset, mut changes) = match ruler {
        Ruler::Same { preset, changes } => (preset.clone(), changes.clone()),
        Ruler::Own => ("common".to_owned(), BTreeMap::new()),
    };
    let base = measure::base(&preset).settings;
    // A choice that means nothing, such as half a number on its way, changes nothing.
    let mut tried = base;
    if tried.set(dimension, choice).is_err() {
        return ruler.clone();
    }
    changes.insert(dimension.to_owned(), choice.to_owned());
    let chosen = changes.get("window").and_then(|text| Window::parse(text)).unwrap_or(base.window);
    let by_window = Duration::Window.id();
    if chosen == Window::Whole {
        if changes.get("duration").is_some_and(|own| own == by_window) {
            changes.remove("duration");
        }
        changes.remove("window-edge");
    } else {
        let duration = changes.get("duration").map_or(base.duration.id(), String::as_str);
        if duration == Duration::AsReported.id() {
            changes.insert("duration".to_owned(), by_window.to_owned());
        }
    }
    // What is as in the preset is no change.
    if chosen == base.window {
        changes.remove("window");
    }
    if changes.get("window-edge").is_some_and(|edge| edge == base.window_edge.id()) {
        changes.remove("window-edge");
    }
    Ruler::Same { preset, changes }
}
