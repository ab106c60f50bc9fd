//! Every pair of scrapes around a client’s run against independent values and against the server’s own log,
//! and the published dumps against reference values.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod handed;

use flate2::read::GzDecoder;
use sameruler::engine::import::import;
use sameruler::metrics::own;
use sameruler::model::Dump;
use sameruler::notice::Notices;
use sameruler::prometheus::identities::{Outcome, weigh};
use sameruler::prometheus::{
    Account, Ask, ServerHistogram, account, joined, read_text, traps::cautions,
};
use sameruler::views::server::client_server;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// Times of the log are rounded to a microsecond, and a chunk’s is read a few microseconds after the
/// server’s own.
const LOG_SECS: f64 = 5e-5;

fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).or_else(|_| {
        let mut name = path.as_os_str().to_owned();
        name.push(".gz");
        std::fs::read(name)
    });
    let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
        return text;
    }
    String::from_utf8(bytes).unwrap()
}

fn dump(path: &Path) -> Dump {
    read_text(text(path).as_bytes(), &mut Notices::new())
}

fn pair(folder: &Path, tag: &str) -> Account {
    let (before, after) = (
        dump(&folder.join(format!("metrics_{tag}_before.txt"))),
        dump(&folder.join(format!("metrics_{tag}_after.txt"))),
    );
    account(&joined(&[&before, &after]), &Ask::default())
}

/// Every pair: its name in `expected.json`, its folder below the clients’ and its tag.
fn pairs(clients: &Path) -> Vec<(String, Value, String, String)> {
    let expected: Value = serde_json::from_str(&text(&clients.join("expected.json"))).unwrap();
    let pairs = expected["metrics"].as_object().unwrap().iter().map(|(name, want)| {
        let (folder, tag) = name.rsplit_once("/metrics_").unwrap();
        (name.clone(), want.clone(), folder.to_owned(), tag.to_owned())
    });
    pairs.collect()
}

fn histogram<'a>(account: &'a Account, key: &str) -> &'a ServerHistogram {
    let found = account.histograms.iter().find(|h| h.row.key == key);
    found.unwrap_or_else(|| panic!("no {key}"))
}

#[track_caller]
fn close(got: Option<f64>, want: f64, within: f64, what: &str) {
    let Some(got) = got else { panic!("{what}: nothing, not {want}") };
    assert!((got - want).abs() <= within * want.abs().max(within), "{what}: {got} is not {want}");
}

#[test]
fn every_pair_gives_the_independent_values() {
    let Some(cases) = handed::cases() else { return };
    let mut compared = 0;
    for (name, want, folder, tag) in pairs(&cases.join("clients")) {
        let account = pair(&cases.join("clients").join(folder), &tag);
        for (key, delta) in want["counters"].as_object().unwrap() {
            let counter = account.counters.iter().find(|c| c.row.key == *key);
            close(
                counter.map(|c| c.delta),
                delta.as_f64().unwrap(),
                1e-12,
                &format!("{name} {key}"),
            );
            compared += 1;
        }
        for (key, want) in want["histograms"].as_object().unwrap() {
            let got = histogram(&account, key);
            let buckets = got.histogram().unwrap();
            let fields = [
                ("count", got.count),
                ("sum", got.sum),
                ("mean", got.mean()),
                ("p50_estimate", buckets.promql(0.5)),
                ("p99_estimate", buckets.promql(0.99)),
            ];
            for (field, got) in fields {
                if let Some(want) = want[field].as_f64() {
                    close(got, want, 1e-9, &format!("{name} {key} {field}"));
                    compared += 1;
                }
            }
            assert_eq!((got.row.resets, got.row.at_least), (0, false), "{name} {key}");
        }
    }
    assert!(compared > 3200, "{compared}");
}

/// What a row of the server’s log says: times in seconds.
struct Logged {
    ttft: Option<f64>,
    e2e: Option<f64>,
    gaps: Vec<f64>,
    tpot: Option<f64>,
    tokens: f64,
    ok: bool,
}

fn logged(row: &Value) -> Logged {
    let secs = |field: &str| row[field].as_f64();
    let chunks = row["chunks"].as_array().cloned().unwrap_or_default();
    let tokens = chunks.iter().filter(|chunk| chunk[1] == "tok");
    let times: Vec<f64> = tokens.filter_map(|chunk| chunk[0].as_f64()).collect();
    let arrived = secs("t_arr").unwrap();
    let ok = row["status"] == "ok";
    let count = secs("tokens").unwrap_or(0.0);
    let first = secs("t_first_token").or_else(|| times.first().copied());
    let last = secs("t_last_token");
    let decode = first.zip(last).map(|(first, last)| last - first);
    Logged {
        ttft: first.map(|first| first - arrived),
        e2e: last.or_else(|| secs("t_done")).filter(|_| ok).map(|end| end - arrived),
        gaps: times.windows(2).map(|pair| pair[1] - pair[0]).collect(),
        tpot: decode.filter(|_| ok && count > 1.0).map(|decode| decode / (count - 1.0)),
        tokens: count,
        ok,
    }
}

fn rows(folder: &Path, tag: &str) -> Vec<Logged> {
    let log = text(&folder.join("truth.jsonl"));
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["label"] == *tag).map(|line| logged(&line)).collect()
}

#[test]
fn the_true_quantile_lies_inside_every_time_and_tokens_are_those_sent() {
    let Some(cases) = handed::cases() else { return };
    let (mut inside, mut tighter) = (0, 0);
    for (name, _, folder, tag) in pairs(&cases.join("clients")) {
        let folder = cases.join("clients").join(folder);
        let (account, rows) = (pair(&folder, &tag), rows(&folder, &tag));
        let sent: f64 = rows.iter().map(|row| row.tokens).sum();
        let counted = account.counter("generation_tokens_total");
        assert_eq!(counted, Some(sent), "{name}: tokens by the counter and in the log");
        let of = |value: fn(&Logged) -> Option<f64>| rows.iter().filter_map(value).collect();
        let truth: BTreeMap<&str, Vec<f64>> = BTreeMap::from([
            ("vllm:time_to_first_token_seconds", of(|row| row.ttft)),
            ("vllm:e2e_request_latency_seconds", of(|row| row.e2e)),
            ("vllm:request_time_per_output_token_seconds", of(|row| row.tpot)),
            ("vllm:request_generation_tokens", of(|row| row.ok.then_some(row.tokens))),
            (
                "vllm:inter_token_latency_seconds",
                rows.iter().flat_map(|row| row.gaps.iter().copied()).collect(),
            ),
        ]);
        for (key, mut values) in truth {
            values.sort_by(f64::total_cmp);
            let got = histogram(&account, key);
            assert_eq!(got.count, Some(values.len() as f64), "{name} {key}");
            let buckets = got.histogram().unwrap();
            for q in [0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0] {
                let rank = (q * values.len() as f64 - 1e-9).ceil().max(1.0) as usize;
                let truth = values[rank - 1];
                let (bounds, bucket) = (buckets.bounds(q).unwrap(), buckets.bucket(q).unwrap());
                let high = bounds.high.unwrap_or(f64::INFINITY);
                assert!(
                    bounds.low - LOG_SECS <= truth && truth <= high + LOG_SECS,
                    "{name} {key} {q}: {truth} is not within {bounds:?}"
                );
                inside += 1;
                tighter += usize::from(bounds != bucket);
            }
        }
    }
    assert_eq!(inside, 70 * 5 * 8);
    assert!(tighter * 5 > inside, "the sum tightens {tighter} of {inside}");
}

#[test]
fn no_identity_is_broken_and_speculation_is_told() {
    let Some(cases) = handed::cases() else { return };
    for (name, _, folder, tag) in pairs(&cases.join("clients")) {
        let account = pair(&cases.join("clients").join(folder), &tag);
        let proofs = weigh(&account);
        for proof in &proofs {
            let weighed =
                proof.weighed.as_ref().unwrap_or_else(|reason| panic!("{name}: {reason}"));
            assert_ne!(weighed.outcome, Outcome::Broken, "{name}: {}", weighed.text);
        }
        let said: Vec<&str> = cautions(&account).iter().map(|caution| caution.trap).collect();
        assert_eq!(said.contains(&"step-is-not-token"), name.starts_with("S2"), "{name} {said:?}");
        assert!(!said.contains(&"since-start") && !said.contains(&"restarts"), "{name} {said:?}");
        // The scripted server leaves one-token replies out of its TPOT, unlike vLLM.
        assert!(!said.contains(&"one-token-zeros"), "{name}");
    }
}

#[test]
fn the_clients_samples_in_the_servers_buckets_explain_the_p99() {
    let Some(cases) = handed::cases() else { return };
    let folder = cases.join("clients/S1/vllm");
    let account = pair(&folder, "run");
    let bytes = std::fs::read(folder.join("run.json")).unwrap();
    let run =
        import("run.json", &mut &*bytes, false, &mut |_, _, _, _| {}).whole().unwrap().remove(0);
    let beside = client_server(&account, &run, &own(&run).settings).unwrap();
    let ids: Vec<&str> = beside.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["ttft", "tpot", "itl", "e2e"]);
    for row in &beside.rows {
        // One warm-up request; its gaps are not in the client’s file either.
        let more = row.server_n - row.client_n as f64;
        let right = if row.id == "itl" { more > 10.0 } else { (more - 1.0).abs() < 1e-9 };
        assert!(right, "{}: {more} more on the server", row.id);
        assert_ne!(row.as_expected, Some(false), "{}", row.id);
        let last = row.bins.last().unwrap().client;
        assert!((last - row.client_n as f64).abs() < 1e-9, "{}: {last}", row.id);
        for quantile in &row.quantiles {
            // The same buckets: what is shown of both sides lies close, whatever the edges do to it.
            let (server, client) =
                (quantile.server_shown.unwrap(), quantile.client_binned.unwrap());
            assert!(
                (server - client).abs() < 0.15 * server,
                "{} {}: {server} {client}",
                row.id,
                quantile.q
            );
        }
    }
    let ttft = &beside.rows[0];
    assert!(ttft.client_mean > ttft.server_mean);
    let p99 = ttft.quantiles.iter().find(|of| of.q > 0.98).unwrap();
    assert!(p99.server_shown.unwrap() > 1.5 * p99.client, "the bucket from 100 to 250 ms is wide");
    assert!(
        beside.sentences[0].contains("width of the bucket, 100 ms to 250 ms"),
        "{}",
        beside.sentences[0]
    );
    let tokens = beside.tokens.unwrap();
    assert!((tokens.server - 2815.0).abs() < 1e-9, "{}", tokens.server);
    let names: Vec<&str> = beside.phases.iter().map(|phase| phase.id.as_str()).collect();
    assert_eq!(names, ["queue", "prefill", "decode", "front-end", "way"]);
    let whole: f64 = beside.phases.iter().map(|phase| phase.mean).sum();
    let e2e = beside.rows.iter().find(|row| row.id == "e2e").unwrap();
    assert!((whole - e2e.client_mean).abs() < 1e-9, "the phases add up to the client’s mean");
    assert!(beside.offset.unwrap_err().contains("no requests running with times"));
}

/// count, mean, p50, p90, p99 of the published dumps, by an independent script (prometheus.md, 6).
#[test]
fn published_dumps_give_the_reference_values() {
    let Some(cases) = handed::cases() else { return };
    let folder = cases.join("public/prometheus");
    let live = "vllm-v1-cpu-qwen3-0.6b-live.prom";
    let sglang = "sglang-0.4-llama31-8b-docs.prom";
    let reference: &[(&str, &str, f64, [f64; 4])] = &[
        (live, "vllm:time_to_first_token_seconds", 3.0, [0.391_681_51, 0.175, 0.925, 0.9925]),
        (
            live,
            "vllm:inter_token_latency_seconds",
            45.0,
            [0.109_121_53, 0.095_833_3, 0.142_187, 0.455],
        ),
        (
            live,
            "vllm:request_time_per_output_token_seconds",
            3.0,
            [0.109_121_53, 0.1125, 0.1425, 0.149_25],
        ),
        (live, "vllm:e2e_request_latency_seconds", 3.0, [2.022_730_03, 1.875, 4.25, 4.925]),
        (live, "vllm:request_queue_time_seconds", 3.0, [6.764e-5, 0.15, 0.27, 0.297]),
        (live, "vllm:request_prefill_time_seconds", 3.0, [0.368_359_99, 0.225, 0.94, 0.994]),
        (live, "vllm:request_decode_time_seconds", 3.0, [1.636_822_92, 1.625, 1.925, 1.9925]),
        (live, "vllm:request_inference_time_seconds", 3.0, [2.005_182_9, 1.875, 4.25, 4.925]),
        (sglang, "sglang:time_to_first_token_seconds", 11008.0, [213.653_52, 30.0, 30.0, 30.0]),
        (sglang, "sglang:e2e_request_latency_seconds", 11228.0, [277.528_843, 60.0, 60.0, 60.0]),
        (
            sglang,
            "sglang:time_per_output_token_seconds",
            7_400_757.0,
            [0.117_145_39, 0.093_082_4, 0.140_936, 0.632_276],
        ),
    ];
    for (file, key, count, [mean, p50, p90, p99]) in reference {
        let account = account(&dump(&folder.join(file)), &Ask::default());
        let got = histogram(&account, key);
        let buckets = got.histogram().unwrap();
        assert_eq!(got.count, Some(*count), "{file} {key}");
        // As many digits as the reference prints.
        close(got.mean(), *mean, 1e-4, &format!("{file} {key} mean"));
        for (q, want) in [(0.5, p50), (0.9, p90), (0.99, p99)] {
            close(buckets.promql(q), *want, 5e-6, &format!("{file} {key} {q}"));
        }
        assert_eq!(buckets.bounds(0.5).unwrap().above_last_edge, *p50 >= 30.0, "{file} {key}");
    }
    let partial = dump(&folder.join("vllm-0.4-bloom-ibm-pr18-partial.prom"));
    let partial = account(&partial, &Ask::default());
    let ttft = histogram(&partial, "vllm:time_to_first_token_seconds");
    assert!(ttft.buckets.clone().unwrap_err().contains("+Inf is missing"));
}

#[test]
fn the_live_dump_keeps_the_identities_and_refutes_the_queue() {
    let Some(cases) = handed::cases() else { return };
    let live = dump(&cases.join("public/prometheus/vllm-v1-cpu-qwen3-0.6b-live.prom"));
    let account = account(&live, &Ask::default());
    let engine = account.engine.as_ref().unwrap();
    assert_eq!((engine.exporter.id, engine.version.as_deref()), ("vllm", Some("0.20.0…")));
    let proofs = weigh(&account);
    let of = |id: &str| proofs.iter().find(|p| p.about.id == id).unwrap().weighed.clone().unwrap();
    for id in ["step-gaps", "inference-phases", "token-counts", "finished-requests"] {
        assert_eq!(of(id).outcome, Outcome::Holds, "{id}: {}", of(id).text);
    }
    let overhead = of("request-overhead");
    close(
        Some(overhead.left - overhead.right),
        0.0524,
        1e-3,
        "front end, 52.4 ms of three requests",
    );
    let queue = histogram(&account, "vllm:request_queue_time_seconds").histogram().unwrap();
    let p50 = queue.bounds(0.5).unwrap();
    assert!(p50.high.unwrap() <= 1.353e-4, "0.15 s by interpolation, {p50:?} by the sum");
    let said = cautions(&account);
    assert!(
        said.iter().any(|c| c.trap == "refuted-by-sum" && c.text.contains("at most")),
        "{said:?}"
    );
    assert!(said.iter().any(|c| c.trap == "since-start"));
}

#[test]
fn engines_of_the_published_dumps_are_known() {
    let Some(cases) = handed::cases() else { return };
    let folder = cases.join("public/prometheus");
    let known: &[(&str, &str, Option<&str>)] = &[
        ("dynamo-runtime-system-metrics-readme.prom", "dynamo", None),
        ("dynamo-trtllm-docs-excerpt.prom", "trtllm", None),
        ("llamacpp-server-ik-pr695-partial.prom", "llamacpp", None),
        ("sglang-0.4-llama31-8b-docs.prom", "sglang", Some("0.3.6 to 0.4.1")),
        ("tgi-names-from-vllm-ibm-pr18-partial.prom", "tgi", None),
        ("triton-first-response-histogram-docs.prom", "triton", None),
        ("trtllm-core-metrics-pr5785-partial.prom", "trtllm", None),
        ("vllm-v0-0.7-aibrix-docs-truncated.prom", "vllm", None),
    ];
    for (file, id, version) in known {
        let account = account(&dump(&folder.join(file)), &Ask::default());
        let engine = account.engine.unwrap_or_else(|| panic!("{file}: no engine"));
        assert_eq!(engine.exporter.id, *id, "{file}: {}", engine.because);
        if version.is_some() {
            assert_eq!(engine.version.as_deref(), *version, "{file}: {}", engine.because);
        }
    }
}
