//! The report: what it will hold, a title, a preview on paper, and Save.

mod outline;

use self::outline::Outline;
use crate::engine::protocol::{LevelSize, OutlineRow, Query};
use crate::model::Level;
use crate::ui::address;
use crate::ui::client::Report;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::inside::LinkInside;
use crate::ui::parts::segmented::Segmented;
use crate::ui::parts::session_level::SessionLevel;
use crate::ui::parts::share::{copy, kept, report, save_report, save_session};
use crate::ui::state::use_state;
use crate::units::bytes;
use crate::web::{download, paper};
use leptos::html;
use leptos::prelude::*;

/// The Report screen.
#[component]
pub fn ReportScreen() -> impl IntoView {
    let state = use_state();
    let built = state.client.query::<Report>(move || {
        let context = state.context.get();
        (!context.runs.is_empty()).then(|| (context, report(state, true)))
    });
    let sizes = state.client.query_last::<Vec<LevelSize>>(move || {
        let context = state.context.get();
        (!context.runs.is_empty()).then(|| (context, Query::Sizes(kept(state, Level::Events))))
    });
    let size_of = move |level: Level, of: fn(&LevelSize) -> u64| {
        sizes.with(|s| s.value.as_ref()?.iter().find(|size| size.level == level).map(of))
    };
    let inside = move || state.carried.get().map_or(Some(0), |level| size_of(level, |s| s.report));
    let inside_link = LinkInside::new(state);
    let sheet = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let (Some(sheet), Some(report)) = (sheet.get(), built.get().value) else { return };
        paper::show(&sheet, &report.html);
    });
    let outline = Signal::derive(move || {
        built.with(|b| b.value.as_ref().map(|r| r.outline.clone()).unwrap_or_default())
    });
    let size = move || {
        let page = built.with(|b| b.value.as_ref().map(|r| r.html.len() as u64))?;
        Some((page, inside()?))
    };
    let facts = move || {
        let sentences =
            built.with(|b| b.value.as_ref().map(|r| r.inside.clone()).unwrap_or_default());
        let size = size().map(|(page, data)| match data {
            0 => format!("Size: {}, without data", bytes(page)),
            data => format!("Size: {}, of which data {}", bytes(page + data), bytes(data)),
        });
        sentences
            .into_iter()
            .chain(size)
            .map(|fact| view! { <li><Icon name=Glyph::Check/><span>{fact}</span></li> })
            .collect_view()
    };
    let large = move || {
        let (page, data) = size().filter(|(page, data)| page + data > LARGE)?;
        Some(too_large(page, data, &outline.get()))
    };
    let take = move |of: fn(&Report) -> &String| {
        built.with_untracked(|b| b.value.as_deref().map(of).cloned())
    };
    let empty = move || built.with(|b| b.value.is_none());
    let trouble = move || built.with(|b| b.error.clone());
    view! {
        <header class="page-head">
            <div>
                <h1>"Report"</h1>
                <p class="library-sub">"The selected runs under the present ruler, as one file to keep or send."</p>
            </div>
        </header>
        <div class="report-grid">
            <section class="report-form" aria-label="What the report holds">
                <label>
                    "Title"
                    <input
                        class="input"
                        type="text"
                        maxlength="160"
                        placeholder="the finding, when empty"
                        prop:value=move || state.edits.with(|e| e.now.report.title.clone())
                        on:change=move |event| {
                            let title = event_target_value(&event);
                            state.plan_report("Title of the report", |plan| plan.title = title);
                        }
                    />
                </label>
                <label>
                    "Author"
                    <input
                        class="input"
                        type="text"
                        maxlength="80"
                        placeholder="nobody, when empty"
                        prop:value=move || state.edits.with(|e| e.now.report.author.clone())
                        on:change=move |event| {
                            let author = event_target_value(&event);
                            state.plan_report("Author of the report", |plan| plan.author = author);
                        }
                    />
                </label>
                <div class="page-actions">
                    <button
                        type="button"
                        class="button button-primary"
                        title="Save the report (Ctrl+S)"
                        disabled=move || state.context.with(|c| c.runs.is_empty())
                        on:click=move |_| save_report(state)
                    >
                        <Icon name=Glyph::Report/>
                        "Save report"
                    </button>
                    <button
                        type="button"
                        class="button"
                        title="Print the report (Ctrl+P)"
                        disabled=empty
                        on:click=move |_| print()
                    >
                        "Print"
                    </button>
                </div>
                <Outline rows=outline/>
                <Segmented
                    label="Data in the report"
                    labelled=true
                    options=vec![
                        (None, "None".to_owned()),
                        (Some(Level::Aggregates), "Printed".to_owned()),
                        (Some(Level::Requests), "Requests".to_owned()),
                        (Some(Level::Events), "Events".to_owned()),
                    ]
                    chosen=Signal::derive(move || Some(state.carried.get()))
                    on_choose=Callback::new(move |level| state.carried.set(level))
                />
                <p class="caption">{move || carries(state.carried.get())}</p>
                <ul class="report-facts" aria-label="What is inside">{facts}</ul>
                {move || large().map(|words| view! { <p class="notice notice-warn">{words}</p> })}
                <div class="page-actions">
                    <button
                        type="button"
                        class="button"
                        disabled=empty
                        on:click=move |_| {
                            if let Some(text) = take(|report| &report.markdown) {
                                copy(state, text, "report in short, as Markdown");
                            }
                        }
                    >
                        "Copy as Markdown"
                    </button>
                    <button
                        type="button"
                        class="button"
                        disabled=empty
                        on:click=move |_| {
                            let Some(text) = take(|report| &report.csv) else { return };
                            state.toasts.say(match download::save(NUMBERS, &text, "text/csv") {
                                Ok(()) => "Saved numbers.csv: every metric of every run with its definition",
                                Err(_) => "The browser did not let the numbers be saved.",
                            });
                        }
                    >
                        "Save numbers as CSV"
                    </button>
                </div>
                <SessionLevel size=Callback::new(move |level| size_of(level, |s| s.session))/>
                <div class="page-actions">
                    <button
                        type="button"
                        class="button"
                        title="Save all runs and this view as a file to go on with (Shift+Ctrl+S)"
                        on:click=move |_| save_session(state)
                    >
                        <Icon name=Glyph::Library/>
                        {move || match size_of(state.saved.get(), |s| s.session) {
                            Some(size) => format!("Save session, {}", bytes(size)),
                            None => "Save session".to_owned(),
                        }}
                    </button>
                    <button
                        type="button"
                        class="button"
                        on:click=move |_| copy(state, untrack(|| address::whole(state)), "link to this view")
                    >
                        <Icon name=Glyph::Copy/>
                        "Copy link"
                    </button>
                    <button
                        type="button"
                        class="button"
                        disabled=move || !inside_link.fits()
                        on:click=move |_| inside_link.copy()
                    >
                        <Icon name=Glyph::Copy/>
                        "Copy link with aggregates"
                    </button>
                </div>
                <p class="caption">{move || format!("Link with aggregates inside: {}.", inside_link.words())}</p>
                <p class="caption" role="status">
                    {move || if built.with(|b| b.pending) { "Building the preview" } else { "" }}
                </p>
                {move || trouble().map(|words| view! { <p class="notice notice-block">{words}</p> })}
            </section>
            <Show
                when=move || state.context.with(|c| !c.runs.is_empty())
                fallback=|| view! { <p class="empty">"A report needs at least one run. Select runs in the Library."</p> }
            >
                <div
                    class="paper"
                    role="region"
                    aria-label="Preview of the report"
                    tabindex="0"
                    node_ref=sheet
                ></div>
            </Show>
        </div>
    }
}

/// From so many bytes on, many mail servers turn a file away.
const LARGE: u64 = 5_000_000;
/// The file of all numbers.
const NUMBERS: &str = "numbers.csv";

/// Opens the browser’s way to print, which prints the preview and nothing else of the page.
fn print() {
    if let Some(window) = web_sys::window() {
        // A browser that can’t print has said so.
        let _ = window.print();
    }
}

/// Which part costs most of a large report, and what to do.
fn too_large(page: u64, data: u64, outline: &[OutlineRow]) -> String {
    let largest = outline.iter().filter(|row| row.shown).max_by_key(|row| row.bytes);
    let size = bytes(page + data);
    match largest {
        Some(row) if row.bytes > data => format!(
            "{size} is much for a mail. “{}” takes {}: leave it out, or select fewer runs.",
            row.title,
            bytes(row.bytes)
        ),
        _ => format!(
            "{size} is much for a mail. The data take {}: choose a lower level.",
            bytes(data)
        ),
    }
}

/// What opening the report again brings back.
const fn carries(level: Option<Level>) -> &'static str {
    match level {
        None => "It can be read and not opened again.",
        Some(Level::Aggregates) => {
            "Opened again, it brings back the view and what the tools printed."
        }
        Some(Level::Requests) => {
            "Opened again, it brings back the view and each request; no gaps between events."
        }
        Some(Level::Events) => "Opened again, it brings back everything, event by event.",
    }
}
