//! The lists of the Server screen: both sides, phases, traps, sums, names.

use super::View;
use crate::ui::parts::chart_table;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::views::server::{Against as AgainstRow, Line, Mark, ServerView, Share};
use leptos::prelude::*;

/// A mark’s sign, its word and its class.
const fn sign(mark: Mark) -> (Glyph, &'static str, &'static str) {
    match mark {
        Mark::Fine => (Glyph::Check, "holds: ", "mark-fine"),
        Mark::Note => (Glyph::Info, "note: ", "mark-note"),
        Mark::Warn => (Glyph::Warning, "warning: ", "mark-warn"),
    }
}

/// A list of the view, followed.
fn list<T: Clone + PartialEq + Send + Sync + 'static>(
    view: View,
    of: fn(&ServerView) -> &Vec<T>,
) -> Memo<Vec<T>> {
    Memo::new(move |_| view.with(|v| v.as_deref().map(|v| of(v).clone()).unwrap_or_default()))
}

/// A titled list of words and sentences; nothing of an empty one.
#[component]
pub(super) fn Lines(
    /// What is shown.
    view: View,
    /// The heading.
    title: &'static str,
    /// Which list.
    of: fn(&ServerView) -> &Vec<Line>,
) -> impl IntoView {
    let lines = list(view, of);
    let item = |line: Line| {
        let (glyph, word, class) = sign(line.mark);
        view! {
            <li class=class>
                <Icon name=glyph/>
                <p>
                    <span class="visually-hidden">{word}</span>
                    <b>{line.name}</b>
                    " "
                    {line.text}
                </p>
            </li>
        }
    };
    view! {
        <Show when=move || lines.with(|l| !l.is_empty())>
            <section class="server-lines">
                <h2>{title}</h2>
                <ul>{move || lines.get().into_iter().map(item).collect_view()}</ul>
            </section>
        </Show>
    }
}

/// The table of both sides.
#[component]
pub(super) fn Against(view: View) -> impl IntoView {
    let rows = list(view, |v| &v.against);
    let line = |row: AgainstRow| {
        let (glyph, _, class) = sign(row.mark);
        let cells = row.cells.into_iter().map(|cell| view! { <td class="num">{cell}</td> });
        view! {
            <tr>
                <th scope="row">{row.name}</th>
                {cells.collect_view()}
                <td class=class >
                    <span class="reading"><Icon name=glyph/>{row.reading}</span>
                    <small>{row.expected}</small>
                </td>
            </tr>
        }
    };
    view! {
        <Show when=move || rows.with(|r| !r.is_empty())>
            <section class="against" aria-labelledby="against-title">
                <h2 id="against-title">"Client against server, ms"</h2>
                <div class="against-scroll" role="region" tabindex="0" aria-label="Table of client and server">
                    <table>
                        <thead>
                            <tr>
                                <td></td>
                                <th scope="colgroup" colspan="3">"mean, exact"</th>
                                <th scope="colgroup" colspan="3">"p99"</th>
                                <td></td>
                            </tr>
                            <tr>
                                <th scope="col">"Measure"</th>
                                <th scope="col">"client"</th>
                                <th scope="col">"server"</th>
                                <th scope="col">"client − server"</th>
                                <th scope="col">"client, own samples"</th>
                                <th scope="col">"client, in the server’s buckets"</th>
                                <th scope="col">"server, as a dashboard prints it"</th>
                                <th scope="col">"reading"</th>
                            </tr>
                        </thead>
                        <tbody>{move || rows.get().into_iter().map(line).collect_view()}</tbody>
                    </table>
                </div>
            </section>
        </Show>
    }
}

/// What else the two sides say of each other.
#[component]
pub(super) fn Said(view: View) -> impl IntoView {
    let said = list(view, |v| &v.said);
    view! {
        <div class="server-said">
            {move || said.get().into_iter().map(|words| view! { <p>{words}</p> }).collect_view()}
        </div>
    }
}

/// The mean request by phase: the bar, and its parts in numbers.
#[component]
pub(super) fn Phases(view: View) -> impl IntoView {
    let parts = list(view, |v| &v.phases);
    let bar = |(at, part): (usize, Share)| {
        let width = format!("{:.3}%", part.share * 100.0);
        view! { <span class=format!("phase-{at}") style:width=width></span> }
    };
    let number = |(at, part): (usize, Share)| {
        let share = format!("{:.1} %", part.share * 100.0);
        view! {
            <div>
                <dt><i class=format!("phase-{at}")></i>{part.name}</dt>
                <dd>{part.text}</dd>
                <dd class="caption">{share}</dd>
            </div>
        }
    };
    view! {
        <Show when=move || parts.with(|p| !p.is_empty())>
            <section class="phases">
                <h2>"The mean request by phase"</h2>
                <p class="caption">"Means add up; percentiles of phases don’t, since they are of different requests."</p>
                <div class="phase-bar" aria-hidden="true">
                    {move || parts.get().into_iter().enumerate().map(bar).collect_view()}
                </div>
                <dl>{move || parts.get().into_iter().enumerate().map(number).collect_view()}</dl>
            </section>
        </Show>
    }
}

/// The names used.
#[component]
pub(super) fn Names(view: View) -> impl IntoView {
    let table = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| v.names.clone()).unwrap_or_default())
    });
    let count = move || table.with(|t| t.rows.len());
    view! {
        <Show when=move || count() != 0>
            <details class="server-names">
                <summary>{move || format!("Names used: {} that the table knows", count())}</summary>
                <div class="against-scroll" role="region" tabindex="0" aria-label="Names used">
                    <chart_table::Lines table=table/>
                </div>
            </details>
        </Show>
    }
}
