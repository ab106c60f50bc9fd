//! The maps of the peak under pairs of limits, and of its difference to another sweep’s.

use super::{View, part};
use crate::charts::Heat;
use crate::engine::protocol::Query;
use crate::ui::parts::figure::Figure;
use crate::ui::parts::select::Select;
use crate::ui::state::use_state;
use crate::views::goodput::GoodputMaps;
use leptos::prelude::*;

/// The maps over two limits. They are asked for by themselves, after what moves with a limit.
#[component]
pub(super) fn Maps(view: View) -> impl IntoView {
    let state = use_state();
    let sweeps = part(view, |v| v.sweeps.clone());
    let shown = part(view, |v| v.shown);
    // The other sweeps, behind “no other”.
    let others = Memo::new(move |_| {
        let shown = shown.get();
        let others = sweeps.get().into_iter().enumerate();
        others.filter(|(at, _)| Some(*at) != shown).map(|(_, sweep)| sweep).collect::<Vec<_>>()
    });
    let against = Signal::derive(move || {
        let other = state.goodput.with(|ask| ask.other.clone());
        others.with(|others| {
            let at = others.iter().position(|sweep| Some(&sweep.run) == other.as_ref());
            at.map_or(0, |at| at + 1)
        })
    });
    let choose_against = move |at: usize| {
        let other = at.checked_sub(1);
        let other = other.and_then(|at| others.with_untracked(|others| others.get(at).cloned()));
        state.goodput.update(|ask| ask.other = other.map(|sweep| sweep.run));
    };
    let other_names = Signal::derive(move || {
        let names = others.with(|o| o.iter().map(|sweep| sweep.name.clone()).collect::<Vec<_>>());
        std::iter::once("no other".to_owned()).chain(names).collect::<Vec<_>>()
    });
    let answer = state.client.query::<GoodputMaps>(move || {
        let (context, shown) = (state.context.get(), state.goodput.get());
        let asked = !context.runs.is_empty() && !context.limits.is_empty();
        asked.then_some((context, Query::GoodputMaps { shown }))
    });
    let of = move |of: fn(&GoodputMaps) -> Option<Heat>| {
        Memo::new(move |_| answer.with(|a| a.value.as_deref().and_then(of)))
    };
    let figure = move |heat: Memo<Option<Heat>>| {
        let drawn = Memo::new(move |_| heat.with(Option::is_some));
        let spec: Signal<Heat> = Signal::derive(move || heat.get().unwrap_or_default());
        move || drawn.get().then(|| view! { <Figure spec=spec /> })
    };
    let names = Signal::derive(move || {
        answer.with(|a| a.value.as_ref().map(|maps| maps.names.clone()).unwrap_or_default())
    });
    let chosen = Signal::derive(move || {
        answer.with(|a| a.value.as_ref().and_then(|maps| maps.pair).unwrap_or_default())
    });
    let choose = move |at: usize| {
        let pair = answer
            .with_untracked(|a| a.value.as_ref().and_then(|maps| maps.pairs.get(at).copied()));
        if let Some((x, y)) = pair {
            state.goodput.update(|ask| (ask.x, ask.y) = (x, y));
        }
    };
    let none = move || answer.with(|a| a.value.as_ref().and_then(|maps| maps.none.clone()));
    view! {
        <section class="goodput-maps" aria-label="Other limits" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {figure(of(|maps| maps.map.clone()))}
            {figure(of(|maps| maps.difference.clone()))}
            {move || none().map(|none| view! { <p class="caption">{none}</p> })}
            <div class="controls">
                <Show when=move || { names.with(|names| names.len() > 1) }>
                    <Select short="" label="Limits of the map" options=names chosen on_choose=Callback::new(choose) />
                </Show>
                <Show when=move || { others.with(|others| !others.is_empty()) }>
                    <Select
                        short="less"
                        label="Sweep to take the map’s difference from"
                        options=other_names
                        chosen=against
                        on_choose=Callback::new(choose_against)
                    />
                </Show>
            </div>
        </section>
    }
}
