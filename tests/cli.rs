//! The built command as a user meets it: answers, exit codes, messages.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Three requests whose TPOT is 50, 100 and 150 ms by hand: (E − T) ÷ 10.
const HAND: &str = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms
a,10,11,100,600
b,10,11,200,1200
c,10,11,300,1800
";
const VLLM: &str = "vllm-bench/0.33-chat-speculative.json";
const SGLANG: &str = "sglang-bench/0.5.23-native-speculative.jsonl";
const SUMMARY: &str = "vllm-bench/0.3-summary.json";

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sameruler"))
}

fn run(args: &[&str]) -> Output {
    command().args(args).stdin(Stdio::null()).output().expect("the command starts")
}

/// The command with something on standard input.
fn piped(args: &[&str], input: &str) -> Output {
    let mut child = command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the command reads");
    drop(stdin);
    child.wait_with_output().expect("the command ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// `metrics … --format json`, which must end with 0.
fn metrics(args: &[&str]) -> Value {
    let output = run(&[&["metrics", "--format", "json"], args].concat());
    assert_eq!(code(&output), Some(0), "{}", err(&output));
    json(&output)
}

/// One metric of the first run.
fn metric<'a>(answer: &'a Value, name: &str) -> &'a Value {
    &answer["runs"][0]["metrics"][name]
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn near(value: &Value, want: f64) {
    let found = value.as_f64().expect("a number");
    assert!((found - want).abs() <= 1e-9 * want.abs().max(1.0), "{found} is not {want}");
}

/// A folder of its own for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(path: &Path, text: &str) -> String {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

#[test]
fn json_keeps_its_names() {
    let file = fixture(VLLM);
    let answer = metrics(&[&file, "--percentiles", "50,99.9", "--slo", "ttft<=100ms"]);
    assert_eq!(answer["schema"], "sameruler.metrics/1");
    assert_eq!(answer["refused"], Value::Array(Vec::new()));
    let run = &answer["runs"][0];
    for name in [
        "id",
        "name",
        "source",
        "load",
        "definitions",
        "counts",
        "metrics",
        "theory",
        "agreement",
        "notices",
    ] {
        assert!(!run[name].is_null(), "{name}");
    }
    assert_eq!(run["source"]["format"], "vllm-bench");
    assert_eq!(run["source"]["tool"], "vllm");
    assert_eq!(run["source"]["file"], Value::from(file.as_str()));
    assert_eq!(run["source"]["index"], 0);
    assert_eq!(run["source"]["sha256"].as_str().map(str::len), Some(64));
    assert!(keys(&run["source"]).contains(&"tool_version"));
    near(&run["load"]["request_rate"], 8.0);
    assert_eq!(run["load"]["request_rate_is_infinite"], false);
    assert_eq!(run["definitions"]["preset"], "vllm");
    assert_eq!(run["definitions"]["tpot"], "after-first");
    assert_eq!(run["counts"]["sent"], 60);
    assert_eq!(run["counts"]["completed"], 60);
    assert_eq!(keys(&run["theory"]["steady"]), ["because", "high", "low", "slope", "verdict"]);
    assert_eq!(
        keys(&run["theory"]["little"]["busy_time"]),
        ["against", "agrees", "in_flight", "sum"]
    );
    assert!(run["theory"]["little"]["sentence"].as_str().unwrap_or_default().contains("in flight"));
    for name in ["ttft", "tpot", "itl", "e2e", "input_tokens", "output_tokens"] {
        let metric = metric(&answer, name);
        for stat in ["unit", "n", "mean", "median", "std", "min", "max", "p50", "p99.9", "origin"] {
            assert!(!metric[stat].is_null(), "{name} {stat}");
        }
        assert!(metric["p99"].is_null(), "only what was asked for");
    }
    for (name, unit) in [
        ("duration", "s"),
        ("request_throughput", "req/s"),
        ("output_throughput", "tok/s"),
        ("input_throughput", "tok/s"),
        ("total_throughput", "tok/s"),
        ("mean_concurrency", "requests"),
    ] {
        assert_eq!(metric(&answer, name)["unit"], unit);
        assert!(metric(&answer, name)["value"].is_number(), "{name}");
    }
    // What the tool itself printed into this file, to the last digit but arithmetic.
    near(&metric(&answer, "ttft")["mean"], 84.468_481_516_667_77);
    near(&metric(&answer, "itl")["mean"], 30.600_800_942_404_753);
    let agreement = &run["agreement"][0];
    for name in ["field", "reported", "recomputed", "verdict", "because"] {
        assert!(keys(agreement).contains(&name), "{name}");
    }
    assert_eq!(agreement["verdict"], "equal");
}

#[test]
fn values_by_hand_come_out_from_standard_input() {
    let args = ["metrics", "-", "--format", "json", "--slo", "ttft<=0.2s", "--slo", "tpot<=120ms"];
    let output = piped(&args, HAND);
    assert_eq!(code(&output), Some(0), "{}", err(&output));
    let answer = json(&output);
    assert_eq!(answer["runs"][0]["source"]["file"], "-");
    near(&metric(&answer, "ttft")["mean"], 200.0);
    near(&metric(&answer, "ttft")["p90"], 280.0);
    near(&metric(&answer, "tpot")["mean"], 100.0);
    near(&metric(&answer, "tpot")["max"], 150.0);
    near(&metric(&answer, "e2e")["median"], 1200.0);
    let goodput = metric(&answer, "goodput");
    near(&goodput["good"], 2.0);
    near(&goodput["of"], 3.0);
    near(&goodput["share"], 2.0 / 3.0);
    assert_eq!(goodput["slo"], serde_json::json!(["ttft<=200ms", "tpot<=120ms"]));
}

#[test]
fn what_is_not_known_is_said_and_has_no_number() {
    let bounds = metrics(&[&fixture(SGLANG)]);
    let tpot = metric(&bounds, "tpot");
    assert!(tpot["mean"].is_null() && tpot["low"]["mean"].is_number(), "{tpot}");
    assert!(tpot["high"].is_null() && tpot["because"].is_string());
    assert!(metric(&bounds, "mean_concurrency")["low"].is_number());
    assert_eq!(metric(&bounds, "goodput")["unavailable"], "no limit set");
    assert!(metric(&bounds, "queue_wait")["unavailable"].is_string());
    let exact = metrics(&[&fixture(SGLANG), "--as", "common"]);
    assert!(metric(&exact, "tpot")["mean"].is_number());

    let printed = metrics(&[&fixture(SUMMARY)]);
    let ttft = metric(&printed, "ttft");
    assert_eq!(ttft["origin"], "reported");
    near(&ttft["mean"], 71.631);
    near(&ttft["p50"], 59.036);
    assert!(ttft["p95"].is_null() && keys(ttft).contains(&"p95"), "asked for and not printed");
    assert_eq!(printed["runs"][0]["load"]["request_rate_is_infinite"], true);
}

#[test]
fn a_number_of_requests_that_no_file_tells_is_not_zero() {
    let points = "name,request_rate,mean_ttft_ms,request_throughput\nA,1,100,1\nA,2,120,1.9\n";
    let answer = json(&piped(&["metrics", "-", "--format", "json"], points));
    for name in ["sent", "completed", "failed", "empty"] {
        assert!(answer["runs"][0]["counts"][name].is_null(), "{name}");
    }
    let table = out(&piped(&["metrics", "-"], points));
    assert!(table.contains("number of requests not recorded"), "{table}");
    assert!(!table.contains("0 sent"), "{table}");
}

#[test]
fn requests_that_were_planned_are_not_counted_as_sent_with_none_finished() {
    let server = fixture("aiperf-server-metrics/0.13-speculative.json");
    let answer = metrics(&[&server, "--alone"]);
    for name in ["sent", "completed", "failed"] {
        assert!(answer["runs"][0]["counts"][name].is_null(), "{name}");
    }
}

#[test]
fn a_run_that_two_files_hold_is_used_once_and_both_files_are_named() {
    let folder = folder("twice");
    let text = "id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,5,50,250\n";
    for name in ["a.csv", "b.csv"] {
        write(&folder.join(name), text);
    }
    let output = run(&["metrics", &folder.to_string_lossy()]);
    let said = err(&output);
    assert!(said.contains("b.csv: holds the same run as") && said.contains("a.csv;"), "{said}");
}

#[test]
fn definitions_can_be_changed_one_by_one_or_from_a_file() {
    let folder = folder("cli-definitions");
    let file = write(&folder.join("hand.csv"), HAND);
    let saved = write(
        &folder.join("mine.json"),
        r#"{"preset": "common", "changes": {"tpot": "whole-over-n"}}"#,
    );
    let whole = (600.0 + 1200.0 + 1800.0) / 11.0 / 3.0;
    let changed = metrics(&[&file, "--set", "tpot=whole-over-n"]);
    near(&metric(&changed, "tpot")["mean"], whole);
    assert_eq!(changed["runs"][0]["definitions"]["tpot"], "whole-over-n");
    let from_file = metrics(&[&file, "--definitions", &saved]);
    near(&metric(&from_file, "tpot")["mean"], whole);
    let of_vllm = metrics(&[&fixture(VLLM), "--definitions", &saved]);
    assert_eq!(of_vllm["runs"][0]["definitions"]["preset"], "common");
    let both = metrics(&[&file, "--definitions", &saved, "--set", "tpot=after-first"]);
    near(&metric(&both, "tpot")["mean"], 100.0);
    let window = metrics(&[&fixture(VLLM), "--window", "skip-first:8"]);
    assert_eq!(metric(&window, "ttft")["n"], 52);
}

#[test]
fn wrong_use_ends_with_2_and_says_what_is_right() {
    let folder = folder("cli-wrong");
    let file = write(&folder.join("hand.csv"), HAND);
    let odd = write(&folder.join("odd.json"), r#"{"preset": "common", "change": {}}"#);
    let cases: &[(&[&str], &str)] = &[
        (&["metrics", &file, "--as", "k6"], "expected own, common, vllm, sglang"),
        (&["metrics", &file, "--set", "speed=fast"], "clock-start"),
        (&["metrics", &file, "--set", "tpot=fast"], "after-first"),
        (&["metrics", &file, "--set", "tpot"], "DIMENSION=CHOICE"),
        (&["metrics", &file, "--slo", "ttft>=5ms"], "ttft<=500ms"),
        (&["metrics", &file, "--percentiles", "101"], "0 to 100"),
        (&["metrics", &file, "--window", "skip-first"], "skip-first:C"),
        (&["metrics", &file, "--window", "brush:5..2"], "A is below B, as in brush:2..10"),
        (&["metrics", &file, "--slo", "ttft<=23,4ms"], "a comma where a point stands"),
        (
            &["metrics", &file, "--set", "tpot=after-first", "--set", "tpot=whole-over-n"],
            "tpot is set to after-first and to whole-over-n; expected one choice",
        ),
        (
            &["metrics", &file, "--window", "whole", "--set", "window=brush:0..5"],
            "window is set to brush:0..5 and to whole",
        ),
        (&["metrics", &file, "--percentiles", "-1"], "from 0 to 100"),
        (&["metrics", &file, "--definitions", &odd], "does not understand “change”"),
        (&["metrics", &file, "--definitions", "no-such.json"], "no-such.json"),
        (&["metrics", &file, "--definitions", &odd, "--as", "vllm"], "cannot be used with"),
        (&["metrics", &file, "--format", "xml"], "possible values"),
        (&["metrics"], "FILE"),
        (&["curves", &file], "unrecognized subcommand"),
        (&["report", &file, "--as", "own", "--set", "tpot=whole-over-n"], "--as common"),
    ];
    for (args, says) in cases {
        let output = run(args);
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(err(&output).contains(says), "{args:?}: {}", err(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn refused_files_do_not_stop_the_others() {
    let good = fixture(VLLM);
    let bad = fixture("broken/cut.json");
    let output = run(&["metrics", &bad, "no-such-file.json", &good, "--format", "json"]);
    assert_eq!(code(&output), Some(4));
    let answer = json(&output);
    assert_eq!(answer["runs"].as_array().map(Vec::len), Some(1));
    let refused = answer["refused"].as_array().expect("a list");
    assert_eq!(refused.len(), 2);
    for refusal in refused {
        let said = err(&output);
        for part in ["file", "error", "place", "advice"] {
            let text = refusal[part].as_str().expect("text");
            assert!(!text.is_empty() && said.contains(text), "{part} of {refusal} in {said}");
        }
    }
    assert!(refused[0]["error"].as_str().is_some_and(|e| e.contains("xpected")), "{}", refused[0]);
    let quiet = run(&["metrics", &bad, &good, "--quiet"]);
    assert!(err(&quiet).contains("cut.json") && !out(&quiet).is_empty());
}

#[test]
fn folders_are_walked_in_order_and_patterns_are_understood() {
    let folder = folder("cli-folder");
    for name in ["b.csv", "a/2.csv", "a/1.csv"] {
        // A line of its own makes each a run of its own.
        write(&folder.join(name), &format!("{HAND}{name},10,11,100,600\n"));
    }
    write(&folder.join(".hidden/x.csv"), HAND);
    let files = |args: &[&str]| -> Vec<String> {
        let answer = metrics(args);
        let runs = answer["runs"].as_array().expect("runs").clone();
        let file = |run: &Value| run["source"]["file"].as_str().expect("a name").to_owned();
        let root = format!("{}/", folder.to_string_lossy());
        runs.iter().map(|run| file(run).replace(&root, "")).collect()
    };
    let root = folder.to_string_lossy();
    assert_eq!(files(&[&root]), ["a/1.csv", "a/2.csv", "b.csv"]);
    assert_eq!(files(&[&format!("{root}/a/*.csv")]), ["a/1.csv", "a/2.csv"]);
    let nothing = run(&["inspect", &format!("{root}/*.json")]);
    assert_eq!(code(&nothing), Some(4));
    assert!(err(&nothing).contains("No file matches"), "{}", err(&nothing));
}

#[test]
fn the_table_is_aligned_and_names_units_and_definitions() {
    let text = out(&run(&["metrics", &fixture(VLLM), &fixture(SUMMARY), "--slo", "ttft<=100ms"]));
    let head = text.lines().find(|line| line.starts_with("metric")).expect("a head");
    let ttft = text.lines().find(|line| line.starts_with("TTFT")).expect("a row");
    assert_eq!(head.chars().count(), ttft.chars().count(), "\n{head}\n{ttft}");
    assert!(ttft.contains("ms") && ttft.contains("send → first text") && ttft.contains("84.47"));
    assert!(text.contains("ø as the tool printed it"), "the summary holds printed values only");
    assert!(text.contains("37 equal, 0 close, 0 differ, 1 not recomputable"), "{text}");
}

#[test]
fn csv_and_markdown_hold_every_metric() {
    let csv_text = out(&run(&["metrics", &fixture(SGLANG), "--format", "csv"]));
    let mut reader = csv::Reader::from_reader(csv_text.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let column = |name: &str| head.iter().position(|h| h == name).expect("a column");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let row = |metric: &str, stat: &str| {
        let is =
            |r: &&csv::StringRecord| &r[column("metric")] == metric && &r[column("stat")] == stat;
        rows.iter().find(is).expect("a row")
    };
    assert_eq!(&row("ttft", "mean")[column("origin")], "recomputed");
    assert!(row("ttft", "mean")[column("value")].starts_with("82.599"));
    let bounded = row("tpot", "p99");
    assert_eq!(&bounded[column("origin")], "bounds");
    assert!(bounded[column("value")].is_empty() && !bounded[column("low")].is_empty());
    assert!(!row("queue_wait", "mean")[column("reason")].is_empty());

    let markdown = out(&run(&["metrics", &fixture(SGLANG), "--format", "markdown"]));
    let mut lines = markdown.lines();
    let bars = |line: &str| line.matches('|').count();
    let head = lines.next().expect("a head");
    assert!(lines.next().is_some_and(|rule| rule.contains("---:") && bars(rule) == bars(head)));
    assert!(lines.clone().count() >= 22 && lines.all(|line| bars(line) == bars(head)));
}

#[test]
fn inspect_says_what_a_file_is_and_holds() {
    let answer = json(&run(&["inspect", &fixture(VLLM), "--format", "json"]));
    assert_eq!(answer["schema"], "sameruler.inspect/1");
    let run_answer = &answer["runs"][0];
    assert_eq!(run_answer["holds"]["requests"], 60);
    let columns = run_answer["holds"]["columns"].as_array().expect("a list");
    assert!(columns.contains(&"ttft".into()) && columns.contains(&"start".into()));
    assert!(run_answer["source"]["tool_version_guess"].is_string());
    let talk = json(&run(&[
        "inspect",
        &fixture("vllm-multi-turn/synthetic-stats.json"),
        "--format",
        "json",
    ]));
    let columns = talk["runs"][0]["holds"]["columns"].as_array().expect("a list");
    assert!(columns.contains(&"turn".into()), "{columns:?}");
    let failures = out(&run(&["inspect", &fixture("vllm-bench/0.33-chat-failures.json")]));
    assert!(failures.contains("warn:"), "{failures}");
}

#[test]
fn a_number_is_explained_by_the_definitions_that_give_it() {
    // E ÷ n: 600, 1200 and 1800 ms over 11 tokens.
    let ask = |more: &[&str]| piped(&[&["explain", "-"], more].concat(), HAND);
    let said = out(&ask(&["--number", "109.1ms", "--number", "123.456789 ms"]));
    let words = "109.1ms is mean TPOT with the first token inside (E ÷ n), over ok requests";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("None of our definitions gives 123.456789 ms for this run."), "{said}");
    let answer = json(&ask(&["--number", "109.09ms", "--metric", "tpot", "--format", "json"]));
    assert_eq!(answer["schema"], "sameruler.detective/1");
    let first = &answer["answers"][0]["candidates"][0];
    assert_eq!((&first["metric"], &first["stat"]), (&"tpot".into(), &"mean".into()));
    assert_eq!(first["changes"][0]["dimension"], "tpot");
    assert_eq!(first["changes"][0]["to"], "whole-over-n");
    assert_eq!(first["definitions"]["tpot"], "whole-over-n");
    near(&first["value"], 1200.0 / 11.0);
    // The tool's own definition changes nothing.
    let own = json(&ask(&["--number", "100ms", "--metric", "tpot", "--format", "json"]));
    assert_eq!(own["answers"][0]["candidates"][0]["changes"], serde_json::json!([]));
    let markdown = out(&ask(&["--number", "0.2", "--metric", "ttft", "--format", "markdown"]));
    assert!(
        markdown.contains("| 1 | mean TTFT over ok requests | 200.00 ms | none |"),
        "{markdown}"
    );
}

#[test]
fn a_bridge_leads_from_one_number_to_another() {
    let file = fixture(VLLM);
    let ask = ["explain", &file, "--metric", "itl", "--to-metric", "tpot", "--format", "json"];
    let answer = json(&run(&ask));
    assert_eq!(answer["schema"], "sameruler.explain/1");
    assert_eq!(answer["remainder"], Value::Null);
    let number = |value: &Value| value.as_f64().expect("a number");
    let steps = answer["steps"].as_array().expect("a list");
    let sum: f64 = steps.iter().map(|step| number(&step["change"])).sum();
    near(&answer["b"]["value"], number(&answer["a"]["value"]) + sum);
    for step in steps {
        let all = keys(step);
        for key in [
            "dimension",
            "from",
            "to",
            "change",
            "value_after",
            "touched",
            "because",
            "order_free_change",
        ] {
            assert!(all.contains(&key), "{key}: {step}");
        }
    }
    // Without a metric: the most important disagreement of what was loaded.
    let first = run(&["explain", &file]);
    assert_eq!(code(&first), Some(0), "{}", err(&first));
    assert!(out(&first).contains("waits for chunks"), "{}", out(&first));
    let markdown = out(&run(&["explain", &file, "--metric", "itl", "--format", "markdown"]));
    assert!(markdown.contains("| A | ITL mean (as printed)"), "{markdown}");
}

#[test]
fn what_can_not_be_explained_says_what_would_be_right() {
    let file = fixture(VLLM);
    let third = format!("{file}#3");
    let printed = format!("{}@printed", fixture(SUMMARY));
    for (args, says) in [
        (vec!["explain", &file, &file, &file, "--metric", "tpot"], "two ends"),
        (vec!["explain", &file, "--metric", "tpot", "--order", "x"], "weighting"),
        (
            vec!["explain", &printed, &file, "--metric", "ttft", "--to-metric", "completed"],
            "is in ms",
        ),
        (vec!["explain", &file, "--number", "fast"], "no number"),
        (vec!["explain", &file, "--number", "3kg"], "tok/s"),
        (vec!["explain", &file, "--number", "3ms", "--metric", "speed"], "user_speed"),
        (vec!["explain", &file, "--number", "3ms", "--stat", "p200"], "p99"),
        (vec!["explain", &third, "--number", "3ms"], "there is no #3"),
        (vec!["explain", &file, "--number", "3ms", "--format", "csv"], "markdown"),
    ] {
        let output = run(&args);
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(err(&output).contains(says), "{args:?}: {}", err(&output));
    }
}

#[test]
fn a_file_that_can_not_be_read_is_no_end_of_an_explanation() {
    let file = fixture(VLLM);
    let empty = write(&folder("explain-empty").join("empty.json"), "");
    let absent = format!("{empty}.absent");
    for bad in [&empty, &absent, &"-".to_owned()] {
        for pair in [[bad, &file], [&file, bad]] {
            let output = run(&["explain", pair[0], pair[1], "--metric", "tpot"]);
            assert_eq!(code(&output), Some(4), "{pair:?}");
            assert!(out(&output).is_empty(), "{pair:?}: {}", out(&output));
            assert!(err(&output).contains(bad.as_str()), "{pair:?}: {}", err(&output));
        }
    }
}

#[test]
fn what_is_equal_is_called_so_and_averages_have_their_unit() {
    let file = fixture(VLLM);
    // No definition differs, so none may be said to.
    let folder = folder("explain-equal");
    let one = write(&folder.join("one.csv"), HAND);
    let two = write(&folder.join("two.csv"), &HAND.replace(",1800", ",1900"));
    let same = run(&["explain", &one, &two, "--metric", "ttft"]);
    assert!(out(&same).starts_with("These are the same number by "), "{}", out(&same));
    let summary = run(&["explain", &fixture(SUMMARY), "--metric", "ttft"]);
    assert!(!out(&summary).contains("by 0 equal"), "{}", out(&summary));
    assert!(out(&summary).contains(" is as printed, and nothing else"), "{}", out(&summary));
    // One file leaves nothing over, so nothing is said to be inside it.
    let other = format!("{}@sglang", fixture(SUMMARY));
    let ends = ["explain", &fixture(SUMMARY), &other, "--metric", "output_throughput"];
    assert!(!out(&run(&ends)).contains("inside what is left over"), "{}", out(&run(&ends)));
    let ask = ["explain", &file, "--metric", "itl", "--to-metric", "tpot", "--average"];
    let average = out(&run(&ask));
    let lines: Vec<&str> =
        average.lines().filter(|line| line.starts_with("On average over all orders")).collect();
    assert!(!lines.is_empty(), "{average}");
    for line in lines {
        assert!(line.ends_with(" ms") || line.contains(" ms; another"), "{line}");
    }
}

#[test]
fn pages_of_a_server_alone_ask_for_the_client() {
    let page = write(
        &folder("explain-page").join("page.txt"),
        "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} 0\n",
    );
    for more in [&[][..], &["--metric", "ttft"], &["--library"]] {
        let output = run(&[&["explain", &page], more].concat());
        assert_eq!(code(&output), Some(2), "{more:?}");
        assert!(err(&output).contains("add the result file of the client"), "{}", err(&output));
    }
}

#[test]
fn the_registries_are_listed_whole() {
    let formats = json(&run(&["formats", "--format", "json"]));
    let ids: Vec<&str> = formats["formats"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|format| format["id"].as_str())
        .collect();
    assert!(ids.contains(&"vllm-bench") && ids.contains(&"sglang-bench"), "{ids:?}");
    let definitions = json(&run(&["definitions", "--format", "json"]));
    for dimension in definitions["dimensions"].as_array().expect("a list") {
        for preset in definitions["presets"].as_array().expect("a list") {
            let id = dimension["id"].as_str().expect("an id");
            assert!(preset["choices"][id].is_string(), "{id} of {}", preset["id"]);
        }
    }
    for form in ["table", "csv", "markdown"] {
        for list in ["formats", "definitions"] {
            let output = run(&[list, "--format", form]);
            assert!(code(&output) == Some(0) && output.stdout.len() > 500, "{list} {form}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command()
        .args(["metrics", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // It can't answer before it has read, and by then nobody listens.
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(HAND.as_bytes()).expect("the command reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(code(&output), Some(0));
    assert_eq!(err(&output), "");
}

#[test]
fn a_mapped_table_is_read_and_a_wrong_column_or_field_is_wrong_use() {
    let folder = std::env::temp_dir().join(format!("sameruler-map-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("log.csv");
    std::fs::write(&path, "call,first token,whole (s),words\na,50,0.25,5\n").unwrap();
    let file = path.to_str().unwrap();
    let end = |map: &[&str]| {
        let mut args = vec!["sameruler", "inspect", file];
        args.extend(map.iter().flat_map(|map| ["--map", map]));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let exit = sameruler::cli::run(
            args.into_iter().map(Into::into),
            &mut sameruler::cli::Streams {
                input: &mut std::io::empty(),
                out: &mut out,
                err: &mut err,
                terminal: false,
                today: "2026-11-29".into(),
            },
        );
        (exit as u8, String::from_utf8(err).unwrap())
    };
    let (exit, err) = end(&["ttft=first token:ms", "e2e=whole (s)", "output_tokens=words"]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let (exit, err) = end(&["ttft=frist token:ms"]);
    assert_eq!(exit, 2);
    assert!(err.contains("“first token”"), "{err}");
    let (exit, err) = end(&["first=first token:ms"]);
    assert_eq!(exit, 2);
    assert!(err.contains("decode_time"), "{err}");
    let (exit, err) = end(&["ttft=first token"]);
    assert_eq!(exit, 4);
    assert!(err.contains("--map ttft='first token:ms'"), "{err}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_window_is_named_with_its_edge_and_span() {
    let file = fixture(VLLM);
    for (window, edged) in [
        ("whole", false),
        ("first-send-to-last-token", false),
        ("after-first-completion", true),
        ("skip-first:10", false),
        ("steady:0.8", true),
        ("until-stable", true),
        ("brush:1..4", true),
    ] {
        let answer = metrics(&[&file, "--window", window]);
        let found = &answer["runs"][0]["window"];
        assert_eq!(found["choice"], window);
        assert_eq!(found["edge"] == "by-start", edged, "{window}: {found}");
        assert_eq!(answer["runs"][0]["definitions"]["window"], window);
        if found["unavailable"].is_null() {
            let (from, to) = (found["from_s"].as_f64(), found["to_s"].as_f64());
            let length = from.zip(to).map(|(from, to)| to - from).expect("both ends");
            near(&found["length_s"], length);
            let divided = if window == "whole" { "as-reported" } else { "window" };
            assert_eq!(answer["runs"][0]["definitions"]["duration"], divided);
        } else {
            // Only the heuristic may find nothing.
            assert_eq!(window, "until-stable", "{found}");
        }
    }
    let brush = metrics(&[&file, "--window", "brush:1..4", "--set", "window-edge=overlap"]);
    let found = &brush["runs"][0]["window"];
    assert_eq!(found["edge"], "overlap");
    near(&found["from_s"], 1.0);
    near(&found["to_s"], 4.0);
    let refused = run(&["metrics", &file, "--window", "brush:4..1"]);
    assert_eq!(code(&refused), Some(2));
    assert!(err(&refused).contains("brush:A..B"), "{}", err(&refused));
    let summary = metrics(&[&fixture(SUMMARY), "--window", "steady:0.9"]);
    let found = &summary["runs"][0]["window"];
    assert!(
        found["unavailable"].as_str().is_some_and(|why| why.contains("no requests")),
        "{found}"
    );
}

#[test]
fn inspect_and_metrics_say_what_a_servers_dump_holds() {
    let dump = fixture("prometheus-dump/synthetic-two-scrapes.log");
    let inspected = run(&["inspect", &dump, "--format", "json"]);
    let answer = json(&inspected);
    assert_eq!((code(&inspected), answer["runs"].as_array().map(Vec::len)), (Some(0), Some(0)));
    let held = &answer["dumps"][0];
    assert_eq!(held["shape"], "exposition");
    assert_eq!(held["holds"]["readings"], 2);
    assert_eq!(held["holds"]["models"][0], "made/llama-8b");
    assert_eq!(held["holds"]["first"], 1_764_410_400.0);
    let table = out(&run(&["inspect", &dump]));
    assert!(table.contains("2 scrapes over 30.0 s"), "{table}");
    let measured = run(&["metrics", &fixture(VLLM), &dump]);
    assert_eq!(code(&measured), Some(0));
    assert!(out(&measured).contains("It is no run of requests"), "{}", out(&measured));
    let both = json(&run(&["metrics", &fixture(VLLM), &dump, "--format", "json"]));
    assert_eq!(both["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(both["dumps"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_session_gives_the_numbers_of_the_files_it_was_made_of() {
    let folder = std::env::temp_dir().join(format!("sameruler-session-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, from) in [("a.json", VLLM), ("b.jsonl", SGLANG), ("c.json", SUMMARY)] {
        std::fs::copy(fixture(from), folder.join(name)).expect("a copy");
    }
    let run = |args: &[&str]| {
        let output = command().current_dir(&folder).args(args).output().expect("it starts");
        assert_eq!(code(&output), Some(0), "{args:?}: {}", err(&output));
        output.stdout
    };
    let files = ["a.json", "b.jsonl", "c.json"];
    let with = |start: &[&'static str], files: &[&'static str], end: &[&'static str]| {
        [start, files, end].concat()
    };
    run(&with(&["session", "--date", "2026-11-30", "-o", "s.sameruler"], &files, &[]));
    for form in ["json", "table", "csv"] {
        let end = ["--slo", "ttft<=500ms", "--format", form];
        let own = run(&with(&["metrics"], &files, &end));
        assert_eq!(run(&with(&["metrics"], &["s.sameruler"], &end)), own, "{form}");
    }
    let end = ["--date", "2026-11-30", "--data", "events", "-o", "-"];
    let own = run(&with(&["report"], &files, &end));
    assert_eq!(run(&with(&["report"], &["s.sameruler"], &end)), own, "the report of the session");
    std::fs::write(folder.join("r.html"), own).expect("written");
    let json = ["--format", "json"];
    let (first, again) =
        (run(&with(&["metrics"], &files, &json)), run(&with(&["metrics"], &["r.html"], &json)));
    assert_eq!(first, again, "the metrics of the report");
    std::fs::remove_dir_all(&folder).expect("removed");
}
