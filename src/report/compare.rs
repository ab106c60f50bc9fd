//! The comparison: tables of metrics by run, cut to a page's width, with numbered reasons.

use super::Comparison;
use crate::units::Unit;
use crate::views::compare::{
    Cell, CellReported, CellValue, ColumnHead, CompareView, INTERVAL, Reading, Row, RowGroup, Sign,
};
use crate::views::letter;
use crate::views::repeats::RepeatsView;
use maud::{Markup, html};

/// Runs that fit side by side on A4 beside the metric's name; more stand below each other.
pub(super) const COLUMNS: usize = 4;

/// Metrics that fit side by side beside a run's name.
const METRICS: usize = 6;

/// Id of the group that has its own section.
pub(super) const GOODPUT: &str = "goodput";

/// The reasons behind signs, dashes and missing differences, each once, in the order of their numbers.
#[derive(Default)]
pub(super) struct Footnotes {
    /// Prefix that keeps the anchors of two sections apart.
    section: &'static str,
    reasons: Vec<String>,
}

impl Footnotes {
    /// An empty list for a section.
    pub(super) fn new(section: &'static str) -> Self {
        Self { section, reasons: Vec::new() }
    }

    /// The raised number of a reason, linked to it.
    pub(super) fn mark(&mut self, reason: &str) -> Markup {
        if reason.is_empty() {
            return html! {};
        }
        let at = self.reasons.iter().position(|r| r == reason).unwrap_or_else(|| {
            self.reasons.push(reason.to_owned());
            self.reasons.len() - 1
        });
        html! { sup { a href=(format!("#{}-{}", self.section, at + 1)) { (at + 1) } } }
    }

    /// The list under the tables.
    pub(super) fn list(&self) -> Markup {
        html! {
            @if !self.reasons.is_empty() {
                ol.footnotes {
                    @for (at, reason) in self.reasons.iter().enumerate() {
                        li id=(format!("{}-{}", self.section, at + 1)) { (reason) }
                    }
                }
            }
        }
    }
}

/// The section's body: every statistic's tables, the legend, the reasons.
pub(super) fn comparison(comparisons: &[Comparison]) -> Markup {
    let mut notes = Footnotes::new("reason");
    html! {
        @for (at, comparison) in comparisons.iter().enumerate() {
            @let view = &comparison.view;
            @let groups = if at == 0 { other_groups(view) } else { latency_groups(view) };
            @if comparisons.len() > 1 {
                h3 { "Latencies: " (comparison.stat.name()) }
            }
            @let name = format!("Comparison by {}", comparison.stat.name());
            (tables(&name, view, &groups, at == 0, &mut notes))
        }
        @if let Some(lead) = comparisons.first() {
            @if lead.view.columns.len() > 1 {
                p.note {
                    "Under a number: its difference to the baseline, and the 95 % interval of that difference."
                    @if lead.view.columns.len() > COLUMNS { " After a sign: what the tool printed." }
                }
            }
            @if let Some(repeats) = &lead.repeats { (repeats_table(repeats)) }
            (legend(&lead.view))
        }
        (notes.list())
    }
}

/// What repeats of one measurement say together.
fn repeats_table(view: &RepeatsView) -> Markup {
    html! {
        h3 { (view.title) }
        p.note { (view.note) }
        div.scroll role="region" tabindex="0" aria-label=(view.title) {
            table.compare {
                thead { tr {
                    th scope="col" { "Metric" }
                    th scope="col" { "All" }
                    @for run in &view.runs { th scope="col" { (run) } }
                } }
                tbody {
                    @for row in &view.rows {
                        tr {
                            th scope="row" { (row.name) small { (row.stamp) } }
                            td { (row.together) small { (row.spread) } }
                            @for each in &row.each { td { (each) } }
                        }
                    }
                }
            }
        }
    }
}

/// The goodput rows of the first comparison as tables of their own.
pub(super) fn goodput(view: &CompareView, notes: &mut Footnotes) -> Markup {
    let groups: Vec<RowGroup> =
        view.groups.iter().filter(|g| g.id == GOODPUT && !g.rows.is_empty()).cloned().collect();
    tables("Goodput", view, &groups, false, notes)
}

fn other_groups(view: &CompareView) -> Vec<RowGroup> {
    view.groups.iter().filter(|g| g.id != GOODPUT && !g.rows.is_empty()).cloned().collect()
}

/// Only the rows that another statistic changes.
fn latency_groups(view: &CompareView) -> Vec<RowGroup> {
    let mut groups = other_groups(view);
    for group in &mut groups {
        group.rows.retain(|row| row.metric.unit() == Unit::Millis);
    }
    groups.retain(|group| !group.rows.is_empty());
    groups
}

/// What the four signs say, with how many cells carry each.
fn legend(view: &CompareView) -> Markup {
    let signs = [
        (
            Sign::Equal,
            view.signs.equal,
            "the printed number comes out under its tool’s own definition",
        ),
        (Sign::Close, view.signs.close, "within 1 %"),
        (Sign::Differs, view.signs.differs, "differs more than that"),
        (
            Sign::ReportedOnly,
            view.signs.reported_only,
            "the file holds nothing to recompute it from",
        ),
    ];
    html! {
        dl.legend {
            @for (sign, count, words) in signs {
                div { dt { span.sign { (sign.glyph()) } " " (count) } dd { (words) } }
            }
        }
        @if let Some(words) = view.support_legend() { p.note { (words) } }
    }
}

/// The name of a table as a landmark: no two of a page are the same.
pub(super) fn region(name: &str, at: usize, of: usize) -> String {
    if of > 1 { format!("{name}, table {} of {of}", at + 1) } else { name.to_owned() }
}

/// Tables of some groups: runs side by side where they fit, else metrics. Each table is a region of its own,
/// named by what it holds. `full_heads` says all there is about the columns, else their names.
fn tables(
    name: &str,
    view: &CompareView,
    groups: &[RowGroup],
    full_heads: bool,
    notes: &mut Footnotes,
) -> Markup {
    if groups.is_empty() {
        return html! {};
    }
    if view.columns.len() > COLUMNS {
        return html! { @for group in groups { (by_run(name, view, group, notes)) } };
    }
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region(name, 0, 1)) {
            table.compare {
                thead { tr {
                    th scope="col" { "Metric" }
                    @for (column, head) in view.columns.iter().enumerate() { (column_head(head, column, full_heads)) }
                } }
                @for group in groups {
                    tbody {
                        tr.group { th scope="rowgroup" colspan=(view.columns.len() + 1) { (group_title(group)) } }
                        @for row in &group.rows { (table_row(row, notes)) }
                    }
                }
            }
        }
    }
}

fn group_title(group: &RowGroup) -> Markup {
    html! { (group.title) @if !group.hint.is_empty() { " " small { (group.hint) } } }
}

/// One group with a row for each run.
fn by_run(name: &str, view: &CompareView, group: &RowGroup, notes: &mut Footnotes) -> Markup {
    let sets: Vec<&[Row]> = group.rows.chunks(METRICS).collect();
    html! {
        @for (at, set) in sets.iter().enumerate() {
            div.scroll role="region" tabindex="0"
                aria-label=(region(&format!("{name}: {}", group.title), at, sets.len()))
            {
                table.compare.many {
                    caption { strong { (group_title(group)) } }
                    thead { tr {
                        th scope="col" { "Run" }
                        @for row in *set {
                            th scope="col" class=[row.highlighted.then_some("highlighted")] { (row.name) small { (row.stamp) } }
                        }
                    } }
                    tbody { @for (column, head) in view.columns.iter().enumerate() { tr {
                        th scope="row" {
                            (badge(column, head.style)) " " (head.name)
                            @if head.baseline { small { "baseline" } }
                        }
                        @for row in *set {
                            @match row.cells.get(column) {
                                Some(cell) => (tight_cell(cell, head.baseline, notes)),
                                None => td {},
                            }
                        }
                    } } }
                }
            }
        }
    }
}

/// Letter, name and what is known of a run, over its column.
fn column_head(head: &ColumnHead, column: usize, full: bool) -> Markup {
    html! {
        th scope="col" class=[head.baseline.then_some("baseline")] {
            (badge(column, head.style)) " " (head.name)
            @if full && !head.sub.is_empty() { small { (head.sub) } }
            @if head.baseline { small { "baseline" } }
            @if full && head.scripted { small.scripted { "scripted server" } }
            @if full && !head.reproduced.is_empty() {
                small class=[head.reproduced_all.then_some("ok")] { (head.reproduced) }
            }
        }
    }
}

/// A run's letter over its colour.
pub(super) fn badge(column: usize, style: usize) -> Markup {
    html! { span class=(format!("letter s{}", style % 8 + 1)) { (letter(column)) } }
}

fn table_row(row: &Row, notes: &mut Footnotes) -> Markup {
    html! {
        tr class=[row.highlighted.then_some("highlighted")] {
            th scope="row" { (row.name) small { (row.stamp) } }
            @for (column, cell) in row.cells.iter().enumerate() { (table_cell(cell, column == 0, notes)) }
        }
    }
}

fn table_cell(cell: &Cell, baseline: bool, notes: &mut Footnotes) -> Markup {
    html! {
        td class=[baseline.then_some("baseline")] {
            (value(&cell.value, notes))
            @if let Some(difference) = &cell.difference {
                span class=(format!("difference {}", reading_class(difference.reading))) {
                    b { (difference.text) } " " (reading_words(difference.reading))
                }
                @if let Some(interval) = &difference.interval {
                    small { (interval.strip_prefix(INTERVAL).unwrap_or(interval)) }
                }
            }
            @if let Some(reason) = &cell.no_difference {
                span.difference { em { "not compared" } (notes.mark(reason)) }
            }
            @if let Some(reported) = &cell.reported { (printed(reported, notes)) }
            @if let Some(words) = &cell.support { small.own { (words) } }
            @if let Some(words) = &cell.own_words { small.own { (words) } }
        }
    }
}

/// The same where many stand beside and below each other: signs and numbers, words under the table.
fn tight_cell(cell: &Cell, baseline: bool, notes: &mut Footnotes) -> Markup {
    html! {
        td class=[baseline.then_some("baseline")] {
            (tight_value(&cell.value, notes))
            @if let Some(difference) = &cell.difference {
                div class=(reading_class(difference.reading)) { b { (difference.text) } " " (reading_words(difference.reading)) }
                @if let Some(interval) = &difference.interval {
                    div { (interval.strip_prefix(INTERVAL).unwrap_or(interval)) }
                }
            }
            @if let Some(reason) = &cell.no_difference { div { em { "not compared" } (notes.mark(reason)) } }
            @if let Some(reported) = &cell.reported {
                div class=[(reported.sign == Sign::Differs).then_some("worse")] {
                    (reported.sign.glyph()) " " (reported.text)
                    @if reported.sign != Sign::Equal { (notes.mark(&reported.because)) }
                    @if let Some(words) = &cell.own_words { (notes.mark(words)) }
                }
            }
            @if let Some(words) = &cell.support { div { (words) } }
        }
    }
}

/// The same without its digits, which stand in the raw tables.
fn tight_value(shown: &CellValue, notes: &mut Footnotes) -> Markup {
    match shown {
        CellValue::Plain { text, weak, extreme, .. } => html! {
            span class=(if *extreme { "value faint" } else { "value" }) { @if *weak && !text.starts_with('≈') { "≈ " } (text) }
        },
        _ => value(shown, notes),
    }
}

fn value(value: &CellValue, notes: &mut Footnotes) -> Markup {
    match value {
        CellValue::Plain { text, full, weak, extreme } => html! {
            data class=(if *extreme { "value faint" } else { "value" }) value=(full) { @if *weak && !text.starts_with('≈') { "≈ " } (text) }
        },
        CellValue::Bound { text, full, because } => html! {
            data.value value=(full) { (text) } (notes.mark(because))
        },
        CellValue::Reported { text, full, because } => html! {
            data.value.hollow value=(full) { (text) } (notes.mark(because))
        },
        CellValue::Missing { because } => html! { span.value { "–" } (notes.mark(because)) },
    }
}

fn printed(reported: &CellReported, notes: &mut Footnotes) -> Markup {
    let sign = reported.sign;
    html! {
        span class=(if sign == Sign::Differs { "printed differs" } else { "printed" }) {
            "printed " span.sign title=(sign.words()) { (sign.glyph()) } " " (reported.text)
            @if sign != Sign::Equal { (notes.mark(&reported.because)) }
        }
    }
}

const fn reading_words(reading: Reading) -> &'static str {
    match reading {
        Reading::NotClear => "not clear",
        Reading::Better => "better",
        Reading::Worse => "worse",
        Reading::Different => "different",
        Reading::TooFew => "too few data",
        Reading::Unknown => "no interval",
    }
}

const fn reading_class(reading: Reading) -> &'static str {
    match reading {
        Reading::Better => "better",
        Reading::Worse => "worse",
        Reading::NotClear | Reading::Different | Reading::TooFew | Reading::Unknown => "",
    }
}

/// A difference as words for the facts under the verdict.
pub(super) const fn reading_sentence(reading: Reading) -> &'static str {
    match reading {
        Reading::NotClear => "No clear difference",
        Reading::Better => "Clearly better",
        Reading::Worse => "Clearly worse",
        Reading::Different => "A clear difference",
        Reading::TooFew => "Too few data for a difference",
        Reading::Unknown => "A difference without an interval",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reason_has_one_number() {
        let mut notes = Footnotes::new("n");
        let first = notes.mark("no send times").into_string();
        notes.mark("other");
        assert_eq!(notes.mark("no send times").into_string(), first);
        assert_eq!(notes.list().into_string().matches("<li").count(), 2);
    }
}
