//! GuideLLM's real reports: every printed statistic against its requests, and ours against
//! independently computed ones.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::cases;
use sameruler::formats;
use sameruler::metrics::{Ask, COMMON, Verdict, agreement, evaluate, own};
use sameruler::model::{Metric, Run, Stat};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes of a file, unpacked where it is packed.
fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|e| e != "gz") {
        return bytes;
    }
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes.as_slice()), &mut plain)
        .unwrap();
    plain
}

/// Reports of GuideLLM among the cases.
fn guidellm_reports(root: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root.join("public/guidellm")).unwrap();
    let mut found: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "json" || e == "yaml"));
    for scenario in std::fs::read_dir(root.join("clients")).unwrap().flatten() {
        for client in std::fs::read_dir(scenario.path()).into_iter().flatten().flatten() {
            if client.file_name().to_string_lossy().starts_with("guidellm") {
                let names = ["run.json", "sweep.json.gz"].map(|name| client.path().join(name));
                found.extend(names.into_iter().filter(|path| path.is_file()));
            }
        }
    }
    found.sort();
    found
}

/// Rates that GuideLLM averages over stretches between events: no total over the printed duration.
const GUIDELLM_RATES: [Metric; 5] = [
    Metric::RequestThroughput,
    Metric::OutputThroughput,
    Metric::InputThroughput,
    Metric::TotalThroughput,
    Metric::MeanConcurrency,
];

#[test]
fn what_guidellm_printed_follows_from_its_requests() {
    let Some(root) = cases() else { return };
    let mut compared = 0;
    let mut wrong = Vec::new();
    let mut rates = BTreeMap::new();
    for path in guidellm_reports(&root) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let runs = formats::read("x", &unpacked(&path), &mut |_| {});
        for run in runs.unwrap_or_else(|error| panic!("{name}: {error}")) {
            let of_the_client = name.starts_with("clients/");
            assert!(run.requests.is_some() || !of_the_client, "{name}: no requests");
            if run.requests.is_none() {
                assert!(run.provenance.notices.iter().any(|n| n.kind == "sampled-requests"));
                continue;
            }
            for a in agreement(&run, &Ask::default()) {
                compared += 1;
                // Of 0.8, which made the clients' files, everything follows.
                let may_not_follow = !of_the_client && GUIDELLM_RATES.contains(&a.metric);
                match a.verdict {
                    Verdict::Equal => {}
                    Verdict::NotRecomputable if may_not_follow && a.because.is_some() => {
                        *rates.entry(a.because.unwrap()).or_insert(0) += 1;
                    }
                    _ => wrong.push(format!("{name}, {}: {a:?}", run.name)),
                }
            }
        }
    }
    println!("{compared} compared; {rates:#?}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 3000, "only {compared} values were compared");
}

#[test]
fn guidellm_under_its_own_and_the_common_ruler_is_as_expected() {
    let Some(root) = cases() else { return };
    let text = std::fs::read(root.join("clients/expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let mut read: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let mut compared = 0;
    for (key, entry) in expected["files"].as_object().unwrap() {
        let Some((file, index)) = key.split_once("#benchmark") else { continue };
        let runs = read.entry(file.to_owned()).or_insert_with(|| {
            let bytes = unpacked(&root.join("clients").join(file));
            formats::read("x", &bytes, &mut |_| {}).unwrap()
        });
        let run = &runs[index.parse::<usize>().unwrap()];
        let ask = Ask { percentiles: vec![99.0], limits: Vec::new(), ..Ask::default() };
        let by_own = evaluate(run, &own(run).settings, &ask);
        let by_common = evaluate(run, &COMMON.settings, &ask);
        let want = &entry["recomputed"];
        let stats =
            [("mean", Stat::Mean), ("median", Stat::Median), ("p99", Stat::Percentile(99.0))];
        for (group, metric, got) in [
            ("ttft_ms", Metric::Ttft, &by_own),
            ("e2e_ms", Metric::E2e, &by_own),
            ("itl_ms_weighted", Metric::Itl, &by_own),
            ("tpot_incl_first_ms_weighted", Metric::Tpot, &by_own),
            ("tpot_ms_plain", Metric::Tpot, &by_common),
        ] {
            for (id, stat) in stats {
                let want = want[group][id].as_f64().unwrap();
                compared +=
                    close(&format!("{key} {group}.{id}"), got.value(metric, stat).exact(), want);
            }
            let n = got.metrics[&metric].summary().map(|summary| summary.n as f64);
            compared += close(&format!("{key} {group}.n"), n, want[group]["n"].as_f64().unwrap());
        }
        for (id, metric) in [
            ("request_throughput", Metric::RequestThroughput),
            ("output_throughput", Metric::OutputThroughput),
        ] {
            let got = by_own.value(metric, Stat::Value).exact();
            compared += close(&format!("{key} {id}"), got, want[id].as_f64().unwrap());
        }
        let printed = agreement(run, &ask);
        for (id, metric) in
            [("slo_attainment", Metric::SloShare), ("request_goodput", Metric::Goodput)]
        {
            let got = printed.iter().find(|a| a.metric == metric).and_then(|a| a.recomputed);
            compared += close(&format!("{key} {id}"), got, want[id].as_f64().unwrap());
        }
    }
    assert!(compared >= 24 * 24, "only {compared} numbers were compared");
}

/// Holds a number to an independent one; returns 1, the number of comparisons.
fn close(name: &str, got: Option<f64>, want: f64) -> usize {
    let got = got.unwrap_or_else(|| panic!("{name}: nothing where {want} is expected"));
    assert!((got - want).abs() <= 1e-5 * want.abs(), "{name}: {got} is not {want}");
    1
}

/// In two loads of this sweep the first requests were due about 1970: their wait in the client is not known.
#[test]
fn a_due_time_before_the_clock_was_set_is_no_wait() {
    let Some(root) = cases() else { return };
    let bytes = unpacked(&root.join("clients/S5/guidellm/sweep.json.gz"));
    let runs = formats::read("sweep.json", &bytes, &mut |_| {}).unwrap();
    let longest = |run: &Run| {
        let waits = &run.requests.as_ref().unwrap().queue_wait;
        waits.iter().flatten().map(sameruler::units::Seconds::as_secs).fold(0.0, f64::max)
    };
    let told = |run: &&Run| run.provenance.notices.iter().any(|n| n.kind == "due-time");
    assert!(runs.iter().all(|run| longest(run) < 60.0));
    assert_eq!(runs.iter().filter(told).count(), 2);
}

#[test]
fn cached_prompt_tokens_are_kept_where_the_server_says_them() {
    let Some(root) = cases() else { return };
    let text = String::from_utf8(unpacked(&root.join("clients/S2/guidellm/run.json"))).unwrap();
    let read = |text: &str| {
        let runs = formats::read("run.json", text.as_bytes(), &mut |_| {}).unwrap();
        runs.into_iter().next().unwrap().requests.unwrap().cached_tokens
    };
    assert!(read(&text).is_absent(), "the mock server says none");
    let told = text.replace("\"cached_tokens\": null", "\"cached_tokens\": 12");
    let counts = read(&told);
    assert!(counts.present() > 0);
    assert!(counts.iter().flatten().all(|n| (n.count() - 12.0).abs() < 1e-9));
}
