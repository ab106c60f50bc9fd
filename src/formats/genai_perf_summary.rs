//! The summary that GenAI-Perf writes as JSON: `profile_export_genai_perf.json`.

use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::genai_perf::{self, SUMMARY};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Limit, LimitMetric, Load, Part, Reported, RequestRate, Run, Tool, Workload};
use crate::notice::{Notices, Place, Severity};

/// GenAI-Perf's summary.
pub(super) struct GenaiPerfSummary;

static ABOUT: About = About {
    name: "GenAI-Perf",
    file: "`genai-perf profile`: `profile_export_genai_perf.json`",
    versions: "0.0.8 to 0.0.16; the file does not name its version",
    recognised: "`request_latency` beside `input_config` or `telemetry_stats`, without AIPerf’s keys",
    reads: &[
        "every printed statistic of TTFT, ITL, latency, tokens per user, lengths; throughputs, number of \
         requests, goodput and its limits",
        "mean power of each accelerator; its other readings as further numbers",
        "model, tokenizer, protocol, concurrency or rate, lengths that were asked for",
    ],
    limits: &[
        "no requests: those are in `profile_export.json` beside it, which is joined when both are there",
        "what it calls ITL is one mean a request, others’ TPOT",
        "replies without answer text, such as those with reasoning only, are in the request throughput and \
         in nothing else",
        "tokens are counted by the client’s tokenizer",
        "headers, addresses and extra inputs of its configuration are not kept",
    ],
}.lean();

impl Format for GenaiPerfSummary {
    fn id(&self) -> &'static str {
        "genai-perf-summary"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        const AIPERF: [&str; 6] = [
            "aiperf_version",
            "was_cancelled",
            "error_summary",
            "telemetry_data",
            "benchmark_duration",
            "benchmark_id",
        ];
        let Some(json) = &head.json else { return Verdict::No };
        let proof = json.has_any(&["input_config", "telemetry_stats", "sessions"]);
        if !json.array && json.has("request_latency") && proof && !json.has_any(&AIPERF) {
            return Verdict::Certain(
                "it has request_latency beside input_config or telemetry_stats, and none of AIPerf’s keys"
                    .into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIPPED, ticker: &ticker };
        let found = documents::read(input.text, seed, &ticker, out)?;
        let of = found.len();
        Ok(found
            .into_iter()
            .enumerate()
            .map(|(index, Document { value, .. })| {
                let mut provenance = input.provenance(self.id(), index, of);
                provenance.part = Part::Summary;
                let mut run = super::blank(Tool::GenaiPerf, "GenAI-Perf", provenance);
                fill(&mut run, &value);
                run
            })
            .collect())
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_suffix(SUMMARY)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        self.stem(name).map_or_else(Vec::new, |stem| genai_perf::beside(stem, SUMMARY))
    }
}

/// What may hold secrets, and the statistics of single sessions.
const SKIPPED: &[&str] = &["header", "headers", "extra", "extra_inputs", "sessions", "url", "u"];

fn fill(run: &mut Run, tree: &Tree) {
    for (key, metric) in tree.members() {
        let unit = metric.text_at(&["unit"]).unwrap_or_default();
        for (stat, value) in metric.members().iter().filter(|(stat, _)| stat != "unit") {
            genai_perf::add(&mut run.reported, key, unit, stat, value.number());
        }
    }
    if let Some(telemetry) = tree.get("telemetry_stats") {
        readings(&mut run.reported, telemetry, &mut run.provenance.notices);
    }
    let Some(config) = tree.get("input_config") else { return };
    run.load = load(config);
    run.workload = workload(config);
    run.reported.limits = limits(config, &mut run.provenance.notices);
}

fn readings(reported: &mut Reported, telemetry: &Tree, out: &mut Notices) {
    let mut gpus = 0;
    for (key, metric) in telemetry.members() {
        let unit = metric.text_at(&["unit"]).unwrap_or_default();
        for (gpu, stats) in metric.members().iter().filter(|(gpu, _)| gpu != "unit") {
            gpus += usize::from(key == "gpu_power_usage");
            genai_perf::add_reading(reported, key, gpu, unit, stats.number_at(&["avg"]));
        }
    }
    if gpus > 1 {
        let text = format!(
            "Power was read from {gpus} accelerators of the machine, whether or not they served this \
             run: each is listed by itself."
        );
        out.add(
            Severity::Note,
            "each-accelerator",
            Place::JsonPath("telemetry_stats".into()),
            text,
        );
    }
}

/// The first number at one of several paths: versions nest differently.
fn first_number(config: &Tree, paths: &[&[&str]]) -> Option<f64> {
    paths.iter().find_map(|path| config.number_at(path))
}

fn first_text<'t>(config: &'t Tree, paths: &[&[&str]]) -> Option<&'t str> {
    paths.iter().find_map(|path| config.text_at(path))
}

fn load(config: &Tree) -> Load {
    let count = |paths: &[&[&str]]| {
        first_number(config, paths).filter(|n| (1.0..1e15).contains(n)).map(|n| n as u64)
    };
    let by_count = config.text_at(&["perf_analyzer", "measurement", "mode"]);
    let measured: &[&[&str]] = if by_count == Some("request_count") {
        &[&["perf_analyzer", "measurement", "num"]]
    } else {
        &[&["request_count"]]
    };
    let rate =
        first_number(config, &[&["perf_analyzer", "stimulus", "request_rate"], &["request_rate"]]);
    Load {
        request_rate: rate.filter(|rate| *rate > 0.0).map(RequestRate::PerSecond),
        max_concurrency: count(&[&["perf_analyzer", "stimulus", "concurrency"], &["concurrency"]]),
        requests: count(measured),
        output_tokens: first_number(
            config,
            &[&["input", "output_tokens", "mean"], &["output_tokens_mean"]],
        )
        .filter(|asked| *asked > 0.0),
        ..Load::default()
    }
}

/// Settings that say how the load was made, by the name they get here. Whole parts of the configuration
/// can hold keys and addresses, so only these are kept.
const SETTINGS: &[(&str, &[&str])] = &[
    ("streaming", &["endpoint", "streaming"]),
    ("streaming", &["streaming"]),
    ("service_kind", &["endpoint", "service_kind"]),
    ("service_kind", &["service_kind"]),
    ("measurement_mode", &["perf_analyzer", "measurement", "mode"]),
    ("warmup_request_count", &["perf_analyzer", "warmup_request_count"]),
    ("warmup_request_count", &["warmup_request_count"]),
    ("input_tokens_mean", &["input", "synthetic_tokens", "mean"]),
    ("input_tokens_mean", &["synthetic_input_tokens_mean"]),
    ("input_tokens_stddev", &["input", "synthetic_tokens", "stddev"]),
    ("input_tokens_stddev", &["synthetic_input_tokens_stddev"]),
    ("output_tokens_mean", &["input", "output_tokens", "mean"]),
    ("output_tokens_mean", &["output_tokens_mean"]),
    ("output_tokens_stddev", &["input", "output_tokens", "stddev"]),
    ("output_tokens_stddev", &["output_tokens_stddev"]),
    ("num_dataset_entries", &["input", "num_dataset_entries"]),
    ("num_dataset_entries", &["num_dataset_entries"]),
    ("random_seed", &["input", "random_seed"]),
    ("random_seed", &["random_seed"]),
];

fn workload(config: &Tree) -> Workload {
    let model = ["model_names", "model"].iter().find_map(|key| match config.get(key)? {
        Tree::List(names) => names.first()?.text(),
        one => one.text(),
    });
    let owned = |text: &str| text.to_owned();
    let kind = first_text(config, &[&["endpoint", "type"], &["endpoint_type"]]);
    let mut settings = Vec::new();
    for (name, path) in SETTINGS {
        if let Some(words) = config.at(path).and_then(Tree::words) {
            settings.push(((*name).to_owned(), words));
        }
    }
    Workload {
        model: model.map(owned),
        tokenizer: first_text(config, &[&["tokenizer", "name"], &["tokenizer"]]).map(owned),
        dataset: first_text(config, &[&["input", "prompt_source"], &["prompt_source"]]).map(owned),
        endpoint: kind.map(owned),
        backend: first_text(config, &[&["endpoint", "backend"], &["backend"]]).map(owned),
        date: None,
        settings,
    }
}

/// The limits behind the goodput: an object, or words such as `request_latency:300`. Milliseconds.
fn limits(config: &Tree, out: &mut Notices) -> Option<Vec<Limit>> {
    let goodput = config.at(&["input", "goodput"]).or_else(|| config.get("goodput"))?;
    let pairs: Vec<(&str, Option<f64>)> = match goodput {
        Tree::Text(words) => words
            .split_whitespace()
            .map(|word| word.split_once(':').unwrap_or((word, "")))
            .map(|(name, value)| (name, value.parse().ok()))
            .collect(),
        other => other.members().iter().map(|(name, v)| (name.as_str(), v.number())).collect(),
    };
    let limit = |(name, millis): (&str, Option<f64>)| {
        let metric = match name {
            "time_to_first_token" => LimitMetric::Ttft,
            "inter_token_latency" => LimitMetric::Tpot,
            "request_latency" => LimitMetric::E2e,
            _ => return None,
        };
        millis.filter(|m| *m > 0.0).map(|millis| Limit::at_most(metric, millis))
    };
    if pairs.is_empty() {
        return None;
    }
    let limits: Option<Vec<Limit>> = pairs.into_iter().map(limit).collect();
    if limits.is_none() {
        out.add(
            Severity::Note,
            "other-limits",
            Place::JsonPath("input_config.input.goodput".into()),
            "The goodput has a limit on something else than TTFT, time per token or latency: its \
             limits can’t be set here.",
        );
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn one(text: &str) -> Run {
        read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn limits_are_read_from_words_and_objects() {
        for goodput in [
            r#""time_to_first_token:100 request_latency:300.5""#,
            r#"{"time_to_first_token": 100, "request_latency": 300.5}"#,
        ] {
            let run = one(&format!(
                r#"{{"request_latency": {{"unit": "ms", "avg": 5}}, "input_config": {{"input": {{"goodput": {goodput}}}}}}}"#
            ));
            let limits = run.reported.limits.unwrap();
            assert_eq!(limits[0], Limit::at_most(LimitMetric::Ttft, 100.0));
            assert_eq!(limits[1], Limit::at_most(LimitMetric::E2e, 300.5));
        }
        let run = one(
            r#"{"request_latency": {"unit": "ms", "avg": 5}, "input_config": {"goodput": {"output_token_throughput": 5}}}"#,
        );
        assert_eq!(run.reported.limits, None);
        assert!(run.provenance.notices.iter().any(|n| n.kind == "other-limits"));
    }

    #[test]
    fn secrets_of_the_configuration_do_not_enter() {
        let run = one(
            r#"{"request_latency": {"unit": "ms", "avg": 5}, "input_config": {"header": ["Authorization: Bearer sk-1"],
                "extra_inputs": {"key": "sk-2"}, "u": "http://user:sk-3@h", "input": {"header": "sk-4", "extra": "sk-5"},
                "endpoint": {"url": "http://sk-6", "type": "chat"}, "command": "genai-perf sk-7"}}"#,
        );
        assert_eq!(run.workload.endpoint.as_deref(), Some("chat"));
        assert!(!format!("{run:?}").contains("sk-"));
    }
}
