//! Requests: lanes of requests on one clock with the stalls through all of them, a table, one at length.

mod controls;
mod picture;
mod side;
mod stretch;
mod table;

use crate::engine::protocol::Query;
use crate::ui::parts::chart::ChartLinks;
use crate::ui::parts::share::copy;
use crate::ui::parts::ways_in::WaysIn;
use crate::ui::state::{State, use_state};
use crate::views::requests::{RequestsAsk, RequestsView, key_of, range_of, request_of};
use controls::Controls;
use leptos::prelude::*;
use picture::Figure;
use side::{Card, Faults, Strip, Unmatched};
use std::sync::Arc;
use table::Table;

type View = Memo<Option<Arc<RequestsView>>>;

/// A part of the view, followed.
fn part<T>(view: View, of: fn(&RequestsView) -> T) -> Memo<T>
where
    T: Clone + Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| view.with(|view| view.as_deref().map(of).unwrap_or_default()))
}

/// What the parts of the screen share.
#[derive(Clone, Copy)]
struct Screen {
    state: State,
    view: View,
    links: ChartLinks,
    /// The stretch of time that is chosen and not used yet.
    brushed: RwSignal<Option<(f64, f64)>>,
}

impl Screen {
    fn ask(self) -> RwSignal<RequestsAsk> {
        self.state.requests
    }

    fn change(self, change: impl FnOnce(&mut RequestsAsk)) {
        self.ask().maybe_update(|ask| {
            let before = ask.clone();
            change(ask);
            *ask != before
        });
    }

    fn choose(self, request: Option<usize>) {
        self.change(|ask| ask.chosen = request);
    }

    /// Shows the stretch of time in which the chosen request ran, or the whole run again.
    fn zoom(self) {
        let span = self.view.with_untracked(|view| view.as_ref()?.card.as_ref()?.span);
        let zoomed = self.ask().with_untracked(|ask| ask.time.is_some() || ask.lanes.is_some());
        match span {
            Some((from, to)) if !zoomed => {
                let more = ((to - from) * 0.25).max(1e-3);
                self.change(|ask| {
                    (ask.time, ask.lanes) = (Some((from - more, to + more)), None);
                });
            }
            _ => self.whole(),
        }
    }

    /// Everything is shown.
    fn whole(self) {
        self.change(|ask| (ask.time, ask.lanes) = (None, None));
    }
}

/// The Requests screen.
#[component]
pub fn Requests() -> impl IntoView {
    let state = use_state();
    let answer = state.client.query::<RequestsView>(move || {
        let ask = state.requests.get();
        state.loaded.get().then(|| (state.context.get(), Query::Requests(ask)))
    });
    let view = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let screen = Screen { state, view, links: ChartLinks::alone(), brushed: RwSignal::new(None) };
    follow_the_chart(screen);
    let drawn = Memo::new(move |_| {
        view.with(|view| view.as_ref().is_some_and(|view| view.picture.is_some()))
    });
    let empty = part(view, |view| view.empty.clone());
    view! {
        <div class="requests" aria-busy=move || answer.with(|a| a.pending).to_string()>
            <Controls screen/>
            {move || answer.with(|a| a.error.clone()).map(|error| view! { <p class="trouble" role="alert">{error}</p> })}
            {move || {
                (view.with(Option::is_none) && answer.with(|a| a.pending))
                    .then(|| view! { <p class="working" role="status">"Reading the requests…"</p> })
            }}
            <Show when=move || drawn.get()>
                <div class="requests-main">
                    <Figure screen/>
                    <aside class="requests-side" aria-label="Requests one by one">
                        <Strip screen/>
                        <Faults screen/>
                        <Unmatched screen/>
                        <Table screen/>
                        <Card screen/>
                    </aside>
                </div>
            </Show>
            {move || empty.get().map(|empty| view! { <Nothing empty/> })}
            <Show when=move || !state.loaded.get()>
                <p class="lead">"A run that holds its single requests is drawn here one by one."</p>
                <p class="page-actions"><WaysIn/></p>
            </Show>
        </div>
    }
}

/// A lane that is pinned is the chosen request; a lane of several opens to them.
fn follow_the_chart(screen: Screen) {
    let chosen = Memo::new(move |_| screen.ask().with(|ask| ask.chosen));
    let key = |chosen: Option<usize>| chosen.map(key_of);
    let pinned = screen.links.pinned;
    Effect::new(move |_| {
        let key = key(chosen.get());
        pinned.maybe_update(|pinned| {
            *pinned != key && {
                *pinned = key;
                true
            }
        });
    });
    Effect::new(move |before: Option<()>| {
        let now = pinned.get();
        // The first time nothing was pinned by hand.
        if before.is_none() {
            return;
        }
        match now.as_deref().map(|key| (request_of(key), range_of(key))) {
            Some((Some(request), _)) => screen.choose(Some(request)),
            Some((None, Some(range))) => {
                pinned.set(key(chosen.get_untracked()));
                screen.change(|ask| ask.lanes = Some(range));
            }
            _ => screen.choose(None),
        }
    });
}

/// Why there is nothing to show, and what would record it.
#[component]
fn Nothing(empty: crate::views::requests::Empty) -> impl IntoView {
    let state = use_state();
    let flag = empty.flag.map(|flag| {
        let copied = flag.clone();
        view! {
            <p class="requests-flag">
                <code>{flag}</code>
                <button
                    type="button"
                    class="button button-small"
                    on:click=move |_| copy(state, copied.clone(), "what records requests")
                >
                    "Copy"
                </button>
            </p>
        }
    });
    view! {
        <section class="requests-empty" aria-label="Nothing to show">
            <p class="lead">{empty.text}</p>
            {empty.advice.map(|advice| view! { <p>{advice}</p> })}
            {flag}
        </section>
    }
}
