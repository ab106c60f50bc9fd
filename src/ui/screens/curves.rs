//! Curves: a latency against a load, the goodput peak under movable limits, small multiples below.

mod controls;
mod sweeps;

use crate::charts::Spec;
use crate::charts::spec::Point;
use crate::engine::protocol::Query;
use crate::link::Sheet;
use crate::ui::parts::capacity::Capacity;
use crate::ui::parts::card::{CardPlace, Cards};
use crate::ui::parts::chart::{Chart, ChartLinks};
use crate::ui::parts::figure::{Figure, FigureHead, FigureTools, Notes};
use crate::ui::parts::held_back::HeldBackNote;
use crate::ui::parts::limits_editor::LimitsEditor;
use crate::ui::parts::nothing::Nothing;
use crate::ui::parts::point_card::PointCardView;
use crate::ui::parts::said::Said;
use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::curves::{CurvesView, Table};
use controls::Controls;
use leptos::prelude::*;
use std::sync::Arc;

/// The Curves screen.
#[component]
pub fn Curves() -> impl IntoView {
    let state = use_state();
    let cards = Cards::provide();
    let answer = state.client.query::<CurvesView>(move || {
        let context = state.context.get();
        let axes = state.axes.get();
        (!context.runs.is_empty()).then_some((context, Query::Curves { axes }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let main = Memo::new(move |_| view.with(|v| v.as_ref().and_then(|v| v.main.clone())));
    let drawn = Memo::new(move |_| main.with(Option::is_some));
    let links = ChartLinks {
        toggle_log: Some(Callback::new(move |()| controls::toggle_log(state, main))),
        ..ChartLinks::alone()
    };
    let held_back = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.held_back.clone()).unwrap_or_default())
    });
    let why = Signal::derive(move || view.with(|v| v.as_ref().and_then(|v| v.empty.clone())));
    let error = move || answer.with(|a| a.error.clone());
    view! {
        <div class="curves" aria-busy=move || answer.with(|a| a.pending).to_string()>
            <Controls view=view main=main />
            {move || error().map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Drawing the curves…"</p> })
            }}
            <Show when=move || drawn.get() fallback=move || view! { <Nothing title="Latency against load, one line a sweep" why /> }>
                <LimitsEditor />
                <MainChart view=view main=main links=links />
            </Show>
            <HeldBackNote runs=held_back what="on no curve" />
            <Capacity cards=part(view, |v| v.capacity.clone()) attained=part(view, |v| v.attained.clone()) />
            <Small view=view />
            <LeftOut view=view />
            <CardPlace cards=cards />
        </div>
    }
}

type View = Memo<Option<Arc<CurvesView>>>;

/// A part of the view, followed.
fn part<T>(view: View, of: fn(&CurvesView) -> T) -> Memo<T>
where
    T: Clone + Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| view.with(|view| view.as_deref().map(of).unwrap_or_default()))
}

/// The main chart with the card of the pinned point beside it.
#[component]
fn MainChart(view: View, main: Memo<Option<Spec>>, links: ChartLinks) -> impl IntoView {
    let state = use_state();
    let spec = Signal::derive(move || main.get().unwrap_or_default());
    let twin: Signal<Table> = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.table.clone()).unwrap_or_default())
    });
    let card = Memo::new(move |_| {
        let pinned = links.pinned.get();
        let is_pinned = pinned.is_some();
        let key = pinned.or_else(|| main.with(|spec| spec.as_ref().and_then(peak)))?;
        let card = view.with(|v| v.as_ref()?.cards.iter().find(|card| card.key == key).cloned())?;
        Some((card, is_pinned))
    });
    let name = unique("chart");
    let figure = name.clone();
    let caption = part(view, |v| v.caption.clone());
    let narrow = part(view, |v| v.caption_narrow.clone());
    view! {
        <div class="curves-main">
            <div class="curves-left">
                <figure class="figure" aria-labelledby=figure>
                    <div class="figure-top">
                        <FigureHead spec=spec name=name.clone() />
                        <FigureTools spec=spec links=links />
                    </div>
                    <Chart spec=spec links=links twin=twin named_by=name />
                    <Notes spec=spec />
                    <figcaption class="figure-caption">
                        <span class="wide-only">{caption}</span>
                        <span class="narrow-only">{narrow}</span>
                    </figcaption>
                </figure>
                <Said said=part(view, |v| v.said.clone()) />
            </div>
            <aside class="curves-side" aria-label="Measured load" aria-live="polite">
                {move || match card.get() {
                    Some((card, pinned)) => {
                        let run = card.run.clone();
                        let on_run = move |()| state.sheet.set(Some(Sheet::Run(run.clone())));
                        view! {
                            <PointCardView
                                card=card
                                pinned=pinned
                                on_unpin=Callback::new(move |()| links.pinned.set(None))
                                on_run=Callback::new(on_run)
                            />
                        }
                            .into_any()
                    }
                    None => {
                        view! {
                            <p class="point-hint">
                                "Pick a point and its card stays here: interval, reported value, goodput, what differs from the baseline. "
                                <kbd>"p"</kbd> " jumps to the peak, " <kbd>"k"</kbd> " to the knee, "
                                <kbd>"t"</kbd> " shows the table."
                            </p>
                        }
                            .into_any()
                    }
                }}
            </aside>
        </div>
    }
}

/// The key of the baseline's goodput peak, or of the first run that has one.
fn peak(spec: &Spec) -> Option<String> {
    let mut series: Vec<_> = spec.series.iter().collect();
    series.sort_by_key(|series| !series.baseline);
    let flagged = |point: &&Point| point.flag.as_ref().is_some_and(|flag| flag.peak().is_some());
    let peak = series.into_iter().flat_map(|series| &series.points).find(flagged)?;
    Some(peak.key.clone())
}

/// The small multiples on the same load axis.
#[component]
fn Small(view: View) -> impl IntoView {
    let count = Memo::new(move |_| view.with(|v| v.as_ref().map_or(0, |v| v.small.len())));
    let spec = move |index: usize| {
        Memo::new(move |_| {
            view.with(|v| v.as_ref().and_then(|v| v.small.get(index).cloned()).unwrap_or_default())
        })
    };
    let figure = move |index: usize| {
        view! { <Figure spec=spec(index) class="figure-small" /> }
    };
    move || {
        (count.get() > 0).then(|| {
            view! { <div class="small-multiples">{(0..count.get()).map(figure).collect_view()}</div> }
        })
    }
}

/// Runs that are on no curve, with the reason.
#[component]
fn LeftOut(view: View) -> impl IntoView {
    let out = move || view.with(|v| v.as_ref().map(|v| v.left_out.clone()).unwrap_or_default());
    view! {
        <ul class="left-out" hidden=move || out().is_empty()>
            {move || out().into_iter().map(|why| view! { <li>{why}</li> }).collect_view()}
        </ul>
    }
}
