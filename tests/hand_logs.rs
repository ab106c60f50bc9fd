//! Public faults with tiny inputs and right values (retold in the design's hand.md), read from a log of
//! token times or from InferenceX's records. Each test is named after its id.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod build;

use build::{assert_close, exact, settings};
use sameruler::formats;
use sameruler::metrics::{Ask, COMMON, evaluate, own};
use sameruler::model::{Metric, Run, Stat};
use std::fmt::Write as _;

fn read(text: &str) -> Run {
    formats::read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
}

fn mean(run: &Run, definition: &[(&str, &str)], metric: Metric) -> f64 {
    exact(&evaluate(run, &settings(definition), &Ask::default()), metric, Stat::Mean)
}

#[test]
fn a1() {
    let run = read(r#"{"arrival_ms": 0, "token_times_ms": [500, 800, 900], "tokens": [1, 6, 2]}"#);
    assert_close(mean(&run, &[], Metric::Itl), 200.0);
    assert_close(mean(&run, &[], Metric::Tpot), 50.0);
    assert_close(mean(&run, &[("itl", "token-spread")], Metric::Itl), 50.0);
    let events = evaluate(&run, &own(&run).settings, &Ask::default()).events;
    assert_close(events.unwrap().tokens_per_event(), 3.0);
}

#[test]
fn a7() {
    // One time a token: ten tokens of one moment are one event.
    let times = |of: &dyn Fn(usize) -> usize| {
        let mut list = String::new();
        for token in 1..=50 {
            let _ = write!(list, "{}{}", if token > 1 { "," } else { "" }, of(token));
        }
        read(&format!("{{\"arrival\": 0, \"token_times\": [{list}]}}"))
    };
    let (a, b) = (times(&|token| token), times(&|token| token.div_ceil(10) * 10));
    assert_close(mean(&a, &[], Metric::Tpot), 1000.0);
    assert_close(mean(&b, &[], Metric::Tpot), 40_000.0 / 49.0);
    let fair = [("tpot", "after-first-event")];
    assert_close(mean(&a, &fair, Metric::Tpot), 1000.0);
    assert_close(mean(&b, &fair, Metric::Tpot), 1000.0);
    assert_close(mean(&b, &[], Metric::Itl), 10_000.0);
    assert_close(mean(&b, &[], Metric::Ttft), 10_000.0);
}

#[test]
fn a8() {
    let run = read(
        r#"{"arrival": 0, "token_times": [1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35], "tokens": 20}"#,
    );
    assert_close(mean(&run, &[], Metric::Tpot), 350.0 / 19.0);
    assert_close(mean(&run, &[("tpot", "visible-gaps")], Metric::Tpot), 50.0);
}

#[test]
fn b6() {
    let run =
        read(r#"{"arrival_ms": 0, "token_times_ms": [100, 120, 140, 160, 180], "end_ms": 230}"#);
    let stream_end = evaluate(&run, &settings(&[("end", "stream-end")]), &Ask::default());
    assert_close(exact(&stream_end, Metric::Tpot, Stat::Mean), 32.5);
    let common = evaluate(&run, &COMMON.settings, &Ask::default());
    assert_close(exact(&common, Metric::Tpot, Stat::Mean), 20.0);
}

#[test]
fn d2() {
    let run = read(
        r#"{"hw": "made", "conc": 3, "tput_per_gpu": 1.0, "std_tpot": 0.000408, "std_intvty": 2449.0}"#,
    );
    assert!(run.reported.find(Metric::UserSpeed, Stat::Std).is_none());
    assert!(run.reported.further.iter().all(|f| !f.field.contains("intvty")));
}

#[test]
fn i3() {
    let run = read(
        r#"{"hw": "made", "conc": 3, "tp": 8, "tput_per_gpu": 1125.0, "output_tput_per_gpu": 125.0}"#,
    );
    assert_eq!(run.reported.value(Metric::TotalThroughput), Some(9000.0));
    assert_eq!(run.reported.value(Metric::OutputThroughput), Some(1000.0));
    let per_gpu = run.reported.find(Metric::TotalThroughput, Stat::Value).unwrap();
    assert_close(per_gpu.value / per_gpu.scale, 1125.0);
}
