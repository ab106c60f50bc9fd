//! `sameruler check` as a user meets it.
#![allow(clippy::expect_used, reason = "a failed test is the point of a test")]

use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sameruler"))
        .arg("check")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

const SPECULATIVE: &str = "vllm-bench/0.33-chat-speculative.json";
const ECHOED: &str = "genai-perf-summary/synthetic-0.0.8-prompt-echoed.json";

#[test]
fn json_keeps_its_names_and_a_blocking_finding_ends_with_3() {
    let output = check(&[&fixture(ECHOED), &fixture(SPECULATIVE), "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(answer["schema"], "sameruler.check/1");
    let [echoed, speculative] = [&answer["runs"][0], &answer["runs"][1]];
    assert_eq!(echoed["blocked"]["id"], "prompt-echoed");
    assert!(speculative["blocked"].is_null());
    let one = |run: &Value, id: &str| {
        let all = run["findings"].as_array().expect("a list").iter();
        all.clone().find(|f| f["id"] == id).expect("the finding").clone()
    };
    let finding = one(echoed, "prompt-echoed");
    for name in [
        "id", "name", "severity", "from", "text", "count", "of", "touches", "requests", "places",
        "effects", "advice",
    ] {
        assert!(finding.get(name).is_some(), "{name}");
    }
    assert_eq!((&finding["severity"], &finding["from"]), (&"block".into(), &"check".into()));
    let peak = one(speculative, "impossible-peak");
    let effect = &peak["effects"][0];
    assert_eq!((&effect["metric"], &effect["unit"]), (&"peak_output_rate".into(), &"tok/s".into()));
    let value = |side: &str| effect[side]["value"].as_f64().expect("a number");
    assert!(value("before") < value("after"));
    assert!(!speculative["passed"].as_array().expect("a list").is_empty());
    assert!(!echoed["cannot_tell"].as_array().expect("a list").is_empty());
    assert!(
        answer["between"]
            .as_array()
            .is_some_and(|b| b.iter().any(|f| f["id"] == "different-models"))
    );
}

#[test]
fn the_table_says_what_it_does_to_the_numbers_and_what_to_do() {
    let output = check(&[&fixture(SPECULATIVE)]);
    assert_eq!(output.status.code(), Some(0));
    let table = text(&output);
    for part in [
        "warn: Peak below the mean",
        "Peak output rate ",
        "note: Several tokens an event · 60 of 60 requests",
        "do: --set itl=token-spread",
        "  passed ",
        "  can’t tell ",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    // Under a ruler of one's own the numbers are those of that ruler.
    let other = text(&check(&[&fixture(SPECULATIVE), "--set", "itl=token-spread"]));
    assert!(!other.contains("ITL mean"), "{other}");
}

#[test]
fn csv_and_markdown_hold_every_verdict() {
    let csv = text(&check(&[&fixture(SPECULATIVE), "--format", "csv"]));
    assert!(csv.starts_with("run,file,severity,id,finding,rows,of,text,effect,advice"));
    for part in [",note,tokens-per-event,", ",passed,clock-steps,", ",cannot-tell,"] {
        assert!(csv.contains(part), "{part}");
    }
    let markdown = text(&check(&[&fixture(SPECULATIVE), "--format", "markdown"]));
    assert!(markdown.contains("| warn | impossible-peak |"));
}
