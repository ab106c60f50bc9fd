//! What leaves the page, only when asked: a saved report, a copied link.

use super::icons::{Glyph, Icon};
use super::menu::Menu;
use crate::engine::protocol::{Query, ReportRequest};
use crate::link::Screen;
use crate::model::Stat;
use crate::ui::address;
use crate::ui::client::{Lost, Report};
use crate::ui::state::{State, use_state};
use crate::units::bytes;
use crate::web::{clock, download};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The statistics of every report.
const REPORTED: [Stat; 4] =
    [Stat::Mean, Stat::Median, Stat::Percentile(90.0), Stat::Percentile(99.0)];

/// The question for the report of what is selected.
pub fn report(state: State, title: String) -> Query {
    // The statistic that is shown comes first: the report's headline is made under it, as on the page.
    let shown = state.context.with(|c| c.stat);
    let mut chosen = vec![shown];
    chosen.extend(REPORTED.into_iter().filter(|stat| *stat != shown));
    Query::Report(ReportRequest {
        title,
        date: clock::today(),
        axes: state.axes.get(),
        stats: chosen,
        distributions: state.distributions.get(),
        explain: state.explain.get(),
    })
}

/// Builds the report and hands it to the browser to save.
pub fn save_report(state: State, title: String) {
    if state.context.with_untracked(|c| c.runs.is_empty()) {
        state.toasts.say("A report needs at least one selected run.");
        return;
    }
    let context = state.context.get_untracked();
    let query = untrack(|| report(state, title));
    state.client.ask_once(context, query, move |report: Result<Report, Lost>| match report {
        Ok(Report { file, html }) => {
            let size = bytes(html.len() as u64);
            match download::save(&file, &html, "text/html") {
                Ok(()) => state.toasts.say(format!("Saved {file}, {size}")),
                Err(_) => state.toasts.say("The browser did not let the report be saved."),
            }
        }
        Err(Lost::Failed(words) | Lost::Broke(words)) => {
            state.toasts.say(format!("The report was not made: {words}"));
        }
        Err(Lost::Restarted) => state.toasts.say("The report was not made. Save it again."),
    });
}

/// Puts a text on the clipboard and says what it was.
pub fn copy(state: State, text: String, what: &'static str) {
    spawn_local(async move {
        match download::copy(&text).await {
            Ok(()) => state.toasts.say(format!("Copied: {what}")),
            Err(_) => state.toasts.say("The browser did not let the text be copied."),
        }
    });
}

/// The Share button.
#[component]
pub fn Share() -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let close = move || open.set(false);
    let face = view! {
        <Icon name=Glyph::Share/>
        "Share"
    }
    .into_any();
    view! {
        <Menu class="button button-share" label="Share" edge="right" open button=face>
            <ul class="choices">
                <li>
                    <button type="button" on:click=move |_| { close(); save_report(state, String::new()); }>
                        <strong>"Save report"</strong>
                        <span>"One HTML file that opens anywhere, without scripts"</span>
                    </button>
                </li>
                <li>
                    <button
                        type="button"
                        on:click=move |_| {
                            close();
                            copy(state, untrack(|| address::whole(state)), "link to this view");
                        }
                    >
                        <strong>"Copy link"</strong>
                        <span>"Settings and fingerprints of the runs; whoever opens it needs the files"</span>
                    </button>
                </li>
                <li>
                    <button type="button" on:click=move |_| { close(); state.go(Screen::Report); }>
                        <strong>"Preview report"</strong>
                        <span>"Title, contents and size before saving"</span>
                    </button>
                </li>
            </ul>
        </Menu>
    }
}
