//! The card beside a point that the pointer or the keyboard is on.

use super::point;
use crate::charts::Spec;
use crate::charts::hit::Hit;
use crate::ui::parts::marker::Marker;
use crate::web::canvas::Extent;
use leptos::prelude::*;

/// Shows the lines of a point on the side of it that has room. It never covers the point.
#[component]
pub fn Tip(
    /// The chart.
    spec: Signal<Spec>,
    /// The point.
    #[prop(into)]
    hit: Signal<Option<Hit>>,
    /// The room.
    extent: RwSignal<Extent>,
) -> impl IntoView {
    let card = move |hit: Hit| {
        let (width, height) = extent.with(|e| (f64::from(e.width), f64::from(e.height)));
        let (x, y) = hit.at;
        let (side, along) =
            if x > width * 0.55 { ("right", width - x + 20.0) } else { ("left", x + 20.0) };
        let (edge, down) =
            if y > height * 0.5 { ("bottom", height - y - 8.0) } else { ("top", y - 8.0) };
        let place = format!("{side}:{along:.0}px;{edge}:{down:.0}px");
        spec.with(|spec| {
            point(spec, hit).map(|(series, point)| {
                let lines = point.tip.iter().map(|(name, value)| {
                    view! {
                        <div>
                            <dt>{name.clone()}</dt>
                            <dd>{value.clone()}</dd>
                        </div>
                    }
                });
                view! {
                    <div class="chart-tip" style=place>
                        <p class="chart-tip-name">
                            <Marker style=usize::from(series.style) />
                            {series.name.clone()}
                        </p>
                        <dl class="lines">{lines.collect_view()}</dl>
                    </div>
                }
            })
        })
    };
    move || hit.get().and_then(card)
}
