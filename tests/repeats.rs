//! Repeats of one measurement: what is said of each, of all, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, print, run};
use sameruler::metrics::{
    Ask, COMMON, Method, Repeated, Subject, Together, Value, evaluate, repeated,
};
use sameruler::model::{Metric, RequestRate, Run, Stat};
use sameruler::views::Context;
use sameruler::views::groups::repeats;
use sameruler::views::repeats::repeats as repeats_card;

const P99: Stat = Stat::Percentile(99.0);

/// A run of requests with these TTFT in ms, of four gaps each.
fn of(ttfts: &[f64], gap: f64) -> Run {
    let table = ttfts.iter().fold(Table::new(), |table, ttft| table.row(*ttft, &[gap; 4], 5.0));
    run(table.duration(ttfts.len() as f64 / 10.0))
}

/// The same set-up and load, told apart by their place.
fn repeat(number: usize, mut run: Run) -> Run {
    run.id = sameruler::model::RunId::of(&sameruler::model::Digest::of(&[number as u8]), 0);
    run.name = format!("run {}", number + 1);
    run.load.request_rate = Some(RequestRate::PerSecond(8.0));
    run
}

fn over(runs: &[Run], metric: Metric, stat: Stat) -> Repeated {
    let subjects: Vec<_> =
        runs.iter().map(|run| Subject::new(run, &COMMON.settings, &Ask::default())).collect();
    repeated(&subjects, metric, stat)
}

#[test]
fn d5() {
    let routes = [of(&[50.0; 990], 20.0), of(&[1000.0; 10], 20.0)];
    let found = over(&routes, Metric::Ttft, P99);
    assert_eq!(found.each, [Value::Exact(50.0), Value::Exact(1000.0)], "each stands by itself");
    let Together::Pooled(pooled) = found.together else { panic!("{:?}", found.together) };
    assert_close(pooled.summary.stat(P99).unwrap(), 59.5);
    assert_eq!((pooled.summary.n, pooled.summary.requests), (1000, 1000));
}

#[test]
fn d5_with_aggregates_only_there_is_no_combined_percentile() {
    let printed = |p99: f64, mean: f64| {
        let mut run = of(&[], 20.0);
        run.requests = None;
        print(&mut run, "p99_ttft_ms", Metric::Ttft, P99, p99);
        print(&mut run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, mean);
        run
    };
    let runs = [printed(50.0, 40.0), printed(1000.0, 60.0), printed(70.0, 50.0)];
    let found = over(&runs, Metric::Ttft, P99);
    assert_eq!(found.each.len(), 3);
    assert_eq!(found.each[1], Value::Reported(1000.0));
    let Together::Refused(because) = found.together else { panic!("{:?}", found.together) };
    assert!(because.contains("percentiles can’t be averaged"), "{because}");
    // Means are numbers of runs, and have a centre.
    let Together::OverRuns(all) = over(&runs, Metric::Ttft, Stat::Mean).together else { panic!() };
    assert_close(all.median, 50.0);
    assert_close(all.mad, 10.0);
}

#[test]
fn three_repeats_have_a_t_interval_and_two_only_a_range() {
    let runs = [9.0, 10.0, 12.0].map(|gap| of(&[100.0; 40], gap));
    let Together::OverRuns(all) = over(&runs, Metric::Tpot, Stat::Mean).together else { panic!() };
    assert_close(all.median, 10.0);
    assert_close(all.mad, 1.0);
    assert_close(all.mean, 31.0 / 3.0);
    // t of two degrees of freedom 4.302653, standard deviation 1.527525.
    let half = 4.302_652_73 * 1.527_525_23 / 3.0_f64.sqrt();
    let interval = all.interval.unwrap();
    assert!((interval.high - (31.0 / 3.0 + half)).abs() < 1e-6, "{interval:?}");
    let Together::OverRuns(two) = over(&runs[..2], Metric::Tpot, Stat::Mean).together else {
        panic!()
    };
    assert_eq!(two.interval, None);
    assert_close(two.range.low, 9.0);
    assert_close(two.range.high, 10.0);
}

#[test]
fn pooled_samples_are_those_of_one_run_of_all_requests() {
    let (a, b): (Vec<f64>, Vec<f64>) =
        ((0..200).map(f64::from).collect(), (0..500).map(|v| f64::from(v) / 3.0).collect());
    let runs = [of(&a, 11.0), of(&b, 13.0)];
    let both = of(&[a, b].concat(), 11.0);
    let whole = evaluate(&both, &COMMON.settings, &Ask::default());
    for stat in [Stat::Median, P99, Stat::Max, Stat::Min, Stat::Std] {
        let Together::Pooled(pooled) = over(&runs, Metric::Ttft, stat).together else { panic!() };
        let want = whole.value(Metric::Ttft, stat).exact().unwrap();
        assert_close(pooled.summary.stat(stat).unwrap(), want);
    }
    let Together::Pooled(ttft) = over(&runs, Metric::Ttft, Stat::Median).together else { panic!() };
    assert_eq!(ttft.interval.unwrap().1, Method::OrderStatistics);
    let Together::Pooled(itl) = over(&runs, Metric::Itl, Stat::Median).together else { panic!() };
    let (interval, method) = itl.interval.unwrap();
    assert_eq!(method, Method::Resampled);
    assert!(interval.low >= 11.0 && interval.high <= 13.0, "{interval:?} is in ms");
}

#[test]
fn runs_of_one_set_up_and_load_are_repeats_also_within_a_sweep() {
    let at = |number, rate| {
        let mut run = repeat(number, of(&[100.0; 20], 20.0));
        run.load.request_rate = Some(RequestRate::PerSecond(rate));
        run
    };
    let runs = [at(0, 4.0), at(1, 8.0), at(2, 4.0), at(3, 16.0)];
    assert_eq!(repeats(&runs.iter().collect::<Vec<_>>()), [vec![0, 2]]);
}

#[test]
fn compare_shows_a_card_of_repeats_and_only_then() {
    let runs: Vec<Run> = [100.0, 104.0, 109.0]
        .iter()
        .enumerate()
        .map(|(at, ttft)| repeat(at, of(&[*ttft; 40], 20.0)))
        .collect();
    let all: Vec<&Run> = runs.iter().collect();
    let context = |stat| Context {
        runs: runs.iter().map(|run| run.id.clone()).collect(),
        stat,
        ..Context::default()
    };
    let card = repeats_card(&all, &context(Stat::Mean)).unwrap();
    assert_eq!(card.title, "3 repeats of one measurement");
    let row = |card: &sameruler::views::repeats::RepeatsView, name: &str| {
        card.rows.iter().find(|row| row.name == name).cloned().unwrap()
    };
    let ttft = row(&card, "TTFT mean");
    assert_eq!(ttft.each, ["100", "104", "109"]);
    assert_eq!(ttft.together, "104 ± 4.0");
    assert!(ttft.spread.starts_with("95 % t interval of the mean"), "{}", ttft.spread);
    let card = repeats_card(&all, &context(P99)).unwrap();
    let ttft = row(&card, "TTFT p99");
    assert!(ttft.together.ends_with("pooled"), "{ttft:?}");
    assert!(ttft.spread.starts_with("n = 120"), "{ttft:?}");
    let mut other = runs.clone();
    other[1].load.request_rate = Some(RequestRate::PerSecond(9.0));
    let others: Vec<&Run> = other.iter().collect();
    assert_eq!(repeats_card(&others, &context(Stat::Mean)), None);
}
