//! The card of one measured load.

use super::chart::{Chart, ChartLinks};
use super::marker::Marker;
use super::suggestion::ExplainLink;
use super::unique::unique;
use crate::charts::Spec;
use crate::engine::protocol::Query;
use crate::model::RunId;
use crate::ui::state::use_state;
use crate::views::curves::{ArrivalsView, PointCard};
use leptos::prelude::*;

/// Shows a point at length.
#[component]
pub fn PointCardView(
    /// The card.
    card: PointCard,
    /// Whether the reader pinned the point; otherwise it is the goodput peak.
    pinned: bool,
    /// Releases the point.
    on_unpin: Callback<()>,
    /// Opens the run's card.
    on_run: Callback<()>,
) -> impl IntoView {
    let lines = |lines: Vec<(String, String)>| {
        let line = |(name, value): (String, String)| {
            view! {
                <div>
                    <dt>{name}</dt>
                    <dd class="num">{value}</dd>
                </div>
            }
        };
        view! { <dl class="lines">{lines.into_iter().map(line).collect_view()}</dl> }
    };
    let word = if pinned { "pinned" } else { "goodput peak" };
    let unpin = pinned.then(|| {
        view! {
            <button type="button" class="link" on:click=move |_| on_unpin.run(())>"Unpin"</button>
        }
    });
    let differs = (!card.differs.is_empty()).then(|| {
        view! {
            <div class="point-differs">
                <h3>"Differs from baseline"</h3>
                {lines(card.differs)}
            </div>
        }
    });
    view! {
        <section class="point-card" class:pinned=pinned aria-label=format!("{word}: {}", card.title)>
            <header>
                <h2><Marker style=card.style /> {card.title.clone()}</h2>
                <span class="point-pinned">{word}</span>
            </header>
            <p class="point-value num">{card.value} " " <small>{card.unit}</small></p>
            <p class="point-stamp">{card.stamp}</p>
            {card.support.map(|support| view! { <p class="point-support">{support}</p> })}
            {lines(card.lines)}
            <p class="point-steady" class:rising=card.rising>{card.steady}</p>
            <ArrivalsFigure run=card.run />
            {differs}
            {card.explain.into_iter().map(|(words, ask)| view! { <ExplainLink words ask/> }).collect_view()}
            <footer>
                <button type="button" class="link" on:click=move |_| on_run.run(())>"Run card"</button>
                {unpin}
            </footer>
        </section>
    }
}

/// Arrivals against completions of the run, where the file has send times.
#[component]
fn ArrivalsFigure(run: RunId) -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<ArrivalsView>(move || {
        Some((state.context.get(), Query::Arrivals { run: run.clone() }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let chart = Memo::new(move |_| view.with(|v| v.as_ref().and_then(|v| v.chart.clone())));
    let method = move || view.with(|v| v.as_ref().map(|v| v.method.clone()).unwrap_or_default());
    let drawn = Memo::new(move |_| chart.with(Option::is_some));
    let spec = Signal::derive(move || chart.get().unwrap_or_default());
    let name = unique("chart");
    view! {
        <Show when=move || drawn.get()>
            <figure class="figure figure-small point-arrivals" aria-labelledby=name.clone()>
                <header class="figure-head">
                    <h3 id=name.clone()>{move || spec.with(|s: &Spec| s.title.clone())}</h3>
                    <p class="figure-stamp">{move || spec.with(|s| s.stamp.clone())}</p>
                </header>
                <Chart
                    spec=spec
                    links=ChartLinks::alone()
                    named_by=name.clone()
                    tip_when_pinned=true
                />
                <figcaption class="point-method">{method}</figcaption>
            </figure>
        </Show>
    }
}
