//! Sensitivity: whether another definition, window, statistic or limit would give another verdict.
//!
//! Every question that the reader could have asked instead is asked, and the verdicts are laid side by side:
//! which run is best where runs stand alone, and at which load goodput peaks where they are a sweep.

mod contest;
mod variant;

use self::contest::{Contest, Verdict};
use self::variant::{Kind, Variant};
use super::Context;
use super::groups::groups;
use super::measure::{Measurement, selected};
use crate::metrics::differing_for;
use crate::model::{Metric, Run, Stat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SensitivityView {
    /// "Yes", "No", or why it can't be said: the short answer to whether the verdict changes.
    pub answer: Answer,
    /// The answer as a sentence: "No: in 36 other verdicts nothing else wins (12 other definitions, 3 other windows)."
    pub sentence: String,
    /// Each change in words: "ITL, as GuideLLM: B in place of no clear difference".
    pub changes: Vec<String>,
    /// One table for the runs that stand alone, one for the sweeps.
    pub tables: Vec<SensitivityTable>,
}

/// Whether the verdict changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// There is nothing to compare.
    #[default]
    Nothing,
    /// No other run wins anywhere.
    Unchanged,
    /// At least once another run wins, or another load.
    Changes,
    /// No two runs are comparable.
    NotComparable,
}

/// Verdicts by question and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitivityTable {
    /// "The best run", "Where goodput peaks".
    pub title: String,
    /// The numbers: "ITL", or the name of a sweep.
    pub columns: Vec<String>,
    /// The question as asked, then the others that bear on a column.
    pub rows: Vec<SensitivityRow>,
    /// Why no two runs are compared under the question as asked, where that is so of every number.
    pub apart: Option<String>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitivityRow {
    /// What is asked otherwise: "Definition", "Window", "Statistic", "Limits"; "As shown" in the first row.
    pub kind: String,
    /// "as vLLM", "without the first 8", "mean", "half"; several where all of them give the same.
    pub labels: Vec<String>,
    /// One verdict a column.
    pub cells: Vec<SensitivityCell>,
}

/// One verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitivityCell {
    /// Columns of the runs that are best, counted from 0; empty where no run is or where it is a load.
    pub best: Vec<usize>,
    /// "B", "A or C", "none" where no run is clearly better than all others, "12 req/s", or the reason why
    /// there is no verdict.
    pub text: String,
    /// The number of the best: "29.1 ms", "8.99 req/s".
    pub value: String,
    /// What it is against the first row.
    pub change: Change,
}

/// A verdict against the one under the question as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is that one.
    Shown,
    /// The question does not bear on this number, so it is the same.
    Untouched,
    /// The same verdict by other numbers.
    Same,
    /// It is less clear: more runs are among the best, or no run is.
    Less,
    /// It is clearer.
    More,
    /// Another one.
    Other,
    /// One of the two can't be had.
    Unknown,
}

/// Asks the selected runs everything that could have been asked instead.
pub fn sensitivity(all: &[&Run], context: &Context) -> SensitivityView {
    let runs = selected(all, context);
    if runs.len() < 2 {
        return SensitivityView::default();
    }
    let of: Vec<&Run> = runs.iter().map(|run| run.run).collect();
    let (sweeps, single): (Vec<_>, Vec<_>) =
        groups(&of).into_iter().partition(|group| group.varied.is_some());
    let single: Vec<usize> = single.into_iter().flat_map(|group| group.members).collect();
    let mut contests = [Vec::new(), Vec::new()];
    if single.len() > 1 {
        contests[0] = Contest::of_runs(&single, context);
    }
    if !context.limits.is_empty() {
        contests[1] = Contest::of_sweeps(&sweeps, &of);
    }
    let variants = variant::variants(context);
    let titles = ["The best run", "Where goodput peaks"];
    let mut tables = Vec::new();
    for (title, contests) in titles.into_iter().zip(&contests) {
        if !contests.is_empty() {
            tables.push(table(title, contests, &runs, &variants, all, context));
        }
    }
    answered(tables)
}

fn table(
    title: &str,
    contests: &[Contest<'_>],
    shown: &[Measurement<'_>],
    variants: &[Variant],
    all: &[&Run],
    context: &Context,
) -> SensitivityTable {
    let first: Vec<Verdict> =
        contests.iter().map(|contest| contest.verdict(shown, context, context.stat)).collect();
    let mut rows = vec![SensitivityRow {
        kind: "As shown".into(),
        labels: vec![variant::as_shown(context)],
        cells: first.iter().map(|verdict| verdict.cell(Change::Shown)).collect(),
    }];
    for variant in variants {
        let runs = selected(all, &variant.context);
        let touched: Vec<bool> =
            contests.iter().map(|contest| variant.touches(contest, shown, &runs)).collect();
        if !touched.contains(&true) {
            continue;
        }
        let cells: Vec<SensitivityCell> = contests
            .iter()
            .zip(&first)
            .zip(touched)
            .map(|((contest, first), touched)| {
                if !touched {
                    return first.cell(Change::Untouched);
                }
                let verdict = contest.verdict(&runs, &variant.context, variant.context.stat);
                let change = verdict.against(first);
                verdict.cell(change)
            })
            .collect();
        // Presets that ask the same of these runs share a row.
        match rows
            .iter_mut()
            .skip(1)
            .find(|row| row.kind == variant.kind.name() && row.cells == cells)
        {
            Some(alike) if variant.kind == Kind::Definition => {
                alike.labels.push(variant.label.clone());
            }
            _ => rows.push(SensitivityRow {
                kind: variant.kind.name().into(),
                labels: vec![variant.label.clone()],
                cells,
            }),
        }
    }
    SensitivityTable {
        title: title.into(),
        columns: contests.iter().map(|contest| contest.name.clone()).collect(),
        rows,
        apart: apart(&first),
    }
}

/// The reason where not one number is compared and at least one is held back.
fn apart(verdicts: &[Verdict]) -> Option<String> {
    let none = |verdict: &Verdict| matches!(verdict, Verdict::NotCompared(_) | Verdict::None(_));
    let reason = verdicts.iter().find_map(|verdict| match verdict {
        Verdict::NotCompared(reason) => Some(reason.clone()),
        _ => None,
    });
    reason.filter(|_| verdicts.iter().all(none))
}

/// The answer over all tables.
fn answered(tables: Vec<SensitivityTable>) -> SensitivityView {
    if tables.is_empty() {
        return SensitivityView::default();
    }
    let cells = || tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    if tables.iter().all(|table| table.apart.is_some())
        && let Some(reason) = tables.iter().find_map(|table| table.apart.clone())
    {
        return SensitivityView {
            answer: Answer::NotComparable,
            sentence: format!("Not comparable, because {reason}."),
            changes: Vec::new(),
            tables,
        };
    }
    let changes: Vec<String> = tables.iter().flat_map(changes_of).collect();
    let of = |change: Change| cells().filter(|cell| cell.change == change).count();
    let [same, less, more, other] =
        [Change::Same, Change::Less, Change::More, Change::Other].map(of);
    let of = same + less + more + other;
    if of == 0 {
        // Nothing as shown has a verdict that another question could change.
        return SensitivityView::default();
    }
    let verdicts =
        if of == 1 { "1 other verdict".to_owned() } else { format!("{of} other verdicts") };
    let (answer, mut sentence) = match other {
        0 => (Answer::Unchanged, format!("No: in {verdicts} nothing else wins")),
        1 => (Answer::Changes, format!("Yes: in 1 of {verdicts} something else wins")),
        _ => (Answer::Changes, format!("Yes: in {other} of {verdicts} something else wins")),
    };
    let is = |count: usize| if count == 1 { "is" } else { "are" };
    if less > 0 {
        let _ = write!(sentence, "; {less} {} less clear", is(less));
    }
    if more > 0 {
        let _ = write!(sentence, "; {more} {} clearer", is(more));
    }
    let _ = write!(sentence, " ({}).", asked(&tables));
    SensitivityView { answer, sentence, changes, tables }
}

fn changes_of(table: &SensitivityTable) -> Vec<String> {
    let Some(first) = table.rows.first() else { return Vec::new() };
    let others = table.rows.iter().skip(1);
    others
        .flat_map(|row| {
            let cells = row.cells.iter().zip(&first.cells).zip(&table.columns);
            let other = cells.filter(|((cell, _), _)| cell.change == Change::Other);
            other.map(|((cell, was), column)| {
                format!("{column}, {}: {}, not {}", words(row), cell.text, was.text)
            })
        })
        .collect()
}

/// "as GuideLLM", "limits double", "window without the first 8".
fn words(row: &SensitivityRow) -> String {
    let labels = row.labels.join(" and ");
    match row.kind.as_str() {
        "Definition" => labels,
        kind => format!("{} {labels}", kind.to_lowercase()),
    }
}

/// "8 other definitions, 3 other windows, 4 other sets of limits".
fn asked(tables: &[SensitivityTable]) -> String {
    let count = |kind: Kind| {
        let rows = tables.iter().flat_map(|table| &table.rows);
        let labels = rows.filter(|row| row.kind == kind.name()).flat_map(|row| &row.labels);
        labels.collect::<BTreeSet<_>>().len()
    };
    let kinds = Kind::ALL.into_iter().map(|kind| (kind, count(kind)));
    let parts: Vec<String> =
        kinds.filter(|(_, count)| *count > 0).map(|(kind, count)| kind.counted(count)).collect();
    parts.join(", ")
}

impl Variant {
    /// Whether this question bears on what the contest is about, on any of its runs.
    fn touches(
        &self,
        contest: &Contest<'_>,
        shown: &[Measurement<'_>],
        runs: &[Measurement<'_>],
    ) -> bool {
        match self.kind {
            Kind::Statistic => contest.metric.is_distribution(),
            Kind::Limits => contest.metric == Metric::Goodput,
            Kind::Definition | Kind::Window => contest.runs().any(|at| {
                shown.get(at).zip(runs.get(at)).is_some_and(|(a, b)| {
                    !differing_for(contest.metric, a.run, &a.settings, &b.settings).is_empty()
                })
            }),
        }
    }
}

/// The statistic under which a metric is asked for.
const fn stat_of(metric: Metric, stat: Stat) -> Stat {
    if metric.is_distribution() { stat } else { Stat::Value }
}
