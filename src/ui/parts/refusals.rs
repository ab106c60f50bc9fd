//! Files that were not read: which, why, where, and what to do.

use super::columns_dialog::{Asking, ColumnsDialog};
use super::icons::{Glyph, Icon};
use super::strip::plural;
use crate::engine::protocol::{Cause, Refusal};
use crate::ui::imports::Twin;
use crate::ui::state::use_state;
use crate::ui::tray::{Fold, Part, Tray};
use leptos::prelude::*;

/// Refusals told at length before the rest is one click away.
const TOLD: usize = 12;

/// Files named in a fold before the rest is one click away.
const NAMED: usize = 40;

/// The way to the tray from the top of a long Library.
#[component]
pub fn NotRead() -> impl IntoView {
    let refusals = use_state().imports.refusals;
    let count = Memo::new(move |_| refusals.with(Vec::len));
    let show = |_| {
        if let Some(head) = document().get_element_by_id("not-read") {
            head.scroll_into_view();
        }
    };
    view! {
        <Show when=move || count.get() != 0>
            " · "
            <button type="button" class="link" on:click=show>
                {move || format!("{} not read", plural(count.get(), "file"))}
            </button>
        </Show>
    }
}

/// The tray of refusals.
#[component]
pub fn Refusals() -> impl IntoView {
    let state = use_state();
    let list = state.imports.refusals;
    let tray = Memo::new(move |_| list.with(|list| Tray::of(list)));
    let all = RwSignal::new(false);
    let asking = Asking::default();
    let told = move || {
        let most = if all.get() { usize::MAX } else { TOLD };
        tray.with(|tray| tray.told.iter().take(most).cloned().collect::<Vec<_>>())
    };
    let more = move || {
        let count = tray.with(|tray| tray.told.len());
        (count > TOLD && !all.get()).then(|| {
            let words = format!("Show all {count}");
            view! {
                <button type="button" class="link refusals-more" on:click=move |_| all.set(true)>
                    {words}
                </button>
            }
        })
    };
    let folds = move || tray.with(|tray| tray.folded.clone());
    view! {
        <Show when=move || list.with(|l| !l.is_empty())>
            <section aria-labelledby="not-read">
                <div class="section-head">
                    <h2 id="not-read">"Not read"</h2>
                    <span class="caption" role="status">
                        {move || plural(list.with(Vec::len), "file")}
                    </span>
                    <Show when=move || { list.with(Vec::len) > 1 }>
                        <button
                            type="button"
                            class="link"
                            on:click=move |_| state.imports.dismiss(|_| true)
                        >
                            "Dismiss all"
                        </button>
                    </Show>
                </div>
                <ul class="refusals">
                    <For
                        each=told
                        key=|refusal| (refusal.file.clone(), refusal.error.clone())
                        children=move |refusal| told_at_length(refusal, asking)
                    />
                </ul>
                {more}
                <For
                    each=folds
                    key=|fold| fold.title.clone()
                    children=|fold| view! { <Folded fold/> }
                />
            </section>
        </Show>
        <ColumnsDialog asking/>
        <Twins/>
    }
}

fn told_at_length(refusal: Refusal, asking: Asking) -> impl IntoView {
    let state = use_state();
    let place = (refusal.place != "whole file").then(|| format!(" ({})", refusal.place));
    let label = format!("Dismiss {}", refusal.file);
    let Refusal { file, error, advice, mapping, .. } = refusal.clone();
    let ask = mapping.map(|offer| {
        let label = format!("Say what the columns of {file} are");
        let file = file.clone();
        view! {
            <button
                type="button"
                class="button button-small"
                aria-label=label
                aria-haspopup="dialog"
                on:click=move |_| asking.ask(&file, &offer)
            >
                "Say what the columns are"
            </button>
        }
    });
    view! {
        <li class="refusal">
            <Icon name=Glyph::File/>
            <div>
                <p>
                    <strong>{file}</strong>
                    " was not read. "
                    {error}
                    <span class="caption">{place}</span>
                </p>
                <p>{advice}</p>
            </div>
            <div class="refusal-do">
                {ask}
                <button
                    type="button"
                    class="button button-small"
                    aria-label=label
                    on:click=move |_| state.imports.dismiss(|other| *other == refusal)
                >
                    "Dismiss"
                </button>
            </div>
        </li>
    }
}

/// Refusals of one kind behind their count.
#[component]
fn Folded(
    /// The kind.
    fold: Fold,
) -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let Fold { cause, title, parts } = fold;
    let label = format!("Dismiss: {title}");
    let most: Vec<String> = match cause {
        Cause::Foreign => {
            parts.iter().take(3).map(|p| format!("{} × {}", p.files.len(), p.what)).collect()
        }
        _ => Vec::new(),
    };
    let parts = StoredValue::new(parts);
    view! {
        <div class="refusal-fold">
            <FoldHead open title caption=most.join(", ")/>
            <button
                type="button"
                class="button button-small"
                aria-label=label
                on:click=move |_| state.imports.dismiss(|other| other.kind == cause)
            >
                "Dismiss"
            </button>
            // A thousand names are made only when they are asked for.
            <Show when=move || open.get()>
                <ul class="fold-parts">{move || parts.get_value().into_iter().map(part).collect_view()}</ul>
            </Show>
        </div>
    }
}

fn part(part: Part) -> impl IntoView {
    let all = RwSignal::new(false);
    let Part { what, advice, files } = part;
    let count = files.len();
    let files = StoredValue::new(files);
    let names = move || {
        let most = if all.get() { usize::MAX } else { NAMED };
        files.with_value(|files| {
            files.iter().take(most).map(|name| view! { <li>{name.clone()}</li> }).collect_view()
        })
    };
    view! {
        <li>
            <p><b>{capital(&what)}</b> " " <span class="caption num">{plural(count, "file")}</span></p>
            {(!advice.is_empty()).then(|| view! { <p class="caption">{advice}</p> })}
            <ul class="fold-names mono">{names}</ul>
            <Show when=move || { count > NAMED && !all.get() }>
                <button type="button" class="link" on:click=move |_| all.set(true)>
                    {format!("Show all {count}")}
                </button>
            </Show>
        </li>
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Files that were skipped, for what they hold was there already.
#[component]
fn Twins() -> impl IntoView {
    let state = use_state();
    let twins = state.imports.twins;
    let open = RwSignal::new(false);
    let title = move || match twins.with(Vec::len) {
        1 => "1 file was skipped: its run is loaded already".to_owned(),
        n => format!("{n} files were skipped: their runs are loaded already"),
    };
    let line =
        |twin: Twin| view! { <li>{twin.file} <span class="caption">" = " {twin.run}</span></li> };
    view! {
        // Of one file the message has said it.
        <Show when=move || { twins.with(Vec::len) > 1 }>
            <div class="refusal-fold">
                <FoldHead open title=Signal::derive(title)/>
                <button
                    type="button"
                    class="button button-small"
                    aria-label="Dismiss the list of skipped files"
                    on:click=move |_| twins.set(Vec::new())
                >
                    "Dismiss"
                </button>
                <Show when=move || open.get()>
                    <ul class="fold-names mono">{move || twins.get().into_iter().map(line).collect_view()}</ul>
                </Show>
            </div>
        </Show>
    }
}

/// The line of a folded list that opens it.
#[component]
fn FoldHead(
    /// Whether the list is open.
    open: RwSignal<bool>,
    /// What the list holds.
    #[prop(into)]
    title: Signal<String>,
    /// Its largest parts, in fewer words.
    #[prop(into, optional)]
    caption: String,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="fold-head"
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open.update(|open| *open = !*open)
        >
            <Icon name=Glyph::Chevron/>
            <b>{title}</b>
            <span class="caption">{caption}</span>
        </button>
    }
}
