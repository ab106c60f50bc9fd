//! The context strip: under what every number on the screen was made. Each part opens its editor.

use super::icons::{Glyph, Icon};
use super::marker::Marker;
use super::menu::Menu;
use super::rail::entry;
use super::share::Share;
use super::theme::ThemeButton;
use crate::engine::protocol::Query;
use crate::link::{Screen, Sheet};
use crate::ui::imports::Reading;
use crate::ui::state::{State, use_state};
use crate::views::Ruler;
use crate::views::definitions::DefinitionsView;
use crate::views::slo::{limit_name, limits_in_words};
use crate::views::window::short;
use leptos::prelude::*;

/// The strip with its chips and actions.
#[component]
pub fn Strip() -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let title = move || entry(state.screen.get()).0;
    view! {
        <header class="strip" data-title=title>
            <Line open/>
            <div class="chips" class:open=move || open.get() role="group" aria-label="What is shown">
                <RunsChip/>
                <BaselineChip/>
                <DefinitionsChip/>
                <WindowChip/>
                <LimitsChip/>
                <LeftOutChip/>
                <FindingsChip/>
                <ReadingChip/>
            </div>
            <Actions/>
        </header>
    }
}

/// A phone's strip: all of it in one line, which opens the parts.
#[component]
fn Line(open: RwSignal<bool>) -> impl IntoView {
    let state = use_state();
    let runs = move || plural(state.selected().len(), "run");
    let more = move || {
        let limits = state.context.with(|c| c.limits.len());
        let ruler = state.context.with(|c| match &c.ruler {
            Ruler::Own => "own words",
            ruler if *ruler == Ruler::default() => "common ruler",
            Ruler::Same { .. } => "another ruler",
        });
        let limits = if limits == 0 { "no limits".to_owned() } else { plural(limits, "limit") };
        let window = window(state).map(|window| format!(" · {window}")).unwrap_or_default();
        format!(" · {ruler}{window} · {limits}")
    };
    let warned = move || state.open_findings();
    view! {
        <button
            type="button"
            class="line"
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open.update(|o| *o = !*o)
        >
            <span class="line-words"><b>{runs}</b>{more}</span>
            {move || (warned() != 0).then(|| view! { <span class="line-warn">{plural(warned(), "finding")}</span> })}
            <Icon name=Glyph::Chevron/>
        </button>
    }
}

/// Said while files are read, wherever the reader is.
#[component]
fn ReadingChip() -> impl IntoView {
    let state = use_state();
    let left = Memo::new(move |_| state.imports.reading.with(Reading::left));
    view! {
        <Show when=move || left.get() != 0>
            <button
                type="button"
                class="chip"
                title="Show the files that are being read"
                on:click=move |_| state.go(Screen::Library)
            >
                <span class="chip-label">"Reading"</span>
                <b>{move || plural(left.get(), "file")}</b>
            </button>
        </Show>
    }
}

#[component]
fn Actions() -> impl IntoView {
    let state = use_state();
    let title = |what: Option<String>, word: &str, keys: &str| {
        what.map_or_else(|| format!("Nothing to {word}"), |said| format!("{said} ({keys})"))
    };
    view! {
        <div class="actions">
            <button
                type="button"
                class="quiet"
                disabled=move || state.undoable().is_none()
                title=move || title(state.undoable(), "undo", "Ctrl+Z")
                on:click=move |_| state.undo()
            >
                "Undo"
            </button>
            <button
                type="button"
                class="quiet wide-only"
                disabled=move || state.redoable().is_none()
                title=move || title(state.redoable(), "redo", "Shift+Ctrl+Z")
                on:click=move |_| state.redo()
            >
                "Redo"
            </button>
            <button
                type="button"
                class="quiet wide-only"
                title="Keys and timings (?)"
                on:click=move |_| state.help.set(true)
            >
                "Help"
            </button>
            <ThemeButton/>
            <Share/>
        </div>
    }
}

#[component]
fn RunsChip() -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let counts = Memo::new(move |_| (state.selected().len(), state.rows().len()));
    let face = view! {
        <span class="chip-label">"Runs"</span>
        <b>{move || { let (n, m) = counts.get(); format!("{n} of {m}") }}</b>
    }
    .into_any();
    let lines = move || {
        let chosen = state.context.get().runs;
        state
            .rows()
            .into_iter()
            .map(|row| {
                let on = chosen.contains(&row.id);
                let (id, name) = (row.id.clone(), row.name.clone());
                let toggle = move |_| {
                    let word = if on { "left out" } else { "added to the comparison" };
                    state.select(std::slice::from_ref(&id), !on, format!("{name} {word}"));
                };
                view! {
                    <li>
                        <label class="choice-line">
                            <input type="checkbox" prop:checked=on on:change=toggle/>
                            <Marker style=row.style/>
                            <span>{row.name.clone()}</span>
                            <small>{row.load}</small>
                        </label>
                    </li>
                }
            })
            .collect_view()
    };
    let all = move |_| {
        let ids = state.rows().into_iter().map(|row| row.id).collect();
        state.select_only(ids, "All runs selected");
    };
    view! {
        <Menu class="chip" label="Runs shown" open button=face>
            <ul class="lines">{lines}</ul>
            <div class="panel-foot">
                <button type="button" class="button" on:click=all>"Select all"</button>
            </div>
        </Menu>
    }
}

#[component]
fn BaselineChip() -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let row = move || {
        let id = state.baseline()?;
        state.rows().into_iter().find(|row| row.id == id)
    };
    let face = view! {
        <span class="chip-label">"Baseline"</span>
        {move || {
            row()
                .map_or_else(
                    || view! { <b>"none"</b> }.into_any(),
                    |row| view! { <Marker style=row.style/><b class="chip-name">{row.name}</b> }.into_any(),
                )
        }}
    }
    .into_any();
    let lines = move || {
        let now = state.baseline();
        state
            .selected()
            .into_iter()
            .map(|row| {
                let on = now.as_ref() == Some(&row.id);
                let (id, name) = (row.id.clone(), row.name.clone());
                view! {
                    <li>
                        <label class="choice-line">
                            <input
                                type="radio"
                                name="baseline"
                                prop:checked=on
                                on:change=move |_| state.set_baseline(id.clone(), &name)
                            />
                            <Marker style=row.style/>
                            <span>{row.name.clone()}</span>
                            <small>{row.load}</small>
                        </label>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Menu class="chip" label="Baseline" open button=face>
            <p class="panel-lead">"Differences are taken against this run."</p>
            <ul class="lines">{lines}</ul>
        </Menu>
    }
}

#[component]
fn DefinitionsChip() -> impl IntoView {
    let state = use_state();
    // Only names of presets are needed, and the common one's is known.
    let names = state.client.query::<DefinitionsView>(move || {
        let context = state.context.get();
        let plain = matches!(&context.ruler, Ruler::Same { preset, .. } if preset == "common");
        (!plain).then_some((context, Query::Definitions { request: 0 }))
    });
    let words = move || match state.context.get().ruler {
        Ruler::Own => "each in its own words".to_owned(),
        Ruler::Same { preset, changes } => {
            let name = if preset == "common" {
                "common ruler".to_owned()
            } else {
                names
                    .with(|n| {
                        let view = n.value.as_ref()?;
                        view.presets.iter().find(|p| p.id == preset).map(|p| p.name.clone())
                    })
                    .unwrap_or(preset)
            };
            let of_window = |(name, choice): &(&String, &String)| match name.as_str() {
                "window" | "window-edge" => true,
                "duration" => choice.as_str() == "window",
                _ => false,
            };
            // The window has a chip of its own.
            match changes.iter().filter(|change| !of_window(change)).count() {
                0 => name,
                n => format!("custom: {n} changed"),
            }
        }
    };
    let filled = move || state.context.with(|c| c.ruler != Ruler::default());
    let mixed = move || state.context.with(|c| c.ruler == Ruler::Own);
    view! {
        <button
            type="button"
            class="chip"
            class:chip-filled=filled
            class:chip-warn=mixed
            aria-expanded=move || (state.sheet.get() == Some(Sheet::Definitions)).to_string()
            title="Definitions (d)"
            on:click=move |_| state.toggle(Sheet::Definitions)
        >
            <span class="chip-label">"Definitions"</span>
            <b>{words}</b>
        </button>
    }
}

/// The stretch of the runs that counts, in words; nothing where it is all of each.
fn window(state: State) -> Option<String> {
    state.context.with(|context| match &context.ruler {
        Ruler::Own => None,
        Ruler::Same { changes, .. } => changes.get("window").map(|window| short(window)),
    })
}

#[component]
fn WindowChip() -> impl IntoView {
    let state = use_state();
    let own = move || state.context.with(|c| c.ruler == Ruler::Own);
    let words = move || {
        let plain = if own() { "as each tool" } else { "whole run" };
        window(state).unwrap_or_else(|| plain.to_owned())
    };
    view! {
        <button
            type="button"
            class="chip"
            class:chip-filled=move || window(state).is_some()
            aria-expanded=move || (state.sheet.get() == Some(Sheet::Window)).to_string()
            title="Which stretch of each run counts (w)"
            on:click=move |_| state.toggle(Sheet::Window)
        >
            <span class="chip-label">"Window"</span>
            <b>{words}</b>
        </button>
    }
}

/// A count with its noun.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// "TTFT ≤ 250, TPOT ≤ 18 ms": the unit once, where all bounds have no other part.
fn limits(state: State) -> Option<String> {
    let limits = state.context.get().limits;
    if limits.iter().any(|limit| limit.constant().is_none()) {
        return Some(limits_in_words(&limits));
    }
    let parts: Vec<_> =
        limits.iter().map(|l| format!("{} ≤ {}", limit_name(l.metric), l.millis)).collect();
    (!parts.is_empty()).then(|| format!("{} ms", parts.join(", ")))
}

#[component]
fn LimitsChip() -> impl IntoView {
    let state = use_state();
    view! {
        <button
            type="button"
            class="chip"
            class:chip-filled=move || limits(state).is_some()
            aria-expanded=move || (state.sheet.get() == Some(Sheet::Limits)).to_string()
            title="Limits of the SLO"
            on:click=move |_| state.toggle(Sheet::Limits)
        >
            <span class="chip-label">"Limits"</span>
            <b>{move || limits(state).unwrap_or_else(|| "none".into())}</b>
        </button>
    }
}

/// Requests of the selected runs that the reader left out.
fn left_out(state: State) -> usize {
    state.selected().iter().map(|row| row.left_out).sum()
}

#[component]
fn LeftOutChip() -> impl IntoView {
    let state = use_state();
    let count = Memo::new(move |_| left_out(state));
    view! {
        <Show when=move || count.get() != 0>
            <button
                type="button"
                class="chip chip-filled"
                title="What was left out, and why (g q)"
                on:click=move |_| state.go(Screen::Quality)
            >
                <span class="chip-label">"Left out"</span>
                <b>{move || plural(count.get(), "request")}</b>
            </button>
        </Show>
    }
}

#[component]
fn FindingsChip() -> impl IntoView {
    let state = use_state();
    let count = Memo::new(move |_| state.open_findings());
    view! {
        <Show when=move || count.get() != 0>
            <button
                type="button"
                class="chip chip-warn"
                title="What the checks found (g q)"
                on:click=move |_| state.go(Screen::Quality)
            >
                <Icon name=Glyph::Warning/>
                <b>{move || plural(count.get(), "finding")}</b>
            </button>
        </Show>
    }
}
