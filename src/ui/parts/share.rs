//! What leaves the page, only when asked: a saved report or session, a copied link.

use super::icons::{Glyph, Icon};
use super::inside::LinkInside;
use super::menu::Menu;
use super::session_level::SessionLevel;
use crate::engine::protocol::{LevelSize, Query, ReportRequest, SaveRequest};
use crate::link::Screen;
use crate::model::{Level, Stat};
use crate::ui::address;
use crate::ui::client::{Lost, Report, Saved};
use crate::ui::state::{State, use_state};
use crate::units;
use crate::web::{clock, download};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The statistics of every report.
const REPORTED: [Stat; 4] =
    [Stat::Mean, Stat::Median, Stat::Percentile(90.0), Stat::Percentile(99.0)];

/// The question for the report of what is selected; a draft is for looking at.
pub fn report(state: State, draft: bool) -> Query {
    // The statistic that is shown comes first: the report's headline is made under it, as on the page.
    let shown = state.context.with(|c| c.stat);
    let mut chosen = vec![shown];
    chosen.extend(REPORTED.into_iter().filter(|stat| *stat != shown));
    Query::Report(ReportRequest {
        plan: state.edits.with(|e| e.now.report.clone()),
        date: clock::today(),
        axes: state.axes.get(),
        stats: chosen,
        distributions: state.distributions.get(),
        explain: state.explain.get(),
        data: state.carried.get().map(|level| kept(state, level)),
        draft,
    })
}

/// What is saved beside the runs: the view, and the names that were given.
pub fn kept(state: State, level: Level) -> SaveRequest {
    SaveRequest {
        level,
        view: address::view(state),
        date: clock::today(),
        names: state.edits.with(|e| e.now.names.clone()),
        plan: state.edits.with(|e| e.now.report.clone()),
    }
}

/// Hands the session to the browser to save: all runs of the Library, the view and what was decided.
pub fn save_session(state: State) {
    if !state.loaded.get_untracked() && !state.served.get_untracked() {
        state.toasts.say("A session needs at least one run.");
        return;
    }
    let context = state.context.get_untracked();
    let query = Query::Save(untrack(|| kept(state, state.saved.get())));
    state.client.ask_once(context, query, move |saved: Result<Saved, Lost>| match saved {
        Ok(Saved { file, bytes }) => {
            let size = units::bytes(bytes.len() as u64);
            match download::save_bytes(&file, &bytes, "application/gzip") {
                Ok(()) => state.toasts.say(format!("Saved {file}, {size}")),
                Err(_) => state.toasts.say("The browser did not let the session be saved."),
            }
        }
        Err(Lost::Failed(words) | Lost::Broke(words)) => {
            state.toasts.say(format!("The session was not saved: {words}"));
        }
        Err(Lost::Restarted) => state.toasts.say("The session was not saved. Save it again."),
    });
}

/// Builds the report and hands it to the browser to save.
pub fn save_report(state: State) {
    if state.context.with_untracked(|c| c.runs.is_empty()) {
        state.toasts.say("A report needs at least one selected run.");
        return;
    }
    let context = state.context.get_untracked();
    let query = untrack(|| report(state, false));
    state.client.ask_once(context, query, move |report: Result<Report, Lost>| match report {
        Ok(Report { file, html, .. }) => {
            let size = units::bytes(html.len() as u64);
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
pub fn copy(state: State, text: String, what: impl Into<String>) {
    let what = what.into();
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
                    <button type="button" on:click=move |_| { close(); save_report(state); }>
                        <strong>"Save report"</strong>
                        <span>"One HTML file that opens anywhere, without scripts"</span>
                    </button>
                </li>
                <li>
                    <button type="button" on:click=move |_| { close(); save_session(state); }>
                        <strong>"Save session"</strong>
                        <span>"All runs, names and this view; drop the file here to go on"</span>
                    </button>
                    <Sizes/>
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
                <Inside close=Callback::new(move |()| close())/>
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

/// The level of the session, with sizes that are worked out while the menu is open.
#[component]
fn Sizes() -> impl IntoView {
    let state = use_state();
    let sizes = state.client.query_last::<Vec<LevelSize>>(move || {
        let any = state.loaded.get() || state.served.get();
        any.then(|| (state.context.get(), Query::Sizes(kept(state, Level::Events))))
    });
    let size = move |level| {
        sizes.with(|s| s.value.as_ref()?.iter().find(|at| at.level == level).map(|at| at.session))
    };
    view! { <SessionLevel size=Callback::new(size)/> }
}

/// The link with aggregates inside.
#[component]
fn Inside(
    /// Closes the menu.
    close: Callback<()>,
) -> impl IntoView {
    let link = LinkInside::new(use_state());
    view! {
        <li>
            <button
                type="button"
                aria-disabled=move || (!link.fits()).to_string()
                on:click=move |_| {
                    if untrack(|| link.fits()) {
                        close.run(());
                        link.copy();
                    }
                }
            >
                <strong>"Copy link with aggregates inside"</strong>
                <span>{move || link.words()}</span>
            </button>
        </li>
    }
}
