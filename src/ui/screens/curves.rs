//! Curves: a latency against a load, the goodput peak under movable limits, small multiples below.

mod capacity;
mod controls;

use crate::charts::Spec;
use crate::charts::spec::Point;
use crate::engine::protocol::Query;
use crate::link::{Screen, Sheet};
use crate::ui::parts::card::{CardPlace, Cards};
use crate::ui::parts::chart::export::ExportMenu;
use crate::ui::parts::chart::{Chart, ChartLinks};
use crate::ui::parts::held_back::HeldBackNote;
use crate::ui::parts::limits_editor::LimitsEditor;
use crate::ui::parts::point_card::PointCardView;
use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::curves::{CurvesView, Table};
use capacity::Capacity;
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
    let error = move || answer.with(|a| a.error.clone());
    view! {
        <div class="curves" aria-busy=move || answer.with(|a| a.pending).to_string()>
            <Controls view=view main=main links=links />
            {move || error().map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Drawing the curves…"</p> })
            }}
            <Show when=move || drawn.get() fallback=move || view! { <Empty view=view /> }>
                <LimitsEditor />
                <MainChart view=view main=main links=links />
            </Show>
            <Said view=view />
            <HeldBackNote runs=held_back what="on no curve" />
            <Capacity view=view />
            <Small view=view />
            <LeftOut view=view />
            <CardPlace cards=cards />
        </div>
    }
}

type View = Memo<Option<Arc<CurvesView>>>;

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
    let caption = move || view.with(|v| v.as_ref().map(|v| v.caption.clone()).unwrap_or_default());
    view! {
        <div class="curves-main">
            <figure class="figure" aria-labelledby=figure>
                <ChartHead spec=spec name=name.clone() />
                <Chart spec=spec links=links twin=twin named_by=name />
                <Notes spec=spec />
                <figcaption class="figure-caption">{caption}</figcaption>
            </figure>
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

/// The finding and the stamp above a chart.
#[component]
fn ChartHead(spec: Signal<Spec>, name: String) -> impl IntoView {
    let state = use_state();
    view! {
        <header class="figure-head">
            <h2 id=name>{move || spec.with(|s| s.title.clone())}</h2>
            <button
                type="button"
                class="stamp figure-stamp"
                aria-haspopup="dialog"
                title="Definitions (d)"
                on:click=move |_| state.toggle(Sheet::Definitions)
            >
                {move || spec.with(|s| s.stamp.clone())}
            </button>
        </header>
    }
}

/// What the axes can't show, in words.
#[component]
fn Notes(spec: Signal<Spec>) -> impl IntoView {
    let notes = move || spec.with(|s| s.notes.clone());
    view! {
        <ul class="figure-notes" hidden=move || notes().is_empty()>
            {move || notes().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
        </ul>
    }
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
        let spec: Signal<Spec> = spec(index).into();
        let name = unique("chart");
        let figure = name.clone();
        let links = ChartLinks::alone();
        view! {
            <figure class="figure figure-small" aria-labelledby=figure>
                <div class="figure-top">
                    <ChartHead spec=spec name=name.clone() />
                    <button
                        type="button"
                        class="quiet export-small"
                        aria-label=move || spec.with(|s| format!("Table of “{}”", s.title))
                        aria-pressed=move || links.table.get().to_string()
                        on:click=move |_| links.table.update(|t| *t = !*t)
                    >
                        "Table"
                    </button>
                    <ExportMenu spec=spec small=true />
                </div>
                <Chart spec=spec links=links named_by=name tip_when_pinned=true />
                <Notes spec=spec />
            </figure>
        }
    };
    move || {
        (count.get() > 0).then(|| {
            view! { <div class="small-multiples">{(0..count.get()).map(figure).collect_view()}</div> }
        })
    }
}

/// Why there is no curve, and the way to one.
#[component]
fn Empty(view: View) -> impl IntoView {
    let state = use_state();
    move || {
        let why = match view.get() {
            Some(view) => view.empty.clone(),
            None if state.context.with(|c| c.runs.is_empty()) => Some("No run is selected.".into()),
            None => None,
        };
        why.map(|why| {
            view! {
                <div class="empty">
                    <h2>"Latency against load, one line a sweep"</h2>
                    <p>{why}</p>
                    <button
                        type="button"
                        class="button button-primary"
                        on:click=move |_| state.go(Screen::Library)
                    >
                        "Choose runs in the Library"
                    </button>
                </div>
            }
        })
    }
}

/// What each sweep says: its peaks, its knee, the limit that binds, its saturation.
#[component]
fn Said(view: View) -> impl IntoView {
    let said =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.said.clone()).unwrap_or_default()));
    let one = |(name, sentences): (String, Vec<String>)| {
        view! {
            <section class="curves-said-one">
                <h3>{name}</h3>
                <ul>{sentences.into_iter().map(|said| view! { <li>{said}</li> }).collect_view()}</ul>
            </section>
        }
    };
    move || {
        let said = said.get();
        (!said.is_empty()).then(|| {
            view! {
                <section class="curves-said" aria-label="What the sweeps say">
                    {said.into_iter().map(one).collect_view()}
                </section>
            }
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
