//! Quality and limits of the data: every notice once, the worst first.

use super::ReportInput;
use super::compare::badge;
use super::runs::{contents, style_of};
use crate::notice::Severity;
use crate::views::run_card::NoticeRow;
use maud::{Markup, html};

/// One notice with the columns it was met in.
struct Shared<'a> {
    notice: &'a NoticeRow,
    columns: Vec<(usize, &'a NoticeRow)>,
}

/// Notices of all runs, then what each file holds.
pub(super) fn quality(input: &ReportInput) -> Markup {
    let notices = shared(input);
    html! {
        @if notices.is_empty() {
            p { "Nothing was met on import or in evaluation that a reader should know." }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Notices" {
                table.words.notices {
                    thead.hidden { tr { th scope="col" { "Weight" } th scope="col" { "Notice" } th scope="col" { "Runs" } } }
                    tbody { @for shared in &notices { (notice_row(input, shared)) } }
                }
            }
        }
        h3 { "What the files hold" }
        (contents(input))
    }
}

fn shared(input: &ReportInput) -> Vec<Shared<'_>> {
    let mut all: Vec<Shared<'_>> = Vec::new();
    for (column, card) in input.cards.iter().enumerate() {
        for notice in &card.notices {
            let same = |s: &&mut Shared<'_>| {
                s.notice.severity == notice.severity && s.notice.text == notice.text
            };
            match all.iter_mut().find(same) {
                Some(old) => old.columns.push((column, notice)),
                None => all.push(Shared { notice, columns: vec![(column, notice)] }),
            }
        }
    }
    all.sort_by_key(|s| std::cmp::Reverse(s.notice.severity));
    all
}

fn notice_row(input: &ReportInput, shared: &Shared<'_>) -> Markup {
    let severity = shared.notice.severity;
    html! {
        tr {
            td { span class=(severity_class(severity)) { (severity.word()) } }
            td { (shared.notice.text) }
            td {
                @for (column, notice) in &shared.columns {
                    div {
                        (badge(*column, style_of(input, *column)))
                        @if notice.count > 1 { " × " (notice.count) }
                        @if !notice.places.is_empty() { " " small { (notice.places) } }
                    }
                }
            }
        }
    }
}

const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "severity note",
        Severity::Warn => "severity warn",
        Severity::Block => "severity block",
    }
}
