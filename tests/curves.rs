//! Sweeps of real clients against one scripted server: grouped as one, and with the goodput peak that
//! independent numbers give.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod handed;

use handed::cases;
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::views::Context;
use sameruler::views::curves::{CurveAxes, CurvesView};
use serde_json::Value;
use std::path::{Path, PathBuf};

const CLIENTS: [&str; 6] =
    ["vllm", "vllm-completions", "vllm-0.10", "vllm-concurrency", "sglang", "sglang-oai-chat"];
const LIMITS: [&str; 3] = ["ttft<=250ms", "tpot<=18ms", "e2e<=900ms"];

/// Result files of one client's sweep, by name.
fn files(root: &Path, client: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root.join("S5").join(client)).unwrap();
    let mut files: Vec<PathBuf> = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            ["rate", "conc", "sweep"].iter().any(|start| name.starts_with(start))
                && path.extension().is_some_and(|e| e == "json" || e == "jsonl")
        })
        .collect();
    files.sort();
    files
}

fn adopt(session: &mut Session, path: &Path, name: &str) {
    let bytes = std::fs::read(path).unwrap();
    session
        .adopt(import(name, &mut bytes.as_slice(), false, &mut |_, _, _, _| {}).whole().unwrap());
}

fn curves(session: &Session) -> CurvesView {
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        limits: LIMITS.iter().map(|l| l.parse().unwrap()).collect(),
        ..Context::default()
    };
    match session.answer(&context, &Query::Curves { axes: CurveAxes::default() }) {
        Answer::Curves(view) => view,
        other => panic!("{other:?}"),
    }
}

/// Good requests, requests and good requests per second of each load, by numpy, in order of load.
fn expected(all: &Value, client: &str) -> Vec<(f64, f64, f64)> {
    let entries = all["files"].as_object().unwrap();
    let prefix = format!("S5/{client}/");
    let number = |of: &Value, key: &str| of.get(key).and_then(Value::as_f64);
    entries
        .iter()
        .filter(|(name, _)| name.starts_with(&prefix))
        .map(|(_, entry)| {
            let got = &entry["recomputed"];
            let good = number(got, "good_requests")
                .or_else(|| number(got, "good_requests_upper_bound"))
                .unwrap();
            let rate = number(got, "request_goodput")
                .or_else(|| number(got, "request_goodput_upper_bound"))
                .unwrap();
            (good, number(&entry["counts"], "requests").unwrap(), rate)
        })
        .collect()
}

/// The chart holds a series whose points are the loads of `client`, with the shares in the table, and
/// with the star on the largest goodput. Returns the series' name.
fn check(view: &CurvesView, client: &str, want: &[(f64, f64, f64)]) -> String {
    let series = &view.main.as_ref().unwrap().series;
    let told: Vec<String> = want.iter().map(|(good, of, _)| format!("{good} of {of}")).collect();
    let column = view.table.head.iter().position(|head| head == "Within limits").unwrap();
    let shares = |name: &str| -> Vec<String> {
        let rows = view.table.rows.iter().filter(|row| row.first().unwrap() == name);
        rows.map(|row| row[column].clone()).collect()
    };
    let found = series.iter().find(|s| shares(&s.name) == told);
    let found = found.unwrap_or_else(|| panic!("{client}: no sweep has {told:?}"));
    assert_eq!(found.points.len(), want.len(), "{client} is one sweep");
    let largest = want.iter().map(|w| w.2).fold(f64::MIN, f64::max);
    let best = want.iter().position(|w| w.2 >= largest).unwrap();
    let star =
        found.points.iter().position(|p| p.flag.as_ref().is_some_and(|f| f.peak().is_some()));
    assert_eq!(star, Some(best), "{client}: {want:?}");
    let text = found.points[best].flag.as_ref().unwrap().peak().unwrap().to_owned();
    let shown: f64 = text.split(' ').next().unwrap().parse().unwrap();
    assert!((shown - largest).abs() <= 0.005 * largest, "{client}: {text} is not {largest}");
    found.name.clone()
}

#[test]
fn each_sweep_is_one_curve_with_the_independent_goodput_peak() {
    let Some(root) = cases().map(|cases| cases.join("clients")) else { return };
    let all = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let all: Value = serde_json::from_str(&all).unwrap();
    for client in CLIENTS {
        let mut session = Session::new();
        // Dropped as files, in the wrong order.
        for path in files(&root, client).iter().rev() {
            adopt(&mut session, path, &path.file_name().unwrap().to_string_lossy());
        }
        let view = curves(&session);
        assert_eq!(view.main.as_ref().unwrap().series.len(), 1, "{client}");
        let name = check(&view, client, &expected(&all, client));
        assert!(["vLLM", "SGLang"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn sweeps_dropped_together_stay_apart_and_have_names() {
    let Some(root) = cases().map(|cases| cases.join("clients")) else { return };
    let all = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let all: Value = serde_json::from_str(&all).unwrap();
    for folders in [true, false] {
        let mut session = Session::new();
        for client in CLIENTS {
            for path in files(&root, client) {
                let file = path.file_name().unwrap().to_string_lossy();
                let name = if folders { format!("S5/{client}/{file}") } else { file.into_owned() };
                adopt(&mut session, &path, &name);
            }
        }
        let view = curves(&session);
        assert_eq!(view.main.as_ref().unwrap().series.len(), CLIENTS.len(), "folders: {folders}");
        let mut names: Vec<String> =
            CLIENTS.iter().map(|client| check(&view, client, &expected(&all, client))).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CLIENTS.len(), "{names:?}");
    }
}
