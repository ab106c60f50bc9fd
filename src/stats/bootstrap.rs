//! Resampling intervals.

use super::{Interval, Rng, Rule, quantile_sorted};
use std::cell::RefCell;
use std::rc::Rc;

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

/// How often each of some units was drawn in each round. A count is a byte: one unit is drawn more than
/// 255 times with a chance below 10⁻⁵⁰⁰, and is then counted 255 times.
struct Draws {
    rows: usize,
    how: Resampling,
    counts: Vec<u8>,
}

impl Draws {
    /// Kept draws take at most so many bytes each: 400 rounds over 40,000 units.
    const LARGEST: usize = 16_000_000;
    /// Two runs drawn with two seeds over two numbers of samples.
    const KEPT: usize = 8;

    fn new(rows: usize, how: Resampling) -> Self {
        let mut rng = Rng::seeded(how.seed);
        let mut counts = vec![0; rows * how.times];
        for round in counts.chunks_exact_mut(rows.max(1)) {
            draw(&mut rng, round);
        }
        Self { rows, how, counts }
    }

    /// The draws for so many units: every metric of a run asks for the same.
    fn of(rows: usize, how: Resampling) -> Rc<Self> {
        thread_local! {
            static KNOWN: RefCell<Vec<Rc<Draws>>> = const { RefCell::new(Vec::new()) };
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(at) = known.iter().position(|d| (d.rows, d.how) == (rows, how)) {
                let draws = known.remove(at);
                known.push(Rc::clone(&draws));
                return draws;
            }
            let draws = Rc::new(Self::new(rows, how));
            if known.len() >= Self::KEPT {
                known.remove(0);
            }
            known.push(Rc::clone(&draws));
            draws
        })
    }
}

fn draw(rng: &mut Rng, round: &mut [u8]) {
    for _ in 0..round.len() {
        let unit = rng.below(round.len());
        if let Some(count) = round.get_mut(unit) {
            *count = count.saturating_add(1);
        }
    }
}

/// An estimate on each of many resamples of `rows` units.
///
/// Each round hands the estimator how often each unit was drawn, so that values which belong
/// together (the gaps of one request) are drawn together. Rounds without an estimate are left out.
pub fn resample(
    rows: usize,
    how: Resampling,
    mut estimate: impl FnMut(&[u8]) -> Option<f64>,
) -> Vec<f64> {
    let mut estimates = Vec::with_capacity(how.times);
    let mut take = |round: &[u8]| estimates.extend(estimate(round).filter(|e| e.is_finite()));
    if rows > 0 && rows * how.times <= Draws::LARGEST {
        Draws::of(rows, how).counts.chunks_exact(rows).for_each(take);
        return estimates;
    }
    let mut rng = Rng::seeded(how.seed);
    let mut round = vec![0; rows];
    for _ in 0..how.times {
        round.fill(0);
        draw(&mut rng, &mut round);
        take(&round);
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
    estimate: impl FnMut(&[u8]) -> Option<f64>,
) -> Option<Interval> {
    if rows == 0 {
        return None;
    }
    middle(resample(rows, how, estimate), how)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted_mean(values: &[f64], drawn: &[u8]) -> Option<f64> {
        let n: u32 = drawn.iter().copied().map(u32::from).sum();
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
    fn kept_draws_are_those_that_are_drawn_on_the_way() {
        let how = Resampling { times: 7, seed: 3 };
        let kept = Draws::new(50, how);
        let mut rng = Rng::seeded(3);
        for round in kept.counts.chunks_exact(50) {
            let mut drawn = [0; 50];
            draw(&mut rng, &mut drawn);
            assert_eq!(round, drawn);
            assert_eq!(drawn.iter().map(|d| usize::from(*d)).sum::<usize>(), 50);
        }
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
