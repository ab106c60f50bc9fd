//! Public faults of the kinds F, G, H and N, through the command: what a user types and reads. Each is
//! named after its id in the design's hand.md, which retells the fault and gives the right values.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn command(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sameruler"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn answer(what: &str, args: &[&str], input: &str) -> Value {
    let output = command(&[&[what, "-", "--format", "json", "-q"], args].concat(), input);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn text(what: &str, args: &[&str], input: &str) -> String {
    String::from_utf8(command(&[&[what, "-", "-q"], args].concat(), input).stdout).unwrap()
}

/// The points of the first curve.
fn points(args: &[&str], input: &str) -> Vec<Value> {
    answer("curve", args, input)["series"][0]["points"].as_array().unwrap().clone()
}

/// One metric of the first run.
fn metric(args: &[&str], input: &str, name: &str) -> Value {
    answer("metrics", args, input)["runs"][0]["metrics"][name].clone()
}

#[track_caller]
fn close(value: &Value, want: f64, within: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is not {want}"));
    assert!((found - want).abs() <= within, "{found} is not {want}");
}

/// One request of a vLLM result.
struct Sent {
    start: f64,
    ttft: f64,
    gaps: Vec<f64>,
    /// Seconds in the client's own queue.
    waited: f64,
    error: &'static str,
}

fn sent(start: f64, ttft: f64, gaps: &[f64]) -> Sent {
    Sent { start, ttft, gaps: gaps.to_vec(), waited: 0.0, error: "" }
}

/// A detailed vLLM result.
fn vllm(rate: &str, duration: f64, rows: &[Sent]) -> String {
    let list = |of: &dyn Fn(&Sent) -> String| {
        format!("[{}]", rows.iter().map(of).collect::<Vec<_>>().join(","))
    };
    let ok = rows.iter().filter(|row| row.error.is_empty()).count();
    let tokens: usize =
        rows.iter().filter(|row| row.error.is_empty()).map(|row| row.gaps.len() + 1).sum();
    format!(
        r#"{{"date":"20260101-000000","endpoint_type":"openai","backend":"openai","model_id":"m",
        "tokenizer_id":"t","num_prompts":{},"request_rate":{rate},"burstiness":1.0,"max_concurrency":null,
        "duration":{duration},"completed":{ok},"failed":{},"total_input_tokens":{},"total_output_tokens":{tokens},
        "input_lens":{},"output_lens":{},"ttfts":{},"itls":{},"latencies":{},"start_times":{},"queue_times":{},"errors":{}}}"#,
        rows.len(),
        rows.len() - ok,
        10 * rows.len(),
        list(&|_| "10".into()),
        list(&|row| if row.error.is_empty() {
            (row.gaps.len() + 1).to_string()
        } else {
            "0".into()
        }),
        list(&|row| row.ttft.to_string()),
        list(&|row| format!("{:?}", row.gaps)),
        list(&|row| (row.ttft + row.gaps.iter().sum::<f64>()).to_string()),
        list(&|row| row.start.to_string()),
        list(&|row| row.waited.to_string()),
        list(&|row| format!("{:?}", row.error)),
    )
}

#[test]
fn f1() {
    // 5 s at 50, 20 s at 200, 5 s at 50 tok/s.
    let stream = |seconds: usize| vec![0.02; seconds * 50 - 1];
    let mut rows = vec![sent(0.0, 0.02, &stream(30))];
    rows.extend((0..3).map(|_| sent(5.0, 0.02, &stream(20))));
    let run = vllm("1.0", 30.0, &rows);
    close(&points(&["--y", "output_throughput"], &run)[0]["y"], 150.0, 1e-6);
    let steady = &points(&["--y", "output_throughput", "--window", "steady:0.9"], &run)[0]["y"];
    close(steady, 200.0, 0.5);
    close(&(150.0 / steady.as_f64().unwrap()).into(), 0.75, 2e-3);
    let metrics = answer("metrics", &["--window", "steady:0.9"], &run);
    assert_eq!(metrics["runs"][0]["window"]["choice"], "steady:0.9");
}

#[test]
fn f3() {
    let mut table = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\n".to_owned();
    for at in 0..100 {
        let ttft = if at < 10 { 50_000 } else { 700 };
        let _ = writeln!(table, "{at},10,2,{ttft},{}", ttft + 100);
    }
    let p90 = |args: &[&str]| {
        let args = [&["--y", "ttft.p90"], args].concat();
        points(&args, &table)[0]["y"].clone()
    };
    close(&p90(&[]), 5630.0, 1e-6);
    close(&p90(&["--window", "skip-first:10"]), 700.0, 1e-6);
    let said = text("check", &[], &table);
    assert!(said.contains("all 10 slowest are the first 10 started"), "{said}");
}

/// 580 requests sent in 50 s, the last answered after 58 s, the process ends after 60.5 s.
fn three_rates() -> String {
    let row = |at: u32| {
        let last = if at == 579 { 7.9 } else { 0.9 };
        sent(50.0 * f64::from(at) / 579.0, 0.1, &[last])
    };
    vllm("11.6", 60.5, &(0..580).map(row).collect::<Vec<_>>())
}

#[test]
fn f5() {
    let run = three_rates();
    let whole = &points(&["--x", "sent"], &run)[0];
    close(&whole["x"], 11.6, 1e-6);
    close(&whole["achieved_rate"], 11.6, 1e-6);
    close(&whole["request_throughput"], 580.0 / 60.5, 1e-9);
    let seen = &points(&["--set", "duration=first-send-to-last-token"], &run)[0];
    close(&seen["request_throughput"], 10.0, 1e-6);
}

#[test]
fn g1() {
    // Arrivals every 200 ms, one at a time, 400 ms each: 0, 200 … 1000 ms of waiting in the client.
    let row = |at: u32| Sent {
        waited: 0.2 * f64::from(at),
        ..sent(0.4 * f64::from(at), 0.1, &[0.1, 0.1, 0.1])
    };
    let run = vllm("5.0", 2.4, &(0..6).map(row).collect::<Vec<_>>());
    let e2e = |stat: &str, args: &[&str]| {
        let y = format!("e2e.{stat}");
        points(&[&["--y", &y], args].concat(), &run)[0]["y"].clone()
    };
    let due = ["--set", "clock-start=scheduled"];
    close(&e2e("mean", &[]), 400.0, 1e-6);
    close(&e2e("mean", &due), 900.0, 1e-6);
    close(&e2e("max", &due), 1400.0, 1e-6);
}

#[test]
fn g3() {
    let rows: Vec<Sent> =
        (0..100).map(|at| sent(14.3 * f64::from(at) / 99.0, 0.05, &[0.05])).collect();
    let run = vllm("10.0", 14.4, &rows);
    let got = answer("curve", &["--x", "sent"], &run);
    assert_eq!((&got["x"]["id"], &got["x"]["name"]), (&"sent".into(), &"sent request rate".into()));
    let point = &got["series"][0]["points"][0];
    close(&point["x"], 6.99, 5e-3);
    close(&point["requested_rate"], 10.0, 0.0);
    close(&point["sent_below_request"], 0.30, 5e-3);
    let said = text("curve", &["--x", "sent"], &run);
    assert!(
        said.contains("At 10 req/s the client sent 6.99 req/s, 30 % below the request."),
        "{said}"
    );
}

#[test]
fn g5() {
    let table = "concurrency,tpot_ms,output_tok_s\n32,50,640\n";
    let little = &answer("metrics", &[], table)["runs"][0]["theory"]["little"];
    assert!(
        little["sentence"].as_str().unwrap().starts_with("640 tok/s × 50.0 ms = 32.0"),
        "{little}"
    );
    close(&points(&["--x", "output-throughput", "--y", "tpot.mean"], table)[0]["y"], 50.0, 0.0);
}

#[test]
fn g6() {
    let table = "concurrency,tpot_ms,output_tok_s\n8,2.5,400\n";
    let said = text("metrics", &[], table);
    assert!(said.contains("2.50 ms looks like 1 ÷ throughput (400 tok/s)"), "{said}");
    assert!(said.contains("about 20.0 ms"), "{said}");
}

#[test]
fn g7() {
    // Prefill 4 s after a wait of 30 s: the clock's start decides which of the two is meant.
    let run = vllm("1.0", 40.0, &[Sent { waited: 30.0, ..sent(30.0, 4.0, &[0.1; 10]) }]);
    let ttft =
        |args: &[&str]| points(&[&["--y", "ttft.mean"], args].concat(), &run)[0]["y"].clone();
    close(&ttft(&[]), 4000.0, 1e-6);
    close(&ttft(&["--set", "clock-start=scheduled"]), 34_000.0, 1e-6);
}

#[test]
fn h1() {
    let rows = [sent(0.0, 0.1, &[0.03; 10]), sent(0.1, 0.1, &[]), sent(0.2, 0.1, &[0.08; 10])];
    let run = vllm("1.0", 10.0, &rows);
    let point = |policy: &str| {
        let set = format!("goodput-missing={policy}");
        let args = ["--slo", "ttft<=200ms", "--slo", "tpot<=50ms", "--set", &set];
        points(&args, &run)[0].clone()
    };
    close(&point("passes")["goodput"], 0.2, 1e-9);
    close(&point("fails")["goodput"], 0.1, 1e-9);
    let apart = point("not-applicable");
    assert_eq!((&apart["good"], &apart["of"]), (&1.0.into(), &2.0.into()));
    assert_eq!(apart["not_applicable"], 1);
}

#[test]
fn h3() {
    let (quick, slow) = ([0.01; 10], [0.1; 10]);
    let rows = [
        sent(0.0, 0.1, &quick),
        sent(1.0, 0.1, &quick),
        sent(2.0, 0.1, &slow),
        sent(3.0, 0.9, &quick),
    ];
    let slo = ["--slo", "ttft<=200ms", "--slo", "tpot<=50ms"];
    let point = &points(&slo, &vllm("1.0", 4.0, &rows))[0];
    close(&point["share"], 0.5, 1e-12);
    close(&point["goodput"], 0.5, 1e-9);
    close(&point["request_throughput"], 1.0, 1e-9);
    for limit in point["limits"].as_array().unwrap() {
        close(&limit["share"], 0.75, 1e-12);
    }
    let joint = point["share"].as_f64().unwrap();
    assert!(joint <= 0.75, "no more than the least of the limits by themselves");
    assert!(point["binding"].is_string());
}

#[test]
fn h4() {
    let table = "concurrency,ttft_ms,tpot_ms,output_tok_s\n64,180,24,3200\n96,240,31,4100\n";
    let args = [
        "--x",
        "concurrency",
        "--y",
        "output_throughput",
        "--slo",
        "ttft<=200ms",
        "--slo",
        "tpot<=25ms",
    ];
    let got = &answer("curve", &args, table)["series"][0];
    let peak = &got["throughput_peak"];
    assert_eq!((&peak["load"], &peak["value"]), (&96.0.into(), &4100.0.into()));
    assert_eq!(got["best_within"]["load"], 64.0);
    close(&got["points"][0]["y"], 3200.0, 0.0);
    assert_eq!(got["goodput_peak"], Value::Null, "printed means are no goodput");
    let said = got["text"].to_string();
    assert!(said.contains("at 64 in flight") && said.contains("at 96 in flight"), "{said}");
}

#[test]
fn h5() {
    let rows: Vec<Sent> = (0..10)
        .map(|at| Sent {
            error: if at < 4 { "broken" } else { "" },
            ..sent(f64::from(at) / 2.0, 0.1, &[0.01; 10])
        })
        .collect();
    let args = ["--slo", "ttft<=200ms", "--slo", "tpot<=50ms", "--anyway"];
    let point = &points(&args, &vllm("2.0", 5.0, &rows))[0];
    close(&point["share_of_finished"], 1.0, 1e-12);
    close(&point["share_of_sent"], 0.6, 1e-12);
    close(&point["share"], 0.6, 1e-12);
    close(&point["goodput"], 1.2, 1e-9);
}

#[test]
fn n1() {
    // Tokens a second of a user and of an accelerator; throughputs stand for both.
    let table = "concurrency,req_s,output_tok_s\n1,10,100\n2,5,100\n3,10,100\n4,20,60\n";
    let args = ["--x", "achieved", "--y", "output_throughput"];
    let got = &answer("curve", &args, table)["series"][0];
    assert_eq!(got["frontier"], serde_json::json!([0, 2, 3]), "equal points both stay");
    let beaten = &got["points"][1]["beaten_by"];
    assert_eq!((&beaten["point"], &beaten["load_text"]), (&0.into(), &"1 in flight".into()));
    let said = text("curve", &args, table);
    assert!(said.contains("beaten by 1 in flight"), "{said}");
}

#[test]
fn n3() {
    let at = |table: &str, args: &[&str]| {
        let args = [&["--x", "output-per-gpu", "--y", "ttft.mean"], args].concat();
        points(&args, table)[0].clone()
    };
    let told = "gpus,concurrency,ttft_ms,output_tok_s\n8,1,257,100\n";
    close(&at(told, &[])["x"], 12.5, 0.0);
    let silent = "concurrency,ttft_ms,output_tok_s\n1,257,100\n";
    let unknown = at(silent, &[]);
    assert_eq!(unknown["x"], Value::Null);
    assert!(unknown["x_unavailable"].as_str().unwrap().contains("none is assumed"));
    close(&at(silent, &["--gpus", "8"])["x"], 12.5, 0.0);
    close(&at(told, &["--gpus", "4"])["x"], 12.5, 0.0);
}

#[test]
fn n4() {
    let mut table = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\n".to_owned();
    for at in 0..100 {
        let _ = writeln!(table, "{at},10,11,{},{}", 100 + at, 600 + at);
    }
    let got = answer("curve", &[], &table);
    let series = got["series"].as_array().unwrap();
    assert_eq!((series.len(), series[0]["points"].as_array().unwrap().len()), (1, 1));
    let said = text("curve", &["--y", "ttft.mean"], &table);
    assert!(said.contains("One load level: no curve. Add runs at other loads"), "{said}");
    assert!(said.contains("149.5"), "the point is there: {said}");
    let whole = metric(&[], &table, "ttft");
    assert_eq!(whole["n"], 100);
    close(&whole["mean"], 149.5, 1e-9);
    let args = ["curve", "-", "--y", "ttft.mean", "--x", "output-throughput", "--format", "svg"];
    let drawn = command(&args, &table);
    let said = String::from_utf8_lossy(&drawn.stderr).into_owned();
    assert!(said.contains("One load level"), "{said}");
}

#[test]
fn n5() {
    // Both tokens of the first in one read: 4,000,000 tok/s.
    let table = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,2,1000,1000.00025\nb,10,101,100,2100\n";
    let got = answer("curve", &["--y", "user-speed"], table);
    let series = &got["series"][0];
    close(&series["points"][0]["y"], 50.0, 1e-6);
    let left_out = series["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["metric"] == "user_speed")
        .unwrap();
    assert_eq!((&left_out["count"], &left_out["of"]), (&1.into(), &2.into()));
    let said = text("curve", &["--y", "user-speed"], table);
    assert!(said.contains("left out of User speed: 1 of 2"), "{said}");
}
