//! Public faults with tiny inputs and right values (retold in the design's hand.md), and the worked
//! examples of the definitions page. Each test is named after its id.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, exact, run, settings};
use sameruler::metrics::{
    Ask, COMMON, GoodputResult, Measured, SGLANG, Support, VLLM, Value, cold_start, evaluate, own,
};
use sameruler::model::{Column, Limit, Metric, Outcome, Stat, TokenSource};

fn ask(limits: &[&str]) -> Ask {
    Ask {
        percentiles: vec![50.0, 90.0, 95.0, 99.0, 99.9],
        limits: limits.iter().map(|l| l.parse::<Limit>().unwrap()).collect(),
        ..Ask::default()
    }
}

fn goodput(
    run: &sameruler::model::Run,
    settings: &sameruler::metrics::Settings,
    limits: &[&str],
) -> sameruler::metrics::Goodput {
    match evaluate(run, settings, &ask(limits)).goodput {
        GoodputResult::Known(goodput) => goodput,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a1() {
    let run = run(Table::new().row(500.0, &[300.0, 100.0], 9.0).events(&[1.0, 6.0, 2.0]));
    let common = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&common, Metric::Itl, Stat::Mean), 200.0);
    assert_close(exact(&common, Metric::Tpot, Stat::Mean), 50.0);
    assert_close(common.events.unwrap().tokens_per_event(), 3.0);
    let spread = evaluate(&run, &settings(&[("itl", "token-spread")]), &ask(&[]));
    assert_close(exact(&spread, Metric::Itl, Stat::Mean), 50.0);
    assert_close(exact(&spread, Metric::ChunkGap, Stat::Mean), 200.0);
}

#[test]
fn a1_without_tokens_of_events_gives_no_token_percentiles() {
    let run = run(Table::new().row(500.0, &[300.0, 100.0], 9.0));
    let spread = evaluate(&run, &settings(&[("itl", "token-spread")]), &ask(&[]));
    assert_close(exact(&spread, Metric::Itl, Stat::Mean), 50.0);
    assert!(
        matches!(spread.value(Metric::Itl, Stat::Median), Value::Missing(r) if r.contains("tokens of each event"))
    );
}

#[test]
fn a2() {
    let run = run(Table::new().row(250.0, &[250.0; 7], 32.0).starts(&[0.0]).duration(2.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::OutputThroughput, Stat::Value), 16.0);
    assert_close(exact(&got, Metric::PeakOutputRate, Stat::Value), 4.0);
    assert_close(got.peaks.unwrap().tokens.unwrap(), 16.0);
}

#[test]
fn a3() {
    let gaps = [20.0; 40];
    let mut events = vec![1.0; 41];
    events[0] = 8.0;
    let run = run(Table::new().row(200.0, &gaps, 48.0).events(&events));
    let classic = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&classic, Metric::Tpot, Stat::Mean), 800.0 / 47.0);
    assert_close(classic.user_speed.value(Stat::Mean).exact().unwrap(), 58.75);
    let fair = evaluate(&run, &settings(&[("tpot", "after-first-event")]), &ask(&[]));
    assert_close(exact(&fair, Metric::Tpot, Stat::Mean), 20.0);
}

#[test]
fn a3_without_the_first_event_is_a_sentence() {
    let run = run(Table::new().row(200.0, &[400.0, 400.0], 48.0));
    let fair = evaluate(&run, &settings(&[("tpot", "after-first-event")]), &ask(&[]));
    assert!(
        matches!(&fair.metrics[&Metric::Tpot], Measured::Unavailable(r) if r.contains("first event"))
    );
}

#[test]
fn a5() {
    let gaps = [0.02, 0.02, 60.0, 0.02, 0.02, 60.0, 0.02, 0.02, 60.0];
    let run = run(Table::new().row(100.0, &gaps, 10.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Itl, Stat::Median), 0.02);
    assert_close(exact(&got, Metric::Itl, Stat::Mean), 180.12 / 9.0);
    assert_close(exact(&got, Metric::Itl, Stat::Percentile(99.0)), 60.0);
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 180.12 / 9.0);
}

#[test]
fn a7() {
    let a = run(Table::new().row(1000.0, &[1000.0; 49], 50.0));
    let b = run(Table::new().row(10_000.0, &[10_000.0; 4], 50.0).events(&[10.0; 5]));
    let both = |definition: &[(&str, &str)]| {
        [&a, &b].map(|r| {
            exact(&evaluate(r, &settings(definition), &ask(&[])), Metric::Tpot, Stat::Mean)
        })
    };
    let [classic_a, classic_b] = both(&[]);
    assert_close(classic_a, 1000.0);
    assert_close(classic_b, 40_000.0 / 49.0);
    let [fair_a, fair_b] = both(&[("tpot", "after-first-event")]);
    assert_close(fair_a, 1000.0);
    assert_close(fair_b, 1000.0);
}

#[test]
fn a8() {
    let run = run(Table::new().row(1000.0, &[50.0; 7], 20.0));
    let naive = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&naive, Metric::Tpot, Stat::Mean), 350.0 / 19.0);
    let seen = evaluate(&run, &settings(&[("tpot", "visible-gaps")]), &ask(&[]));
    assert_close(exact(&seen, Metric::Tpot, Stat::Mean), 50.0);
}

#[test]
fn a9() {
    let native = run(Table::new().row(100.0, &[20.0; 8], 9.0).spread());
    // Two events 80 ms apart have equal spread gaps: as one run they can't be told apart, so make
    // the second a hair longer, as real clocks do.
    let mut gaps = vec![20.0; 4];
    gaps.extend([20.001; 4]);
    let told_apart = run(Table::new().row(100.0, &gaps, 9.0).spread());
    let openai = run(Table::new().row(100.0, &[80.0, 80.0], 9.0));
    let spread = settings(&[("itl", "token-spread")]);
    assert_close(exact(&evaluate(&native, &spread, &ask(&[])), Metric::Itl, Stat::Mean), 20.0);
    for run in [&native, &openai] {
        let got = evaluate(run, &COMMON.settings, &ask(&[]));
        assert_close(exact(&got, Metric::Tpot, Stat::Mean), 20.0);
    }
    let rebuilt = evaluate(&told_apart, &COMMON.settings, &ask(&[]));
    let gap = rebuilt.metrics[&Metric::Itl].summary().unwrap();
    assert_eq!(gap.n, 2);
    assert!((gap.mean - 80.002).abs() < 1e-9);
    assert!(gap.note.as_ref().unwrap().contains("Rebuilt"));
    let got = evaluate(&openai, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Itl, Stat::Mean), 80.0);
}

#[test]
fn b1() {
    let early = run(Table::new().row(50.0, &[[400.0].as_slice(), &[100.0; 10]].concat(), 11.0));
    let right = run(Table::new().row(450.0, &[100.0; 10], 11.0));
    let tpot = |r| exact(&evaluate(r, &COMMON.settings, &ask(&[])), Metric::Tpot, Stat::Mean);
    assert_close(tpot(&early), 140.0);
    assert_close(tpot(&right), 100.0);
    // The file timed any event: a ruler that asks for the first text is told so.
    let text = evaluate(&early, &settings(&[("first-token", "first-text")]), &ask(&[]));
    assert!(
        matches!(&text.metrics[&Metric::Ttft], Measured::Unavailable(r) if r.contains("may carry no text"))
    );
}

#[test]
fn b5() {
    // The clock of the first token was stopped by the usage chunk: nothing is left to divide, and no 0.
    let wrong = run(Table::new().whole(3000.0, 3000.0, 29.0));
    let got = evaluate(&wrong, &COMMON.settings, &ask(&[]));
    assert!(matches!(&got.metrics[&Metric::Tpot], Measured::Unavailable(_)));
    let excluded = got.excluded.iter().find(|e| e.metric == Metric::Tpot).unwrap();
    assert!(excluded.count == 1 && excluded.reason.contains("one event"), "{excluded:?}");
    let right = run(Table::new().row(200.0, &[100.0; 28], 29.0));
    let got = evaluate(&right, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Ttft, Stat::Mean), 200.0);
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 100.0);
}

#[test]
fn b6() {
    let run = run(Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[230.0]).stream_end());
    let whole = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_close(exact(&whole, Metric::Tpot, Stat::Mean), 32.5);
    assert_close(exact(&whole, Metric::E2e, Stat::Mean), 230.0);
    let token = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&token, Metric::Tpot, Stat::Mean), 20.0);
    assert_close(exact(&token, Metric::E2e, Stat::Mean), 180.0);
}

#[test]
fn c1() {
    let run = run(Table::new()
        .row(200.0, &[20.0; 50], 51.0)
        .retokenized(&[6.0])
        .source(TokenSource::Server));
    let server = evaluate(&run, &settings(&[("token-count", "server")]), &ask(&[]));
    assert_close(exact(&server, Metric::Tpot, Stat::Mean), 20.0);
    let text = evaluate(&run, &settings(&[("token-count", "retokenized")]), &ask(&[]));
    assert_close(exact(&text, Metric::Tpot, Stat::Mean), 200.0);
    let events = evaluate(&run, &settings(&[("token-count", "events")]), &ask(&[]));
    assert_close(exact(&events, Metric::Tpot, Stat::Mean), 20.0);
}

#[test]
fn c3() {
    let run = run(Table::new()
        .whole(220.0, 4300.0, 1024.0)
        .retokenized(&[205.0])
        .source(TokenSource::Requested)
        .duration(4.3));
    let asked = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&asked, Metric::Tpot, Stat::Mean), 4080.0 / 1023.0);
    assert_close(exact(&asked, Metric::OutputThroughput, Stat::Value), 1024.0 / 4.3);
    let came = evaluate(&run, &settings(&[("token-count", "retokenized")]), &ask(&[]));
    assert_close(exact(&came, Metric::Tpot, Stat::Mean), 20.0);
    assert_close(exact(&came, Metric::OutputThroughput, Stat::Value), 205.0 / 4.3);
    let server = evaluate(&run, &settings(&[("token-count", "server")]), &ask(&[]));
    assert!(
        matches!(&server.metrics[&Metric::Tpot], Measured::Unavailable(r) if r.contains("requested length"))
    );
}

#[test]
fn c4() {
    // Five chunks 20 ms apart, each stamped twice: once for its token, once for a begin token.
    let times: Vec<String> =
        (0..10).map(|n| format!("{}", 10.5 + f64::from(n / 2) * 0.02)).collect();
    let file = format!(
        r#"[{{"start_time": 10.0, "end_time": 10.75, "info": {{"input_tokens": 4, "response_info":
        {{"output_tokens": 10, "server_usage": {{"completion_tokens": 5}},
        "output_token_times": [{}]}}}}, "error": null}}]"#,
        times.join(", ")
    );
    let run = sameruler::formats::read("x", file.as_bytes(), &mut |_| {}).unwrap().remove(0);
    let tools = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_close(exact(&tools, Metric::Itl, Stat::Mean), 80.0 / 9.0);
    assert_close(exact(&tools, Metric::Tpot, Stat::Mean), 80.0 / 9.0);
    let common = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&common, Metric::Itl, Stat::Mean), 20.0);
    assert_close(exact(&common, Metric::Tpot, Stat::Mean), 20.0);
    assert!(run.provenance.notices.iter().any(|n| n.text.contains("10 token times for 5 tokens")));
}

#[test]
fn d1() {
    let run = run(Table::new().row(100.0, &[200.0], 2.0).row(100.0, &[20.0; 10], 11.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 110.0);
    assert_close(exact(&got, Metric::Itl, Stat::Mean), 400.0 / 11.0);
}

#[test]
fn d2() {
    let run = run(Table::new().row(100.0, &[9.5; 10], 11.0).row(100.0, &[10.0; 10], 11.0).row(
        100.0,
        &[10.5; 10],
        11.0,
    ));
    let speed = evaluate(&run, &COMMON.settings, &ask(&[])).user_speed;
    assert!((speed.value(Stat::Std).exact().unwrap() - 4.09).abs() < 0.005);
    let reciprocal = settings(&[("user-speed", "reciprocal-of-tpot")]);
    let speed = evaluate(&run, &reciprocal, &ask(&[])).user_speed;
    assert_close(speed.value(Stat::Mean).exact().unwrap(), 100.0);
    assert!(matches!(speed.value(Stat::Std), Value::Missing(r) if r.contains("spread")));
}

#[test]
fn d4() {
    let mut table = Table::new();
    for at in 0..20 {
        table = table.row(if at == 19 { 400.0 } else { 100.0 }, &[], 1.0);
    }
    let run = run(table);
    let p99 = Stat::Percentile(99.0);
    let linear = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&linear, Metric::Ttft, p99), 343.0);
    let quantile = *linear.metrics[&Metric::Ttft].summary().unwrap().quantile(99.0).unwrap();
    assert_eq!((quantile.beyond, quantile.support), (0, Support::IsMax));
    assert_eq!(quantile.interval, None, "p99 takes 368 requests");
    let median = *linear.metrics[&Metric::Ttft].summary().unwrap().quantile(50.0).unwrap();
    assert_eq!(median.interval.map(|i| (i.low, i.high)), Some((100.0, 100.0)));
    let rank = evaluate(&run, &settings(&[("percentile", "nearest-rank")]), &ask(&[]));
    assert_close(exact(&rank, Metric::Ttft, p99), 400.0);
}

#[test]
fn d5() {
    let mut pooled = Table::new();
    for at in 0..1000 {
        pooled = pooled.row(if at < 990 { 50.0 } else { 1000.0 }, &[], 1.0);
    }
    let got = evaluate(&run(pooled), &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Ttft, Stat::Percentile(99.0)), 59.5);
}

#[test]
fn e1() {
    let run = run(Table::new().whole(800.0, 0.0, 9.0).whole(100.0, 260.0, 9.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    let tpot = got.metrics[&Metric::Tpot].summary().unwrap();
    assert_eq!(tpot.n, 1);
    assert_close(tpot.mean, 20.0);
    let left_out = got.excluded.iter().find(|e| e.metric == Metric::Tpot).unwrap();
    assert_eq!(left_out.count, 1);
    assert!(left_out.reason.contains("zero or less"), "{}", left_out.reason);
}

#[test]
fn e3() {
    let mut table = Table::new();
    for ttft in [0.0, 0.0, 0.0] {
        table = table.row(ttft, &[], 0.0);
    }
    let run = run(table.row(50.0, &[10.0], 2.0).row(60.0, &[10.0], 2.0).duration(1.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_eq!((got.counts.sent, got.counts.empty), (5, 3));
    let ttft = got.metrics[&Metric::Ttft].summary().unwrap();
    assert_eq!((ttft.n, ttft.median), (2, Some(55.0)));
    let naive = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_close(exact(&naive, Metric::Ttft, Stat::Median), 0.0);
    assert_close(exact(&naive, Metric::Ttft, Stat::Mean), 22.0);
    let good = goodput(&run, &COMMON.settings, &["ttft<=100ms"]);
    assert_eq!((good.good.exact(), good.of), (Some(2.0), 5.0));
}

#[test]
fn e3_a_request_that_lacks_only_its_ttft_is_no_empty_reply() {
    let run = run(Table::new().whole(0.0, 500.0, 12.0).whole(100.0, 700.0, 13.0).duration(1.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_eq!(got.counts.empty, 0);
    assert_eq!(got.metrics[&Metric::E2e].summary().unwrap().n, 2);
    assert_eq!(got.metrics[&Metric::Ttft].summary().unwrap().n, 1);
    assert_close(exact(&got, Metric::OutputThroughput, Stat::Value), 25.0);
}

#[test]
fn requests_that_the_reader_left_out_are_as_if_never_sent() {
    let table = Table::new().row(0.0, &[], 0.0).row(50.0, &[10.0], 2.0).row(60.0, &[30.0], 2.0);
    let run = run(table.starts(&[0.0, 1.0, 2.0]).duration(4.0));
    let ask = Ask { excluded: vec![0, 2], ..ask(&["ttft<=55ms"]) };
    let got = evaluate(&run, &COMMON.settings, &ask);
    assert_close(exact(&got, Metric::Ttft, Stat::Mean), 50.0);
    assert_eq!((got.counts.sent, got.counts.excluded, got.counts.empty), (1, 2, 0));
    let GoodputResult::Known(goodput) = &got.goodput else { panic!("{:?}", got.goodput) };
    assert_close(goodput.of, 1.0);
}

#[test]
fn e5() {
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.row(100.0, &[10.0; 99], 100.0);
    }
    for _ in 0..4 {
        table = table.row(100.0, &[10.0; 79], 80.0).outcome(Outcome::Cancelled);
    }
    let run = run(table.duration(10.0));
    let rate = |population| {
        let got = evaluate(&run, &settings(&[("population", population)]), &ask(&[]));
        exact(&got, Metric::OutputThroughput, Stat::Value)
    };
    assert_close(rate("ok"), 40.0);
    assert_close(rate("ok-and-cut"), 72.0);
}

#[test]
fn e6() {
    let mut table = Table::new();
    for _ in 0..10 {
        table = table.row(0.0, &[], 200.0);
    }
    let run = run(table.source(TokenSource::Requested).duration(4.0));
    let own = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_close(exact(&own, Metric::OutputThroughput, Stat::Value), 500.0);
    let seen = evaluate(&run, &COMMON.settings, &ask(&[]));
    let rate = exact(&seen, Metric::OutputThroughput, Stat::Value);
    assert_eq!((rate, rate.is_sign_negative()), (0.0, false));
    assert!(matches!(seen.metrics[&Metric::Ttft], Measured::Unavailable(_)));
}

#[test]
fn f1() {
    let stream = |seconds: usize| vec![20.0; seconds * 50 - 1];
    let mut table = Table::new().row(20.0, &stream(30), 1500.0);
    for _ in 0..3 {
        table = table.row(20.0, &stream(20), 1000.0);
    }
    let run = run(table.starts(&[0.0, 5.0, 5.0, 5.0]).duration(30.0));
    let rate = |changes: &[(&str, &str)]| {
        let got = evaluate(&run, &settings(changes), &ask(&[]));
        exact(&got, Metric::OutputThroughput, Stat::Value)
    };
    assert_close(rate(&[]), 150.0);
    let steady = rate(&[("window", "steady:0.9"), ("duration", "window")]);
    assert!((steady - 200.0).abs() < 0.5, "{steady}");
    assert!((rate(&[]) / steady - 0.75).abs() < 1e-3);
    let brushed = rate(&[("window", "brush:10..20"), ("duration", "window")]);
    assert!((brushed - 200.0).abs() < 0.5, "{brushed}");
    let mixed = evaluate(&run, &settings(&[("window", "steady:0.9")]), &ask(&[]));
    let Value::Missing(reason) = mixed.value(Metric::OutputThroughput, Stat::Value) else {
        panic!("a window's tokens over the whole run's time")
    };
    assert!(reason.contains("duration = window"), "{reason}");
}

#[test]
fn f3() {
    let mut table = Table::new();
    for at in 0..100 {
        table = table.row(if at < 10 { 50_000.0 } else { 700.0 }, &[], 1.0);
    }
    let run = run(table);
    let whole = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&whole, Metric::Ttft, Stat::Percentile(90.0)), 5630.0);
    let warm = evaluate(&run, &settings(&[("window", "skip-first:10")]), &ask(&[]));
    let ttft = warm.metrics[&Metric::Ttft].summary().unwrap();
    assert_eq!((ttft.n, ttft.max), (90, Some(700.0)));
    let found = cold_start(&run).unwrap();
    assert_eq!(found.seen(), "all 10 slowest are the first 10 started");
    assert_eq!(found.skip, 10);
    assert_close(found.p90_with.as_secs(), 5.63);
    assert_close(found.p90_without.as_secs(), 0.7);
}

#[test]
fn f5() {
    let mut table = Table::new();
    let mut starts = Vec::new();
    for at in 0..580 {
        let start = 50.0 * f64::from(at) / 579.0;
        starts.push(start);
        let e2e = if at == 579 { 8000.0 } else { 1000.0 };
        table = table.whole(100.0, e2e, 10.0);
    }
    let run = run(table.starts(&starts).duration(60.5));
    let rate = |duration| {
        let got = evaluate(&run, &settings(&[("duration", duration)]), &ask(&[]));
        exact(&got, Metric::RequestThroughput, Stat::Value)
    };
    assert!((rate("as-reported") - 9.587).abs() < 1e-3);
    assert_close(rate("first-send-to-last-token"), 10.0);
}

#[test]
fn g1() {
    let mut table = Table::new();
    for _ in 0..6 {
        table = table.whole(100.0, 400.0, 4.0);
    }
    let run = run(table.waits(&[0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]));
    let sent = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&sent, Metric::E2e, Stat::Mean), 400.0);
    let due = evaluate(&run, &settings(&[("clock-start", "scheduled")]), &ask(&[]));
    assert_close(exact(&due, Metric::E2e, Stat::Mean), 900.0);
    assert_close(exact(&due, Metric::E2e, Stat::Max), 1400.0);
    assert_close(exact(&due, Metric::QueueWait, Stat::Mean), 500.0);
}

#[test]
fn h1() {
    let run = run(Table::new()
        .whole(100.0, 400.0, 11.0)
        .whole(100.0, 100.0, 1.0)
        .whole(100.0, 900.0, 11.0)
        .duration(10.0));
    let good = |policy| {
        let set = settings(&[("goodput-missing", policy)]);
        goodput(&run, &set, &["ttft<=200ms", "tpot<=50ms"])
    };
    assert_close(good("passes").per_second.unwrap().exact().unwrap(), 0.2);
    assert_close(good("fails").per_second.unwrap().exact().unwrap(), 0.1);
    let apart = good("not-applicable");
    assert_eq!((apart.good.exact(), apart.of, apart.not_applicable), (Some(1.0), 2.0, 1));
}

#[test]
fn h1_where_no_request_can_be_judged_goodput_is_a_sentence_and_no_zero() {
    let run = run(Table::new().whole(100.0, 100.0, 1.0).whole(90.0, 90.0, 1.0).duration(10.0));
    let limits = ask(&["ttft<=200ms", "tpot<=50ms"]);
    let got = evaluate(&run, &COMMON.settings, &limits).goodput;
    assert!(
        matches!(&got, GoodputResult::Unavailable(r) if r.contains("none can be judged")),
        "{got:?}"
    );
    let passes = settings(&[("goodput-missing", "passes")]);
    let good = goodput(&run, &passes, &["ttft<=200ms", "tpot<=50ms"]);
    assert_close(good.per_second.unwrap().exact().unwrap(), 0.2);
}

#[test]
fn h3() {
    let run = run(Table::new()
        .whole(100.0, 200.0, 11.0)
        .whole(100.0, 200.0, 11.0)
        .whole(100.0, 1100.0, 11.0)
        .whole(900.0, 1000.0, 11.0)
        .duration(4.0));
    let good = goodput(&run, &COMMON.settings, &["ttft<=200ms", "tpot<=50ms"]);
    assert_close(good.share.exact().unwrap(), 0.5);
    assert_close(good.per_second.clone().unwrap().exact().unwrap(), 0.5);
    for limit in &good.each {
        assert_close(limit.share.exact().unwrap(), 0.75);
    }
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::RequestThroughput, Stat::Value), 1.0);
}

#[test]
fn h5() {
    let mut table = Table::new();
    for at in 0..10 {
        table = table.whole(100.0, 200.0, 11.0);
        if at < 4 {
            table = table.outcome(Outcome::Failed);
        }
    }
    let run = run(table.duration(5.0));
    let good = goodput(&run, &COMMON.settings, &["ttft<=200ms"]);
    assert_close(good.share_of_finished.exact().unwrap(), 1.0);
    assert_close(good.share.exact().unwrap(), 0.6);
    assert_close(good.per_second.unwrap().exact().unwrap(), 1.2);
}

#[test]
fn i1() {
    let run = run(Table::new().whole(1000.0, 2000.0, 11.0));
    let tpot = |formula| {
        exact(&evaluate(&run, &settings(&[("tpot", formula)]), &ask(&[])), Metric::Tpot, Stat::Mean)
    };
    assert_close(tpot("after-first"), 100.0);
    assert_close(tpot("whole-over-n"), 2000.0 / 11.0);
}

#[test]
fn i2() {
    let run = run(Table::new().whole(500.0, 2500.0, 21.0));
    let tpot = |formula| {
        exact(&evaluate(&run, &settings(&[("tpot", formula)]), &ask(&[])), Metric::Tpot, Stat::Mean)
    };
    assert_close(tpot("after-first"), 100.0);
    assert_close(tpot("whole-over-n"), 2500.0 / 21.0);
    assert_close(tpot("after-first-over-n"), 2000.0 / 21.0);
}

#[test]
fn i3() {
    let run = run(Table::new().whole(100.0, 1000.0, 1000.0).input(&[8000.0]).duration(1.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    for (metric, value) in [
        (Metric::InputThroughput, 8000.0),
        (Metric::OutputThroughput, 1000.0),
        (Metric::TotalThroughput, 9000.0),
    ] {
        assert_close(exact(&got, metric, Stat::Value), value);
    }
}

#[test]
fn i5() {
    let run = run(Table::new().whole(3000.0, 5000.0, 100.0));
    let speed = |choice| {
        let got = evaluate(&run, &settings(&[("user-speed", choice)]), &ask(&[]));
        got.user_speed.value(Stat::Mean).exact().unwrap()
    };
    assert_close(speed("whole"), 20.0);
    assert_close(speed("decode"), 49.5);
}

#[test]
fn j3() {
    let three = run(Table::new().row(200.0, &[50.0, 50.0], 3.0));
    let got = evaluate(&three, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::E2e, Stat::Mean), 300.0);
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 50.0);
    let five = run(Table::new().row(200.0, &[50.0, 50.0], 5.0));
    let got = evaluate(&five, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 25.0);
}

#[test]
fn j7() {
    let mut table = Table::new();
    for latency in [1000.0, 1200.0, 1400.0] {
        table = table.whole(0.0, latency, 0.0);
    }
    let mut run = run(table.whole(0.0, 0.0, 0.0).outcome(Outcome::Failed).duration(2.0));
    let requests = run.requests.as_mut().unwrap();
    requests.ttft = Column::absent(4);
    requests.output_tokens = Column::absent(4);
    build::print(&mut run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 200.0);
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    let e2e = got.metrics[&Metric::E2e].summary().unwrap();
    assert_eq!(e2e.n, 3);
    assert_close(e2e.mean, 1200.0);
    assert_eq!(got.value(Metric::Ttft, Stat::Mean), Value::Reported(200.0));
    assert!(matches!(got.metrics[&Metric::Tpot], Measured::Unavailable(_)));
}

#[test]
fn n5() {
    let run = run(Table::new().whole(100.0, 100.000_25, 2.0).whole(100.0, 2100.0, 101.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    let tpot = got.metrics[&Metric::Tpot].summary().unwrap();
    assert_eq!(tpot.n, 1);
    assert_close(tpot.mean, 20.0);
    let left_out = got.excluded.iter().find(|e| e.metric == Metric::Tpot).unwrap();
    assert!(left_out.reason.contains("one event"), "{}", left_out.reason);
}

#[test]
fn example_1_three_tokens_in_one_event() {
    let run = run(Table::new().row(100.0, &[40.0, 40.0], 5.0).events(&[1.0, 3.0, 1.0]));
    let of = |set: &[(&str, &str)], metric| {
        exact(&evaluate(&run, &settings(set), &ask(&[])), metric, Stat::Mean)
    };
    assert_close(of(&[], Metric::Itl), 40.0);
    assert_close(of(&[], Metric::Tpot), 20.0);
    assert_close(of(&[("tpot", "whole-over-n")], Metric::Tpot), 36.0);
    assert_close(of(&[("itl", "token-zeros")], Metric::Itl), 20.0);
    let spread = evaluate(&run, &settings(&[("itl", "token-spread")]), &ask(&[]));
    let itl = spread.metrics[&Metric::Itl].summary().unwrap();
    assert_eq!(itl.n, 4);
    assert_close(itl.mean, 20.0);
    assert_close(itl.min.unwrap(), 40.0 / 3.0);
    assert_close(itl.max.unwrap(), 40.0);
}

#[test]
fn example_2_one_token_an_event() {
    let run = run(Table::new().row(120.0, &[35.0, 37.0, 36.0, 37.0], 5.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 36.25);
    assert_close(exact(&got, Metric::E2e, Stat::Mean), 265.0);
    assert!((got.user_speed.value(Stat::Mean).exact().unwrap() - 27.586).abs() < 5e-4);
    assert_close(120.0 + 5.0 * 36.25 - 265.0, 36.25);
}

#[test]
fn example_3_lengths_weigh() {
    let run = run(Table::new().row(100.0, &[10.0; 99], 100.0).row(100.0, &[50.0], 2.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 30.0);
    assert_close(exact(&got, Metric::Itl, Stat::Mean), 10.4);
    let weighed = evaluate(
        &run,
        &settings(&[
            ("itl", "request-mean"),
            ("weighting", "per-token"),
            ("percentile", "weighted-step"),
        ]),
        &ask(&[]),
    );
    assert_close(exact(&weighed, Metric::Itl, Stat::Mean), 10.4);
    assert_close(exact(&weighed, Metric::Itl, Stat::Percentile(99.0)), 10.0);
}

#[test]
fn example_4_prefill_in_the_divisor() {
    let run = run(Table::new().row(400.0, &[20.0; 199], 200.0));
    let of = |formula| {
        exact(&evaluate(&run, &settings(&[("tpot", formula)]), &ask(&[])), Metric::Tpot, Stat::Mean)
    };
    assert_close(of("whole-over-n"), 21.9);
    assert_close(of("after-first"), 20.0);
}

#[test]
fn example_5_one_stall() {
    let mut gaps = vec![20.0; 498];
    gaps.push(1500.0);
    let run = run(Table::new().row(100.0, &gaps, 500.0));
    let got = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert!((exact(&got, Metric::Tpot, Stat::Mean) - 22.966).abs() < 5e-4);
    assert_close(exact(&got, Metric::Itl, Stat::Percentile(99.0)), 20.0);
    assert!(exact(&got, Metric::Itl, Stat::Percentile(99.9)) > 20.0);
    assert_close(exact(&got, Metric::Itl, Stat::Max), 1500.0);
}

#[test]
fn example_6_three_requests() {
    let run = run(Table::new()
        .row(200.0, &[50.0; 4], 5.0)
        .row(500.0, &[40.0; 5], 6.0)
        .row(700.0, &[100.0; 2], 3.0)
        .starts(&[0.0, 0.1, 0.2])
        .duration(1.1));
    let set = settings(&[("percentile", "rounded-index")]);
    let got = evaluate(&run, &set, &ask(&[]));
    assert_close(exact(&got, Metric::Ttft, Stat::Median), 500.0);
    assert_close(exact(&got, Metric::Ttft, Stat::Percentile(99.0)), 700.0);
    assert_close(exact(&got, Metric::Ttft, Stat::Mean), 1400.0 / 3.0);
    assert_close(exact(&got, Metric::Tpot, Stat::Median), 50.0);
    assert_close(exact(&got, Metric::Tpot, Stat::Mean), 190.0 / 3.0);
    assert_close(exact(&got, Metric::TotalOutputTokens, Stat::Value), 14.0);
    assert_close(exact(&got, Metric::OutputThroughput, Stat::Value), 14.0 / 1.1);
    let good = goodput(&run, &set, &["ttft<=500ms", "tpot<=50ms"]);
    assert_close(good.tokens_per_second.unwrap().exact().unwrap(), 10.0);
}

#[test]
fn example_9_little() {
    let mut table = Table::new();
    for _ in 0..240 {
        table = table.whole(100.0, 12_000.0, 100.0);
    }
    let got = evaluate(&run(table.duration(1.0)), &COMMON.settings, &ask(&[]));
    assert_close(exact(&got, Metric::MeanConcurrency, Stat::Value), 2880.0);
}

#[test]
fn example_10_long_requests_own_the_gaps() {
    let mut table = Table::new();
    for at in 0..100 {
        let n = if at < 80 { 4 } else { 200 };
        table = table.row(100.0, &vec![20.0; n - 1], n as f64);
    }
    let got = evaluate(&run(table), &COMMON.settings, &ask(&[]));
    assert_eq!(got.metrics[&Metric::Itl].summary().unwrap().n, 240 + 3980);
}

#[test]
fn an_unknown_end_is_a_bound_and_never_a_number() {
    // SGLang holds no latency and stops at the end marker.
    let run = run(Table::new().row(100.0, &[20.0; 4], 5.0).stream_end().duration(1.0));
    let got = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_eq!(got.value(Metric::E2e, Stat::Mean), Value::AtLeast(180.0));
    assert!(
        matches!(got.value(Metric::Tpot, Stat::Mean), Value::AtLeast(v) if (v - 20.0).abs() < 1e-9)
    );
    assert!(matches!(got.value(Metric::E2e, Stat::Std), Value::Missing(_)));
    let good = goodput(&run, &own(&run).settings, &["e2e<=200ms"]);
    assert_eq!((good.good.low, good.good.high), (0.0, 1.0));
    let missed = goodput(&run, &own(&run).settings, &["e2e<=170ms"]);
    assert_eq!(missed.good.exact(), Some(0.0), "a bound above the limit is a miss");
    let common = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_close(exact(&common, Metric::E2e, Stat::Mean), 180.0);
}

#[test]
fn printed_values_stand_in_only_under_their_own_definition() {
    let mut run = run(Table::new());
    run.requests = None;
    run.tool = sameruler::model::Tool::Sglang;
    build::print(&mut run, "mean_tpot_ms", Metric::Tpot, Stat::Mean, 14.9);
    build::print(&mut run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 81.8);
    let own = evaluate(&run, &own(&run).settings, &ask(&[]));
    assert_eq!(own.value(Metric::Tpot, Stat::Mean), Value::Reported(14.9));
    let common = evaluate(&run, &COMMON.settings, &ask(&[]));
    assert_eq!(common.value(Metric::Ttft, Stat::Mean), Value::Reported(81.8));
    let Value::Missing(reason) = common.value(Metric::Tpot, Stat::Mean) else { panic!() };
    assert!(reason.contains("14.90 ms") && reason.contains("end = stream-end"), "{reason}");
    run.tool = sameruler::model::Tool::Vllm;
    for preset in [&COMMON, &VLLM] {
        let got = evaluate(&run, &preset.settings, &ask(&[]));
        assert_eq!(got.value(Metric::Tpot, Stat::Mean), Value::Reported(14.9), "{}", preset.id);
    }
    let foreign = evaluate(&run, &SGLANG.settings, &ask(&[]));
    assert!(matches!(foreign.value(Metric::Tpot, Stat::Mean), Value::Missing(_)));
}

/// A3 out of AIPerf's own files: eight tokens in the first chunk, as its records and raw records tell it.
#[test]
fn a3_in_aiperfs_records_and_raw_records() {
    let read = |file: &str| {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
        let bytes = std::fs::read(path).unwrap();
        sameruler::formats::read(file, &bytes, &mut |_| {}).unwrap().remove(0)
    };
    let name = "synthetic-0.13-per-chunk-usage.jsonl";
    let mean = |run: &sameruler::model::Run, settings: &sameruler::metrics::Settings, metric| {
        evaluate(run, settings, &Ask::default()).value(metric, Stat::Mean).exact().unwrap()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    let records = read(&format!("aiperf-records/{name}"));
    near(mean(&records, &own(&records).settings, Metric::Itl), 20.0);
    let raw = read(&format!("aiperf-raw/{name}"));
    let mut settings = COMMON.settings;
    near(mean(&raw, &settings, Metric::Tpot), 800.0 / 47.0);
    settings.set("tpot", "after-first-event").unwrap();
    near(mean(&raw, &settings, Metric::Tpot), 20.0);
    // A copy, which does not remember what came of other rows.
    let mut raw = raw.clone();
    raw.requests.as_mut().unwrap().event_tokens = sameruler::model::Ragged::absent(5);
    assert!(
        evaluate(&raw, &settings, &Ask::default())
            .value(Metric::Tpot, Stat::Mean)
            .exact()
            .is_none()
    );
}
