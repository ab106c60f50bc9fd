//! What the files of NVIDIA AIPerf share: their names, the metrics in them, the set-up of a run.
//!
//! Read from AIPerf 0.1 to 0.13 (`exporters/`, `metrics/types/`, `config/artifacts.py`). Command lines,
//! headers and addresses can hold keys: they are never kept.

use super::aggregates::{further, put, usual_stat};
use super::tree::Tree;
use crate::model::{
    Limit, LimitMetric, Metric, Part, Provenance, Reported, RequestRate, Run, Stat, Tool,
};
use crate::notice::{Place, Severity};
use crate::units::Unit;

/// Members that are long, secret or both, at any depth of any AIPerf file.
pub(super) const SKIP: &[&str] = &[
    "cli_command",
    "headers",
    "request_headers",
    "response_headers",
    "payload",
    "api_key",
    "env",
    "extra",
    "url",
    "urls",
    "message",
    "cause",
    "cause_chain",
    "details",
    "trace_data",
    "spec_decode_acceptance",
    "description",
];

/// An AIPerf run of one file.
pub(super) fn run(name: &str, mut provenance: Provenance, part: Part) -> Run {
    provenance.part = part;
    super::blank(Tool::Aiperf, name, provenance)
}

/// The names that AIPerf gives to the files of one run. After a prefix of the user's the second list
/// applies, in the same order.
const DEFAULT: [&str; 10] = [
    "profile_export_aiperf_timeslices.json",
    "profile_export_aiperf_timeslices.csv",
    "profile_export_aiperf.json",
    "profile_export_aiperf.csv",
    "profile_export_raw.jsonl",
    "profile_export.jsonl",
    "server_metrics_export.json",
    "server_metrics_export.csv",
    "server_metrics_export.jsonl",
    "gpu_telemetry_export.jsonl",
];
/// What follows a prefix, longer endings before those that they end with.
const PREFIXED: [&str; 10] = [
    "_timeslices.json",
    "_timeslices.csv",
    "_server_metrics.json",
    "_server_metrics.csv",
    "_server_metrics.jsonl",
    "_gpu_telemetry.jsonl",
    "_raw.jsonl",
    ".json",
    ".csv",
    ".jsonl",
];

/// A name as what is the user's and the list that the rest is of.
fn split(name: &str) -> Option<(&str, &'static [&'static str])> {
    let before = |endings: &[&str]| endings.iter().find_map(|end| name.strip_suffix(end));
    before(&DEFAULT)
        .map(|own| (own, &DEFAULT[..]))
        .or_else(|| Some((before(&PREFIXED)?, &PREFIXED[..])))
}

/// What the names of all files of one run share.
pub(super) fn stem(name: &str) -> Option<&str> {
    split(name).map(|(own, _)| own.trim_end_matches(['.', '-', '_']))
}

/// The names of the other files of the run. Slices of time are no part that is joined.
pub(super) fn beside(name: &str) -> Vec<String> {
    let Some((own, endings)) = split(name) else { return Vec::new() };
    let all = endings.iter().filter(|end| !end.contains("_timeslices."));
    all.map(|end| format!("{own}{end}")).filter(|other| other != name).collect()
}

/// A metric of AIPerf that is one of ours.
pub(super) struct Known {
    /// Its key in JSON.
    tag: &'static str,
    /// Its name in tables.
    header: &'static str,
    metric: Metric,
    /// Whether it is one number for the run.
    scalar: bool,
}

const fn each(tag: &'static str, header: &'static str, metric: Metric) -> Known {
    Known { tag, header, metric, scalar: false }
}

const fn one(tag: &'static str, header: &'static str, metric: Metric) -> Known {
    Known { tag, header, metric, scalar: true }
}

static KNOWN: &[Known] = &[
    each("time_to_first_token", "Time to First Token", Metric::Ttft),
    each("ttft", "Time to First Token", Metric::Ttft),
    each("time_to_first_output_token", "Time to First Output Token", Metric::FirstAnswer),
    each("inter_token_latency", "Inter Token Latency", Metric::Itl),
    each("inter_chunk_latency", "Inter Chunk Latency", Metric::ChunkGap),
    each("request_latency", "Request Latency", Metric::E2e),
    each("output_token_throughput_per_user", "Output Token Throughput Per User", Metric::UserSpeed),
    each("input_sequence_length", "Input Sequence Length", Metric::InputTokens),
    each("output_sequence_length", "Output Sequence Length", Metric::OutputTokens),
    one("request_throughput", "Request Throughput", Metric::RequestThroughput),
    one("output_token_throughput", "Output Token Throughput", Metric::OutputThroughput),
    one("input_token_throughput", "Input Token Throughput", Metric::InputThroughput),
    one("total_token_throughput", "Total Token Throughput", Metric::TotalThroughput),
    one("goodput", "Goodput", Metric::Goodput),
    one("good_request_fraction", "GoodRequestFraction", Metric::SloShare),
    one("request_count", "Request Count", Metric::Completed),
    one("error_request_count", "Error Request Count", Metric::Failed),
    one("total_isl", "Total Input Sequence Length", Metric::TotalInputTokens),
    one("total_osl", "Total Output Sequence Length", Metric::TotalOutputTokens),
    one("nvidia_total_gpu_energy", "NVIDIA Total GPU Energy", Metric::Energy),
    one("amd_total_gpu_energy", "AMD Total GPU Energy", Metric::Energy),
];

/// The metric with this key in JSON.
pub(super) fn by_tag(tag: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.tag == tag)
}

/// The metric with this name in a table.
pub(super) fn by_header(header: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.header == header)
}

/// The factor from a unit as AIPerf writes it to that of a metric; `None` for a unit that nobody knows.
pub(super) fn scale(metric: Metric, unit: &str) -> Option<f64> {
    Some(match (metric.unit(), unit) {
        (Unit::Millis, "sec" | "s" | "seconds") | (Unit::Joules, "kJ") => 1e3,
        (Unit::Millis, "us" | "µs")
        | (Unit::Secs, "ms")
        | (Unit::Joules, "mJ")
        | (Unit::Watts, "mW") => 1e-3,
        (Unit::Millis, "ns") => 1e-6,
        (Unit::Secs, "ns") => 1e-9,
        (Unit::Share, "%") => 1e-2,
        (Unit::Joules, "MJ") => 1e6,
        (Unit::Millis, "ms")
        | (Unit::Secs, "sec" | "s" | "seconds")
        | (Unit::Joules, "J")
        | (Unit::Watts, "W") => 1.0,
        (Unit::Millis | Unit::Secs | Unit::Joules | Unit::Watts, _) => return None,
        _ => 1.0,
    })
}

/// Adds the statistic `key` of a metric, `name` in the file.
pub(super) fn add(
    reported: &mut Reported,
    name: &str,
    known: Option<&Known>,
    unit: &str,
    key: &str,
    value: Option<f64>,
) {
    let known = known.and_then(|known| Some((known, scale(known.metric, unit)?)));
    match (known, usual_stat(key)) {
        (Some((known, scale)), Some(Stat::Mean)) if known.scalar => {
            put(reported, name, known.metric, Stat::Value, value, scale);
        }
        (Some((known, scale)), Some(stat)) if !known.scalar => {
            put(reported, &format!("{name}.{key}"), known.metric, stat, value, scale);
        }
        _ => {
            let unit = if key == "count" { "" } else { unit };
            further(reported, &format!("{name} {key}"), value, unit);
        }
    }
}

/// Adds a metric of a JSON file: an object of statistics beside their unit. Clock readings are no
/// statistics.
pub(super) fn add_object(reported: &mut Reported, tag: &str, object: &Tree) {
    let Some(unit) = object.get("unit").and_then(Tree::text) else { return };
    if tag.ends_with("_timestamp") {
        return;
    }
    for (key, value) in object.members() {
        if matches!(key.as_str(), "sum" | "count") || usual_stat(key).is_some() {
            add(reported, tag, by_tag(tag), unit, key, value.number());
        }
    }
}

/// A table's name of a metric and its unit: `Request Latency (ms)`. Counts have no unit.
pub(super) fn header_and_unit(cell: &str) -> (&str, &str) {
    match cell.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((header, unit)) => (header, unit),
        None => (cell, ""),
    }
}

/// Version, id, model and load out of a document with `input_config`.
pub(super) fn set_up(run: &mut Run, document: &Tree) {
    let text = |path: &[&str]| document.text_at(path).map(str::to_owned);
    run.version.exact = text(&["aiperf_version"]);
    run.provenance.kin =
        text(&["benchmark_id"]).or_else(|| text(&["input_config", "benchmark_id"]));
    run.workload.date = text(&["start_time"]);
    let Some(config) = document.get("input_config") else { return };
    run.workload.model = model(config);
    run.workload.tokenizer = config.text_at(&["tokenizer", "name"]).map(str::to_owned);
    run.workload.endpoint = config.text_at(&["endpoint", "type"]).map(str::to_owned);
    let dataset = config
        .text_at(&["input", "public_dataset"])
        .or_else(|| config.text_at(&["input", "custom_dataset_type"]))
        .or_else(|| config.get("datasets")?.list().first()?.text_at(&["type"]));
    run.workload.dataset = dataset.map(str::to_owned);
    load(run, config);
    for path in SETTINGS {
        if let Some(words) = config.at(path).and_then(Tree::words) {
            run.workload.settings.push((path.join("."), words));
        }
    }
    limits(run, config);
}

/// Settings that are known to be harmless.
const SETTINGS: &[&[&str]] = &[
    &["endpoint", "streaming"],
    &["endpoint", "use_server_token_count"],
    &["loadgen", "request_rate_mode"],
    &["loadgen", "warmup_request_count"],
    &["loadgen", "request_cancellation_rate"],
    &["loadgen", "benchmark_duration"],
    &["input", "prompt", "input_tokens", "mean"],
    &["input", "prompt", "output_tokens", "mean"],
    &["input", "random_seed"],
];

fn model(config: &Tree) -> Option<String> {
    let old = config.at(&["endpoint", "model_names"]).map(Tree::list).unwrap_or_default();
    let new = config.at(&["models", "items"]).map(Tree::list).unwrap_or_default();
    let names: Vec<&str> = old
        .iter()
        .filter_map(Tree::text)
        .chain(new.iter().filter_map(|item| item.text_at(&["name"])))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The load of `loadgen` (up to 0.8) or of the one phase that counts (0.10 on).
fn load(run: &mut Run, config: &Tree) {
    let excluded = |phase: &&Tree| {
        phase.get("exclude_from_results") == Some(&Tree::Bool(true))
            || phase.text_at(&["kind"]) == Some("warmup")
    };
    let phases = config.get("phases").map(Tree::list).unwrap_or_default();
    let mut counted = phases.iter().filter(|phase| !excluded(phase));
    let phase = match (counted.next(), counted.next()) {
        (Some(phase), None) => Some(phase),
        _ => None,
    };
    let source = phase.or_else(|| config.get("loadgen"));
    let number = |keys: &[&str]| keys.iter().find_map(|key| source?.number_at(&[key]));
    let count = |keys: &[&str]| number(keys).filter(|n| *n >= 1.0).map(|n| n as u64);
    run.load.max_concurrency = count(&["concurrency"]);
    run.load.requests = count(&["requests", "request_count"]);
    run.load.request_rate =
        number(&["rate", "request_rate"]).filter(|r| *r > 0.0).map(RequestRate::PerSecond);
    if let Some(kind) = phase.and_then(|phase| phase.text_at(&["type"])) {
        run.workload.settings.push(("phases.type".into(), kind.to_owned()));
    }
}

/// The limits behind the printed goodput: `input.goodput` up to 0.8, `slos` later. Limits on anything
/// but a latency have no place here, so that goodput is then not recomputed.
fn limits(run: &mut Run, config: &Tree) {
    let Some(slos) = config.get("slos").or_else(|| config.at(&["input", "goodput"])) else {
        return;
    };
    let mut limits = Vec::new();
    for (name, value) in slos.members() {
        let metric = match name.as_str() {
            "time_to_first_token" | "ttft" => LimitMetric::Ttft,
            "inter_token_latency" => LimitMetric::Tpot,
            "request_latency" => LimitMetric::E2e,
            _ => {
                let text = "The printed goodput has a limit on something else than TTFT, TPOT or \
                            E2E; it is not recomputed.";
                let place = Place::JsonPath("input_config.slos".into());
                run.provenance.notices.add(Severity::Note, "other-limit", place, text);
                return;
            }
        };
        if let Some(millis) = value.number().filter(|millis| millis.is_finite()) {
            limits.push(Limit::at_most(metric, millis));
        }
    }
    if !limits.is_empty() {
        run.reported.limits = Some(limits);
    }
}

/// Seconds since some day of a local time such as `2026-11-29T11:31:04.163797`; only differences mean
/// anything.
pub(super) fn clock(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u16>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let time = time.get(..time.find(['Z', '+', '-']).unwrap_or(time.len()))?;
    let mut parts = time.splitn(3, ':');
    let hours: f64 = parts.next()?.parse().ok()?;
    let minutes: f64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next()?.parse().ok()?;
    Some(f64::from(days(year, month, day)) * 86_400.0 + hours * 3_600.0 + minutes * 60.0 + seconds)
}

/// Days of a date of the Gregorian calendar, counted in years that begin in March.
fn days(year: u16, month: u16, day: u16) -> i32 {
    let (year, month, day) = (i32::from(year), i32::from(month), i32::from(day));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_run_share_a_stem() {
        for name in ["profile_export.jsonl", "server_metrics_export.csv"] {
            assert_eq!(stem(name), Some(""), "{name}");
        }
        for name in
            ["run1-cancelled.profile_export.jsonl", "run1-cancelled.profile_export_aiperf.csv"]
        {
            assert_eq!(stem(name), Some("run1-cancelled"), "{name}");
        }
        for name in
            ["foo.json", "foo_raw.jsonl", "foo_gpu_telemetry.jsonl", "foo_server_metrics.csv"]
        {
            assert_eq!(stem(name), Some("foo"), "{name}");
        }
        assert_eq!(stem("x"), None);
    }

    #[test]
    fn companions_keep_the_users_own_part() {
        assert!(beside("a.profile_export.jsonl").contains(&"a.profile_export_aiperf.json".into()));
        assert!(beside("foo_raw.jsonl").contains(&"foo.jsonl".into()));
        assert!(!beside("foo.json").contains(&"foo.json".into()));
        assert!(!beside("foo.json").iter().any(|name| name.contains("timeslices")));
    }

    #[test]
    fn clocks_count_over_midnight_and_month() {
        let span = |a, b| clock(b).unwrap() - clock(a).unwrap();
        assert!((span("2026-02-28T23:59:59.5", "2026-03-01T00:00:00.75") - 1.25).abs() < 1e-6);
        assert!((span("2024-02-28T12:00:00", "2024-03-01T12:00:00") - 172_800.0).abs() < 1e-6);
        assert_eq!(clock("yesterday"), None);
        assert_eq!(clock("2026-02-28T23:59"), None);
    }

    #[test]
    fn units_come_from_the_file() {
        assert_eq!(scale(Metric::Ttft, "ms"), Some(1.0));
        assert_eq!(scale(Metric::Ttft, "sec"), Some(1e3));
        assert_eq!(scale(Metric::Ttft, "parsec"), None);
        assert_eq!(header_and_unit("Request Latency (ms)"), ("Request Latency", "ms"));
        assert_eq!(header_and_unit("Request Count"), ("Request Count", ""));
        let adjusted = header_and_unit("Time to First Token (error-adjusted) (ms)");
        assert!(by_header(adjusted.0).is_none(), "a row of its own");
    }
}
