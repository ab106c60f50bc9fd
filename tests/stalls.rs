//! Stalls against the scripted server's own log: S6 has one, the other scenarios have none.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod handed;

use sameruler::engine::import::import;
use sameruler::metrics::{COMMON, stalls};
use sameruler::model::Run;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;

/// The client stamps a chunk a few milliseconds after the server sent it.
const CLIENT_SECS: f64 = 0.03;

/// The longest time between two chunks with a token that the server logged, when it began after the first
/// request arrived, and how many tokens came before it. vLLM and SGLang send one request ahead that no file
/// holds.
fn truth(path: &Path, sent: usize) -> (f64, f64, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut requests: Vec<Json> = lines.filter(|line| line["i"].is_u64()).collect();
    requests.sort_by(|a, b| a["t_arr"].as_f64().unwrap().total_cmp(&b["t_arr"].as_f64().unwrap()));
    let requests = &requests[requests.len() - sent..];
    let first = requests[0]["t_arr"].as_f64().unwrap();
    let gaps = requests.iter().flat_map(|request| {
        let chunks = request["chunks"].as_array().unwrap().iter();
        let times: Vec<f64> =
            chunks.filter(|c| c[1] == "tok").map(|c| c[0].as_f64().unwrap()).collect();
        let pairs: Vec<_> = times
            .windows(2)
            .enumerate()
            .map(|(at, t)| (t[1] - t[0], t[0] - first, at + 1))
            .collect();
        pairs
    });
    gaps.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

fn run(root: &Path, file: &str) -> Run {
    let bytes = std::fs::read(root.join(file)).unwrap();
    let imported = import(file, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
    imported.runs.into_iter().next().unwrap()
}

#[test]
fn the_one_scripted_stall_is_found_by_every_client_that_times_its_events() {
    let Some(cases) = handed::cases() else { return };
    let root = cases.join("clients");
    let text = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let expected: Json = serde_json::from_str(&text).unwrap();
    let files = expected["files"].as_object().unwrap();
    let mut untimed = BTreeSet::new();
    let mut timed = BTreeSet::new();
    for (key, of) in files.iter().filter(|(key, _)| key.starts_with("S6/")) {
        let client = key.split('/').nth(1).unwrap();
        let run = run(&root, key.split('#').next().unwrap());
        let found = match stalls(&run, &COMMON.settings, &[]) {
            Ok(found) => found,
            Err(reason) => {
                let no_clock = client.starts_with("sglang") || client == "vllm-0.10";
                let what = if no_clock { "send times" } else { "times of stream events" };
                assert_eq!(reason, format!("the file holds no {what}"), "{key}");
                untimed.insert(client);
                continue;
            }
        };
        timed.insert(client);
        let sent = of["counts"]["requests"].as_u64().unwrap() as usize;
        let (long, began, tokens) = truth(&root.join("S6").join(client).join("truth.jsonl"), sent);
        assert!(long > 1.5 && tokens == 15, "the script itself: {long} {tokens}");
        assert_eq!(found.found, 1, "{key}: {:?}", found.list);
        let stall = &found.list[0];
        assert_eq!((stall.rows.len(), stall.together), (1, false), "{key}");
        assert!((stall.length().as_secs() - long).abs() < CLIENT_SECS, "{key}: {stall:?} {long}");
        assert!((stall.from.as_secs() - began).abs() < CLIENT_SECS, "{key}: {stall:?} {began}");
        assert!(stall.went_on > 10, "{key}: {stall:?}");
        assert_eq!(found.pauses.len(), 1, "{key}");
        let request = stall.rows[0];
        let longest = run.requests.as_ref().unwrap().gaps.row(request).unwrap().iter();
        let longest = longest.map(|gap| gap.as_secs()).fold(0.0, f64::max);
        assert!((longest - stall.longest.as_secs()).abs() < 1e-9, "{key}");
    }
    assert_eq!(timed, BTreeSet::from(["aiperf", "inference-perf", "vllm", "vllm-completions"]));
    let silent = ["guidellm", "sglang", "sglang-oai-chat", "vllm-0.10"];
    assert_eq!(untimed, BTreeSet::from(silent));
}

#[test]
fn where_none_was_scripted_none_is_found() {
    let Some(cases) = handed::cases() else { return };
    let root = cases.join("clients");
    let text = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let expected: Json = serde_json::from_str(&text).unwrap();
    let mut timed = 0;
    for key in expected["files"].as_object().unwrap().keys() {
        let file = key.split('#').next().unwrap();
        if ["S1/", "S2/", "S8/"].iter().any(|scenario| file.starts_with(scenario)) {
            let Ok(found) = stalls(&run(&root, file), &COMMON.settings, &[]) else { continue };
            timed += 1;
            assert_eq!(found.found, 0, "{key}: {:?}", found.list);
        }
    }
    assert!(timed > 10, "{timed}");
}
