//! Goodput under the limits: shares and rates by run, by load, under other limits, and the plan.

use super::compare::{Footnotes, goodput};
use super::curve::table;
use super::definitions::limits;
use super::page::title;
use super::{ReportInput, figure};
use crate::views::capacity::CapacityCard;
use crate::views::compare::CompareView;
use crate::views::goodput::{GoodputMaps, GoodputView};
use maud::{Markup, html};

/// Of more runs than this the SLO is not written out for each: the table of points has it in numbers.
const STATEMENTS: usize = 12;

/// The section's body.
pub(super) fn goodput_section(input: &ReportInput, lead: Option<&CompareView>) -> Markup {
    if input.limits.is_empty() {
        return html! { p { "No limit is set, so there is no goodput." } };
    }
    let mut notes = Footnotes::new("goodput-reason");
    let findings = input.library.groups.iter().filter_map(|group| {
        let finding = group.finding.as_ref()?;
        (title(input) != finding).then_some((group.title.as_str(), finding.as_str()))
    });
    html! {
        p { "Limits, each at or under: " strong { (limits(&input.limits)) } "." }
        @for (title, finding) in findings { p { (title) ": " strong { (finding) } } }
        @for sentence in &input.curves.attained { p { (sentence) } }
        @if let Some(view) = lead { (goodput(view, &mut notes)) }
        (notes.list())
        @for (view, maps) in &input.goodput { (by_load(view, maps, input.goodput.len())) }
        @for card in &input.curves.capacity { (capacity(card)) }
        @if (1..=STATEMENTS).contains(&input.slo.statements.len()) {
            h3 { "The SLO written out" }
            ul.note { @for statement in &input.slo.statements { li { (statement.name) ": " (statement.sentence) } } }
        }
    }
}

/// One sweep under the limits: goodput and the share within each limit by load, and the peak under others.
/// Of several sweeps each is drawn small, and of many none over two limits.
fn by_load(view: &GoodputView, maps: &GoodputMaps, sweeps: usize) -> Markup {
    const MANY: usize = 3;
    let small = sweeps > 1;
    let name = view.shown.and_then(|at| view.sweeps.get(at)).map_or("", |sweep| &sweep.name);
    html! {
        h3 { "Goodput of " (name) " by load" }
        @let charts = || [&view.by_load, &view.shares].into_iter().flatten();
        @if small {
            div.small-multiples { @for spec in charts() { (figure::small(spec)) } }
        } @else {
            @for spec in charts() { (figure::main(spec)) }
        }
        (table(&view.table, "Goodput and shares by load"))
        @if let Some(map) = maps.map.as_ref().filter(|_| sweeps < MANY) { @if small { (figure::narrow(map)) } @else { (figure::rows(map)) } }
        ul.note { @for sentence in &view.said { li { (sentence) } } }
    }
}

/// The capacity plan of one sweep: the sentence, the numbers behind it, what it assumes.
fn capacity(card: &CapacityCard) -> Markup {
    html! {
        h3 { "Capacity of " (card.name) }
        p { strong { (card.title) "." } }
        @if let Some(spec) = &card.chart { (figure::small(spec)) }
        @if !card.lines.is_empty() {
            dl.box { @for (name, value) in &card.lines { div { dt { (name) } dd { (value) } } } }
        }
        ul.note {
            li { (card.stamp) }
            @for note in &card.notes { li { (note) } }
        }
    }
}
