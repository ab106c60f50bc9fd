//! The card of one measured load.

use super::marker::Marker;
use crate::views::curves::PointCard;
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
            {differs}
            <footer>
                <button type="button" class="link" on:click=move |_| on_run.run(())>"Run card"</button>
                {unpin}
            </footer>
        </section>
    }
}
