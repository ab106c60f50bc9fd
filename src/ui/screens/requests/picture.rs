//! The lanes with their title, and a brush over the lines under them.

use super::stretch::Stretch;
use super::{Screen, part};
use crate::charts::Lanes;
use crate::link::Sheet;
use crate::ui::parts::brush::Brush;
use crate::ui::parts::chart::Chart;
use crate::ui::parts::chart::picture::use_extent;
use crate::ui::parts::figure::FigureTools;
use leptos::html;
use leptos::prelude::*;

/// Title, stamp, lanes, notes.
#[component]
pub(super) fn Figure(screen: Screen) -> impl IntoView {
    let picture = part(screen.view, |view| view.picture.clone());
    let lanes: Signal<Lanes> = Memo::new(move |_| picture.get().unwrap_or_default()).into();
    let title = part(screen.view, |view| view.title.clone());
    let stamp = part(screen.view, |view| view.stamp.clone());
    let notes = move || lanes.with(|lanes| lanes.notes.clone());
    let place = NodeRef::<html::Div>::new();
    let extent = use_extent(place);
    let wide = move || extent.with(|extent| f64::from(extent.width));
    let ground = Memo::new(move |_| {
        let there = lanes.with(|lanes| lanes.flight.is_some() || lanes.output.is_some());
        (there && wide() >= 1.0).then(|| lanes.with(|lanes| lanes.clock_ground(wide())))
    });
    let clock = Memo::new(move |_| lanes.with(|lanes| lanes.clock));
    let brushed = screen.brushed;
    let draft = RwSignal::new(None::<(f64, f64)>);
    let span = Signal::derive(move || {
        let (begin, end) = clock.get();
        let held = |(from, to): (f64, f64)| (from.max(begin), to.min(end));
        draft.get().or_else(|| brushed.get()).map(held).filter(|(from, to)| from < to)
    });
    let on_drag = Callback::new(move |ends| {
        draft.set(None);
        brushed.set(Some(ends));
    });
    let there = move || ground.get().is_some() && !screen.links.table.get();
    let px = |value: f64| format!("{value:.1}px");
    let top = move || ground.get().map_or_else(String::new, |(_, (top, _))| px(top));
    let height = move || ground.get().map_or_else(String::new, |(_, (top, end))| px(end - top));
    view! {
        <figure class="figure requests-figure" aria-labelledby="requests-title">
            <div class="figure-top">
                <header class="figure-head">
                    <h2 id="requests-title">{title}</h2>
                    <button
                        type="button"
                        class="stamp figure-stamp"
                        aria-haspopup="dialog"
                        title="The window (w)"
                        on:click=move |_| screen.state.toggle(Sheet::Window)
                    >
                        {stamp}
                    </button>
                </header>
                <FigureTools spec=lanes links=screen.links/>
            </div>
            <div class="requests-picture" node_ref=place>
                <Chart spec=lanes links=screen.links named_by="requests-title".to_owned()/>
                <Show when=there>
                    <div class="requests-brush" style:top=top style:height=height>
                        <Brush
                            clock
                            span
                            plot=Signal::derive(move || ground.get().map(|(plot, _)| plot))
                            draft
                            on_drag
                            on_key=Callback::new(move |ends| brushed.set(Some(ends)))
                            of="stretch of time"
                        />
                    </div>
                </Show>
            </div>
            <Stretch screen span has_clock=Signal::derive(there)/>
            <ul class="figure-notes" hidden=move || notes().is_empty()>
                {move || notes().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
            </ul>
            <details class="requests-rule">
                <summary>"How stalls are found"</summary>
                <p>{part(screen.view, |view| view.stall_rule.clone())}</p>
            </details>
        </figure>
    }
}
