//! Intervals.

use serde::{Deserialize, Serialize};

/// An interval with both ends in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % Wilson interval of a share: `hits` of `of` (Wilson, 1927), or `None` of nothing.
///
/// It stays inside 0 to 1 and is sensible at shares of 0 and 1, where the normal interval is not.
pub fn wilson(hits: f64, of: f64) -> Option<Interval> {
    if of <= 0.0 {
        return None;
    }
    let share = hits / of;
    let z2 = Z * Z / of;
    let center = (share + z2 / 2.0) / (1.0 + z2);
    let half = Z * (share * (1.0 - share) / of + z2 / (4.0 * of)).max(0.0).sqrt() / (1.0 + z2);
    Some(Interval { low: (center - half).max(0.0), high: (center + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_of_textbook_values() {
        // 1 of 29: the usual worked case, 0.6 % to 17.2 %.
        let got = wilson(1.0, 29.0).unwrap();
        assert!((got.low - 0.006_11).abs() < 1e-4, "{got:?}");
        assert!((got.high - 0.171_8).abs() < 1e-3, "{got:?}");
        let all = wilson(60.0, 60.0).unwrap();
        assert!(all.high <= 1.0 && all.low > 0.93, "{all:?}");
        assert_eq!(wilson(0.0, 0.0), None);
    }
}
