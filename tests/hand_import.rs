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
use sameruler::checks::{blocked, examine};
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

/// One vLLM result with arrays: `keys` besides them say which version wrote it.
fn vllm(keys: &str, ttft: f64, gaps: &[f64], tokens: u32) -> Run {
    let text = format!(
        r#"{{"model_id": "m", "num_prompts": 1, "backend": "vllm", "duration": 2.0, "completed": 1,
            "total_output_tokens": {tokens}, "input_lens": [8], "output_lens": [{tokens}],
            "ttfts": [{ttft}], "itls": [{gaps:?}], {keys}}}"#
    );
    formats::read("run.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
}

fn dropped_first_gap(run: &Run) -> bool {
    let kept = run.requests.as_ref().unwrap().gaps.row(0).unwrap().len();
    let told = run.provenance.notices.iter().any(|notice| notice.kind == "repeated-first-gap");
    assert_eq!(told, kept == 6, "{kept} gaps");
    told
}

/// A server that sends every 250 ms from the start: its first gap is as long as its TTFT, and is a gap.
#[test]
fn a2_of_a_steady_server_keeps_its_first_gap() {
    let steady = [0.25; 7];
    let newest = vllm(r#""latencies": [2.0], "start_times": [5.0]"#, 0.25, &steady, 32);
    assert!(!dropped_first_gap(&newest));
    let all = examine(&newest);
    let peak = all.iter().find(|examined| examined.id == "impossible-peak");
    assert!(format!("{peak:?}").contains("4.0 tokens an event"), "{peak:?}");
    for keys in [
        r#""start_times": [5.0]"#,
        r#""failed": 0"#,
        r#""request_goodput": null"#,
        r#""request_goodput:": null, "best_of": 1"#,
        r#""total_token_throughput": 20.0"#,
        r#""request_inthroughput": 4.0"#,
        r#""endpoint_type": "vllm""#,
    ] {
        assert!(!dropped_first_gap(&vllm(keys, 0.25, &steady, 32)), "{keys}");
    }
}

/// Only where the keys allow vLLM 0.5.1 to 0.5.4, and unless the printed TPOT has room for all gaps.
#[test]
fn a_repeated_first_gap_needs_its_version() {
    let keys = |tpot: f64| {
        format!(
            r#""input_throughput": 4.0, "mean_itl_ms": 9.0, "std_ttft_ms": 0.0, "mean_tpot_ms": {tpot}"#
        )
    };
    let gaps = [0.25; 7];
    // 31 tokens after the first in 1.5 s without the repetition, in 1.75 s with seven real gaps.
    assert!(dropped_first_gap(&vllm(&keys(1500.0 / 31.0), 0.25, &gaps, 32)));
    assert!(!dropped_first_gap(&vllm(&keys(1750.0 / 31.0), 0.25, &gaps, 32)));
}

/// Cancelled rows of a table keep the tokens that they received.
#[test]
fn e5_in_a_table() {
    let mut text = String::from("status,output_tokens,ttft_ms,e2e_ms\n");
    text.push_str(&"ok,100,100,2080\n".repeat(4));
    text.push_str(&"cancelled,80,100,1680\n".repeat(4));
    let run = formats::read("x.csv", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
    let total = |population| {
        let set = settings(&[("population", population)]);
        exact(&evaluate(&run, &set, &ask()), Metric::TotalOutputTokens, Stat::Value)
    };
    assert_close(total("ok"), 400.0);
    assert_close(total("ok-and-cut"), 720.0);
    let all = examine(&run);
    let cut = all.iter().find(|examined| examined.id == "cut-requests");
    assert!(format!("{cut:?}").contains("44 % of tokens"), "{cut:?}");
}

/// E2E ÷ 0 is undefined, also where a ruler keeps replies without a token.
#[test]
fn e3_has_no_time_per_token_of_an_empty_reply() {
    let mut table = Table::new();
    for at in 0..5 {
        table = if at < 3 { table.row(0.0, &[], 0.0) } else { table.row(50.0, &[25.0, 25.0], 4.0) };
    }
    let run = run(table);
    let set = settings(&[("empty-outputs", "as-success")]);
    let got = evaluate(&run, &set, &ask());
    assert_close(exact(&got, Metric::WholePerToken, Stat::Mean), 25.0);
    // inference-perf, whose rule for short replies this is, writes 0.
    let set = settings(&[("empty-outputs", "as-success"), ("short-outputs", "exclude-ttft")]);
    let got = evaluate(&run, &set, &ask());
    assert_close(exact(&got, Metric::WholePerToken, Stat::Mean), 10.0);
}
