//! `sameruler explain` as a user meets it: which numbers a name stands for, and what is said where it stands
//! for none, for several or for one twice.
//!
//! Some tests read `../shared/cases`, which is no part of the repository; without it there is nothing to
//! do, except where `CI` is set.
#![allow(
    clippy::float_cmp,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test, and values are compared once rounded"
)]

mod handed;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const HEAD: &str = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\n";
const VLLM: &str = "vllm-bench/0.33-chat-speculative.json";

fn explain(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sameruler"));
    command.arg("explain").args(args).stdin(Stdio::null()).output().unwrap()
}

fn said(args: &[&str]) -> String {
    let output = explain(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", wrong(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn wrong(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is said of wrong use.
fn refused(args: &[&str]) -> String {
    let output = explain(args);
    assert_eq!(
        output.status.code(),
        Some(2),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    wrong(&output)
}

fn answer(args: &[&str]) -> Value {
    let output = explain(&[args, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", wrong(&output)))
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder of its own for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(path: &Path, text: &str) -> String {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// Three requests whose TTFT is `ttft`.
fn table(ttft: u32) -> String {
    let row = |id: char| format!("{id},10,11,{ttft},{}\n", ttft + 500);
    format!("{HEAD}{}{}{}", row('a'), row('b'), row('c'))
}

fn value(answer: &Value, end: &str) -> f64 {
    let value = answer[end]["value"].as_f64().unwrap_or_else(|| panic!("{answer}"));
    // The mean of equal numbers may differ from them in the last place.
    (value * 1e6).round() / 1e6
}

#[test]
fn a_pattern_stands_for_the_files_that_match_it_and_no_other() {
    let place = folder("pattern");
    let one = write(&place.join("one/run.csv"), &table(100));
    let two = write(&place.join("two/run.csv"), &table(300));
    let pattern = |text: &str| place.join(text).to_string_lossy().into_owned();
    for (a, b, want) in [
        (pattern("on*/*.csv"), two.clone(), (100.0, 300.0)),
        (two.clone(), pattern("on?/*.csv"), (300.0, 100.0)),
        (pattern("one/*"), pattern("two/*"), (100.0, 300.0)),
        (pattern("one"), pattern("two/../two"), (100.0, 300.0)),
        (pattern("./one/../one/*.csv"), two.clone(), (100.0, 300.0)),
        (pattern("*/run.csv") + "#2", one.clone(), (300.0, 100.0)),
    ] {
        let found = answer(&[&a, &b, "--metric", "ttft"]);
        assert_eq!((value(&found, "a"), value(&found, "b")), want, "{a} {b}");
    }
    let several = refused(&[&pattern("*/*.csv"), &two, "--metric", "ttft"]);
    assert!(several.contains("holds 2 runs") && several.contains(&one), "{several}");
    let none = explain(&[&pattern("*.json"), &two, "--metric", "ttft"]);
    assert_eq!(none.status.code(), Some(4));
    assert!(wrong(&none).contains("No file matches"), "{}", wrong(&none));
}

#[test]
fn a_number_behind_a_file_is_that_run_whichever_others_are_asked_for() {
    let place = folder("numbers");
    for (name, ttft) in [("a", 100), ("b", 200), ("c", 300)] {
        write(&place.join(format!("{name}.csv")), &table(ttft));
    }
    let of = |number: usize| format!("{}#{number}", place.to_string_lossy());
    for (a, b) in [(2, 3), (3, 1), (1, 2), (3, 2)] {
        let found = answer(&[&of(a), &of(b), "--metric", "ttft"]);
        let want = (100.0 * a as f64, 100.0 * b as f64);
        assert_eq!((value(&found, "a"), value(&found, "b")), want, "#{a} #{b}");
    }
}

#[test]
fn two_runs_of_one_name_are_told_apart() {
    let place = folder("names");
    let one = write(&place.join("one/run.csv"), &table(100));
    let two = write(&place.join("two/run.csv"), &table(300));
    let text = said(&[&one, &two, "--metric", "ttft"]);
    assert!(text.contains("one/run.csv") && text.contains("two/run.csv"), "{text}");
    let found = answer(&[&two, &one, "--metric", "ttft"]);
    assert_ne!(found["a"]["name"], found["b"]["name"]);
    assert!(found["a"]["name"].as_str().unwrap().contains("two/run.csv"), "{found}");
}

#[test]
fn without_a_metric_the_first_file_is_a() {
    let files = [fixture(VLLM), fixture("sglang-bench/0.5.23-native-speculative.jsonl")];
    for (a, b) in [(0, 1), (1, 0)] {
        let ask = [files[a].as_str(), &files[b], "--metric", "itl"];
        let (want, got) = (answer(&ask), answer(&ask[..2]));
        for end in ["a", "b"] {
            assert_eq!(got[end]["run"], want[end]["run"], "{end}");
        }
    }
}

#[test]
fn no_step_is_said_to_remove_what_it_does_not_touch() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S4")) else { return };
    for client in ["sglang/run.jsonl", "vllm-0.10/run.json"] {
        let file = root.join(client);
        for metric in ["ttft", "tpot", "e2e", "itl", "output_tokens"] {
            let sets = ["--set-a", "empty-outputs=as-success", "--set-b", "empty-outputs=exclude"];
            let ends = [file.to_str().unwrap(), "--metric", metric];
            let found = answer(&[&ends[..], &sets].concat());
            for step in found["steps"].as_array().unwrap() {
                let because = step["because"].as_str().unwrap();
                let removes = because.contains("no sample");
                let touches = step["touched"]["requests"].as_u64() > Some(0);
                assert!(!removes || touches, "{client} {metric}: {step}");
            }
        }
    }
    // How many an end within bounds moves is not known, so none is not said.
    let a = root.join("sglang/run.jsonl");
    let text = said(&[
        a.to_str().unwrap(),
        root.join("vllm/run.json").to_str().unwrap(),
        "--metric",
        "e2e",
    ]);
    assert!(!text.contains("touches none"), "{text}");
}

#[test]
fn what_the_checks_doubt_stands_in_the_headline() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S3")) else { return };
    let [a, b] = ["guidellm-constant/run.json", "vllm/run.json"].map(|file| root.join(file));
    let text = said(&[a.to_str().unwrap(), b.to_str().unwrap(), "--metric", "tpot"]);
    let headline = text.lines().next().unwrap();
    assert!(headline.starts_with("Different requests or system: "), "{headline}");
    assert!(headline.contains("as reasoning does"), "{headline}");
}

#[test]
fn a_packed_file_is_of_one_run_with_the_summary_beside_it() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S1/inference-perf/run"))
    else {
        return;
    };
    let file = |name: &str| root.join(name).to_string_lossy().into_owned();
    let rows = file("per_request_lifecycle_metrics.json.gz");
    let summary = file("summary_lifecycle_metrics.json");
    let want = said(&[&rows, "--metric", "ttft"]);
    assert!(want.contains("as printed"), "{want}");
    for ends in [vec![&summary], vec![&summary, &rows]] {
        let ends: Vec<&str> = ends.into_iter().map(String::as_str).collect();
        assert_eq!(said(&[&ends[..], &["--metric", "ttft"]].concat()), want);
    }
    let other = root.join("../../vllm/run.json");
    let found = answer(&[&summary, other.to_str().unwrap(), "--metric", "tpot"]);
    assert_eq!(found["a"]["origin"], "recomputed", "from the rows beside the summary: {found}");
}

#[test]
fn a_copy_of_a_file_stands_for_the_same_run() {
    let place = folder("copy");
    let one = write(&place.join("one.csv"), &table(100));
    let copy = write(&place.join("copy.csv"), &table(100));
    let text = said(&[&one, &copy, "--metric", "ttft"]);
    assert!(text.starts_with("These are the same number"), "{text}");
}

#[test]
fn a_statistic_of_one_number_for_the_run_is_wrong_use() {
    let file = fixture(VLLM);
    let rate = "output_throughput";
    for args in [
        vec!["--metric", rate, "--stat", "p99"],
        vec!["--metric", rate, "--to-stat", "p99"],
        vec!["--metric", "duration", "--stat", "mean"],
        vec!["--metric", "ttft", "--to-metric", rate, "--to-stat", "p90"],
        vec!["--metric", rate, "--stat", "p99", "--number", "12"],
    ] {
        let text = refused(&[vec![file.as_str()], args.clone()].concat());
        assert!(text.contains("one number for the run, so it has no"), "{args:?}: {text}");
        assert!(text.contains("ttft, ") && text.contains("leave --"), "{args:?}: {text}");
    }
    let whole = refused(&[&file, "--metric", "ttft", "--stat", "value"]);
    assert!(whole.contains("--stat p99"), "{whole}");
    // A’s statistic is no reason to refuse a rate that was not asked for one.
    let units = refused(&[&file, "--metric", "ttft", "--stat", "p99", "--to-metric", rate]);
    assert!(units.contains("is in ms"), "{units}");
}

#[test]
fn a_printed_number_against_itself_is_said_to_be_one_number() {
    let printed = format!("{}@printed", fixture(VLLM));
    for metric in ["ttft", "output_throughput"] {
        let text = said(&[&printed, &printed, "--metric", metric]);
        assert!(text.starts_with("Both ends are one number, the printed "), "{text}");
        assert!(!text.contains("The rows give"), "{text}");
        let found = answer(&[&printed, &printed, "--metric", metric]);
        assert_eq!(found["prints"], serde_json::json!([]));
        assert_eq!(value(&found, "a"), value(&found, "b"));
    }
}

#[test]
fn a_number_beyond_all_digits_is_printed_short() {
    let place = folder("huge");
    let file = write(
        &place.join("huge.csv"),
        &format!("{HEAD}a,10,11,1e300,2e300\nb,10,11,1e299,3e300\n"),
    );
    let text = said(&[&file, "--metric", "ttft", "--to-metric", "e2e"]);
    let longest = text.split_whitespace().map(|word| word.chars().count()).max();
    assert!(longest < Some(40) && text.contains("e300"), "{text}");
}

#[test]
fn what_these_rows_cannot_measure_is_named_with_the_rest() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S2")) else { return };
    let [a, b] = ["guidellm/run.json", "vllm/run.json"].map(|file| root.join(file));
    let ask = [a.to_str().unwrap(), b.to_str().unwrap(), "--metric", "itl", "--stat", "median"];
    let text = said(&ask);
    let headline = text.lines().next().unwrap();
    assert!(headline.starts_with("Unit, different requests or system, which these"), "{headline}");
    assert!(headline.contains("the other definitions"), "{headline}");
    assert_eq!(answer(&ask)["sentence"].as_str(), Some(headline), "the same words");
}

#[test]
fn a_short_name_keeps_its_capitals_in_the_headline() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S3")) else { return };
    let [a, b] = ["vllm-0.10/run.json", "vllm/run.json"].map(|file| root.join(file));
    let text = said(&[a.to_str().unwrap(), b.to_str().unwrap(), "--metric", "ttft"]);
    assert!(text.lines().next().unwrap().contains(", TTFT may stop"), "{text}");
}

#[test]
fn the_load_stands_beside_what_is_left_over() {
    let Some(root) = handed::cases().map(|cases| cases.join("clients/S5/vllm-concurrency")) else {
        return;
    };
    let [a, b] = ["conc01.json", "conc16.json"].map(|file| root.join(file));
    let found = answer(&[a.to_str().unwrap(), b.to_str().unwrap(), "--metric", "tpot"]);
    let because = found["remainder"]["because"].as_str().unwrap();
    assert!(because.contains("at most 1 in flight against 16"), "{because}");
}

#[test]
fn a_ruler_or_a_run_that_there_is_not_is_wrong_use() {
    let file = fixture(VLLM);
    for behind in ["@foo", "@", "#1@foo"] {
        let text = refused(&[&format!("{file}{behind}"), "--metric", "ttft"]);
        assert!(text.contains("There is no ruler") && text.contains("vllm"), "{behind}: {text}");
    }
    for behind in ["#0", "#two", "#0@vllm"] {
        let text = refused(&[&format!("{file}{behind}"), "--metric", "ttft"]);
        assert!(text.contains("counted from 1"), "{behind}: {text}");
    }
}

#[test]
fn an_option_that_would_do_nothing_is_wrong_use() {
    let file = fixture(VLLM);
    let text = refused(&[&file, "--number", "12ms", "--to-metric", "itl"]);
    assert!(text.contains("--to-metric"), "{text}");
    let text = refused(&[&file, "--metric", "itl", "--field", "mean_itl_ms"]);
    assert!(text.contains("--number"), "{text}");
    let text = refused(&[&file, "--metric", "itl", "--order", "weighting,weighting"]);
    assert!(text.contains("twice"), "{text}");
}

#[test]
fn without_a_metric_the_finding_is_said_once() {
    let files = [fixture(VLLM), fixture("sglang-bench/0.5.23-native-speculative.jsonl")];
    let text = said(&[&files[0], &files[1]]);
    let sentence = answer(&[&files[0], &files[1]])["sentence"].as_str().unwrap().to_owned();
    let end = sentence.rsplit(": ").next().unwrap();
    assert_eq!(text.matches(end).count(), 1, "{text}");
}

#[test]
fn two_printed_numbers_are_not_said_to_be_of_one_ruler() {
    let place = folder("printed");
    let mut all: Value = serde_json::from_slice(&std::fs::read(fixture(VLLM)).unwrap()).unwrap();
    let fields = all.as_object_mut().unwrap();
    for rows in
        ["ttfts", "itls", "input_lens", "output_lens", "start_times", "errors", "generated_texts"]
    {
        fields.remove(rows);
    }
    let one = write(&place.join("one.json"), &all.to_string());
    all["num_prompts"] = 999.into();
    let two = write(&place.join("two.json"), &all.to_string());
    let found = answer(&[&one, &two, "--metric", "ttft"]);
    assert_eq!(found["a"]["origin"], "reported", "{found}");
    let text = said(&[&one, &two, "--metric", "ttft"]);
    assert!(text.starts_with("Both tools printed the same number"), "{text}");
    assert!(text.contains("B is as printed") && !text.contains("on one ruler"), "{text}");
}

#[test]
fn printed_goodputs_of_unknown_limits_are_not_laid_on_the_system() {
    let place = folder("limits");
    let text = std::fs::read_to_string(fixture(VLLM)).unwrap();
    let mut result: Value = serde_json::from_str(&text).unwrap();
    let mut file = |name: &str, goodput: f64| {
        result["request_goodput"] = goodput.into();
        result["date"] = format!("20261129-11{name}").into();
        write(&place.join(format!("{name}.json")), &result.to_string())
    };
    let (a, b) = (file("0001", 4.5), file("0002", 6.0));
    let found = answer(&[&a, &b, "--metric", "goodput"]);
    assert_eq!((value(&found, "a"), value(&found, "b")), (4.5, 6.0));
    let limits = &found["unmeasured"][0];
    assert_eq!((&limits["dimension"], &limits["name"]), (&"goodput-rule".into(), &"Limits".into()));
    assert_eq!((&limits["from"], &limits["to"]), (&"not named".into(), &"not named".into()));
    let sentence = found["sentence"].as_str().unwrap();
    assert!(
        sentence
            .starts_with("Limits, different requests or system, which these rows can’t tell apart"),
        "{sentence}"
    );
    let text = said(&[&a, &b, "--metric", "goodput"]);
    assert!(text.contains("Neither file names the limits behind its printed goodput."), "{text}");
    // Under limits of one’s own both come out of the rows.
    let own = answer(&[&a, &b, "--metric", "goodput", "--slo", "ttft<=100ms"]);
    assert_eq!(own["unmeasured"].as_array().unwrap().len(), 0, "{own}");
}

#[test]
fn a_number_that_is_the_same_as_a_printed_one_is_not_called_recomputed() {
    let place = folder("as_printed");
    let text = std::fs::read_to_string(fixture(VLLM)).unwrap();
    let mut result: Value = serde_json::from_str(&text).unwrap();
    for key in ["ttfts", "itls"] {
        result.as_object_mut().unwrap().remove(key);
    }
    let printed = write(&place.join("printed.json"), &result.to_string());
    let said = said(&[&fixture(VLLM), &printed, "--metric", "ttft"]);
    assert!(said.starts_with("These are the same number as far as B is printed"), "{said}");
    assert!(!said.contains("both runs give the same number"), "{said}");
}

#[test]
fn what_no_double_holds_is_said_and_not_shown_as_infinite() {
    let place = folder("overflow");
    let one = write(&place.join("one.csv"), &table(100));
    let rows = ["a", "b", "c"].map(|id| format!("{id},10,10,1e308,1e308\n")).concat();
    let huge = write(&place.join("huge.csv"), &format!("{HEAD}a,10,10,100,1000\n{rows}"));
    for (a, b) in [(&one, &huge), (&huge, &one)] {
        let output = explain(&[a, b, "--metric", "e2e", "--stat", "std"]);
        let all = format!("{}{}", String::from_utf8_lossy(&output.stdout), wrong(&output));
        assert!(all.contains("comes to no finite number in double precision"), "{all}");
        assert!(!all.contains('∞'), "{all}");
    }
}

#[test]
fn a_count_is_told_as_one() {
    let said = said(&[&fixture(VLLM), "--number", "0"]);
    assert!(said.contains("0 is the number of failed requests."), "{said}");
}
