//! The reports of inference-perf: aggregates of a stage, of the whole run, of an adapter, of sessions.
//!
//! `summarize_requests` and `summarize_sessions` in `inference_perf/reportgen/base.py`. All times are in
//! seconds; percentile keys hold dots (`p99.9`).

use super::aggregates::{SAME, SECONDS, distribution, further, put, usual_stat};
use super::documents::Document;
use super::error::{ErrorKind, Fault};
use super::inference_perf::{beside, stem, trees};
use super::tree::Tree;
use super::{About, Format, Head, Input, Verdict, load_label, name_apart};
use crate::model::{Metric, Part, Reported, RequestRate, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Unit, significant};
use std::fmt::Write as _;

/// The reports of inference-perf.
pub(super) struct InferencePerfReport;

static ABOUT: About = About {
    name: "inference-perf’s reports",
    file: "`summary_lifecycle_metrics.json`, `stage_N_lifecycle_metrics.json`, those of adapters and of \
           sessions",
    versions: "inference-perf 0.1 to 0.7",
    recognised: "`load_summary` (not empty), `successes` and `failures`; sessions by `num_sessions`",
    reads: &[
        "every printed statistic of latencies, tokens and rates, the length of the run",
        "the rate or concurrency of a stage; a report without one is taken as the summary",
        "attained goodput, whose limits are not in the file",
    ],
    limits: &[
        "no requests: drop `per_request_lifecycle_metrics.json` too",
        "the number of a stage stands in its file’s name only; stage −1 of 0.1 is the warm-up",
        "sizes of requests, images, video and audio are not read",
    ],
}.lean();

/// Key under `successes.latency` and the metric it claims.
const LATENCIES: [(&str, Metric); 5] = [
    ("request_latency", Metric::E2e),
    ("normalized_time_per_output_token", Metric::WholePerToken),
    ("time_per_output_token", Metric::Tpot),
    ("time_to_first_token", Metric::Ttft),
    ("inter_token_latency", Metric::Itl),
];

/// Key under `successes.throughput` and its metric.
const THROUGHPUTS: [(&str, Metric); 4] = [
    ("input_tokens_per_sec", Metric::InputThroughput),
    ("output_tokens_per_sec", Metric::OutputThroughput),
    ("total_tokens_per_sec", Metric::TotalThroughput),
    ("requests_per_sec", Metric::RequestThroughput),
];

/// Texts of errors, and what is not read.
const SKIP: &[&str] =
    &["messages", "tfut_none_reasons", "request_size_bytes", "image", "video", "audio"];

impl Format for InferencePerfReport {
    fn id(&self) -> &'static str {
        "inference-perf-report"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if is_report(head) && !is_of_server(head) {
            return Verdict::Certain("it has load_summary beside successes and failures".into());
        }
        if head.has_keys(&["num_sessions", "session_duration_sec"]) {
            return Verdict::Certain("it has num_sessions beside session_duration_sec".into());
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let found = trees(&mut input, SKIP, out)?;
        let of = found.len();
        let mut runs = Vec::with_capacity(of);
        for (index, Document { value, place }) in found.into_iter().enumerate() {
            let provenance = input.provenance(self.id(), index, of);
            let mut run = super::blank(Tool::InferencePerf, "inference-perf", provenance);
            if value.get("num_sessions").is_some() {
                fill_sessions(&mut run, &value);
            } else if value.get("successes").is_some() {
                fill(&mut run, &value);
            } else {
                return Err(Fault::at(place, ErrorKind::MissingKey { key: "successes".into() }));
            }
            runs.push(run);
        }
        Ok(name_apart(runs, ""))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name).filter(|_| !name.ends_with("_prometheus_metrics.json"))
    }

    fn beside(&self, name: &str) -> Vec<String> {
        beside(name)
    }
}

/// Whether a file is a report of requests, by the client or by the server.
pub(super) fn is_report(head: &Head<'_>) -> bool {
    head.has_keys(&["load_summary", "successes"])
}

/// Whether a report is what the server’s metrics say: nothing is known of the load then.
pub(super) fn is_of_server(head: &Head<'_>) -> bool {
    let text = head.text.as_deref().unwrap_or_default();
    let Some((_, after)) = text.split_once("\"load_summary\"") else { return false };
    let inside = after.trim_start().strip_prefix(':').map(str::trim_start);
    inside
        .and_then(|value| value.strip_prefix('{'))
        .is_some_and(|v| v.trim_start().starts_with('}'))
}

fn fill(run: &mut Run, report: &Tree) {
    guess_version(run, report);
    fill_load(run, report);
    let reported = &mut run.reported;
    let seconds = report.number_at(&["benchmark_time_seconds"]).filter(|secs| *secs > 0.0);
    put(reported, "benchmark_time_seconds", Metric::Duration, Stat::Value, seconds, SAME);
    for (side, metric) in [("successes", Metric::Completed), ("failures", Metric::Failed)] {
        let count = report.number_at(&[side, "count"]);
        put(reported, &format!("{side}.count"), metric, Stat::Value, count, SAME);
    }
    fill_successes(reported, report);
    fill_goodput(reported, report);
    let latency = report.number_at(&["failures", "request_latency", "mean"]);
    further(reported, "failures.request_latency.mean", latency, "s");
    note(report, &run.reported, &mut run.provenance.notices);
    if run.provenance.part == Part::Summary {
        let text = "A summary puts all stages of a run together: of a run with several, its latencies mix \
                    the loads, and its rates are divided by the time between the stages too.";
        run.provenance.notices.add(Severity::Note, "all-stages", Place::WholeFile, text);
    }
}

/// Keys that came with a version, the newest first.
fn guess_version(run: &mut Run, report: &Tree) {
    let guess = if report.at(&["failures", "by_label"]).is_some() {
        ("0.6.1 on", "failures.by_label")
    } else if report.get("benchmark_time_seconds").is_some() {
        ("0.5 on", "benchmark_time_seconds")
    } else if report.at(&["successes", "latency", "request_latency", "p99.9"]).is_some() {
        ("0.2 to 0.4", "p99.9, and no benchmark_time_seconds")
    } else {
        return;
    };
    run.version.guess = Some(guess.0.to_owned());
    run.version.because = Some(format!("it has {}", guess.1));
}

fn fill_load(run: &mut Run, report: &Tree) {
    let load = report.get("load_summary");
    let number = |key: &str| load.and_then(|load| load.number_at(&[key]));
    let count = |key: &str| number(key).filter(|n| (0.0..1e15).contains(n)).map(|n| n as u64);
    run.load.requests = count("count");
    run.load.max_concurrency = count("concurrency").filter(|most| *most > 0);
    let stage = ["send_duration", "requested_rate", "achieved_rate", "concurrency"];
    run.provenance.part =
        if stage.iter().any(|key| number(key).is_some()) { Part::Stage } else { Part::Summary };
    // With a fixed number in flight the rate is only how the tool paces itself.
    run.load.request_rate = number("requested_rate")
        .filter(|rate| *rate > 0.0 && run.load.max_concurrency.is_none())
        .map(RequestRate::PerSecond);
    if let Some(label) = load_label(&run.load) {
        run.name = format!("{}, {label}", run.name);
    }
    let reported = &mut run.reported;
    if let Some(delay) = load.and_then(|load| load.get("schedule_delay")) {
        let field = "load_summary.schedule_delay";
        distribution(reported, field, delay, Metric::QueueWait, SECONDS, usual_stat);
    }
    further(reported, "load_summary.send_duration", number("send_duration"), "s");
    further(reported, "load_summary.achieved_rate", number("achieved_rate"), "req/s");
}

fn fill_successes(reported: &mut Reported, report: &Tree) {
    for (key, metric) in LATENCIES {
        if let Some(object) = report.at(&["successes", "latency", key]) {
            let field = format!("successes.latency.{key}");
            distribution(reported, &field, object, metric, SECONDS, usual_stat);
        }
    }
    for (key, metric) in THROUGHPUTS {
        let value = report.number_at(&["successes", "throughput", key]);
        put(reported, &format!("successes.throughput.{key}"), metric, Stat::Value, value, SAME);
    }
    let lengths = [
        ("prompt_len", Metric::InputTokens, None),
        ("prompt_tokens", Metric::InputTokens, Some(Metric::TotalInputTokens)),
        ("output_len", Metric::OutputTokens, None),
        ("output_tokens", Metric::OutputTokens, Some(Metric::TotalOutputTokens)),
    ];
    for (key, metric, total) in lengths {
        let Some(object) = report.at(&["successes", key]) else { continue };
        let field = format!("successes.{key}");
        distribution(reported, &field, object, metric, SAME, usual_stat);
        if let Some(total) = total {
            let value = object.number_at(&["total"]);
            put(reported, &format!("{field}.total"), total, Stat::Value, value, SAME);
        }
        further(reported, &format!("{field}.cached"), object.number_at(&["cached"]), "tokens");
    }
}

/// Goodput (0.5 on): shares are of the finished requests, rates over their span.
fn fill_goodput(reported: &mut Reported, report: &Tree) {
    let Some(goodput) = report.at(&["successes", "goodput_metrics"]) else { return };
    for (key, value) in goodput.members() {
        let (field, value) = (format!("successes.goodput_metrics.{key}"), value.number());
        match key.as_str() {
            "goodput_percentage" => {
                put(reported, &field, Metric::SloShare, Stat::Value, value, 0.01);
            }
            "request_goodput" => put(reported, &field, Metric::Goodput, Stat::Value, value, SAME),
            "token_goodput" => further(reported, &field, value, "tok/s"),
            "good_requests" | "total_requests" => further(reported, &field, value, "requests"),
            _ if key.ends_with("_attainment_percentage") => further(reported, &field, value, "%"),
            _ => {}
        }
    }
}

/// A median ITL below this share of the median TPOT says that every token was stamped twice.
const TWICE: f64 = 0.01;

/// What makes a number of the report mean something else than it seems to.
fn note(report: &Tree, reported: &Reported, out: &mut Notices) {
    let value = |metric, stat| reported.find(metric, stat).map(|v| v.value);
    let itl = value(Metric::Itl, Stat::Median).zip(value(Metric::Tpot, Stat::Median));
    if let Some((itl, tpot)) = itl.filter(|(itl, tpot)| *itl < TWICE * *tpot) {
        // From 0.5 on a token has the time of its chunk; before, a line had a stamp of its own.
        if itl > 0.0 && report.get("benchmark_time_seconds").is_none() {
            double_stamps(itl, tpot, reported, out);
        } else {
            let text = "More than half of the gaps between tokens are next to 0: tokens arrive several at a \
                        time, and each has the time of its chunk. Compare TPOT, not the median ITL.";
            let place = Place::JsonPath("successes.latency.inter_token_latency".into());
            out.add(Severity::Warn, "chunk-zeros", place, text);
        }
    }
    if value(Metric::WholePerToken, Stat::Min).is_some_and(|least| least <= 0.0) {
        let text = "Replies without tokens are in the normalized time per output token as 0 and lower its mean.";
        let place = Place::JsonPath("successes.latency.normalized_time_per_output_token".into());
        out.add(Severity::Warn, "zeros-in-mean", place, text);
    }
    let count = |path: &[&str]| report.number_at(path).filter(|n| *n > 0.0);
    if let Some(failed) = count(&["failures", "count"]) {
        let text = "Failed requests are counted; latencies and rates are those of the others.";
        let place = Place::JsonPath("failures.count".into());
        out.add_many(Severity::Warn, "failed-requests", place, failed as u64, text);
    }
    let mismatches = count(&["successes", "token_count_mismatches"]);
    if let Some(mismatches) = mismatches {
        let text = "The client’s tokenizer counted another number of tokens than the server.";
        let place = Place::JsonPath("successes.token_count_mismatches".into());
        out.add_many(Severity::Warn, "counts-differ", place, mismatches as u64, text);
    }
    if let Some(retried) = count(&["retries", "requests_retried"]) {
        let text =
            "A request was sent again after a failure; its latency counts from the first attempt.";
        let place = Place::JsonPath("retries.requests_retried".into());
        out.add_many(Severity::Warn, "retried", place, retried as u64, text);
    }
}

/// inference-perf 0.1.1 to 0.2 stamped every line of the stream, the blank ones between messages too.
fn double_stamps(itl: f64, tpot: f64, reported: &Reported, out: &mut Notices) {
    let millis = |value: f64| format!("{} {}", significant(value, 3), Unit::Millis.symbol());
    let mut text = format!(
        "The median ITL ({}) is below 1 % of the median TPOT ({}): every token was stamped twice, so both are \
         about half of the true ones.",
        millis(itl),
        millis(tpot)
    );
    let mean = |metric| reported.find(metric, Stat::Mean).map(|v| v.value);
    if let (Some(e2e), Some(ttft), Some(tokens)) =
        (mean(Metric::E2e), mean(Metric::Ttft), mean(Metric::OutputTokens).filter(|n| *n > 1.0))
    {
        let estimate = millis((e2e - ttft) / (tokens - 1.0));
        let _ = write!(
            text,
            " From the means, (E2E − TTFT) ÷ (output tokens − 1), the time per token is about {estimate}."
        );
    }
    let place = Place::JsonPath("successes.latency.inter_token_latency".into());
    out.add(Severity::Warn, "double-stamps", place, text);
}

/// A report of sessions (0.5 on) counts conversations; none of its numbers is one of requests, so it is no
/// part of the run of those.
fn fill_sessions(run: &mut Run, report: &Tree) {
    run.name.push_str(", sessions");
    let most = report.number_at(&["stage_metadata", "concurrent_sessions"]);
    further(&mut run.reported, "stage_metadata.concurrent_sessions", most, "sessions");
    for (key, value) in report.members() {
        let unit = match key.as_str() {
            _ if key.starts_with("num_sessions") => "sessions",
            "sessions_per_second" => "sessions/s",
            _ if key.ends_with("_sec") => "s",
            _ if key.ends_with("_tokens") => "tokens",
            _ if key.ends_with("_percent") => "%",
            _ if key.starts_with("num_") || key.starts_with("total_events") => "",
            _ => continue,
        };
        further(&mut run.reported, key, value.number(), unit);
        for (stat, value) in value.members() {
            if usual_stat(stat).is_some() {
                further(&mut run.reported, &format!("{key}.{stat}"), value.number(), unit);
            }
        }
    }
    let text = "This report counts sessions, whole conversations of many requests: none of its numbers \
                stands beside those of requests.";
    run.provenance.notices.add(Severity::Note, "sessions", Place::WholeFile, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn one(text: &str) -> Run {
        read("a.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn a_stage_is_told_from_a_summary_by_its_load() {
        let stage =
            one(r#"{"load_summary": {"count": 4, "requested_rate": 2.5, "send_duration": 1.0},
            "successes": {"count": 4, "latency": {"request_latency": {"mean": 0.5, "p99.9": 0.75}}},
            "failures": {"count": 0}}"#);
        assert_eq!(stage.provenance.part, Part::Stage);
        assert_eq!(stage.load.request_rate, Some(RequestRate::PerSecond(2.5)));
        let found = stage.reported.find(Metric::E2e, Stat::Percentile(99.9)).unwrap();
        assert_eq!((found.value, found.scale), (750.0, 1e3));
        assert_eq!(found.field, "successes.latency.request_latency.p99.9");
        let summary =
            one(r#"{"load_summary": {"count": 4}, "successes": {"count": 4}, "failures": {}}"#);
        assert_eq!(summary.provenance.part, Part::Summary);
        assert_eq!(summary.name, "inference-perf");
    }

    #[test]
    fn a_fixed_number_in_flight_has_no_rate() {
        let run = one(r#"{"load_summary": {"count": 4, "requested_rate": 100, "concurrency": 8},
            "successes": {"count": 4}, "failures": {"count": 0}}"#);
        assert_eq!((run.load.request_rate, run.load.max_concurrency), (None, Some(8)));
    }

    #[test]
    fn stamping_twice_is_told_with_an_estimate() {
        let run = one(r#"{"load_summary": {"count": 4}, "successes": {"count": 4, "latency": {
            "request_latency": {"mean": 1.05}, "time_to_first_token": {"mean": 0.05},
            "time_per_output_token": {"median": 0.0075}, "inter_token_latency": {"median": 0.00005}},
            "output_len": {"mean": 51}}, "failures": {"count": 0}}"#);
        let notice = run.provenance.notices.iter().find(|n| n.kind == "double-stamps").unwrap();
        assert!(notice.text.contains("about 20.0 ms"), "{}", notice.text);
    }

    #[test]
    fn zeros_inside_a_chunk_are_no_double_stamps() {
        let run =
            one(r#"{"benchmark_time_seconds": 2.0, "load_summary": {"count": 4}, "successes": {
            "count": 4, "latency": {"time_per_output_token": {"median": 0.014},
            "inter_token_latency": {"median": 0.0}}}, "failures": {"count": 0}}"#);
        let kinds: Vec<_> = run.provenance.notices.iter().map(|n| n.kind.as_str()).collect();
        assert_eq!(kinds, ["chunk-zeros", "all-stages"]);
    }

    #[test]
    fn goodput_is_a_share_of_the_finished() {
        let run =
            one(r#"{"load_summary": {"count": 4}, "successes": {"count": 4, "goodput_metrics": {
            "goodput_percentage": 75.0, "request_goodput": 1.5, "ttft_attainment_percentage": 80}},
            "failures": {"count": 0}}"#);
        assert_eq!(run.reported.value(Metric::SloShare), Some(0.75));
        assert_eq!(run.reported.value(Metric::Goodput), Some(1.5));
        assert_eq!(run.reported.limits, None);
        assert_eq!(run.reported.further.len(), 1);
    }

    #[test]
    fn sessions_are_no_requests() {
        let run = one(r#"{"num_sessions": 4, "session_duration_sec": {"mean": 9.5, "p99": 12},
            "total_recorded_substitutions": {"count": 0, "messages": []}}"#);
        assert!(run.reported.values.is_empty());
        let fields: Vec<_> = run.reported.further.iter().map(|f| f.field.as_str()).collect();
        assert_eq!(
            fields,
            ["num_sessions", "session_duration_sec.mean", "session_duration_sec.p99"]
        );
    }
}
