//! Logs of MLPerf's LoadGen: the summary for people, and the detailed one of `:::MLLOG` lines.

use super::aggregates::{SAME, further, put};
use super::documents::Ticker;
use super::error::{ErrorKind, Fault};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Limit, LimitMetric, Metric, Part, Provenance, RequestRate, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};
use serde::de::DeserializeSeed as _;

/// LoadGen's logs.
pub(super) struct Mlperf;

static ABOUT: About = About {
    name: "MLPerf LoadGen",
    file: "`mlperf_log_summary.txt` and `mlperf_log_detail.txt`",
    versions: "LoadGen 5 and 6, results v5.1; with and without latencies of tokens",
    recognised: "“MLPerf Results Summary”, or lines that start with `:::MLLOG`",
    reads: &[
        "printed mean, min, max and percentiles of TTFT, TPOT and end-to-end latency, in nanoseconds",
        "completed samples and tokens per second, the target rate, the limits on TTFT and TPOT",
        "whether the result is valid, and what was not met",
    ],
    limits: &[
        "there are no requests: nothing can be computed again",
        "times start when a query was due, so waiting inside the client counts",
        "the limits hold for the 99th percentile of each metric, not for every request",
        "the rate of tokens in the detailed log is not by the end of the run and is only listed",
    ],
}.lean();

/// Line starts of the detailed log.
const MARK: &str = ":::MLLOG";
/// The title of the summary.
const TITLE: &str = "MLPerf Results Summary";
/// Milliseconds of a nanosecond.
const NANOS: f64 = 1e-6;

impl Format for Mlperf {
    fn id(&self) -> &'static str {
        "mlperf"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.contains(TITLE) {
            return Verdict::Certain("it is titled “MLPerf Results Summary”".into());
        }
        if head.first_line().starts_with(MARK) {
            return Verdict::Certain("its lines start with :::MLLOG".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, _: &mut Notices) -> Result<Vec<Run>, Fault> {
        let detailed = !input.text.contains(TITLE);
        let provenance = input.provenance(self.id(), 0, 1);
        let entries = if detailed { entries(input)? } else { lines(input.text) };
        let run = run(&entries, detailed, provenance);
        if run.reported.values.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        let name = name.strip_suffix(".txt")?;
        name.strip_suffix("_summary").or_else(|| name.strip_suffix("_detail"))
    }

    fn beside(&self, name: &str) -> Vec<String> {
        let own = self.stem(name).into_iter();
        own.flat_map(|stem| ["_summary.txt", "_detail.txt"].map(|end| format!("{stem}{end}")))
            .filter(|other| other != name)
            .collect()
    }
}

/// One thing that a log says: its name and its value as text.
type Entry = (String, String);

/// The lines of the summary that say `name : value`.
fn lines(text: &str) -> Vec<Entry> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

/// The entries of the detailed log. Those that nothing here knows are dropped at once: a trace holds
/// millions.
fn entries(input: Input<'_>) -> Result<Vec<Entry>, Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let mut found = Vec::new();
    for (number, line) in input.text.lines().enumerate() {
        let Some(json) = line.strip_prefix(MARK) else { continue };
        let known = [
            "result_",
            "early_stopping_met",
            "effective_",
            "requested_server_",
            "loadgen_version",
            "test_datetime",
        ];
        if !known.iter().any(|word| json.contains(word)) {
            continue;
        }
        let seed = TreeSeed { skip: &["metadata"], ticker: &ticker };
        let tree = seed.deserialize(&mut serde_json::Deserializer::from_str(json));
        let tree = tree.map_err(|error| {
            let place = Place::LineColumn { line: number as u64 + 1, column: 1 };
            Fault::at(place, ErrorKind::BrokenJson { said: error.to_string() })
        })?;
        let value = tree.get("value").and_then(Tree::words);
        if let (Some(key), Some(value)) = (tree.text_at(&["key"]), value) {
            found.push((key.to_owned(), value));
        }
    }
    Ok(found)
}

/// What a log says, by either of its two names: the summary's and the detailed log's.
struct Said<'e>(&'e [Entry]);

impl Said<'_> {
    fn text(&self, names: [&str; 2]) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn number(&self, names: [&str; 2]) -> Option<f64> {
        self.text(names)?.parse().ok().filter(|value: &f64| value.is_finite())
    }
}

/// Settings that are kept, by both names.
const SETTINGS: [[&str; 2]; 6] = [
    ["Scenario", "effective_scenario"],
    ["Mode", "effective_test_mode"],
    ["samples_per_query", "effective_samples_per_query"],
    ["min_duration (ms)", "effective_min_duration_ms"],
    ["min_query_count", "effective_min_query_count"],
    ["performance_sample_count", "effective_performance_sample_count"],
];

fn run(entries: &[Entry], detailed: bool, mut provenance: Provenance) -> Run {
    provenance.part = if detailed { Part::Summary } else { Part::Whole };
    let said = Said(entries);
    let mut run = super::blank(Tool::Mlperf, Tool::Mlperf.name(), provenance);
    run.version.exact = said.text(["", "loadgen_version"]).map(str::to_owned);
    run.workload.date = said.text(["", "test_datetime"]).map(str::to_owned);
    for names in SETTINGS {
        if let Some(value) = said.text(names) {
            run.workload.settings.push((names[0].to_owned(), value.to_owned()));
        }
    }
    // Only the server scenario offers queries at the target rate.
    let server = said.text(SETTINGS[0]) == Some("Server");
    let rate = said.number(["target_qps", "effective_target_qps"]).filter(|rate| *rate > 0.0);
    run.load.request_rate = rate.filter(|_| server).map(RequestRate::PerSecond);
    for (name, value) in entries {
        let Ok(value) = value.parse::<f64>() else { continue };
        let known = run.reported.values.iter().any(|printed| printed.field == *name);
        match meaning(name) {
            // The summary prints the rate of tokens twice.
            Some(_) if known => {}
            Some((metric, stat, scale)) => {
                put(&mut run.reported, name, metric, stat, Some(value), scale);
            }
            None if FURTHER.contains(&name.as_str()) => {
                further(&mut run.reported, name, Some(value), "");
            }
            None => {}
        }
    }
    run.reported.limits = limits(&said).filter(|_| server);
    note(&said, &mut run);
    run
}

/// Printed numbers without a metric of ours.
const FURTHER: [&str; 5] = [
    "Scheduled samples per second",
    "result_scheduled_samples_per_sec",
    "result_overlatency_query_count",
    "result_token_throughput",
    "result_token_throughput_with_loadgen_overhead",
];

/// What a printed number is: metric, statistic, and the factor to the metric's unit.
fn meaning(name: &str) -> Option<(Metric, Stat, f64)> {
    let value = |metric| Some((metric, Stat::Value, SAME));
    match name {
        "Completed samples per second"
        | "Samples per second"
        | "result_completed_samples_per_sec"
        | "result_samples_per_second" => return value(Metric::RequestThroughput),
        "Completed tokens per second" | "Tokens per second" | "result_tokens_per_second" => {
            return value(Metric::OutputThroughput);
        }
        "result_query_count" => return value(Metric::Completed),
        _ => {}
    }
    let lower = name.to_ascii_lowercase().replace('_', " ");
    let (rest, nanos) = match lower.strip_suffix("(ns)") {
        Some(rest) => (rest.trim(), true),
        None => (lower.strip_prefix("result ")?, false),
    };
    let rest = rest.strip_suffix(" ns").unwrap_or(rest);
    // “99.00 percentile first token latency”, “first token 99.00 percentile latency”.
    let mut stat = None;
    let mut words = Vec::new();
    for word in rest.split(' ') {
        let found = match word {
            "mean" => Some(Stat::Mean),
            "min" => Some(Stat::Min),
            "max" => Some(Stat::Max),
            "percentile" => continue,
            _ => word.parse().ok().filter(|p| (0.0..=100.0).contains(p)).map(Stat::Percentile),
        };
        match found {
            Some(found) => stat = Some(found),
            None => words.push(word),
        }
    }
    let metric = match words.join(" ").as_str() {
        "latency" => Metric::E2e,
        "first token latency" => Metric::Ttft,
        // Newer versions say “per”; their detailed log says both.
        "time to output token" | "time per output token" => Metric::Tpot,
        _ => return None,
    };
    // The detailed log leaves the unit out of the TPOT’s mean, min and max, which are nanoseconds too.
    (nanos || name.starts_with("result_")).then_some((metric, stat?, NANOS))
}

/// The limits that the 99th percentiles of TTFT and TPOT are held to.
fn limits(said: &Said<'_>) -> Option<Vec<Limit>> {
    let limit = |metric, names| {
        let nanos = said.number(names).filter(|nanos| *nanos > 0.0)?;
        Some(Limit::at_most(metric, nanos * NANOS))
    };
    let both = [
        limit(LimitMetric::Ttft, ["ttft_latency (ns)", "requested_server_ttft_latency"]),
        limit(LimitMetric::Tpot, ["tpot_latency (ns)", "requested_server_tpot_latency"]),
    ];
    let limits: Vec<Limit> = both.into_iter().flatten().collect();
    (!limits.is_empty()).then_some(limits)
}

/// What must be met for a result to be valid.
const CONDITIONS: [([&str; 2], &str); 4] = [
    (["Performance constraints satisfied", "result_perf_constraints_met"], "the latency limits"),
    (["Min duration satisfied", "result_min_duration_met"], "the least duration"),
    (["Min queries satisfied", "result_min_queries_met"], "the least number of queries"),
    (["Early stopping satisfied", "early_stopping_met"], "early stopping"),
];

fn note(said: &Said<'_>, run: &mut Run) {
    let out = &mut run.provenance.notices;
    if said.text(["Result is", "result_validity"]) == Some("INVALID") {
        let unmet: Vec<&str> = CONDITIONS
            .iter()
            .filter(|(names, _)| matches!(said.text(*names), Some("NO" | "No" | "false")))
            .map(|(_, what)| *what)
            .collect();
        let unmet = match unmet.as_slice() {
            [] => String::new(),
            unmet => format!(" Not met: {}.", unmet.join(", ")),
        };
        let text = format!("LoadGen calls this result INVALID.{unmet}");
        out.add(Severity::Block, "invalid-result", Place::WholeFile, text);
    }
    if said.text(SETTINGS[1]).is_some_and(|mode| mode != "PerformanceOnly") {
        let text = "This was no performance run: its times are of a run for another purpose.";
        out.add(Severity::Block, "no-performance-run", Place::WholeFile, text);
    }
    let negative = |value: &&crate::model::ReportedValue| value.value < 0.0;
    if let Some(value) = run.reported.values.iter().find(negative) {
        let text = "A time is negative: LoadGen writes that for a reply of one token, of which it counts \
                    none. The means hold it too.";
        out.add(Severity::Warn, "negative-time", Place::JsonPath(value.field.clone()), text);
    }
    if run.reported.limits.is_some() {
        let text = "The limits hold for the 99th percentile of each metric; here they are asked of every \
                    request.";
        out.add(Severity::Note, "limits-of-percentiles", Place::WholeFile, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    const SUMMARY: &str = "================================================\n\
        MLPerf Results Summary\n================================================\n\
        SUT name : PySUT\nScenario : Server\nMode     : PerformanceOnly\n\
        Completed samples per second    : 9.25\nCompleted tokens per second: 1200.50\n\
        Result is : INVALID\n  Performance constraints satisfied : NO\n\
        \x20 Min duration satisfied : Yes\n\n\
        Scheduled samples per second : 9.37\nMin latency (ns)                : 2214296100\n\
        99.90 percentile latency (ns)   : 13861641047\n\
        Completed tokens per second                 : 1200.50\n\
        Mean First Token latency (ns)               : 123749426\n\
        99.00 percentile first token latency (ns)   : 407241795\n\
        Min Time to Output Token (ns)                : -16644558\n\
        Mean Time per Output Token (ns)               : 48338269\n\
        target_qps : 9.3\nttft_latency (ns): 2000000000\ntpot_latency (ns): 100000000\n";

    fn run(text: &str) -> Run {
        read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    fn printed(run: &Run, metric: Metric, stat: Stat) -> f64 {
        run.reported.find(metric, stat).unwrap().value
    }

    #[test]
    fn the_summary_is_in_nanoseconds() {
        let run = run(SUMMARY);
        assert!((printed(&run, Metric::Ttft, Stat::Mean) - 123.749_426).abs() < 1e-9);
        assert!((printed(&run, Metric::Ttft, Stat::Percentile(99.0)) - 407.241_795).abs() < 1e-9);
        assert!((printed(&run, Metric::Tpot, Stat::Mean) - 48.338_269).abs() < 1e-9);
        assert!((printed(&run, Metric::E2e, Stat::Percentile(99.9)) - 13_861.641_047).abs() < 1e-9);
        assert!((printed(&run, Metric::OutputThroughput, Stat::Value) - 1200.5).abs() < 1e-9);
        assert_eq!(run.reported.values.len(), 8, "the rate of tokens once");
        assert_eq!(run.load.request_rate, Some(RequestRate::PerSecond(9.3)));
        let limits: Vec<f64> =
            run.reported.limits.as_ref().unwrap().iter().map(|limit| limit.millis).collect();
        assert_eq!(limits, [2000.0, 100.0]);
    }

    #[test]
    fn an_invalid_result_blocks_and_says_what_was_not_met() {
        let run = run(SUMMARY);
        let notices: Vec<_> = run.provenance.notices.iter().collect();
        assert_eq!(notices[0].severity, Severity::Block);
        assert!(notices[0].text.contains("the latency limits"), "{}", notices[0].text);
        assert_eq!(notices[1].kind, "negative-time");
        let valid = self::run(&SUMMARY.replace("INVALID", "VALID"));
        assert_eq!(valid.provenance.notices.at_least(Severity::Block), 0);
    }

    #[test]
    fn the_detailed_log_says_the_same() {
        let entry = |key: &str, value: &str| {
            format!(
                ":::MLLOG {{\"key\": \"{key}\", \"value\": {value}, \"time_ms\": 1.0, \"namespace\": \
                 \"mlperf::logging\", \"metadata\": {{\"file\": \"results.cc\"}}}}\n"
            )
        };
        let text = [
            entry("loadgen_version", "\"6.0.0 @ abc\""),
            entry("effective_scenario", "\"Server\""),
            entry("requested_server_ttft_latency", "2000000000"),
            entry("effective_target_qps", "9.3"),
            entry("result_validity", "\"INVALID\""),
            entry("result_perf_constraints_met", "false"),
            entry("result_query_count", "5580"),
            entry("result_completed_samples_per_sec", "9.25"),
            entry("result_99.00_percentile_latency_ns", "12560136941"),
            entry("result_first_token_mean_latency_ns", "123749426"),
            entry("result_first_token_99.00_percentile_latency_ns", "407241795"),
            entry("result_time_per_output_token_99.00_percentile_ns", "97097395"),
            entry("result_time_to_output_token_mean", "48338269"),
            entry("result_token_throughput", "0.0000001"),
        ]
        .concat();
        let run = run(&text);
        assert_eq!(run.version.exact.as_deref(), Some("6.0.0 @ abc"));
        assert!((printed(&run, Metric::E2e, Stat::Percentile(99.0)) - 12_560.136_941).abs() < 1e-9);
        assert!((printed(&run, Metric::Ttft, Stat::Mean) - 123.749_426).abs() < 1e-9);
        assert!((printed(&run, Metric::Tpot, Stat::Mean) - 48.338_269).abs() < 1e-9);
        assert!((printed(&run, Metric::Tpot, Stat::Percentile(99.0)) - 97.097_395).abs() < 1e-9);
        assert_eq!(run.reported.value(Metric::Completed), Some(5580.0));
        assert_eq!(run.reported.further.len(), 1);
        assert_eq!(run.provenance.notices.at_least(Severity::Block), 1);
        assert!(run.reported.limits.is_some());
    }

    #[test]
    fn both_logs_of_a_run_share_a_stem() {
        assert_eq!(Mlperf.stem("a.mlperf_log_summary.txt"), Some("a.mlperf_log"));
        assert_eq!(Mlperf.beside("mlperf_log_detail.txt"), ["mlperf_log_summary.txt"]);
        assert_eq!(Mlperf.stem("notes.txt"), None);
    }
}
