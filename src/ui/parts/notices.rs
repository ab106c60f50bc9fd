//! The notices of the selected runs.

use super::sheet::SheetFrame;
use crate::engine::protocol::Query;
use crate::link::Sheet;
use crate::notice::Severity;
use crate::ui::state::use_state;
use crate::views::run_card::NoticeRow;
use leptos::prelude::*;

/// What a severity is called here.
pub const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "Note",
        Severity::Warn => "Warning",
        Severity::Block => "Blocks a verdict",
    }
}

/// A list of notices, worst first.
#[component]
pub fn NoticeList(
    /// The notices.
    rows: Vec<NoticeRow>,
    /// Whether each says of which run it is.
    #[prop(default = true)]
    named: bool,
) -> impl IntoView {
    let state = use_state();
    let mut rows = rows;
    rows.sort_by_key(|row| std::cmp::Reverse(row.severity));
    rows.into_iter()
        .map(|row| {
            let run = row.run.clone();
            let times = (row.count > 1).then(|| format!("{} times", row.count));
            view! {
                <li class=format!("notice notice-{}", row.severity.word())>
                    <p class="notice-head">
                        <b>{severity_word(row.severity)}</b>
                        {named
                            .then(|| {
                                view! {
                                    <button
                                        type="button"
                                        class="link"
                                        on:click=move |_| state.sheet.set(Some(Sheet::Run(run.clone())))
                                    >
                                        {row.name}
                                    </button>
                                }
                            })}
                        {times.map(|t| view! { <span>{t}</span> })}
                    </p>
                    <p>{row.text}</p>
                    <p class="caption">{row.places}</p>
                </li>
            }
        })
        .collect_view()
}

/// The sheet behind the warnings chip.
#[component]
pub fn NoticesSheet() -> impl IntoView {
    let state = use_state();
    let notices =
        state.client.query::<Vec<NoticeRow>>(move || Some((state.context.get(), Query::Notices)));
    let body = move || {
        let loaded = notices.get();
        match loaded.value {
            Some(rows) if rows.is_empty() => {
                view! { <p class="lead">"Nothing to note about the selected runs."</p> }.into_any()
            }
            Some(rows) => {
                view! { <ul class="notices"><NoticeList rows=rows.to_vec()/></ul> }.into_any()
            }
            None => view! { <p class="caption">{loaded.error}</p> }.into_any(),
        }
    };
    view! { <SheetFrame title="What to know of these runs">{body}</SheetFrame> }
}
