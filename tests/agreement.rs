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

use sameruler::formats;
use sameruler::metrics::{
    Agreement, Ask, COMMON, GoodputResult, Verdict, agreement, evaluate, own,
};
use sameruler::model::{Limit, LimitMetric, Metric, Run, Stat};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn cases() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if root.is_dir() {
        return Some(root);
    }
    assert!(std::env::var("CI").is_err(), "the cases must be there in CI");
    None
}

/// Files below `folder`, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Option<Vec<Run>> {
    let bytes = std::fs::read(path).unwrap();
    formats::read(&path.to_string_lossy(), &bytes, &mut |_| {}).ok()
}

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
            .map(|(metric, millis)| Limit { metric: *metric, millis })
            .collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    let mut clients = 0;
    for path in client_files(&root) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let slo = if name.contains("/S5/") { [250.0, 18.0, 900.0] } else { [110.0, 18.0, 1000.0] };
        let ask = Ask { percentiles: Vec::new(), limits: limits(slo) };
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
                .map(|(id, metric)| Limit { metric: *metric, millis: slo[*id].as_f64().unwrap() })
                .collect();
        let ask = Ask { percentiles: vec![99.0], limits };
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

/// A file of requests, unpacked where it is packed.
fn requests_of(path: &Path) -> Run {
    let bytes = std::fs::read(path).unwrap();
    let bytes = if path.extension().is_some_and(|e| e == "gz") {
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain)
            .unwrap();
        plain
    } else {
        bytes
    };
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
    let packed = std::fs::File::open(folder.join("per_request_lifecycle_metrics.json.gz")).unwrap();
    let mut rows: Vec<serde_json::Value> =
        serde_json::from_reader(flate2::read::GzDecoder::new(packed)).unwrap();
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
    let ask = Ask { percentiles: vec![99.0], limits: Vec::new() };
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

/// A fixture read as one run.
fn fixture(name: &str) -> Vec<Run> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    read(&path).unwrap_or_else(|| panic!("{name} is not read"))
}

/// The rows of one file with what another printed of them.
fn with_printed(rows: &str, summary: &str) -> Run {
    let mut run = fixture(rows).remove(0);
    let printed = fixture(summary).remove(0);
    run.reported = printed.reported;
    run
}

/// Asserts that every printed value follows from the rows, but those whose field starts with one of
/// `others`, which must say why with the words beside it. Returns how many are equal.
fn all_equal_but(run: &Run, others: &[(&str, &str)]) -> usize {
    let all = agreement(run, &Ask::default());
    for a in &all {
        match others.iter().find(|(start, _)| a.field.starts_with(start)) {
            None => assert_eq!(a.verdict, Verdict::Equal, "{a:?}"),
            Some((_, why)) => {
                assert_eq!(a.verdict, Verdict::NotRecomputable, "{a:?}");
                assert!(a.because.as_deref().is_some_and(|b| b.contains(why)), "{a:?}");
            }
        }
    }
    all.iter().filter(|a| a.verdict == Verdict::Equal).count()
}

/// The fixture's numbers, worked out apart with GenAI-Perf's formulas: of eight requests five have answer
/// text. First answers after 70.427580, 72.865248, 74.891994, 64.870505 and 73.244673 ms: mean
/// 356.3 ÷ 5 = 71.26 ms. First send to last answer 0.917589455 s, so 8 ÷ 0.917589455 = 8.718496 requests
/// a second although three of them are in nothing else.
#[test]
fn genai_perf_follows_from_the_export_of_perf_analyzer() {
    let run = with_printed(
        "perf-analyzer/synthetic-reasoning.json",
        "genai-perf-summary/synthetic-reasoning_genai_perf.json",
    );
    let uncounted = "no output tokens";
    let equal = all_equal_but(
        &run,
        &[
            ("request_count", "GenAI-Perf counts replies with answer text (5); 8 finished"),
            ("inter_token_latency", uncounted),
            ("output_", uncounted),
            ("input_sequence_length", "no input tokens"),
            ("gpu_power_usage", "no readings of the accelerators"),
        ],
    );
    assert_eq!(equal, 27, "request throughput, 13 of latency, 13 of TTFT");
    let own = evaluate(&run, &own(&run).settings, &Ask::default());
    let near = |metric, stat, want: f64| {
        let got = own.value(metric, stat).exact().unwrap();
        assert!((got - want).abs() < 1e-6 * want, "{metric:?}: {got} is not {want}");
    };
    near(Metric::Ttft, Stat::Mean, 71.26);
    near(Metric::RequestThroughput, Stat::Value, 8.0 / 0.917_589_455);
    // Reasoning is text too: the common ruler has seven first tokens, and earlier ones.
    let common = evaluate(&run, &COMMON.settings, &Ask::default());
    let ttft = common.metrics[&Metric::Ttft].summary().unwrap();
    assert_eq!(ttft.n, 7);
    assert!(ttft.mean < 40.0, "{}", ttft.mean);
}

#[test]
fn genai_perf_table_is_its_summary_rounded() {
    let run = with_printed(
        "perf-analyzer/synthetic-reasoning.json",
        "genai-perf-csv/synthetic-reasoning_genai_perf.csv",
    );
    let equal = all_equal_but(
        &run,
        &[
            ("request_count", "GenAI-Perf counts"),
            ("inter_token_latency", "tokens"),
            ("output_", "tokens"),
            ("input_", "tokens"),
            ("gpu_power_usage", "accelerators"),
        ],
    );
    assert_eq!(equal, 25, "request throughput, 12 of latency, 12 of TTFT");
}

/// Twelve requests, worked out apart: 1 + Σ(20 + i) without i = 4 is 283 output tokens; sorted, p50 is
/// element 6, p90 element 10, p95 and p99 element 11, the maximum. The reply of one token is a zero among
/// the times per token and among the generation speeds.
#[test]
fn trtllm_bench_follows_from_its_requests() {
    let streaming = with_printed(
        "trtllm-requests/synthetic-1.2-streaming.request.json",
        "trtllm-bench/synthetic-1.2-streaming.report.json",
    );
    let equal = all_equal_but(&streaming, &[]);
    assert_eq!(
        equal, 41,
        "5 of the run, 7 each of latency, TTFT, TPOT, speed and input, 1 of output"
    );
    let tokens = streaming.requests.as_ref().unwrap().output_tokens.iter().flatten();
    assert_eq!(tokens.map(|n| n.count() as u64).sum::<u64>(), 283);
    let tpot = streaming.reported.find(Metric::Tpot, Stat::Min).unwrap();
    assert!(tpot.value.abs() < f64::MIN_POSITIVE, "{tpot:?}");
    let offline = with_printed(
        "trtllm-requests/synthetic-0.20-offline.request.json",
        "trtllm-bench/synthetic-0.20-offline.report.json",
    );
    assert!(offline.requests.as_ref().unwrap().ttft.is_absent());
    all_equal_but(&offline, &[]);
}

#[test]
fn the_serving_client_of_tensorrt_llm_divides_by_whole_requests() {
    let run = fixture("vllm-bench/trtllm-serve.json").remove(0);
    assert_eq!(run.tool, sameruler::model::Tool::Trtllm);
    let all = agreement(&run, &Ask::default());
    let speed = all.iter().find(|a| a.field == "user_throughput").unwrap();
    assert_eq!(speed.verdict, Verdict::Equal, "{speed:?}");
    assert!(all.iter().all(|a| a.verdict == Verdict::Equal), "{all:#?}");
}

/// Rates of llama-bench are means of the rates of repetitions: every printed one comes out of the
/// nanoseconds, ours and the public ones.
#[test]
fn llama_bench_follows_from_its_nanoseconds() {
    let mut runs = fixture("llama-bench/synthetic-tests.jsonl");
    runs.extend(fixture("llama-bench/synthetic-interrupted.json"));
    if let Some(root) = cases() {
        for path in files(&root.join("public/llama-bench")) {
            runs.extend(read(&path).unwrap());
        }
    }
    assert!(runs.len() >= 6);
    for run in &runs {
        let others: &[(&str, &str)] = if run.name.contains("pp") {
            &[("avg_ts", "the file prints no duration")]
        } else {
            &[]
        };
        all_equal_but(run, others);
        let requests = run.requests.as_ref().unwrap();
        let count = |column: &sameruler::model::Column<sameruler::units::Tokens>, at| {
            column.get(at).map_or(0.0, sameruler::units::Tokens::count)
        };
        let rates: Vec<f64> = (0..requests.len())
            .map(|at| {
                let tokens = count(&requests.input_tokens, at) + count(&requests.output_tokens, at);
                tokens / requests.e2e.get(at).unwrap().as_secs()
            })
            .collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let printed = run.reported.values.iter().find(|v| v.field == "avg_ts").unwrap().value;
        assert!((mean - printed).abs() <= 0.5e-6 + 1e-9 * mean, "{}: {mean} {printed}", run.name);
    }
}

/// The server divides 1000 ms after the first token by all 51 tokens: 19.608 ms, where 50 intervals are
/// 20 ms each.
#[test]
fn llama_server_divides_by_one_token_too_many() {
    let run = fixture("llama-server/synthetic-one-reply.json").remove(0);
    assert_eq!(all_equal_but(&run, &[]), 2);
    let tpot = |settings| evaluate(&run, settings, &Ask::default()).value(Metric::Tpot, Stat::Mean);
    assert_eq!(tpot(&COMMON.settings).exact(), Some(20.0));
    let server = tpot(&own(&run).settings).exact().unwrap();
    assert!((server - 1000.0 / 51.0).abs() < 1e-9, "{server}");
    let several = fixture("llama-server/synthetic-script-of-several.json").remove(0);
    assert_eq!(all_equal_but(&several, &[]), 2);
    let share = several.reported.further.iter().find(|f| f.field.contains('÷')).unwrap();
    assert!((share.value - 0.75).abs() < 1e-12, "{share:?}");
    if let Some(root) = cases() {
        for path in files(&root.join("public/llama-server")) {
            for run in read(&path).unwrap() {
                assert_eq!(all_equal_but(&run, &[]), 2, "{}", path.display());
            }
        }
    }
}

/// What fmperf and MLPerf printed has no requests behind it: every number is there in its metric's unit.
#[test]
fn printed_tables_and_summaries_are_read_to_the_last_number() {
    let Some(root) = cases() else { return };
    let printed = |run: &Run, metric, stat| run.reported.find(metric, stat).unwrap().value;
    let fmperf = read(&root.join("public/fmperf/result0.csv")).unwrap();
    assert_eq!(fmperf.len(), 2);
    assert_eq!(printed(&fmperf[0], Metric::Ttft, Stat::Mean), 40.225_132_976_190_47);
    assert_eq!(printed(&fmperf[1], Metric::Itl, Stat::Mean), 14.188_757_113_775_509);
    assert_eq!(printed(&fmperf[1], Metric::OutputThroughput, Stat::Value), 133.333_333_333_333_34);
    let file = "public/mlperf/redhat-l40s-llama8b-server.mlperf_log_summary.txt";
    let mlperf = &read(&root.join(file)).unwrap()[0];
    let near = |value: f64, want: f64| assert!((value - want).abs() < 1e-9 * want, "{value}");
    near(printed(mlperf, Metric::Ttft, Stat::Percentile(99.0)), 407.241_795);
    near(printed(mlperf, Metric::Tpot, Stat::Mean), 48.338_269);
    near(printed(mlperf, Metric::E2e, Stat::Max), 14_024.032_751);
    // 27 latencies, and the rates of samples and of tokens.
    assert_eq!(mlperf.reported.values.len(), 29);
    let limits: Vec<f64> =
        mlperf.reported.limits.as_ref().unwrap().iter().map(|limit| limit.millis).collect();
    assert_eq!(limits, [2000.0, 100.0]);
}

/// LMBenchmark writes its ends beside TTFT and decode time: they agree within its clock's digits, and
/// the overloaded run says that it lacks what did not finish.
#[test]
fn lmbenchmark_ends_follow_from_ttft_and_decode_time() {
    let Some(root) = cases() else { return };
    let folder = root.join("public/lmbench-csv");
    let mut rows = 0;
    for name in ["sharegpt_output_10_llama4", "sharegpt_output_10_overload", "short_input_qps10"] {
        let path = folder.join(format!("{name}.csv"));
        let run = &read(&path).unwrap()[0];
        assert!(run.provenance.notices.iter().any(|n| n.kind == "survivors"), "{name}");
        let requests = run.requests.as_ref().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for (at, line) in text.lines().skip(1).enumerate() {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let span = cells[cells.len() - 1] - cells[cells.len() - 2];
            let e2e = requests.e2e.get(at).unwrap().as_secs();
            assert!((e2e - span).abs() < 1e-5, "{name} row {at}: {e2e} is not {span}");
            rows += 1;
        }
    }
    assert!(rows > 1000, "only {rows} rows");
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
        .map(|at| requests.ttft.get(at).map_or(f64::INFINITY, |t| t.as_millis()))
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
        let ask = Ask { percentiles: vec![99.0], limits };
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
