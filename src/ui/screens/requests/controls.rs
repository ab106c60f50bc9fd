//! Which run, in which order and colours, and the way from stall to stall.

use super::{Screen, part};
use crate::ui::parts::select::Select;
use crate::units::fixed;
use crate::views::requests::{Named, RequestsAsk, Status};
use leptos::prelude::*;

/// The title and what can be chosen.
#[component]
pub(super) fn Controls(screen: Screen) -> impl IntoView {
    let view = screen.view;
    let runs = part(view, |view| view.runs.clone());
    let shown = part(view, |view| view.run.clone());
    let several = Memo::new(move |_| runs.with(|runs| runs.len() > 1));
    let drawn = part(view, |view| view.picture.is_some());
    view! {
        <header class="controls requests-controls">
            <h1>"Requests"</h1>
            <Show when=move || several.get()>
                <Select
                    short="run"
                    label="Run"
                    options=Signal::derive(move || runs.get().into_iter().map(|run| run.1).collect())
                    chosen=Signal::derive(move || {
                        let shown = shown.get();
                        runs.with(|runs| runs.iter().position(|run| Some(&run.0) == shown.as_ref()).unwrap_or(0))
                    })
                    on_choose=Callback::new(move |at: usize| {
                        let run = runs.with_untracked(|runs| runs.get(at).map(|run| run.0.clone()));
                        // Another run has other requests and another clock.
                        screen.brushed.set(None);
                        screen.change(|ask| {
                            (ask.run, ask.chosen, ask.time, ask.lanes) = (run, None, None, None);
                        });
                    })
                />
            </Show>
            <Show when=move || drawn.get()>
                {choice(screen, "order", "Order of the lanes", |ask| &mut ask.order)}
                {choice(screen, "colour", "What colours tell", |ask| &mut ask.colour)}
                {choice(screen, "align", "Where lanes have their zero", |ask| &mut ask.align)}
                <Statuses screen/>
                <Stalls screen/>
            </Show>
        </header>
    }
}

/// A drop-down over all values of a choice.
fn choice<T: Named + Send + Sync>(
    screen: Screen,
    short: &'static str,
    label: &'static str,
    of: fn(&mut RequestsAsk) -> &mut T,
) -> impl IntoView {
    let words: Vec<String> = T::ALL.iter().map(|choice| choice.words().to_owned()).collect();
    let chosen = Signal::derive(move || {
        let mut ask = screen.ask().get();
        let now = *of(&mut ask);
        T::ALL.iter().position(|choice| *choice == now).unwrap_or(0)
    });
    view! {
        <Select
            short
            label
            options=Signal::stored(words)
            chosen
            on_choose=Callback::new(move |at: usize| {
                if let Some(choice) = T::ALL.get(at) {
                    screen.change(|ask| {
                        *of(ask) = *choice;
                        // Places in the order mean other requests now.
                        ask.lanes = None;
                    });
                }
            })
        />
    }
}

/// Which requests are shown, with how many there are.
#[component]
fn Statuses(screen: Screen) -> impl IntoView {
    let all = part(screen.view, |view| view.statuses.clone());
    let words = Signal::derive(move || {
        let each = all.get().into_iter();
        each.map(|(status, count)| format!("{}, {}", status.words(), fixed(count as f64, 0)))
            .collect::<Vec<_>>()
    });
    let chosen = Signal::derive(move || {
        let now = screen.ask().with(|ask| ask.status);
        all.with(|all| all.iter().position(|own| own.0 == now).unwrap_or(0))
    });
    view! {
        <Select
            short="filter"
            label="Which requests are shown"
            options=words
            chosen
            on_choose=Callback::new(move |at: usize| {
                let status = all.with_untracked(|all| all.get(at).map_or(Status::All, |own| own.0));
                screen.change(|ask| (ask.status, ask.lanes) = (status, None));
            })
        />
    }
}

/// The way from stall to stall.
#[component]
fn Stalls(screen: Screen) -> impl IntoView {
    let stalls = part(screen.view, |view| view.stalls.clone());
    let rule = part(screen.view, |view| view.stall_rule.clone());
    let at = RwSignal::new(None::<usize>);
    // Other stalls are there now.
    Effect::new(move |_| {
        stalls.track();
        at.set(None);
    });
    let step = move |forth: bool| {
        let count = stalls.with_untracked(Vec::len);
        if count == 0 {
            return;
        }
        let next = match at.get_untracked() {
            None if forth => 0,
            None => count - 1,
            Some(at) if forth => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
        };
        at.set(Some(next));
        let Some(stall) = stalls.with_untracked(|stalls| stalls.get(next).cloned()) else { return };
        screen.brushed.set(Some((stall.from, stall.to)));
        screen.change(|ask| {
            ask.chosen = Some(stall.request);
            // A stretch that does not hold the stall moves to it, as wide as it is.
            if let Some((from, to)) =
                ask.time.filter(|(from, to)| stall.from < *from || stall.to > *to)
            {
                let half = ((to - from) / 2.0).max((stall.to - stall.from) * 0.75);
                let middle = f64::midpoint(stall.from, stall.to);
                ask.time = Some((middle - half, middle + half));
            }
        });
        screen.state.toasts.say(stall.words);
    };
    let words = move || {
        stalls.with(|stalls| match (stalls.len(), at.get()) {
            (0, _) => "No stall".to_owned(),
            (count, None) => format!("{count} stall{}", if count == 1 { "" } else { "s" }),
            (count, Some(at)) => format!("Stall {} of {count}", at + 1),
        })
    };
    let none = move || stalls.with(Vec::is_empty);
    let button = move |id: &'static str, label: &'static str, sign: &'static str, forth: bool| {
        view! {
            <button
                type="button"
                id=id
                class="icon-button"
                aria-label=label
                disabled=none
                on:click=move |_| step(forth)
            >
                {sign}
            </button>
        }
    };
    view! {
        <div class="stepper" role="group" aria-label="Stalls" title=rule>
            {button("stall-before", "Previous stall (,)", "‹", false)}
            <span aria-live="polite">{words}</span>
            {button("stall-next", "Next stall (.)", "›", true)}
        </div>
    }
}
