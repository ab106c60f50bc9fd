//! Theory beside data: the items of `hand.md` and the examples of `definitions.md` about load and queues.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod build;

use build::{Table, assert_close, exact, print, run, settings};
use sameruler::metrics::{
    Ask, COMMON, InFlight, Little, Queue, QueueModel, Steadiness, achieved_rate, arrivals,
    evaluate, kingman_wait, little, mm1_mean, mm1_quantile, mm1_within, reciprocal, steady,
};
use sameruler::model::{Metric, RequestRate, Run, Stat};

fn line(run: &Run) -> Little {
    little(run, &COMMON.settings, &evaluate(run, &COMMON.settings, &Ask::default()), &[]).unwrap()
}

/// A run without requests that prints `values`.
fn printed(values: &[(Metric, Stat, f64)]) -> Run {
    let mut run = run(Table::new());
    run.requests = None;
    for (metric, stat, value) in values {
        print(&mut run, metric.name(), *metric, *stat, *value);
    }
    run
}

#[test]
fn example_7_one_server_near_its_capacity() {
    let want = [(0.5, 921.0), (0.7, 1535.0), (0.8, 2303.0), (0.9, 4605.0), (0.95, 9210.0)];
    for (load, millis) in want {
        assert_close(mm1_quantile(100.0, load, 0.99).unwrap().round(), millis);
    }
    let within = mm1_within(0.1, 0.95, 0.9).unwrap();
    assert!((within - 0.3624).abs() < 5e-5, "{within}");
    assert!((9.5 * within - 3.44).abs() < 5e-3);
    assert_close(mm1_mean(0.1, 0.95).unwrap(), 2.0);
    // A full server has no mean, and Kingman with both variations 1 is M/M/1.
    assert_eq!(mm1_quantile(100.0, 1.0, 0.99), None);
    assert_close(
        100.0 + kingman_wait(100.0, 0.8, 1.0, 1.0).unwrap(),
        mm1_mean(100.0, 0.8).unwrap(),
    );
    assert_close(kingman_wait(100.0, 0.8, 1.0, 0.0).unwrap(), 200.0);
}

#[test]
fn example_9_littles_law() {
    let got = line(&printed(&[
        (Metric::RequestThroughput, Stat::Value, 240.0),
        (Metric::E2e, Stat::Mean, 12_000.0),
    ]));
    assert_close(got.value(InFlight::RequestsTimesLatency).unwrap(), 2880.0);
    assert!(got.sentence.starts_with("240 req/s × 12.0 s = 2,880 in flight"), "{}", got.sentence);
    // Four requests of a second each in two seconds: 2 in flight, found four ways.
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.whole(100.0, 1000.0, 10.0);
    }
    let got = line(&run(table.starts(&[0.0, 0.0, 1.0, 1.0]).duration(2.0)));
    for kind in [InFlight::RequestsTimesLatency, InFlight::BusyTime, InFlight::Counted] {
        assert_close(got.value(kind).unwrap(), 2.0);
    }
    // A tenth of each second passes before the first token.
    assert_close(got.value(InFlight::TokensTimesTpot).unwrap(), 1.8);
    assert!(got.agrees(), "{got:?}");
}

#[test]
fn f5() {
    // Served 10.0 and 9.59 are in `hand.rs`; 11.6 is what was offered.
    let mut table = Table::new();
    let starts: Vec<f64> = (0..580).map(|at| 50.0 * f64::from(at) / 579.0).collect();
    for at in 0..580 {
        table = table.whole(100.0, if at == 579 { 8000.0 } else { 1000.0 }, 10.0);
    }
    let run = run(table.starts(&starts).duration(60.5));
    assert_close(achieved_rate(&run).unwrap(), 11.6);
    assert_eq!(steady(&run, &[]).verdict, Steadiness::Steady);
}

/// One server, service 400 ms, a request due every 200 ms, one in flight at most.
fn capped(count: u32, waits: bool) -> Run {
    let mut table = Table::new();
    for _ in 0..count {
        table = table.whole(100.0, 400.0, 4.0);
    }
    let numbers = || (0..count).map(f64::from);
    let starts: Vec<f64> = numbers().map(|n| 0.4 * n).collect();
    let waited: Vec<f64> = numbers().map(|n| 200.0 * n).collect();
    table = table.starts(&starts);
    let mut run = run(if waits { table.waits(&waited) } else { table });
    run.load.request_rate = Some(RequestRate::PerSecond(5.0));
    run.load.max_concurrency = Some(1);
    run
}

#[test]
fn g1() {
    // The six requests of the case are too few to say anything; forty show what the cap hides.
    assert_eq!(steady(&capped(6, true), &[]).verdict, Steadiness::CannotTell);
    let found = arrivals(&capped(40, true), &[]).unwrap();
    assert!(found.scheduled);
    assert_eq!(found.steady.verdict, Steadiness::Growing);
    assert!((found.steady.slope.unwrap() - 2.5).abs() < 0.05, "five come, two and a half go");
    let hidden = steady(&capped(40, false), &[]);
    assert_eq!(hidden.verdict, Steadiness::CannotTell);
    assert!(hidden.because.contains("no more than 1 be in flight"), "{}", hidden.because);
}

#[test]
fn g3() {
    let mut table = Table::new();
    for _ in 0..100 {
        table = table.whole(100.0, 500.0, 10.0);
    }
    let starts: Vec<f64> = (0..100).map(|at| 14.3 * f64::from(at) / 99.0).collect();
    let mut run = run(table.starts(&starts));
    run.load.request_rate = Some(RequestRate::PerSecond(10.0));
    let sent = achieved_rate(&run).unwrap();
    assert!((sent - 6.99).abs() < 5e-3, "{sent}");
    assert!((1.0 - sent / 10.0 - 0.30).abs() < 5e-3, "30 % below the request");
}

#[test]
fn g5() {
    let got = line(&printed(&[
        (Metric::OutputThroughput, Stat::Value, 640.0),
        (Metric::Tpot, Stat::Mean, 50.0),
    ]));
    assert_close(got.value(InFlight::TokensTimesTpot).unwrap(), 32.0);
    assert_eq!(got.sentence, "640 tok/s × 50.0 ms = 32.0 in flight.");
    // Beside the number in flight the two are held against each other.
    let got = line(&printed(&[
        (Metric::OutputThroughput, Stat::Value, 640.0),
        (Metric::Tpot, Stat::Mean, 50.0),
        (Metric::MeanConcurrency, Stat::Value, 31.7),
    ]));
    assert!(
        got.sentence.starts_with("640 tok/s × 50.0 ms = 32.0 ≈ 31.7 in flight"),
        "{}",
        got.sentence
    );
    assert!(got.agrees());
    assert_eq!(got.reciprocal, None);
    // 1000 ÷ 640 is TPOT ÷ in flight.
    assert!((1000.0 / 640.0 - 50.0 / 32.0_f64).abs() < 1e-12);
    assert!(reciprocal(1.5625, 640.0) && !reciprocal(50.0, 640.0));
}

#[test]
fn g6() {
    let mut run =
        printed(&[(Metric::OutputThroughput, Stat::Value, 400.0), (Metric::Tpot, Stat::Mean, 2.5)]);
    run.load.max_concurrency = Some(8);
    let got = line(&run);
    let found = got.reciprocal.clone().unwrap();
    let said = found.sentence(Some(8.0));
    assert!(said.contains("looks like 1 ÷ throughput (400 tok/s)"), "{said}");
    assert!(said.contains("about 20.0 ms"), "{said}");
    assert!(!got.agrees(), "1 in flight is not 8");
    // One user: the time per token is 1 ÷ throughput by right.
    run.load.max_concurrency = Some(1);
    assert_eq!(line(&run).reciprocal, None);
}

#[test]
fn g7() {
    // The server's clock starts at scheduling: prefill 4 s, after a queue of 30 s, and 0.1 s of network.
    let run = run(Table::new().whole(4000.0, 5000.0, 11.0).waits(&[30_000.0]));
    let ttft = |start| {
        let set = settings(&[("clock-start", start)]);
        exact(&evaluate(&run, &set, &Ask::default()), Metric::Ttft, Stat::Mean) / 1e3
    };
    assert_close(ttft("send"), 4.0);
    assert_close(ttft("scheduled"), 34.0);
    assert_close(ttft("scheduled") + 0.1, 34.1);
}

#[test]
fn a_closed_loop_never_grows_and_is_said_to_be_closed() {
    let mut run = capped(40, false);
    run.load.request_rate = Some(RequestRate::Unlimited);
    let got = steady(&run, &[]);
    assert_eq!(got.verdict, Steadiness::Closed);
    assert!(got.sentence().starts_with("Closed loop: the client keeps 1 in flight"));
}

/// A load of evenly spaced requests that take as long as the rate says.
fn load(rate: f64, served: f64, e2e: f64, jitter: f64) -> Run {
    let mut table = Table::new();
    let mut starts = Vec::new();
    for at in 0..60 {
        let wobble = if at % 2 == 0 { jitter } else { -jitter };
        table = table.whole(50.0, e2e * (1.0 + wobble), 10.0);
        starts.push(f64::from(at) / rate);
    }
    let mut run = run(table.starts(&starts).duration(60.0 / served));
    run.load.request_rate = Some(RequestRate::PerSecond(rate));
    run
}

fn queue(runs: &[Run]) -> Result<Queue, String> {
    let evaluations: Vec<_> =
        runs.iter().map(|r| evaluate(r, &COMMON.settings, &Ask::default())).collect();
    Queue::of(&runs.iter().zip(&evaluations).collect::<Vec<_>>())
}

#[test]
fn a_model_is_taken_from_the_lowest_load_and_the_highest_throughput() {
    let got = queue(&[load(2.0, 2.0, 400.0, 0.5), load(12.0, 10.0, 2000.0, 0.1)]).unwrap();
    assert_close(got.service, 400.0);
    assert_close(got.capacity, 10.0);
    assert_close(got.services.clone().unwrap(), 0.5);
    assert!(got.arrivals.clone().unwrap() < 1e-6, "evenly spaced");
    let mm1 = |metric, stat, rate| got.says(QueueModel::Mm1, metric, stat, rate);
    assert_close(mm1(Metric::E2e, Stat::Mean, 5.0).unwrap(), 800.0);
    assert_close(
        mm1(Metric::E2e, Stat::Percentile(99.0), 9.0).unwrap(),
        400.0 * 100_f64.ln() / (1.0 - 0.9),
    );
    assert_close(mm1(Metric::Ttft, Stat::Mean, 5.0).unwrap(), 450.0);
    assert_close(mm1(Metric::Ttft, Stat::Median, 4.0).unwrap(), 50.0);
    let kingman = |stat| got.says(QueueModel::Kingman, Metric::E2e, stat, 5.0);
    assert!((kingman(Stat::Mean).unwrap() - (400.0 + 0.25 / 2.0 * 400.0)).abs() < 1e-3);
    assert!(kingman(Stat::Median).unwrap_err().contains("mean only"));
    assert!(mm1(Metric::E2e, Stat::Mean, 10.0).unwrap_err().contains("no limit"));
    assert!(mm1(Metric::Tpot, Stat::Mean, 5.0).unwrap_err().contains("leaves out"));
}

#[test]
fn a_model_is_refused_where_the_runs_do_not_give_it() {
    let refused = |runs: &[Run]| queue(runs).unwrap_err();
    assert!(refused(&[load(2.0, 2.0, 400.0, 0.0)]).contains("two loads"));
    let high = refused(&[load(8.0, 8.0, 400.0, 0.0), load(12.0, 10.0, 900.0, 0.0)]);
    assert!(high.contains("no run is light enough"), "{high}");
    let mut closed = load(12.0, 10.0, 900.0, 0.0);
    closed.load.request_rate = None;
    closed.load.max_concurrency = Some(8);
    assert!(refused(&[load(2.0, 2.0, 400.0, 0.0), closed]).contains("do not arrive at a rate"));
}
