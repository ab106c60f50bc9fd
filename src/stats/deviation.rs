//! The median absolute deviation.

use super::{Rule, Selector, quantile_sorted};

/// Below this many values selecting straight away is quicker than looking first.
const MANY: usize = 8192;
/// Values looked at to guess where the answer lies, and how far around the guess to look: five standard
/// errors of a median of so many.
const LOOKED_AT: usize = 1024;
const AROUND: usize = 80;

/// The ordinary median (the mean of the two middle values where they are even), or `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile_sorted(&sorted, 0.5, Rule::Linear)
}

/// The median of the distances from `center`, which is to be the median of `values`; not scaled to the
/// standard deviation of a normal distribution. `None` of nothing.
///
/// Many values are looked at first: a sample says between which two distances the answer lies, and only
/// those are selected from (Floyd and Rivest, 1975). The answer is exact either way.
pub fn mad(values: &[f64], center: f64) -> Option<f64> {
    let distance = |value: &f64| (value - center).abs();
    if values.len() >= MANY
        && let Some(found) = among_few(values, distance)
    {
        return Some(found);
    }
    let mut distances: Vec<f64> = values.iter().map(distance).collect();
    Selector::new(&mut distances).quantile(0.5, Rule::Linear)
}

/// The median distance, out of those between two that a sample names; `None` if it lies elsewhere.
fn among_few(values: &[f64], distance: impl Fn(&f64) -> f64) -> Option<f64> {
    let step = values.len() / LOOKED_AT;
    let mut looked: Vec<f64> = values.iter().step_by(step).map(&distance).collect();
    looked.sort_unstable_by(f64::total_cmp);
    let middle = looked.len() / 2;
    let low = *looked.get(middle.checked_sub(AROUND)?)?;
    let high = *looked.get(middle + AROUND)?;
    let mut below = 0;
    let mut between: Vec<f64> = Vec::with_capacity(values.len() / 4);
    for value in values {
        let distance = distance(value);
        if distance < low {
            below += 1;
        } else if distance <= high {
            between.push(distance);
        }
    }
    let mut selector = Selector::new(&mut between);
    let mut at = |rank: usize| selector.element(rank.checked_sub(below)?);
    let last = values.len() - 1;
    let (a, b) = (at(last / 2)?, at(last.div_ceil(2))?);
    // As in the linear rule, halfway counts back from the upper one.
    Some(b - (b - a) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Rng;

    #[test]
    fn one_far_value_moves_it_little() {
        let values = [1.0, 2.0, 3.0, 4.0, 1000.0];
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(mad(&values, 3.0), Some(1.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 8.0]), Some(3.0));
        assert_eq!(mad(&[1.0, 2.0, 4.0, 8.0], 3.0), Some(1.5));
        assert_eq!((median(&[]), mad(&[], 0.0)), (None, None));
    }

    #[test]
    fn looking_first_changes_no_digit() {
        let mut rng = Rng::seeded(3);
        for (size, ties) in [(MANY, 5), (20_001, 1 << 30), (50_000, 2), (9999, 1)] {
            let values: Vec<f64> =
                (0..size).map(|_| rng.below(ties) as f64 / 7.0 + rng.below(3) as f64).collect();
            let center = median(&values).unwrap();
            let mut distances: Vec<f64> = values.iter().map(|v| (v - center).abs()).collect();
            distances.sort_unstable_by(f64::total_cmp);
            assert_eq!(mad(&values, center), quantile_sorted(&distances, 0.5, Rule::Linear));
        }
    }
}
