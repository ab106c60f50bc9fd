//! The card beside a point that the pointer or the keyboard is on.

use crate::charts::Drawing;
use crate::charts::hit::{CARD_TURNS, Hit};
use crate::ui::parts::marker::Marker;
use crate::views::chart_words::card;
use crate::web::canvas::Extent;
use leptos::prelude::*;

/// A value of more characters than this does not stand beside its name.
const LONG: usize = 32;

/// Shows the lines of a point on the side of it that has room. It never covers the point.
#[component]
pub fn Tip(
    /// The chart.
    spec: Signal<Drawing>,
    /// The point.
    #[prop(into)]
    hit: Signal<Option<Hit>>,
    /// The room.
    extent: RwSignal<Extent>,
) -> impl IntoView {
    let shown = move |hit: Hit| {
        let (width, height) = extent.with(|e| (f64::from(e.width), f64::from(e.height)));
        let (x, y) = hit.at;
        let (side, along) =
            if x > width * CARD_TURNS { ("right", width - x + 20.0) } else { ("left", x + 20.0) };
        let (edge, down) =
            if y > height * 0.5 { ("bottom", height - y - 8.0) } else { ("top", y - 8.0) };
        let place = format!("{side}:{along:.0}px;{edge}:{down:.0}px");
        spec.with(|spec| {
            card(spec, hit).map(|card| {
                let lines = card.lines.into_iter().map(|(name, value)| {
                    // A sentence has a line of its own.
                    let long = value.chars().count() > LONG;
                    view! {
                        <div class:long=long>
                            <dt>{name}</dt>
                            <dd>{value}</dd>
                        </div>
                    }
                });
                let marker = card.style.map(|style| view! { <Marker style=usize::from(style) /> });
                view! {
                    <div class="chart-tip" style=place>
                        <p class="chart-tip-name">
                            {marker}
                            {card.name}
                        </p>
                        <dl class="lines">{lines.collect_view()}</dl>
                    </div>
                }
            })
        })
    };
    move || hit.get().and_then(shown)
}
