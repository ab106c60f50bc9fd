//! Quantiles by the rules that benchmark tools use.

/// How a quantile is read off sorted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Linear between neighbours (Hyndman–Fan type 7; numpy's and pandas' default).
    Linear,
    /// Element ⌈q·N⌉, counted from 1.
    NearestRank,
    /// Element ⌊q·N⌋, counted from 0 (MLPerf, trtllm-bench).
    FloorIndex,
    /// Element q·(N − 1), rounded half to even, counted from 0.
    RoundedIndex,
    /// The smallest value whose cumulative share reaches q; with equal weights the same element as
    /// [`Rule::NearestRank`]. Where ties are to fall as in GuideLLM: [`weighted_step`].
    Step,
}

/// Rounding noise that must not move an index: `0.9 × 1000` may be `899.999…`.
const NOISE: f64 = 1e-9;

/// Where a quantile lies: between element `low` and the next, `part` of the way.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spot {
    low: usize,
    part: f64,
}

fn spot(len: usize, q: f64, rule: Rule) -> Option<Spot> {
    let last = len.checked_sub(1)?;
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    let count = len as f64;
    let whole = |index: f64| Spot { low: (index.max(0.0) as usize).min(last), part: 0.0 };
    Some(match rule {
        Rule::Linear => {
            let at = q * (count - 1.0);
            Spot { low: (at.floor() as usize).min(last), part: at - at.floor() }
        }
        Rule::NearestRank | Rule::Step => whole((q * count - NOISE).ceil() - 1.0),
        Rule::FloorIndex => whole((q * count + NOISE).floor()),
        Rule::RoundedIndex => whole((q * (count - 1.0)).round_ties_even()),
    })
}

/// numpy's `_lerp`: from the nearer end, so that both ends come out exactly.
fn between(a: f64, b: f64, part: f64) -> f64 {
    let step = b - a;
    if part >= 0.5 { b - step * (1.0 - part) } else { a + step * part }
}

/// The `q` quantile (0 to 1) of ascending values, or `None` of nothing.
pub fn quantile_sorted(sorted: &[f64], q: f64, rule: Rule) -> Option<f64> {
    let spot = spot(sorted.len(), q, rule)?;
    let low = *sorted.get(spot.low)?;
    if spot.part <= 0.0 {
        return Some(low);
    }
    let high = *sorted.get(spot.low + 1).unwrap_or(&low);
    Some(between(low, high, spot.part))
}

/// Number of values beyond the `q` quantile on its own side: what a quantile stands on.
pub fn beyond(len: usize, q: f64) -> usize {
    let tail = if q >= 0.5 { 1.0 - q } else { q };
    (len as f64 * tail + NOISE).floor() as usize
}

/// Answers several quantiles of one slice without sorting all of it.
///
/// Each answer partitions only the stretch between elements that are already in place.
#[derive(Debug)]
pub struct Selector<'a> {
    values: &'a mut [f64],
    /// Indices already in their final place, ascending.
    placed: Vec<usize>,
}

impl<'a> Selector<'a> {
    /// A selector on `values`, whose order it changes.
    pub const fn new(values: &'a mut [f64]) -> Self {
        Self { values, placed: Vec::new() }
    }

    /// The `q` quantile (0 to 1), or `None` of nothing.
    pub fn quantile(&mut self, q: f64, rule: Rule) -> Option<f64> {
        let spot = spot(self.values.len(), q, rule)?;
        let low = self.element(spot.low)?;
        if spot.part <= 0.0 {
            return Some(low);
        }
        let high = self.element(spot.low + 1).unwrap_or(low);
        Some(between(low, high, spot.part))
    }

    /// The element at `index`, from 0, of the ascending order; `None` past the end.
    pub fn element(&mut self, index: usize) -> Option<f64> {
        if index >= self.values.len() {
            return None;
        }
        if let Err(slot) = self.placed.binary_search(&index) {
            let from = slot.checked_sub(1).and_then(|s| self.placed.get(s)).map_or(0, |p| p + 1);
            let to = self.placed.get(slot).copied().unwrap_or(self.values.len());
            let stretch = self.values.get_mut(from..to)?;
            if index == from {
                // The least of the stretch: one pass instead of a partition.
                let least = stretch
                    .iter()
                    .enumerate()
                    .min_by(|a, b| a.1.total_cmp(b.1))
                    .map_or(0, |(at, _)| at);
                stretch.swap(0, least);
            } else {
                stretch.select_nth_unstable_by(index - from, f64::total_cmp);
            }
            self.placed.insert(slot, index);
        }
        self.values.get(index).copied()
    }
}

/// The smallest value whose cumulative share of the weight reaches `q`: the inverse of a weighted
/// distribution. `pairs` are (value, weight), ascending in value; `None` without weight.
///
/// Shares are those of distinct values and are added one after the other, as numpy's `cumsum` in
/// GuideLLM's `DistributionSummary` does, so that rounding decides the same ties.
pub fn weighted_step(pairs: &[(f64, f64)], q: f64) -> Option<f64> {
    let total: f64 = pairs.iter().map(|p| p.1).sum();
    if total <= 0.0 {
        return None;
    }
    let mut reached = 0.0;
    for same in pairs.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        reached += same.iter().map(|p| p.1).sum::<f64>() / total;
        if reached >= q {
            return same.first().map(|p| p.0);
        }
    }
    pairs.last().map(|p| p.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rules_part_ways_on_twenty_values() {
        // hand.md D4: 19 × 100 and one 400.
        let mut values = vec![100.0; 19];
        values.push(400.0);
        assert!((quantile_sorted(&values, 0.99, Rule::Linear).unwrap() - 343.0).abs() < 1e-9);
        assert_eq!(quantile_sorted(&values, 0.99, Rule::NearestRank), Some(400.0));
        assert_eq!(quantile_sorted(&values, 0.95, Rule::NearestRank), Some(100.0));
        assert_eq!(quantile_sorted(&values, 0.95, Rule::FloorIndex), Some(400.0));
        assert_eq!(quantile_sorted(&values, 0.95, Rule::RoundedIndex), Some(100.0));
    }

    #[test]
    fn linear_is_numpys_arithmetic() {
        // numpy: np.percentile([.1, .2, .4], [25, 50, 75, 90]).
        let values = [0.1, 0.2, 0.4];
        let got: Vec<f64> = [0.25, 0.5, 0.75, 0.9]
            .iter()
            .map(|q| quantile_sorted(&values, *q, Rule::Linear).unwrap())
            .collect();
        // Halfway and above, numpy counts back from the upper neighbour.
        assert_eq!(got, [0.2 - 0.1 * 0.5, 0.2, 0.4 - 0.2 * 0.5, 0.4 - 0.2 * (1.0 - 0.8)]);
    }

    #[test]
    fn halves_round_to_even() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile_sorted(&values, 0.5, Rule::RoundedIndex), Some(3.0), "1.5 → 2");
        assert_eq!(quantile_sorted(&values[..2], 0.5, Rule::RoundedIndex), Some(1.0), "0.5 → 0");
    }

    #[test]
    fn what_a_quantile_stands_on() {
        assert_eq!(beyond(1000, 0.99), 10);
        assert_eq!(beyond(1000, 0.9), 100);
        assert_eq!(beyond(60, 0.99), 0);
        assert_eq!(beyond(60, 0.5), 30);
        assert_eq!(beyond(100, 0.01), 1);
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(quantile_sorted(&[], 0.5, Rule::Linear), None);
        assert_eq!(quantile_sorted(&[1.0], 1.5, Rule::Linear), None);
        assert_eq!(weighted_step(&[(1.0, 0.0)], 0.5), None);
        assert_eq!(Selector::new(&mut []).quantile(0.5, Rule::Linear), None);
    }

    #[test]
    fn weights_move_the_step() {
        let pairs = [(10.0, 99.0), (50.0, 1.0)];
        assert_eq!(weighted_step(&pairs, 0.99), Some(10.0));
        assert_eq!(weighted_step(&pairs, 0.995), Some(50.0));
    }

    #[test]
    fn rounding_decides_ties_of_the_step_as_in_numpy() {
        // Ten hundredths add up to less than 0.1, fifty to more than 0.5: numpy finds the same.
        let pairs: Vec<_> = (0..100).map(|value| (f64::from(value), 1.0)).collect();
        assert_eq!(weighted_step(&pairs, 0.1), Some(10.0));
        assert_eq!(weighted_step(&pairs, 0.5), Some(49.0));
        // Equal values are one step.
        let pairs = [(1.0, 5.0), (1.0, 5.0), (2.0, 90.0)];
        assert_eq!(weighted_step(&pairs, 0.1), Some(1.0));
    }

    const RULES: [Rule; 5] =
        [Rule::Linear, Rule::NearestRank, Rule::FloorIndex, Rule::RoundedIndex, Rule::Step];

    proptest! {
        #[test]
        fn selecting_is_sorting(
            values in prop::collection::vec(-1e6_f64..1e6, 1..300),
            qs in prop::collection::vec(0.0_f64..=1.0, 1..8),
        ) {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            for rule in RULES {
                let mut mixed = values.clone();
                let mut selector = Selector::new(&mut mixed);
                for q in &qs {
                    prop_assert_eq!(selector.quantile(*q, rule), quantile_sorted(&sorted, *q, rule));
                }
            }
        }

        #[test]
        fn quantiles_rise_and_stay_inside(
            mut values in prop::collection::vec(-1e6_f64..1e6, 1..300),
            a in 0.0_f64..=1.0,
            b in 0.0_f64..=1.0,
        ) {
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = if a <= b { (a, b) } else { (b, a) };
            for rule in RULES {
                let x = quantile_sorted(&values, low, rule).unwrap();
                let y = quantile_sorted(&values, high, rule).unwrap();
                prop_assert!(x <= y);
                prop_assert!(values[0] <= x && y <= values[values.len() - 1]);
            }
        }
    }
}
