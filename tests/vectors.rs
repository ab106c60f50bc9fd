//! Quantiles, spreads and intervals against numpy, pandas and the formulas of the tools, on 1,000 random
//! samples: `tests/vectors/make.py` writes them and says how.
//!
//! To the last digit: numpy's linear quantiles, means and standard deviations, `histogram_quantile`, and
//! every rule that picks an element. Within 1e-12 of the sample's largest value, where a formula may be
//! added up in another order: pandas, and the median absolute deviation.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use flate2::read::GzDecoder;
use sameruler::stats::{
    Histogram, Rule, Selector, Spread, mad, mean, median, quantile_ranks, quantile_sorted, std,
    weighted_step,
};
use serde_json::Value;
use std::io::Read as _;

struct Vectors {
    quantiles: Vec<f64>,
    edges: Vec<f64>,
    samples: Vec<Value>,
    orders: Vec<Value>,
}

fn vectors() -> Vectors {
    let mut text = String::new();
    GzDecoder::new(&include_bytes!("vectors/vectors.jsonl.gz")[..])
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    let (samples, orders): (Vec<_>, Vec<_>) = lines.partition(|line| line["v"].is_array());
    assert_eq!((samples.len(), orders.len()), (1000, 119));
    Vectors {
        quantiles: numbers(&head["q"]),
        edges: numbers(&head["le"]),
        samples,
        orders: orders.into_iter().map(|mut line| line["order"].take()).collect(),
    }
}

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[track_caller]
fn same(got: Option<f64>, want: Option<f64>, what: &str) {
    // No tolerance: only zero and minus zero are two spellings of one number.
    assert_eq!(got, want, "{what}");
}

#[track_caller]
fn close(got: Option<f64>, want: Option<f64>, largest: f64, what: &str) {
    match (got, want) {
        (Some(got), Some(want)) => {
            assert!((got - want).abs() <= 1e-12 * largest, "{what}: {got} and {want}");
        }
        _ => assert_eq!(got, want, "{what}"),
    }
}

#[test]
fn linear_quantiles_are_numpys_and_pandas() {
    let all = vectors();
    for (at, sample) in all.samples.iter().enumerate() {
        let values = numbers(&sample["v"]);
        let ordered = sorted(&values);
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let mut mixed = values.clone();
        let mut selector = Selector::new(&mut mixed);
        let (numpy, pandas) = (numbers(&sample["np"]), numbers(&sample["pd"]));
        for ((q, numpy), pandas) in all.quantiles.iter().zip(numpy).zip(pandas) {
            let got = quantile_sorted(&ordered, *q, Rule::Linear);
            same(got, Some(numpy), &format!("sample {at}, quantile {q}"));
            same(selector.quantile(*q, Rule::Linear), got, "selected");
            close(got, Some(pandas), largest, "pandas");
        }
    }
}

#[test]
fn means_and_spreads_are_numpys_and_pandas() {
    for (at, sample) in vectors().samples.iter().enumerate() {
        let values = numbers(&sample["v"]);
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        same(mean(&values), sample["mean"].as_f64(), &format!("mean of sample {at}"));
        for (place, spread) in [Spread::Population, Spread::Sample].into_iter().enumerate() {
            let got = std(&values, spread);
            same(got, sample["std"][place].as_f64(), &format!("{spread:?} of sample {at}"));
            close(got, sample["pdstd"][place].as_f64(), largest, "pandas");
        }
        let middle = median(&values).unwrap();
        close(mad(&values, middle), sample["mad"].as_f64(), largest, "MAD");
    }
}

#[test]
fn rules_of_elements_pick_the_same_element() {
    let all = vectors();
    let rules = [
        ("nearest", Rule::NearestRank),
        ("floor", Rule::FloorIndex),
        ("rounded", Rule::RoundedIndex),
    ];
    for (at, sample) in all.samples.iter().enumerate() {
        let ordered = sorted(&numbers(&sample["v"]));
        for (name, rule) in rules {
            let places = sample[name].as_array().unwrap();
            for (q, place) in all.quantiles.iter().zip(places) {
                let want = ordered[place.as_u64().unwrap() as usize];
                let got = quantile_sorted(&ordered, *q, rule);
                same(got, Some(want), &format!("{name} {q} of sample {at}"));
            }
        }
    }
}

#[test]
fn the_weighted_step_is_guidellms() {
    let all = vectors();
    let mut weighed = 0;
    for (at, sample) in all.samples.iter().enumerate() {
        let Some(places) = sample["step"].as_array() else { continue };
        weighed += 1;
        let values = numbers(&sample["v"]);
        let mut pairs: Vec<(f64, f64)> =
            values.iter().copied().zip(numbers(&sample["w"])).filter(|pair| pair.1 > 0.0).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ordered = sorted(&values);
        for (q, place) in all.quantiles.iter().zip(places) {
            let want = ordered[place.as_u64().unwrap() as usize];
            same(weighted_step(&pairs, *q), Some(want), &format!("step {q} of sample {at}"));
        }
    }
    assert!(weighed > 300, "{weighed}");
}

#[test]
fn bucket_linear_is_histogram_quantile() {
    let all = vectors();
    let mut bucketed = 0;
    for (at, sample) in all.samples.iter().enumerate() {
        let Some(cumulative) = sample["cum"].as_array() else { continue };
        bucketed += 1;
        let values = numbers(&sample["v"]);
        let mut buckets: Vec<(f64, f64)> =
            all.edges.iter().copied().zip(cumulative.iter().map(|c| c.as_f64().unwrap())).collect();
        buckets.push((f64::INFINITY, values.len() as f64));
        let histogram = Histogram::new(&buckets, Some(values.iter().sum())).unwrap();
        let ordered = sorted(&values);
        for (q, want) in all.quantiles.iter().zip(sample["prom"].as_array().unwrap()) {
            let what = format!("quantile {q} of sample {at}");
            same(histogram.promql(*q), want.as_f64(), &what);
            // And what was observed lies within the bounds.
            let truth = quantile_sorted(&ordered, *q, Rule::NearestRank).unwrap();
            let bounds = histogram.bounds(*q).unwrap();
            let slack = 1e-9 * truth.abs().max(1e-3);
            assert!(bounds.low <= truth + slack, "{what}: {bounds:?} and {truth}");
            assert!(bounds.high.is_none_or(|high| truth <= high + slack), "{what}: {bounds:?}");
        }
    }
    assert!(bucketed > 500, "{bucketed}");
}

#[test]
fn ranks_of_intervals_are_those_of_exact_fractions() {
    for line in vectors().orders {
        let (n, q) = (line[0].as_u64().unwrap() as usize, line[1].as_f64().unwrap());
        let want = line[2].as_u64().zip(line[3].as_u64());
        let got = quantile_ranks(n, q).map(|ranks| (*ranks.start() as u64, *ranks.end() as u64));
        assert_eq!(got, want, "{n} samples, quantile {q}");
    }
}
