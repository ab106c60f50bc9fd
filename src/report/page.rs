//! The page: head with its own content policy, contents list, verdict, numbered sections.

use super::inside::inside;
use super::runs::rows;
use super::sections::{OutlineRow, contents, sections};
use super::summary::summary;
use super::verdict::verdict;
use super::{Carried, ReportInput};
use crate::charts::{Mode, Theme, css_variables};
use crate::session_file::BLOCK;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::fmt::Write as _;

const SHEET: &str = include_str!("report.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// A report and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The whole report as one HTML file.
    pub html: String,
    /// Its sections, those that are not printed included.
    pub outline: Vec<OutlineRow>,
    /// What is inside, in sentences.
    pub inside: Vec<String>,
    /// The report in short, as Markdown.
    pub markdown: String,
}

/// Prints a report.
pub fn page(input: &ReportInput) -> Page {
    let lead = input.comparisons.first().map(|c| &c.view);
    let title = title(input);
    let (sections, outline) = sections(input);
    let inside = inside(input);
    let author = input.plan.author.trim();
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
                nav aria-label="Contents" { (contents(&sections, &inside)) }
                main {
                    header {
                        p.kicker {
                            span { "Same Ruler report" }
                            span { @if !author.is_empty() { (author) " · " } time { (input.date) } }
                        }
                        h1 { (title) }
                        (setting(input))
                    }
                    (verdict(input, lead))
                    @for (number, section) in (1..).zip(&sections) {
                        section id=(section.id) aria-labelledby=(format!("{}-title", section.id)) {
                            h2 id=(format!("{}-title", section.id)) {
                                span.number { (number) } " " (section.title)
                            }
                            @for paragraph in &section.note { p.remark { (paragraph) } }
                            (section.body)
                        }
                    }
                }
                @if let Some(data) = input.data.as_ref().filter(|data| !data.block.is_empty()) { (carried(data)) }
            }
        }
    };
    Page { html: markup.into_string(), outline, inside, markdown: summary(input) }
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

/// `text` as the page writes it.
pub fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
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
    let title = [input.plan.title.trim(), finding].into_iter().find(|t| !t.is_empty());
    title.unwrap_or("Benchmark report")
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
