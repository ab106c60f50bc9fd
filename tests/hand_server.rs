//! Public faults with histograms and counters of servers (retold in the design's hand.md): their
//! arithmetic. Each test is named after its id.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::stats::{Apart, Histogram, Increase, OverEngines, gauge_of_processes, increase};

const INF: f64 = f64::INFINITY;

#[track_caller]
fn close(got: Option<f64>, want: f64) {
    let got = got.unwrap();
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got} is not {want}");
}

#[test]
fn k1() {
    let all = Histogram::new(&[(30.0, 90.0), (60.0, 97.0), (INF, 100.0)], None).unwrap();
    close(all.promql(0.99), 60.0);
    close(all.promql(0.95), 30.0 + 30.0 * 5.0 / 7.0);
    let p99 = all.bounds(0.99).unwrap();
    assert!(p99.above_last_edge);
    assert_eq!((p99.low, p99.high), (60.0, None), "above 60 s, and nothing says how far");
    close(Some(all.above_last_edge()), 3.0);
    let p95 = all.bounds(0.95).unwrap();
    assert!(!p95.above_last_edge);
    assert_eq!((p95.low, p95.high), (30.0, Some(60.0)));
    // With the sum there is an end: 90 at 0, seven at 30, one of the three at 60, and two at the most.
    let all = Histogram::new(&[(30.0, 90.0), (60.0, 97.0), (INF, 100.0)], Some(2000.0)).unwrap();
    close(all.bounds(0.99).unwrap().high, (2000.0 - 7.0 * 30.0 - 60.0) / 2.0);
}

#[test]
fn k3() {
    let all = Histogram::new(&[(0.01, 100.0), (INF, 100.0)], Some(0.33)).unwrap();
    close(all.mean(), 0.0033);
    close(all.promql(0.5), 0.005);
    close(all.promql(0.99), 0.0099);
    let p99 = all.bucket(0.99).unwrap();
    assert_eq!((p99.low, p99.high), (0.0, Some(0.01)));
    // The sum allows no p99 below (0.33 − 1 × 0.01) ÷ 99, and no median above 0.33 ÷ 51.
    let p99 = all.bounds(0.99).unwrap();
    close(Some(p99.low), 0.32 / 99.0);
    close(p99.high, 0.01);
    close(all.bounds(0.5).unwrap().high, 0.33 / 51.0);
    close(all.share_in_first(), 1.0);
}

#[test]
fn k5() {
    for sum in [None, Some(22.5)] {
        let engine =
            Histogram::new(&[(0.1, 0.0), (0.2, 0.0), (0.4, 100.0), (INF, 100.0)], sum).unwrap();
        let router =
            Histogram::new(&[(0.1, 0.0), (0.25, 100.0), (0.5, 100.0), (INF, 100.0)], sum).unwrap();
        close(engine.promql(0.5), 0.30);
        close(router.promql(0.5), 0.175);
        let (engine, router) = (engine.bounds(0.5).unwrap(), router.bounds(0.5).unwrap());
        assert_eq!(engine.to(&router), Apart::CannotTell, "and no −0.125 s");
    }
    // Brackets that don't touch do tell, within bounds.
    let slow = Histogram::new(&[(0.5, 0.0), (1.0, 10.0)], None).unwrap();
    let fast = Histogram::new(&[(0.1, 10.0), (1.0, 10.0)], None).unwrap();
    match fast.bounds(0.5).unwrap().to(&slow.bounds(0.5).unwrap()) {
        Apart::By(by) => assert_eq!((by.low, by.high), (0.4, 1.0)),
        Apart::CannotTell => panic!("0 to 0.1 and 0.5 to 1"),
    }
}

#[test]
fn k6() {
    let all = Histogram::new(&[(0.001, 8000.0), (0.1, 8000.0), (INF, 8000.0)], Some(0.6)).unwrap();
    close(all.mean(), 0.075e-3);
    // No token comes within a tenth of a millisecond.
    let because = all.credible(1e-4).unwrap_err();
    assert!(because.contains("first bucket holds all"), "{because}");
    close(Some(all.count() / 3900.0), 8000.0 / 3900.0);
    assert!(all.credible(1e-6).is_ok());
}

#[test]
fn l1() {
    let engines = OverEngines::of(&[1000.0, 1500.0]).unwrap();
    close(Some(engines.total / 10.0), 250.0);
    assert_eq!(engines.shares, [0.4, 0.6]);
    let (slow, fast) = ([(0.1, 10.0), (INF, 40.0)], [(0.1, 90.0), (INF, 160.0)]);
    let both = [slow, fast].map(|buckets| Histogram::new(&buckets, None).unwrap());
    let merged = Histogram::merged(&both).unwrap();
    close(Some(merged.count()), 200.0);
    close(merged.promql(0.5), 0.1);
}

#[test]
fn l3() {
    close(gauge_of_processes(&[0.0, 0.0, 0.65, 0.0]), 0.65);
}

#[test]
fn l4() {
    let got = increase(&[1000.0, 1600.0, 50.0, 650.0]).unwrap();
    assert_eq!(got, Increase { total: 1250.0, resets: 1 });
    assert_eq!(increase(&[1000.0]), None, "one dump has totals since start and no rate");
}

#[test]
fn l6() {
    let (before, after) = ([(0.05, 900.0), (INF, 1000.0)], [(0.05, 990.0), (INF, 1100.0)]);
    let before = Histogram::new(&before, Some(31.0)).unwrap();
    let after = Histogram::new(&after, Some(34.0)).unwrap();
    let (steps, anew) = after.since(&before).unwrap();
    assert!(!anew);
    close(Some(steps.count()), 100.0);
    close(steps.mean(), 0.030);
    close(steps.mean_over(300.0), 0.010);
}
