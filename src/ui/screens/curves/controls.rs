//! What goes up, what goes right, on which scale; the sweeps and the frontier.

use super::View;
use super::sweeps::Sweeps;
use crate::charts::Spec;
use crate::charts::spec::Scaling;
use crate::model::{Metric, Stat};
use crate::ui::parts::segmented::Segmented;
use crate::ui::parts::select::Select;
use crate::ui::state::{State, use_state};
use crate::views::curves::{Across, LoadAxis, QueueModel};
use leptos::prelude::*;

const METRICS: [Metric; 6] = [
    Metric::Ttft,
    Metric::Tpot,
    Metric::Itl,
    Metric::E2e,
    Metric::WholePerToken,
    Metric::UserSpeed,
];
const STATS: [Stat; 5] = [
    Stat::Mean,
    Stat::Median,
    Stat::Percentile(90.0),
    Stat::Percentile(95.0),
    Stat::Percentile(99.0),
];
const RATES: [Metric; 5] = [
    Metric::OutputThroughput,
    Metric::TotalThroughput,
    Metric::RequestThroughput,
    Metric::Goodput,
    Metric::MeanConcurrency,
];

/// Everything that can go up: latencies by statistic, then rates.
fn risers() -> Vec<(Metric, Stat)> {
    let latencies = METRICS.into_iter().flat_map(|metric| STATS.map(|stat| (metric, stat)));
    latencies.chain(RATES.map(|metric| (metric, Stat::Value))).collect()
}

fn riser_name((metric, stat): (Metric, Stat)) -> String {
    match stat {
        Stat::Value => metric.name().to_owned(),
        Stat::Median => format!("{} p50", metric.name()),
        stat => format!("{} {}", metric.name(), stat.name()),
    }
}

fn is_log(main: Memo<Option<Spec>>) -> bool {
    main.with(|spec| spec.as_ref().is_some_and(|spec| spec.y.scale == Scaling::Log))
}

/// Turns the logarithmic axis on or off.
pub(super) fn toggle_log(state: State, main: Memo<Option<Spec>>) {
    let log = !untrack(|| is_log(main));
    state.axes.update(|axes| axes.log = Some(log));
}

/// The title with the row of controls.
#[component]
pub(super) fn Controls(view: View, main: Memo<Option<Spec>>) -> impl IntoView {
    let state = use_state();
    let drawn = move || main.with(Option::is_some);
    let y = Signal::derive(move || {
        let axes = state.axes.get();
        risers().iter().position(|riser| *riser == (axes.y, axes.stat)).unwrap_or(0)
    });
    let choose_y = move |index: usize| {
        if let Some((metric, stat)) = risers().get(index).copied() {
            // Another quantity has another range: the automatic scale decides again.
            state.axes.update(|axes| (axes.y, axes.stat, axes.log) = (metric, stat, None));
        }
    };
    let offered = Memo::new(move |_| {
        let axes = view.with(|v| v.as_ref().map(|v| v.axes.clone()).unwrap_or_default());
        let loads = if axes.is_empty() { LoadAxis::ALL.to_vec() } else { axes };
        let metrics = risers().into_iter().map(|(metric, stat)| Across::Metric(metric, stat));
        // A metric that is a load already stands among the loads.
        let metrics = metrics.filter(|across| Across::of(across.axis()) == Some(*across));
        loads.into_iter().map(Across::Load).chain(metrics).collect::<Vec<_>>()
    });
    let x = Signal::derive(move || {
        let now = state.axes.get().x;
        offered.with(|axes| axes.iter().position(|axis| *axis == now)).unwrap_or(0)
    });
    let choose_x = move |index: usize| {
        if let Some(axis) = offered.with_untracked(|axes| axes.get(index).copied()) {
            state.axes.update(|axes| axes.x = axis);
        }
    };
    let takes_model = Memo::new(move |_| state.axes.get().take_a_model());
    let model = Signal::derive(move || {
        let now = state.axes.get().model;
        now.and_then(|now| QueueModel::ALL.iter().position(|m| *m == now)).map_or(0, |at| at + 1)
    });
    let choose_model = move |index: usize| {
        let model = index.checked_sub(1).and_then(|at| QueueModel::ALL.get(at).copied());
        state.axes.update(|axes| axes.model = model);
    };
    let queues = QueueModel::ALL.map(|model| format!("{} model", model.name()));
    let models: Vec<String> = std::iter::once("no model".to_owned()).chain(queues).collect();
    let log = Signal::derive(move || Some(is_log(main)));
    let scales = vec![(false, "y linear".to_owned()), (true, "y log".to_owned())];
    let names: Vec<String> = risers().into_iter().map(riser_name).collect();
    let loads = Signal::derive(move || {
        offered.with(|axes| axes.iter().map(|axis| axis.name()).collect::<Vec<_>>())
    });
    let unavailable = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.unavailable.clone()).unwrap_or_default())
    });
    view! {
        <header class="controls curves-controls">
            <h1>"Curves"</h1>
            <Select
                short="y"
                label="What goes up"
                options=names
                chosen=y
                on_choose=Callback::new(choose_y)
            />
            <Select
                short="x"
                label="What goes right"
                options=loads
                chosen=x
                on_choose=Callback::new(choose_x)
                unavailable=unavailable
            />
            <Segmented
                label="Scale of y"
                options=scales
                chosen=log
                on_choose=Callback::new(move |log| state.axes.update(|axes| axes.log = Some(log)))
            />
            <Show when=move || takes_model.get()>
                <Select
                    short=""
                    label="Queue as a reference, not measured"
                    options=models.clone()
                    chosen=model
                    on_choose=Callback::new(choose_model)
                />
            </Show>
            <span class="controls-gap"></span>
            <Sweeps view=view />
            <Show when=drawn>
                <button
                    type="button"
                    class="button"
                    title="Joins the loads that no other beats on both axes"
                    aria-pressed=move || state.axes.get().frontier.to_string()
                    on:click=move |_| state.axes.update(|axes| axes.frontier = !axes.frontier)
                >
                    "Frontier"
                </button>
            </Show>
        </header>
    }
}
