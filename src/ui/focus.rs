//! The focus stays on the page: when what had it goes away, what comes nearest takes it.
//!
//! A browser puts the focus of a removed, hidden or disabled element on the body, and a reader
//! without a mouse starts again from the top of the page. Rows, columns and buttons go away here
//! with most edits, so the rule stands in one place and not with each of them.

use leptos::ev;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// What can be reached by Tab.
const REACHABLE: &str =
    "button:not(:disabled), input:not(:disabled), select, a[href], [tabindex='0']";

/// What opens over the page and is left again.
const OVERLAY: &str = "[popover], [role='dialog'], dialog";

/// Where the focus was last.
struct Mark {
    element: HtmlElement,
    /// Id of what had the focus before it went into the sheet or card that it is in, if it is in one.
    origin: Option<String>,
    /// From the element outwards.
    around: Vec<Element>,
    /// The run it belonged to, and all runs on the page in their order.
    run: Option<String>,
    runs: Vec<String>,
}

impl Mark {
    fn of(element: HtmlElement, last: Option<&Self>) -> Self {
        let overlaid = element.closest(OVERLAY).ok().flatten().is_some();
        // What had the focus may be gone by now, and with it the sheet around it.
        let before = |last: &Self| last.origin.clone().unwrap_or_else(|| last.element.id());
        let origin = overlaid.then(|| last.map(before).unwrap_or_default());
        let around = std::iter::successors(element.parent_element(), |e| e.parent_element());
        let run = element.closest("[data-run]").ok().flatten().and_then(|e| run_of(&e));
        Self { around: around.collect(), run, runs: runs(), element, origin }
    }

    /// Whether the element can't have the focus any more.
    fn gone(&self) -> bool {
        !self.element.is_connected()
            || !seen(&self.element)
            || self.element.matches(":disabled").unwrap_or(false)
    }

    /// What takes the focus: the same place, where a sheet or card was opened from, the same run, a
    /// neighbour of it, what lay around.
    fn heir(&self) -> Option<HtmlElement> {
        named(&self.element.id())
            .or_else(|| named(self.origin.as_deref()?))
            .or_else(|| self.neighbour())
            .or_else(|| self.surrounding())
    }

    /// The same run or one beside it, on the same screen: on another one a reader starts at its head.
    fn neighbour(&self) -> Option<HtmlElement> {
        let own = self.run.as_ref()?;
        let inside = self.around.iter().take_while(|element| element.id() != "main");
        if !inside.into_iter().any(|element| element.is_connected()) {
            return None;
        }
        let at = self.runs.iter().position(|run| run == own)?;
        let (before, after) = self.runs.split_at(at);
        let mut near = after.iter().chain(before.iter().rev());
        near.find_map(|run| reachable(&find(&format!("[data-run='{run}']"))?))
    }

    fn surrounding(&self) -> Option<HtmlElement> {
        let main: HtmlElement = find("#main")?.dyn_into().ok()?;
        for element in self.around.iter().filter(|element| element.is_connected()) {
            if element.contains(Some(&main)) {
                break;
            }
            if let Some(found) = reachable(element) {
                return Some(found);
            }
        }
        Some(main)
    }
}

/// Keeps the focus from now on.
pub fn keep() {
    let mark = Rc::new(RefCell::new(None::<Mark>));
    let noted = mark.clone();
    // Listener and observer live as long as the page.
    let _ = window_event_listener(ev::focusin, move |event| {
        let element = event.target().and_then(|t| t.dyn_into::<HtmlElement>().ok());
        let mut noted = noted.borrow_mut();
        let next = element.map(|element| Mark::of(element, noted.as_ref()));
        *noted = next;
    });
    let waiting = Rc::new(Cell::new(false));
    let on_change = Closure::<dyn FnMut()>::new(move || {
        let lost = is_free() && mark.borrow().as_ref().is_some_and(Mark::gone);
        if !lost || waiting.replace(true) {
            return;
        }
        // What stands in for it may come with the same frame.
        let (mark, waiting) = (mark.clone(), waiting.clone());
        request_animation_frame(move || {
            waiting.set(false);
            let heir = mark.borrow().as_ref().filter(|_| is_free()).and_then(Mark::heir);
            if let Some(heir) = heir {
                let options = web_sys::FocusOptions::new();
                options.set_prevent_scroll(true);
                // What can't take the focus leaves it on the body, as it was.
                let _ = heir.focus_with_options(&options);
            }
        });
    });
    let watch = MutationObserver::new(on_change.as_ref().unchecked_ref());
    if let (Ok(watch), Some(body)) = (watch, document().body()) {
        let what = MutationObserverInit::new();
        what.set_child_list(true);
        what.set_subtree(true);
        what.set_attribute_filter(&js_sys::Array::of2(&"disabled".into(), &"class".into()));
        // Fails only for a node or options that are none.
        let _ = watch.observe_with_options(&body, &what);
    }
    on_change.forget();
}

/// Whether nothing on the page has the focus.
fn is_free() -> bool {
    document()
        .active_element()
        .is_none_or(|e| e.tag_name() == "BODY" || e.matches(":disabled").unwrap_or(false))
}

/// What is seen under an id: it may have been drawn anew since.
fn named(id: &str) -> Option<HtmlElement> {
    let found = document().get_element_by_id(id)?.dyn_into().ok()?;
    seen(&found).then_some(found)
}

fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

fn seen(element: &HtmlElement) -> bool {
    element.offset_width() > 0 || element.offset_height() > 0
}

/// The element itself, or the first in it, that Tab reaches.
fn reachable(element: &Element) -> Option<HtmlElement> {
    let fits = |e: &HtmlElement| seen(e) && e.tab_index() >= 0;
    let own = element.clone().dyn_into::<HtmlElement>().ok().filter(fits);
    own.or_else(|| {
        let all = element.query_selector_all(REACHABLE).ok()?;
        (0..all.length()).filter_map(|i| all.get(i)?.dyn_into().ok()).find(fits)
    })
}

fn run_of(element: &Element) -> Option<String> {
    element.get_attribute("data-run")
}

fn runs() -> Vec<String> {
    let Ok(all) = document().query_selector_all("[data-run]") else { return Vec::new() };
    let elements = (0..all.length()).filter_map(|i| all.get(i)?.dyn_into::<Element>().ok());
    elements.filter_map(|element| run_of(&element)).collect()
}
