//! Goodput at other limits than those that were evaluated: what moving a limit would give or take.
//!
//! A request is good or not by its own values, so each cell of a map is a count over the same requests,
//! not an interpolation.

use super::difference::Subject;
use super::goodput::{Goodput, GoodputResult, Within, goodput};
use super::throughput;
use crate::model::{Limit, LimitMetric};
use serde::{Deserialize, Serialize};

/// The goodput of a run under `limits`, whatever it was evaluated under.
pub fn goodput_under(run: &Subject<'_>, limits: &[Limit]) -> GoodputResult {
    match run.rows() {
        Some(rows) => goodput(rows, limits, &throughput::duration(run.run(), rows)),
        None => GoodputResult::Unavailable(run.run().no_requests().into()),
    }
}

/// One axis of a map: a metric and the limits on it, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapAxis {
    /// What is limited.
    pub metric: LimitMetric,
    /// The limits, ascending.
    pub millis: Vec<f64>,
}

/// The goodput peak of a sweep under one pair of limits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MapCell {
    /// Good requests, or their tokens, per second at the best load.
    pub goodput: Within,
    /// Which load that is, as a place among the loads of the sweep.
    pub load: usize,
    /// Whether it is the lowest or the highest load: the peak may lie beyond.
    pub at_edge: bool,
}

/// Which number of a goodput a map is of.
pub type Counting = fn(&Goodput) -> &Result<Within, String>;

/// The goodput peak of a sweep, in order of load, under every pair of limits of the two axes, with the
/// other `limits` held. Rows go with `y`, columns with `x`. A cell is missing where goodput can’t be had
/// of some load; where no request is good at any, it is 0 at the lowest.
pub fn limit_map(
    loads: &[Vec<Subject<'_>>],
    limits: &[Limit],
    x: &MapAxis,
    y: &MapAxis,
    counted: Counting,
) -> Vec<Vec<Option<MapCell>>> {
    let held: Vec<Limit> = limits
        .iter()
        .filter(|limit| limit.metric != x.metric && limit.metric != y.metric)
        .copied()
        .collect();
    let last = loads.len().saturating_sub(1);
    let cell = |y_millis: f64, x_millis: f64| {
        let mut limits = held.clone();
        limits.push(Limit::at_most(x.metric, x_millis));
        limits.push(Limit::at_most(y.metric, y_millis));
        let rates =
            loads.iter().enumerate().map(|(at, runs)| Some((at, rate(runs, &limits, counted)?)));
        let rates: Vec<(usize, Within)> = rates.collect::<Option<_>>()?;
        // Of equals, the lowest load.
        let best = rates
            .into_iter()
            .reduce(|best, next| if next.1.high > best.1.high { next } else { best })?;
        let (load, goodput) = best;
        Some(MapCell { goodput, load, at_edge: load == 0 || load == last })
    };
    y.millis
        .iter()
        .map(|down| x.millis.iter().map(|across| cell(*down, *across)).collect())
        .collect()
}

/// The goodput of one load.
fn rate(runs: &[Subject<'_>], limits: &[Limit], counted: Counting) -> Option<Within> {
    let all: Vec<Goodput> = runs
        .iter()
        .map(|run| match goodput_under(run, limits) {
            GoodputResult::Known(goodput) => Some(goodput),
            _ => None,
        })
        .collect::<Option<_>>()?;
    counted(&Goodput::together(&all.iter().collect::<Vec<_>>())?).clone().ok()
}

/// Limits to try around `chosen`: from where few requests keep it to where nearly all do, by ratio, with
/// the chosen one among them.
pub fn around(chosen: f64) -> Vec<f64> {
    const TIGHTER: [f64; 3] = [0.4, 0.6, 0.8];
    const LOOSER: [f64; 3] = [1.25, 1.6, 2.5];
    let step = |of: f64| round(chosen * of);
    TIGHTER.into_iter().map(step).chain([chosen]).chain(LOOSER.into_iter().map(step)).collect()
}

/// A limit as a person would type it: two digits.
fn round(millis: f64) -> f64 {
    if millis <= 0.0 || !millis.is_finite() {
        return millis;
    }
    let unit = 10_f64.powi(millis.log10().floor() as i32 - 1);
    (millis / unit).round() * unit
}

/// What printed percentiles say of the share of requests within a limit: at least as many as the highest
/// percentile under it, at most as many as the lowest above it.
///
/// `percentiles` are (share below, value) in any order. Nothing without one.
pub fn share_between(percentiles: &[(f64, f64)], limit: f64) -> Option<Within> {
    if percentiles.is_empty() {
        return None;
    }
    let under = percentiles.iter().filter(|(_, value)| *value <= limit).map(|(share, _)| *share);
    let over = percentiles.iter().filter(|(_, value)| *value > limit).map(|(share, _)| *share);
    Some(Within { low: under.fold(0.0, f64::max), high: over.fold(1.0, f64::min) })
}

/// What shares within single limits say of the share within all (Fréchet, 1935): no more than the least
/// of them, and no less than what is left when the failures fall on different requests.
pub fn share_of_all(each: &[Within]) -> Option<Within> {
    let high = each.iter().map(|share| share.high).reduce(f64::min)?;
    let missed: f64 = each.iter().map(|share| 1.0 - share.low).sum();
    Some(Within { low: (1.0 - missed).max(0.0).min(high), high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_bound_the_share_within_a_limit() {
        let printed = [(0.5, 100.0), (0.95, 300.0)];
        let at = |limit| share_between(&printed, limit).map(|w| (w.low, w.high));
        assert_eq!(at(200.0), Some((0.5, 0.95)));
        assert_eq!(at(300.0), Some((0.95, 1.0)), "the limit is inclusive");
        assert_eq!(at(50.0), Some((0.0, 0.5)));
        assert_eq!(share_between(&[], 50.0), None);
    }

    #[test]
    fn single_shares_bound_the_joint_one() {
        let share = |low, high| Within { low, high };
        let got = share_of_all(&[share(0.75, 0.75), share(0.75, 0.75)]).unwrap();
        assert!((got.low - 0.5).abs() < 1e-12 && (got.high - 0.75).abs() < 1e-12);
        let got = share_of_all(&[share(0.2, 0.6), share(0.3, 0.9)]).unwrap();
        assert!(got.low.abs() < 1e-12 && (got.high - 0.6).abs() < 1e-12);
        assert_eq!(share_of_all(&[]), None);
    }

    #[test]
    fn limits_to_try_hold_the_chosen_one_and_have_two_digits() {
        let around = around(250.0);
        assert!(around.contains(&250.0) && around.windows(2).all(|w| w[0] < w[1]), "{around:?}");
        assert!((round(0.123) - 0.12).abs() < 1e-12);
    }
}
