//! PromQL's numbers on classic histograms and counters, by value as Prometheus publishes them in its own
//! tests (`promql/promqltest/testdata/histograms.test` and `functions.test`), to 1e-12; and what the
//! interval beside them says.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use sameruler::stats::{Histogram, extrapolated, histogram_fraction, histogram_quantile};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// (upper edge, observations up to it).
type Buckets = &'static [(f64, f64)];

/// (upper edge, count) lists, named as in the source.
const POSITIVE: Buckets = &[(0.1, 50.0), (0.2, 70.0), (1.0, 110.0), (INF, 120.0)];
const NEGATIVE: Buckets = &[(-0.2, 10.0), (-0.1, 20.0), (0.3, 20.0), (INF, 30.0)];
const SECOND: Buckets = &[(0.0, 0.0), (2.0, 1.0), (4.0, 2.0), (6.0, 3.0), (INF, 3.0)];
const THIRD_POSITIVE: Buckets = &[(0.0, 0.0), (0.1, 50.0), (0.2, 70.0), (1.0, 110.0), (INF, 110.0)];
const THIRD_NEGATIVE: Buckets =
    &[(-0.25, 0.0), (-0.2, 10.0), (-0.1, 20.0), (0.3, 20.0), (INF, 20.0)];
const NONMONOTONIC: Buckets =
    &[(0.1, 20.0), (1.0, 10.0), (10.0, 50.0), (100.0, 40.0), (1000.0, 90.0), (INF, 80.0)];
/// One edge in three spellings.
const MIXED: Buckets = &[(0.1, 1.0), (0.2, 1.0), (2e-1, 1.0), (2.0e-1, 1.0), (INF, 4.0)];
const MIXED_EMPTY: Buckets = &[(INF, 0.0), (INF, 0.0)];
const EMPTY: Buckets = &[(0.1, 0.0), (0.2, 0.0), (INF, 0.0)];
/// Requests of two jobs on two instances: the four, and what they add up to.
const JOB1_INS1: Buckets = &[(0.1, 1.0), (0.2, 3.0), (INF, 4.0)];
const JOB1_INS2: Buckets = &[(0.1, 2.0), (0.2, 5.0), (INF, 6.0)];
const JOB2_INS1: Buckets = &[(0.1, 3.0), (0.2, 4.0), (INF, 6.0)];
const JOB2_INS2: Buckets = &[(0.1, 4.0), (0.2, 7.0), (INF, 9.0)];

#[track_caller]
fn close(got: f64, want: f64, what: &str) {
    let same = (got.is_nan() && want.is_nan())
        || got.total_cmp(&want).is_eq()
        || (got - want).abs() <= 1e-12 * want.abs().max(1.0);
    assert!(same, "{what}: {got} is not {want}");
}

#[test]
fn quantiles_are_those_of_prometheus() {
    let cases: &[(&str, Buckets, f64, f64)] = &[
        ("too low", POSITIVE, -0.1, -INF),
        ("too low", NEGATIVE, -0.1, -INF),
        ("too high", POSITIVE, 1.01, INF),
        ("too high", NEGATIVE, 1.01, INF),
        ("no number", POSITIVE, NAN, NAN),
        ("no number", NEGATIVE, NAN, NAN),
        ("lowest bucket", POSITIVE, 0.0, 0.0),
        ("lowest bucket", NEGATIVE, 0.0, -0.2),
        ("highest bucket", POSITIVE, 1.0, 1.0),
        ("highest bucket", NEGATIVE, 1.0, 0.3),
        ("useful", POSITIVE, 0.2, 0.048),
        ("useful", NEGATIVE, 0.2, -0.2),
        ("useful", POSITIVE, 0.5, 0.15),
        ("useful", NEGATIVE, 0.5, -0.15),
        ("useful", POSITIVE, 0.8, 0.72),
        ("useful", NEGATIVE, 0.8, 0.3),
        ("middle of a bucket", SECOND, 1.0 / 6.0, 1.0),
        ("middle of a bucket", SECOND, 0.5, 3.0),
        ("middle of a bucket", SECOND, 5.0 / 6.0, 5.0),
        // The published value of the positive one at 0 is 0: its first bucket lies up to 0.
        ("third", THIRD_POSITIVE, 0.0, 0.0),
        ("third", THIRD_NEGATIVE, 0.0, -0.25),
        ("third", THIRD_POSITIVE, 0.25, 0.055),
        ("third", THIRD_NEGATIVE, 0.25, -0.225),
        ("third", THIRD_POSITIVE, 0.5, 0.125),
        ("third", THIRD_NEGATIVE, 0.5, -0.2),
        ("third", THIRD_POSITIVE, 0.75, 0.45),
        ("third", THIRD_NEGATIVE, 0.75, -0.15),
        ("third", THIRD_POSITIVE, 1.0, 1.0),
        ("third", THIRD_NEGATIVE, 1.0, -0.1),
        ("nonmonotonic", NONMONOTONIC, 0.01, 0.0045),
        ("nonmonotonic", NONMONOTONIC, 0.5, 8.5),
        ("nonmonotonic", NONMONOTONIC, 0.99, 979.75),
        ("one edge written in three ways", MIXED, 0.5, 0.15),
        ("one edge written in three ways", MIXED, 0.75, 0.2),
        ("one edge written in three ways", MIXED, 1.0, 0.2),
        ("nothing but all", MIXED_EMPTY, 0.5, NAN),
        ("empty", EMPTY, 0.2, NAN),
        ("job 1 on 1", JOB1_INS1, 0.3, 0.11),
        ("job 1 on 2", JOB1_INS2, 0.3, 0.09),
        ("job 2 on 1", JOB2_INS1, 0.3, 0.06),
        ("job 2 on 2", JOB2_INS2, 0.3, 0.0675),
        ("job 1 on 1", JOB1_INS1, 0.5, 0.15),
        ("job 1 on 2", JOB1_INS2, 0.5, 2.0 / 15.0),
        ("job 2 on 1", JOB2_INS1, 0.5, 0.1),
        ("job 2 on 2", JOB2_INS2, 0.5, 0.35 / 3.0),
    ];
    for (what, buckets, q, want) in cases {
        close(histogram_quantile(*q, buckets).value, *want, &format!("{what}, quantile {q}"));
    }
    let repaired = histogram_quantile(0.5, NONMONOTONIC).repair.unwrap();
    assert_eq!((repaired.first, repaired.last, repaired.largest), (1.0, INF, 10.0));
}

/// Sums over job and instance, as `sum by (le)` makes them, before the quantile.
#[test]
fn quantiles_of_sums_are_those_of_prometheus() {
    let cases: &[(&[Buckets], f64, f64)] = &[
        (&[JOB1_INS1, JOB1_INS2, JOB2_INS1, JOB2_INS2], 0.3, 0.075),
        (&[JOB1_INS1, JOB1_INS2, JOB2_INS1, JOB2_INS2], 0.5, 0.127_777_777_777_777_8),
        (&[JOB1_INS1, JOB2_INS1], 0.3, 0.075),
        (&[JOB1_INS2, JOB2_INS2], 0.3, 0.075),
        (&[JOB1_INS1, JOB2_INS1], 0.5, 2.0 / 15.0),
        (&[JOB1_INS2, JOB2_INS2], 0.5, 0.125),
        (&[JOB1_INS1, JOB1_INS2], 0.3, 0.1),
        (&[JOB2_INS1, JOB2_INS2], 0.3, 0.45 / 7.0),
        (&[JOB1_INS1, JOB1_INS2], 0.5, 0.14),
        (&[JOB2_INS1, JOB2_INS2], 0.5, 0.1125),
    ];
    for (parts, q, want) in cases {
        let parts: Vec<Histogram> =
            parts.iter().map(|buckets| Histogram::new(buckets, None).unwrap()).collect();
        let merged = Histogram::merged(&parts).unwrap();
        close(merged.promql(*q).unwrap(), *want, &format!("{} parts at {q}", parts.len()));
        let bracket = merged.bounds(*q).unwrap();
        assert!(bracket.low <= *want && *want <= bracket.high.unwrap(), "{bracket:?}");
    }
}

#[test]
fn fractions_are_those_of_prometheus() {
    let cases: &[(Buckets, f64, f64, f64)] = &[
        (SECOND, 0.0, 4.0, 2.0 / 3.0),
        (SECOND, 0.0, 6.0, 1.0),
        (SECOND, 0.0, 3.5, 0.583_333_333_333_333_4),
        (THIRD_POSITIVE, 0.0, 0.2, 0.636_363_636_363_636_4),
        (THIRD_NEGATIVE, 0.0, 0.2, 0.0),
        // Rules of the same source without a published number.
        (POSITIVE, 1.0, 1.0, 0.0),
        (POSITIVE, 2.0, 1.0, 0.0),
        (POSITIVE, NAN, 1.0, NAN),
        (EMPTY, 0.0, 1.0, NAN),
        (&[(1.0, 5.0)], 0.0, 1.0, NAN),
        (POSITIVE, 0.05, INF, 1.0 - 25.0 / 120.0),
        (POSITIVE, -1.0, 5.0, 110.0 / 120.0),
        (NEGATIVE, -INF, -0.15, 0.5),
    ];
    for (buckets, lower, upper, want) in cases {
        close(histogram_fraction(*lower, *upper, buckets), *want, &format!("{lower} to {upper}"));
    }
}

/// A name, minutes between samples, values, the minute asked, minutes of the window, what is printed.
type Case<T> = (&'static str, f64, Vec<f64>, f64, f64, T);

/// A series from 0, one value each `step` minutes.
fn series(step: f64, values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(at, value)| (at as f64 * step * 60.0, *value)).collect()
}

fn rising(from: f64, by: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|n| from + by * n as f64).collect()
}

#[test]
fn increases_are_those_of_prometheus() {
    let restarted = [rising(0.0, 18.0, 5), rising(0.0, 18.0, 5)].concat();
    let cases: &[Case<f64>] = &[
        ("from 0", 5.0, rising(0.0, 10.0, 10), 50.0, 50.0, 100.0),
        ("a restart", 5.0, restarted.clone(), 50.0, 50.0, 160.0),
        ("from 10", 5.0, rising(10.0, 10.0, 10), 50.0, 50.0, 100.0),
        ("from 1", 5.0, rising(1.0, 10.0, 10), 50.0, 50.0, 100.0),
        ("from 0, longer", 5.0, rising(0.0, 10.0, 10), 50.0, 100.0, 100.0),
        ("a restart, longer", 5.0, restarted, 50.0, 100.0, 162.0),
        ("from 10, longer", 5.0, rising(10.0, 10.0, 10), 50.0, 100.0, 105.0),
        ("from 1, longer", 5.0, rising(1.0, 10.0, 10), 50.0, 100.0, 101.0),
        ("3 to 2", 5.0, vec![0.0, 1.0, 2.0, 3.0, 2.0, 3.0, 4.0], 30.0, 30.0, 7.0),
    ];
    for (what, step, values, at, window, want) in cases {
        let samples = series(*step, values);
        let got = extrapolated(&samples, (at - window) * 60.0, at * 60.0, true).unwrap();
        close(got.increase(), *want, what);
    }
}

#[test]
fn rates_are_those_of_prometheus() {
    let middle = [rising(0.0, 27.0, 4), rising(0.0, 27.0, 5)].concat();
    let mut end = rising(0.0, 10.0, 9);
    end.extend([0.0, 10.0]);
    let cases: &[Case<Option<f64>>] = &[
        ("a restart in the middle", 5.0, middle, 50.0, 50.0, Some(0.08)),
        ("one sample", 5.0, end.clone(), 50.0, 5.0, None),
        ("two samples", 5.0, end, 50.0, 6.0, Some(0.0)),
        ("steady", 5.0, rising(0.0, 80.0, 10), 50.0, 50.0, Some(0.266_666_666_666_666_66)),
        ("cut at zero", 4.0, rising(0.0, 240.0, 10), 10.0, 20.0, Some(0.5)),
        ("cut at zero", 4.0, rising(60.0, 240.0, 10), 10.0, 20.0, Some(0.55)),
        ("cut at zero", 4.0, rising(120.0, 240.0, 10), 10.0, 20.0, Some(0.6)),
        ("half an interval", 4.0, rising(300.0, 240.0, 10), 10.0, 20.0, Some(0.6)),
        ("far from zero", 4.0, rising(0.0, 240.0, 10), 50.0, 20.0, Some(0.6)),
    ];
    for (what, step, values, at, window, want) in cases {
        let samples = series(*step, values);
        let got = extrapolated(&samples, (at - window) * 60.0, at * 60.0, true);
        match want {
            Some(want) => close(got.unwrap().rate(), *want, what),
            None => assert_eq!(got, None, "{what}"),
        }
    }
    let gauge = series(5.0, &[200.0, 150.0, 100.0, 50.0, 0.0]);
    close(extrapolated(&gauge, 0.0, 1200.0, false).unwrap().increase(), -200.0, "delta of a gauge");
}
