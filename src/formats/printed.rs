//! The aggregates that clients of the vLLM family print: keys such as `p99_ttft_ms`.

use super::json::Value;
use super::record::Record;
use super::repair::INFINITE;
use crate::model::{Metric, Reported, ReportedValue, Stat};
use crate::notice::{Notices, Place, Severity};
use crate::units::significant;

/// The metric, statistic and factor to milliseconds of an aggregate's key.
///
/// Keys without `_ms` are in seconds; only InferenceX's short summaries use them.
fn latency_key(key: &str) -> Option<(Metric, Stat, f64)> {
    let (stat, metric) = key.split_once('_')?;
    let (metric, scale) = match metric.strip_suffix("_ms") {
        Some(metric) => (metric, 1.0),
        None => (metric, 1e3),
    };
    let metric = match metric {
        "ttft" => Metric::Ttft,
        "tpot" => Metric::Tpot,
        "itl" => Metric::Itl,
        "e2el" | "e2e_latency" => Metric::E2e,
        "client_queue_time" => Metric::QueueWait,
        _ => return None,
    };
    Some((metric, stat_of(stat)?, scale))
}

fn stat_of(name: &str) -> Option<Stat> {
    Some(match name {
        "mean" => Stat::Mean,
        "median" => Stat::Median,
        "std" => Stat::Std,
        "min" => Stat::Min,
        "max" => Stat::Max,
        _ => {
            let percent: f64 = name.strip_prefix('p')?.parse().ok()?;
            if !(0.0..=100.0).contains(&percent) {
                return None;
            }
            Stat::Percentile(percent)
        }
    })
}

/// The metric of a run-level key.
fn run_key(key: &str) -> Option<Metric> {
    Some(match key {
        "duration" => Metric::Duration,
        "completed" => Metric::Completed,
        "failed" => Metric::Failed,
        "total_input_tokens" => Metric::TotalInputTokens,
        "total_output_tokens" => Metric::TotalOutputTokens,
        // Misspelt in vLLM of February and March 2024.
        "request_throughput" | "request_inthroughput" => Metric::RequestThroughput,
        "input_throughput" => Metric::InputThroughput,
        "output_throughput" => Metric::OutputThroughput,
        "total_token_throughput" | "total_throughput" => Metric::TotalThroughput,
        // With a colon in vLLM 0.6.4 to 0.9.1 and what was copied from it.
        "request_goodput" | "request_goodput:" => Metric::Goodput,
        "max_output_tokens_per_s" => Metric::PeakOutputRate,
        "max_concurrent_requests" => Metric::PeakConcurrency,
        "concurrency" => Metric::MeanConcurrency,
        "slo_attainment" => Metric::SloShare,
        _ => return None,
    })
}

/// The metric of a mean that only TensorRT-LLM's client prints: output tokens over the whole request.
fn mean_key(key: &str) -> Option<Metric> {
    (key == "user_throughput").then_some(Metric::UserSpeed)
}

/// Whether a value is an aggregate, or its place left empty.
pub(super) fn is_printed(key: &str, value: &Value) -> bool {
    let known = latency_key(key).is_some() || run_key(key).is_some() || mean_key(key).is_some();
    known && (!matches!(value, Value::Text(_)) || figure(value).is_some())
}

/// The number of an aggregate, infinity included. Other text under such a key is a user's metadata.
fn figure(value: &Value) -> Option<f64> {
    match value {
        Value::Number(value) => Some(*value),
        Value::Text(text) if text.ends_with(INFINITE) => value.number(),
        _ => None,
    }
}

/// The printed aggregates of a record in file order.
///
/// A latency whose every statistic is exactly zero was never measured: the clients print the
/// statistics of an empty list, or of replies without a token, as zeros.
///
/// A duration of nothing or less is no duration: it is left out with a notice, and no rate is divided
/// by it.
pub(super) fn printed(record: &Record, out: &mut Notices) -> Reported {
    let mut all: Vec<ReportedValue> = Vec::new();
    let mut infinite: Vec<String> = Vec::new();
    for (field, value) in &record.values {
        // Of a key that is there twice, the last value holds, as in Python.
        all.retain(|earlier| earlier.field != *field);
        infinite.retain(|earlier| earlier != field);
        let Some(value) = figure(value) else { continue };
        let found = match latency_key(field) {
            Some(found) => Some(found),
            None => run_key(field)
                .map(|metric| (metric, Stat::Value, 1.0))
                .or_else(|| Some((mean_key(field)?, Stat::Mean, 1.0))),
        };
        let Some((metric, stat, scale)) = found else { continue };
        let field = field.clone();
        if (value * scale).is_infinite() {
            infinite.push(field);
        } else if metric == Metric::Duration && value <= 0.0 {
            let text = format!(
                "The printed duration is {} s, which no run lasts: it is not used.",
                significant(value, 3)
            );
            out.add(Severity::Warn, "no-duration", Place::JsonPath(field), text);
        } else if value.is_finite() {
            all.push(ReportedValue { field, metric, stat, value: value * scale, scale });
        }
    }
    drop_zeros(&mut all, out);
    Reported { values: all, infinite, ..Reported::default() }
}

/// Leaves out every latency whose every statistic is exactly zero, and says so.
pub(super) fn drop_zeros(all: &mut Vec<ReportedValue>, out: &mut Notices) {
    let latencies = [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e];
    for metric in latencies {
        let mut of_metric = all.iter().filter(|v| v.metric == metric).peekable();
        let Some(first) = of_metric.peek().map(|v| v.field.clone()) else { continue };
        if of_metric.all(|v| v.value.abs() == 0.0) {
            let text = format!(
                "Every printed {} is exactly 0: nothing was measured, and the tool writes that as zero.",
                metric.name()
            );
            out.add(Severity::Warn, "zero-for-missing", Place::JsonPath(first), text);
            all.retain(|v| v.metric != metric);
        }
    }
}

/// What a run's result and its printed summary have in common: counts, and figures that differ from run
/// to run, with the two decimals that are printed. `None` where nothing was measured.
pub(super) fn kin(values: &[ReportedValue]) -> Option<String> {
    let of = |metric, stat| {
        values.iter().find(|v| v.metric == metric && v.stat == stat).map(|v| v.value)
    };
    let run = |metric| of(metric, Stat::Value);
    let completed = run(Metric::Completed)?;
    let ttft = of(Metric::Ttft, Stat::Mean)?;
    let figures = || {
        let (input, output) = (run(Metric::TotalInputTokens)?, run(Metric::TotalOutputTokens)?);
        Some(format!("{input} + {output} tokens, {:.2} s", run(Metric::Duration)?))
    };
    // AIPerf prints neither totals nor, in its table, the duration.
    let other = || {
        let (e2e, rate) = (of(Metric::E2e, Stat::Mean)?, run(Metric::RequestThroughput)?);
        Some(format!("{e2e:.2} ms, {rate:.2} a second"))
    };
    Some(format!("{completed} requests, {ttft:.2} ms, {}", figures().or_else(other)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_metric_statistic_and_unit() {
        assert_eq!(latency_key("p99.9_ttft_ms"), Some((Metric::Ttft, Stat::Percentile(99.9), 1.0)));
        assert_eq!(latency_key("median_e2e_latency_ms"), Some((Metric::E2e, Stat::Median, 1.0)));
        assert_eq!(latency_key("p99_tpot"), Some((Metric::Tpot, Stat::Percentile(99.0), 1e3)));
        assert_eq!(latency_key("mean_e2el_including_client_queue_ms"), None);
        assert_eq!(latency_key("probe_median_e2el_ms"), None);
        assert_eq!(latency_key("p101_ttft_ms"), None);
    }

    #[test]
    fn a_repeated_key_is_its_last_value_and_no_duration_is_negative() {
        let entry = |key: &str, value: f64| (key.to_owned(), Value::Number(value));
        let values = vec![
            entry("duration", 10.0),
            entry("completed", 4.0),
            entry("completed", 5.0),
            entry("duration", -1.0),
        ];
        let all = printed(&Record { values, ..Record::default() }, &mut Notices::new());
        let values: Vec<_> = all.values.iter().map(|v| (v.metric, v.value)).collect();
        assert_eq!(values, [(Metric::Completed, 5.0)]);
    }
}
