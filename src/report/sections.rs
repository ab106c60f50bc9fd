//! The sections of a report: one list, arranged as the reader wants it.

use super::compare::comparison;
use super::curve::curve;
use super::definitions::{appendix, summary};
use super::distributions::distributions;
use super::explain::explain;
use super::goodput::goodput_section;
use super::provenance::provenance;
use super::quality::quality;
use super::runs::{agreement, runs, runs_at_length};
use super::sensitivity::sensitivity;
use super::server::server;
use super::window::window;
use super::{ReportInput, figure, raw};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A kind of section.
struct Kind {
    /// Its anchor, and its name in a plan.
    id: &'static str,
    /// Its usual heading.
    title: &'static str,
    /// What it prints of a report; nothing where the report has nothing for it.
    body: fn(&ReportInput) -> Option<Markup>,
}

/// All kinds in their usual order.
const KINDS: [Kind; 17] = [
    Kind { id: "definitions", title: "Definitions", body: |input| Some(summary(input)) },
    Kind {
        id: "runs",
        title: "Runs",
        body: |input| (!input.cards.is_empty()).then(|| runs(input)),
    },
    Kind { id: "window", title: "Window", body: |input| input.window.as_ref().map(window) },
    Kind {
        id: "comparison",
        title: "Comparison",
        body: |input| {
            let compared = input.comparisons.first().is_some_and(|c| !c.view.groups.is_empty());
            compared.then(|| comparison(&input.comparisons))
        },
    },
    Kind {
        id: "rulers",
        title: "As printed and on one ruler",
        body: |input| input.comparisons.first()?.view.strip.as_ref().map(figure::strip),
    },
    Kind {
        id: "explain",
        title: "Why the printed numbers differ",
        body: |input| input.explain.as_ref().map(explain),
    },
    Kind {
        id: "curve",
        title: "Load curve",
        body: |input| has_sweep(input).then(|| curve(input)).flatten(),
    },
    Kind {
        id: "goodput",
        title: "Goodput under limits",
        body: |input| Some(goodput_section(input, input.comparisons.first().map(|c| &c.view))),
    },
    Kind {
        id: "distributions",
        title: "Distributions",
        body: |input| distributions(&input.distributions),
    },
    Kind { id: "server", title: "Server metrics", body: |input| server(&input.server) },
    Kind { id: "sensitivity", title: "Sensitivity", body: |input| sensitivity(&input.sensitivity) },
    Kind { id: "quality", title: "Quality and limits", body: |input| Some(quality(input)) },
    Kind { id: "provenance", title: "Provenance", body: |input| Some(provenance(input)) },
    Kind {
        id: "appendix",
        title: "Appendix: definitions used",
        body: |input| Some(appendix(&input.definitions)),
    },
    Kind {
        id: "length",
        title: "Appendix: runs at length",
        body: |input| (!input.cards.is_empty()).then(|| runs_at_length(input)),
    },
    Kind {
        id: "printed",
        title: "Appendix: every printed value",
        body: |input| {
            input.cards.iter().any(|card| !card.agreement.is_empty()).then(|| agreement(input))
        },
    },
    Kind { id: "raw", title: "Appendix: raw tables", body: raw::raw },
];

/// The names by which a plan knows the sections, in their usual order.
pub fn section_ids() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.id).collect()
}

/// One section of a report as it is printed.
pub(super) struct Section<'a> {
    /// Its anchor.
    pub id: &'static str,
    /// Its heading.
    pub title: &'a str,
    /// The reader's note, in paragraphs.
    pub note: Vec<&'a str>,
    /// What it prints.
    pub body: Markup,
}

/// A section as an outline names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineRow {
    /// Its name in a plan.
    pub id: String,
    /// Its usual heading.
    pub title: String,
    /// Whether it is printed.
    pub shown: bool,
    /// Whether there is anything to print.
    pub filled: bool,
    /// Bytes of what it prints or would print.
    pub bytes: u64,
}

/// The sections that are printed, and the outline of all of them, in the order that the plan gives.
pub(super) fn sections(input: &ReportInput) -> (Vec<Section<'_>>, Vec<OutlineRow>) {
    let mut printed = Vec::new();
    let mut outline = Vec::new();
    let usual = usual(input);
    for at in input.plan.order(&usual) {
        let Some(kind) = usual.get(at).and_then(|id| KINDS.iter().find(|kind| kind.id == *id))
        else {
            continue;
        };
        let planned = input.plan.of(kind.id);
        let body = (kind.body)(input);
        let shown = planned.is_none_or(|planned| planned.shown);
        outline.push(OutlineRow {
            id: kind.id.to_owned(),
            title: kind.title.to_owned(),
            shown,
            filled: body.is_some(),
            bytes: body.as_ref().map_or(0, |body| body.0.len() as u64),
        });
        let title = planned.map(|p| p.title.trim()).filter(|title| !title.is_empty());
        let note = planned.map_or("", |planned| planned.note.trim());
        if let (true, Some(body)) = (shown, body) {
            printed.push(Section {
                id: kind.id,
                title: title.unwrap_or(kind.title),
                note: note.split("\n\n").map(str::trim).filter(|p| !p.is_empty()).collect(),
                body,
            });
        }
    }
    (printed, outline)
}

/// The usual order: where there is a sweep, its curve says more than the tables.
fn usual(input: &ReportInput) -> Vec<&'static str> {
    let mut ids = section_ids();
    if has_sweep(input) {
        let late = ["comparison", "rulers", "explain"];
        let (after, before): (Vec<_>, Vec<_>) = ids.iter().partition(|id| late.contains(id));
        let at = before.iter().position(|id| *id == "distributions").unwrap_or(before.len());
        ids = before;
        ids.splice(at..at, after);
    }
    ids
}

/// Whether the report holds a sweep.
fn has_sweep(input: &ReportInput) -> bool {
    let shown = |id| input.cards.iter().any(|card| card.id.as_ref() == Some(id));
    let groups = input.library.groups.iter().filter(|group| group.sweep);
    groups.into_iter().any(|group| group.rows.iter().filter(|row| shown(&row.id)).count() > 1)
}

/// The list of what is printed.
pub(super) fn contents(sections: &[Section<'_>], inside: &[String]) -> Markup {
    html! {
        p { "Contents" }
        ol {
            @for section in sections { li { a href=(format!("#{}", section.id)) { (section.title) } } }
        }
        p.note { "This file needs no script and no network." }
        @for sentence in inside { p.note { (sentence) } }
    }
}
