//! The verdict under the title, and up to four numbers worth a large type.

use super::ReportInput;
use super::compare::{GOODPUT, reading_sentence};
use super::definitions::limits;
use super::sensitivity;
use crate::model::Metric;
use crate::views::compare::{CellValue, CompareView, Row};
use crate::views::letter;
use crate::views::sensitivity::Answer;
use maud::{Markup, html};
use std::fmt::Write as _;

/// The verdict, its cause, the facts.
pub(super) fn verdict(input: &ReportInput, lead: Option<&CompareView>) -> Markup {
    let facts = facts(input, lead);
    html! {
        @if let Some(view) = lead {
            @if !view.headline.is_empty() || !view.detail.is_empty() {
                div.verdict role="note" aria-label="Verdict" {
                    @if !input.plan.title.trim().is_empty() { p { strong { (view.headline) } } }
                    @if !view.detail.is_empty() { p { (view.detail) } }
                    @if let Some(words) = not_comparable(input) { p { (words) } }
                }
            }
        }
        @if !facts.is_empty() {
            dl.facts { @for (big, words) in facts { div { dt { (big) } dd { (words) } } } }
        }
    }
}

/// That the runs are not to be compared, and why, where that is so of every number.
fn not_comparable(input: &ReportInput) -> Option<&str> {
    let view = &input.sensitivity;
    (view.answer == Answer::NotComparable).then_some(view.sentence.as_str())
}

/// Up to four facts worth a large type: the finding's difference, the best goodput, whether another question
/// would change a verdict, what is reproduced.
pub(super) fn facts(input: &ReportInput, lead: Option<&CompareView>) -> Vec<(String, String)> {
    let Some(view) = lead else { return Vec::new() };
    let mut facts = Vec::new();
    facts.extend(difference_fact(view));
    facts.extend(goodput_fact(input, view));
    facts.extend(sensitivity::fact(&input.sensitivity));
    let signs = view.signs;
    let of = signs.equal + signs.close + signs.differs;
    if of > 0 {
        facts.push((
            format!("{} of {of}", signs.equal + signs.close),
            "printed values of the table that can be recomputed come out under their own tool’s definitions".to_owned(),
        ));
    }
    facts
}

fn difference_fact(view: &CompareView) -> Option<(String, String)> {
    let row = view.groups.iter().flat_map(|g| &g.rows).find(|row| row.highlighted)?;
    let baseline = view.columns.iter().position(|head| head.baseline)?;
    let column = named_first(view)?;
    let difference = row.cells.get(column)?.difference.as_ref()?;
    // Set against another run than the baseline the headline is about another difference.
    let against = &view.columns.get(baseline)?.name;
    if !view.headline.contains(against.as_str()) {
        return None;
    }
    let mut words = format!(
        "{} of {} against {}. {}",
        row.name,
        letter(column),
        letter(baseline),
        reading_sentence(difference.reading)
    );
    if let Some(interval) = &difference.interval {
        let _ = write!(words, ": {interval}");
    }
    Some((difference.text.clone(), words))
}

/// The column of the run that the headline begins with: the longest name, since one may begin like another.
fn named_first(view: &CompareView) -> Option<usize> {
    let begins = |name: &str| {
        let rest = view.headline.strip_prefix(name)?;
        rest.starts_with(' ').then_some(name.len())
    };
    let named = view.columns.iter().enumerate();
    let named = named.filter_map(|(at, head)| Some((begins(&head.name)?, at)));
    named.max().map(|(_, at)| at)
}

fn goodput_fact(input: &ReportInput, view: &CompareView) -> Option<(String, String)> {
    if input.limits.is_empty() {
        return None;
    }
    let rows = &view.groups.iter().find(|g| g.id == GOODPUT)?.rows;
    let mut rate_first = rows.iter().filter(|row| row.metric == Metric::Goodput).chain(rows);
    let (row, column, text) = rate_first.find_map(largest)?;
    Some((
        format!("{text} {}", row.metric.unit().symbol()),
        format!(
            "{} of {}, the most of {} under {}",
            row.name,
            letter(column),
            if view.columns.len() == 1 {
                "1 run".into()
            } else {
                format!("{} runs", view.columns.len())
            },
            limits(&input.limits)
        ),
    ))
}

/// The largest number of a row with its column.
fn largest(row: &Row) -> Option<(&Row, usize, &str)> {
    let plain = row.cells.iter().enumerate().filter_map(|(column, cell)| match &cell.value {
        CellValue::Plain { text, full, .. } => Some((column, text, full.parse::<f64>().ok()?)),
        _ => None,
    });
    let (column, text, _) = plain.max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some((row, column, text))
}
