//! The Server screen on the built-in pair of scrapes: why the server’s p99 and the client’s differ.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use sameruler::charts::Spec;
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::views::Context;
use sameruler::views::server::{Beside, Mark, ServerAsk, ServerView};
use std::fmt::Write as _;
use std::path::Path;

const FOLDER: &str = "samples/several-tokens-a-chunk";

/// A session with these files of the samples, and with these pages of text beside them.
fn session(files: &[&str], pages: &[(&str, String)]) -> Session {
    let mut session = Session::new();
    let mut take = |name: &str, bytes: &[u8]| {
        let read = import(name, &mut &*bytes, false, &mut |_, _, _, _| {});
        assert!(read.refused.is_empty(), "{name}: {:?}", read.refused);
        session.adopt(read.runs);
        for dump in read.dumps {
            session.adopt_dump(dump).unwrap();
        }
    };
    for file in files {
        let name = format!("{FOLDER}/{file}");
        take(&name, sample(file).as_bytes());
    }
    for (name, text) in pages {
        take(name, text.as_bytes());
    }
    session
}

fn sample(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("public").join(FOLDER).join(file);
    std::fs::read_to_string(path).unwrap()
}

const PAIR: [&str; 2] = ["metrics-before.txt", "metrics-after.txt"];

fn view(session: &Session, ask: ServerAsk) -> ServerView {
    match session.answer(&Context::default(), &Query::Server(ask)) {
        Answer::Server(view) => view,
        other => panic!("{other:?}"),
    }
}

fn fact<'v>(view: &'v ServerView, name: &str) -> &'v str {
    &view.facts.iter().find(|fact| fact.name == name).unwrap().text
}

fn finite(spec: &Spec) -> bool {
    let points =
        spec.series.iter().flat_map(|s| &s.points).all(|p| p.x.is_finite() && p.y.is_finite());
    let bands = spec.bands.iter().flat_map(|b| &b.edges);
    points
        && bands.copied().all(|(x, low, high)| x.is_finite() && low.is_finite() && high.is_finite())
}

#[test]
fn the_sample_pair_says_why_the_two_p99s_differ() {
    // In the wrong order, as a folder may give them.
    let view = view(&session(&[PAIR[1], "vllm.json", PAIR[0]], &[]), ServerAsk::default());
    assert!(view.headline.contains("by the width of a bucket"), "{}", view.headline);
    assert!(
        view.headline.contains("241 ms on the server, 141 ms at the client"),
        "{}",
        view.headline
    );
    assert!(view.subline.contains("100 ms to 250 ms"), "{}", view.subline);
    assert!(view.subline.contains("server counted 1 observation that is not"), "{}", view.subline);
    assert!(
        fact(&view, "Window").contains("which is before and which after"),
        "{}",
        fact(&view, "Window")
    );
    assert!(fact(&view, "Engine").starts_with("vLLM"), "{}", fact(&view, "Engine"));
    assert!(fact(&view, "Client").contains("Attached by itself"), "{}", fact(&view, "Client"));
    let at = |name: &str| view.dumps.iter().find(|d| d.name.ends_with(name)).unwrap().at;
    assert_eq!((at(PAIR[0]), at(PAIR[1])), (Some(0), Some(1)));
}

#[test]
fn both_sides_stand_in_one_table_with_the_sign_that_is_expected() {
    let view = view(&session(&["vllm.json", PAIR[0], PAIR[1]], &[]), ServerAsk::default());
    let row = |name: &str| view.against.iter().find(|row| row.name == name).unwrap();
    let ttft = row("TTFT");
    // Client, server and difference of the means; p99 of the client, in the buckets, of the server.
    assert_eq!(ttft.cells, ["84.47", "80.19", "+4.28", "140.5", "242.5", "240.9"]);
    assert_eq!(ttft.mark, Mark::Fine);
    let e2e = row("E2E");
    assert_eq!((e2e.cells[2].as_str(), e2e.mark), ("−1.64", Mark::Warn));
    assert!(e2e.reading.contains("61 on the server, 60 at the client"), "{}", e2e.reading);
    // 61 × 697.1 − 60 × 695.5: the extra request.
    assert!(view.said.iter().any(|said| said.contains("at least 796 ms")), "{:?}", view.said);
    assert!(view.said.iter().any(|said| said.contains("2,815 tokens")), "{:?}", view.said);
}

#[test]
fn buckets_are_drawn_on_one_axis_with_the_client_in_the_same_edges() {
    let view = view(&session(&["vllm.json", PAIR[0], PAIR[1]], &[]), ServerAsk::default());
    let names: Vec<&str> = view.histograms.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        names[..5],
        [
            "Time to first token",
            "Gap between outputs",
            "Time per output token",
            "Request latency",
            "Queue time"
        ]
    );
    assert!(view.histograms.iter().all(|row| finite(&row.spec)));
    let domain = view.histograms[0].spec.x.domain;
    assert!(view.histograms.iter().all(|row| row.spec.x.domain == domain && domain.is_some()));
    let ttft = &view.histograms[0];
    assert_eq!((ttft.mean.as_str(), ttft.counted.as_str()), ("80.2 ms", "server 61, client 60"));
    assert_eq!(ttft.quantiles[0], ("p50".to_owned(), "60 to 80 ms".to_owned()));
    let lines: Vec<&str> = ttft.spec.series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(lines, ["client, same edges", "server"]);
    let share = |of: usize| {
        let points = &ttft.spec.series[of].points;
        points[..points.len() - 1].iter().map(|p| p.y).sum::<f64>()
    };
    assert!((share(0) - 100.0).abs() < 1e-9 && (share(1) - 100.0).abs() < 1e-9);
    let queue = &view.histograms[4];
    assert_eq!(queue.quantiles[0].1, "at most 0.376 ms");
    let refuted = queue.refuted.as_deref().unwrap();
    assert!(refuted.contains("150 ms as p50") && refuted.contains("at most 0.376"), "{refuted}");
    assert_eq!(queue.spec.series.len(), 1, "a client has no queue time");
}

#[test]
fn sums_close_and_the_phases_of_the_mean_request_add_up() {
    let view = view(&session(&["vllm.json", PAIR[0], PAIR[1]], &[]), ServerAsk::default());
    assert!(view.identities.len() >= 7, "{:?}", view.identities);
    assert!(view.identities.iter().all(|line| line.mark != Mark::Warn), "{:?}", view.identities);
    let shares: f64 = view.phases.iter().map(|part| part.share).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{:?}", view.phases);
    let text = |name: &str| view.counters.iter().find(|c| c.name == name).unwrap().text.as_str();
    assert!(text("Speculative decoding").contains("41 %"), "{}", text("Speculative decoding"));
    assert_eq!(text("Finished by"), "61 length.");
    assert!(view.gauges.is_empty(), "two scrapes are no curve");
    let itl =
        view.names.rows.iter().find(|row| row[0] == "vllm:inter_token_latency_seconds").unwrap();
    assert_eq!(itl[4], "time_per_output_token_seconds");
}

#[test]
fn one_scrape_says_that_it_is_since_the_start_and_a_client_can_be_detached() {
    let session = session(&["vllm.json", PAIR[1]], &[]);
    let view = view(&session, ServerAsk { beside: Beside::Nobody, ..ServerAsk::default() });
    assert_eq!(view.headline, "One scrape: 61 requests since the server’s start");
    assert!(view.subline.contains("all other traffic"), "{}", view.subline);
    assert!(view.against.is_empty());
    assert!(fact(&view, "Client").contains("Detached"));
    assert_eq!(view.runs.len(), 1, "it can be attached again");
}

#[test]
fn a_run_of_another_server_is_not_attached_by_itself_and_can_be_by_hand() {
    // Every time five times as long: not this server.
    let slow: String = {
        let mut run: serde_json::Value = serde_json::from_str(&sample("vllm.json")).unwrap();
        for list in ["ttfts", "itls", "latencies"] {
            longer(&mut run[list], 5.0);
        }
        run.to_string()
    };
    let session = session(&PAIR, &[("slow.json", slow)]);
    let found = view(&session, ServerAsk::default());
    assert!(found.against.is_empty() && fact(&found, "Client").contains("No loaded run fits"));
    let id = found.runs[0].id.clone();
    let by_hand = view(&session, ServerAsk { beside: Beside::Run(id), ..ServerAsk::default() });
    assert!(!by_hand.against.is_empty());
    assert!(by_hand.headline.contains("differ"), "{}", by_hand.headline);
}

fn longer(value: &mut serde_json::Value, factor: f64) {
    match value {
        serde_json::Value::Array(all) => all.iter_mut().for_each(|one| longer(one, factor)),
        other => {
            if let Some(number) = other.as_f64() {
                *other = (number * factor).into();
            }
        }
    }
}

#[test]
fn a_restart_between_the_scrapes_is_told_and_what_lacks_its_last_bucket_is_not_drawn() {
    let page = |n: u64| {
        format!(
            "# TYPE vllm:e2e_request_latency_seconds histogram\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"1.0\"}} {n}\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"+Inf\"}} {n}\n\
             vllm:e2e_request_latency_seconds_sum {n}\nvllm:e2e_request_latency_seconds_count {n}\n\
             # TYPE vllm:time_to_first_token_seconds histogram\n\
             vllm:time_to_first_token_seconds_bucket{{le=\"1.0\"}} {n}\n\
             vllm:time_to_first_token_seconds_sum {n}\nvllm:time_to_first_token_seconds_count {n}\n"
        )
    };
    let session = session(&[], &[("m_before.txt", page(40)), ("m_after.txt", page(10))]);
    let view = view(&session, ServerAsk::default());
    assert!(
        view.traps.iter().any(|t| t.mark == Mark::Warn && t.text.contains("began anew")),
        "{:?}",
        view.traps
    );
    assert!(
        view.histograms.iter().all(|row| row.name != "Time to first token"),
        "no +Inf, no picture"
    );
}

#[test]
fn readings_over_time_are_lines_and_a_queue_that_grows_is_told() {
    let mut page = String::new();
    for n in 0..12 {
        let at = 1_764_410_400 + n * 5;
        let _ = writeln!(
            page,
            "{at}\n# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 8\n\
             # TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting {}",
            n * 3
        );
    }
    let view = view(&session(&[], &[("scrapes.log", page)]), ServerAsk::default());
    assert_eq!(view.gauges.len(), 1);
    let lines: Vec<&str> = view.gauges[0].series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(lines, ["running", "waiting"]);
    let last = view.gauges[0].series[1].points.last().unwrap();
    assert_eq!((last.x, last.y), (55.0, 33.0));
    assert!(view.traps.iter().any(|trap| trap.name == "Queue does not settle"), "{:?}", view.traps);
}

#[test]
fn without_a_dump_the_screen_has_nothing_but_the_way_there() {
    let view = view(&session(&["vllm.json"], &[]), ServerAsk::default());
    assert!(view.headline.is_empty() && view.dumps.is_empty());
    assert_eq!(view.runs.len(), 1);
}

#[test]
fn limits_are_held_against_the_buckets_where_no_request_is_left() {
    let session = session(&PAIR, &[]);
    let limits = ["ttft<=100ms", "e2e<=1s"].map(|limit| limit.parse().unwrap()).to_vec();
    let context = Context { limits, ..Context::default() };
    let Answer::Server(view) = session.answer(&context, &Query::Server(ServerAsk::default()))
    else {
        panic!()
    };
    let told: Vec<(&str, &str)> =
        view.limits.iter().map(|line| (line.name.as_str(), line.text.as_str())).collect();
    // 51 of 61 first tokens up to 0.1 s, 58 of 61 replies up to 1 s: 61 − 10 − 3 keep both at least.
    let expected = [
        (
            "TTFT ≤ 100 ms",
            "Kept by 51 of 61 requests, 83.6 %: the limit is an edge of the buckets.",
        ),
        (
            "E2E ≤ 1,000 ms",
            "Kept by 58 of 61 requests, 95.1 %: the limit is an edge of the buckets.",
        ),
        (
            "All limits",
            "Kept by 48 to 51 of 61 requests, 78.7 to 83.6 %: buckets don’t tell whether the same requests miss two \
             limits.",
        ),
    ];
    assert_eq!(told, expected);
    assert!(self::view(&session, ServerAsk::default()).limits.is_empty(), "without limits, none");
}
