//! Every printed aggregate of the real files against its recomputation, and ours against numpy's.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set. Writes `target/agreement.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, files, read};
use sameruler::metrics::{
    Agreement, Ask, COMMON, GoodputResult, Verdict, agreement, evaluate, own,
};
use sameruler::model::{Limit, LimitMetric, Metric, Stat};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn client_files(root: &Path) -> Vec<PathBuf> {
    let ours = |p: &PathBuf| {
        let folder = p.parent().and_then(Path::file_name).map(|f| f.to_string_lossy().into_owned());
        let name = p.file_name().unwrap().to_string_lossy().into_owned();
        folder.is_some_and(|f| f.starts_with("vllm") || f.starts_with("sglang"))
            && name != "meta.json"
            && name != "truth.jsonl"
    };
    files(&root.join("clients")).into_iter().filter(ours).collect()
}

/// One line of the table for a run.
fn line(out: &mut String, name: &str, all: &[Agreement]) {
    let count = |v| all.iter().filter(|a| a.verdict == v).count();
    let mut exceptions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for a in all.iter().filter(|a| a.verdict != Verdict::Equal) {
        let because = a.because.clone().unwrap_or_default();
        let because = because.split(": it is ").next().unwrap_or_default().to_owned();
        exceptions.entry(because).or_default().push(a.field.clone());
    }
    let exceptions: Vec<String> = exceptions
        .into_iter()
        .map(|(why, fields)| format!("{}: {why}", fields.join(", ")))
        .collect();
    let _ = writeln!(
        out,
        "| {name} | {} | {} | {} | {} | {} | {} |",
        all.len(),
        count(Verdict::Equal),
        count(Verdict::Close),
        count(Verdict::Differs),
        count(Verdict::NotRecomputable),
        exceptions.join("; ").replace('|', "\\|")
    );
}

#[test]
fn every_printed_aggregate_is_reproduced_or_explained() {
    let Some(root) = cases() else { return };
    let mut table = String::from(
        "| file | printed | equal | close | differ | not recomputable | exceptions |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let limits = |millis: [f64; 3]| {
        [LimitMetric::Ttft, LimitMetric::Tpot, LimitMetric::E2e]
            .iter()
            .zip(millis)
            .map(|(metric, millis)| Limit::at_most(*metric, millis))
            .collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    let mut clients = 0;
    for path in client_files(&root) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let slo = if name.contains("/S5/") { [250.0, 18.0, 900.0] } else { [110.0, 18.0, 1000.0] };
        let ask = Ask { percentiles: Vec::new(), limits: limits(slo), ..Ask::default() };
        for (at, run) in
            read(&path).unwrap_or_else(|| panic!("{name} is not read")).iter().enumerate()
        {
            clients += 1;
            let all = agreement(run, &ask);
            line(&mut table, &format!("{name}#{}", at + 1), &all);
            wrong.extend(
                all.into_iter()
                    .filter(|a| a.verdict == Verdict::Differs)
                    .map(|a| (name.clone(), a)),
            );
            let exact = own(run).settings.end == COMMON.settings.end;
            for a in agreement(run, &ask) {
                // vLLM 0.33 holds all that it prints from; the others stop their clock at an event
                // that is not in the file, or print something else by design.
                let allowed = a.verdict == Verdict::Equal || (!exact && a.because.is_some());
                assert!(allowed, "{name}: {a:?}");
            }
        }
    }
    assert!(clients >= 50, "only {clients} client runs were found");
    for folder in ["vllm", "sglang", "inferencex"] {
        for path in files(&root.join("public").join(folder)) {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            for (at, run) in read(&path).unwrap_or_default().iter().enumerate() {
                let all = agreement(run, &Ask::default());
                let with_rows = run.requests.as_ref().is_some_and(|r| !r.gaps.is_absent());
                for a in all.iter().filter(|_| with_rows) {
                    assert_eq!(a.verdict, Verdict::Equal, "{name}: {a:?}");
                }
                line(&mut table, &format!("{name}#{}", at + 1), &all);
                wrong.extend(
                    all.into_iter()
                        .filter(|a| a.verdict == Verdict::Differs)
                        .map(|a| (name.clone(), a)),
                );
            }
        }
    }
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&target).unwrap();
    std::fs::write(target.join("agreement.md"), &table).unwrap();
    for (name, a) in &wrong {
        println!("{name}: {a:?}");
    }
    let unexplained: Vec<_> = wrong.iter().filter(|(_, a)| a.because.is_none()).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}

#[test]
fn our_numbers_are_those_of_numpy() {
    let Some(root) = cases() else { return };
    let text = std::fs::read(root.join("clients/expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let mut compared = 0;
    for (key, entry) in expected["files"].as_object().unwrap() {
        let (file, line) = key.split_once('#').unwrap_or((key.as_str(), "line1"));
        let client = file.split('/').nth(1).unwrap();
        if !client.starts_with("vllm") && !client.starts_with("sglang") {
            continue;
        }
        let runs = read(&root.join("clients").join(file)).unwrap();
        let run = &runs[line.trim_start_matches("line").parse::<usize>().unwrap() - 1];
        let slo = &entry["slo_ms"];
        let limits =
            [("ttft", LimitMetric::Ttft), ("tpot", LimitMetric::Tpot), ("e2el", LimitMetric::E2e)]
                .iter()
                .map(|(id, metric)| Limit::at_most(*metric, slo[*id].as_f64().unwrap()))
                .collect();
        let ask = Ask { percentiles: vec![99.0], limits, ..Ask::default() };
        let got = evaluate(run, &own(run).settings, &ask);
        compared += compare(key, &got, &entry["recomputed"]);
    }
    assert!(compared > 900, "only {compared} numbers were compared");
}

/// Compares every number of one entry; returns how many there were.
fn compare(key: &str, got: &sameruler::metrics::Evaluation, expected: &serde_json::Value) -> usize {
    let mut compared = 0;
    let mut check = |name: &str, value: Option<f64>, want: f64| {
        compared += 1;
        let value = value.unwrap_or_else(|| panic!("{key} {name}: nothing where numpy has {want}"));
        assert!(
            (value - want).abs() <= 1e-9 * want.abs().max(1e-3),
            "{key} {name}: {value} is not {want}"
        );
    };
    let stats = [("mean", Stat::Mean), ("median", Stat::Median), ("p99", Stat::Percentile(99.0))];
    for (group, metric) in [
        ("ttft_ms", Metric::Ttft),
        ("tpot_ms", Metric::Tpot),
        ("itl_ms", Metric::Itl),
        ("e2e_ms", Metric::E2e),
        ("tpot_ms_lower_bound", Metric::Tpot),
        ("e2e_ms_lower_bound", Metric::E2e),
    ] {
        let Some(values) = expected.get(group) else { continue };
        for (id, stat) in stats {
            let value = got.value(metric, stat);
            let number = match (&value, group.ends_with("lower_bound")) {
                (sameruler::metrics::Value::Exact(v), false)
                | (sameruler::metrics::Value::AtLeast(v), true) => Some(*v),
                _ => None,
            };
            check(&format!("{group}.{id}"), number, values[id].as_f64().unwrap());
        }
        if let Some(summary) = got.metrics[&metric].summary() {
            check(&format!("{group}.std"), summary.std, values["std"].as_f64().unwrap());
            check(&format!("{group}.n"), Some(summary.n as f64), values["n"].as_f64().unwrap());
        }
    }
    for (id, metric) in [
        ("request_throughput", Metric::RequestThroughput),
        ("output_throughput", Metric::OutputThroughput),
        ("total_token_throughput", Metric::TotalThroughput),
    ] {
        if let Some(want) = expected.get(id).and_then(serde_json::Value::as_f64) {
            check(id, got.value(metric, Stat::Value).exact(), want);
        }
    }
    let GoodputResult::Known(goodput) = &got.goodput else { panic!("{key}: {:?}", got.goodput) };
    let rate = goodput.per_second.as_ref().unwrap();
    for (id, value) in [
        ("good_requests", goodput.good.exact()),
        ("request_goodput", rate.exact()),
        ("good_requests_upper_bound", Some(goodput.good.high)),
        ("request_goodput_upper_bound", Some(rate.high)),
    ] {
        if let Some(want) = expected.get(id).and_then(serde_json::Value::as_f64) {
            check(id, value, want);
        }
    }
    compared
}
