//! The typical disagreements by what their tests say of these two numbers; each opens to be read.

use super::{View, part};
use crate::link::Sheet;
use crate::metrics::disagreements::Applies;
use crate::ui::parts::definitions_sheet::show_dimension;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use crate::views::explain::{LibraryEntry, LibraryGroup};
use leptos::prelude::*;

/// Of a verdict so many stand open; the rest is one press away.
const SHOWN: usize = 3;

/// The column beside the bridge.
#[component]
pub(super) fn Library(view: View) -> impl IntoView {
    let groups = part(view, |v| v.library.clone());
    let count = move || groups.with(|g| g.iter().map(|group| group.entries.len()).sum::<usize>());
    view! {
        <section class="disagreements" aria-labelledby="disagreements-title">
            <h2 id="disagreements-title">"Typical disagreements"</h2>
            <p class="caption">{move || format!("{} tests, run on A and B", count())}</p>
            {move || groups.get().into_iter().map(|group| view! { <Group group/> }).collect_view()}
        </section>
    }
}

/// One verdict.
#[component]
fn Group(group: LibraryGroup) -> impl IntoView {
    let LibraryGroup { applies, title, mut entries } = group;
    let (glyph, class) = match applies {
        Applies::Applies => (Glyph::Applies, "verdict verdict-applies"),
        Applies::CannotTell => (Glyph::Unknown, "verdict verdict-unknown"),
        Applies::DoesNot => (Glyph::Without, "verdict verdict-without"),
    };
    let count = entries.len();
    let list = |entries: Vec<LibraryEntry>| {
        let items = entries.into_iter().map(|entry| view! { <Entry entry/> }).collect_view();
        view! { <ul>{items}</ul> }
    };
    let head = move || {
        view! {
            <Icon name=glyph/>
            <span class="verdict-title">{title} " " <span class="verdict-count">{count}</span></span>
        }
    };
    if applies == Applies::DoesNot {
        // A line never begins with the dot between two names.
        let names = entries.iter().map(|entry| entry.title.as_str()).collect::<Vec<_>>();
        let names = names.join("\u{a0}· ");
        return view! {
            <details class=class>
                <summary>
                    <h3>{head()}</h3>
                    <p class="verdict-names">{names}</p>
                </summary>
                {list(entries)}
            </details>
        }
        .into_any();
    }
    let rest = entries.split_off(SHOWN.min(count));
    let more = (!rest.is_empty()).then(|| {
        view! {
            <details class="verdict-more">
                <summary>{format!("{} more", rest.len())}</summary>
                {list(rest)}
            </details>
        }
    });
    let none = (count == 0).then(|| view! { <p class="verdict-names">"none of them"</p> });
    view! {
        <section class=class>
            <h3>{head()}</h3>
            {none}
            {list(entries)}
            {more}
        </section>
    }
    .into_any()
}

/// One disagreement: what it comes to here, and behind it the paragraph, the formula and the definitions.
#[component]
fn Entry(entry: LibraryEntry) -> impl IntoView {
    let state = use_state();
    let LibraryEntry { title, amount, because, formula, paragraph, links, link_words, .. } = entry;
    let way = move |((dimension, _), words): ((String, String), String)| {
        let open = move |_| {
            state.sheet.set(Some(Sheet::Definitions));
            show_dimension(dimension.clone());
        };
        view! {
            <li>
                <button type="button" class="link" on:click=open>{words}</button>
            </li>
        }
    };
    let ways = links.into_iter().zip(link_words).map(way).collect::<Vec<_>>();
    let ways = (!ways.is_empty()).then(|| {
        view! {
            <p class="caption">"Definitions"</p>
            <ul class="entry-ways">{ways}</ul>
        }
    });
    view! {
        <li>
            <details class="entry">
                <summary>
                    <span class="entry-title">{title}</span>
                    <span class="entry-amount num">{amount}</span>
                    <span class="entry-because">{because}</span>
                </summary>
                <p>{paragraph}</p>
                <p class="entry-formula">{formula}</p>
                {ways}
            </details>
        </li>
    }
}
