//! The definitions: the box before any table, and the appendix with every dimension in words.

use super::ReportInput;
use crate::model::{Limit, Metric};
use crate::views::Ruler;
use crate::views::definitions::{DefinitionsView, DimensionChoice, RunRuler};
use crate::views::slo::limits_in_words;
use maud::{Markup, html};

/// Dimensions of the box beside those that were changed; stamps name the others where they bear.
const BOXED: [&str; 7] = [
    "token-count",
    "population",
    "percentile",
    "window",
    "duration",
    "goodput-rule",
    "goodput-missing",
];

/// Metrics whose formula stands in the box.
const FORMULAS: [Metric; 5] =
    [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e, Metric::OutputThroughput];

/// The formula of each metric that is compared, as its rows are stamped.
fn stamps(input: &ReportInput) -> Vec<(&str, &str)> {
    let rows = || {
        let view = input.comparisons.first().map(|comparison| &comparison.view);
        view.into_iter().flat_map(|view| &view.groups).flat_map(|group| &group.rows)
    };
    let of = |metric| rows().find(|row| row.metric == metric);
    FORMULAS
        .into_iter()
        .filter_map(of)
        .map(|row| {
            // The unit stands last, and in the tables.
            let formula =
                row.stamp.rsplit_once(" · ").map_or(row.stamp.as_str(), |(formula, _)| formula);
            (row.name.as_str(), formula)
        })
        .collect()
}

/// Preset, departures and limits, with the formula of each dimension.
pub(super) fn summary(input: &ReportInput) -> Markup {
    let view = &input.definitions;
    html! {
        @if input.ruler == Ruler::Own {
            p.banner {
                strong { "Mixed definitions. " }
                "Each run stands under the definitions of the tool that wrote it; numbers of one row may be different sums."
            }
        }
        @if let Some(banner) = input.comparisons.first().and_then(|c| c.view.banner.as_ref()) {
            p.banner { (banner) }
        }
        dl.box {
            div.wide { dt { "Ruler" } dd { (ruler(input)) } }
            div.wide { dt { "Limits" } dd { (limits(&input.limits)) } }
            @for (name, stamp) in stamps(input) { div { dt { (name) } dd { (stamp) } } }
            @for dimension in view.dimensions.iter().filter(|d| d.changed || BOXED.contains(&d.id.as_str())) {
                @if let Some(choice) = dimension.choices.iter().find(|c| c.chosen) {
                    div class=[dimension.changed.then_some("changed")] {
                        dt { (dimension.label) }
                        dd { (choice.label) @if dimension.changed { " " small.tag { "changed" } } }
                    }
                }
            }
        }
        p.note { "All " (view.dimensions.len()) " dimensions, what they mean and where they were read: " a href="#appendix" { "appendix" } "." }
    }
}

/// The preset by name, and how far the present set departs from it.
fn ruler(input: &ReportInput) -> String {
    let Ruler::Same { preset, .. } = &input.ruler else {
        return "each run in its own tool’s definitions".into();
    };
    let named = input.definitions.presets.iter().find(|p| p.id == *preset);
    let name = named.map_or(preset.as_str(), |p| p.name.as_str());
    let custom = &input.definitions.custom;
    if custom.is_empty() { format!("{name}, on all runs") } else { custom.clone() }
}

/// The limits in one line: "TTFT ≤ 250 ms, E2E ≤ 900 ms".
pub(super) fn limits(limits: &[Limit]) -> String {
    if limits.is_empty() {
        return "none set".into();
    }
    limits_in_words(limits)
}

/// Every dimension: what it asks, what is chosen, what that means, and where the preset was read.
pub(super) fn appendix(view: &DefinitionsView) -> Markup {
    html! {
        @if let Some(base) = view.presets.iter().find(|p| p.base) {
            @if !base.note.is_empty() { p { strong { (base.name) } ": " (base.note) } }
            @if !base.editions.is_empty() {
                p { "What its versions measured otherwise:" }
                ul { @for edition in &base.editions { li { (edition) } } }
            }
        }
        @if !view.runs.is_empty() {
            p { "The ruler under which each run was printed:" }
            ul { @for (names, run) in by_ruler(&view.runs) { li { (run_ruler(&names, run)) } } }
        }
        div.scroll role="region" tabindex="0" aria-label="Definitions" {
            table.words {
                thead { tr { th scope="col" { "Dimension" } th scope="col" { "Chosen" } th scope="col" { "Meaning" } } }
                tbody { @for dimension in &view.dimensions { (dimension_row(dimension)) } }
            }
        }
    }
}

/// The rulers, each once, with the names of the runs that were printed under it.
fn by_ruler(runs: &[RunRuler]) -> Vec<(Vec<&str>, &RunRuler)> {
    let mut rulers: Vec<(Vec<&str>, &RunRuler)> = Vec::new();
    let key = |run: &RunRuler| {
        (run.stamp.clone(), run.edition.clone(), run.because.clone(), run.by_file.clone())
    };
    for run in runs {
        match rulers.iter_mut().find(|(_, known)| key(known) == key(run)) {
            Some((names, _)) if names.contains(&run.name.as_str()) => {}
            Some((names, _)) => names.push(&run.name),
            None => rulers.push((vec![&run.name], run)),
        }
    }
    rulers
}

/// "Run A: as vLLM, edition 0.7 to before 0.27. Guessed as …. In this file besides: end = last-message."
fn run_ruler(names: &[&str], run: &RunRuler) -> Markup {
    html! {
        strong { (names.join(", ")) } ": " (run.stamp)
        @if !run.edition.is_empty() { ", edition " (run.edition) }
        ". " (run.because)
        @if !run.by_file.is_empty() { " In this file besides: " (run.by_file.join(", ")) "." }
    }
}

fn dimension_row(dimension: &DimensionChoice) -> Markup {
    let chosen = dimension.choices.iter().find(|c| c.chosen);
    html! {
        tr {
            th scope="row" { (dimension.label) small { (dimension.question) } }
            td {
                @if let Some(choice) = chosen { (choice.label) small { code { (dimension.id) "=" (choice.id) } } }
            }
            td {
                @if let Some(choice) = chosen { (choice.meaning) }
                @if let Some(worked) = &dimension.worked { small { "Worked: " (worked) } }
            }
        }
    }
}
