//! What the order of samples says of a quantile, whatever their distribution.

use std::ops::RangeInclusive;

/// Half of what a two-sided 95 % interval leaves out.
const TAIL: f64 = 0.025;
/// Below this share of the largest term a term of the binomial sum no longer counts.
const NEGLIGIBLE: f64 = 1e-18;

/// The order statistics, counted from 0, between which the `q` quantile of what `len` independent
/// samples were drawn from lies in 95 of 100 cases; `None` where there are too few samples for one.
///
/// The number of samples below a quantile is binomial in `len` and `q`, so the answer holds for any
/// continuous distribution and needs no model (Thompson, 1936; Conover, *Practical Nonparametric
/// Statistics*, 3.2). Each end leaves out at most 2.5 %, so coverage is at least 95 %. Samples of one
/// request are not independent: resample pooled ones by request instead.
pub fn quantile_ranks(len: usize, q: f64) -> Option<RangeInclusive<usize>> {
    if len < least_samples(q)? {
        return None;
    }
    let terms = Binomial::new(len, q);
    // The lowest count that is not in the lower tail, and the highest that is not in the upper.
    let low = terms.first_beyond(TAIL)?;
    let high = len - Binomial::new(len, 1.0 - q).first_beyond(TAIL)?;
    // `low` samples lie below the quantile at least, so the first that may lie above is number `low`.
    (low >= 1 && high < len).then(|| low - 1..=high)
}

/// The fewest independent samples with which [`quantile_ranks`] has an answer; `None` at 0 and 1, where
/// no number is enough.
pub fn least_samples(q: f64) -> Option<usize> {
    if !(q > 0.0 && q < 1.0) {
        return None;
    }
    // All samples on one side: q^n ≤ 2.5 %.
    let far = q.max(1.0 - q);
    Some((TAIL.ln() / far.ln()).ceil() as usize)
}

/// The terms of a binomial distribution, worked out from the largest one outwards: no term is lost to
/// the smallest double, however many samples there are.
struct Binomial {
    /// The count of the first term.
    from: usize,
    terms: Vec<f64>,
    total: f64,
}

impl Binomial {
    fn new(n: usize, q: f64) -> Self {
        let (count, odds) = (n as f64, q / (1.0 - q));
        let mode = (((count + 1.0) * q).floor() as usize).min(n);
        let mut below = Vec::new();
        let mut term = 1.0;
        for k in (0..mode).rev() {
            term *= (k as f64 + 1.0) / ((count - k as f64) * odds);
            if term < NEGLIGIBLE {
                break;
            }
            below.push(term);
        }
        let from = mode - below.len();
        let mut terms: Vec<f64> = below.into_iter().rev().collect();
        terms.push(1.0);
        term = 1.0;
        for k in mode..n {
            term *= (count - k as f64) * odds / (k as f64 + 1.0);
            if term < NEGLIGIBLE {
                break;
            }
            terms.push(term);
        }
        let total = super::sum(&terms);
        Self { from, terms, total }
    }

    /// The least count whose cumulative probability is more than `tail`.
    fn first_beyond(&self, tail: f64) -> Option<usize> {
        let mut reached = 0.0;
        let place = self.terms.iter().position(|term| {
            reached += term / self.total;
            reached > tail
        })?;
        Some(self.from + place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability that a binomial count is at most `k`, term by term in logarithms.
    fn at_most(k: usize, n: usize, q: f64) -> f64 {
        let mut term = n as f64 * (1.0 - q).ln();
        let mut total = 0.0;
        for i in 0..=k {
            total += term.exp();
            term += ((n - i) as f64 / (i as f64 + 1.0) * q / (1.0 - q)).ln();
        }
        total
    }

    #[test]
    fn the_median_of_twenty_lies_between_the_sixth_and_the_fifteenth() {
        // The textbook row: n = 20 gives ranks 6 and 15 with a coverage of 95.9 %.
        assert_eq!(quantile_ranks(20, 0.5), Some(5..=14));
        assert!((at_most(14, 20, 0.5) - at_most(5, 20, 0.5) - 0.9586).abs() < 1e-4);
        assert_eq!(quantile_ranks(6, 0.5), Some(0..=5));
        assert_eq!(quantile_ranks(5, 0.5), None, "2 × 0.5⁵ is 6 %");
    }

    #[test]
    fn tails_need_many_samples() {
        let needs: Vec<_> = [0.5, 0.9, 0.95, 0.99, 0.999].map(least_samples).into();
        assert_eq!(needs, [Some(6), Some(36), Some(72), Some(368), Some(3688)]);
        assert_eq!(quantile_ranks(367, 0.99), None);
        assert_eq!(*quantile_ranks(368, 0.99).unwrap().end(), 367, "the largest of all");
        assert_eq!(quantile_ranks(1000, 1.0), None);
        assert_eq!(quantile_ranks(0, 0.5), None);
    }

    #[test]
    fn coverage_is_at_least_what_is_said_and_no_narrower_interval_has_it() {
        for n in [50, 73, 400, 401, 999] {
            for q in [0.05, 0.1, 0.5, 0.9, 0.95] {
                let Some(ranks) = quantile_ranks(n, q) else { continue };
                let (low, high) = (*ranks.start(), *ranks.end());
                assert!(low < high && high < n, "{n} {q}");
                // The quantile is below sample `low` when at most `low` samples lie below it.
                assert!(at_most(low, n, q) <= TAIL, "{n} {q}");
                assert!(at_most(low + 1, n, q) > TAIL, "{n} {q}");
                assert!(1.0 - at_most(high, n, q) <= TAIL, "{n} {q}");
                assert!(1.0 - at_most(high - 1, n, q) > TAIL, "{n} {q}");
            }
        }
    }

    #[test]
    fn millions_of_samples_lose_no_term() {
        let ranks = quantile_ranks(2_500_000, 0.99).unwrap();
        // Mean 2,475,000 and standard deviation 157.3: about ± 308.
        assert!(ranks.start().abs_diff(2_475_000 - 308) < 4, "{ranks:?}");
        assert!(ranks.end().abs_diff(2_475_000 + 308) < 4, "{ranks:?}");
    }

    #[test]
    fn nineteen_of_twenty_draws_hold_the_quantile() {
        let mut rng = super::super::Rng::seeded(7);
        let ranks = quantile_ranks(120, 0.9).unwrap();
        let held = (0..2000)
            .filter(|_| {
                let mut draw: Vec<usize> = (0..120).map(|_| rng.below(1_000_000)).collect();
                draw.sort_unstable();
                (draw[*ranks.start()]..=draw[*ranks.end()]).contains(&900_000)
            })
            .count();
        assert!((1880..=1990).contains(&held), "{held} of 2000");
    }
}
