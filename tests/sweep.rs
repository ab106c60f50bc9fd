//! Differences of two runs, curves of several, and the worked example of one request.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, run, settings};
use sameruler::metrics::{
    Ask, Axis, COMMON, Clear, Curve, CurveAsk, Reached, Subject, Value, achieved_rate, curve,
    difference, evaluate, example, on_axis,
};
use sameruler::model::{Limit, Metric, RequestRate, Run, Stat};

fn limits(texts: &[&str]) -> Vec<Limit> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

/// A run of 200 requests whose gaps hover around `gap`.
fn steady(gap: f64) -> Run {
    let mut table = Table::new();
    for at in 0..200 {
        let wobble = f64::from(at % 7) * 0.1;
        table = table.row(100.0 + f64::from(at % 11), &[gap + wobble; 20], 21.0);
    }
    run(table.duration(10.0))
}

fn compare(a: &Run, b: &Run, metric: Metric, stat: Stat) -> sameruler::metrics::Difference {
    let ask = Ask { percentiles: vec![99.0], limits: limits(&["tpot<=21ms"]), ..Ask::default() };
    difference(a, b, &COMMON.settings, &ask, metric, stat)
}

#[test]
fn a_clear_difference_is_better_or_worse_by_the_metrics_direction() {
    let (fast, slow) = (steady(20.0), steady(22.0));
    for (metric, stat) in [
        (Metric::Tpot, Stat::Mean),
        (Metric::Itl, Stat::Median),
        (Metric::Itl, Stat::Percentile(99.0)),
        (Metric::E2e, Stat::Mean),
    ] {
        let worse = compare(&fast, &slow, metric, stat);
        assert_eq!(worse.clear, Clear::Worse, "{metric:?} {stat:?} {worse:?}");
        let interval = worse.interval.unwrap();
        let change = worse.absolute.exact().unwrap();
        assert!(interval.low <= change && change <= interval.high, "{worse:?}");
        assert_eq!(compare(&slow, &fast, metric, stat).clear, Clear::Better);
    }
    let share = compare(&fast, &slow, Metric::SloShare, Stat::Value);
    assert_eq!(share.clear, Clear::Worse);
    assert_close(share.absolute.exact().unwrap(), -1.0);
}

#[test]
fn the_same_run_is_no_clear_difference_and_gives_the_same_interval_again() {
    let run = steady(20.0);
    let once = compare(&run, &run, Metric::Ttft, Stat::Mean);
    assert!(matches!(once.clear, Clear::NotClear(_)));
    assert_eq!(once, compare(&run, &run, Metric::Ttft, Stat::Mean));
}

#[test]
fn the_interval_of_a_mean_is_about_two_standard_errors() {
    let run = steady(20.0);
    let ask = Ask::default();
    let subject = Subject::new(&run, &COMMON.settings, &ask);
    let ttft = subject.evaluation().metrics[&Metric::Ttft].summary().unwrap().clone();
    let interval = subject.interval(Metric::Ttft, Stat::Mean).unwrap();
    let error = ttft.std.unwrap() / 200_f64.sqrt();
    assert!((interval.low - (ttft.mean - 1.96 * error)).abs() < 0.3 * error, "{interval:?}");
    assert!((interval.high - (ttft.mean + 1.96 * error)).abs() < 0.3 * error, "{interval:?}");
    let median = subject.interval(Metric::Itl, Stat::Median).unwrap();
    assert!(median.low <= 20.3 && 20.3 <= median.high && median.high - median.low < 0.3);
}

#[test]
fn m6() {
    let (mut a, mut b) = (steady(20.0), steady(12.0));
    a.workload.model = Some("m1".into());
    b.workload.model = Some("m2".into());
    let got = compare(&a, &b, Metric::Tpot, Stat::Mean);
    assert!(matches!(got.clear, Clear::NotComparable(reason) if reason.contains("m1 and m2")));
    assert_eq!(got.interval, None);
}

#[test]
fn m7() {
    let mut long = Table::new();
    let mut short = Table::new();
    for _ in 0..50 {
        long = long.whole(50.0, 50.0 + 913.0 * 20.0, 914.0);
        short = short.whole(50.0, 50.0 + 337.0 * 20.0, 338.0);
    }
    let (long, short) = (run(long.duration(60.0)), run(short.duration(60.0)));
    for metric in [Metric::E2e, Metric::OutputThroughput] {
        let stat = if metric == Metric::E2e { Stat::Mean } else { Stat::Value };
        let got = compare(&long, &short, metric, stat);
        assert!(matches!(got.clear, Clear::NotComparable(r) if r.starts_with("lengths differ")));
    }
    let tpot = compare(&long, &short, Metric::Tpot, Stat::Mean);
    assert!(matches!(tpot.clear, Clear::NotClear(_)), "{tpot:?}");
    assert!(tpot.absolute.exact().unwrap().abs() < 1e-9);
}

#[test]
fn kinds_of_load_are_not_mixed() {
    let (mut open, mut closed) = (steady(20.0), steady(20.0));
    open.load.request_rate = Some(RequestRate::PerSecond(8.0));
    closed.load.request_rate = Some(RequestRate::Unlimited);
    closed.load.max_concurrency = Some(8);
    let got = compare(&open, &closed, Metric::Ttft, Stat::Mean);
    assert!(matches!(got.clear, Clear::NotComparable(r) if r.contains("kinds of load")));
    let tpot = compare(&open, &closed, Metric::Tpot, Stat::Mean);
    assert!(matches!(tpot.clear, Clear::NotClear(_)));
}

#[test]
fn a_bound_makes_a_bounded_difference() {
    let exact = run(Table::new().row(100.0, &[20.0; 4], 5.0).duration(1.0));
    let bounded = run(Table::new().row(100.0, &[25.0; 4], 5.0).stream_end().duration(1.0));
    let set = settings(&[("end", "stream-end")]);
    let got = difference(&exact, &bounded, &set, &Ask::default(), Metric::E2e, Stat::Mean);
    assert!(matches!(got.absolute, Value::Missing(_)), "both are lower bounds: {got:?}");
    let common =
        difference(&exact, &bounded, &COMMON.settings, &Ask::default(), Metric::E2e, Stat::Mean);
    assert_close(common.absolute.exact().unwrap(), 20.0);
}

fn drawn(runs: &[Run], x: Axis, y: Axis, slo: &[&str]) -> Curve {
    let limits = limits(slo);
    let ask = Ask { percentiles: vec![99.0], limits: limits.clone(), ..Ask::default() };
    let wanted =
        CurveAsk { x, y, limits: &limits, attain: None, limit_stat: Stat::Mean, intervals: false };
    curve(runs.iter().map(|run| Subject::new(run, &COMMON.settings, &ask)).collect(), &wanted)
}

const TPS: Axis = Axis::Metric(Metric::OutputThroughput, Stat::Value);

/// A run without requests, only what was printed.
fn printed(rate: f64, values: &[(Metric, Stat, f64)]) -> Run {
    let mut run = run(Table::new());
    run.requests = None;
    run.load.request_rate = Some(RequestRate::PerSecond(rate));
    for (metric, stat, value) in values {
        build::print(&mut run, metric.name(), *metric, *stat, *value);
    }
    run
}

#[test]
fn n1() {
    let speeds = [(10.0, 100.0), (5.0, 100.0), (10.0, 100.0), (20.0, 60.0)];
    // Four loads: runs of one load would be repeats, and one point.
    let runs: Vec<Run> = speeds
        .iter()
        .zip([1.0, 2.0, 3.0, 4.0])
        .map(|((user, gpu), rate)| {
            printed(
                rate,
                &[
                    (Metric::RequestThroughput, Stat::Value, *user),
                    (Metric::OutputThroughput, Stat::Value, *gpu),
                ],
            )
        })
        .collect();
    let got = drawn(&runs, Axis::Metric(Metric::RequestThroughput, Stat::Value), TPS, &[]);
    let kept: Vec<_> = got
        .frontier
        .iter()
        .map(|at| (got.points[*at].x.number().unwrap(), got.points[*at].y.number().unwrap()))
        .collect();
    assert_eq!(kept, [(10.0, 100.0), (10.0, 100.0), (20.0, 60.0)]);
}

#[test]
fn h4() {
    let runs: Vec<Run> = [(64.0, 3200.0, 180.0, 24.0), (96.0, 4100.0, 240.0, 31.0)]
        .iter()
        .map(|(load, throughput, ttft, tpot)| {
            printed(
                *load,
                &[
                    (Metric::OutputThroughput, Stat::Value, *throughput),
                    (Metric::Ttft, Stat::Mean, *ttft),
                    (Metric::Tpot, Stat::Mean, *tpot),
                ],
            )
        })
        .collect();
    let got = drawn(&runs, TPS, Axis::Metric(Metric::Ttft, Stat::Mean), &["ttft<=200", "tpot<=25"]);
    assert_eq!(got.throughput_peak.unwrap().index, 1);
    assert_eq!(got.best_within, Some(0));
    assert_eq!(got.goodput_peak, None, "printed statistics are no goodput");
}

#[test]
fn n4() {
    let got = drawn(&[steady(20.0)], TPS, Axis::Metric(Metric::Ttft, Stat::Mean), &["tpot<=25ms"]);
    assert_eq!((got.points.len(), got.frontier.as_slice()), (1, &[0][..]));
    assert!(got.knee.is_err());
    assert!(got.goodput_peak.unwrap().at_edge);
}

#[test]
fn f5_and_g3_rates_that_were_sent() {
    let sends = |count: usize, span: f64| {
        let mut table = Table::new();
        let mut starts = Vec::new();
        for at in 0..count {
            starts.push(span * at as f64 / (count - 1) as f64);
            table = table.whole(100.0, 200.0, 2.0);
        }
        achieved_rate(&run(table.starts(&starts))).unwrap()
    };
    assert_close(sends(580, 50.0), 11.6);
    assert!((sends(100, 14.3) - 6.99).abs() < 0.005);
}

/// A sweep through saturation: the server serves 10 requests a second and no more.
fn sweep() -> Vec<Run> {
    [2.0_f64, 4.0, 6.0, 8.0, 10.0, 14.0, 20.0]
        .iter()
        .map(|rate| {
            let mut table = Table::new();
            let mut starts = Vec::new();
            let served = rate.min(10.0);
            let mut finish = 0.0_f64;
            let count = (rate * 30.0) as usize;
            for at in 0..count {
                let start = at as f64 / rate;
                finish = (finish + 1.0 / 10.0).max(start + 0.1);
                starts.push(start);
                let ttft = (finish - start) * 1e3;
                table = table.row(ttft, &[10.0; 10], 11.0);
            }
            let duration = count as f64 / served + 0.2;
            let mut run = run(table.starts(&starts).duration(duration));
            run.load.request_rate = Some(RequestRate::PerSecond(*rate));
            run
        })
        .collect()
}

#[test]
fn saturation_and_peaks_of_a_sweep() {
    let mut runs = sweep();
    runs.reverse();
    let y = Axis::Metric(Metric::Ttft, Stat::Mean);
    let got = drawn(&runs, Axis::RequestedRate, y, &["ttft<=500ms"]);
    let rates: Vec<_> = got.points.iter().map(|p| p.requested_rate.unwrap()).collect();
    assert_eq!(rates, [2.0, 4.0, 6.0, 8.0, 10.0, 14.0, 20.0], "points are in the order of load");
    assert_eq!(got.saturated_from, Some(5));
    let peak = got.goodput_peak.unwrap();
    assert_eq!((peak.index, peak.at_edge), (4, false));
    assert_eq!(peak.between, [Some(8.0), Some(14.0)]);
    assert_eq!(got.knee.map(|k| k.index), Ok(4));
}

#[test]
fn a_straight_line_has_no_knee() {
    let runs: Vec<Run> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
        .iter()
        .map(|load| printed(*load, &[(Metric::Ttft, Stat::Mean, 10.0 * load)]))
        .collect();
    let got = drawn(&runs, Axis::RequestedRate, Axis::Metric(Metric::Ttft, Stat::Mean), &[]);
    assert!(got.knee.is_err());
}

#[test]
fn the_worked_example_fills_in_the_numbers() {
    let gaps = [vec![30.0; 20], vec![35.0; 5], vec![110.87]].concat();
    let run = run(Table::new().row(96.97, &gaps, 59.0));
    let got = example(&run, &COMMON.settings, 1).unwrap();
    assert_eq!((got.number, got.of, got.events.len()), (1, 1, 27));
    let worked = |dimension: &str, choice: &str| {
        got.worked.iter().find(|w| w.dimension == dimension && w.choice == choice).unwrap()
    };
    assert_eq!(
        worked("tpot", "after-first").formula.as_deref(),
        Some("(982.84 − 96.97) ÷ (59 − 1) = 15.27 ms")
    );
    assert_eq!(worked("tpot", "whole-over-n").formula.as_deref(), Some("982.84 ÷ 59 = 16.66 ms"));
    assert_eq!(worked("tpot", "visible-gaps").formula.as_deref(), Some("885.87 ÷ 26 = 34.07 ms"));
    assert_eq!(worked("itl", "event-gap").formula.as_deref(), Some("median of 26 gaps = 30.00 ms"));
    for choice in ["token-spread", "token-zeros"] {
        let reason = worked("itl", choice).result.as_ref().unwrap_err();
        assert!(reason.contains("tokens of each event"), "{reason}");
    }
    assert!(worked("tpot", "after-first-event").result.is_err());
}

/// The highest load of the sweep at which `share` of the requests keep TTFT ≤ 500 ms.
fn attained(share: f64, slo: &str) -> Option<Reached> {
    let limits = limits(&[slo]);
    let ask = Ask { limits: limits.clone(), ..Ask::default() };
    let runs = sweep();
    let (x, y) = (Axis::RequestedRate, Axis::Metric(Metric::Ttft, Stat::Mean));
    let wanted = CurveAsk {
        x,
        y,
        limits: &limits,
        attain: Some(share),
        limit_stat: Stat::Mean,
        intervals: false,
    };
    let subjects = runs.iter().rev().map(|run| Subject::new(run, &COMMON.settings, &ask));
    curve(subjects.collect(), &wanted).attainment.map(|found| found.reached)
}

#[test]
fn the_highest_load_that_attains_a_share_has_the_next_one_beside_it() {
    let Some(Reached::At { index, share, next, missed_below }) = attained(0.9, "ttft<=500ms")
    else {
        panic!("10 req/s are served as they come");
    };
    assert_eq!((index, missed_below), (4, None), "10 req/s, in order of load");
    assert_close(share.exact().unwrap(), 1.0);
    let (after, share) = next.unwrap();
    assert_eq!(after, 5);
    assert!(share.unwrap().high < 0.9, "{share:?}");
}

#[test]
fn a_share_reached_at_the_highest_load_or_at_none_is_said_as_that() {
    let Some(Reached::At { index, next, .. }) = attained(0.9, "ttft<=1000s") else {
        panic!("every load keeps so wide a limit");
    };
    assert_eq!((index, next), (6, None), "the highest load attains it: at least");
    let Some(Reached::Below { lowest, share }) = attained(0.9, "ttft<=1ms") else {
        panic!("no load keeps 1 ms");
    };
    assert_eq!((lowest, share.exact()), (0, Some(0.0)));
}

#[test]
fn n3() {
    let mut run = printed(4.0, &[(Metric::OutputThroughput, Stat::Value, 100.0)]);
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    let unknown = on_axis(&run, &got, Axis::OutputPerAccelerator);
    assert!(
        matches!(&unknown, Value::Missing(why) if why.contains("none is assumed")),
        "{unknown:?}"
    );
    run.load.gpus = Some(8);
    assert_eq!(on_axis(&run, &got, Axis::OutputPerAccelerator), Value::Reported(12.5));
}

#[test]
fn the_interval_of_a_goodput_difference_is_in_its_unit_also_where_one_run_has_none() {
    let of = |ttft: f64, secs: f64| {
        let mut table = Table::new();
        for at in 0..40 {
            table = table.whole(if at < 20 { ttft } else { 900.0 }, 1000.0, 11.0);
        }
        run(table.duration(secs))
    };
    let interval = |secs: f64| {
        let ask = Ask { limits: limits(&["ttft<=500ms"]), ..Ask::default() };
        let (half, none) = (of(100.0, secs), of(900.0, secs));
        let got = difference(&half, &none, &COMMON.settings, &ask, Metric::Goodput, Stat::Value);
        assert_close(got.absolute.exact().unwrap(), -20.0 / secs);
        got.interval.unwrap()
    };
    let (once, twice) = (interval(10.0), interval(20.0));
    assert_close(once.low, 2.0 * twice.low);
    assert_close(once.high, 2.0 * twice.high);
}
