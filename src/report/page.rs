//! The page: head with its own content policy, contents list, verdict, numbered sections.

use super::compare::{Footnotes, GOODPUT, comparison, goodput, reading_sentence};
use super::definitions::{appendix, limits, summary};
use super::distributions::distributions;
use super::explain::explain;
use super::quality::quality;
use super::runs::{agreement, rows, runs, runs_at_length};
use super::window::window;
use super::{Carried, ReportInput, figure, letter};
use crate::charts::{Mode, Theme, css_variables};
use crate::model::Metric;
use crate::session_file::BLOCK;
use crate::units::bytes;
use crate::views::capacity::CapacityCard;
use crate::views::compare::{CellValue, CompareView, Row};
use crate::views::curves::Table;
use crate::views::goodput::{GoodputMaps, GoodputView};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::fmt::Write as _;

const SHEET: &str = include_str!("report.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// One section: anchor, title, body. One without a body is left out and takes no number.
struct Section {
    id: &'static str,
    title: String,
    body: Option<Markup>,
}

/// The whole report as one HTML file.
pub fn page(input: &ReportInput) -> String {
    let lead = input.comparisons.first().map(|c| &c.view);
    let title = title(input);
    let sections: Vec<Section> = sections(input).into_iter().filter(|s| s.body.is_some()).collect();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content=(concat!("Same Ruler ", env!("CARGO_PKG_VERSION")));
                title { (title) " – Same Ruler" }
                style { (PreEscaped(style())) }
            }
            body {
                nav aria-label="Contents" { (contents(&sections)) }
                main {
                    header {
                        p.kicker { span { "Same Ruler report" } time { (input.date) } }
                        h1 { (title) }
                        (setting(input))
                    }
                    (verdict(input, lead))
                    @for (number, section) in (1..).zip(&sections) {
                        section id=(section.id) aria-labelledby=(format!("{}-title", section.id)) {
                            h2 id=(format!("{}-title", section.id)) {
                                span.number { (number) } " " (section.title)
                            }
                            @if let Some(body) = &section.body { (body) }
                        }
                    }
                }
                @if let Some(data) = &input.data { (carried(data)) }
            }
        }
    };
    markup.into_string()
}

/// The data behind the report. A template is neither shown nor run. The self-check reads the words of the
/// comment as attributes, so none of them is the name of one that fetches.
fn carried(data: &Carried) -> Markup {
    html! {
        (PreEscaped(format!(
            "<!-- The runs of this report ({}): a session file of Same Ruler, gzip in Base64. No script, no prompts, no replies. -->",
            data.level.name(),
        )))
        template id=(BLOCK) data-level=(data.level.id()) { "\n" (data.block) }
    }
}

fn style() -> String {
    let [light, dark, print] = [Mode::Light, Mode::Dark, Mode::Print].map(Theme::of);
    let mut css = format!(
        ":root,.paper{{{}}}@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}@media print{{:root,.paper{{{}}}}}",
        css_variables(&light),
        css_variables(&dark),
        css_variables(&print),
    );
    for run in 1..=8 {
        // Writing to a String does not fail.
        let _ = write!(css, ".s{run}{{--run:var(--s{run})}}");
    }
    css.push_str(SHEET);
    css
}

/// The title as given, or the finding.
pub(super) fn title(input: &ReportInput) -> &str {
    let finding = input.comparisons.first().map_or("", |c| c.view.headline.as_str());
    let title = [input.title.trim(), finding].into_iter().find(|t| !t.is_empty());
    title.unwrap_or("Benchmark report")
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        p { "Contents" }
        ol {
            @for section in sections { li { a href=(format!("#{}", section.id)) { (section.title) } } }
        }
        p.note { "This file needs no script and no network." }
        p.note { "It holds measurements and settings. No prompts, no replies." }
    }
}

/// The line under the title: the groups the runs belong to, and whether a server was scripted.
fn setting(input: &ReportInput) -> Markup {
    let of_report = |id| input.cards.iter().any(|card| card.id.as_ref() == Some(id));
    let groups: Vec<&str> = input
        .library
        .groups
        .iter()
        .filter(|group| group.rows.iter().any(|row| of_report(&row.id)))
        .map(|group| group.title.as_str())
        .collect();
    html! {
        p.setting {
            (groups.join("; "))
            @if rows(input).any(|row| row.scripted) {
                " " span.tag.warn { "scripted server: no model, no GPU" }
            }
        }
    }
}

fn verdict(input: &ReportInput, lead: Option<&CompareView>) -> Markup {
    let facts = facts(input, lead);
    html! {
        @if let Some(view) = lead {
            @if !view.headline.is_empty() || !view.detail.is_empty() {
                div.verdict role="note" aria-label="Verdict" {
                    @if !input.title.trim().is_empty() { p { strong { (view.headline) } } }
                    @if !view.detail.is_empty() { p { (view.detail) } }
                }
            }
        }
        @if !facts.is_empty() {
            dl.facts { @for (big, words) in facts { div { dt { (big) } dd { (words) } } } }
        }
    }
}

/// Up to three numbers worth a large type: the finding's difference, the best goodput, what is reproduced.
fn facts(input: &ReportInput, lead: Option<&CompareView>) -> Vec<(String, String)> {
    let Some(view) = lead else { return Vec::new() };
    let mut facts = Vec::new();
    facts.extend(difference_fact(view));
    facts.extend(goodput_fact(input, view));
    let signs = view.signs;
    let of = signs.equal + signs.close + signs.differs + signs.reported_only;
    if of > 0 {
        facts.push((
            format!("{} of {of}", signs.equal + signs.close),
            "printed values of the table come out under their own tool’s definitions".to_owned(),
        ));
    }
    facts
}

fn difference_fact(view: &CompareView) -> Option<(String, String)> {
    let row = view.groups.iter().flat_map(|g| &g.rows).find(|row| row.highlighted)?;
    let (column, difference) = row
        .cells
        .iter()
        .enumerate()
        .find_map(|(column, cell)| Some((column, cell.difference.as_ref()?)))?;
    let baseline = view.columns.iter().position(|head| head.baseline)?;
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

/// Whether the report holds a sweep: its curve then says more than the tables.
fn has_sweep(input: &ReportInput) -> bool {
    let shown = |id| input.cards.iter().any(|card| card.id.as_ref() == Some(id));
    let groups = input.library.groups.iter().filter(|group| group.sweep);
    groups.into_iter().any(|group| group.rows.iter().filter(|row| shown(&row.id)).count() > 1)
}

fn sections(input: &ReportInput) -> Vec<Section> {
    let lead = input.comparisons.first().map(|c| &c.view);
    let section = |id, title: &str, body| Section { id, title: title.to_owned(), body };
    let summary = section("definitions", "Definitions", Some(summary(input)));
    let runs_section = section("runs", "Runs", (!input.cards.is_empty()).then(|| runs(input)));
    let windowed = section("window", "Window", input.window.as_ref().map(window));
    let table = section(
        "comparison",
        "Comparison",
        lead.is_some_and(|view| !view.groups.is_empty()).then(|| comparison(&input.comparisons)),
    );
    let rulers = section(
        "rulers",
        "As printed and on one ruler",
        lead.and_then(|v| v.strip.as_ref()).map(figure::strip),
    );
    let curve = section("curve", "Load curve", has_sweep(input).then(|| curve(input)).flatten());
    let goodput = section("goodput", "Goodput under limits", Some(goodput_section(input, lead)));
    let found = if has_sweep(input) {
        [curve, goodput, table, rulers]
    } else {
        [rulers, table, curve, goodput]
    };
    let explained =
        section("explain", "Disagreement explained", input.explain.as_ref().map(explain));
    let closing = [
        section("distributions", "Distributions", distributions(&input.distributions)),
        explained,
        section("quality", "Quality and limits", Some(quality(input))),
        section("provenance", "Provenance", Some(provenance(input))),
        section("appendix", "Appendix: definitions used", Some(appendix(&input.definitions))),
        section(
            "length",
            "Appendix: runs at length",
            (!input.cards.is_empty()).then(|| runs_at_length(input)),
        ),
        section(
            "printed",
            "Appendix: every printed value",
            input.cards.iter().any(|c| !c.agreement.is_empty()).then(|| agreement(input)),
        ),
    ];
    [summary, runs_section, windowed].into_iter().chain(found).chain(closing).collect()
}

fn curve(input: &ReportInput) -> Option<Markup> {
    let view = &input.curves;
    let silent = view.left_out.is_empty() && view.held_back.is_empty();
    if view.main.is_none() && view.empty.is_none() && silent {
        return None;
    }
    Some(html! {
        @if let Some(spec) = &view.main { (figure::main(spec)) }
        @if let Some(empty) = &view.empty { p { (empty) } }
        @if !view.caption.is_empty() && view.main.is_some() { p.note { (view.caption) } }
        (table(&view.table, "Points of the curve"))
        @if !view.small.is_empty() {
            div.small-multiples { @for spec in &view.small { (figure::small(spec)) } }
        }
        @if !view.held_back.is_empty() || !view.left_out.is_empty() {
            ul.note {
                @for run in &view.held_back {
                    li { strong { (run.name) " is on no curve: " (run.finding) "." } " " (run.text) }
                }
                @for sentence in &view.left_out { li { (sentence) } }
            }
        }
    })
}

fn table(table: &Table, label: &str) -> Markup {
    html! {
        @if !table.rows.is_empty() {
            div.scroll role="region" tabindex="0" aria-label=(label) {
                table.points {
                    thead { tr { @for head in &table.head { th scope="col" { (head) } } } }
                    tbody { @for row in &table.rows { tr {
                        @for (at, cell) in row.iter().enumerate() {
                            @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                        }
                    } } }
                }
            }
        }
    }
}

fn goodput_section(input: &ReportInput, lead: Option<&CompareView>) -> Markup {
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
        @for (view, maps) in &input.goodput { (by_load(view, maps)) }
        @for card in &input.curves.capacity { (capacity(card)) }
        @if !input.slo.statements.is_empty() {
            h3 { "The SLO written out" }
            ul.note { @for statement in &input.slo.statements { li { (statement.name) ": " (statement.sentence) } } }
        }
    }
}

/// One sweep under the limits: goodput and the share within each limit by load, and the peak under others.
fn by_load(view: &GoodputView, maps: &GoodputMaps) -> Markup {
    let name = view.shown.and_then(|at| view.sweeps.get(at)).map_or("", |sweep| &sweep.name);
    html! {
        h3 { "Goodput of " (name) " by load" }
        @for spec in [&view.by_load, &view.shares].into_iter().flatten() { (figure::main(spec)) }
        (table(&view.table, "Goodput and shares by load"))
        @if let Some(map) = &maps.map { (figure::rows(map)) }
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

fn provenance(input: &ReportInput) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="Input files" {
            table.words.files {
                thead { tr {
                    th scope="col" { "File" }
                    th scope="col" { "Made by" }
                    th.number scope="col" { "Bytes" }
                    th scope="col" { "SHA-256" }
                } }
                tbody { @for source in &input.sources { tr {
                    th scope="row" { (source.file) }
                    td { (source.made_by) }
                    td.number title=(bytes(source.bytes)) { (source.bytes) }
                    td { code { (source.sha256) } }
                } } }
            }
        }
        @if let Some(data) = &input.data {
            p.note {
                "This file carries the data of its runs (" (data.level.name()) ", "
                (bytes(data.block.len() as u64)) "): drop it on Same Ruler, or name it to the command, and the runs, definitions and view are back."
            }
        }
        p.note {
            "Written by Same Ruler " (env!("CARGO_PKG_VERSION")) @if !input.date.is_empty() { " on " (input.date) }
            ". The same files and settings give the same report, byte for byte."
        }
    }
}
