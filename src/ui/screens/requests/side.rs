//! Beside the lanes: three numbers, faults of the clock, the chosen request at length.

use super::{Screen, part};
use crate::ui::parts::share::copy;
use crate::views::requests::Status;
use leptos::prelude::*;

/// Three of the usual numbers, and which of them shows the longest stall.
#[component]
pub(super) fn Strip(screen: Screen) -> impl IntoView {
    let strip = part(screen.view, |view| view.strip.clone());
    view! {
        <dl class="shows" aria-label="Which of the usual numbers shows the longest stall">
            {move || {
                strip
                    .get()
                    .into_iter()
                    .map(|one| {
                        view! {
                            <div class:shows-it=one.shows>
                                <dt>{format!("{}, {}", one.name, one.unit)}</dt>
                                <dd class="shows-value">{one.value}</dd>
                                <dd>{one.said}</dd>
                            </div>
                        }
                    })
                    .collect_view()
            }}
        </dl>
    }
}

/// Times that no clock gives, with the rows that hold them.
#[component]
pub(super) fn Faults(screen: Screen) -> impl IntoView {
    let faults = part(screen.view, |view| view.faults.clone());
    let run = part(screen.view, |view| view.run.clone());
    let one = move |fault: crate::views::requests::Fault| {
        let finding = run.get_untracked().map(|run| (run, fault.check.clone()));
        let (left_out, first) = (fault.left_out, fault.first);
        let settle = move |_| {
            let Some(finding) = finding.clone() else { return };
            let said = if left_out { "Requests taken in again" } else { "Requests left out" };
            screen.state.edit(said, |context| {
                if !context.judged.excluded.remove(&finding) {
                    context.judged.excluded.insert(finding);
                }
            });
        };
        view! {
            <li>
                <p>{fault.text}</p>
                <p class="caption">{fault.rows}</p>
                <button type="button" class="quiet" on:click=settle>
                    {if left_out { "Take them in again" } else { "Leave them out" }}
                </button>
                <Show when=move || !left_out>
                    <button type="button" class="quiet" on:click=move |_| screen.choose(Some(first))>
                        "Show the first"
                    </button>
                </Show>
            </li>
        }
    };
    view! {
        <ul class="requests-faults" aria-label="Times that no clock gives" hidden=move || faults.with(Vec::is_empty)>
            {move || faults.get().into_iter().map(one).collect_view()}
        </ul>
    }
}

/// What is asked for, where no request is it, and the way back to all.
#[component]
pub(super) fn Unmatched(screen: Screen) -> impl IntoView {
    let nothing = part(screen.view, |view| view.nothing.clone());
    let all = move |_| {
        screen.brushed.set(None);
        screen.change(|ask| (ask.status, ask.time, ask.lanes) = (Status::All, None, None));
    };
    move || {
        nothing.get().map(|words| {
            view! {
                <div class="requests-faults" role="status">
                    <p>{words}</p>
                    <button type="button" class="quiet" on:click=all>"Show all requests"</button>
                </div>
            }
        })
    }
}

/// The chosen request at length.
#[component]
pub(super) fn Card(screen: Screen) -> impl IntoView {
    let card = part(screen.view, |view| view.card.clone());
    let slowest = part(screen.view, |view| view.slowest);
    let run = part(screen.view, |view| view.run.clone());
    let hint = move || {
        view! {
            <p class="point-hint">
                "Pick a lane or a row and the request stays here: when what came, and every value with its formula. "
                <kbd>"j"</kbd> " and " <kbd>"k"</kbd> " go from one to the next, " <kbd>"."</kbd>
                " to the next stall. "
                <Show when=move || slowest.get().is_some()>
                    <button type="button" class="link" on:click=move |_| screen.choose(slowest.get_untracked())>
                        "Show the slowest"
                    </button>
                </Show>
            </p>
        }
        .into_any()
    };
    let shown = move |card: crate::views::requests::RequestCard| {
        let lines = card.lines.into_iter().map(|line| {
            view! {
                <div class:alarm=line.alarm>
                    <dt>{line.name}</dt>
                    <dd class="num">{line.value}</dd>
                    <dd>{line.how}</dd>
                </div>
            }
        });
        let text = card.text;
        let (left_out, request, name) = (card.left_out, card.request, card.name.clone());
        let settle = move |_| {
            let Some(run) = run.get_untracked() else { return };
            let said = if left_out { "taken in again" } else { "left out" };
            screen.state.edit(format!("{name} {said}"), |context| {
                let one = (run, request);
                if !context.judged.requests.remove(&one) {
                    context.judged.requests.insert(one);
                }
            });
        };
        let name = card.name.clone();
        view! {
            <section class="point-card pinned request-card" aria-label=name>
                <header>
                    <h2>{card.name}</h2>
                    <span class="point-pinned">{card.said}</span>
                </header>
                <dl class="request-lines">{lines.collect_view()}</dl>
                <footer>
                    <button type="button" class="link" on:click=move |_| screen.zoom()>"Zoom to it"</button>
                    <button type="button" class="link" on:click=settle>
                        {if left_out { "Take in again" } else { "Exclude" }}
                    </button>
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| copy(screen.state, text.clone(), "the values of the request")
                    >
                        "Copy values"
                    </button>
                    <button type="button" class="link" on:click=move |_| screen.choose(None)>"Close"</button>
                </footer>
            </section>
        }
        .into_any()
    };
    view! {
        <div aria-live="polite">
            {move || card.get().map_or_else(hint, shown)}
        </div>
    }
}
