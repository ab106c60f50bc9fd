//! Why a number is not there stands inside sentences: every reason is a clause, without a full stop.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use sameruler::metrics::bridge::{Number, Route, bridge};
use sameruler::metrics::{Ask, COMMON, DIMENSIONS, GoodputResult, Settings, Value, evaluate, own};
use sameruler::model::{Metric, Run, Stat};
use std::collections::BTreeMap;
use std::path::Path;

const STATS: [Stat; 7] = [
    Stat::Value,
    Stat::Mean,
    Stat::Median,
    Stat::Std,
    Stat::Min,
    Stat::Max,
    Stat::Percentile(99.0),
];

/// The runs of all files that the repository holds.
fn runs() -> Vec<Run> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let runs: Vec<Run> =
        handed::every_file(&root).iter().filter_map(|path| handed::read(path)).flatten().collect();
    assert!(runs.len() > 60, "{}", runs.len());
    runs
}

/// A run's own ruler, the common one, and its own with each choice of each dimension.
fn rulers(run: &Run) -> Vec<Settings> {
    let own = own(run).settings;
    let mut rulers = vec![own, COMMON.settings];
    for dimension in DIMENSIONS {
        for choice in dimension.choices {
            let mut changed = own;
            if changed.set(dimension.id, choice.id).is_ok() {
                rulers.push(changed);
            }
        }
    }
    rulers
}

/// What is wrong with the form of a reason.
fn fault(reason: &str) -> Option<&'static str> {
    let mut letters = reason.chars();
    let capital = letters.next().is_some_and(char::is_uppercase);
    let sentence = reason.contains(". ") || reason.contains("..");
    match reason {
        _ if reason.trim().is_empty() => Some("is empty"),
        _ if reason.ends_with(['.', ' ', ':', ';']) => Some("ends as a sentence does"),
        _ if sentence => Some("holds a full stop"),
        _ if capital && letters.next().is_some_and(char::is_lowercase) => Some("has a capital"),
        _ => None,
    }
}

#[test]
fn every_reason_is_a_clause() {
    let ask = Ask {
        percentiles: vec![99.0],
        limits: vec!["ttft<=250ms".parse().unwrap(), "itl.p99<=50ms".parse().unwrap()],
        excluded: Vec::new(),
    };
    let mut met: BTreeMap<String, String> = BTreeMap::new();
    for run in runs() {
        for settings in rulers(&run) {
            let evaluation = evaluate(&run, &settings, &ask);
            let mut note = |what: &str, reason: String| {
                met.entry(reason).or_insert_with(|| format!("{what} of {}", run.provenance.file));
            };
            for metric in Metric::ALL {
                for stat in STATS {
                    if let Value::Missing(reason) = evaluation.value(metric, stat) {
                        note(metric.id(), reason);
                    }
                }
            }
            if let GoodputResult::Unavailable(reason) = &evaluation.goodput {
                note("goodput", reason.clone());
            }
        }
    }
    assert!(met.len() > 30, "{}", met.len());
    let faults: Vec<String> = met
        .iter()
        .filter_map(|(reason, whose)| Some(format!("{whose} {}: {reason}", fault(reason)?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_bridge_says_anything_with_two_full_stops() {
    let ask = Ask::default();
    let runs = runs();
    let mut said = 0;
    for (at, run) in runs.iter().enumerate() {
        let number =
            |run, metric, stat, settings| Number { run, metric, stat, settings, ask: &ask };
        for metric in [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::OutputThroughput] {
            let stat = if metric.is_distribution() { Stat::Percentile(99.0) } else { Stat::Value };
            let a = number(run, metric, stat, own(run).settings);
            let other = &runs[(at + 7) % runs.len()];
            let mut ends = vec![number(other, metric, stat, own(other).settings)];
            for settings in rulers(run) {
                ends.push(number(run, metric, stat, settings));
            }
            for b in ends {
                let words = match bridge(&a, &b, &Route::default()) {
                    Ok(built) => serde_json::to_string(&*built).unwrap(),
                    Err(refused) => format!("{refused}."),
                };
                said += 1;
                assert!(!words.contains(".."), "{}: {words}", run.provenance.file);
            }
        }
    }
    assert!(said > 1000, "{said}");
}
