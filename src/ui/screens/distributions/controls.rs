//! Which metric, in which shape, under whose ruler, on which scale; what is asked of it.

use super::View;
use crate::model::Metric;
use crate::ui::parts::limits_editor::{Typed, settle, typed};
use crate::ui::parts::segmented::Segmented;
use crate::ui::parts::select::Select;
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::distributions::{DistributionsAsk, Shape};
use leptos::html;
use leptos::prelude::*;

/// Turns the logarithmic axis on or off.
pub(super) fn toggle_log(state: State, view: View) {
    let log = view.with_untracked(|v| v.as_ref().is_some_and(|v| v.log));
    state.distributions.update(|ask| ask.log = Some(!log));
}

/// The title with the controls, and under it what can be asked.
#[component]
pub(super) fn Controls(view: View) -> impl IntoView {
    let state = use_state();
    let ask = state.distributions;
    let metrics = Memo::new(move |_| {
        let known = view.with(|v| v.as_ref().map(|v| v.metrics.clone()).unwrap_or_default());
        let mut all = known;
        // What a link names stays in the list, also where no run has it.
        all.extend(ask.get().metric.filter(|metric| !all.contains(metric)));
        if all.is_empty() { vec![Metric::Itl] } else { all }
    });
    let shown = Memo::new(move |_| {
        let answered = view.with(|v| v.as_ref().and_then(|v| v.metric));
        ask.with(|ask| ask.metric).or(answered).unwrap_or(Metric::Itl)
    });
    let names = Signal::derive(move || {
        metrics.with(|all| all.iter().map(|metric| metric.name().to_owned()).collect::<Vec<_>>())
    });
    let chosen = Signal::derive(move || {
        metrics.with(|all| all.iter().position(|metric| *metric == shown.get()).unwrap_or(0))
    });
    let choose = move |at: usize| {
        if let Some(metric) = metrics.with_untracked(|all| all.get(at).copied()) {
            // Another quantity has another range, and a value of this one is none of that.
            state.ask(None, |ask| (ask.metric, ask.log, ask.value) = (Some(metric), None, None));
        }
    };
    let shape = Signal::derive(move || Some(ask.with(|ask| ask.shape)));
    let own = Signal::derive(move || Some(state.context.with(|c| c.ruler == Ruler::Own)));
    let log = Signal::derive(move || Some(view.with(|v| v.as_ref().is_none_or(|v| v.log))));
    let count = Signal::derive(move || Some(ask.with(|ask| ask.count)));
    let choose_ruler = move |own: bool| {
        let (said, ruler) = if own {
            ("Each run is now in its own tool’s words", Ruler::Own)
        } else {
            ("All runs are now on one ruler", Ruler::default())
        };
        state.edit(said, |context| context.ruler = ruler);
    };
    let words = |pairs: [(bool, &str); 2]| pairs.map(|(on, words)| (on, words.to_owned())).to_vec();
    let others =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.others.clone()).unwrap_or_default()));
    let shifts = move || ask.with(|ask| ask.shape == Shape::Shift) && others.with(|o| o.len() > 1);
    let other_names = Signal::derive(move || {
        others.with(|all| all.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>())
    });
    let other = Signal::derive(move || {
        let chosen = ask.with(|ask| ask.other.clone());
        others.with(|all| all.iter().position(|(id, _)| Some(id) == chosen.as_ref()).unwrap_or(0))
    });
    let choose_other = move |at: usize| {
        let id = others.with_untracked(|all| all.get(at).map(|(id, _)| id.clone()));
        ask.update(|ask| ask.other = id);
    };
    let unit = move || shown.get().unit().symbol();
    view! {
        <header class="controls distributions-controls">
            <h1>"Distributions"</h1>
            <Select
                short="metric"
                label="Metric"
                options=names
                chosen=chosen
                on_choose=Callback::new(choose)
            />
            <Segmented
                label="Shape"
                options=Shape::ALL.map(|shape| (shape, shape.name().to_owned())).to_vec()
                chosen=shape
                on_choose=Callback::new(move |shape| ask.update(|ask| ask.shape = shape))
            />
            <Segmented
                label="Ruler"
                options=words([(false, "Same ruler"), (true, "Own words")])
                chosen=own
                on_choose=Callback::new(choose_ruler)
            />
            <Segmented
                label="Scale of x"
                options=words([(false, "x linear"), (true, "x log")])
                chosen=log
                on_choose=Callback::new(move |log| ask.update(|ask| ask.log = Some(log)))
            />
            <Segmented
                label="Samples as"
                options=words([(false, "Share"), (true, "Count")])
                chosen=count
                on_choose=Callback::new(move |count| ask.update(|ask| ask.count = count))
            />
            <Show when=shifts>
                <Select
                    short="against baseline"
                    label="The run that stands against the baseline"
                    options=other_names
                    chosen=other
                    on_choose=Callback::new(choose_other)
                />
            </Show>
            <div class="distributions-ask" role="group" aria-label="Ask">
                <Field
                    id="distributions-percentile"
                    what="Percentile"
                    before="p"
                    label="Percentile whose value is asked for (q)"
                    placeholder="95"
                    after=Signal::derive(String::new)
                    get=|ask| ask.quantile
                    set=|ask, quantile| ask.quantile = quantile.filter(|q| *q < 100.0)
                />
                <Field
                    id="distributions-value"
                    what="Value"
                    before="share ≤"
                    label="Value under which the share is asked for (v)"
                    placeholder="500"
                    after=Signal::derive(move || unit().to_owned())
                    get=|ask| ask.value
                    set=|ask, value| ask.value = value
                />
            </div>
        </header>
    }
}

/// A number that is asked about; empty asks nothing.
#[component]
fn Field(
    id: &'static str,
    what: &'static str,
    before: &'static str,
    label: &'static str,
    placeholder: &'static str,
    after: Signal<String>,
    get: fn(&DistributionsAsk) -> Option<f64>,
    set: fn(&mut DistributionsAsk, Option<f64>),
) -> impl IntoView {
    let state = use_state();
    let ask = state.distributions;
    let now = Memo::new(move |_| ask.with(get));
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            settle(&field, now.get());
        }
    });
    view! {
        <label class="distributions-field">
            <span aria-hidden="true">{before}</span>
            <input
                id=id
                class="limit-field num"
                type="number"
                min="0"
                step="any"
                inputmode="decimal"
                placeholder=placeholder
                aria-label=label
                title=label
                node_ref=field
                on:input:target=move |event| {
                    if let Typed::Limit(number) = typed(&event.target()) {
                        state.ask(Some(what), |ask| set(ask, number));
                    }
                }
                on:blur:target=move |event| settle(&event.target(), now.get_untracked())
            />
            <span aria-hidden="true">{after}</span>
        </label>
    }
}
