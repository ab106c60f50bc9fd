//! What load generators printed against the rows in their own files: inference-perf, LLMPerf, AIPerf.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, files, read};
use sameruler::formats;
use sameruler::metrics::{Agreement, Ask, COMMON, Verdict, agreement, evaluate, own};
use sameruler::model::{LimitMetric, Metric, Run, Stat};
use sameruler::units::Seconds;
use std::path::{Path, PathBuf};

/// The bytes of a gzip file.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut plain).unwrap();
    plain
}

/// A file of requests, unpacked where it is packed.
fn requests_of(path: &Path) -> Run {
    let bytes = std::fs::read(path).unwrap();
    let bytes = if path.extension().is_some_and(|e| e == "gz") { unpacked(&bytes) } else { bytes };
    formats::read(&path.to_string_lossy(), &bytes, &mut |_| {}).unwrap().remove(0)
}

/// The folders of inference-perf’s runs, each with its file of requests.
fn inference_perf(root: &Path) -> Vec<(PathBuf, Run)> {
    let mut found = Vec::new();
    for scenario in ["S1", "S2", "S3", "S4", "S5", "S6", "S8"] {
        let folder = root.join("clients").join(scenario).join("inference-perf");
        let folder = folder.join(if scenario == "S5" { "sweep" } else { "run" });
        let name = "per_request_lifecycle_metrics.json";
        let path = [folder.join(name), folder.join(format!("{name}.gz"))];
        let path = path.iter().find(|path| path.is_file()).unwrap();
        found.push((folder, requests_of(path)));
    }
    found
}

/// A run of `requests` of which `report` was printed.
fn joined(requests: &Run, report: &Run) -> Run {
    let mut run = requests.clone();
    run.reported = report.reported.clone();
    run
}

/// Everything that is not equal, except the waits inside the client, which no row holds.
fn not_equal(run: &Run) -> Vec<Agreement> {
    let all = agreement(run, &Ask::default());
    all.into_iter()
        .filter(|a| a.verdict != Verdict::Equal)
        .filter(|a| a.metric != Metric::QueueWait || a.recomputed.is_some())
        .collect()
}

#[test]
fn inference_perf_prints_what_its_requests_give() {
    let Some(root) = cases() else { return };
    let mut printed = 0;
    for (folder, requests) in inference_perf(&root) {
        let mut reports = vec!["summary_lifecycle_metrics.json"];
        // One stage: it is the whole run.
        if !folder.ends_with("sweep") {
            reports.push("stage_0_lifecycle_metrics.json");
        }
        for name in reports {
            let report = read(&folder.join(name)).unwrap().remove(0);
            let run = joined(&requests, &report);
            let wrong = not_equal(&run);
            assert!(wrong.is_empty(), "{}: {wrong:#?}", folder.display());
            printed += run.reported.values.len();
            // The printed duration too, which `agreement` leaves to the tool’s own clock.
            let own = evaluate(&run, &own(&run).settings, &Ask::default());
            let completed = own.value(Metric::Completed, Stat::Value).exact().unwrap();
            let rate = own.value(Metric::RequestThroughput, Stat::Value).exact().unwrap();
            let duration = report.reported.value(Metric::Duration).unwrap();
            assert!((completed / rate - duration).abs() < 1e-9, "{}", folder.display());
        }
    }
    assert!(printed > 1000, "only {printed} values");
}

/// The sweep’s stages follow one another: its requests in order of their start, cut by the stages’ counts.
#[test]
fn inference_perf_stages_are_cuts_of_the_requests() {
    let Some(root) = cases() else { return };
    let folder = root.join("clients/S5/inference-perf/sweep");
    let packed = std::fs::read(folder.join("per_request_lifecycle_metrics.json.gz")).unwrap();
    let mut rows: Vec<serde_json::Value> = serde_json::from_slice(&unpacked(&packed)).unwrap();
    let start = |row: &serde_json::Value| row["start_time"].as_f64().unwrap();
    rows.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let mut rows = rows.into_iter();
    for stage in 0..6 {
        let report = read(&folder.join(format!("stage_{stage}_lifecycle_metrics.json"))).unwrap();
        let count = usize::try_from(report[0].load.requests.unwrap()).unwrap();
        let cut: Vec<_> = rows.by_ref().take(count).collect();
        let bytes = serde_json::to_vec(&cut).unwrap();
        let requests = formats::read("cut.json", &bytes, &mut |_| {}).unwrap().remove(0);
        let wrong = not_equal(&joined(&requests, &report[0]));
        assert!(wrong.is_empty(), "stage {stage}: {wrong:#?}");
    }
    assert_eq!(rows.count(), 0);
}

#[test]
fn inference_perf_entries_are_those_of_numpy() {
    let Some(root) = cases() else { return };
    let text = std::fs::read(root.join("clients/expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let ask = Ask { percentiles: vec![99.0], limits: Vec::new(), ..Ask::default() };
    let mut compared = 0;
    for (key, entry) in expected["files"].as_object().unwrap() {
        if key.split('/').nth(1) != Some("inference-perf") {
            continue;
        }
        let run = requests_of(&root.join("clients").join(key));
        let requests = run.requests.as_ref().unwrap();
        let counts = &entry["counts"];
        assert_eq!(requests.len() as u64, counts["requests"].as_u64().unwrap(), "{key}");
        let own = evaluate(&run, &own(&run).settings, &ask);
        let common = evaluate(&run, &COMMON.settings, &ask);
        let mut check = |name: &str, value: Option<f64>, want: &serde_json::Value| {
            let (value, want) = (value.unwrap(), want.as_f64().unwrap());
            compared += 1;
            assert!(
                (value - want).abs() <= 1e-9 * want.abs().max(1e-3),
                "{key} {name}: {value} is not {want}"
            );
        };
        let want = &entry["recomputed"];
        for (group, metric, under) in [
            ("ttft_ms", Metric::Ttft, &own),
            ("tpot_ms", Metric::Tpot, &own),
            ("tpot_ms", Metric::Tpot, &common),
            ("itl_ms", Metric::Itl, &own),
            ("e2e_ms", Metric::E2e, &own),
            ("ntpot_ms", Metric::WholePerToken, &own),
        ] {
            let stats = [
                ("mean", Stat::Mean),
                ("median", Stat::Median),
                ("p99", Stat::Percentile(99.0)),
                ("std", Stat::Std),
            ];
            for (id, stat) in stats {
                check(
                    &format!("{group}.{id}"),
                    under.value(metric, stat).exact(),
                    &want[group][id],
                );
            }
            let n = under.metrics[&metric].summary().map(|summary| summary.n as f64);
            check(&format!("{group}.n"), n, &want[group]["n"]);
        }
        for (id, metric) in [
            ("request_throughput", Metric::RequestThroughput),
            ("output_throughput", Metric::OutputThroughput),
        ] {
            check(id, own.value(metric, Stat::Value).exact(), &want[id]);
        }
    }
    assert_eq!(compared, 7 * 32);
}

/// LLMPerf’s printed statistics out of its rows. Its speed of a request is the one exception: before
/// April 2024 it divided events, which no row holds.
#[test]
fn llmperf_prints_what_its_responses_give() {
    let Some(root) = cases() else { return };
    let folder = root.join("public/llmperf");
    let names = [
        "anyscale_70b",
        "bedrock_70b",
        "groq_70b",
        "lepton_13b",
        "perplexity_70b",
        "replicate_70b",
    ];
    for name in names {
        let rows =
            read(&folder.join(format!("{name}_individual_responses.json"))).unwrap().remove(0);
        let summary = read(&folder.join(format!("{name}_summary.json"))).unwrap().remove(0);
        assert!(summary.reported.values.len() > 60, "{name}");
        for a in not_equal(&joined(&rows, &summary)) {
            let reason = a.because.as_deref().unwrap_or_default();
            let events = a.metric == Metric::UserSpeed && reason.contains("before April 2024");
            assert!(events && a.verdict == Verdict::NotRecomputable, "{name}: {a:?}");
        }
    }
}

/// The runs of AIPerf's files in one folder, by their part: its records and its summaries.
fn aiperf_folder(folder: &Path, stem: &str) -> (Run, Vec<Run>) {
    let one = |end: &str| read(&folder.join(format!("{stem}{end}"))).unwrap().remove(0);
    let summaries = ["profile_export_aiperf.json", "profile_export_aiperf.csv"];
    (one("profile_export.jsonl"), summaries.map(one).into())
}

/// The records with what a summary of the same run printed.
fn with_summary(records: &Run, summary: &Run) -> Run {
    let mut run = records.clone();
    run.reported = summary.reported.clone();
    run.version = summary.version.clone();
    run
}

/// Every folder of AIPerf's files, with what stands before their names.
fn aiperf_folders(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut folders: Vec<_> = files(&root.join("clients"))
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name == "profile_export.jsonl"))
        .map(|path| (path.parent().unwrap().to_owned(), ""))
        .collect();
    folders.push((root.join("public/aiperf"), "run1-cancelled."));
    folders
}

#[test]
fn what_aiperf_printed_follows_from_its_records() {
    let Some(root) = cases() else { return };
    let folders = aiperf_folders(&root);
    assert!(folders.len() >= 13, "only {} folders", folders.len());
    let (mut equal, mut explained) = (0, 0);
    for (folder, stem) in folders {
        let (records, summaries) = aiperf_folder(&folder, stem);
        for (summary, name) in summaries.iter().zip(["json", "csv"]) {
            let run = with_summary(&records, summary);
            for a in agreement(&run, &Ask::default()) {
                let place = format!("{} {name}", folder.display());
                if a.verdict == Verdict::Equal {
                    equal += 1;
                    continue;
                }
                // AIPerf books cancelled requests as failed; its table has neither the phase by which
                // 0.13 divides nor the limits.
                let because = a.because.clone().unwrap_or_default();
                let reason = because.contains("cancelled requests as failed")
                    || name == "csv"
                        && (because.contains("the length of the phase")
                            || because.contains("the limits"));
                assert!(a.verdict == Verdict::NotRecomputable && reason, "{place}: {a:?}");
                explained += 1;
            }
        }
    }
    assert!(equal > 2_000 && explained < 100, "{equal} equal, {explained} explained");
}

#[test]
fn aiperfs_rows_that_count_failures_take_them_as_endless() {
    let Some(root) = cases() else { return };
    let (records, summaries) = aiperf_folder(&root.join("clients/S4/aiperf/run"), "");
    let requests = records.requests.as_ref().unwrap();
    let mut all: Vec<f64> = (0..requests.len())
        .map(|at| requests.ttft.get(at).map_or(f64::INFINITY, Seconds::as_millis))
        .collect();
    all.sort_by(f64::total_cmp);
    for p in [1.0, 5.0, 10.0, 25.0, 50.0, 75.0_f64] {
        let field = format!("adj_time_to_first_token p{p}");
        let printed = summaries[0].reported.further.iter().find(|f| f.field == field).unwrap();
        // numpy’s method "nearest".
        let rank = (p / 100.0 * (all.len() - 1) as f64).round_ties_even() as usize;
        assert!((all[rank] - printed.value).abs() < 1e-9, "{field}: {} {printed:?}", all[rank]);
    }
    let endless = |f: &&sameruler::model::Further| f.field == "adj_time_to_first_token p90";
    assert!(
        summaries[0].reported.further.iter().find(endless).is_none(),
        "an infinity is no number"
    );
}

#[test]
fn aiperfs_records_alone_give_the_numbers_of_numpy() {
    let Some(root) = cases() else { return };
    let text = std::fs::read(root.join("clients/expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let mut compared = 0;
    for (key, entry) in expected["files"].as_object().unwrap() {
        if key.split('/').nth(1) != Some("aiperf") {
            continue;
        }
        let path = root.join("clients").join(key);
        let records = read(&path).unwrap().remove(0);
        let summary = read(&path.with_file_name("profile_export_aiperf.json")).unwrap().remove(0);
        let limits = summary.reported.limits.clone().unwrap();
        for (id, metric) in
            [("ttft", LimitMetric::Ttft), ("tpot", LimitMetric::Tpot), ("e2el", LimitMetric::E2e)]
        {
            let limit = limits.iter().find(|limit| limit.metric == metric).unwrap();
            assert_eq!(Some(limit.millis), entry["slo_ms"][id].as_f64(), "{key}");
        }
        let ask = Ask { percentiles: vec![99.0], limits, ..Ask::default() };
        let alone = evaluate(&records, &COMMON.settings, &ask);
        for (group, metric) in [
            ("ttft_ms", Metric::Ttft),
            ("tpot_ms", Metric::Tpot),
            ("e2e_ms", Metric::E2e),
            ("chunk_gap_ms", Metric::ChunkGap),
        ] {
            for (id, stat) in [
                ("mean", Stat::Mean),
                ("median", Stat::Median),
                ("p99", Stat::Percentile(99.0)),
                ("std", Stat::Std),
            ] {
                let want = entry["recomputed"][group][id].as_f64().unwrap();
                let got = alone.value(metric, stat).exact().unwrap();
                assert!(
                    (got - want).abs() <= 1e-9 * want,
                    "{key} {group} {id}: {got} is not {want}"
                );
                compared += 1;
            }
        }
        let run = with_summary(&records, &summary);
        let joined = evaluate(&run, &own(&run).settings, &ask);
        // Clock readings of the summary have microseconds.
        for (id, metric) in [
            ("request_throughput", Metric::RequestThroughput),
            ("output_throughput", Metric::OutputThroughput),
            ("request_goodput", Metric::Goodput),
        ] {
            let want = entry["recomputed"][id].as_f64().unwrap();
            let got = joined.value(metric, Stat::Value).exact().unwrap();
            assert!((got - want).abs() <= 1e-6 * want, "{key} {id}: {got} is not {want}");
            compared += 1;
        }
    }
    assert!(compared >= 12 * 19, "only {compared} numbers were compared");
}

#[test]
fn aiperfs_raw_records_time_the_same_events_as_its_records() {
    let Some(root) = cases() else { return };
    let mut compared = 0;
    for scenario in ["S2", "S3", "S8"] {
        let folder = root.join("clients").join(scenario).join("aiperf/run");
        let one = |name: &str| read(&folder.join(name)).unwrap().remove(0).requests.unwrap();
        let (records, raw) = (one("profile_export.jsonl"), one("profile_export_raw.jsonl"));
        assert_eq!(records.len(), raw.len(), "{scenario}");
        for at in 0..records.len() {
            let columns = [
                (&records.start, &raw.start),
                (&records.ttft, &raw.ttft),
                (&records.first_answer, &raw.first_answer),
                (&records.last_token, &raw.last_token),
                (&records.e2e, &raw.e2e),
            ];
            for (nth, (a, b)) in columns.into_iter().enumerate() {
                let both = a.get(at).zip(b.get(at));
                let place = format!("{scenario} request {at}, column {nth}");
                let (a, b) = both.unwrap_or_else(|| panic!("{place}: not in both"));
                let (a, b) = (a.as_secs(), b.as_secs());
                assert!((a - b).abs() < 1e-12, "{place}: {a} is not {b}");
                compared += 1;
            }
            let (a, b) = (records.gaps.row(at).unwrap(), raw.gaps.row(at).unwrap());
            assert_eq!(a.len(), b.len(), "{scenario} request {at}");
            assert!(a.iter().zip(b).all(|(a, b)| (a.as_secs() - b.as_secs()).abs() < 1e-12));
            assert_eq!(records.output_tokens.get(at), raw.output_tokens.get(at));
            assert_eq!(records.input_tokens.get(at), raw.input_tokens.get(at));
        }
    }
    assert_eq!(compared, 160 * 5);
}
