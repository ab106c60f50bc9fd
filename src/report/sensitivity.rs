//! Sensitivity: the verdicts that another definition, window, statistic or limit would have given.

use super::compare::{Footnotes, region};
use crate::views::sensitivity::{
    Answer, Change, SensitivityCell, SensitivityTable, SensitivityView,
};
use maud::{Markup, html};

/// The section's body; nothing where no two runs are there.
pub(super) fn sensitivity(view: &SensitivityView) -> Option<Markup> {
    let mut notes = Footnotes::new("unasked");
    (view.answer != Answer::Nothing).then(|| {
        html! {
            p { "Does a verdict change under another definition, window, statistic or limit? " strong { (view.sentence) } }
            @if !view.changes.is_empty() { ul.note { @for change in &view.changes { li { (change) } } } }
            @for table in &view.tables { (verdicts(table, &mut notes)) }
            p.note {
                "A letter: this run is best, and the 95 % interval of its difference to each other one leaves zero out. "
                "Two letters: neither is clearly better. None: no run is clearly better than another. "
                "By the numbers alone: so many samples that no interval is taken here. "
                "Empty: the question does not bear on this number. Compared are the runs that Compare sets against the first one."
            }
            (notes.list())
        }
    })
}

fn verdicts(table: &SensitivityTable, notes: &mut Footnotes) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region(&table.title, 0, 1)) {
            table.words.verdicts {
                caption { strong { (table.title) } }
                thead { tr {
                    th scope="col" { "Asked otherwise" }
                    @for column in &table.columns { th scope="col" { (column) } }
                } }
                @for rows in table.rows.chunk_by(|a, b| a.kind == b.kind) {
                    tbody {
                        @if let Some(row) = rows.first() {
                            tr.group { th scope="rowgroup" colspan=(table.columns.len() + 1) { (row.kind) } }
                        }
                        @for row in rows { tr {
                            th scope="row" { (row.labels.join(", ").replace(", as ", ", ")) }
                            @for cell in &row.cells { td class=[class(cell)] { (verdict(cell, notes)) } }
                        } }
                    }
                }
            }
        }
    }
}

fn verdict(cell: &SensitivityCell, notes: &mut Footnotes) -> Markup {
    html! {
        @if cell.change == Change::Untouched {
            span.hidden { "as shown" }
        } @else if cell.value.is_empty() {
            em { "–" } (notes.mark(&cell.text))
        } @else {
            @if cell.change == Change::Other { b { (cell.text) } " " span.tag { "changes" } } @else { (cell.text) }
            small { (cell.value) }
        }
    }
}

fn class(cell: &SensitivityCell) -> Option<&'static str> {
    match cell.change {
        Change::Other => Some("other"),
        Change::Shown
        | Change::Untouched
        | Change::Same
        | Change::Less
        | Change::More
        | Change::Unknown => None,
    }
}

/// The fact under the report's verdict: one word and what it stands for.
pub(super) fn fact(view: &SensitivityView) -> Option<(String, String)> {
    let short = match view.answer {
        Answer::Nothing => return None,
        Answer::Unchanged => "Unchanged",
        Answer::Changes => "Changes",
        Answer::NotComparable => "Not comparable",
    };
    let words = if view.answer == Answer::NotComparable {
        view.sentence.clone()
    } else {
        let sentence = cut(&view.sentence);
        let found = sentence.split_once(": ").map_or(sentence.as_str(), |(_, found)| found);
        format!("Under other definitions, windows, statistics and limits: {found}")
    };
    Some((short.to_owned(), words))
}

/// The sentence without what stands in brackets.
fn cut(sentence: &str) -> String {
    sentence.split_once(" (").map_or_else(|| sentence.to_owned(), |(start, _)| format!("{start}."))
}
