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
            let _ = writeln!(page, "{engine}\",le=\"{le}\"}} {n}");
        }
        let sum = f64::from(requests) * 0.2;
        let _ = writeln!(page, "vllm:time_to_first_token_seconds_sum{{engine=\"{engine}\"}} {sum}");
        let _ = writeln!(
            page,
            "vllm:time_to_first_token_seconds_count{{engine=\"{engine}\"}} {requests}"
        );
    }
    page.push_str("# TYPE vllm:request_success_total counter\n");
    for reason in ["stop", "length"] {
        let _ = writeln!(
            page,
            "vllm:request_success_total{{engine=\"0\",finished_reason=\"{reason}\"}} {requests}"
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
    // Two pages without a flag are put in order by their counts.
    let wrong_order = json(&[after, before]);
    let turned = &wrong_order["histograms"]["vllm:time_to_first_token_seconds"];
    assert_eq!((&turned["resets"], &turned["count"]), (&0.into(), &120.0.into()));
}

#[test]
fn limits_are_held_against_the_buckets_alone_and_together() {
    let before = file("limits-before.txt", page(10).as_bytes());
    let after = file("limits-after.txt", page(70).as_bytes());
    let pages = [before.to_str().unwrap(), after.to_str().unwrap()];
    let slo = ["--slo", "ttft<=100ms", "--slo", "ttft<=250ms"];
    let answer = json(&[&pages[..], &slo[..]].concat());
    // All 120 took 0.2 s: none up to the edge of 0.1 s, all up to that of 0.25 s.
    let [under, over] = answer["limits"]["each"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((&under["low"], &under["high"]), (&0.0.into(), &0.0.into()));
    assert_eq!((&over["low"], &over["high"]), (&1.0.into(), &1.0.into()));
    assert_eq!((&over["of"], &over["edges_s"]), (&120.0.into(), &serde_json::json!([0.25, 0.25])));
    assert_eq!(answer["limits"]["all"]["high"], 0.0);
    assert!(answer["limits"]["goodput"].is_null(), "the pages say no times");
    let unknown = json(&[&pages[..], &["--slo", "e2e<=1s"]].concat());
    let because = "the server has no histogram of E2E";
    assert_eq!(unknown["limits"]["each"][0]["unavailable"], because);
    assert_eq!(unknown["limits"]["all"]["unavailable"], "nothing is known of E2E");
    let output = server(&[&pages[..], &["--slo", "ttft<=150ms"]].concat());
    let (out, _) = told(&output);
    let said = "the nearest edges are 100 ms and 250 ms";
    assert!(out.contains("requests within limits") && out.contains(said), "{out}");
    assert!(json(&pages)["limits"].is_null(), "no limit, no shares");
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

fn told(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn swapped_pages_are_told_and_read_the_right_way_round() {
    let start = "process_start_time_seconds 1000\n";
    let before = file("early.txt", (page(10) + start).as_bytes());
    let after = file("late.txt", (page(70) + start).as_bytes());
    let (before, after) = (before.to_str().unwrap(), after.to_str().unwrap());
    for (args, advice) in [
        (vec!["--before", after, "--after", before], "exchange --before and --after"),
        (vec![after, before], "The earlier is taken first"),
    ] {
        let answer = json(&args);
        assert_eq!(answer["histograms"]["vllm:time_to_first_token_seconds"]["count"], 120.0);
        assert_eq!(answer["histograms"]["vllm:time_to_first_token_seconds"]["resets"], 0);
        let notices = answer["notices"].as_array().unwrap();
        let swapped = notices.iter().find(|notice| notice["kind"] == "swapped").unwrap();
        let text = swapped["text"].as_str().unwrap();
        assert!(text.contains(advice) && text.contains("the process is the same"), "{text}");
        assert!(notices.iter().all(|notice| notice["kind"] != "restarts"), "{notices:?}");
    }
    let right = json(&["--before", before, "--after", after]);
    assert!(right["notices"].as_array().unwrap().iter().all(|n| n["kind"] != "swapped"));
}

#[test]
fn pages_of_two_servers_are_never_subtracted() {
    let of = |instance: &str, n: u32| {
        page(n).replace("{engine=", &format!("{{instance=\"{instance}\",engine="))
    };
    let one = file("one.txt", of("a:1", 10).as_bytes());
    let two = file("two.txt", of("b:1", 70).as_bytes());
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    let refused = server(&["--before", one, "--after", two]);
    let (out, err) = told(&refused);
    assert_eq!((refused.status.code(), out.as_str()), (Some(4), ""));
    assert!(err.contains("instance is a:1 in the one and b:1 in the other"), "{err}");
    let answer = json(&[one, two]);
    assert_eq!(answer["window"]["kind"], "since-start");
    assert_eq!(answer["histograms"]["vllm:time_to_first_token_seconds"]["count"], 160.0);
    let notices = answer["notices"].as_array().unwrap();
    assert!(notices.iter().any(|notice| notice["kind"] == "two-servers"), "{notices:?}");
}

#[test]
fn a_result_is_told_from_a_page() {
    let fixture = "tests/fixtures/vllm-bench/0.33-chat-speculative.json";
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    let fixture = fixture.to_str().unwrap();
    let output = server(&[fixture]);
    let (_, err) = told(&output);
    assert_eq!(output.status.code(), Some(4), "{err}");
    for part in ["a client’s result", "vLLM", "--client", "sameruler metrics"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    let empty = file("empty.prom", b"# HELP a b\n# EOF\n");
    let (_, err) = told(&server(&[empty.to_str().unwrap()]));
    assert!(err.contains("expected a page of /metrics") && err.contains("curl"), "{err}");
}

#[test]
fn what_stays_apart_is_the_reason_that_sums_are_not_to_be_had() {
    let two = file("apart.txt", page(10).as_bytes());
    let answer = json(&[two.to_str().unwrap(), "--by", "engine"]);
    let identities = answer["identities"].as_array().unwrap();
    let overhead = identities.iter().filter_map(|one| one["unavailable"].as_str());
    assert!(
        overhead.clone().any(|why| why.contains("kept apart by engine (0, 1)")),
        "{identities:?}"
    );
}

#[test]
fn check_lists_the_traps_of_a_page_and_stops_at_a_broken_clock() {
    let check = |path: &Path, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sameruler"));
        command.arg("check").arg(path).args(more).stdin(Stdio::null()).output().unwrap()
    };
    let good = file("sound.prom", page(10).as_bytes());
    let (out, _) = told(&check(&good, &[]));
    assert!(out.contains("warn: since-start"), "{out}");
    assert_eq!(check(&good, &[]).status.code(), Some(0));
    let broken = "# TYPE vllm:time_to_first_token_seconds histogram\n\
        vllm:time_to_first_token_seconds_bucket{le=\"0.001\"} 8000\n\
        vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 8000\n\
        vllm:time_to_first_token_seconds_sum 0.6\n\
        vllm:time_to_first_token_seconds_count 8000\n";
    let broken = file("broken.prom", broken.as_bytes());
    let output = check(&broken, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let dump = &answer["dumps"][0];
    assert_eq!(dump["blocked"]["id"], "not-credible");
    assert_eq!(dump["findings"][0]["severity"], "block");
    for form in ["table", "csv", "markdown"] {
        let (out, _) = told(&check(&broken, &["--format", form]));
        assert!(out.contains("not-credible") && out.contains("broken clock"), "{form}: {out}");
    }
}

#[test]
fn a_folder_stands_for_the_pages_in_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli_server_folders");
    let _ = std::fs::remove_dir_all(&folder);
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    // “after” comes before “before” by name.
    write("pair/metrics_before.txt", &page(10));
    write("pair/metrics_after.txt", &page(70));
    write("pair/notes.json", r#"{"harness": "notes of a run"}"#);
    write("results/notes.json", r#"{"harness": "notes of a run"}"#);
    for name in ["a", "b", "c"] {
        write(&format!("many/{name}.txt"), &page(10));
        let start = format!("{}process_start_time_seconds 1000\n", page(10));
        write(&format!("row/{name}.txt"), &start);
    }
    let of = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let answer = json(&[&of("pair")]);
    assert_eq!(answer["window"]["kind"], "two-scrapes");
    let ttft = &answer["histograms"]["vllm:time_to_first_token_seconds"];
    assert_eq!(ttft["count"], 120.0);
    let notices = answer["notices"].as_array().unwrap();
    assert!(notices.iter().all(|notice| notice["kind"] != "swapped"), "{notices:?}");
    assert_eq!(json(&[&of("row")])["window"]["scrapes"], 3);
    for (name, says) in [
        ("results", "holds no page of server metrics"),
        ("many", "holds 3 pages of server metrics that are not known to be of one process"),
    ] {
        let output = server(&[&of(name)]);
        let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{wrong}");
        assert!(wrong.contains(says), "{wrong}");
    }
}

#[test]
fn buckets_that_fall_name_their_edge_as_the_page_does() {
    let text = "# TYPE a_seconds histogram\na_seconds_bucket{le=\"1\"} 5\na_seconds_bucket{le=\"+Inf\"} 3\n\
                a_seconds_sum 2\na_seconds_count 3\n";
    let output = server(&[file("falls.txt", text.as_bytes()).to_str().unwrap()]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("The counts of a_seconds fall at the edge +Inf, by up to 2"), "{said}");
}
