//! What opens below a finding: each run's text, its requests with their values, the check's source.

use super::{Found, Looked};
use crate::checks::{About, Between, QUESTIONS, Question};
use crate::model::{Outcome, Requests, Run};
use crate::units::{Seconds, fixed, significant};
use crate::views::curves::Table;
use serde::{Deserialize, Serialize};

/// What opens below a finding.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Details {
    /// Where such a fault was seen in public, or which rule of measurement it is. Empty for what the
    /// importer noticed.
    pub source: String,
    /// The rule with its thresholds, as a clause: when it finds something. Empty likewise.
    pub rule: String,
    /// One entry a run.
    pub runs: Vec<RunDetail>,
}

/// The finding in one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunDetail {
    /// Name of the run.
    pub name: String,
    /// Its file.
    pub file: String,
    /// What was found in it.
    pub text: String,
    /// Where in the file the importer met it: "request 3, request 9, …"; empty where it is rows.
    pub places: String,
    /// The requests with what the file says of each; empty where it is the run as a whole.
    pub table: Table,
    /// "and 12 more", where not all are listed.
    pub more: Option<String>,
}

/// So many requests of a run are listed.
const LISTED: usize = 12;

/// What opens below a group.
pub(super) fn details(group: &[Found<'_>], looked: &Looked<'_>) -> Details {
    let runs = group.iter().map(|found| {
        let rows = &found.finding.rows;
        let shown = rows.get(..LISTED.min(rows.len())).unwrap_or_default();
        let table = match &found.run.requests {
            Some(requests) if !shown.is_empty() => table(requests, shown),
            _ => Table::default(),
        };
        RunDetail {
            name: looked.name(found),
            file: looked.file(found),
            places: places(found),
            text: found.finding.text.clone(),
            table,
            more: (rows.len() > shown.len())
                .then(|| format!("and {} more", fixed((rows.len() - shown.len()) as f64, 0))),
        }
    });
    let about = group.first().and_then(|found| found.examined.about);
    let of = |text: fn(&About) -> &'static str| about.as_ref().map_or("", text).to_owned();
    Details { source: of(|about| about.source), rule: of(|about| about.rule), runs: runs.collect() }
}

/// What opens below a difference between runs: its rule and source.
pub(super) fn between(between: &Between, looked: &Looked<'_>) -> Details {
    let question = QUESTIONS.iter().find(|question| question.id == between.id);
    let of = |text: fn(&Question) -> &'static str| question.map_or("", text).to_owned();
    let concerned = |(run, _): &(&&Run, (&String, &String))| between.runs.contains(&run.id);
    let named = looked.runs.iter().zip(looked.names.iter().zip(&looked.files)).filter(concerned);
    let run = |(_, (name, file)): (&&Run, (&String, &String))| RunDetail {
        name: name.clone(),
        file: file.clone(),
        ..RunDetail::default()
    };
    Details { source: of(|q| q.source), rule: of(|q| q.rule), runs: named.map(run).collect() }
}

fn places(found: &Found<'_>) -> String {
    let finding = found.finding;
    let mut places: Vec<&str> = finding.places.iter().map(String::as_str).collect();
    // A place in words that names the whole file says nothing.
    places.retain(|place| *place != "whole file");
    if !places.is_empty() && finding.count > finding.places.len() {
        places.push("…");
    }
    places.join(", ")
}

/// How a request ended, in a word.
const fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "finished",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cut off",
        Outcome::Unfinished => "still running",
    }
}

/// One column of the table: its head, whether the file has it, and a request's value.
type Column<'a> = (&'static str, bool, Box<dyn Fn(usize) -> Option<String> + 'a>);

/// What the file says of these requests; columns that it lacks are left out.
fn table(requests: &Requests, rows: &[usize]) -> Table {
    let first = requests.start.iter().flatten().map(Seconds::as_secs).fold(f64::INFINITY, f64::min);
    let columns: Vec<Column<'_>> = vec![
        (
            "Sent, s",
            !requests.start.is_absent(),
            Box::new(move |at| Some(fixed(requests.start.get(at)?.as_secs() - first, 3))),
        ),
        (
            "TTFT, ms",
            !requests.ttft.is_absent(),
            Box::new(|at| Some(significant(requests.ttft.get(at)?.as_millis(), 4))),
        ),
        (
            "E2E, ms",
            !requests.e2e.is_absent(),
            Box::new(|at| Some(significant(requests.e2e.get(at)?.as_millis(), 4))),
        ),
        (
            "Tokens in",
            !requests.input_tokens.is_absent(),
            Box::new(|at| Some(fixed(requests.input_tokens.get(at)?.count(), 0))),
        ),
        (
            "Tokens out",
            !requests.output_tokens.is_absent(),
            Box::new(|at| Some(fixed(requests.output_tokens.get(at)?.count(), 0))),
        ),
        (
            "Gaps",
            !requests.gaps.is_absent(),
            Box::new(|at| Some(fixed(requests.gaps.row(at)?.len() as f64, 0))),
        ),
    ];
    let columns: Vec<Column<'_>> = columns.into_iter().filter(|(_, there, _)| *there).collect();
    let head = ["Request", "Ended"].into_iter().chain(columns.iter().map(|(head, ..)| *head));
    let row = |at: &usize| {
        let outcome = requests.outcome.get(*at).copied().unwrap_or(Outcome::Ok);
        let number = fixed((*at + 1) as f64, 0);
        let cell = |(_, _, value): &Column<'_>| value(*at).unwrap_or_else(|| "—".to_owned());
        [number, ended(outcome).to_owned()]
            .into_iter()
            .chain(columns.iter().map(cell))
            .collect::<Vec<String>>()
    };
    Table { head: head.map(str::to_owned).collect(), rows: rows.iter().map(row).collect() }
}
