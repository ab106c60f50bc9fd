//! How many replicas a demand takes, under the limits and without: one card a sweep, below the chart.

use super::chart::{Chart, ChartLinks};
use super::limits_editor::{Typed, settle, typed};
use super::marker::Marker;
use super::unique::unique;
use crate::ui::state::use_state;
use crate::views::capacity::CapacityCard;
use leptos::html;
use leptos::prelude::*;

/// The plans of sweeps, and the demand they are for. Nothing without any.
#[component]
pub fn Capacity(
    /// The plans.
    #[prop(into)]
    cards: Signal<Vec<CapacityCard>>,
    /// The highest load of each sweep that attains the share asked for, each a sentence.
    #[prop(into)]
    attained: Signal<Vec<String>>,
) -> impl IntoView {
    let count = Memo::new(move |_| cards.with(Vec::len));
    let card = move |index: usize| {
        Memo::new(move |_| cards.with(|cards| cards.get(index).cloned().unwrap_or_default()))
    };
    move || {
        (count.get() > 0).then(|| {
            view! {
                <section class="capacity" aria-labelledby="capacity-title">
                    <header class="capacity-head">
                        <h2 id="capacity-title">"Capacity under the limits"</h2>
                        <Demand/>
                    </header>
                    <ul class="capacity-attained" hidden=move || attained.with(Vec::is_empty)>
                        {move || attained.get().into_iter().map(|said| view! { <li>{said}</li> }).collect_view()}
                    </ul>
                    <div class="capacity-cards">
                        {(0..count.get()).map(|index| view! { <Plan card=card(index)/> }).collect_view()}
                    </div>
                </section>
            }
        })
    }
}

/// The demand in requests per second; steps of typing are one undo.
#[component]
fn Demand() -> impl IntoView {
    let state = use_state();
    let demand = Memo::new(move |_| state.context.with(|context| context.demand));
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            settle(&field, demand.get());
        }
    });
    view! {
        <label class="capacity-demand">
            "Demand "
            <input
                class="limit-field num"
                type="number"
                min="0"
                step="any"
                inputmode="decimal"
                placeholder="none"
                aria-label="Demand in requests per second"
                node_ref=field
                on:input:target=move |event| {
                    let Typed::Limit(demand) = typed(&event.target()) else { return };
                    let said = match demand {
                        Some(demand) => format!("Demand is now {demand} req/s"),
                        None => "Demand taken away".to_owned(),
                    };
                    state.nudge(said, "demand", |context| context.demand = demand);
                }
                on:blur:target=move |event| settle(&event.target(), demand.get_untracked())
            />
            " req/s"
        </label>
    }
}

/// The plan of one sweep.
#[component]
fn Plan(card: Memo<CapacityCard>) -> impl IntoView {
    let spec = Signal::derive(move || card.with(|c| c.chart.clone()).unwrap_or_default());
    let drawn = Memo::new(move |_| card.with(|c| c.chart.is_some()));
    let name = unique("capacity");
    let chart_name = name.clone();
    let head = move || {
        let card = card.get();
        view! {
            <h3><Marker style=card.style /> {card.name}</h3>
            <p class="capacity-said" aria-live="polite">{card.title} "."</p>
            <p class="point-stamp">{card.stamp}</p>
        }
    };
    let lines = move || {
        let line = |(name, value): (String, String)| {
            view! { <div><dt>{name}</dt><dd class="num">{value}</dd></div> }
        };
        card.get().lines.into_iter().map(line).collect_view()
    };
    let notes =
        move || card.get().notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
    view! {
        <article class="capacity-plan">
            <div class="capacity-words">
                <div id=name.clone()>{head}</div>
                <dl class="lines">{lines}</dl>
                <ul class="figure-notes">{notes}</ul>
            </div>
            <Show when=move || drawn.get()>
                <figure class="figure capacity-figure" aria-labelledby=chart_name.clone()>
                    <Chart spec=spec links=ChartLinks::alone() named_by=chart_name.clone() tip_when_pinned=true />
                </figure>
            </Show>
        </article>
    }
}
