//! The marker of a run: shape and colour, the same on every screen.

use leptos::prelude::*;

/// A run's marker as a small picture. The name of the run always stands beside it.
#[component]
pub fn Marker(
    /// Palette index.
    style: usize,
) -> impl IntoView {
    let shape = match style % 8 {
        0 => "M6 1.5a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z",
        1 => "M2 2h8v8H2z",
        2 => "M6 1.500 11 10.500H1z",
        3 => "M6 .800 11.200 6 6 11.200.800 6z",
        4 => "M6 10.500 11 1.500H1z",
        5 => {
            "M3.200 1 6 3.800 8.800 1 11 3.200 8.200 6 11 8.800 8.800 11 6 8.200 3.200 11 1 8.800 3.800 6 1 3.200z"
        }
        6 => "M4.500 1h3v3.500H11v3H7.500V11h-3V7.500H1v-3h3.500z",
        _ => "M6 .800l4.500 2.600v5.200L6 11.200 1.500 8.600V3.400z",
    };
    let colour = format!("var(--s{})", style % 8 + 1);
    // Colours repeat after eight runs; then the markers are hollow.
    let fill = if style < 8 { colour.clone() } else { "none".into() };
    view! {
        <svg class="marker" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d=shape fill=fill stroke=colour stroke-width="1"/>
        </svg>
    }
}
