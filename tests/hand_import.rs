//! Public faults (retold in the design's hand.md) that show at the import or need what only some files
//! time. Each test is named after its id.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, exact, run, settings};
use sameruler::checks::blocked;
use sameruler::formats;
use sameruler::metrics::{Ask, COMMON, Clear, Subject, difference_of, evaluate};
use sameruler::model::{Column, FirstTokenRule, Metric, Origin, Run, Stat};
use sameruler::units::Seconds;

fn ask() -> Ask {
    Ask { percentiles: vec![50.0, 99.0], limits: Vec::new(), ..Ask::default() }
}

/// 60 tokens of reasoning from 0.3 s on, 20 of answer from 6.3 s to 8.3 s.
fn thinking() -> Run {
    let mut run = run(Table::new().whole(300.0, 8300.0, 80.0));
    let requests = run.requests.as_mut().unwrap();
    requests.first_token_rule = FirstTokenRule::FirstText;
    requests.first_answer =
        Column::from_options(Origin::Reported, [Some(Seconds::from_millis(6300.0))]);
    run
}

#[test]
fn b3() {
    let run = thinking();
    let tpot = |first| {
        let evaluation = evaluate(&run, &settings(&[("first-token", first)]), &ask());
        exact(&evaluation, Metric::Tpot, Stat::Mean)
    };
    assert_close(tpot("first-text"), 8000.0 / 79.0);
    assert_close(tpot("first-answer"), 2000.0 / 79.0);
    let evaluation = evaluate(&run, &settings(&[("first-token", "first-text")]), &ask());
    assert_close(exact(&evaluation, Metric::Ttft, Stat::Mean), 300.0);
    assert_close(exact(&evaluation, Metric::FirstAnswer, Stat::Mean), 6300.0);
}

/// One SGLang result with a prompt of 200 tokens, 100 asked for, and `output` counted.
fn sglang(output: u32) -> Run {
    let text = format!(
        r#"{{"backend": "sglang", "dataset_name": "random", "random_range_ratio": 1.0,
            "sharegpt_output_len": null, "random_input_len": 200, "random_output_len": 100,
            "duration": 5.0, "completed": 1, "request_rate": 1.0,
            "total_input_tokens": 200, "total_output_tokens": {output}}}"#
    );
    formats::read("run.jsonl", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
}

#[test]
fn c6() {
    let (echoing, right) = (sglang(300), sglang(100));
    assert!(
        blocked(&echoing).is_some_and(|b| b.id == "prompt-echoed") && blocked(&right).is_none()
    );
    // No verdict stands on the echoing run until somebody has looked.
    let ask = ask();
    let [a, b] = [&right, &echoing]
        .map(|run| Subject::new(run, &COMMON.settings, &ask).blocked(blocked(run).map(|b| b.text)));
    let found = difference_of(&a, &b, Metric::RequestThroughput, Stat::Value);
    let Clear::NotComparable(reason) = found.clear else { panic!("{:?}", found.clear) };
    assert!(reason.contains("seems to return the prompt"), "{reason}");
}

/// The same in GenAI-Perf, whose issue it was: the summary says what was asked for.
#[test]
fn c6_in_a_summary_of_genai_perf() {
    let summary = |output: u32| {
        let metric = |mean: u32| format!(r#"{{"unit": "tokens", "avg": {mean}}}"#);
        let text = format!(
            r#"{{"request_latency": {{"unit": "ms", "avg": 900}}, "output_token_throughput": {{"avg": 60}},
                "input_sequence_length": {}, "output_sequence_length": {},
                "input_config": {{"input": {{"output_tokens": {{"mean": 100}}}}}}}}"#,
            metric(200),
            metric(output)
        );
        formats::read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    };
    assert!(blocked(&summary(300)).is_some_and(|b| b.id == "prompt-echoed"));
    assert!(blocked(&summary(100)).is_none());
}
