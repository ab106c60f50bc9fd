//! The report: what it will hold, a title, a preview on paper, and Save.

use crate::ui::client::Report;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::share::{copy, report, save_report};
use crate::ui::state::use_state;
use crate::ui::{address, parts::strip::plural};
use crate::units::bytes;
use crate::web::paper;
use leptos::html;
use leptos::prelude::*;

/// The Report screen.
#[component]
pub fn ReportScreen() -> impl IntoView {
    let state = use_state();
    let title = RwSignal::new(String::new());
    let built = state.client.query::<Report>(move || {
        let context = state.context.get();
        (!context.runs.is_empty()).then(|| (context, report(state, title.get())))
    });
    let sheet = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let (Some(sheet), Some(report)) = (sheet.get(), built.get().value) else { return };
        paper::show(&sheet, &report.html);
    });
    let facts = move || {
        let runs = state.selected();
        let scripted = runs.iter().filter(|row| row.scripted).count();
        let size = built.with(|b| b.value.as_ref().map(|r| bytes(r.html.len() as u64)));
        let facts = [
            Some(format!("{}: names, tools, versions, file names", plural(runs.len(), "run"))),
            Some("Aggregates, curves and settings; no prompts, no replies".to_owned()),
            Some("One HTML file without scripts; it opens from disk, mail or a wiki".to_owned()),
            (scripted > 0)
                .then(|| format!("{} marked as scripted server", plural(scripted, "run"))),
            size.map(|size| format!("Size: {size}")),
        ];
        facts
            .into_iter()
            .flatten()
            .map(|fact| view! { <li><Icon name=Glyph::Check/><span>{fact}</span></li> })
            .collect_view()
    };
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
                        prop:value=move || title.get()
                        on:change=move |event| title.set(event_target_value(&event))
                    />
                </label>
                <ul class="report-facts">{facts}</ul>
                <div class="page-actions">
                    <button
                        type="button"
                        class="button button-primary"
                        title="Save the report (Ctrl+S)"
                        disabled=move || state.context.with(|c| c.runs.is_empty())
                        on:click=move |_| save_report(state, title.get_untracked())
                    >
                        <Icon name=Glyph::Report/>
                        "Save report"
                    </button>
                    <button
                        type="button"
                        class="button"
                        on:click=move |_| copy(state, untrack(|| address::whole(state)), "link to this view")
                    >
                        <Icon name=Glyph::Copy/>
                        "Copy link"
                    </button>
                </div>
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
