//! Public faults with two competing numbers: the bridge goes from the wrong to the right one and names the
//! cause. Named after their ids in the collection of handed cases.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, print, run, settings};
use sameruler::metrics::Ask;
use sameruler::metrics::bridge::{Bridge, Number, Route, bridge, reported};
use sameruler::model::{Column, FirstTokenRule, Metric, Origin, Outcome, Run, Stat, TokenSource};
use sameruler::units::Seconds;

/// A number on the common ruler with some choices changed.
type Wanted<'a> = (Metric, Stat, &'a [(&'a str, &'a str)]);

fn walk_under(run: &Run, ask: &Ask, from: Wanted<'_>, to: Wanted<'_>) -> Bridge {
    let number = |(metric, stat, changes): Wanted<'_>| Number {
        run,
        metric,
        stat,
        settings: settings(changes),
        ask,
    };
    (*bridge(&number(from), &number(to), &Route::default()).unwrap()).clone()
}

fn walk(run: &Run, from: Wanted<'_>, to: Wanted<'_>) -> Bridge {
    walk_under(run, &Ask::default(), from, to)
}

/// From one number to the other, closing, with this step the largest and these words in its cause.
#[track_caller]
fn leads(bridge: &Bridge, from: f64, to: f64, step: &str, cause: &str) {
    assert_close(bridge.a.value.exact_or_reported().unwrap(), from);
    assert_close(bridge.b.value.exact_or_reported().unwrap(), to);
    assert_close(bridge.explained().unwrap(), to - from);
    let size = |s: &sameruler::metrics::bridge::Step| s.exact().unwrap().abs();
    let largest = bridge.steps.iter().max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
    assert_eq!(largest.dimension, step, "{bridge:#?}");
    assert!(largest.because.contains(cause), "{}", largest.because);
}

const MEAN: Stat = Stat::Mean;

#[test]
fn a1_a_chunk_gap_is_not_a_token_time() {
    let run = run(Table::new().row(500.0, &[300.0, 100.0], 9.0).events(&[1.0, 6.0, 2.0]));
    let found = walk(&run, (Metric::Itl, MEAN, &[]), (Metric::Tpot, MEAN, &[]));
    leads(&found, 200.0, 50.0, "itl/tpot", "4.00 tokens in a chunk");
    let spread = (Metric::Itl, MEAN, &[("itl", "token-spread")][..]);
    leads(&walk(&run, (Metric::Itl, MEAN, &[]), spread), 200.0, 50.0, "itl", "8 tokens");
}

/// A peak below the mean can't be: the one counts events, the other tokens.
#[test]
fn a2_a_peak_counts_events() {
    let run = run(Table::new().row(250.0, &[250.0; 7], 32.0).starts(&[0.0]).duration(2.0));
    let peak = (Metric::PeakOutputRate, Stat::Value, &[][..]);
    let found = walk(&run, peak, (Metric::OutputThroughput, Stat::Value, &[]));
    leads(&found, 4.0, 16.0, "metric", "4.00 tokens in a chunk");
}

#[test]
fn a3_the_first_chunk_holds_several_tokens() {
    let run = run(Table::new().whole(200.0, 1000.0, 48.0).events(&[8.0, 40.0]));
    let fair = (Metric::Tpot, MEAN, &[("tpot", "after-first-event")][..]);
    let found = walk(&run, (Metric::Tpot, MEAN, &[]), fair);
    leads(&found, 800.0 / 47.0, 20.0, "tpot", "8.00 tokens");
}

#[test]
fn a5_the_median_of_bursts_is_no_speed() {
    let gaps = [0.02, 0.02, 60.0, 0.02, 0.02, 60.0, 0.02, 0.02, 60.0];
    let run = run(Table::new().row(100.0, &gaps, 10.0));
    let found = walk(&run, (Metric::Itl, Stat::Median, &[]), (Metric::Itl, MEAN, &[]));
    leads(&found, 0.02, 180.12 / 9.0, "statistic", "the largest is 60.0 ms");
    // To TPOT it is the same way, whichever of the two is changed first.
    let found = walk(&run, (Metric::Itl, Stat::Median, &[]), (Metric::Tpot, MEAN, &[]));
    assert_close(found.explained().unwrap(), 180.12 / 9.0 - 0.02);
    assert!(found.story.is_some(), "{found:#?}");
}

#[test]
fn a7_a_late_first_chunk_swallows_ten_tokens() {
    let run = run(Table::new().row(10_000.0, &[10_000.0; 4], 50.0).events(&[10.0; 5]));
    let fair = (Metric::Tpot, MEAN, &[("tpot", "after-first-event")][..]);
    let found = walk(&run, (Metric::Tpot, MEAN, &[]), fair);
    leads(&found, 40_000.0 / 49.0, 1000.0, "tpot", "10.0 tokens");
}

#[test]
fn a8_tokens_that_were_never_seen_arriving() {
    let run = run(Table::new().row(1000.0, &[50.0; 7], 20.0));
    let visible = (Metric::Tpot, MEAN, &[("tpot", "visible-gaps")][..]);
    let found = walk(&run, (Metric::Tpot, MEAN, &[]), visible);
    leads(&found, 350.0 / 19.0, 50.0, "tpot", "7 gaps carry 19 tokens");
}

#[test]
fn a9_one_name_for_per_token_and_per_chunk() {
    let run = run(Table::new().row(100.0, &[80.0, 80.0], 9.0).events(&[1.0, 4.0, 4.0]));
    let native = (Metric::Itl, MEAN, &[("itl", "token-spread")][..]);
    let found = walk(&run, (Metric::Itl, MEAN, &[]), native);
    leads(&found, 80.0, 20.0, "itl", "4.00 tokens in a chunk");
}

/// What a client timed that stops at an empty chunk can't be had again: the bridge says so.
#[test]
fn b1_an_empty_chunk_stopped_the_clock() {
    let run = run(Table::new().row(50.0, &[[400.0].as_slice(), &[100.0; 10]].concat(), 11.0));
    let text = (Metric::Tpot, MEAN, &[("first-token", "first-text")][..]);
    let found = walk(&run, (Metric::Tpot, MEAN, &[]), text);
    assert_close(found.a.value.exact().unwrap(), 140.0);
    assert!(found.steps.is_empty() && found.b.value.exact().is_none(), "{found:#?}");
    assert!(found.stopped.unwrap().contains("may carry no text"));
    assert_eq!(found.unmeasured[0].dimension, "first-token");
}

/// A TTFT that is the E2E leaves no decode time: there is no number to start from, and no 0.
#[test]
fn b5_a_clock_that_the_usage_chunk_stopped() {
    let run = run(Table::new().whole(3000.0, 3000.0, 29.0));
    let ask = Ask::default();
    let number = |changes| Number {
        run: &run,
        metric: Metric::Tpot,
        stat: MEAN,
        settings: settings(changes),
        ask: &ask,
    };
    let whole = number(&[("tpot", "whole-over-n")]);
    let refused = bridge(&number(&[]), &whole, &Route::default()).unwrap_err();
    assert!(refused.to_string().contains("has no TPOT mean"), "{refused}");
}

#[test]
fn b3_the_answer_comes_after_the_reasoning() {
    let mut run = run(Table::new().whole(300.0, 8300.0, 80.0));
    let requests = run.requests.as_mut().unwrap();
    requests.first_token_rule = FirstTokenRule::FirstText;
    let answer = std::iter::once(Some(Seconds::from_millis(6300.0)));
    requests.first_answer = Column::from_options(Origin::Reported, answer);
    let late = [("first-token", "first-answer")];
    let found = walk(&run, (Metric::Ttft, MEAN, &late), (Metric::Ttft, MEAN, &[]));
    leads(&found, 6300.0, 300.0, "first-token", "A starts at the answer");
    let found = walk(&run, (Metric::Tpot, MEAN, &late), (Metric::Tpot, MEAN, &[]));
    leads(&found, 2000.0 / 79.0, 8000.0 / 79.0, "first-token", "reasoning takes 6,000 ms");
}

#[test]
fn b6_a_trailing_chunk_moves_the_end() {
    let table = Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[230.0]).stream_end();
    let run = run(table);
    let closed = (Metric::Tpot, MEAN, &[("end", "stream-end")][..]);
    let last = (Metric::Tpot, MEAN, &[("end", "last-token")][..]);
    leads(
        &walk(&run, closed, last),
        32.5,
        20.0,
        "end",
        "A stops when the stream closes, B at the last token, 50.0 ms earlier",
    );
}

#[test]
fn c1_a_text_is_counted_otherwise_than_it_was_sent() {
    let table = Table::new().whole(200.0, 1200.0, 51.0).source(TokenSource::Server);
    let run = run(table.retokenized(&[6.0]));
    let own = (Metric::Tpot, MEAN, &[("token-count", "retokenized")][..]);
    let server = (Metric::Tpot, MEAN, &[("token-count", "server")][..]);
    leads(&walk(&run, own, server), 200.0, 20.0, "token-count", "B 51 by the server");
}

#[test]
fn c3_the_requested_length_is_not_what_came() {
    let table = Table::new().whole(220.0, 4300.0, 1024.0).source(TokenSource::Requested);
    let run = run(table.retokenized(&[205.0]));
    let asked = (Metric::Tpot, MEAN, &[("token-count", "as-recorded")][..]);
    let came = (Metric::Tpot, MEAN, &[("token-count", "retokenized")][..]);
    leads(&walk(&run, asked, came), 4080.0 / 1023.0, 20.0, "token-count", "A counts 1,024");
}

#[test]
fn c4_stamps_that_no_token_came_at() {
    // Each one-token chunk stamped twice, for a begin token too: four gaps of 20 ms and five of 0.
    let gaps = [0.0, 20.0, 0.0, 20.0, 0.0, 20.0, 0.0, 20.0, 0.0];
    let run = run(Table::new().row(100.0, &gaps, 5.0).source(TokenSource::Server));
    let found = walk(&run, (Metric::Itl, MEAN, &[]), (Metric::Tpot, MEAN, &[]));
    leads(&found, 80.0 / 9.0, 20.0, "itl/tpot", "9 gaps carry 4 tokens");
}

#[test]
fn d1_every_request_or_every_gap_has_a_vote() {
    let run = run(Table::new().row(100.0, &[200.0], 2.0).row(100.0, &[20.0; 10], 11.0));
    let found = walk(&run, (Metric::Tpot, MEAN, &[]), (Metric::Itl, MEAN, &[]));
    leads(&found, 110.0, 400.0 / 11.0, "weighting", "2 to 11 tokens");
}

/// 1000 ÷ the spread of TPOT is no spread of speed: nothing leads there.
#[test]
fn d2_a_spread_has_no_reciprocal() {
    let table =
        [9.5, 10.0, 10.5].iter().fold(Table::new(), |t, gap| t.row(100.0, &[*gap; 10], 11.0));
    let run = run(table);
    let turned = (Metric::UserSpeed, Stat::Std, &[("user-speed", "reciprocal-of-tpot")][..]);
    let found = walk(&run, (Metric::UserSpeed, Stat::Std, &[]), turned);
    assert!((found.a.value.exact().unwrap() - 4.09).abs() < 0.005);
    assert!(found.steps.is_empty(), "{found:#?}");
    assert!(found.stopped.unwrap().contains("spread"));
}

#[test]
fn d4_a_percentile_of_few_samples_is_its_rule() {
    let table = (0..19).fold(Table::new(), |table, _| table.whole(100.0, 500.0, 5.0));
    let run = run(table.whole(400.0, 500.0, 5.0));
    let p99 = Stat::Percentile(99.0);
    let nearest = (Metric::Ttft, p99, &[("percentile", "nearest-rank")][..]);
    leads(
        &walk(&run, (Metric::Ttft, p99, &[]), nearest),
        343.0,
        400.0,
        "percentile",
        "20 samples, other rule: type 7 against nearest rank",
    );
}

#[test]
fn e1_a_latency_that_was_never_set() {
    let run = run(Table::new().whole(800.0, 0.0, 9.0).whole(100.0, 260.0, 9.0));
    let kept = (Metric::Tpot, MEAN, &[("empty-outputs", "as-success")][..]);
    let found = walk(&run, kept, (Metric::Tpot, MEAN, &[]));
    leads(&found, -40.0, 20.0, "empty-outputs", "1 reply whose times are no measurement");
}

#[test]
fn e3_replies_without_a_token_are_no_samples() {
    let empty = |table: Table| table.row(0.0, &[], 0.0);
    let run =
        run(empty(empty(empty(Table::new()))).row(50.0, &[10.0], 2.0).row(60.0, &[10.0], 2.0));
    let kept = (Metric::Ttft, Stat::Median, &[("empty-outputs", "as-success")][..]);
    let found = walk(&run, kept, (Metric::Ttft, Stat::Median, &[]));
    leads(&found, 0.0, 55.0, "empty-outputs", "3 replies without a token");
}

#[test]
fn e5_what_was_cut_was_served_too() {
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.whole(100.0, 900.0, 100.0);
    }
    for _ in 0..4 {
        table = table.whole(100.0, 900.0, 80.0).outcome(Outcome::Cancelled);
    }
    let run = run(table.duration(10.0));
    let all = (Metric::OutputThroughput, Stat::Value, &[("population", "ok-and-cut")][..]);
    let found = walk(&run, (Metric::OutputThroughput, Stat::Value, &[]), all);
    leads(&found, 40.0, 72.0, "population", "4 cut requests are in B only");
}

#[test]
fn e6_tokens_that_were_asked_for_and_never_came() {
    let table = (0..10).fold(Table::new(), |table, _| table.row(0.0, &[], 200.0));
    let table = table.source(TokenSource::Requested).retokenized(&[0.0; 10]).duration(4.0);
    let run = run(table);
    let booked = [("empty-outputs", "as-success"), ("token-count", "as-recorded")];
    let seen = [("empty-outputs", "as-success"), ("token-count", "retokenized")];
    let rate = Metric::OutputThroughput;
    let found = walk(&run, (rate, Stat::Value, &booked), (rate, Stat::Value, &seen));
    leads(&found, 500.0, 0.0, "token-count", "A counts 2,000");
    let found = walk(&run, (rate, Stat::Value, &booked), (rate, Stat::Value, &[]));
    leads(&found, 500.0, 0.0, "empty-outputs", "10 replies without a token");
}

#[test]
fn f1_a_run_fills_up_and_drains() {
    let stream = |seconds: usize| vec![20.0; seconds * 50 - 1];
    let mut table = Table::new().row(20.0, &stream(30), 1500.0);
    for _ in 0..3 {
        table = table.row(20.0, &stream(20), 1000.0);
    }
    let run = run(table.starts(&[0.0, 5.0, 5.0, 5.0]).duration(30.0));
    let steady = [("window", "steady:0.9"), ("duration", "window")];
    let rate = Metric::OutputThroughput;
    let found = walk(&run, (rate, Stat::Value, &[]), (rate, Stat::Value, &steady));
    assert_close(found.a.value.exact().unwrap(), 150.0);
    assert!((found.b.value.exact().unwrap() - 200.0).abs() < 0.5, "{found:#?}");
    assert_close(found.explained().unwrap(), found.difference().unwrap());
    let named = |id: &str| found.steps.iter().any(|step| step.dimension.contains(id));
    assert!(named("window") && named("duration"), "{found:#?}");
}

#[test]
fn f3_the_first_wave_meets_a_cold_engine() {
    let mut table = Table::new();
    for at in 0..100 {
        let ttft = if at < 10 { 50_000.0 } else { 700.0 };
        table = table.whole(ttft, ttft + 100.0, 5.0);
    }
    let starts: Vec<f64> = (0..100).map(f64::from).collect();
    let run = run(table.starts(&starts));
    let warm = (Metric::Ttft, MEAN, &[("window", "skip-first:10")][..]);
    let found = walk(&run, (Metric::Ttft, MEAN, &[]), warm);
    leads(&found, 5630.0, 700.0, "window", "B leaves out the first 10 requests: 90 of 100");
}

#[test]
fn f5_a_rate_needs_its_window() {
    let mut table = Table::new();
    let starts: Vec<f64> = (0..580).map(|at| f64::from(at) * 50.0 / 579.0).collect();
    for _ in 0..580 {
        table = table.whole(100.0, 8000.0, 5.0);
    }
    let run = run(table.starts(&starts).duration(60.5));
    let printed = (Metric::RequestThroughput, Stat::Value, &[("duration", "as-reported")][..]);
    let served =
        (Metric::RequestThroughput, Stat::Value, &[("duration", "first-send-to-last-end")][..]);
    leads(
        &walk(&run, printed, served),
        580.0 / 60.5,
        10.0,
        "duration",
        "58.00 s instead of 60.50 s",
    );
}

#[test]
fn g1_waits_in_the_client_are_left_out() {
    let table = (0..6).fold(Table::new(), |table, _| table.whole(100.0, 400.0, 5.0));
    let run = run(table.waits(&[0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]));
    let due = (Metric::E2e, MEAN, &[("clock-start", "scheduled")][..]);
    let found = walk(&run, (Metric::E2e, MEAN, &[]), due);
    leads(&found, 400.0, 900.0, "clock-start", "500 ms on average, is inside");
}

#[test]
fn h1_a_reply_of_one_token_passes_or_fails() {
    let table =
        Table::new().whole(100.0, 130.0, 2.0).whole(100.0, 100.0, 1.0).whole(100.0, 180.0, 2.0);
    let run = run(table.duration(10.0));
    let limits = ["ttft<=200ms", "tpot<=50ms"].map(|limit| limit.parse().unwrap()).to_vec();
    let ask = Ask { limits, ..Ask::default() };
    let passes = (Metric::Goodput, Stat::Value, &[("goodput-missing", "passes")][..]);
    let fails = (Metric::Goodput, Stat::Value, &[("goodput-missing", "fails")][..]);
    let found = walk_under(&run, &ask, passes, fails);
    leads(&found, 0.2, 0.1, "goodput-missing", "good requests go from 2 to 1");
}

#[test]
fn h5_a_share_needs_its_denominator() {
    let mut table = Table::new();
    for at in 0..10 {
        table = table.whole(100.0, 200.0, 5.0);
        if at >= 6 {
            table = table.outcome(Outcome::Failed);
        }
    }
    let run = run(table.duration(5.0));
    let ask = Ask { limits: vec!["ttft<=200ms".parse().unwrap()], ..Ask::default() };
    let finished = (Metric::SloShare, Stat::Value, &[("goodput-unit", "share-of-finished")][..]);
    let sent = (Metric::SloShare, Stat::Value, &[("goodput-unit", "share-of-sent")][..]);
    let found = walk_under(&run, &ask, finished, sent);
    leads(&found, 1.0, 0.6, "goodput-unit", "out of 10 instead of 6");
}

#[test]
fn i1_the_first_token_inside() {
    let run = run(Table::new().whole(1000.0, 2000.0, 11.0));
    let whole = (Metric::Tpot, MEAN, &[("tpot", "whole-over-n")][..]);
    let found = walk(&run, whole, (Metric::Tpot, MEAN, &[]));
    leads(&found, 2000.0 / 11.0, 100.0, "tpot", "1,000 ms on average, is no longer inside");
    assert!(
        found.sentence.starts_with("A starts at the send, B starts at the first token"),
        "{}",
        found.sentence
    );
}

#[test]
fn i2_three_times_per_token() {
    let run = run(Table::new().whole(500.0, 2500.0, 21.0));
    let right = (Metric::Tpot, MEAN, &[][..]);
    let whole = (Metric::Tpot, MEAN, &[("tpot", "whole-over-n")][..]);
    leads(&walk(&run, whole, right), 2500.0 / 21.0, 100.0, "tpot", "500 ms");
    let over_n = (Metric::Tpot, MEAN, &[("tpot", "after-first-over-n")][..]);
    leads(&walk(&run, over_n, right), 2000.0 / 21.0, 100.0, "tpot", "n against n − 1");
}

#[test]
fn i3_total_is_mostly_input() {
    let run = run(Table::new().whole(100.0, 1000.0, 1000.0).input(&[8000.0]).duration(1.0));
    let total = (Metric::TotalThroughput, Stat::Value, &[][..]);
    let found = walk(&run, total, (Metric::OutputThroughput, Stat::Value, &[]));
    leads(&found, 9000.0, 1000.0, "metric", "8,000 input");
}

#[test]
fn i5_speed_from_the_send_or_once_it_flows() {
    let run = run(Table::new().whole(3000.0, 5000.0, 100.0));
    let whole = (Metric::UserSpeed, MEAN, &[("user-speed", "whole")][..]);
    let decode = (Metric::UserSpeed, MEAN, &[("user-speed", "decode")][..]);
    leads(&walk(&run, whole, decode), 20.0, 49.5, "user-speed", "3,000 ms");
}

#[test]
fn j3_five_tokens_in_three_chunks() {
    let run = run(Table::new().row(200.0, &[50.0, 50.0], 5.0));
    let found = walk(&run, (Metric::Itl, MEAN, &[]), (Metric::Tpot, MEAN, &[]));
    leads(&found, 50.0, 25.0, "itl/tpot", "2 gaps carry 4 tokens");
}

/// Two runs of equal speed whose replies differ in length, and two of other models: no definition explains
/// E2E, and the rest is not to be read as a difference.
#[test]
fn m6_and_m7_what_is_no_measurement_of_one_thing() {
    let of = |tokens: f64, model: &str, name: &str| {
        let mut table = Table::new();
        for at in 0..20 {
            let n = tokens + f64::from(at);
            table = table.whole(50.0, 50.0 + 20.0 * (n - 1.0), n);
        }
        let mut run = run(table);
        run.workload.model = Some(model.into());
        run.id = sameruler::model::RunId::of(&sameruler::model::Digest::of(name.as_bytes()), 0);
        name.clone_into(&mut run.name);
        run
    };
    let (long, short, other) =
        (of(914.0, "m1", "long"), of(338.0, "m1", "short"), of(914.0, "m2", "other"));
    let ask = Ask::default();
    let between = |a: &Run, b: &Run, metric| {
        let number = |run| Number { run, metric, stat: MEAN, settings: settings(&[]), ask: &ask };
        (*bridge(&number(a), &number(b), &Route::default()).unwrap()).clone()
    };
    let found = between(&long, &short, Metric::E2e);
    assert!(found.steps.is_empty(), "{found:#?}");
    let rest = found.remainder.unwrap();
    assert_close(rest.change, -(914.0 - 338.0) * 20.0);
    assert!(rest.because.contains("not to be read as one measurement"), "{}", rest.because);
    let found = between(&long, &short, Metric::Tpot);
    assert!(found.remainder.unwrap().because.starts_with("Nothing is left over"));
    let rest = between(&long, &other, Metric::E2e).remainder.unwrap();
    assert!(rest.because.contains("model"), "{}", rest.because);
}

/// What the file prints is in seconds under a name that says ms: no definition explains it.
#[test]
fn i7_a_printed_number_in_another_unit_is_left_over() {
    let mut run = run(Table::new().whole(250.0, 500.0, 5.0));
    print(&mut run, "mean_ttft_ms", Metric::Ttft, MEAN, 0.25);
    let value = run.reported.values.last().unwrap().clone();
    let ask = Ask::default();
    let found = reported(&run, &value, &settings(&[]), &ask, &Route::default()).unwrap();
    let rest = found.remainder.as_ref().unwrap();
    assert_close(found.explained().unwrap() + rest.change, 249.75);
    assert!(rest.change > 249.0, "{found:#?}");
    assert!(rest.because.contains("0.00100 times"), "{}", rest.because);
    assert!(rest.because.contains("in seconds"), "{}", rest.because);
}
