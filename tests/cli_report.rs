//! Reports from the built command: sections, plan, short form, and no place on this disk.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const VLLM: &str = "vllm-bench/0.33-chat-speculative.json";
const SGLANG: &str = "sglang-bench/0.5.23-native-speculative.jsonl";

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sameruler"))
}

fn run(args: &[&str]) -> Output {
    command().args(args).stdin(Stdio::null()).output().expect("the command starts")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// A folder of its own for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn the_report_stands_alone_and_tells_no_folder_of_this_disk() {
    let folder = folder("cli-report");
    let path = folder.join("out.html");
    let target = path.to_string_lossy();
    let files = [fixture(VLLM), fixture(SGLANG)];
    let args = [
        "report",
        &files[0],
        &files[1],
        "--slo",
        "ttft<=100ms",
        "--date",
        "2026-11-29",
        "-o",
        &target,
    ];
    let output = run(&args);
    assert_eq!(code(&output), Some(0), "{}", err(&output));
    let html = std::fs::read_to_string(&path).expect("a report");
    assert_eq!(sameruler::report::self_check(&html), Ok(()));
    assert!(html.contains("2026-11-29") && html.contains("TTFT ≤ 100 ms"));
    assert!(!html.contains(env!("CARGO_MANIFEST_DIR")), "no place on this disk");
    let same = run(&[&args[..args.len() - 1], &["-"]].concat());
    assert_eq!(out(&same), html, "the same bytes again");

    let unnamed = command()
        .args(["report", &files[0], "--date", "2026-11-29", "--title", "A <b> run"])
        .current_dir(&folder)
        .output()
        .expect("the command starts");
    assert_eq!(code(&unnamed), Some(0), "{}", err(&unnamed));
    assert!(folder.join("same-ruler-2026-11-29-a-b-run.html").is_file(), "{}", err(&unnamed));

    let nothing = run(&["report", &fixture("broken/cut.json"), "-o", &target]);
    assert_eq!(code(&nothing), Some(4));
    assert!(err(&nothing).contains("No report was written"));
    let nowhere =
        run(&["report", &files[0], "-o", &folder.join("no/such/x.html").to_string_lossy()]);
    assert_eq!(code(&nowhere), Some(1));
    assert!(err(&nowhere).contains("could not be written"), "{}", err(&nowhere));
}

#[test]
fn a_report_prints_the_sections_that_are_wanted_and_is_had_in_short() {
    let file = fixture(VLLM);
    let report = |more: &[&str]| {
        run(&[&["report", &file, "--date", "2026-11-29", "-o", "-"], more].concat())
    };
    let heads = |output: &Output| -> Vec<String> {
        let html = out(output);
        let sections = html.split("<section id=\"").skip(1);
        sections.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let usual = report(&[]);
    assert!(heads(&usual).starts_with(&["definitions".to_owned(), "runs".to_owned()]));
    let chosen = report(&[
        "--sections",
        "quality,runs",
        "--note",
        "runs=Cut at <noon>",
        "--heading",
        "runs=What ran",
        "--author",
        "N. N.",
    ]);
    assert_eq!(heads(&chosen), ["quality", "runs"]);
    for words in ["Cut at &lt;noon&gt;", "What ran</h2>", "N. N. · "] {
        assert!(out(&chosen).contains(words), "{words}");
    }
    let fewer = report(&["--without", "raw,printed"]);
    let want: Vec<String> =
        heads(&usual).into_iter().filter(|id| id != "raw" && id != "printed").collect();
    assert_eq!(heads(&fewer), want);

    // A report that is read again brings its plan, and what is named anew takes its place.
    let folder = folder("cli-report-plan");
    let path = folder.join("r.html").to_string_lossy().into_owned();
    let planned = ["--title", "First", "--note", "runs=Kept words", "--without", "raw"];
    let written = run(&[&["report", &file, "-o", &path][..], &planned].concat());
    assert_eq!(code(&written), Some(0), "{}", err(&written));
    let again = run(&["report", &path, "--title", "Second", "-o", "-"]);
    assert!(out(&again).contains("Kept words") && out(&again).contains("<h1>Second</h1>"));
    assert!(!heads(&again).contains(&"raw".to_owned()));

    let short = out(&report(&["--format", "markdown"]));
    assert!(
        short.starts_with("## ") && short.contains("| Median | ") && short.contains("### Files"),
        "{short}"
    );
    assert!(!short.contains("<section"), "{short}");

    for wrong in [&["--sections", "summary"][..], &["--note", "runs"], &["--note", "x=y"]] {
        let refused = report(wrong);
        assert_eq!(code(&refused), Some(2), "{wrong:?}");
        assert!(
            err(&refused).contains("definitions") || err(&refused).contains("SECTION=TEXT"),
            "{}",
            err(&refused)
        );
    }
}
