//! The small drawings of a finding: how much of the run, and a number with and without.

use leptos::prelude::*;

/// Width of a share's bar.
const BAR: f64 = 72.0;
/// Width of an effect's line, and the room left at its ends for a mark.
const LINE: f64 = 96.0;
const EDGE: f64 = 5.0;

/// How much of the run: a bar from empty to full.
#[component]
pub(super) fn ShareBar(
    /// From 0 to 1.
    part: f64,
) -> impl IntoView {
    // Something is never nothing: a pixel stays.
    let width = (part.clamp(0.0, 1.0) * BAR).max(2.0);
    view! {
        <svg class="share-bar" viewBox="0 0 72 6" width="72" height="6" aria-hidden="true">
            <rect class="share-all" x="0.5" y="0.5" width="71" height="5"/>
            <rect class="share-part" x="0" y="0" width=width height="6"/>
        </svg>
    }
}

/// A number as the file has it, hollow, and without the fault, filled, on one line from nought.
#[component]
pub(super) fn Dumbbell(
    /// Both from 0 to 1.
    marks: [f64; 2],
) -> impl IntoView {
    let [before, after] = marks.map(|mark| EDGE + mark.clamp(0.0, 1.0) * (LINE - 2.0 * EDGE));
    view! {
        <svg class="dumbbell" viewBox="0 0 96 12" width="96" height="12" aria-hidden="true">
            <path class="dumbbell-axis" d="M0.5 2.5v7M0.5 6H96"/>
            <line class="dumbbell-way" x1=before x2=after y1="6" y2="6"/>
            <circle class="dumbbell-after" cx=after cy="6" r="4"/>
            <circle class="dumbbell-before" cx=before cy="6" r="3.5"/>
        </svg>
    }
}

/// A mark of the legend.
#[component]
pub(super) fn Dot(
    /// Whether it is the number without the fault.
    filled: bool,
) -> impl IntoView {
    let class = if filled { "dumbbell-after" } else { "dumbbell-before" };
    view! {
        <svg class="dumbbell dot" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <circle class=class cx="5" cy="5" r=if filled { "4" } else { "3.5" }/>
        </svg>
    }
}
