//! Public faults that a check finds, named after their ids in the design's hand.md: what it says, and
//! what the numbers are without the fault.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, print, run};
use sameruler::checks::{self, Between, Effect, Finding, Verdict};
use sameruler::metrics::{Ask, GoodputResult, Value, evaluate, own};
use sameruler::model::{
    Column, Digest, Metric, Origin, Outcome, Provenance, RequestRate, Run, RunId, Stat,
    TokenSource, Tool,
};
use sameruler::notice::{Place, Severity};
use sameruler::units::Seconds;
use sameruler::views::Context;
use sameruler::views::curves::{CurveAxes, curves};

/// What a check finds in a run.
fn found(run: &Run, id: &str) -> Finding {
    let all = checks::examine(run);
    let one = all.iter().find(|e| e.id == id).unwrap_or_else(|| panic!("no check {id}"));
    match &one.verdict {
        Verdict::Found(finding) => (**finding).clone(),
        other => panic!("{id}: {other:?}"),
    }
}

fn passes(run: &Run, id: &str) {
    let all = checks::examine(run);
    let one = all.iter().find(|e| e.id == id).unwrap();
    assert_eq!(one.verdict, Verdict::Passed, "{id}");
}

fn says(finding: &Finding, parts: &[&str]) {
    for part in parts {
        assert!(finding.text.contains(part), "“{}” lacks “{part}”", finding.text);
    }
}

/// The numbers before and after, under the run's own ruler.
fn effect(run: &Run, finding: &Finding, metric: Metric) -> (f64, f64) {
    let effects = checks::effects(run, finding, &own(run).settings, &Ask::default(), Stat::Mean);
    let one: &Effect = effects
        .iter()
        .find(|e| e.metric == metric)
        .unwrap_or_else(|| panic!("{} is not touched: {effects:?}", metric.name()));
    (one.before.number().unwrap(), one.after.number().unwrap())
}

#[test]
fn a2() {
    // Eight events of four tokens each, a quarter of a second apart, in two seconds.
    let table = Table::new().row(250.0, &[250.0; 7], 32.0).starts(&[0.0]).duration(2.0);
    let run = run(table);
    let finding = found(&run, "impossible-peak");
    says(&finding, &["peak of 4.00 tok/s", "10.7", "4.0 tokens an event"]);
    let (before, after) = effect(&run, &finding, Metric::PeakOutputRate);
    assert_close(before, 4.0);
    assert_close(after, 16.0);
}

#[test]
fn b1() {
    // A role chunk after 50 ms, the first text after 450 ms, then a token every 100 ms.
    let mut gaps = vec![400.0];
    gaps.extend([100.0; 10]);
    let run = run(Table::new().row(50.0, &gaps, 11.0));
    let finding = found(&run, "first-event-without-text");
    assert_eq!(finding.severity, Severity::Block);
    says(&finding, &["TTFT may stop at an empty event", "400 ms", "100 ms"]);
    assert_eq!(effect(&run, &finding, Metric::Ttft), (50.0, 450.0));
    assert!(checks::blocked(&run).is_some_and(|b| b.id == "first-event-without-text"));
}

#[test]
fn b6() {
    let table = Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[230.0]).stream_end();
    let run = run(table);
    let finding = found(&run, "latency-identity");
    says(&finding, &["after the last token", "50.0 ms"]);
    let (before, after) = effect(&run, &finding, Metric::Tpot);
    assert_close(before, 32.5);
    assert_close(after, 20.0);
    let exact = self::run(Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[180.0]));
    passes(&exact, "latency-identity");
}

#[test]
fn e6() {
    // Ten requests that count as finished, 200 tokens booked for each, and no text at all.
    let mut table = Table::new();
    for _ in 0..10 {
        table = table.row(0.0, &[], 200.0);
    }
    let run = run(table.retokenized(&[0.0; 10]).duration(4.0));
    let finding = found(&run, "nothing-generated");
    assert_eq!(finding.severity, Severity::Block);
    says(&finding, &["2,000 output tokens", "no first token", "no gap", "counts 0 tokens"]);
    let (_, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(after, 0.0);
    assert!(checks::blocked(&run).is_some_and(|b| b.id == "nothing-generated"));
}

#[test]
fn e3() {
    let table = Table::new()
        .row(0.0, &[], 0.0)
        .row(0.0, &[], 0.0)
        .row(0.0, &[], 0.0)
        .row(50.0, &[10.0], 2.0)
        .row(60.0, &[10.0], 2.0);
    let run = run(table);
    let finding = found(&run, "missing-as-zero");
    says(&finding, &["3 replies ended", "60 %"]);
    assert_eq!((finding.rows.as_slice(), finding.of), (&[0, 1, 2][..], 5));
    let mut zeros = own(&run).settings;
    zeros.set("empty-outputs", "as-success").unwrap();
    let effects = checks::effects(&run, &finding, &zeros, &Ask::default(), Stat::Median);
    let ttft = effects.iter().find(|e| e.metric == Metric::Ttft).unwrap();
    assert_eq!((ttft.before.number(), ttft.after.number()), (Some(0.0), Some(55.0)));
}

#[test]
fn c6_right_figure() {
    let mut run = run(Table::new().whole(500.0, 5000.0, 300.0).input(&[200.0]).duration(5.0));
    run.load.output_tokens = Some(100.0);
    print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 60.0);
    let finding = found(&run, "prompt-echoed");
    let (before, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(before, 60.0);
    assert_close(after, 20.0);
}

#[test]
fn a1() {
    // Several chunks of several tokens, and the server says how many.
    let run = run(Table::new().row(500.0, &[300.0, 100.0], 9.0).events(&[1.0, 6.0, 2.0]));
    let finding = found(&run, "tokens-per-event");
    assert_eq!(finding.severity, Severity::Note);
    says(
        &finding,
        &["3.0 tokens an event", "200 ms", "50.0 ms", "a gap is not the time of a token"],
    );
    let (before, after) = effect(&run, &finding, Metric::Itl);
    assert_close(before, 200.0);
    assert_close(after, 50.0);
    passes(&run, "unseen-tokens");
}

#[test]
fn a5() {
    let gaps = [0.02, 0.02, 60.0, 0.02, 0.02, 60.0, 0.02, 0.02, 60.0];
    let run = run(Table::new().row(100.0, &gaps, 10.0));
    let finding = found(&run, "bursts");
    says(
        &finding,
        &["67 % of gaps are under 1 ms", "bursts of about 3", "compare TPOT, not median ITL"],
    );
    // A fast server has one mode only.
    passes(&self::run(Table::new().row(20.0, &[0.6; 40], 41.0)), "bursts");
}

#[test]
fn a8() {
    let run = run(Table::new().row(1000.0, &[50.0; 7], 20.0));
    let finding = found(&run, "unseen-tokens");
    says(
        &finding,
        &[
            "TPOT 18.4 ms is below the shortest gap 50.0 ms",
            "20 tokens against 8 visible events",
            "12 tokens were not seen arriving",
        ],
    );
    let (before, after) = effect(&run, &finding, Metric::Tpot);
    assert_close(before, 350.0 / 19.0);
    assert_close(after, 50.0);
}

#[test]
fn b3() {
    // The longer a request thinks, the later its first answer: 10 ms a token of either kind.
    let mut table = Table::new().source(TokenSource::Server);
    for thought in 0..12 {
        let thought = f64::from(thought * 5 + 10);
        table = table.row(100.0 + 10.0 * thought, &[10.0; 19], 20.0 + thought);
    }
    let run = run(table);
    let finding = found(&run, "reasoning-not-timed");
    says(&finding, &["before the first timed event", "TPOT too short"]);
    let (_, after) = effect(&run, &finding, Metric::Tpot);
    assert_close(after, 10.0);
    // Chunks of several tokens are no reasoning: TTFT does not depend on them.
    let mut table = Table::new().source(TokenSource::Server);
    for extra in 0..12 {
        table = table.row(100.0, &[30.0; 19], 20.0 + f64::from(extra * 5));
    }
    let chunks = self::run(table);
    for id in ["reasoning-not-timed", "unseen-tokens"] {
        passes(&chunks, id);
    }
    found(&chunks, "tokens-per-event");
}

#[test]
fn b5() {
    let run = run(Table::new().whole(3000.0, 3000.0, 29.0));
    let finding = found(&run, "not-streamed");
    says(&finding, &["not streamed", "TTFT equals E2E", "TTFT and TPOT are not available"]);
    let one = self::run(Table::new().whole(3000.0, 3000.0, 29.0).whole(200.0, 3000.0, 29.0));
    let finding = found(&one, "not-streamed");
    says(
        &finding,
        &["TTFT equals E2E on 1 of 2 requests with more than 1 token"
            .replace("1 token", "one token")
            .as_str()],
    );
    assert_eq!(finding.rows, [0]);
    // One token has its first and its last at once.
    let single = self::run(Table::new().whole(300.0, 300.0, 1.0).whole(200.0, 3000.0, 29.0));
    passes(&single, "not-streamed");
}

#[test]
fn c1() {
    let table = Table::new().row(200.0, &[20.0; 50], 51.0).source(TokenSource::Server);
    let run = run(table.retokenized(&[6.0]));
    let finding = found(&run, "token-counts-differ");
    says(&finding, &["1 of 1 requests", "51 tokens counted by the server", "6 by the client’s"]);
    assert_eq!(finding.rows, [0]);
}

#[test]
fn c3() {
    // 1024 booked for each; the text that came had 205 and so on.
    let mut table = Table::new().source(TokenSource::Requested);
    for _ in 0..6 {
        table = table.whole(220.0, 4300.0, 1024.0);
    }
    let run = run(table.retokenized(&[205.0, 300.0, 1024.0, 120.0, 512.0, 700.0]).duration(4.3));
    let finding = found(&run, "output-as-requested");
    assert_eq!(finding.severity, Severity::Warn);
    says(&finding, &["Every output length equals the requested one", "5 of 6 requests"]);
    let (before, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(before, 6.0 * 1024.0 / 4.3);
    assert_close(after, 2861.0 / 4.3);
}

#[test]
fn c4() {
    // Five chunks of one token, 20 ms apart, each stamped twice.
    let gaps = [0.0, 20.0, 0.0, 20.0, 0.0, 20.0, 0.0, 20.0, 0.0];
    let run = run(Table::new().row(100.0, &gaps, 5.0));
    let finding = found(&run, "more-gaps-than-tokens");
    assert_eq!(finding.severity, Severity::Warn);
    says(&finding, &["Gaps + 1 = 10 events, but 5 tokens", "Without the gaps of exactly 0"]);
    let (before, after) = effect(&run, &finding, Metric::Itl);
    assert_close(before, 80.0 / 9.0);
    assert_close(after, 20.0);
}

#[test]
fn d4() {
    let mut table = Table::new();
    for _ in 0..19 {
        table = table.whole(100.0, 200.0, 2.0);
    }
    let mut twenty = run(table.whole(400.0, 500.0, 2.0));
    print(&mut twenty, "p99_ttft_ms", Metric::Ttft, Stat::Percentile(99.0), 343.0);
    print(&mut twenty, "p90_ttft_ms", Metric::Ttft, Stat::Percentile(90.0), 100.0);
    let finding = found(&twenty, "percentile-support");
    says(
        &finding,
        &["n = 20: no request lies beyond the printed p99, so that it is the slowest one"],
    );
    assert_eq!(finding.touches, [Metric::Ttft]);
}

#[test]
fn d4_a_p999_that_every_run_has_printed_is_not_told_alone() {
    let mut table = Table::new();
    for _ in 0..100 {
        table = table.whole(100.0, 200.0, 2.0);
    }
    let mut hundred = run(table.whole(400.0, 500.0, 2.0));
    print(&mut hundred, "p999_ttft_ms", Metric::Ttft, Stat::Percentile(99.9), 343.0);
    print(&mut hundred, "p99_ttft_ms", Metric::Ttft, Stat::Percentile(99.0), 100.0);
    passes(&hundred, "percentile-support");
}

#[test]
fn e1() {
    let mut run = run(Table::new().whole(800.0, 0.0, 9.0).whole(100.0, 260.0, 9.0));
    let finding = found(&run, "impossible-times");
    assert_eq!((finding.rows.as_slice(), finding.of), (&[0][..], 2));
    says(&finding, &["1 request", "with a time of 0"]);
    let requests = run.requests.as_mut().unwrap();
    requests.e2e.set(0, Some(Seconds::from_millis(-100.0)));
    says(&found(&run, "impossible-times"), &["with a negative time"]);
}

#[test]
fn e5() {
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.row(100.0, &[20.0; 99], 100.0);
    }
    for _ in 0..4 {
        table = table.row(100.0, &[20.0; 79], 80.0).outcome(Outcome::Cancelled);
    }
    let run = run(table.duration(10.0));
    let finding = found(&run, "cut-requests");
    says(&finding, &["44 % of tokens belong to cut requests"]);
    let (before, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(before, 40.0);
    assert_close(after, 72.0);
}

#[test]
fn f1() {
    let mut run = run(Table::new().whole(100.0, 200.0, 2.0).whole(100.0, 200.0, 2.0));
    run.load.max_concurrency = Some(8);
    says(&found(&run, "short-run"), &["2 requests with 8.00 in flight", "40 requests"]);
}

#[test]
fn f3() {
    // The first ten hit a cold engine.
    let mut table = Table::new();
    for at in 0..100 {
        let ttft = if at < 10 { 50_000.0 } else { 700.0 };
        table = table.whole(ttft, ttft + 100.0, 2.0);
    }
    let mut run = run(table);
    run.load.max_concurrency = Some(10);
    let finding = found(&run, "cold-first-wave");
    says(&finding, &["all 10 slowest are the first 10 started"]);
    assert_eq!(finding.rows, (0..10).collect::<Vec<_>>());
    let (before, after) = effect(&run, &finding, Metric::Ttft);
    assert_close(before, 5630.0);
    assert_close(after, 700.0);
}

#[test]
fn g1() {
    // Arrivals every 200 ms, one at a time, 400 ms each.
    let mut table = Table::new();
    let waits: Vec<f64> = (0..6).map(|n| f64::from(n) * 200.0).collect();
    for _ in 0..6 {
        table = table.whole(100.0, 400.0, 4.0);
    }
    let mut run = run(table.waits(&waits));
    run.load.request_rate = Some(RequestRate::PerSecond(5.0));
    run.load.max_concurrency = Some(1);
    let finding = found(&run, "client-queue");
    says(&finding, &["waited 500 ms inside the client", "at most 1,000 ms", "closed loop"]);
    let (before, after) = effect(&run, &finding, Metric::E2e);
    assert_close(before, 400.0);
    assert_close(after, 900.0);
}

#[test]
fn g3() {
    let mut table = Table::new();
    let starts: Vec<f64> = (0..100).map(|n| f64::from(n) * 14.3 / 99.0).collect();
    for _ in 0..100 {
        table = table.whole(50.0, 100.0, 4.0);
    }
    let mut run = run(table.starts(&starts));
    run.load.request_rate = Some(RequestRate::PerSecond(10.0));
    let finding = found(&run, "client-limited");
    says(&finding, &["6.92 req/s were sent where 10.0 were asked for", "31 % below the request"]);
    run.load.request_rate = Some(RequestRate::PerSecond(7.0));
    passes(&run, "client-limited");
}

#[test]
fn g5() {
    // 640 tok/s at 50 ms a token: 32 requests decode, as many as were in flight. Nothing is wrong.
    let mut run = run(Table::new());
    run.requests = None;
    print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 640.0);
    print(&mut run, "mean_tpot_ms", Metric::Tpot, Stat::Mean, 50.0);
    run.load.max_concurrency = Some(32);
    passes(&run, "little");
    run.load.max_concurrency = Some(16);
    says(&found(&run, "little"), &["= 32.0 requests that decode, but 16.0 were in flight"]);
}

/// A client that keeps zeros makes a TPOT of 0 out of a run that was not streamed: no limit is met by it.
#[test]
fn b5_has_no_tpot_under_its_own_ruler() {
    let mut table = Table::new();
    for _ in 0..6 {
        table = table.row(3000.0, &[], 29.0).latency(&[3000.0; 6]);
    }
    let mut run = run(table.duration(20.0));
    print(&mut run, "mean_tpot_ms", Metric::Tpot, Stat::Mean, 0.0);
    let ask = Ask { limits: vec!["tpot<=50ms".parse().unwrap()], ..Ask::default() };
    let got = evaluate(&run, &own(&run).settings, &ask);
    assert!(matches!(got.value(Metric::Tpot, Stat::Mean), Value::Missing(_)));
    let left_out = got.excluded.iter().find(|e| e.metric == Metric::Tpot).unwrap();
    assert!(left_out.count == 6 && left_out.reason.contains("one event"), "{left_out:?}");
    assert!(matches!(&got.goodput, GoodputResult::Unavailable(r) if r.contains("not streamed")));
}

/// A latency of 0 is missing, not the time of the first token; and a failed request’s TTFT is no sample.
#[test]
fn e1_and_all_failed_say_what_is_missing() {
    let mut run = run(Table::new().row(800.0, &[], 9.0).row(100.0, &[20.0; 8], 9.0));
    let requests = run.requests.as_mut().unwrap();
    requests.e2e =
        Column::from_options(Origin::Reported, [None, Some(Seconds::from_millis(260.0))]);
    passes(&run, "not-streamed");
    requests_of(&mut run).outcome = vec![Outcome::Failed; 2];
    requests_of(&mut run).ttft = Column::absent(2);
    let got = evaluate(&run, &own(&run).settings, &Ask::default());
    let Value::Missing(reason) = got.value(Metric::Ttft, Stat::Mean) else { panic!("{got:?}") };
    assert!(reason.contains("all requests failed"), "{reason}");
}

fn requests_of(run: &mut Run) -> &mut sameruler::model::Requests {
    run.requests.as_mut().unwrap()
}

/// Runs back to back, one in flight, of (TTFT, gap, tokens).
fn in_turn(all: &[(f64, f64, usize)]) -> Run {
    let (mut table, mut starts, mut clock) = (Table::new(), Vec::new(), 0.0);
    for (ttft, gap, tokens) in all {
        table = table.row(*ttft, &vec![*gap; tokens - 1], *tokens as f64);
        starts.push(clock);
        clock += (ttft + gap * (*tokens as f64 - 1.0)) / 1e3;
    }
    let mut run = run(table.starts(&starts).duration(clock));
    run.load.max_concurrency = Some(1);
    run
}

/// A mean TPOT weighs requests, throughput weighs tokens: lengths that differ are no fault.
#[test]
fn d1_is_no_fault_of_littles_law() {
    passes(&in_turn(&[(50.0, 200.0, 2), (50.0, 20.0, 11)]), "little");
    let mut two = vec![(50.0, 200.0, 2); 20];
    two.extend([(50.0, 20.0, 101); 20]);
    passes(&in_turn(&two), "little");
    passes(&in_turn(&[(1.0, 100.0, 2); 40]), "little");
    // The same requests in a tenth of the time can’t have been one at a time.
    let mut hurried = in_turn(&two);
    print(&mut hurried, "output_throughput", Metric::OutputThroughput, Stat::Value, 430.0);
    says(&found(&hurried, "little"), &["decode time per token", "one of the three is wrong"]);
}

#[test]
fn g6() {
    let mut run = run(Table::new());
    run.requests = None;
    print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 400.0);
    print(&mut run, "mean_tpot_ms", Metric::Tpot, Stat::Mean, 2.5);
    run.load.max_concurrency = Some(8);
    let finding = found(&run, "little");
    says(&finding, &["TPOT 2.50 ms looks like 1/throughput", "about 20.0 ms"]);
    assert_eq!(effect(&run, &finding, Metric::Tpot), (2.5, 20.0));
}

#[test]
fn i7() {
    let mut run = run(Table::new().whole(250.0, 500.0, 4.0));
    print(&mut run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 0.25);
    let finding = found(&run, "printed-unit");
    says(&finding, &["mean_ttft_ms is printed as 0.2500", "rows give (250.0)", "unit is another"]);
    let mut right = self::run(Table::new().whole(250.0, 500.0, 4.0));
    print(&mut right, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 250.0);
    passes(&right, "printed-unit");
}

#[test]
fn n5() {
    let run = run(Table::new().whole(1000.0, 1000.00025, 2.0).whole(100.0, 2100.0, 101.0));
    let finding = found(&run, "impossible-speed");
    assert_eq!((finding.rows.as_slice(), finding.of), (&[0][..], 2));
    says(&finding, &["1 request of 2", "in one read"]);
}

/// A run of which only totals are printed.
fn totals(name: &str, model: &str, input: f64, output: f64) -> Run {
    let provenance =
        Provenance::new(name, 0, Digest::of(name.as_bytes()), "built", "built in code");
    let mut run = Run::new(Tool::Vllm, name, provenance);
    run.workload.model = Some(model.into());
    print(&mut run, "completed", Metric::Completed, Stat::Value, 10.0);
    print(&mut run, "total_input_tokens", Metric::TotalInputTokens, Stat::Value, 10.0 * input);
    print(&mut run, "total_output_tokens", Metric::TotalOutputTokens, Stat::Value, 10.0 * output);
    run
}

/// What keeps two runs apart.
fn apart(a: &Run, b: &Run, id: &str) -> Between {
    let all = checks::between(&[a, b]);
    let found = all.iter().find(|found| found.id == id);
    found.unwrap_or_else(|| panic!("no {id}: {all:?}")).clone()
}

#[test]
fn m1() {
    let (mut a, mut b) = (totals("a", "m", 100.0, 50.0), totals("b", "m", 100.0, 50.0));
    for (run, date) in [(&mut a, "20260101-120000"), (&mut b, "20260101-130000")] {
        run.workload.dataset = Some("random".into());
        run.workload.settings.push(("seed".into(), "7".into()));
        run.workload.date = Some(date.into());
    }
    let found = apart(&b, &a, "warm-cache");
    assert!(found.text.contains("cache may be warm") && found.runs == [b.id.clone()], "{found:?}");
    b.workload.settings[0].1 = "8".into();
    assert!(checks::between(&[&a, &b]).is_empty());
}

#[test]
fn m3() {
    let (a, b) = (totals("a", "m", 750.0, 50.0), totals("b", "m", 1000.0, 50.0));
    let found = apart(&a, &b, "different-input-lengths");
    assert!(found.text.contains("750.0 tokens (a) to 1,000 (b)"), "{}", found.text);
    assert!(checks::between(&[&a, &totals("c", "m", 760.0, 51.0)]).is_empty());
}

#[test]
fn m4() {
    let nominal = |asked: &str, measured: f64| {
        let mut run = totals("a", "m", measured, 50.0);
        run.workload.dataset = Some("random".into());
        run.workload.settings.push(("random_input_len".into(), asked.into()));
        run
    };
    let finding = found(&nominal("128", 138.0), "lengths-asked");
    says(
        &finding,
        &["138.0 tokens on average where 128 were asked for, 8 % more", "the next is 256"],
    );
    let finding = found(&nominal("4096", 4109.0), "lengths-asked");
    says(&finding, &["4,109 tokens", "crosses a power of two, the next is 8,192"]);
    passes(&nominal("4000", 4020.0), "lengths-asked");
}

#[test]
fn m6() {
    let (a, b) = (totals("a", "m1", 100.0, 50.0), totals("b", "m2", 100.0, 50.0));
    let found = apart(&a, &b, "different-models");
    assert_eq!(found.severity, Severity::Block);
    assert!(found.text.contains("m1 (1 run), m2 (1 run)"), "{}", found.text);
}

#[test]
fn m7() {
    let (a, b) = (totals("a", "m", 100.0, 914.0), totals("b", "m", 100.0, 338.0));
    let found = apart(&a, &b, "different-output-lengths");
    assert!(found.text.contains("338.0 tokens (b) to 914.0 (a)"), "{}", found.text);
    assert!(found.touches.contains(&Metric::E2e) && !found.touches.contains(&Metric::Tpot));
}

#[test]
fn a9() {
    let chunks = run(Table::new().row(100.0, &[80.0, 80.0], 9.0));
    let mut spread = run(Table::new().row(100.0, &[20.0; 8], 9.0).spread());
    spread.tool = Tool::Sglang;
    let found = apart(&chunks, &spread, "different-itl");
    assert!(found.text.contains("per chunk (1 run), per token (1 run)"), "{}", found.text);
    assert!(found.text.contains("compare TPOT"));
}

#[test]
fn g1_between() {
    let (mut a, mut b) = (totals("a", "m", 100.0, 50.0), totals("b", "m", 100.0, 50.0));
    a.load.request_rate = Some(RequestRate::PerSecond(5.0));
    b.load.request_rate = Some(RequestRate::Unlimited);
    b.load.max_concurrency = Some(4);
    let found = apart(&a, &b, "different-loads");
    assert!(found.text.contains("a rate (1 run), a fixed number in flight (1 run)"), "{found:?}");
}

#[test]
fn h5_a_run_that_mostly_failed_is_blocked() {
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.whole(100.0, 200.0, 2.0);
    }
    for _ in 0..4 {
        table = table.whole(0.0, 0.0, 0.0).outcome(Outcome::Failed);
    }
    let run = run(table);
    says(&found(&run, "mostly-failed"), &["4 of 8 requests failed (50 %)"]);
    assert!(checks::blocked(&run).is_some_and(|b| b.id == "mostly-failed"));
}

#[test]
fn h1() {
    // TPOT 30 ms, none, and 80 ms, under the limits that the file names.
    let table =
        Table::new().whole(100.0, 400.0, 11.0).whole(100.0, 100.0, 1.0).whole(100.0, 900.0, 11.0);
    let mut run = run(table.duration(10.0));
    run.reported.limits =
        Some(["ttft<=200ms", "tpot<=50ms"].map(|limit| limit.parse().unwrap()).to_vec());
    let finding = found(&run, "one-token-passes");
    assert_eq!(finding.rows, [1]);
    let (before, after) = effect(&run, &finding, Metric::Goodput);
    assert_close(before, 0.2);
    assert_close(after, 0.1);
}

/// A run at `rate`, of which half of the requests failed where `broken`.
fn loaded(rate: f64, broken: bool) -> Run {
    let mut table = Table::new();
    for at in 0..8 {
        table = table.whole(100.0, 200.0, 2.0);
        if broken && at % 2 == 0 {
            table = table.outcome(Outcome::Failed);
        }
    }
    let starts: Vec<f64> = (0..8).map(|at| f64::from(at) / rate).collect();
    let mut run = run(table.starts(&starts).duration(8.0 / rate));
    run.id = RunId::parse(&format!("{rate:012}")).unwrap();
    run.name = format!("at {rate}");
    run.load.request_rate = Some(RequestRate::PerSecond(rate));
    run
}

#[test]
fn a_blocked_run_is_on_no_curve_until_it_is_let_on() {
    let all = [loaded(2.0, false), loaded(4.0, false), loaded(8.0, true)];
    let runs: Vec<&Run> = all.iter().collect();
    let mut context = Context::default();
    let view = curves(&runs, &context, CurveAxes::default());
    assert_eq!(view.table.rows.len(), 2);
    let [held] = view.held_back.as_slice() else { panic!("{:?}", view.held_back) };
    assert_eq!((&held.id, held.finding.as_str()), (&all[2].id, "Most requests failed"));
    assert!(held.text.starts_with("4 of 8 requests failed"), "{}", held.text);
    context.judged.let_on.insert(all[2].id.clone());
    let view = curves(&runs, &context, CurveAxes::default());
    assert_eq!(view.table.rows.len(), 3);
    assert!(view.held_back.is_empty(), "{:?}", view.held_back);
}

#[test]
fn rows_that_are_there_twice_are_found_and_can_be_left_out() {
    let table = Table::new().whole(100.0, 200.0, 2.0).whole(110.0, 200.0, 2.0);
    let run = run(table.whole(100.0, 200.0, 2.0).starts(&[0.0, 1.0, 0.0]));
    assert_eq!(found(&run, "duplicate-rows").rows, [2]);
    assert_eq!(checks::rows(&run, &["duplicate-rows"]), [2]);
}

#[test]
fn requests_that_end_after_the_printed_duration_make_it_too_short() {
    let table =
        Table::new().whole(100.0, 1000.0, 2.0).whole(100.0, 1000.0, 2.0).starts(&[0.0, 3.0]);
    let run = run(table.duration(2.0));
    let finding = found(&run, "duration-too-short");
    says(&finding, &["2.00 s", "span 4.00 s", "100 %"]);
    let (before, after) = effect(&run, &finding, Metric::RequestThroughput);
    assert_close(before, 1.0);
    assert_close(after, 0.5);
}

#[test]
fn a_hole_in_a_run_is_found() {
    let table = Table::new().whole(100.0, 1000.0, 2.0).whole(100.0, 1000.0, 2.0);
    says(
        &found(&run(table.starts(&[0.0, 101.0])), "clock-steps"),
        &["From 1.00 s on", "100 s of 102 s"],
    );
}

#[test]
fn failures_in_one_stretch_are_an_incident() {
    let (mut table, mut starts) = (Table::new(), Vec::new());
    for at in 0..40 {
        table = table.whole(100.0, 200.0, 2.0);
        if (20..26).contains(&at) {
            table = table.outcome(Outcome::Failed);
        }
        starts.push(f64::from(at));
    }
    says(
        &found(&run(table.starts(&starts)), "errors-clustered"),
        &["All 6 failures", "within 5.0 s"],
    );
}

#[test]
fn a_notice_of_the_import_is_listed_once_and_can_block() {
    let mut run = run(Table::new().row(0.0, &[], 0.0).row(100.0, &[10.0], 2.0));
    let place = || Place::Record(1);
    run.provenance.notices.add(Severity::Warn, "empty-replies", place(), "Said by the check too.");
    run.provenance.notices.add(Severity::Note, "bare-word", place(), "NaN was read.");
    let listed: Vec<_> = checks::examine(&run).into_iter().filter(|e| e.about.is_none()).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!((&*listed[0].id, &*listed[0].name), ("bare-word", "Bare word"));
    let finding = listed[0].verdict.found().unwrap();
    assert_eq!(finding.places, ["request 1"]);
    let mut invalid = self::run(Table::new().row(100.0, &[10.0], 2.0));
    assert_eq!(checks::blocked(&invalid), None);
    let text = "The result is invalid.";
    invalid.provenance.notices.add(Severity::Block, "invalid-result", Place::WholeFile, text);
    assert!(checks::blocked(&invalid).is_some_and(|b| b.id == "invalid-result" && b.text == text));
}
