//! A run's marker: the same shape and colour on every screen.

use crate::charts::corners;
use leptos::either::Either;
use leptos::prelude::*;
use std::fmt::Write as _;

/// Shows the marker of a run. Decoration: the run's name always stands beside it.
#[component]
pub fn Marker(
    /// Palette index; from 8 on the markers repeat hollow.
    style: usize,
) -> impl IntoView {
    let shape = match corners((style % 8) as u8) {
        None => Either::Left(view! { <circle r="4.5" /> }),
        Some(corners) => {
            let points = corners.into_iter().fold(String::new(), |mut list, (x, y)| {
                // Writing to a String does not fail.
                let _ = write!(list, "{:.2},{:.2} ", x * 4.5, y * 4.5);
                list
            });
            Either::Right(view! { <polygon points=points /> })
        }
    };
    let hollow = style >= 8;
    view! {
        <svg
            class="marker"
            class:hollow=hollow
            style:color=format!("var(--s{})", style % 8 + 1)
            viewBox="-7 -7 14 14"
            width="14"
            height="14"
            aria-hidden="true"
        >
            {shape}
        </svg>
    }
}
