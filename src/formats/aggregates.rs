//! Collects the aggregates that a tool printed, in file order and in the units of the metrics.

use super::tree::Tree;
use crate::model::{Further, Metric, Reported, ReportedValue, Stat};

/// Milliseconds of a second: the scale of a latency that a file gives in seconds.
pub(super) const SECONDS: f64 = 1e3;
/// The scale of a value that is in its metric's unit already.
pub(super) const SAME: f64 = 1.0;

/// Adds one printed number, given in the file's unit; `scale` brings it to the metric's. What is
/// infinite is no number, and only its key is kept.
pub(super) fn put(
    reported: &mut Reported,
    field: &str,
    metric: Metric,
    stat: Stat,
    value: Option<f64>,
    scale: f64,
) {
    let (field, value) = (field.to_owned(), value.unwrap_or(f64::NAN) * scale);
    if value.is_finite() {
        reported.values.push(ReportedValue { field, metric, stat, value, scale });
    } else if value.is_infinite() {
        reported.infinite.push(field);
    }
}

/// Adds a printed number that no metric of ours claims.
pub(super) fn further(reported: &mut Reported, field: &str, value: Option<f64>, unit: &str) {
    if let Some(value) = value.filter(|value| value.is_finite()) {
        reported.further.push(Further { field: field.to_owned(), value, unit: unit.to_owned() });
    }
}

/// Adds the statistics of one distribution: the members of `object` whose key `stat_of` knows.
pub(super) fn distribution(
    reported: &mut Reported,
    field: &str,
    object: &Tree,
    metric: Metric,
    scale: f64,
    stat_of: impl Fn(&str) -> Option<Stat>,
) {
    for (key, value) in object.members() {
        if let Some(stat) = stat_of(key) {
            put(reported, &format!("{field}.{key}"), metric, stat, value.number(), scale);
        }
    }
}

/// The statistic that most tools mean by a key: `avg`, `mean`, `p50`, `p99.9`, `std`, `min`, …
pub(super) fn usual_stat(key: &str) -> Option<Stat> {
    Some(match key {
        "mean" | "avg" => Stat::Mean,
        "median" => Stat::Median,
        "std" | "stddev" | "std_dev" => Stat::Std,
        "min" => Stat::Min,
        "max" => Stat::Max,
        _ => {
            let p: f64 = key.strip_prefix('p')?.parse().ok()?;
            (0.0..=100.0).contains(&p).then_some(Stat::Percentile(p))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_keys() {
        assert_eq!(usual_stat("avg"), Some(Stat::Mean));
        assert_eq!(usual_stat("p99.9"), Some(Stat::Percentile(99.9)));
        assert_eq!(usual_stat("p101"), None);
        assert_eq!(usual_stat("unit"), None);
    }

    #[test]
    fn a_number_keeps_the_scale_of_its_file() {
        let mut reported = Reported::default();
        put(&mut reported, "ttft", Metric::Ttft, Stat::Mean, Some(0.25), SECONDS);
        put(&mut reported, "ttft", Metric::Ttft, Stat::Max, Some(f64::INFINITY), SECONDS);
        assert_eq!(reported.values.len(), 1);
        assert!((reported.values[0].value - 250.0).abs() < 1e-9);
    }
}
