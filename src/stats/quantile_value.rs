//! The value of a quantile, which nothing can be added to.

use serde::{Deserialize, Serialize};

/// The value of a quantile: to be shown and compared, and no more.
///
/// The mean of two p99 is the p99 of nothing, so this type can't be added, summed or averaged: samples
/// of several runs are pooled first and have a quantile of their own.
///
/// ```compile_fail,E0369
/// use sameruler::stats::QuantileValue;
/// let (a, b) = (QuantileValue::new(50.0), QuantileValue::new(1000.0));
/// let average = (a + b) / 2.0;
/// ```
///
/// ```compile_fail,E0277
/// use sameruler::stats::QuantileValue;
/// let total: QuantileValue = [50.0, 1000.0].map(QuantileValue::new).into_iter().sum();
/// ```
///
/// Pooled, 990 samples of 50 and ten of 1000 have their p99 at 59.5, where the average of the two p99
/// would say 525:
///
/// ```
/// use sameruler::stats::{Rule, quantile_sorted};
/// let pooled = [[50.0; 990].as_slice(), &[1000.0; 10]].concat();
/// assert!((quantile_sorted(&pooled, 0.99, Rule::Linear).unwrap() - 59.5).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuantileValue(f64);

impl QuantileValue {
    /// The value of a quantile of samples.
    pub const fn new(value: f64) -> Self {
        Self(value)
    }

    /// The number, for showing and for comparing with a limit.
    pub const fn shown(self) -> f64 {
        self.0
    }

    /// The same quantile of samples that are all brought through `rising`, such as to another unit.
    #[must_use]
    pub fn map(self, rising: impl FnOnce(f64) -> f64) -> Self {
        Self(rising(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_compared_and_brought_to_another_unit() {
        let value = QuantileValue::new(0.25);
        assert!(value < QuantileValue::new(0.3));
        assert!((value.map(|secs| secs * 1e3).shown() - 250.0).abs() < 1e-12);
    }
}
