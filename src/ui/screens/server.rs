//! Server metrics: what a server’s buckets can and cannot say, beside a client’s run.

mod buckets;
mod choose;
mod empty;
mod lists;

use crate::engine::protocol::Query;
use crate::ui::parts::chart::{Chart, ChartLinks};
use crate::ui::parts::unique::unique;
use crate::ui::state::use_state;
use crate::views::server::{ServerAsk, ServerView};
use buckets::Buckets;
use choose::Choose;
use empty::Empty;
use leptos::prelude::*;
use lists::{Against, Lines, Names, Phases, Said};
use std::sync::Arc;

type View = Memo<Option<Arc<ServerView>>>;

/// The Server screen.
#[component]
pub fn Server() -> impl IntoView {
    let state = use_state();
    let ask = RwSignal::new(ServerAsk::default());
    let answer = state
        .client
        .query::<ServerView>(move || Some((state.context.get(), Query::Server(ask.get()))));
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let some = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| !v.dumps.is_empty())));
    let none = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| v.dumps.is_empty())));
    view! {
        <div class="server-screen" aria-busy=move || answer.with(|a| a.pending).to_string()>
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Reading the server’s account…"</p> })
            }}
            <Show when=move || some.get()>
                <Head view/>
                <Choose view ask/>
                <Buckets view/>
                <div class="server-columns">
                    <div>
                        <Against view/>
                        <Said view/>
                        <Phases view/>
                        <Lines view title="Requests within the limits, by the buckets" of={|v| &v.limits}/>
                        <Gauges view/>
                        <Lines view title="Sums that close, and those that don’t" of={|v| &v.identities}/>
                        <Lines view title="Counters" of={|v| &v.counters}/>
                    </div>
                    <Lines view title="Read these before quoting a server number" of={|v| &v.traps}/>
                </div>
                <Names view/>
            </Show>
            <Show when=move || none.get()>
                <Empty/>
            </Show>
        </div>
    }
}

/// What there is to say first.
#[component]
fn Head(view: View) -> impl IntoView {
    let words = move |of: fn(&ServerView) -> String| {
        view.with(|view| view.as_deref().map(of).unwrap_or_default())
    };
    view! {
        <header class="server-head">
            <h1>{move || words(|v| v.headline.clone())}</h1>
            <p class="server-lead">{move || words(|v| v.subline.clone())}</p>
        </header>
    }
}

/// Gauges over time, where there are several readings.
#[component]
fn Gauges(view: View) -> impl IntoView {
    let specs =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.gauges.clone()).unwrap_or_default()));
    let figure = |spec: crate::charts::Spec| {
        let name = unique("chart");
        let figure = name.clone();
        let links = ChartLinks::alone();
        let (title, stamp) = (spec.title.clone(), spec.stamp.clone());
        view! {
            <figure class="figure server-gauge" aria-labelledby=figure>
                <div class="figure-top">
                    <header class="figure-head">
                        <h2 id=name.clone()>{title.clone()}</h2>
                        <p class="caption">{stamp}</p>
                    </header>
                    <buckets::TableButton title links/>
                </div>
                <Chart spec=Signal::stored(spec) links=links named_by=name tip_when_pinned=true/>
            </figure>
        }
    };
    move || specs.get().into_iter().map(figure).collect_view()
}
