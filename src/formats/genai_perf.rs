//! What GenAI-Perf's two summaries share: the names of its metrics, and the names of its files.

use super::aggregates::{SAME, SECONDS, further, put, usual_stat};
use crate::model::{Metric, Reported, Stat};

/// A printed metric.
enum Kind {
    /// One number for the run, in the place of a mean.
    Run(Metric),
    /// The statistics of one value a request.
    Distribution(Metric),
    /// None of ours.
    Further,
}

/// The metric of a key (0.0.8 to 0.0.16, `genai_perf/metrics`).
fn kind(key: &str) -> Kind {
    match key {
        "request_throughput" => Kind::Run(Metric::RequestThroughput),
        "output_token_throughput" => Kind::Run(Metric::OutputThroughput),
        "request_count" => Kind::Run(Metric::Completed),
        "request_goodput" => Kind::Run(Metric::Goodput),
        "request_latency" => Kind::Distribution(Metric::E2e),
        "time_to_first_token" => Kind::Distribution(Metric::Ttft),
        "inter_token_latency" => Kind::Distribution(Metric::Itl),
        "output_token_throughput_per_user" => Kind::Distribution(Metric::UserSpeed),
        "input_sequence_length" => Kind::Distribution(Metric::InputTokens),
        "output_sequence_length" => Kind::Distribution(Metric::OutputTokens),
        _ => Kind::Further,
    }
}

/// The factor from a latency's unit to milliseconds; other metrics are in ours already.
fn scale(unit: &str) -> f64 {
    match unit {
        "s" | "sec" | "seconds" => SECONDS,
        "us" => 1e-3,
        "ns" => 1e-6,
        _ => SAME,
    }
}

/// Adds one printed number: statistic `stat` of the metric `key`, in `unit`. A goodput of −1 says that
/// its limits were not understood.
pub(super) fn add(reported: &mut Reported, key: &str, unit: &str, stat: &str, value: Option<f64>) {
    let field = format!("{key}.{stat}");
    match (kind(key), usual_stat(stat)) {
        (Kind::Run(metric), Some(Stat::Mean)) => {
            let value = value.filter(|value| *value >= 0.0);
            put(reported, &field, metric, Stat::Value, value, SAME);
        }
        (Kind::Distribution(metric), Some(stat)) => {
            put(reported, &field, metric, stat, value, scale(unit));
        }
        (Kind::Further, Some(Stat::Mean)) => further(reported, &field, value, unit),
        _ => {}
    }
}

/// Adds one reading of one accelerator. Each has its own: they are not summed.
pub(super) fn add_reading(
    reported: &mut Reported,
    key: &str,
    gpu: &str,
    unit: &str,
    mean: Option<f64>,
) {
    let field = format!("{key}.{gpu}.avg");
    if key == "gpu_power_usage" && unit == "W" {
        put(reported, &field, Metric::AcceleratorPower, Stat::Mean, mean, SAME);
    } else {
        further(reported, &field, mean, unit);
    }
}

/// What Perf Analyzer and GenAI-Perf add to the name of one run's files.
pub(super) const SUMMARY: &str = "_genai_perf.json";
/// The same for the table.
pub(super) const TABLE: &str = "_genai_perf.csv";

/// The files of the run whose export is called `stem` with `.json`, other than the one that ends in
/// `own`.
pub(super) fn beside(stem: &str, own: &str) -> Vec<String> {
    let ends = [".json", SUMMARY, TABLE];
    ends.iter().filter(|end| **end != own).map(|end| format!("{stem}{end}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_milliseconds_and_minus_one_is_no_goodput() {
        let mut reported = Reported::default();
        add(&mut reported, "request_latency", "s", "p50", Some(1.5));
        add(&mut reported, "request_goodput", "requests/sec", "avg", Some(-1.0));
        add(&mut reported, "time_to_second_token", "ms", "avg", Some(7.5));
        add(&mut reported, "request_latency", "ms", "unit", None);
        assert_eq!(reported.find(Metric::E2e, Stat::Median).map(|v| v.value), Some(1500.0));
        assert_eq!(reported.values.len(), 1);
        assert_eq!(reported.further.len(), 1);
    }
}
