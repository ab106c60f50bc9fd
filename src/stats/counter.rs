//! Counters and gauges of several processes, as servers export them.

/// How much a counter rose over a series of scrapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Increase {
    /// The sum of all rises.
    pub total: f64,
    /// How often the counter began anew.
    pub resets: usize,
}

/// The increase of a counter over its scrapes in order of time; `None` with fewer than two, which give a
/// total since the start and no rate.
///
/// A value below the one before it is a restart from zero, so it counts whole, as in PromQL's
/// `increase`. What was counted between the last scrape and the restart is lost.
pub fn increase(scrapes: &[f64]) -> Option<Increase> {
    let mut increase = Increase { total: 0.0, resets: 0 };
    if scrapes.len() < 2 {
        return None;
    }
    for pair in scrapes.windows(2) {
        let [before, now] = pair else { continue };
        if now < before {
            increase.resets += 1;
            increase.total += now;
        } else {
            increase.total += now - before;
        }
    }
    Some(increase)
}

/// One gauge out of the copies that each process of one engine exports: the largest. All but the one
/// process that knows write zero, so a mean or a sum says nothing. `None` of nothing.
pub fn gauge_of_processes(values: &[f64]) -> Option<f64> {
    values.iter().copied().filter(|v| !v.is_nan()).reduce(f64::max)
}

/// A counter of several engines, added up.
#[derive(Debug, Clone, PartialEq)]
pub struct OverEngines {
    /// The sum.
    pub total: f64,
    /// Each engine's share of it, in the order given.
    pub shares: Vec<f64>,
}

impl OverEngines {
    /// The sum over engines with each one's share, which shows how evenly they are loaded; `None`
    /// without any, or where the sum is not above zero and has no shares.
    pub fn of(values: &[f64]) -> Option<Self> {
        let total = super::sum(values);
        (total > 0.0).then(|| Self { total, shares: values.iter().map(|v| v / total).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scrape_has_no_increase() {
        assert_eq!(increase(&[5.0]), None);
        assert_eq!(increase(&[5.0, 5.0]), Some(Increase { total: 0.0, resets: 0 }));
    }

    #[test]
    fn nothing_has_no_gauge_and_no_shares() {
        assert_eq!(gauge_of_processes(&[]), None);
        assert_eq!(gauge_of_processes(&[f64::NAN, 0.2]), Some(0.2));
        assert_eq!(OverEngines::of(&[0.0, 0.0]), None);
    }
}
