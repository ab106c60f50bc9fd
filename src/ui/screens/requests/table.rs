//! The table of requests: only the rows in sight are in the document.

use super::{Screen, key_of, part};
use crate::engine::protocol::Query;
use crate::ui::client::Lost;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::views::requests::{Column, RequestRow, RowsAsk, RowsView, Sort};
use crate::web::download;
use leptos::html;
use leptos::prelude::*;

/// Height of a row in pixels, as in the style sheet.
const ROW: f64 = 32.0;
/// Rows are asked for in blocks of so many, each with a block before and after it, so that a turn of the
/// wheel finds them there.
const BLOCK: usize = 40;

/// The table with its sortable head.
#[component]
pub(super) fn Table(screen: Screen) -> impl IntoView {
    let sort = RwSignal::new((Sort::default(), false));
    let block = RwSignal::new(0_usize);
    let state = screen.state;
    let asked = move |file: bool| {
        let (sort, turned) = sort.get();
        let from = block.get().saturating_sub(1) * BLOCK;
        RowsAsk { of: screen.ask().get(), sort, turned, from, count: 3 * BLOCK, file }
    };
    let answer = state
        .client
        .query::<RowsView>(move || Some((state.context.get(), Query::RequestRows(asked(false)))));
    let rows = Memo::new(move |_| answer.with(|a| a.value.clone()));
    let of = move |get: fn(&RowsView) -> String| {
        move || rows.with(|rows| rows.as_deref().map(get).unwrap_or_default())
    };
    let head = Memo::new(move |_| {
        rows.with(|rows| rows.as_ref().map(|rows| rows.head.clone()).unwrap_or_default())
    });
    let total = Memo::new(move |_| rows.with(|rows| rows.as_ref().map_or(0, |rows| rows.total)));
    let place = NodeRef::<html::Div>::new();
    let on_scroll = move |_| {
        let Some(place) = place.get_untracked() else { return };
        let first = (f64::from(place.scroll_top()) / ROW).max(0.0) as usize;
        let now = first / BLOCK;
        block.maybe_update(|block| std::mem::replace(block, now) != now);
    };
    follow_the_chosen(screen, rows, place);
    let chosen = Memo::new(move |_| screen.ask().with(|ask| ask.chosen));
    let beside = part(screen.view, |view| view.beside);
    let save = move |_| {
        let ask = untrack(|| asked(true));
        let context = state.context.get_untracked();
        state.client.ask_once(
            context,
            Query::RequestRows(ask),
            move |got: Result<RowsView, Lost>| {
                let saved = match got {
                    Ok(RowsView { file: Some(file), .. }) => {
                        download::save("requests.csv", &file, "text/csv").is_ok()
                    }
                    _ => false,
                };
                state.toasts.say(if saved {
                    "Saved requests.csv"
                } else {
                    "The table was not saved. Save it again."
                });
            },
        );
    };
    let way = move |id: &'static str, label: &'static str, sign: &'static str, forth: bool| {
        let to = move || if forth { beside.get().1 } else { beside.get().0 };
        view! {
            <button
                type="button"
                id=id
                class="icon-button"
                aria-label=label
                disabled=move || to().is_none()
                on:click=move |_| screen.choose(untrack(to))
            >
                {sign}
            </button>
        }
    };
    view! {
        <section class="requests-table" aria-labelledby="requests-count">
            <header>
                <h2 id="requests-count">{of(|rows| rows.caption.clone())}</h2>
                <span class="caption">{of(|rows| rows.order.clone())}</span>
                {way("requests-before", "Previous request (k)", "‹", false)}
                {way("requests-next", "Next request (j)", "›", true)}
            </header>
            <div
                class="requests-rows"
                tabindex="0"
                role="group"
                aria-labelledby="requests-count"
                node_ref=place
                on:scroll=on_scroll
            >
                <table aria-rowcount=move || (total.get() + 1).to_string()>
                    <thead>
                        <tr aria-rowindex="1">
                            {move || head.get().into_iter().map(|column| view! { <Head column sort/> }).collect_view()}
                        </tr>
                    </thead>
                    {move || {
                        rows.with(|rows| {
                            let rows = rows.as_ref()?;
                            let after = rows.total.saturating_sub(rows.from + rows.rows.len());
                            let (from, count) = (rows.from, rows.head.len());
                            let each = rows.rows.iter().cloned().enumerate();
                            Some(view! {
                                <tbody>
                                    {space(from, count)}
                                    {each
                                        .map(|(at, row)| line(screen, chosen, from + at + 2, row))
                                        .collect_view()}
                                    {space(after, count)}
                                </tbody>
                            })
                        })
                    }}
                </table>
            </div>
            <button type="button" class="quiet export-small" on:click=save>"CSV, all rows"</button>
        </section>
    }
}

/// Keeps the row of the request that was chosen elsewhere in sight.
fn follow_the_chosen(
    screen: Screen,
    rows: Memo<Option<std::sync::Arc<RowsView>>>,
    place: NodeRef<html::Div>,
) {
    let at = Memo::new(move |_| {
        let chosen = screen.ask().with(|ask| ask.chosen)?;
        Some((chosen, rows.with(|rows| rows.as_ref().and_then(|rows| rows.chosen_at))?))
    });
    Effect::new(move |_| {
        let (Some((_, at)), Some(place)) = (at.get(), place.get()) else { return };
        let (top, high) = (f64::from(place.scroll_top()), f64::from(place.client_height()));
        // The head stands over the first row.
        let row = ROW * at as f64;
        if row < top || row + 2.0 * ROW > top + high {
            place.set_scroll_top((row - high / 2.0 + ROW).max(0.0) as i32);
        }
    });
}

/// The room of rows that are not in the document.
fn space(rows: usize, columns: usize) -> Option<impl IntoView> {
    (rows > 0).then(|| {
        view! {
            <tr class="requests-space" aria-hidden="true">
                <td colspan=columns.to_string() style:height=format!("{}px", ROW * rows as f64)></td>
            </tr>
        }
    })
}

fn line(
    screen: Screen,
    chosen: Memo<Option<usize>>,
    index: usize,
    row: RequestRow,
) -> impl IntoView {
    let request = row.request;
    let is_chosen = move || chosen.get() == Some(request);
    let key = key_of(request);
    let is_hovered = Memo::new(move |_| screen.links.hovered.with(|on| on.as_ref() == Some(&key)));
    let pick = move |_| screen.choose((chosen.get_untracked() != Some(request)).then_some(request));
    let mut cells = row.cells.into_iter();
    let number = cells.next().unwrap_or_default();
    let name = format!("Request {number}");
    view! {
        <tr
            aria-rowindex=index.to_string()
            class:chosen=is_chosen
            class:alarm=row.alarm
            class:outside=row.outside
            class:hovered=move || is_hovered.get()
            on:click=pick
            on:pointerenter=move |_| screen.links.raised.set(Some(key_of(request)))
            on:pointerleave=move |_| screen.links.raised.set(None)
        >
            <th scope="row">
                <button type="button" aria-label=name aria-pressed=move || is_chosen().to_string()>
                    {number}
                </button>
            </th>
            {cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}
        </tr>
    }
}

#[component]
fn Head(column: Column, sort: RwSignal<(Sort, bool)>) -> impl IntoView {
    let Column { sort: by, name, unit, stamp, descending } = column;
    let turn = move |_| {
        sort.update(|(now, turned)| {
            if *now == by {
                *turned = !*turned;
            } else {
                (*now, *turned) = (by, false);
            }
        });
    };
    let state = descending.map(|down| if down { "descending" } else { "ascending" });
    let arrow =
        descending.map(|down| view! { <Icon name=if down { Glyph::Down } else { Glyph::Up }/> });
    let unit = (!unit.is_empty()).then(|| view! { <small>{unit}</small> });
    view! {
        <th scope="col" aria-sort=state title=stamp>
            <button type="button" on:click=turn><span>{name}{arrow}</span>{unit}</button>
        </th>
    }
}
