//! The request of the worked example: its wait, its events, its end, to scale.

use crate::ui::parts::marker::Marker;
use crate::units::fixed;
use crate::views::definitions::ExampleRequest;
use leptos::prelude::*;
use std::fmt::Write as _;

/// Width and height of the strip in its own units.
const WIDTH: f64 = 432.0;
const HEIGHT: f64 = 24.0;

/// Draws the request and leads to the others.
#[component]
pub(super) fn Example(example: ExampleRequest, request: RwSignal<usize>) -> impl IntoView {
    let ExampleRequest { style, name, number, of, ttft, end, events, caption, .. } = example;
    let last = events.iter().copied().fold(0.0, f64::max);
    let span = end.unwrap_or(last).max(last).max(f64::MIN_POSITIVE);
    let x = move |millis: f64| 0.5 + millis / span * (WIDTH - 2.0);
    let wait = ttft.map(|t| view! { <rect class="wait" x="0" y="6" width=x(t) height="12" /> });
    let decode = ttft.zip(end).map(|(t, end)| {
        view! { <rect class="decode" x=x(t) y="6" width=(x(end) - x(t)).max(0.0) height="12" /> }
    });
    let ticks = events.iter().fold(String::new(), |mut path, event| {
        // Writing to a String does not fail.
        let _ = write!(path, "M{:.1} 3V{}", x(*event), HEIGHT - 3.0);
        path
    });
    let time = |name: &'static str, value: Option<f64>| {
        let value = value.map_or("—".to_owned(), |v| fixed(v, 2));
        view! { <span>{name} " " <b class="num">{value}</b></span> }
    };
    let go = move |by: usize| move |_| request.set((number + of.max(1) - 1 + by) % of.max(1));
    let back = of.max(1) - 1;
    view! {
        <section class="example" aria-label="Worked example">
            <header>
                <h3>
                    {format!("Request {number} of ")} <Marker style=style /> {name}
                </h3>
                <span class="example-steps">
                    <button type="button" class="link" on:click=go(back) aria-label="Previous request">
                        "Previous"
                    </button>
                    <button type="button" class="link" on:click=go(1)>"Next request"</button>
                </span>
            </header>
            <p class="example-times">
                <span>"sent"</span>
                {time("T", ttft)}
                <span class="controls-gap"></span>
                {time("E", end)}
                <span>"ms"</span>
            </p>
            <svg
                class="example-strip"
                style:--run=format!("var(--s{})", style % 8 + 1)
                viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                preserveAspectRatio="none"
                role="img"
                aria-label=format!("{caption}; first at {} ms, end at {} ms", words(ttft), words(end))
            >
                {wait}
                {decode}
                <path class="sent" d=format!("M0.5 0V{HEIGHT}") />
                <path class="event" d=ticks />
            </svg>
            <p class="example-caption">{caption}</p>
        </section>
    }
}

fn words(value: Option<f64>) -> String {
    value.map_or("an unknown time".to_owned(), |v| fixed(v, 2))
}
