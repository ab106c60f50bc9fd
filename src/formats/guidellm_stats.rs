//! What GuideLLM printed of a benchmark: its statistics of finished requests.

use super::aggregates::{SAME, SECONDS, distribution, further, put};
use super::tree::Tree;
use crate::model::{Limit, LimitMetric, Metric, Reported, Run, Stat};
use crate::notice::{Notices, Place, Severity};

/// Distributions over requests or tokens: key, metric, scale.
const DISTRIBUTIONS: [(&str, Metric, f64); 8] = [
    ("request_latency", Metric::E2e, SECONDS),
    ("time_to_first_token_ms", Metric::Ttft, SAME),
    ("time_to_first_output_token_ms", Metric::FirstAnswer, SAME),
    ("time_per_output_token_ms", Metric::Tpot, SAME),
    ("inter_token_latency_ms", Metric::Itl, SAME),
    ("request_dispatch_delay", Metric::QueueWait, SECONDS),
    ("prompt_token_count", Metric::InputTokens, SAME),
    ("output_token_count", Metric::OutputTokens, SAME),
];

/// Distributions of local rates, of which the mean is a rate of the run.
const RATES: [(&str, Metric); 6] = [
    ("requests_per_second", Metric::RequestThroughput),
    ("output_tokens_per_second", Metric::OutputThroughput),
    ("prompt_tokens_per_second", Metric::InputThroughput),
    ("tokens_per_second", Metric::TotalThroughput),
    ("request_concurrency", Metric::MeanConcurrency),
    ("request_goodput", Metric::Goodput),
];

/// The statistic of a key of a distribution or of its percentiles.
pub(super) fn stat(key: &str) -> Option<Stat> {
    Some(match key {
        "p001" => Stat::Percentile(0.1),
        "p999" => Stat::Percentile(99.9),
        "p01" => Stat::Percentile(1.0),
        "p05" => Stat::Percentile(5.0),
        key => super::aggregates::usual_stat(key)?,
    })
}

/// Reads the printed statistics of `benchmark` into `run`.
pub(super) fn fill(run: &mut Run, benchmark: &Tree, settings: &Tree) {
    let metrics = benchmark.get("metrics").unwrap_or(&Tree::Null);
    let reported = &mut run.reported;
    let notices = &mut run.provenance.notices;
    let totals = totals(benchmark);
    let count = |status: &str| totals.and_then(|totals| totals.number_at(&[status]));
    put(
        reported,
        "duration",
        Metric::Duration,
        Stat::Value,
        benchmark.number_at(&["duration"]),
        SAME,
    );
    let [completed, failed] = [count("successful"), count("errored")];
    put(reported, "request_totals.successful", Metric::Completed, Stat::Value, completed, SAME);
    put(reported, "request_totals.errored", Metric::Failed, Stat::Value, failed, SAME);
    further(reported, "request_totals.incomplete", count("incomplete"), "requests");
    let clock = benchmark.number_at(&["start_time"]);
    for (key, metric, scale) in DISTRIBUTIONS {
        let Some(printed) = metrics.at(&[key, "successful"]) else { continue };
        if holds_data(printed, key, metric, clock, notices) {
            spread(reported, key, printed, metric, scale);
        }
    }
    for (key, metric) in RATES {
        let Some(printed) = metrics.at(&[key, "successful"]) else { continue };
        if completed.is_none_or(|completed| completed > 0.0) {
            let field = format!("{key}.successful.mean");
            put(reported, &field, metric, Stat::Value, printed.number_at(&["mean"]), SAME);
        }
    }
    let share = metrics.number_at(&["slo_attainment"]);
    put(reported, "slo_attainment", Metric::SloShare, Stat::Value, share, SAME);
    further(
        reported,
        "slo_determined_requests",
        metrics.number_at(&["slo_determined_requests"]),
        "requests",
    );
    reported.limits = settings.get("slo").and_then(limits);
}

/// The numbers of requests behind the statistics; 0.2 and 0.3 write them beside the metrics.
pub(super) fn totals(benchmark: &Tree) -> Option<&Tree> {
    benchmark.at(&["metrics", "request_totals"]).or_else(|| benchmark.get("request_totals"))
}

fn spread(reported: &mut Reported, key: &str, printed: &Tree, metric: Metric, scale: f64) {
    let field = format!("{key}.successful");
    // Keys are taken one by one: `count` and `mode` are no statistics of ours.
    distribution(reported, &field, printed, metric, scale, |key| {
        (!key.starts_with('p')).then(|| stat(key)).flatten()
    });
    if let Some(percentiles) = printed.get("percentiles") {
        distribution(reported, &format!("{field}.percentiles"), percentiles, metric, scale, stat);
    }
}

/// Whether a distribution has samples: 0 throughout stands for none, and a delay from a due time that
/// was not recorded is the reading of the clock itself.
fn holds_data(
    printed: &Tree,
    key: &str,
    metric: Metric,
    clock: Option<f64>,
    notices: &mut Notices,
) -> bool {
    let Some(max) = printed.number_at(&["max"]) else {
        return printed.number_at(&["mean"]).is_some();
    };
    if printed.number_at(&["count"]).is_some_and(|count| count <= 0.0) {
        return false;
    }
    if metric == Metric::QueueWait && clock.is_some_and(|clock| max > clock / 2.0) {
        notices.add(
            Severity::Note,
            "no-due-times",
            Place::JsonPath(format!("metrics.{key}")),
            "GuideLLM printed waits from a due time of 0, since it had none: they are readings of the clock and are not used.",
        );
        return false;
    }
    let counts = matches!(metric, Metric::InputTokens | Metric::OutputTokens);
    if max <= 0.0 && !counts {
        notices.add(
            Severity::Note,
            "zeros-for-no-data",
            Place::JsonPath(format!("metrics.{key}")),
            format!("{key} is 0 throughout, which is how GuideLLM writes that it has no data: it is not used."),
        );
        return false;
    }
    true
}

/// The objectives behind a printed goodput.
fn limits(slo: &Tree) -> Option<Vec<Limit>> {
    let objectives = [
        ("ttft_ms", LimitMetric::Ttft),
        ("tpot_ms", LimitMetric::Tpot),
        ("e2el_ms", LimitMetric::E2e),
    ];
    let limits: Vec<Limit> = objectives
        .into_iter()
        .filter_map(|(key, metric)| {
            let millis = slo.number_at(&[key]).filter(|millis| *millis > 0.0)?;
            Some(Limit::at_most(metric, millis))
        })
        .collect();
    (!limits.is_empty()).then_some(limits)
}
