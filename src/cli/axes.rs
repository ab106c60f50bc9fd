//! What `--x` and `--y` may say: a load, or a metric with its statistic.

use super::args::parse_stat;
use crate::metrics::Axis;
use crate::model::{Metric, Stat};
use crate::views::curves::LoadAxis;

/// Other names of loads, as tools and people write them.
const ALSO: [(&str, LoadAxis); 16] = [
    ("request_throughput", LoadAxis::Achieved),
    ("served", LoadAxis::Achieved),
    ("requested_rate", LoadAxis::Requested),
    ("request_rate", LoadAxis::Requested),
    ("rate", LoadAxis::Requested),
    ("offered", LoadAxis::Requested),
    ("achieved_rate", LoadAxis::Sent),
    ("sent_rate", LoadAxis::Sent),
    ("max_concurrency", LoadAxis::Concurrency),
    ("little", LoadAxis::InFlight),
    ("mean_concurrency", LoadAxis::InFlight),
    ("interactivity", LoadAxis::UserSpeed),
    ("per_user", LoadAxis::UserSpeed),
    ("throughput", LoadAxis::OutputThroughput),
    ("per_gpu", LoadAxis::OutputPerGpu),
    ("output_per_accelerator", LoadAxis::OutputPerGpu),
];

/// The axis that a word names: `achieved`, `ttft.p99`, `p99_ttft`, `goodput`. A latency without a
/// statistic is its mean.
pub(super) fn parse_axis(text: &str) -> Result<Axis, String> {
    let word = text.trim().to_lowercase();
    let plain = word.replace(['-', ' '], "_");
    let load = LoadAxis::ALL.into_iter().find(|axis| axis.id().replace('-', "_") == plain);
    let load = load.or_else(|| ALSO.iter().find(|(name, _)| *name == plain).map(|also| also.1));
    if let Some(load) = load {
        return Ok(load.axis());
    }
    if let Some(metric) = Metric::from_id(&plain) {
        return Ok(of(metric, None));
    }
    // The statistic stands at either end: `ttft.p99`, `p99_ttft`.
    let joints = || plain.match_indices(['.', ':', '_']);
    let split = joints().find_map(|(at, _)| {
        let (first, rest) = (plain.get(..at)?, plain.get(at + 1..)?);
        let pair =
            |metric: &str, stat: &str| Some((Metric::from_id(metric)?, parse_stat(stat).ok()?));
        pair(first, rest).or_else(|| pair(rest, first))
    });
    let (metric, stat) = split.ok_or_else(|| {
        let loads: Vec<&str> = LoadAxis::ALL.into_iter().map(LoadAxis::id).collect();
        let metrics: Vec<&str> = Metric::ALL.iter().map(|metric| metric.id()).collect();
        format!(
            "there is no axis “{}”; expected a load ({}) or a metric with its statistic, such as ttft.p99 ({})",
            text.trim(),
            loads.join(", "),
            metrics.join(", ")
        )
    })?;
    if metric.is_distribution() == (stat == Stat::Value) {
        let what = if metric.is_distribution() {
            "a statistic such as p99"
        } else {
            "no statistic: it is one number for the run"
        };
        return Err(format!("{} takes {what}", metric.id()));
    }
    Ok(of(metric, Some(stat)))
}

fn of(metric: Metric, stat: Option<Stat>) -> Axis {
    match (metric, stat) {
        (Metric::UserSpeed, stat) => Axis::UserSpeed(stat.unwrap_or(Stat::Median)),
        (metric, stat) if metric.is_distribution() => {
            Axis::Metric(metric, stat.unwrap_or(Stat::Mean))
        }
        (metric, _) => Axis::Metric(metric, Stat::Value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_metrics_are_known_by_several_names() {
        let p99 = Ok(Axis::Metric(Metric::Ttft, Stat::Percentile(99.0)));
        for text in ["ttft.p99", "ttft:p99", "TTFT p99", "p99_ttft", "p99-ttft", "ttft_p99"] {
            assert_eq!(parse_axis(text), p99, "{text}");
        }
        assert_eq!(parse_axis("ttft.p50"), Ok(Axis::Metric(Metric::Ttft, Stat::Median)));
        assert_eq!(parse_axis("ttft"), Ok(Axis::Metric(Metric::Ttft, Stat::Mean)));
        assert_eq!(parse_axis("goodput"), Ok(Axis::Metric(Metric::Goodput, Stat::Value)));
        assert_eq!(
            parse_axis("output_throughput"),
            Ok(Axis::Metric(Metric::OutputThroughput, Stat::Value))
        );
        assert_eq!(parse_axis("in-flight"), Ok(Axis::InFlight));
        assert_eq!(parse_axis("achieved_rate"), Ok(Axis::AchievedRate));
        assert_eq!(parse_axis("user-speed"), Ok(Axis::UserSpeed(Stat::Median)));
        assert_eq!(
            parse_axis("whole_per_token.p90"),
            Ok(Axis::Metric(Metric::WholePerToken, Stat::Percentile(90.0)))
        );
    }

    #[test]
    fn what_is_no_axis_is_told_with_what_is() {
        assert!(parse_axis("load").unwrap_err().contains("requested"));
        assert!(parse_axis("goodput.p99").unwrap_err().contains("one number"));
        assert!(parse_axis("ttft.value").unwrap_err().contains("p99"));
    }
}
