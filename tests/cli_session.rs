//! Sessions and links on the command line: what was decided in them comes along.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

use sameruler::engine::import::import;
use sameruler::engine::protocol::SaveRequest;
use sameruler::engine::{Answer, Arrangement, Query, Request, Session};
use sameruler::model::{Level, RunId};
use sameruler::views::Context;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const VLLM: &str = "public/samples/several-tokens-a-chunk/vllm.json";
const AIPERF: [&str; 2] = ["profile_export.jsonl", "profile_export_aiperf.json"];

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A folder of its own, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sameruler-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sameruler"))
            .current_dir(&self.0)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input).expect("it reads");
        drop(stdin);
        child.wait_with_output().expect("the command ends")
    }

    fn out(&self, args: &[&str], input: &[u8]) -> Vec<u8> {
        let output = self.run(args, input);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        output.stdout
    }

    fn json(&self, args: &[&str], input: &[u8]) -> Value {
        serde_json::from_slice(&self.out(args, input)).expect("one JSON object")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in the system's folder for such things harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The values of all metrics that are only known as printed.
fn reported(answer: &Value) -> Vec<(String, Value)> {
    let runs = answer["runs"].as_array().expect("runs");
    let metrics = runs.iter().flat_map(|run| run["metrics"].as_object().expect("metrics"));
    metrics
        .filter(|(_, metric)| metric["origin"] == "reported")
        .map(|(name, metric)| (name.clone(), metric.clone()))
        .collect()
}

#[test]
fn a_link_is_printed_and_read_from_a_file_and_from_standard_input() {
    let folder = Folder::new("link");
    let vllm = root(VLLM);
    let file = vllm.to_str().expect("text");
    let date = ["--date", "2026-11-30"];
    let link = folder
        .out(&[&["session", file, "--link", "--slo", "ttft<=500ms"], &date[..]].concat(), b"");
    let text = String::from_utf8(link.clone()).expect("text");
    assert!(
        text.starts_with("#v1/compare?runs=") && text.contains("&slo=ttft:500&data=H4sI"),
        "{text}"
    );
    assert!(text.len() < 2_500, "one run takes {} bytes", text.len());

    folder.out(
        &[&["session", file, "--data", "aggregates", "-o", "a.sameruler"], &date[..]].concat(),
        b"",
    );
    let metrics = ["--as", "own", "--format", "json"];
    let of_session = folder.json(&[&["metrics", "a.sameruler"], &metrics[..]].concat(), b"");
    let of_pipe = folder.json(&[&["metrics", "-"], &metrics[..]].concat(), &link);
    std::fs::write(folder.0.join("link.txt"), format!("https://example.org/ruler/{text}"))
        .expect("written");
    let of_file = folder.json(&[&["metrics", "link.txt"], &metrics[..]].concat(), b"");
    assert!(reported(&of_session).len() > 8, "{of_session}");
    assert_eq!(reported(&of_pipe), reported(&of_session));
    assert_eq!(of_file["runs"], of_pipe["runs"]);

    let wrong = folder.run(&["session", file, "--link", "--data", "requests"], b"");
    assert_eq!(wrong.status.code(), Some(2), "a link has one level");
    let bare = folder.run(&["metrics", "-"], b"#v1/compare?runs=07b8da36c52a");
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert!(bare.status.code() == Some(4) && said.contains("settings and no data"), "{said}");
}

#[test]
fn a_link_that_would_be_cut_is_not_printed() {
    let folder = Folder::new("long-link");
    let text = std::fs::read_to_string(root(VLLM)).expect("a sample");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let mut digits = 0.123_456_789_f64;
    for at in 0..30 {
        let mut run = whole.clone();
        for value in run.as_object_mut().expect("an object").values_mut().filter(|v| v.is_f64()) {
            digits = (digits * 997.331).fract();
            *value = (digits * 100.0).into();
        }
        std::fs::write(folder.0.join(format!("{at}.json")), run.to_string()).expect("written");
    }
    let long = folder.run(&["session", ".", "--link"], b"");
    let said = String::from_utf8_lossy(&long.stderr).into_owned();
    assert_eq!((long.status.code(), long.stdout.len()), (Some(1), 0), "{said}");
    assert!(said.contains("16.0 kB") && said.contains("name fewer files"), "{said}");
}

/// A session of files of one run that somebody took apart, and of two that somebody joined.
fn arranged(folder: &Folder) -> Vec<RunId> {
    let mut session = Session::new();
    for name in AIPERF {
        let path = root(&format!("public/samples/several-tokens-a-chunk/aiperf/{name}"));
        let bytes = std::fs::read(path).expect("a sample");
        session.adopt(import(name, &mut bytes.as_slice(), false, &mut |_, _, _, _| {}).runs);
    }
    // Rows of one CSV and the printed numbers of another tool belong together only because somebody says so.
    let rows = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,11,100,600\n";
    let printed =
        std::fs::read(root("tests/fixtures/vllm-bench/0.3-summary.json")).expect("a fixture");
    for (name, bytes) in [("rows.csv", rows.as_bytes()), ("printed.json", printed.as_slice())] {
        let mut source = bytes;
        session.adopt(import(name, &mut source, false, &mut |_, _, _, _| {}).runs);
    }
    let whole = session.runs();
    assert_eq!(whole.len(), 3, "AIPerf’s two files are one run by themselves");
    let pieces = |run: &sameruler::model::Run| -> BTreeSet<RunId> {
        run.provenance.joined.iter().map(|piece| piece.id.clone()).chain([run.id.clone()]).collect()
    };
    let apart = whole.first().map(|run| pieces(run)).expect("AIPerf’s run");
    let together = whole.iter().skip(1).map(|run| run.id.clone()).collect();
    let arrangement = Arrangement { apart, together: vec![together], ..Arrangement::default() };
    session.handle(Request::Arrange { arrangement }, &[]);
    let request = SaveRequest { level: Level::Events, ..SaveRequest::default() };
    let Answer::Saved { bytes, .. } = session.answer(&Context::default(), &Query::Save(request))
    else {
        unreachable!("a session was asked for");
    };
    std::fs::write(folder.0.join("hand.sameruler"), bytes).expect("written");
    session.runs().iter().map(|run| run.id.clone()).collect()
}

#[test]
fn files_joined_and_taken_apart_by_hand_stay_so_on_the_command_line() {
    let folder = Folder::new("by-hand");
    let shown: BTreeSet<String> =
        arranged(&folder).iter().map(|id| id.as_str().to_owned()).collect();
    assert_eq!(shown.len(), 3, "two of AIPerf, one of the other two files");
    let ids = |answer: &Value| -> BTreeSet<String> {
        let runs = answer["runs"].as_array().expect("runs");
        runs.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect()
    };
    let metrics = folder.json(&["metrics", "hand.sameruler", "--format", "json"], b"");
    assert_eq!(ids(&metrics), shown);
    // What report and session write holds the decisions again.
    folder.out(&["report", "hand.sameruler", "-o", "r.html", "--data", "events"], b"");
    folder.out(&["session", "hand.sameruler", "-o", "again.sameruler"], b"");
    for file in ["r.html", "again.sameruler"] {
        let again = folder.json(&["metrics", file, "--format", "json"], b"");
        assert_eq!(ids(&again), shown, "{file}");
    }
    let link = folder.out(&["session", "hand.sameruler", "--link"], b"");
    let of_link = folder.json(&["metrics", "-", "--format", "json"], &link);
    assert_eq!(ids(&of_link), shown, "the link");
    let alone = folder.json(&["metrics", "hand.sameruler", "--alone", "--format", "json"], b"");
    assert_eq!(ids(&alone).len(), 4, "--alone takes each file by itself");
}
