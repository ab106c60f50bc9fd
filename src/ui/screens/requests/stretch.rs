//! A stretch of time that was brushed under the lanes, and what becomes of it.

use super::Screen;
use crate::units::significant;
use crate::views::window::{ruler_with, short};
use leptos::prelude::*;

/// The chosen stretch in words, beside what can be done with it.
#[component]
pub(super) fn Stretch(
    screen: Screen,
    /// What is chosen, in seconds of the clock.
    #[prop(into)]
    span: Signal<Option<(f64, f64)>>,
    /// Whether there is a clock to choose from.
    #[prop(into)]
    has_clock: Signal<bool>,
) -> impl IntoView {
    let none = move || screen.brushed.with(Option::is_none);
    let zoomed = move || screen.ask().with(|ask| ask.time.is_some() || ask.lanes.is_some());
    let words = move || match span.get() {
        Some((from, to)) => {
            format!("{} to {} s chosen", significant(from, 3), significant(to, 3))
        }
        None => "Drag across the lines to choose a stretch of time".to_owned(),
    };
    let as_window = move |_| {
        let Some((from, to)) = screen.brushed.get_untracked() else { return };
        let round = |time: f64| (time.max(0.0) * 1e4).round() / 1e4;
        let window = format!("brush:{}..{}", round(from), round(to));
        screen.brushed.set(None);
        screen.state.edit(format!("Window: now {}", short(&window)), |context| {
            context.ruler = ruler_with(&context.ruler, "window", &window);
        });
    };
    let only = move |_| {
        if let Some(stretch) = screen.brushed.get_untracked() {
            screen.brushed.set(None);
            screen.change(|ask| (ask.time, ask.lanes) = (Some(stretch), None));
        }
    };
    view! {
        <div class="requests-stretch">
            <Show when=move || has_clock.get()>
                <span class="caption">{words}</span>
                <button
                    type="button"
                    id="requests-window"
                    class="button button-small"
                    title="The chosen stretch of time becomes the window of every number (w)"
                    disabled=none
                    on:click=as_window
                >
                    "Use as window"
                </button>
                <button
                    type="button"
                    class="button button-small"
                    title="Only the requests in flight in the chosen stretch of time are shown"
                    disabled=none
                    on:click=only
                >
                    "Filter only"
                </button>
            </Show>
            <button
                type="button"
                id="requests-zoom"
                class="button button-small"
                title="To the chosen request, or back to the whole run (f)"
                disabled=move || !zoomed() && screen.ask().with(|ask| ask.chosen.is_none())
                on:click=move |_| screen.zoom()
            >
                {move || if zoomed() { "Whole run" } else { "Zoom to it" }}
            </button>
        </div>
    }
}
