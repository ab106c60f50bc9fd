//! Hand-computed steps, and what holds of any samples.

use super::*;
use crate::metrics::preset::COMMON;
use crate::metrics::testing::run;
use crate::metrics::{Ask, Subject};
use crate::model::{Run, Stat};
use crate::stats::Rng;
use proptest::prelude::*;

fn samples(values: &[f64], weights: Option<Vec<f64>>) -> Samples {
    let ends = (1..=values.len()).map(|end| (end, end - 1)).collect();
    Samples { values: values.to_vec(), weights, ends, ..Samples::default() }
}

fn of(values: &[f64]) -> Distribution {
    Distribution::of(&samples(values, None), 1.0).unwrap()
}

#[track_caller]
fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got} is not {want}");
}

fn subject<T>(run: &Run, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
    ask(&Subject::new(run, &COMMON.settings, &Ask::default()))
}

#[test]
fn every_step_is_a_sample_with_what_lies_at_or_under_it() {
    let found = of(&[30.0, 10.0, 0.0, 10.0, 20.0]);
    let steps: Vec<(f64, f64)> = found.steps.iter().map(|s| (s.value, s.reached)).collect();
    assert_eq!(steps, [(0.0, 1.0), (10.0, 3.0), (20.0, 4.0), (30.0, 5.0)]);
    assert_eq!((found.n, found.zeros), (5, 1));
    close(found.total, 5.0);
    close(found.at_share(0.5).unwrap().value, 10.0); // The third of five.
    close(found.at_share(0.6).unwrap().value, 10.0); // Exactly three of five.
    close(found.at_share(0.61).unwrap().value, 20.0);
    close(found.smallest(), 0.0);
    close(found.largest(), 30.0);
}

#[test]
fn weights_count_as_what_they_weigh() {
    let weighed = samples(&[10.0, 50.0], Some(vec![99.0, 1.0]));
    let found = Distribution::of(&weighed, 1.0).unwrap();
    close(found.total, 100.0);
    close(found.at_share(0.99).unwrap().value, 10.0);
    assert!(found.weighted);
}

#[test]
fn of_many_samples_each_step_is_exact_all_the_same() {
    let mut rng = Rng::seeded(3);
    let values: Vec<f64> = (0..40_000)
        .map(|_| match rng.below(10) {
            0 => 0.0,
            1 => -(rng.below(50) as f64),
            _ => 10_f64.powf(rng.below(50_000) as f64 / 10_000.0 - 1.0),
        })
        .collect();
    let found = of(&values);
    assert!(!found.each && found.steps.len() < 20_000, "{}", found.steps.len());
    assert_eq!(found.zeros, values.iter().filter(|v| v.abs() <= 0.0).count());
    for step in found.steps.iter().step_by(97).chain(found.steps.last()) {
        let counted = values.iter().filter(|v| **v <= step.value).count();
        close(step.reached, counted as f64);
        assert!(values.contains(&step.value), "a step is a sample");
    }
    let near = found.steps.windows(2).filter(|pair| pair[0].value > 1.0);
    assert!(near.clone().count() > 1_000);
    assert!(near.clone().all(|pair| pair[1].value / pair[0].value < 1.004), "no hole on the way");
}

#[test]
fn what_lies_under_a_value_is_counted() {
    // 20,001 gaps of 1, 2, 3 … µs: more than are all kept.
    let gaps: Vec<f64> = (1..=20_001).map(|at| f64::from(at) / 1e3).collect();
    let table = run(&[(100.0, &gaps, 20_002.0), (100.0, &[5.0], 2.0)]);
    let counts = subject(&table, |s| s.at_or_under(Metric::ChunkGap, &[0.0005, 5.0, 20.5]));
    assert_eq!(counts.unwrap(), [0.0, 5_001.0, 20_002.0]);
    let few = run(&[(100.0, &[5.0, 7.0], 3.0)]);
    let counts = subject(&few, |s| s.at_or_under(Metric::Itl, &[4.9, 5.0, 7.0]));
    assert_eq!(counts.unwrap(), [0.0, 1.0, 2.0]);
}

#[test]
fn bursts_are_told_from_one_mode() {
    // Six gaps of about 0.02 ms in each burst of seven, then one of about 30 ms: 6 of 7.
    let mut rng = Rng::seeded(8);
    let mut near = |middle: f64| middle * (0.8 + rng.below(400) as f64 / 1000.0);
    let bursts: Vec<f64> =
        (0..700).map(|at| if at % 7 == 6 { near(30.0) } else { near(0.02) }).collect();
    let split = of(&bursts).split().unwrap();
    assert!(split.at > 0.03 && split.at < 24.0, "{split:?}");
    assert!((split.quick - 0.02).abs() < 0.004 && (split.slow - 30.0).abs() < 6.0, "{split:?}");
    let under = bursts.iter().filter(|v| **v <= split.at).count();
    assert_eq!(under, 600);
    // Zeros are told apart: they are no mode.
    let zeros: Vec<f64> = (0..700).map(|at| if at % 7 == 6 { near(30.0) } else { 0.0 }).collect();
    assert_eq!(of(&zeros).split(), None);
}

#[test]
fn one_mode_is_not_parted() {
    // Twelve uniform numbers together are close to normal: the exponential is a log-normal of one mode.
    for seed in 0..40 {
        let mut rng = Rng::seeded(seed);
        for n in [60, 300, 5_000] {
            let mut normal =
                || (0..12).map(|_| rng.below(1_000) as f64 / 1_000.0).sum::<f64>() - 6.0;
            let values: Vec<f64> = (0..n).map(|_| (3.0 + 0.6 * normal()).exp()).collect();
            assert_eq!(of(&values).split(), None, "seed {seed}, n {n}");
        }
    }
    assert_eq!(of(&[5.0; 400]).split(), None);
}

#[test]
fn a_relation_has_means_by_length() {
    let rows: Vec<(f64, Vec<f64>, f64)> = (0..60)
        .map(|at| {
            let tokens = if at < 30 { 2 } else { 4 };
            (100.0, vec![f64::from(tokens) * 10.0; tokens as usize - 1], f64::from(tokens))
        })
        .collect();
    let rows: Vec<(f64, &[f64], f64)> =
        rows.iter().map(|(ttft, gaps, n)| (*ttft, gaps.as_slice(), *n)).collect();
    let table = run(&rows);
    let bins = subject(&table, |s| s.relation(Metric::Tpot, By::OutputTokens)).unwrap();
    let short: Vec<_> = bins.iter().map(|b| (b.low, b.high, b.n)).collect();
    assert_eq!(short, [(2.0, 2.0, 30), (4.0, 4.0, 30)]);
    assert!((bins[0].mean - 20.0).abs() < 1e-9 && (bins[1].mean - 40.0).abs() < 1e-9);
    let bins = subject(&table, |s| s.relation(Metric::Itl, By::Position)).unwrap();
    // At position 1 all 60 requests: 30 gaps of 20 ms and 30 of 40 ms; later 40 ms only.
    let by: Vec<_> = bins.iter().map(|b| (b.low, b.high, b.n)).collect();
    assert_eq!(by, [(1.0, 1.0, 60), (2.0, 2.0, 30), (3.0, 3.0, 30)]);
    assert!((bins[0].mean - 30.0).abs() < 1e-9 && (bins[2].p99.unwrap() - 40.0).abs() < 1e-9);
    let none = subject(&table, |s| s.relation(Metric::Ttft, By::InputTokens));
    assert_eq!(none.unwrap_err(), "the file holds no input tokens of each request");
    let none = subject(&table, |s| s.relation(Metric::Tpot, By::Position));
    assert!(none.unwrap_err().contains("one sample, not one a token"));
}

#[test]
fn the_evaluation_counts_the_same_samples() {
    let table = run(&[(100.0, &[10.0, 30.0], 3.0), (250.0, &[20.0], 2.0), (70.0, &[], 1.0)]);
    subject(&table, |s| {
        for metric in [Metric::Ttft, Metric::Itl, Metric::Tpot] {
            let known = s.distribution(metric);
            let found = known.as_ref().as_ref().unwrap();
            let summary = s.evaluation().metrics[&metric].summary().unwrap();
            assert_eq!((found.n, found.requests), (summary.n, summary.requests), "{metric:?}");
            assert_eq!(Some(found.largest()), summary.stat(Stat::Max), "{metric:?}");
        }
    });
}

proptest! {
    #[test]
    fn a_distribution_rises_from_one_sample_to_all(
        values in prop::collection::vec(-5.0_f64..1e4, 1..400),
    ) {
        let found = of(&values);
        prop_assert!(found.steps.windows(2).all(|w| w[0].value < w[1].value && w[0].reached < w[1].reached));
        prop_assert!((found.steps.last().unwrap().reached - values.len() as f64).abs() < 1e-9);
        for value in &values {
            let counted = values.iter().filter(|v| *v <= value).count();
            prop_assert!((found.reached(*value) - counted as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn bins_of_a_relation_hold_every_sample_once(
        lengths in prop::collection::vec(1_u32..60, 2..300),
    ) {
        let mut pairs: Vec<(f64, f64)> = lengths.iter().map(|n| (f64::from(*n), 1.0)).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let ends = relation::by_count(&pairs);
        prop_assert!(ends.windows(2).all(|w| w[0] < w[1]), "{ends:?}");
        prop_assert_eq!(ends.last().copied(), Some(pairs.len()));
    }
}
