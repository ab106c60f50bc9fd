//! Sums, means and spreads, added up the way numpy does it.

/// Below this length numpy adds in one go; above it, it halves.
const BLOCK: usize = 128;
const LANES: usize = 8;

/// The divisor of a variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Divide by N.
    Population,
    /// Divide by N − 1.
    Sample,
}

/// The sum of `values`.
pub fn sum(values: &[f64]) -> f64 {
    sum_by(values, |v| v)
}

/// The sum of `term` over `values`, pairwise in numpy's order, so that printed means come out to the
/// last digit (numpy 2.x, `loops_utils.h.src`: eight lanes in blocks of 128, halved above that).
pub fn sum_by(values: &[f64], term: impl Fn(f64) -> f64 + Copy) -> f64 {
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % LANES);
        return sum_by(left, term) + sum_by(right, term);
    }
    let (eights, rest) = values.as_chunks::<LANES>();
    let Some((first, eights)) = eights.split_first() else {
        return values.iter().fold(0.0, |total, v| total + term(*v));
    };
    let mut lanes = first.map(term);
    for eight in eights {
        for (lane, value) in lanes.iter_mut().zip(eight) {
            *lane += term(*value);
        }
    }
    // ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), as numpy folds its lanes.
    let fours: [f64; 4] = fold(lanes);
    let twos: [f64; 2] = fold(fours);
    let [total] = fold(twos);
    rest.iter().fold(total, |total, v| total + term(*v))
}

/// Adds neighbours.
fn fold<const FROM: usize, const TO: usize>(lanes: [f64; FROM]) -> [f64; TO] {
    let mut halves = [0.0; TO];
    for (half, pair) in halves.iter_mut().zip(lanes.chunks_exact(2)) {
        *half = pair.iter().sum();
    }
    halves
}

/// The arithmetic mean, or `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| sum(values) / values.len() as f64)
}

/// Values that are closer to each other than this share of their size are one value: no clock tells them
/// apart, and sums and quotients of equal times differ by more than their last digit.
const ONE: f64 = 1e-12;

/// Whether the lowest and the highest of some values are one value but for the rounding of floats.
pub fn is_one_value(low: f64, high: f64) -> bool {
    high - low <= ONE * low.abs().max(high.abs())
}

/// The standard deviation as NumPy's, or `None` where its divisor would not be positive. That of equal values
/// may be the rounding of their mean, which is no spread: see [`is_one_value`].
pub fn std(values: &[f64], spread: Spread) -> Option<f64> {
    let center = mean(values)?;
    let divisor = match spread {
        Spread::Population => values.len() as f64,
        Spread::Sample => values.len() as f64 - 1.0,
    };
    (divisor > 0.0).then(|| (sum_by(values, |v| (v - center) * (v - center)) / divisor).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairwise_keeps_digits_that_a_plain_sum_loses() {
        let values = vec![0.1; 1_000_000];
        assert!((sum(&values) - 100_000.0).abs() < 1e-9);
        assert!(sum(&[]).abs() < 1e-12);
        assert!((sum(&[1.0, 2.0, 3.0]) - 6.0).abs() < 1e-12);
        let ramp: Vec<f64> = (0..1001).map(f64::from).collect();
        assert!((sum(&ramp) - 500_500.0).abs() < 1e-9);
    }

    #[test]
    fn two_spreads() {
        let values = [9.5, 10.0, 10.5];
        assert!((std(&values, Spread::Population).unwrap() - 0.408_248).abs() < 1e-6);
        assert!((std(&values, Spread::Sample).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(std(&[1.0], Spread::Sample), None);
    }

    #[test]
    fn equal_values_are_one_but_for_rounding() {
        for value in [0.1, 23.4, 1e-9, 1e12, -0.7, 0.0] {
            assert!(is_one_value(value, value), "{value}");
        }
        // (0.6 − 0.1) ÷ 10 and (5.1 − 0.1) ÷ 100 are the same time.
        assert!(is_one_value((5.1 - 0.1) / 100.0, (0.6 - 0.1) / 10.0));
        assert!(!is_one_value(1.0, 1.0 + 1e-9));
        assert_eq!(mean(&[]), None);
    }
}
