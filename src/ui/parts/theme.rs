//! Light, dark, or as the system: the palette as CSS variables on the root element.

use crate::charts::theme::{Mode, Theme, css_variables};
use crate::ui::state::use_state;
use crate::web::storage;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::MediaQueryListEvent;

/// The reader's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeChoice {
    /// As the system says.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

const KEY: &str = "sameruler-theme";

impl ThemeChoice {
    const fn id(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The choice kept on this device.
    pub fn stored() -> Self {
        let kept = storage::get(KEY);
        [Self::Light, Self::Dark]
            .into_iter()
            .find(|c| c.id() == kept.as_deref())
            .unwrap_or_default()
    }

    /// The next choice of the button: auto, light, dark.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// The choice in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Auto => "as the system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The palette in force, for drawing on a canvas. Changes with choice and system.
#[derive(Clone, Copy)]
pub struct CurrentMode(pub Memo<Mode>);

/// Writes the palette to the root element and keeps it there.
pub fn keep(choice: RwSignal<ThemeChoice>) -> CurrentMode {
    let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    let system_dark = RwSignal::new(query.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(query) = query {
        let on_change =
            Closure::<dyn FnMut(MediaQueryListEvent)>::new(move |event: MediaQueryListEvent| {
                system_dark.set(event.matches());
            });
        query.set_onchange(Some(on_change.as_ref().unchecked_ref()));
        // The query must outlive this function, or its events end.
        std::mem::forget(query);
        on_change.forget();
    }
    let mode = Memo::new(move |_| match (choice.get(), system_dark.get()) {
        (ThemeChoice::Dark, _) | (ThemeChoice::Auto, true) => Mode::Dark,
        _ => Mode::Light,
    });
    Effect::new(move |_| {
        let Some(root) = document().document_element() else { return };
        let word = if mode.get() == Mode::Dark { "dark" } else { "light" };
        // Setting attributes of the root element does not fail.
        let _ = root.set_attribute("data-theme", word);
        let _ = root.set_attribute("style", &css_variables(&Theme::of(mode.get())));
    });
    Effect::new(move |_| storage::set(KEY, choice.get().id()));
    CurrentMode(mode)
}

/// The palette in force.
pub fn use_mode() -> Memo<Mode> {
    let fallback = || CurrentMode(Memo::new(|_| Mode::Light));
    use_context::<CurrentMode>().unwrap_or_else(fallback).0
}

/// The button that goes through the choices.
#[component]
pub fn ThemeButton() -> impl IntoView {
    let state = use_state();
    let label = move || format!("Theme: {}. Change it.", state.theme.get().words());
    view! {
        <button
            class="quiet"
            type="button"
            aria-label=label
            title=label
            on:click=move |_| {
                state.theme.update(|t| *t = t.next());
                state.toasts.say(format!("Theme: {}", state.theme.get_untracked().words()));
            }
        >
            "Theme"
        </button>
    }
}
