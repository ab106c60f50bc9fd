//! `sameruler server` as a user meets it.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A page after so many requests of 0.2 s with one first token and nine steps each, on two engines.
fn page(requests: u32) -> String {
    let mut page = String::from("# TYPE vllm:time_to_first_token_seconds histogram\n");
    for engine in [0, 1] {
        for le in ["0.1", "0.25", "+Inf"] {
            let n = if le == "0.1" { 0 } else { requests };
            page.push_str("vllm:time_to_first_token_seconds_bucket{engine=\"");
            let _ = write!(page, "{engine}\",le=\"{le}\"}} {n}\n");
        }
        let sum = f64::from(requests) * 0.2;
        let _ = write!(page, "vllm:time_to_first_token_seconds_sum{{engine=\"{engine}\"}} {sum}\n");
        let _ = write!(
            page,
            "vllm:time_to_first_token_seconds_count{{engine=\"{engine}\"}} {requests}\n"
        );
    }
    page.push_str("# TYPE vllm:request_success_total counter\n");
    for reason in ["stop", "length"] {
        let _ = write!(
            page,
            "vllm:request_success_total{{engine=\"0\",finished_reason=\"{reason}\"}} {requests}\n"
        );
    }
    page
}

fn file(name: &str, text: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli_server");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn server(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sameruler"))
        .arg("server")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = server(&[args, &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn two_readings_are_one_object_whose_names_are_a_contract() {
    let before = file("before.txt", page(10).as_bytes());
    let after = file("after.txt", page(70).as_bytes());
    let (before, after) = (before.to_str().unwrap(), after.to_str().unwrap());
    let answer = json(&["--before", before, "--after", after, "--slo", "ttft<=100ms"]);
    assert_eq!(answer["schema"], "sameruler.server/1");
    assert_eq!(answer["window"]["kind"], "two-scrapes");
    assert!(answer["window"]["seconds"].is_null());
    assert_eq!(answer["engine"]["name"], "vllm");
    let ttft = &answer["histograms"]["vllm:time_to_first_token_seconds"];
    assert_eq!((&ttft["meaning"], &ttft["unit"]), (&"ttft/server".into(), &"s".into()));
    assert_eq!((&ttft["count"], &ttft["resets"]), (&120.0.into(), &0.into()));
    let p50 = &ttft["quantiles"]["p50"];
    for name in ["promql", "low", "high", "above_last_edge"] {
        assert!(!p50[name].is_null(), "{name}");
    }
    assert_eq!(ttft["within"]["ttft<=100ms"]["high"], 0.0);
    let stop = &answer["counters"]["vllm:request_success_total{finished_reason=\"stop\"}"];
    assert_eq!((&stop["delta"], &stop["unit"]), (&60.0.into(), &"requests".into()));
    assert!(stop["rate"].is_null());
    for name in ["gauges", "notices", "identities"] {
        assert!(!answer[name].is_null(), "{name}");
    }
    let by = json(&[before, after, "--by", "engine"]);
    let one = &by["histograms"]["vllm:time_to_first_token_seconds{engine=\"1\"}"];
    assert_eq!(one["count"], 60.0);
    let wrong_order = json(&[after, before]);
    let reset = &wrong_order["histograms"]["vllm:time_to_first_token_seconds"];
    assert_eq!((&reset["resets"], &reset["lower_bound"]), (&2.into(), &true.into()));
}

#[test]
fn one_reading_is_since_the_start_also_compressed_and_on_standard_input() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(page(5).as_bytes()).unwrap();
    let compressed = file("one.txt.gz", &gz.finish().unwrap());
    let answer = json(&[compressed.to_str().unwrap()]);
    assert_eq!(answer["window"]["kind"], "since-start");
    let said = answer["notices"].as_array().unwrap().iter().any(|n| n["kind"] == "since-start");
    assert!(said);
    let mut command = Command::new(env!("CARGO_BIN_EXE_sameruler"))
        .args(["server", "-", "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    command.stdin.take().unwrap().write_all(page(5).as_bytes()).unwrap();
    let output = command.wait_with_output().unwrap();
    let csv = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("kind,series,meaning,unit,count,sum,mean,delta"), "{}", lines[0]);
    assert!(
        lines[1].starts_with("histogram,vllm:time_to_first_token_seconds,ttft/server,s,10,2,0.2,"),
        "{}",
        lines[1]
    );
}

#[test]
fn wrong_use_and_foreign_files_have_their_own_ends() {
    let good = file("good.txt", page(5).as_bytes());
    let bad = file("bad.txt", b"Dear diary\n");
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    assert_eq!(server(&[]).status.code(), Some(2), "no file");
    assert_eq!(server(&["--before", good]).status.code(), Some(2), "no --after");
    let output = server(&[good, bad, "--format", "markdown"]);
    assert_eq!(output.status.code(), Some(4));
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(err.contains("bad.txt") && err.contains("/metrics"), "{err}");
    assert!(out.contains("| series | means |"), "the other is still told: {out}");
}
