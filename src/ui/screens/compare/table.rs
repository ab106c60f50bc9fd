//! The comparison table: a grid that the arrow keys walk, with groups that a phone shows one at a time.

use super::Shown;
use super::grid::{At, cell_id, step};
use super::head::Head;
use crate::model::{RunId, Stat};
use crate::ui::parts::card::{Card, Cards};
use crate::ui::parts::cell::{CellContent, SignChip};
use crate::ui::parts::stamp::Stamp;
use crate::ui::parts::suggestion::explain;
use crate::ui::state::use_state;
use crate::views::Ruler;
use crate::views::changes::{equal, shown as shown_value};
use crate::views::compare::{Cell, CellValue, ColumnHead, CompareView, Row, RowGroup, Sign};
use crate::views::explain::{ExplainAsk, Slot, Source};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, FocusEvent, HtmlElement, KeyboardEvent};

/// The table with its tabs and the legend of signs.
#[component]
pub(super) fn CompareTable(view: Arc<CompareView>, shown: Shown) -> impl IntoView {
    let state = use_state();
    let cards = Cards::of_screen();
    let rows = {
        let view = view.clone();
        move || visible(&view, shown.hide_equal.get())
    };
    let grid = view.clone();
    let stat = move || state.context.with_untracked(|c| c.stat);
    let on_key = move |event: KeyboardEvent| {
        let Some(at) = place_of(&event) else { return };
        let hide = shown.hide_equal.get_untracked();
        let count = visible(&grid, hide).iter().map(|group| group.rows.len()).sum::<usize>() + 1;
        let columns = grid.columns.len() + 1;
        let plain = !(event.ctrl_key() || event.meta_key() || event.alt_key());
        if !plain {
            return;
        }
        match event.key().as_str() {
            "Enter" => open(&grid, hide, at, cards, stat()),
            "E" => match explained(&grid, hide, at, stat()) {
                Some(ask) => explain(state, ask),
                None => return,
            },
            "b" => match at.1.checked_sub(1).and_then(|i| grid.columns.get(i)) {
                Some(column) => state.set_baseline(column.id.clone(), &column.name),
                None => return,
            },
            "x" => match at.1.checked_sub(1).and_then(|i| grid.columns.get(i)) {
                Some(column) => {
                    let said = format!("{} left out", column.name);
                    state.select(std::slice::from_ref(&column.id), false, said);
                }
                None => return,
            },
            key => match step(key, at, count, columns) {
                Some(to) => focus(to),
                None => return,
            },
        }
        event.prevent_default();
        event.stop_propagation();
    };
    // Also where the focus came by other ways than the arrow keys.
    let on_focus = move |event: FocusEvent| {
        if let Some(at) = place_of(&event) {
            set_tab_stop(at);
        }
    };
    // Rows and columns come and go with what had the tab stop, and the grid must have one.
    Effect::new(move |_| {
        shown.hide_equal.track();
        request_animation_frame(|| {
            if document().query_selector(TAB_STOP).is_ok_and(|stop| stop.is_none()) {
                set_tab_stop((0, 0));
            }
        });
    });
    let heads = view.columns.clone();
    let groups = view.groups.iter().map(|g| (g.id.clone(), g.title.clone())).collect::<Vec<_>>();
    let first = groups.first().map(|(id, _)| id.clone()).unwrap_or_default();
    let current = Memo::new(move |_| shown.group.get().unwrap_or_else(|| first.clone()));
    let columns = view.columns.clone();
    let body = move || {
        let mut row = 0;
        rows()
            .into_iter()
            .map(|group| {
                let first = row + 1;
                row += group.rows.len();
                view! { <Group group=group start=first columns=columns.clone() shown=shown current=current /> }
            })
            .collect_view()
    };
    view! {
        <Tabs groups=groups current=current shown=shown />
        <div class="compare-scroll" style:--runs=view.columns.len().to_string()>
            <table class="compare-table" role="grid" aria-label="Metrics by run" on:keydown=on_key on:focusin=on_focus>
                <colgroup>
                    <col class="names" />
                </colgroup>
                <thead>
                    <tr>
                        <th scope="col" class="metric" id=cell_id((0, 0)) tabindex="0"><Corner /></th>
                        {heads
                            .into_iter()
                            .zip(1..)
                            .map(|(head, column)| view! { <Head head=head cell=cell_id((0, column)) /> })
                            .collect_view()}
                    </tr>
                </thead>
                {body}
            </table>
        </div>
        <Legend view=view />
    }
}

/// The groups with the rows that are shown; a group without any is left out.
fn visible(view: &CompareView, hide_equal: bool) -> Vec<RowGroup> {
    let mut groups = view.groups.clone();
    if hide_equal {
        for group in &mut groups {
            group.rows.retain(|row| !equal(row));
        }
        groups.retain(|group| !group.rows.is_empty());
    }
    groups
}

/// The grid place of the cell that an event happened in.
fn place_of(event: &Event) -> Option<At> {
    let target: HtmlElement = event.target()?.dyn_into().ok()?;
    let cell = target.closest("[id^=cell-]").ok()??;
    let id = cell.id();
    let (row, column) = id.strip_prefix("cell-")?.split_once('-')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

fn element(at: At) -> Option<HtmlElement> {
    document().get_element_by_id(&cell_id(at))?.dyn_into().ok()
}

/// The one cell that Tab reaches.
const TAB_STOP: &str = "[id^=cell-][tabindex='0']";

/// Moves the one tab stop of the grid.
fn set_tab_stop(to: At) {
    let Some(cell) = element(to) else { return };
    if let Ok(Some(old)) = document().query_selector(TAB_STOP) {
        // Setting a valid attribute does not fail.
        let _ = old.set_attribute("tabindex", "-1");
    }
    let _ = cell.set_attribute("tabindex", "0");
}

/// Moves tab stop and focus.
fn focus(to: At) {
    set_tab_stop(to);
    if let Some(cell) = element(to) {
        // A cell with a tab stop takes the focus.
        let _ = cell.focus();
    }
}

/// Opens the card of a cell, the definition of a metric, or the run behind a head.
fn open(view: &CompareView, hide_equal: bool, at: At, cards: Cards, stat: Stat) {
    let (row, column) = at;
    let Some(place) = element(at) else { return };
    if row == 0 || column == 0 {
        if let Ok(Some(button)) = place.query_selector(".stamp, .head-name") {
            button.unchecked_into::<HtmlElement>().click();
        }
        return;
    }
    let groups = visible(view, hide_equal);
    if let Some((row, head, cell)) = cell_at(&groups, view, at) {
        let explain = explain_asks(row, head, cell, view.columns.iter().find(|c| c.baseline), stat);
        cards.open(Card { explain, ..cell_card(row, head, cell) }.beside(&place));
    }
}

/// The row, the column and the cell of a place that holds a number.
fn cell_at<'a>(
    groups: &'a [RowGroup],
    view: &'a CompareView,
    (row, column): At,
) -> Option<(&'a Row, &'a ColumnHead, &'a Cell)> {
    let column = column.checked_sub(1)?;
    let row = groups.iter().flat_map(|group| &group.rows).nth(row.checked_sub(1)?)?;
    Some((row, view.columns.get(column)?, row.cells.get(column)?))
}

/// The last way to explain a cell: against the baseline’s, or against the printed number.
fn explained(view: &CompareView, hide_equal: bool, at: At, stat: Stat) -> Option<ExplainAsk> {
    let groups = visible(view, hide_equal);
    let (row, head, cell) = cell_at(&groups, view, at)?;
    let baseline = view.columns.iter().find(|column| column.baseline);
    explain_asks(row, head, cell, baseline, stat).pop().map(|(_, ask)| ask)
}

/// What a cell can be explained against: what its tool printed, and the baseline’s cell.
fn explain_asks(
    row: &Row,
    head: &ColumnHead,
    cell: &Cell,
    baseline: Option<&ColumnHead>,
    stat: Stat,
) -> Vec<(String, ExplainAsk)> {
    let slot = |id: &RunId, source| Slot {
        run: Some(id.clone()),
        metric: row.metric,
        stat: if row.metric.is_distribution() { stat } else { Stat::Value },
        source,
    };
    let ask = |a, b| ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() };
    let mut asks = Vec::new();
    if cell.reported.is_some() {
        // The walk goes from a printed number to the rows that it was made of.
        let (a, b) = (slot(&head.id, Source::Reported), slot(&head.id, Source::Context));
        asks.push(("Explain the printed number against this one".to_owned(), ask(a, b)));
    }
    if let Some(other) = baseline.filter(|_| !head.baseline) {
        let words = format!("Explain it against that of {}", other.name);
        let (a, b) = (slot(&head.id, Source::Context), slot(&other.id, Source::Context));
        asks.push((words, ask(a, b)));
    }
    asks
}

/// Everything that travels with a number.
fn cell_card(row: &Row, head: &ColumnHead, cell: &Cell) -> Card {
    let mut lines = Vec::new();
    match &cell.value {
        CellValue::Plain { full, .. } => lines.push(format!("All digits: {full}")),
        CellValue::Bound { full, because, .. } | CellValue::Reported { full, because, .. } => {
            lines.push(format!("All digits: {full}. {because}"));
        }
        CellValue::Missing { because } => lines.push(because.clone()),
    }
    if let Some(difference) = &cell.difference {
        let interval = difference.interval.as_deref().unwrap_or("no interval can be had");
        lines.push(format!("Difference to the baseline {}, {interval}", difference.text));
    }
    lines.extend(cell.no_difference.iter().map(|why| format!("Not compared: {why}")));
    lines.extend(cell.reported.iter().map(|r| {
        format!("Reported {} ({} {}): {}", r.text, r.sign.glyph(), r.sign.words(), r.because)
    }));
    lines.extend(cell.card.iter().cloned());
    let title = format!("{} of {}: {}", row.name, head.name, shown_value(&cell.value));
    let seek = cell.reported.as_ref().and_then(|reported| reported.seek.clone());
    Card { title, stamp: row.stamp.clone(), lines, seek, ..Card::default() }
}

/// What the numbers are, over the metric column.
#[component]
fn Corner() -> impl IntoView {
    let state = use_state();
    let stat = move || match state.context.with(|c| c.stat) {
        Stat::Mean => "Mean".to_owned(),
        Stat::Median => "Median".to_owned(),
        other => other.name(),
    };
    let words = move || {
        if state.context.with(|c| c.ruler == Ruler::Own) {
            "as each tool defines it"
        } else {
            "recomputed, same ruler"
        }
    };
    view! {
        <div class="corner">
            <b>{stat}</b>
            <span>{words}</span>
        </div>
    }
}

/// The tabs by which a phone shows one group at a time.
#[component]
fn Tabs(groups: Vec<(String, String)>, current: Memo<String>, shown: Shown) -> impl IntoView {
    let tab = move |(id, title): (String, String)| {
        let own = id.clone();
        // The limits of goodput stand in the table.
        let title = title.split(':').next().unwrap_or_default().to_owned();
        view! {
            <button
                type="button"
                class="tab"
                aria-pressed=move || (current.get() == own).to_string()
                on:click=move |_| shown.group.set(Some(id.clone()))
            >
                {title}
            </button>
        }
    };
    view! {
        <nav class="compare-tabs" aria-label="Groups of metrics">
            {groups.into_iter().map(tab).collect_view()}
        </nav>
    }
}

#[component]
fn Group(
    group: RowGroup,
    start: usize,
    columns: Vec<ColumnHead>,
    shown: Shown,
    current: Memo<String>,
) -> impl IntoView {
    let id = group.id.clone();
    let span = (columns.len() + 1).to_string();
    let rows = group.rows.into_iter().zip(start..).map(|(row, at)| {
        view! { <MetricRow row=row at=at columns=columns.clone() shown=shown /> }
    });
    view! {
        <tbody class:current=move || current.get() == id>
            <tr class="group">
                <th colspan=span scope="rowgroup">
                    <span class="group-words">
                        <b>{group.title}</b>
                        <span class="group-hint">{group.hint}</span>
                    </span>
                </th>
            </tr>
            {rows.collect_view()}
        </tbody>
    }
}

#[component]
fn MetricRow(row: Row, at: usize, columns: Vec<ColumnHead>, shown: Shown) -> impl IntoView {
    let state = use_state();
    let cards = Cards::of_screen();
    let Row { metric, name, stamp, definition, highlighted, .. } = row.clone();
    let changes = shown.changes.get_untracked();
    let washed = columns.iter().any(|column| changes.was(metric, &column.id).is_some());
    let row = StoredValue::new(row);
    let against = columns.iter().find(|column| column.baseline).cloned();
    let cells = columns.into_iter().zip(1..).map(|(head, column)| {
        let other = against.clone();
        let cell = row.with_value(|row| row.cells.get(column - 1).cloned());
        let was = changes.was(metric, &head.id).cloned();
        let baseline = head.baseline;
        let run = head.id.as_str().to_owned();
        let content = cell.clone().map(|cell| view! { <CellContent cell=cell was=was /> });
        let on_click = move |event: web_sys::MouseEvent| {
            let place = event.current_target().and_then(|t| t.dyn_into::<HtmlElement>().ok());
            if let (Some(cell), Some(place)) = (&cell, place) {
                focus((at, column));
                let stat = state.context.with_untracked(|c| c.stat);
                let card = row.with_value(|row| Card {
                    explain: explain_asks(row, &head, cell, other.as_ref(), stat),
                    ..cell_card(row, &head, cell)
                });
                cards.open(card.beside(&place));
            }
        };
        view! {
            <td
                class:baseline=baseline
                id=cell_id((at, column))
                tabindex="-1"
                data-run=run
                on:click=on_click
            >
                {content}
            </td>
        }
    });
    view! {
        <tr class:highlighted=highlighted class:washed=washed>
            <th scope="row" class="metric" id=cell_id((at, 0)) tabindex="-1">
                <span class="metric-name">{name.clone()}</span>
                <Stamp text=stamp title=name definition=definition in_grid=true />
            </th>
            {cells.collect_view()}
        </tr>
    }
}

/// How many reported values carry each sign, zero included.
#[component]
fn Legend(view: Arc<CompareView>) -> impl IntoView {
    let signs = view.signs;
    let counts = [
        (Sign::Equal, signs.equal),
        (Sign::Close, signs.close),
        (Sign::Differs, signs.differs),
        (Sign::ReportedOnly, signs.reported_only),
    ];
    let item = |(sign, count): (Sign, usize)| {
        view! {
            <li>
                <SignChip sign=sign />
                {format!(" {count} {}", sign.words())}
            </li>
        }
    };
    view! {
        <footer class="legend">
            <span>"Reported values:"</span>
            <ul>{counts.into_iter().map(item).collect_view()}</ul>
            {view.support_legend().map(|words| view! { <span>{words}</span> })}
            <span class="legend-bar">"Grey: no clear difference. The bar is its 95 % interval, 400 resamples."</span>
        </footer>
    }
}
