//! Goodput: what the limits let through at each load, which limit binds, what moving them would give.

mod controls;
mod empty;
mod limits;
mod maps;

use crate::charts::Spec;
use crate::charts::spec::{Flag, Point, Series};
use crate::engine::protocol::Query;
use crate::ui::parts::capacity::Capacity;
use crate::ui::parts::chart::ChartLinks;
use crate::ui::parts::chart_table::Lines;
use crate::ui::parts::figure::Figure;
use crate::ui::parts::held_back::HeldBackNote;
use crate::ui::parts::said::Said;
use crate::ui::state::use_state;
use crate::views::goodput::GoodputView;
use controls::Controls;
use empty::Empty;
use leptos::prelude::*;
use limits::Limits;
use maps::Maps;
use std::sync::Arc;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

type View = Memo<Option<Arc<GoodputView>>>;

/// A part of the view, followed.
fn part<T>(view: View, of: fn(&GoodputView) -> T) -> Memo<T>
where
    T: Clone + Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| view.with(|view| view.as_deref().map(of).unwrap_or_default()))
}

/// The Goodput screen.
#[component]
pub fn Goodput() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<GoodputView>(move || {
        let (context, shown) = (state.context.get(), state.goodput.get());
        (!context.runs.is_empty()).then_some((context, Query::Goodput { shown }))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let drawn = Memo::new(move |_| {
        view.with(|view| view.as_ref().is_some_and(|view| view.empty.is_none()))
    });
    let error = move || answer.with(|a| a.error.clone());
    let said = Memo::new(move |_| {
        view.with(|view| {
            let view = view.as_ref()?;
            let name = view.sweeps.get(view.shown?)?.name.clone();
            (!view.said.is_empty()).then(|| (name, view.said.clone()))
        })
    });
    view! {
        <div class="goodput curves" aria-busy=move || answer.with(|a| a.pending).to_string()>
            <Controls view />
            {move || error().map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Counting good requests…"</p> })
            }}
            <HeldBackNote runs=part(view, |v| v.held_back.clone()) what="in no sweep" />
            <Show when=move || drawn.get() fallback=move || view! { <Empty view /> }>
                <div class="goodput-top">
                    <Limits view />
                    <ByLoad view />
                    <Shares view />
                </div>
                <OneLoad view />
                <div class="goodput-below">
                    <div class="curves-left">
                        <Maps view />
                        <Said said=Signal::derive(move || said.get().into_iter().collect()) />
                    </div>
                    <Capacity
                        cards=part(view, |v| v.capacity.clone())
                        attained=part(view, |v| v.attained.clone())
                    />
                </div>
            </Show>
        </div>
    }
}

/// The key of the goodput peak.
fn peak(spec: &Spec) -> Option<String> {
    let points = spec.series.iter().flat_map(|series: &Series| &series.points);
    let flagged =
        |point: &&Point| point.flag.as_ref().is_some_and(|flag: &Flag| flag.peak().is_some());
    points.clone().find(flagged).map(|point| point.key.clone())
}

/// Goodput by load; its table is that of both charts.
#[component]
fn ByLoad(view: View) -> impl IntoView {
    let spec = part(view, |v| v.by_load.clone());
    let drawn = Memo::new(move |_| spec.with(Option::is_some));
    let spec: Signal<Spec> = Signal::derive(move || spec.get().unwrap_or_default());
    let links = ChartLinks::alone();
    let to_peak = move |_| {
        links.table.set(false);
        links.pinned.set(spec.with_untracked(peak));
        request_animation_frame(|| {
            let points = document().query_selector(".goodput-load [role=listbox]").ok().flatten();
            if let Some(points) = points {
                // An element that is gone takes no focus, which is no trouble.
                let _ = points.unchecked_into::<HtmlElement>().focus();
            }
        });
    };
    let tools = move || {
        view! {
            <button
                type="button"
                id="goodput-peak"
                class="quiet export-small"
                title="The load of the goodput peak (p)"
                aria-keyshortcuts="p"
                disabled=move || spec.with(|spec| peak(spec).is_none())
                on:click=to_peak
            >
                "Peak"
            </button>
        }
    };
    let twin = part(view, |v| v.table.clone());
    move || {
        drawn.get().then(|| {
            view! { <Figure spec=spec class="goodput-load" links=links twin=twin.into() tools=tools /> }
        })
    }
}

/// The share within each limit, by load.
#[component]
fn Shares(view: View) -> impl IntoView {
    let spec = part(view, |v| v.shares.clone());
    let drawn = Memo::new(move |_| spec.with(Option::is_some));
    let spec: Signal<Spec> = Signal::derive(move || spec.get().unwrap_or_default());
    move || drawn.get().then(|| view! { <Figure spec=spec /> })
}

/// Of one load there is a point and its row.
#[component]
fn OneLoad(view: View) -> impl IntoView {
    let table = part(view, |v| v.table.clone());
    let one = Memo::new(move |_| table.with(|table| table.rows.len() == 1));
    move || {
        one.get().then(|| {
            view! {
                <div class="chart-table" role="region" tabindex="0" aria-label="The measured load">
                    <Lines table />
                </div>
            }
        })
    }
}
