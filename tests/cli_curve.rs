//! `sameruler curve` as a user meets it, and against numbers that were computed independently.
//!
//! Some tests read `../shared/cases`, which is no part of the repository; without it there is nothing to
//! do, except where `CI` is set.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::cases;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn curve(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sameruler"));
    command.arg("curve").args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn answer(args: &[&str]) -> Value {
    let output = curve(&[args, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// A file of its own for one test.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("curve").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

const LIMITS: [&str; 6] = ["--slo", "ttft<=250ms", "--slo", "tpot<=18ms", "--slo", "e2e<=900ms"];
const RATES: [f64; 6] = [4.0, 8.0, 12.0, 16.0, 20.0, 26.0];
const CAPS: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0];

/// Clients whose files tell goodput, with the loads of their sweep: those of the README.
const CLIENTS: [(&str, [f64; 6]); 10] = [
    ("vllm", RATES),
    ("vllm-completions", RATES),
    ("vllm-0.10", RATES),
    ("vllm-concurrency", CAPS),
    ("sglang", RATES),
    ("sglang-oai-chat", RATES),
    ("aiperf", RATES),
    ("guidellm", RATES),
    ("guidellm-constant", RATES),
    ("guidellm-concurrent", CAPS),
];

#[track_caller]
fn near(found: f64, want: f64, what: &str) {
    // The duration of AIPerf's summary and that of its rows part in the seventh digit.
    assert!((found - want).abs() <= 1e-6 * want.abs().max(1e-9), "{what}: {found} is not {want}");
}

/// A number, or the upper of two bounds.
fn upper(value: &Value) -> f64 {
    value.as_f64().or_else(|| value["high"].as_f64()).unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn peak_load_and_both_shares_are_those_of_the_ground_truth() {
    let Some(root) = cases().map(|cases| cases.join("clients")) else { return };
    let all = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let all: Value = serde_json::from_str(&all).unwrap();
    let mut bounded = Vec::new();
    for (client, loads) in CLIENTS {
        let folder = root.join("S5").join(client);
        // The folder whole: notes, scrapes, consoles and tables beside the results are in it.
        let args = [&[folder.to_str().unwrap(), "--x", "requested", "-q"][..], &LIMITS].concat();
        let got = answer(&args);
        let series = got["series"].as_array().unwrap();
        assert_eq!(series.len(), 1, "{client} is one sweep, told once");
        let points = series[0]["points"].as_array().unwrap();
        let prefix = format!("S5/{client}/");
        let want: Vec<&Value> = all["files"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| name.starts_with(&prefix))
            .map(|(_, entry)| entry)
            .collect();
        assert_eq!((points.len(), want.len()), (loads.len(), loads.len()), "{client}");
        let mut best = (0, f64::MIN);
        for (at, (point, want)) in points.iter().zip(&want).enumerate() {
            let what = format!("{client} at {}", loads[at]);
            let number = |key: &str| {
                let value = &want["recomputed"][key];
                value.as_f64().or_else(|| want["recomputed"][format!("{key}_upper_bound")].as_f64())
            };
            let (good, rate) =
                (number("good_requests").unwrap(), number("request_goodput").unwrap());
            let counts = |key: &str| want["counts"][key].as_f64().unwrap();
            assert_eq!(point["load"].as_f64(), Some(loads[at]), "{what}");
            near(upper(&point["good"]), good, &what);
            near(upper(&point["share_of_sent"]), good / counts("requests"), &what);
            near(upper(&point["share_of_finished"]), good / counts("ok"), &what);
            near(upper(&point["goodput"]), rate, &what);
            if rate > best.1 {
                best = (at, rate);
            }
        }
        let peak = &series[0]["goodput_peak"];
        let what = format!("peak of {client}");
        let said = series[0]["text"][0].as_str().unwrap();
        // Where the file gives an upper bound alone, any load could be the best.
        if want[0]["recomputed"].get("request_goodput_upper_bound").is_some() {
            assert_eq!(peak, &Value::Null, "{what}");
            let open = series[0]["no_goodput_peak"].as_str().unwrap();
            assert!(open.contains("within bounds only"), "{what}: {open}");
            assert!(said.starts_with("No goodput peak can be named: "), "{what}: {said}");
            assert!(
                points.iter().all(|p| p["binding"].is_null()),
                "{what}: no limit is sure to bind"
            );
            let all = series[0]["text"].to_string();
            assert!(
                !all.contains(" binds at ") && all.contains("can’t be told at 4 req/s"),
                "{all}"
            );
            bounded.push(client);
            continue;
        }
        assert_eq!(peak["index"], json!(best.0), "{what}");
        assert_eq!(peak["load"].as_f64(), Some(loads[best.0]), "{what}");
        near(upper(&peak["value"]), best.1, &what);
        for share in ["share_of_sent", "share_of_finished"] {
            assert_eq!(peak[share], points[best.0][share], "{what}");
        }
        assert_eq!(peak["at_edge"], json!(best.0 == 0 || best.0 == loads.len() - 1), "{what}");
        let neighbours = [loads[best.0.saturating_sub(1)], loads[(best.0 + 1).min(5)]];
        assert_eq!(peak["between_loads"], json!(neighbours), "{what}");
        assert!(said.starts_with("Goodput peaks at"), "{said}");
        // The binding limit is the one that fewest requests keep.
        let bind = &points[5]["limits"];
        let met = |limit: &Value| upper(&limit["met"]);
        let fewest = bind.as_array().unwrap().iter().map(met).fold(f64::MAX, f64::min);
        let binds = bind.as_array().unwrap().iter().find(|limit| limit["binds"] == true).unwrap();
        near(met(binds), fewest, &what);
    }
    assert_eq!(bounded, ["vllm-0.10", "sglang", "sglang-oai-chat"]);
}

#[test]
fn stages_and_their_rows_are_one_sweep() {
    let Some(root) = cases().map(|cases| cases.join("clients/S5/inference-perf")) else { return };
    let folder = root.to_str().unwrap();
    let got = answer(&[&[folder, "--y", "ttft.mean", "-q"][..], &LIMITS].concat());
    let series = got["series"].as_array().unwrap();
    assert_eq!(series.len(), 1, "the rows of all stages are no load");
    let loads: Vec<Option<f64>> =
        series[0]["points"].as_array().unwrap().iter().map(|p| p["load"].as_f64()).collect();
    assert_eq!(loads, RATES.map(Some));
    let left_off = &got["all_stages"][0];
    assert!(left_off["file"].as_str().unwrap().contains("per_request"), "{left_off}");
    let table = text(&curve(&[folder, "--y", "ttft.mean", "-q"]));
    assert!(table.contains("left off, it holds all stages"), "{table}");
    assert!(!table.contains("? req/s") && !table.contains('ø'), "{table}");
    assert!(table.contains("printed: as the tool printed it, not recomputed"), "{table}");
    assert!(table.contains("no 95 % interval: of a printed number"), "{table}");
    // Alone the rows are a run like any other.
    let rows = root.join("sweep/per_request_lifecycle_metrics.json.gz");
    let alone = text(&curve(&[rows.to_str().unwrap(), "--alone", "-q"]));
    assert!(alone.contains("load not recorded") && !alone.contains('?'), "{alone}");
}

#[test]
fn a_printed_goodput_stands_beside_its_own_limits() {
    let Some(root) = cases().map(|cases| cases.join("clients/S5/sglang/sweep.jsonl")) else {
        return;
    };
    let table = text(&curve(&[root.to_str().unwrap(), "--y", "goodput"]));
    assert!(table.contains("10.86 printed") && !table.contains('ø'), "{table}");
    let line =
        "16 req/s: the tool printed a goodput of 10.86 req/s under TTFT ≤ 250 ms, TPOT ≤ 18 ms";
    assert!(table.contains(line), "{table}");
    // Under other limits than its own it is no goodput of the question.
    let summary = file(
        "printed-goodput.json",
        &vllm(4.0, 100.0, 1).replace("\"ttfts\"", "\"request_goodput\":1.5,\"unused\""),
    );
    let got = answer(&[&summary, "--y", "goodput", "--slo", "ttft<=1ms"]);
    let point = &got["series"][0]["points"][0];
    assert_eq!(point["y"], Value::Null, "{point}");
    assert!(point["y_unavailable"].as_str().unwrap().contains("does not name"), "{point}");
}

#[test]
fn without_a_run_there_is_no_title() {
    let page =
        file("page.txt", "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 0\n");
    let output = curve(&[&page]);
    assert_eq!((output.status.code(), text(&output)), (Some(2), String::new()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("add the result files of the client"));
    let output = curve(&["no-such-file.json"]);
    assert_eq!((output.status.code(), text(&output)), (Some(4), String::new()));
}

/// Loads in a table, typed by hand.
const TYPED: &str = "concurrency,ttft_ms,p99_ttft_ms,tpot_ms,output_tok_s,req_s\n\
    1,100,120,10,100,1\n2,102,125,10.1,198,2\n4,105,130,10.2,390,4\n8,120,170,11,720,7.5\n\
    16,300,600,14,1100,11\n32,900,2500,25,1180,11.8\n";

#[test]
fn json_keeps_its_names() {
    let got = answer(&[&file("typed.csv", TYPED), "--x", "concurrency", "--y", "ttft.mean"]);
    assert_eq!(got["schema"], "sameruler.curve/1");
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    for name in ["schema", "x", "y", "slo", "series", "frontier", "held_back", "refused"] {
        assert!(keys(&got).iter().any(|key| key == name), "{name}");
    }
    assert_eq!((&got["x"]["id"], &got["y"]["id"]), (&json!("concurrency"), &json!("ttft.mean")));
    assert_eq!((&got["y"]["unit"], &got["y"]["better"]), (&json!("ms"), &json!("lower")));
    let series = &got["series"][0];
    for name in
        ["name", "points", "frontier", "knee", "throughput_peak", "goodput_peak", "saturated_from"]
    {
        assert!(keys(series).iter().any(|key| key == name), "{name}");
    }
    let point = &series["points"][3];
    for name in [
        "run",
        "x",
        "y",
        "requested_rate",
        "achieved_rate",
        "request_throughput",
        "goodput",
        "share",
        "n",
    ] {
        assert!(keys(point).iter().any(|key| key == name), "{name}");
    }
    assert_eq!((point["x"].as_f64(), point["y"].as_f64()), (Some(8.0), Some(120.0)));
    assert_eq!(point["origin"], "reported");
    assert_eq!(series["frontier"], json!([0, 1, 2, 3, 4, 5]), "more load, more latency");
    assert_eq!(series["goodput_peak"], Value::Null, "no limit, no goodput");
    let peak = &series["throughput_peak"];
    assert_eq!((&peak["index"], &peak["at_edge"]), (&json!(5), &json!(true)));
    assert_eq!((&peak["metric"], &peak["value"]), (&json!("output_throughput"), &json!(1180.0)));
    let said = series["text"].to_string();
    assert!(said.contains("at the edge of the sweep"), "{said}");
    assert!(series["knee"]["rule"].is_string() || series["no_knee"].is_string());
}

#[test]
fn any_metric_stands_against_any_load() {
    let path = file("axes.csv", TYPED);
    let at = |x: &str, y: &str| {
        let got = answer(&[&path, "--x", x, "--y", y]);
        let point = &got["series"][0]["points"][1];
        (point["x"].as_f64(), point["y"].as_f64())
    };
    assert_eq!(at("achieved", "p99_ttft"), (Some(2.0), Some(125.0)));
    assert_eq!(at("tpot.mean", "output_throughput"), (Some(10.1), Some(198.0)));
    assert_eq!(at("output-throughput", "concurrency"), (Some(198.0), Some(2.0)));
    let missing = answer(&[&path, "--x", "requested"]);
    let point = &missing["series"][0]["points"][0];
    assert_eq!(point["x"], Value::Null);
    assert!(point["x_unavailable"].as_str().unwrap().contains("no request rate"));
    let wrong = curve(&[&path, "--x", "nonsense"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("expected a load (achieved"));
}

#[test]
fn table_csv_markdown_and_picture_say_the_same() {
    let path = file("forms.csv", TYPED);
    let axes = ["--x", "concurrency", "--y", "ttft.mean"];
    let with =
        |form: &str| text(&curve(&[&[path.as_str()][..], &axes, &["--format", form]].concat()));
    let table = with("table");
    assert!(table.starts_with("TTFT mean against allowed in flight\n"), "{table}");
    assert!(table.contains("32 in flight") && table.contains("throughput peak"), "{table}");
    let csv = with("csv");
    assert_eq!(csv.lines().count(), 7, "{csv}");
    assert!(
        csv.lines()
            .nth(4)
            .unwrap()
            .contains(",8 in flight,concurrency,requests,8,ttft.mean,ms,120,"),
        "{csv}"
    );
    assert!(with("markdown").contains("| 32 in flight |"));
    let svg = with("svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("allowed in flight") && !svg.contains("NaN"), "{svg}");
    // A metric against a metric: tokens per second by what one user sees.
    let args = ["--x", "ttft.mean", "--y", "output_throughput", "--format", "svg"];
    let svg = text(&curve(&[&[path.as_str()][..], &args].concat()));
    assert!(svg.contains("TTFT mean") && svg.contains("Output throughput"), "{svg}");
    let refused = curve(&[&path, "--x", "concurrency", "--y", "requested", "--format", "svg"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Twelve requests of a vLLM result at a rate, with this TTFT in ms.
fn vllm(rate: f64, ttft: f64, seed: u32) -> String {
    let n = 12;
    let list = |of: &dyn Fn(usize) -> String| {
        format!("[{}]", (0..n).map(of).collect::<Vec<_>>().join(","))
    };
    format!(
        r#"{{"date":"20260101-00000{seed}","endpoint_type":"openai","backend":"openai","model_id":"m",
        "tokenizer_id":"t","num_prompts":{n},"request_rate":{rate},"burstiness":1.0,"max_concurrency":null,
        "seed":{seed},"duration":{},"completed":{n},"total_input_tokens":120,"total_output_tokens":132,
        "input_lens":{},"output_lens":{},"ttfts":{},"itls":{},"errors":{}}}"#,
        12.0 / rate,
        list(&|_| "10".into()),
        list(&|_| "11".into()),
        list(&|at| ((ttft + at as f64) / 1e3).to_string()),
        list(&|_| format!("{:?}", [0.01; 10])),
        list(&|_| "\"\"".into()),
    )
}

#[test]
fn repeats_are_one_point_with_their_spread() {
    let mut files = Vec::new();
    for (rate, ttft) in [(4.0, 100.0), (8.0, 200.0)] {
        for seed in 0..3 {
            let name = format!("repeats/{rate}-{seed}.json");
            files.push(file(&name, &vllm(rate, ttft + 10.0 * f64::from(seed), seed)));
        }
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let ask = |y| answer(&[&files[..], &["--y", y, "--slo", "ttft<=215ms"]].concat());
    let got = ask("ttft.mean");
    let points = got["series"][0]["points"].as_array().unwrap();
    assert_eq!(points.len(), 2, "two loads, three runs each");
    assert_eq!(points[0]["runs"].as_array().unwrap().len(), 3);
    // TTFTs are base + 0 … 11, so the means are 105.5, 115.5 and 125.5.
    near(points[0]["y"].as_f64().unwrap(), 115.5, "the mean of three means");
    for (each, want) in points[0]["y_each"].as_array().unwrap().iter().zip([105.5, 115.5, 125.5]) {
        near(each.as_f64().unwrap(), want, "each run's own");
    }
    let interval = &points[0]["y_interval"];
    assert_eq!(interval["method"], "t-interval-of-the-mean");
    // t of two degrees of freedom, 4.3027, times 10 ÷ √3.
    near(interval["low"].as_f64().unwrap(), 115.5 - 24.841_377_117, "low");
    // At 8 req/s 12, 6 and 0 of 12 keep 215 ms: those of 200 to 211, 210 to 215, and none.
    near(points[1]["share"].as_f64().unwrap(), 18.0 / 36.0, "the share of all requests");
    assert_eq!(points[1]["n"], 36);
    // A percentile is that of all samples, not a mean of three percentiles.
    let pooled = ask("ttft.max");
    near(pooled["series"][0]["points"][0]["y"].as_f64().unwrap(), 131.0, "the largest of all");
}

#[test]
fn one_folder_a_load_is_one_sweep_and_repeats_lie_in_folders_too() {
    let name = |folder: &str| format!("folders/{folder}/result.json");
    let files = [
        file(&name("rate4"), &vllm(4.0, 100.0, 0)),
        file(&name("rate8"), &vllm(8.0, 150.0, 0)),
        file(&name("other4"), &vllm(4.0, 120.0, 0)),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let got = answer(&files);
    let loads: Vec<usize> = got["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["points"].as_array().unwrap().len())
        .collect();
    assert_eq!(loads, [2, 1]);
}

#[test]
fn dominated_points_say_by_whom_across_sweeps() {
    let files = [
        file("two/a/r4.json", &vllm(4.0, 100.0, 0)),
        file("two/a/r8.json", &vllm(8.0, 200.0, 0)),
        file("two/b/r4.json", &vllm(4.0, 120.0, 0)),
        file("two/b/r8.json", &vllm(8.0, 150.0, 0)),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let got = answer(&[&files[..], &["--y", "ttft.mean"]].concat());
    assert_eq!(got["series"].as_array().unwrap().len(), 2);
    let by =
        |series: usize, point: usize| got["series"][series]["points"][point]["beaten_by"].clone();
    assert_eq!(by(0, 0), Value::Null);
    assert_eq!((by(0, 1)["series"].clone(), by(0, 1)["point"].clone()), (json!(1), json!(1)));
    assert_eq!((by(1, 0)["series"].clone(), by(1, 0)["point"].clone()), (json!(0), json!(0)));
    assert_eq!(by(1, 1), Value::Null);
    let on = [json!({"series": 0, "point": 0}), json!({"series": 1, "point": 1})];
    assert_eq!(got["frontier"], json!(on));
    let table = text(&curve(&[&files[..], &["--y", "ttft.mean"]].concat()));
    assert!(table.contains("beaten by vLLM b at 8 req/s"), "{table}");
}

#[test]
fn names_in_markdown_are_no_markup_and_output_is_for_pictures() {
    let odd = |load: u32, model: &str| {
        let run = json!({
            "date": "20260101-000000", "backend": "vllm", "model_id": model, "tokenizer_id": model,
            "num_prompts": 2, "request_rate": load, "burstiness": 1.0, "max_concurrency": null,
            "duration": 2.0, "completed": 2, "total_input_tokens": 20, "total_output_tokens": 4,
            "request_throughput": 1.0, "output_throughput": 2.0, "total_token_throughput": 12.0,
            "input_lens": [10, 10], "output_lens": [2, 2], "ttfts": [0.1, 0.2],
            "itls": [[0.01], [0.01]], "generated_texts": ["a", "b"], "errors": ["", ""],
            "mean_ttft_ms": 150.0, "median_ttft_ms": 150.0, "std_ttft_ms": 50.0, "p99_ttft_ms": 199.0,
            "mean_tpot_ms": 10.0, "median_tpot_ms": 10.0, "std_tpot_ms": 0.0, "p99_tpot_ms": 10.0,
            "mean_itl_ms": 10.0, "median_itl_ms": 10.0, "std_itl_ms": 0.0, "p99_itl_ms": 10.0
        });
        file(&format!("odd{load}.json"), &run.to_string())
    };
    let (plain, markup) = (odd(1, "plain"), odd(2, "<img src=x onerror=alert(1)>|x"));
    let markdown = text(&curve(&[&plain, &markup, "--format", "markdown"]));
    assert!(markdown.contains("&lt;img"), "{markdown}");
    assert!(!markdown.contains("<img"), "{markdown}");
    let output = curve(&[&plain, "--output", "unwritten.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--format svg"));
}

#[test]
fn sweeps_are_put_together_by_name_and_a_file_that_is_not_there_is_said() {
    let table = |name: &str, rates: [u32; 2]| {
        let rows = rates.map(|rate| format!("{rate},{},{rate}\n", 100 + rate));
        file(name, &format!("request_rate,p99_ttft_ms,req_s\n{}", rows.concat()))
    };
    let (a, b) = (table("sweeps/a/points.csv", [4, 8]), table("sweeps/b/points.csv", [12, 16]));
    let named = |args: &[&str]| -> Vec<(String, usize)> {
        let got = answer(&[&[a.as_str(), b.as_str()][..], args].concat());
        let series = got["series"].as_array().unwrap().clone();
        let one = |s: &Value| {
            (s["name"].as_str().unwrap().to_owned(), s["points"].as_array().unwrap().len())
        };
        series.iter().map(one).collect()
    };
    assert_eq!(named(&[]).len(), 2, "each file is a sweep of its own");
    assert_eq!(named(&["--sweep", "mine=a/points.csv,b"]), [("mine".to_owned(), 4)]);
    assert_eq!(named(&["--sweep", "=b/points.csv"]).len(), 3, "its two loads stand alone");
    let wrong = curve(&[&a, "--sweep", "mine=points.json"]);
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(said.contains("none of the runs is of a file or folder of this name"), "{said}");
}

#[test]
fn the_goodput_peak_is_told_per_gpu_once_their_count_is_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/sweep");
    let folder = folder.to_str().unwrap();
    let peak = |more: &[&str]| {
        let got = answer(&[&[folder][..], &LIMITS, more].concat());
        got["series"][0]["goodput_peak"].clone()
    };
    let unknown = peak(&[]);
    assert_eq!((&unknown["gpus"], &unknown["value_per_gpu"]), (&Value::Null, &Value::Null));
    let known = peak(&["--gpus", "4"]);
    near(known["value_per_gpu"].as_f64().unwrap() * 4.0, known["value"].as_f64().unwrap(), "peak");
}
