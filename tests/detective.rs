//! The detective on all handed cases: given nothing but a printed number with its unit, the first answer is
//! the tool's own definition; made-up numbers have none.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do, except
//! where `CI` is set. Writes `target/detective.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, library};
use sameruler::metrics::{Agreement, Ask, Candidate, Figure, Inquiry, Verdict, agreement, detect};
use sameruler::model::{Metric, ReportedValue, Run, Stat};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Made-up numbers that are tried on each run.
const MADE_UP: usize = 2;

/// What came of the printed numbers of one tool.
#[derive(Debug, Default)]
struct Tally {
    runs: usize,
    numbers: usize,
    first: usize,
    made_up: usize,
    none: usize,
    /// Numbers whose digits do not tell the own definition from another that is as close.
    alike: Vec<String>,
    exceptions: Vec<String>,
    false_answers: Vec<String>,
}

/// Printed means, medians and p99 of latencies and lengths that come out of the rows exactly.
fn sought(run: &Run) -> Vec<(ReportedValue, Agreement)> {
    let plain = |stat: Stat| match stat {
        Stat::Mean | Stat::Median => true,
        Stat::Percentile(p) => [50.0, 99.0].iter().any(|q| (p - q).abs() < 1e-9),
        _ => false,
    };
    let all = agreement(run, &Ask { percentiles: Vec::new(), ..Ask::default() });
    all.into_iter()
        .filter(|a| a.verdict == Verdict::Equal && a.metric.is_distribution() && plain(a.stat))
        .filter(|a| a.metric != Metric::AcceleratorPower)
        .filter_map(|a| {
            let value = run.reported.values.iter().find(|value| {
                value.field == a.field && value.metric == a.metric && value.stat == a.stat
            })?;
            Some((value.clone(), a))
        })
        .collect()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Holds the detective against every sought number of one run.
fn examine(run: &Run) -> Tally {
    let mut tally = Tally { runs: 1, ..Tally::default() };
    for (value, agreement) in sought(run) {
        let figure = Figure::printed(&value);
        let own = agreement.recomputed.unwrap();
        let found = detect(run, &figure, &Inquiry::default());
        tally.numbers += 1;
        let first = found.candidates.first();
        let listed = found.candidates.iter().any(|c| c.tied && c.metric == value.metric);
        let line = || {
            format!(
                "{} {} = {} ({own}): {}",
                run.provenance.file, value.field, figure.text, found.sentence
            )
        };
        // Two own definitions that round to the same printed digits: both must be in the answer.
        let rounds = |other: f64| (other - own).abs() <= 2.0 * figure.half * value.scale;
        let alike = || {
            let own_too = |c: &&Candidate| c.metric == value.metric && same(c.value, own);
            let other = first.is_some_and(|f| f.changes.is_empty() && rounds(f.value));
            other && found.candidates.iter().find(own_too).is_some_and(|c| c.changes.is_empty())
        };
        if first.is_some_and(|first| same(first.value, own)) && listed {
            tally.first += 1;
        } else if alike() {
            tally.alike.push(line());
        } else {
            tally.exceptions.push(line());
        }
        // Nine digits that nobody measured.
        let invented = ReportedValue { value: value.value * 1.371_234_567, ..value.clone() };
        let text = format!("{:.8e}", invented.value / invented.scale);
        let unit = figure.text.split_once(' ').map_or("", |(_, unit)| unit);
        let invented: Figure = format!("{text} {unit}").parse().unwrap();
        if invented.number.abs() > 0.0 && tally.made_up < MADE_UP {
            let found = detect(run, &invented, &Inquiry::default());
            tally.made_up += 1;
            if found.candidates.is_empty() {
                assert!(found.sentence.starts_with("None of our definitions gives"));
                tally.none += 1;
            } else {
                tally.false_answers.push(format!(
                    "{} {} ({}): {}",
                    run.provenance.file, invented.text, found.by_chance, found.sentence
                ));
            }
        }
    }
    tally
}

#[test]
fn the_tools_own_definition_is_the_first_answer_for_what_it_printed() {
    let Some(root) = cases() else { return };
    let session = library(&root);
    let runs: Vec<&Run> = session.runs().into_iter().filter(|r| r.requests.is_some()).collect();
    let next = AtomicUsize::new(0);
    let tools: Mutex<BTreeMap<String, Tally>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = examine(run);
                    let mut tools = tools.lock().unwrap();
                    let tally = tools.entry(format!("{:?}", run.tool)).or_default();
                    tally.runs += found.runs;
                    tally.numbers += found.numbers;
                    tally.first += found.first;
                    tally.made_up += found.made_up;
                    tally.none += found.none;
                    tally.alike.extend(found.alike);
                    tally.exceptions.extend(found.exceptions);
                    tally.false_answers.extend(found.false_answers);
                }
            });
        }
    });
    let tools = tools.into_inner().unwrap();
    let mut table = String::from(
        "| tool | runs | printed means, medians, p99 | own definition first | digits don’t tell | made-up numbers | none |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (tool, t) in &tools {
        let _ = writeln!(
            table,
            "| {tool} | {} | {} | {} | {} | {} | {} |",
            t.runs,
            t.numbers,
            t.first,
            t.alike.len(),
            t.made_up,
            t.none
        );
    }
    let lines = |of: fn(&Tally) -> &Vec<String>| {
        tools.values().flat_map(of).fold(String::new(), |all, line| all + "- " + line + "\n")
    };
    let (exceptions, invented) = (lines(|t| &t.exceptions), lines(|t| &t.false_answers));
    let _ = write!(
        table,
        "\n## Not first\n\n{exceptions}\n## Made-up numbers with an answer\n\n{invented}"
    );
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&target).unwrap();
    std::fs::write(target.join("detective.md"), &table).unwrap();
    println!("{table}");
    let count = |of: fn(&Tally) -> usize| tools.values().map(of).sum::<usize>();
    let (numbers, first) = (count(|t| t.numbers), count(|t| t.first));
    assert!(numbers > 500, "only {numbers} numbers were found");
    let alike = count(|t| t.alike.len());
    assert_eq!(first + alike, numbers, "{exceptions}");
    assert!(alike * 200 <= numbers, "{alike} of {numbers} are not told apart");
    assert_eq!(count(|t| t.none), count(|t| t.made_up), "{invented}");
}
