//! What the tools of engines and tables printed against the rows in their own files: GenAI-Perf,
//! TensorRT-LLM, llama.cpp, tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, files, read};
use sameruler::metrics::{Ask, COMMON, Verdict, agreement, evaluate, own};
use sameruler::model::{Metric, Run, Stat};
use std::path::Path;

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
    assert!((printed(&fmperf[0], Metric::Ttft, Stat::Mean) - 40.225_132_976_190_47).abs() < 1e-9);
    assert!((printed(&fmperf[1], Metric::Itl, Stat::Mean) - 14.188_757_113_775_509).abs() < 1e-9);
    assert!(
        (printed(&fmperf[1], Metric::OutputThroughput, Stat::Value) - 133.333_333_333_333_34).abs()
            < 1e-9
    );
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
