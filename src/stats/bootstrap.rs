//! Resampling intervals.

use super::{Interval, Rng, Rule, quantile_sorted};

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// Number of resamples.
    pub times: usize,
    /// Seed of the generator.
    pub seed: u64,
}

impl Resampling {
    /// What the app uses everywhere, and says so.
    pub const HOUSE: Self = Self { times: 400, seed: 0x5A3E };
}

/// An estimate on each of many resamples of `rows` units.
///
/// Each round hands the estimator how often each unit was drawn, so that values which belong
/// together (the gaps of one request) are drawn together. Rounds without an estimate are left out.
pub fn resample(
    rows: usize,
    how: Resampling,
    mut estimate: impl FnMut(&[u32]) -> Option<f64>,
) -> Vec<f64> {
    let mut rng = Rng::seeded(how.seed);
    let mut drawn = vec![0_u32; rows];
    let mut estimates = Vec::with_capacity(how.times);
    for _ in 0..how.times {
        drawn.fill(0);
        for _ in 0..rows {
            if let Some(count) = drawn.get_mut(rng.below(rows)) {
                *count += 1;
            }
        }
        estimates.extend(estimate(&drawn).filter(|e| e.is_finite()));
    }
    estimates
}

/// The middle 95 % of estimates, or `None` when fewer than half of the rounds gave one.
pub fn middle(mut estimates: Vec<f64>, how: Resampling) -> Option<Interval> {
    if estimates.is_empty() || estimates.len() * 2 < how.times {
        return None;
    }
    estimates.sort_unstable_by(f64::total_cmp);
    Some(Interval {
        low: quantile_sorted(&estimates, 0.025, Rule::Linear)?,
        high: quantile_sorted(&estimates, 0.975, Rule::Linear)?,
    })
}

/// The 95 % percentile-bootstrap interval of an estimate over `rows` units: see [`resample`].
pub fn bootstrap(
    rows: usize,
    how: Resampling,
    estimate: impl FnMut(&[u32]) -> Option<f64>,
) -> Option<Interval> {
    if rows == 0 {
        return None;
    }
    middle(resample(rows, how, estimate), how)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted_mean(values: &[f64], drawn: &[u32]) -> Option<f64> {
        let n: u32 = drawn.iter().sum();
        let total: f64 = values.iter().zip(drawn).map(|(v, d)| v * f64::from(*d)).sum();
        (n > 0).then(|| total / f64::from(n))
    }

    #[test]
    fn the_interval_of_a_mean_is_about_two_standard_errors() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let how = Resampling { times: 2000, seed: 1 };
        let got = bootstrap(values.len(), how, |d| weighted_mean(&values, d)).unwrap();
        // Mean 49.5, standard error 28.87 / 10.
        assert!((got.low - (49.5 - 5.66)).abs() < 0.6, "{got:?}");
        assert!((got.high - (49.5 + 5.66)).abs() < 0.6, "{got:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_nothing_gives_none() {
        let values = [1.0, 5.0, 9.0, 2.0];
        let run = || bootstrap(4, Resampling::HOUSE, |d| weighted_mean(&values, d));
        assert_eq!(run(), run());
        assert_eq!(bootstrap(0, Resampling::HOUSE, |_| Some(1.0)), None);
        assert_eq!(bootstrap(4, Resampling::HOUSE, |_| None), None);
    }
}
