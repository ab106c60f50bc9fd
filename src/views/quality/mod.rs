//! Quality: what the checks say of the selected runs, and what was decided about it.

mod decide;
mod details;
mod effect;
mod verdicts;
mod words;

pub use decide::{Act, State, Suggestion};
pub use details::{Details, RunDetail};
pub use effect::EffectLine;

use super::measure::{Measurement, left_out_rows};
use super::numbers::count;
use super::{Context, labels};
use crate::checks::{self, Between, Blocked, Examined, Finding, Verdict};
use crate::model::{Run, RunId};
use crate::notice::Severity;
use crate::units::fixed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The whole Quality screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QualityView {
    /// "Two findings block a comparison, three ask for care".
    pub headline: String,
    /// "41 checks on six runs, …": what was looked at, and what was left out.
    pub subline: String,
    /// How many findings are open, by weight, and how many checks passed.
    pub counts: Counts,
    /// Findings that are not muted: the gravest first, then the largest effect.
    pub rows: Vec<FindingRow>,
    /// Findings that warn no more.
    pub muted: Vec<FindingRow>,
    /// Checks that found nothing in any run.
    pub passed: Vec<Passed>,
    /// Checks that no run could answer.
    pub unknown: Vec<Unknown>,
    /// "6 requests left out by hand: …", for whatever leaves the page; none when nothing is.
    pub left_out: Option<String>,
}

/// Open findings by weight; a finding that was acted on is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// They keep a run from a verdict.
    pub block: usize,
    /// A number may mislead.
    pub warn: usize,
    /// Worth knowing.
    pub note: usize,
    /// Left out, set or let on.
    pub settled: usize,
    /// Checks without a finding.
    pub passed: usize,
}

impl Counts {
    /// Those that ask for a decision.
    pub const fn open(&self) -> usize {
        self.block + self.warn
    }
}

/// One finding, in one run or the same in several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRow {
    /// Stable id, of letters, digits and hyphens.
    pub id: String,
    /// Id of the check.
    pub check: String,
    /// The runs that it is in.
    pub runs: Vec<RunId>,
    /// "Missing written as zero".
    pub name: String,
    /// "SGLang S4 · run.jsonl", or "all six runs".
    pub place: String,
    /// The run in a sentence: "SGLang S4", "all six runs".
    pub whose: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, with numbers.
    pub text: String,
    /// How many requests, or runs, are concerned.
    pub share: Share,
    /// What it does to numbers, the most telling first.
    pub effects: Vec<EffectLine>,
    /// "TTFT, ITL": what it touches where the numbers without it can't be had; empty else.
    pub touches: String,
    /// What can be done here.
    pub suggestion: Suggestion,
    /// What was done.
    pub state: State,
    /// Whether the reader did it, and can take it back: a preset may hold the definition by itself.
    pub undoable: bool,
    /// What opens below it.
    pub details: Details,
}

/// How much of a run a finding is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// "6"
    pub of_these: String,
    /// "of 75", "of 6 runs", "the run as a whole".
    pub of: String,
    /// From 0 to 1, for a bar; none where nothing is counted.
    pub part: Option<f64>,
}

/// A check that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// What holds, as a clause.
    pub clause: String,
    /// Of how many runs the files did not say; empty where all did.
    pub but: String,
}

/// A check that could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// What would hold, as a clause.
    pub clause: String,
    /// Why it can't be told, each reason once.
    pub reasons: Vec<String>,
}

/// One finding in one run.
struct Found<'a> {
    examined: &'a Examined,
    run: &'a Run,
    /// The run's place among those looked at.
    at: usize,
    /// The finding's place among the verdicts on its run.
    place: usize,
    finding: &'a Finding,
}

/// From so many runs on, one check's findings are one row.
const TOGETHER: usize = 3;

/// The runs that a context is about: the selected ones, or all when none is selected.
fn looked_at<'a>(all: &[&'a Run], context: &Context) -> Vec<&'a Run> {
    let chosen = |id: &RunId| all.iter().copied().find(|run| run.id == *id);
    let selected: Vec<&'a Run> = context.runs.iter().filter_map(chosen).collect();
    if selected.is_empty() { all.to_vec() } else { selected }
}

/// Runs with what is said of each.
struct Looked<'a> {
    runs: Vec<&'a Run>,
    verdicts: Vec<Arc<Vec<Examined>>>,
    names: Vec<String>,
    files: Vec<String>,
}

impl<'a> Looked<'a> {
    fn at(runs: Vec<&'a Run>) -> Self {
        Self {
            verdicts: runs.iter().map(|run| verdicts::examined(run)).collect(),
            names: labels::distinct_names(&runs),
            files: words::files(&runs),
            runs,
        }
    }

    /// The runs that stand side by side on Compare: the selected ones.
    fn compared(&self, context: &Context) -> Vec<&'a Run> {
        self.runs.iter().copied().filter(|run| context.runs.contains(&run.id)).collect()
    }

    fn name(&self, found: &Found<'_>) -> String {
        self.names.get(found.at).cloned().unwrap_or_default()
    }

    fn file(&self, found: &Found<'_>) -> String {
        self.files.get(found.at).cloned().unwrap_or_default()
    }

    /// The ids of checks and notices, in the order of the checks and then as they were met.
    fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for id in self.verdicts.iter().flat_map(|all| all.iter()).map(|e| &*e.id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// The findings, those of one check in several runs together where they say one thing: in all runs
    /// the same, or in so many that a row each could not be read.
    fn groups(&self) -> Vec<Vec<Found<'_>>> {
        let mut groups: Vec<Vec<Found<'_>>> = Vec::new();
        for id in self.ids() {
            let mut found: Vec<Found<'_>> = Vec::new();
            for (at, (run, verdicts)) in self.runs.iter().zip(&self.verdicts).enumerate() {
                for (place, examined) in verdicts.iter().enumerate().filter(|(_, e)| e.id == id) {
                    if let Some(finding) = examined.verdict.found() {
                        found.push(Found { examined, run, at, place, finding });
                    }
                }
            }
            let mut runs: Vec<usize> = found.iter().map(|f| f.at).collect();
            runs.dedup();
            let everywhere = runs.len() == self.runs.len() && runs.len() > 1;
            let alike = found.windows(2).all(|pair| match pair {
                [a, b] => a.finding.text == b.finding.text,
                _ => true,
            });
            if runs.len() >= TOGETHER || (everywhere && alike) {
                groups.push(found);
            } else {
                groups.extend(found.into_iter().map(|one| vec![one]));
            }
        }
        groups
    }

    /// What each check says of each run, in the order of the checks.
    fn by_check(&self) -> impl Iterator<Item = (&'static str, Vec<&Verdict>)> {
        checks::CHECKS.iter().map(|check| check.about()).map(|about| {
            let said = |all: &'_ Arc<Vec<Examined>>| all.iter().position(|e| e.id == about.id);
            let verdicts =
                self.verdicts.iter().filter_map(|all| Some(&all.get(said(all)?)?.verdict));
            (about.passes, verdicts.collect())
        })
    }
}

/// Builds the screen for the selected runs, or for all when none is selected.
pub fn quality(all: &[&Run], context: &Context) -> QualityView {
    let looked = Looked::at(looked_at(all, context));
    let (muted, rows): (Vec<_>, Vec<_>) =
        rows(&looked, context).into_iter().partition(|row| row.state == State::Muted);
    let passed = passed(&looked);
    let counts = Counts { passed: passed.len(), ..counts(&rows) };
    let left_out = left_out(&looked.runs, &looked.names, context);
    QualityView {
        headline: words::headline(counts, rows.len(), muted.len(), looked.runs.len()),
        subline: words::subline(
            checks::CHECKS.len(),
            looked.runs.len(),
            looked.compared(context).len(),
            left_out.as_deref(),
        ),
        counts,
        rows,
        muted,
        passed,
        unknown: unknown(&looked),
        left_out,
    }
}

/// The findings of one run alone.
pub(super) fn of_run(run: &Run, context: &Context) -> Vec<FindingRow> {
    rows(&Looked::at(vec![run]), context)
}

/// How many findings of the selected runs ask for a decision: as [`quality`] counts them, without
/// working out what they do to any number.
pub fn open(all: &[&Run], context: &Context) -> usize {
    open_in(looked_at(all, context), context)
}

/// How many findings of one run ask for a decision.
pub fn open_of(run: &Run, context: &Context) -> usize {
    open_in(vec![run], context)
}

fn open_in(runs: Vec<&Run>, context: &Context) -> usize {
    let looked = Looked::at(runs);
    let asks = |group: &&Vec<Found<'_>>| {
        gravest(group).is_some_and(|worst| worst.finding.severity >= Severity::Warn)
            && decide::state(group, context) == State::Open
    };
    let apart = verdicts::apart(&looked.compared(context));
    let asks_too = |between: &&Between| {
        between.severity >= Severity::Warn && !decide::is_muted(between, context)
    };
    looked.groups().iter().filter(asks).count() + apart.iter().filter(asks_too).count()
}

/// A run that is held back, and what holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// The run.
    pub id: RunId,
    /// Its name.
    pub name: String,
    /// What was found, as a heading.
    pub finding: String,
    /// What was found, in a sentence or two.
    pub text: String,
}

impl HeldBack {
    /// The run of a measurement, if it is held back.
    pub(super) fn of(measured: &Measurement<'_>) -> Option<Self> {
        let blocked = measured.blocked.as_ref()?;
        Some(Self {
            id: measured.run.id.clone(),
            name: measured.name.clone(),
            finding: blocked.name.clone().into_owned(),
            text: blocked.text.clone(),
        })
    }
}

/// Why a run is neither compared nor drawn on a curve: what blocks it and was not decided on.
pub(super) fn blocked(run: &Run, context: &Context) -> Option<Blocked> {
    if context.judged.let_on.contains(&run.id) {
        return None;
    }
    let verdicts = verdicts::examined(run);
    let repaired = verdicts.iter().filter(|examined| decide::repaired(run, examined, context));
    let repaired = repaired.map(|examined| examined.id.clone().into_owned()).collect();
    (*verdicts::blocked_apart_from(run, repaired)).clone()
}

/// All findings: the gravest first, then the largest effect.
fn rows(looked: &Looked<'_>, context: &Context) -> Vec<FindingRow> {
    let mut rows: Vec<(FindingRow, f64)> =
        looked.groups().iter().map(|group| row(group, looked, context)).collect();
    let apart = verdicts::apart(&looked.compared(context));
    rows.extend(apart.iter().map(|between| (between_row(between, looked, context), 0.0)));
    rows.sort_by(|(a, a_size), (b, b_size)| {
        b.severity.cmp(&a.severity).then(b_size.total_cmp(a_size))
    });
    let mut rows: Vec<FindingRow> = rows.into_iter().map(|(row, _)| row).collect();
    // An importer may have two things to say of one kind.
    for at in 1..rows.len() {
        let (before, after) = rows.split_at_mut(at);
        if let Some(row) = after.first_mut() {
            let twins = before.iter().filter(|other| other.id == row.id).count();
            if twins > 0 {
                row.id = format!("{}-{}", row.id, at + 1);
            }
        }
    }
    rows
}

/// The finding that speaks for a group: the gravest, then that with the largest share.
fn gravest<'a, 'f>(group: &'f [Found<'a>]) -> Option<&'f Found<'a>> {
    let share = |f: &Found<'_>| f.finding.count as f64 / f.finding.of.max(1) as f64;
    group.iter().reduce(|best, next| {
        let graver = (next.finding.severity, share(next)) > (best.finding.severity, share(best));
        if graver { next } else { best }
    })
}

/// One row, and how much it changes the number that it changes most.
fn row(group: &[Found<'_>], looked: &Looked<'_>, context: &Context) -> (FindingRow, f64) {
    let worst = gravest(group);
    let mut runs: Vec<RunId> = group.iter().map(|found| found.run.id.clone()).collect();
    runs.dedup();
    let several = words::several(runs.len(), looked.runs.len());
    let (whose, place) = match group {
        [one] => (looked.name(one), format!("{} · {}", looked.name(one), looked.file(one))),
        _ => (several.clone(), several),
    };
    let text = worst.map_or_else(String::new, |worst| {
        let alike = group.iter().all(|other| other.finding.text == worst.finding.text);
        let text = &worst.finding.text;
        if alike { text.clone() } else { format!("{}: {text}", looked.name(worst)) }
    });
    let (effects, size) = worst.map_or((Vec::new(), 0.0), |worst| {
        effect::lines(&verdicts::effects(worst.run, worst.place, &context.limits))
    });
    let metrics = worst.map(|worst| worst.finding.touches.as_slice()).unwrap_or_default();
    let touches: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let check = worst.map_or("", |worst| &*worst.examined.id);
    let id = match group {
        [one] => format!("{check}-{}", one.run.id.as_str()),
        _ => format!("{check}-together"),
    };
    let row = FindingRow {
        id,
        check: check.to_owned(),
        runs,
        name: worst.map_or_else(String::new, |worst| worst.examined.name.clone().into_owned()),
        place,
        whose,
        severity: worst.map_or(Severity::Note, |worst| worst.finding.severity),
        text,
        share: share(group, looked.runs.len()),
        touches: if effects.is_empty() { touches.join(", ") } else { String::new() },
        effects,
        suggestion: decide::suggestion(group),
        undoable: decide::undoable(group, context),
        state: decide::state(group, context),
        details: details::details(group, looked),
    };
    (row, size)
}

/// What keeps the selected runs from being compared, as a row: nothing here repairs it.
fn between_row(between: &Between, looked: &Looked<'_>, context: &Context) -> FindingRow {
    let runs = between.runs.len();
    let several = words::several(runs, looked.runs.len());
    let touches: Vec<&str> = between.touches.iter().map(|metric| metric.name()).collect();
    let muted = decide::is_muted(between, context);
    FindingRow {
        id: format!("{}-between", between.id),
        check: between.id.to_owned(),
        runs: between.runs.clone(),
        name: between.name.to_owned(),
        place: format!("between {several}"),
        whose: several,
        severity: between.severity,
        text: between.text.clone(),
        share: Share {
            of_these: fixed(runs as f64, 0),
            of: format!("of {}", count(looked.runs.len(), "run")),
            part: Some(runs as f64 / looked.runs.len().max(1) as f64),
        },
        effects: Vec::new(),
        touches: if touches.is_empty() {
            "every comparison".to_owned()
        } else {
            touches.join(", ")
        },
        suggestion: Suggestion::Say(String::new()),
        undoable: muted,
        state: if muted { State::Muted } else { State::Open },
        details: details::between(between, looked),
    }
}

fn share(group: &[Found<'_>], runs: usize) -> Share {
    let count_of = |of: fn(&Finding) -> usize| group.iter().map(|f| of(f.finding)).sum::<usize>();
    let (met, of) = (count_of(|finding| finding.count), count_of(|finding| finding.of));
    match group {
        _ if of > 0 && met > 0 => Share {
            of_these: fixed(met as f64, 0),
            of: format!("of {}", fixed(of as f64, 0)),
            part: Some(met as f64 / of.max(met) as f64),
        },
        [_] if met > 1 => {
            Share { of_these: fixed(met as f64, 0), of: "times".to_owned(), part: None }
        }
        [_] => Share { of_these: String::new(), of: "whole run".to_owned(), part: None },
        _ => Share {
            of_these: fixed(group.len() as f64, 0),
            of: format!("of {}", count(runs, "run")),
            part: Some(group.len() as f64 / runs.max(1) as f64),
        },
    }
}

fn counts(rows: &[FindingRow]) -> Counts {
    let open = |severity| {
        rows.iter().filter(|row| row.state == State::Open && row.severity == severity).count()
    };
    Counts {
        block: open(Severity::Block),
        warn: open(Severity::Warn),
        note: open(Severity::Note),
        settled: rows.iter().filter(|row| row.state != State::Open).count(),
        passed: 0,
    }
}

fn passed(looked: &Looked<'_>) -> Vec<Passed> {
    let holds = |(clause, verdicts): (&str, Vec<&Verdict>)| {
        let passed = verdicts.iter().filter(|v| matches!(v, Verdict::Passed)).count();
        let found = verdicts.iter().any(|v| v.found().is_some());
        (passed > 0 && !found).then(|| Passed {
            clause: clause.to_owned(),
            but: if passed == verdicts.len() {
                String::new()
            } else {
                format!("in {passed} of {}", count(verdicts.len(), "run"))
            },
        })
    };
    looked.by_check().filter_map(holds).collect()
}

fn unknown(looked: &Looked<'_>) -> Vec<Unknown> {
    let silent = |(clause, verdicts): (&str, Vec<&Verdict>)| {
        let mut reasons: Vec<String> = Vec::new();
        for verdict in verdicts {
            let Verdict::CannotTell(reason) = verdict else { return None };
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        (!reasons.is_empty()).then(|| Unknown { clause: clause.to_owned(), reasons })
    };
    looked.by_check().filter_map(silent).collect()
}

/// What was left out by hand. For every export, since its numbers are others than the file's.
fn left_out(runs: &[&Run], names: &[String], context: &Context) -> Option<String> {
    let part = |(run, name): (&&Run, &String)| {
        let rows = left_out_rows(run, context).len();
        let ids = context.judged.excluded.iter().filter(|(id, _)| *id == run.id);
        let mut checks: Vec<String> = ids
            .filter_map(|(_, check)| checks::find(check))
            .map(|check| check.about().name.to_lowercase())
            .collect();
        if context.judged.requests.iter().any(|(id, _)| *id == run.id) {
            checks.push("chosen one by one".to_owned());
        }
        let checks = checks.join(", ");
        (rows > 0).then(|| format!("{} of {name} ({checks})", count(rows, "request")))
    };
    let parts: Vec<String> = runs.iter().zip(names).filter_map(part).collect();
    (!parts.is_empty()).then(|| format!("Left out by hand: {}.", parts.join("; ")))
}

/// What was left out by hand of the selected runs, as a sentence; none when nothing is.
pub fn left_out_of(all: &[&Run], context: &Context) -> Option<String> {
    if context.judged.excluded.is_empty() && context.judged.requests.is_empty() {
        return None;
    }
    let runs = looked_at(all, context);
    left_out(&runs, &labels::distinct_names(&runs), context)
}
