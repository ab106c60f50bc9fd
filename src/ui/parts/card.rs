//! The card that opens beside what it explains: a definition, a cell, a sign.

use super::number_sheet::look_for;
use super::suggestion::ExplainLink;
use crate::ui::state::use_state;
use crate::views::detective::NumberAsk;
use crate::views::explain::ExplainAsk;
use leptos::html::Div;
use leptos::prelude::*;
use web_sys::HtmlElement;

/// What a card says and beside what it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    /// Its heading.
    pub title: String,
    /// The definition stamp, where there is one.
    pub stamp: String,
    /// Its paragraphs.
    pub lines: Vec<String>,
    /// A printed number in it that can be looked for.
    pub seek: Option<NumberAsk>,
    /// Numbers that this one can be explained against, each with the words of its button.
    pub explain: Vec<(String, ExplainAsk)>,
    /// Left, top and bottom edge of what it explains, in the window's pixels.
    pub beside: (f64, f64, f64),
}

impl Card {
    /// The same card beside an element.
    #[must_use]
    pub fn beside(self, element: &web_sys::Element) -> Self {
        let area = element.get_bounding_client_rect();
        Self { beside: (area.left(), area.top(), area.bottom()), ..self }
    }
}

/// Opens cards; one a screen, from context.
#[derive(Debug, Clone, Copy)]
pub struct Cards(RwSignal<Card>);

impl Cards {
    /// Gives the parts below a place for cards. [`CardPlace`] shows it.
    pub fn provide() -> Self {
        let cards = Self(RwSignal::new(Card::default()));
        provide_context(cards);
        cards
    }

    /// The place of the screen this is called under.
    pub fn of_screen() -> Self {
        use_context().unwrap_or_else(Self::provide)
    }

    /// Opens a card in place of the one that is open.
    pub fn open(&self, card: Card) {
        self.0.set(card);
    }
}

/// Width of a card, as in the style.
const WIDTH: f64 = 320.0;
/// Room left to the window's edge, and between the card and what it explains.
const GAP: f64 = 8.0;

/// Puts the popover under what it explains, or above it in the lower half of the window.
fn place(element: &HtmlElement, (left, top, bottom): (f64, f64, f64)) {
    let size = |value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0)
    };
    let (width, height) = (size(window().inner_width()), size(window().inner_height()));
    let left = left.min(width - WIDTH - GAP).max(GAP);
    let style = element.style();
    let upward = bottom > height * 0.6;
    let (edge, other, distance) = if upward {
        ("bottom", "top", height - top + GAP)
    } else {
        ("top", "bottom", bottom + GAP)
    };
    for (name, value) in [
        ("left", format!("{left:.0}px")),
        (edge, format!("{distance:.0}px")),
        (other, "auto".to_owned()),
    ] {
        // A refused style leaves the card in the middle of the window, where it can be read as well.
        let _ = style.set_property(name, &value);
    }
}

/// Shows the screen's open card: a native popover, so Esc and a click elsewhere close it and the
/// focus returns.
#[component]
pub fn CardPlace(
    /// The cards to show.
    cards: Cards,
) -> impl IntoView {
    let state = use_state();
    let element = NodeRef::<Div>::new();
    Effect::new(move |seen: Option<()>| {
        let beside = cards.0.with(|card| card.beside);
        if let (Some(()), Some(element)) = (seen, element.get_untracked()) {
            place(&element, beside);
            // Hiding what is not shown and showing what is are refused; neither matters.
            let _ = element.hide_popover();
            let _ = element.show_popover();
        }
    });
    view! {
        <div
            node_ref=element
            class="card"
            popover="auto"
            role="dialog"
            tabindex="-1"
            autofocus
            aria-label=move || cards.0.with(|card| card.title.clone())
        >
            <h2 class="card-title">{move || cards.0.with(|card| card.title.clone())}</h2>
            <p class="card-stamp">{move || cards.0.with(|card| card.stamp.clone())}</p>
            {move || {
                let lines = cards.0.with(|card| card.lines.clone());
                lines.into_iter().map(|line| view! { <p>{line}</p> }).collect_view()
            }}
            {move || {
                let asks = cards.0.with(|card| card.explain.clone());
                asks.into_iter().map(|(words, ask)| view! { <ExplainLink words ask/> }).collect_view()
            }}
            {move || {
                cards.0.with(|card| card.seek.clone()).map(|ask| {
                    view! {
                        <button
                            type="button"
                            class="link"
                            on:click=move |_| {
                                if let Some(card) = element.get_untracked() {
                                    // A card that is hidden already needs no hiding.
                                    let _ = card.hide_popover();
                                }
                                look_for(state, ask.clone());
                            }
                        >
                            "Find whose number the reported one is"
                        </button>
                    }
                })
            }}
        </div>
    }
}
