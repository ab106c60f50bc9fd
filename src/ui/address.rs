//! The address and the browser's history: one entry a deliberate step, Back never loses an edit.

use super::edits::Asked;
use super::state::State;
use crate::link::{Link, inside};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::PopStateEvent;

/// Marks the entries this page wrote; others were typed or followed.
const OURS: &str = "sameruler";

/// What the address says now.
///
/// # Errors
/// When it can't be followed, with the reason.
pub fn read() -> Result<Link, String> {
    let hash = window().location().hash().unwrap_or_default();
    Link::decode(&hash).map_err(|e| e.to_string())
}

/// The data inside the link that the page was opened with: the whole fragment, where there is any in it.
pub fn with_data() -> Option<String> {
    let hash = window().location().hash().unwrap_or_default();
    inside::taken_out(&hash).1.is_some().then_some(hash)
}

/// The whole address of the present view, to be copied.
pub fn whole(state: State) -> String {
    of(&view(state))
}

/// The whole address of a link.
pub fn of(link: &str) -> String {
    let location = window().location();
    let (origin, path) = (location.origin().unwrap_or_default(), location.pathname());
    format!("{origin}{}#{link}", path.unwrap_or_default())
}

/// The text of the link to the present view.
pub fn view(state: State) -> String {
    link(state).encode()
}

fn link(state: State) -> Link {
    Link {
        screen: state.screen.get(),
        context: state.context.get(),
        groups: state.edits.with(|e| e.now.arrangement.groups.clone()),
        gpus: state.edits.with(|e| e.now.arrangement.gpus.clone()),
        marks: state.marks(),
        axes: state.axes.get(),
        goodput: state.goodput.get(),
        distributions: state.distributions.get(),
        explain: state.explain.get(),
        requests: state.requests.get(),
        sheet: state.sheet.get(),
    }
}

/// Keeps address and state together from now on.
pub fn follow(state: State) {
    Effect::new(move |before: Option<Link>| {
        let now = link(state);
        // Data that came in a link stays in the address, so that the page can be loaded again.
        let hash = state.inside.with(|letters| match letters {
            Some(letters) => format!("#{}", inside::with_data(&now.encode(), letters)),
            None => format!("#{}", now.encode()),
        });
        let here = window().location().hash().unwrap_or_default();
        let step = before.is_some_and(|b| (b.screen, &b.sheet) != (now.screen, &now.sheet));
        if hash != here
            && let Ok(history) = window().history()
        {
            // The browser refuses only when an entry is written many times a second.
            let _ = if step {
                history.push_state_with_url(&OURS.into(), "", Some(&hash))
            } else {
                history.replace_state_with_url(&OURS.into(), "", Some(&hash))
            };
        }
        now
    });

    let on_pop = Closure::<dyn FnMut(PopStateEvent)>::new(move |event: PopStateEvent| {
        let ours = event.state().as_string().is_some_and(|mark| mark == OURS);
        match read() {
            Ok(link) => {
                state.screen.set(link.screen);
                state.sheet.set(link.sheet.clone());
                state.axes.set(link.axes);
                state.goodput.set(link.goodput.clone());
                // What was typed is an edit, which Back does not lose.
                state.distributions.update(|ask| {
                    let asked = Asked::of(ask);
                    *ask = link.distributions.clone();
                    asked.put(ask);
                });
                state.explain.set(link.explain.clone());
                state.requests.set(link.requests.clone());
                match with_data() {
                    _ if ours => {}
                    Some(fragment) => state.open_inside(fragment),
                    None => {
                        state.inside.set(None);
                        state.follow(link);
                    }
                }
            }
            Err(reason) => {
                state.toasts.say(reason);
                if let Some(fragment) = with_data() {
                    state.open_inside(fragment);
                }
            }
        }
    });
    // A fragment typed by hand comes as popstate as well.
    let _ = window().add_event_listener_with_callback("popstate", on_pop.as_ref().unchecked_ref());
    on_pop.forget();
}
