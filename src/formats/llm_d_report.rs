//! llm-d's benchmark report: a neutral form into which it brings the results of other tools.
//!
//! Schemas 0.1, 0.2 and 0.2.1: `llmdbenchmark/analysis/benchmark_report` of llm-d/llm-d-benchmark.

use super::aggregates::{SAME, SECONDS, further, put, usual_stat};
use super::error::Fault;
use super::guidellm::trees;
use super::tree::Tree;
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Load, Metric, Provenance, Reported, RequestRate, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};

/// A benchmark report of llm-d.
pub(super) struct LlmDReport;

static ABOUT: About = About {
    name: "llm-d’s benchmark reports",
    file: "the benchmark report of llm-d-benchmark, as YAML or JSON",
    versions: "schema 0.1, 0.2 and 0.2.1",
    recognised: "`version`, `scenario` and `metrics` or `results`",
    reads: &[
        "the printed statistics of latency, lengths and throughput, each in the unit that stands beside it",
        "duration, failures, rate, concurrency, model, and the tool that made the load",
    ],
    limits: &[
        "no requests: nothing can be computed again",
        "definitions are those of the source tool, which a notice names: a TPOT of GuideLLM and one of vLLM are two things",
        "units are taken as written; the example of schema 0.1 says ms where it holds seconds, which a notice says",
        "of AIPerf, `failures` counts kinds of errors, so it is not taken as failed requests",
        "what servers and accelerators measured, series over time and sessions are not read",
    ],
}.lean();

/// Members that are long, private or not needed.
const SKIP: &[&str] = &[
    "native",
    "time_series",
    "observability",
    "component_health",
    "session_performance",
    "profiling",
    "resources",
    "service",
    "args",
    "envars",
    "user",
];

impl Format for LlmDReport {
    fn id(&self) -> &'static str {
        "llm-d-report"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let text = head.text.as_deref().unwrap_or_default();
        let key = |key: &str| {
            text.lines()
                .any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
        };
        let known = |has: &dyn Fn(&str) -> bool| {
            has("version") && has("scenario") && (has("metrics") || has("results"))
        };
        let json = head.json.as_ref();
        let is = match json {
            Some(json) => known(&|name| json.has(name)),
            // Keys are sorted in some: the results come first, and may be longer than the head.
            None => {
                known(&key) || key("results") && text.contains("request_performance:") && key("run")
            }
        };
        let sections =
            ["request_performance", "time_per_output_token", "request_latency", "standardized"];
        if is
            && sections.iter().any(|section| text.contains(section))
            && (json.is_some() || key("scenario"))
        {
            return Verdict::Certain(
                "it has version, scenario and results as llm-d’s report has them".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let reports = trees(input.text, SKIP, &mut *input.progress, out)?;
        let of = reports.len();
        let run = |(index, report)| run(report, input.provenance(self.id(), index, of));
        Ok(reports.iter().enumerate().map(run).collect())
    }
}

fn run(report: &Tree, provenance: Provenance) -> Run {
    let scenario = report.get("scenario").unwrap_or(&Tree::Null);
    let standard = scenario.at(&["load", "standardized"]).unwrap_or(&Tree::Null);
    let source = standard.text_at(&["tool"]).or_else(|| scenario.text_at(&["load", "name"]));
    let name = match (source, standard.number_at(&["stage"])) {
        (Some(source), Some(stage)) => format!("llm-d, {source}, stage {stage}"),
        (Some(source), None) => format!("llm-d, {source}"),
        (None, _) => "llm-d".to_owned(),
    };
    let mut run = super::blank(Tool::LlmD, &name, provenance);
    run.version.exact = report.get("version").and_then(Tree::words);
    run.provenance.kin = report.text_at(&["run", "uid"]).map(str::to_owned);
    let rate = standard.get("rate_qps").and_then(Tree::number).filter(|rate| *rate > 0.0);
    run.load = Load {
        request_rate: rate.map(|rate| {
            if rate.is_finite() { RequestRate::PerSecond(rate) } else { RequestRate::Unlimited }
        }),
        max_concurrency: standard
            .number_at(&["concurrency"])
            .filter(|n| *n >= 1.0)
            .map(|n| n as u64),
        ..Load::default()
    };
    let stack = scenario.get("stack").map_or(&[][..], Tree::list);
    let model = stack.iter().find_map(|part| part.text_at(&["standardized", "model", "name"]));
    run.workload.model = model.or_else(|| scenario.text_at(&["model", "name"])).map(str::to_owned);
    run.workload.date = report.text_at(&["run", "time", "start"]).map(str::to_owned);
    let version = standard.get("tool_version").and_then(Tree::words);
    let told = [("tool", source.map(str::to_owned)), ("tool_version", version)];
    for (key, value) in told {
        run.workload.settings.extend(value.map(|value| (key.to_owned(), value)));
    }
    let results = report.at(&["results", "request_performance", "aggregate"]);
    let results = results.or_else(|| report.get("metrics")).unwrap_or(&Tree::Null);
    let notices = &mut run.provenance.notices;
    statistics(&mut run.reported, report, results, source, notices);
    let text = format!(
        "llm-d brought these numbers into its form without changing what they mean: definitions are those of {}.",
        source.unwrap_or("the tool that made the load, which the file does not name")
    );
    notices.add(Severity::Warn, "definitions-of-the-source", Place::WholeFile, text);
    run
}

/// Distributions: section, key, metric.
const DISTRIBUTIONS: [(&str, &str, Metric); 7] = [
    ("latency", "time_to_first_token", Metric::Ttft),
    ("latency", "time_per_output_token", Metric::Tpot),
    ("latency", "inter_token_latency", Metric::Itl),
    ("latency", "request_latency", Metric::E2e),
    ("latency", "normalized_time_per_output_token", Metric::WholePerToken),
    ("requests", "input_length", Metric::InputTokens),
    ("requests", "output_length", Metric::OutputTokens),
];

/// Rates by their key in schema 0.2 and in 0.1.
const RATES: [(&str, &str, Metric); 4] = [
    ("request_rate", "requests_per_sec", Metric::RequestThroughput),
    ("output_token_rate", "output_tokens_per_sec", Metric::OutputThroughput),
    ("input_token_rate", "input_tokens_per_sec", Metric::InputThroughput),
    ("total_token_rate", "total_tokens_per_sec", Metric::TotalThroughput),
];

fn statistics(
    reported: &mut Reported,
    report: &Tree,
    results: &Tree,
    source: Option<&str>,
    notices: &mut Notices,
) {
    let duration = results.number_at(&["time", "duration"]);
    let duration = duration.or_else(|| iso_seconds(report.text_at(&["run", "time", "duration"])?));
    put(reported, "time.duration", Metric::Duration, Stat::Value, duration, SAME);
    further(reported, "requests.total", results.number_at(&["requests", "total"]), "requests");
    further(
        reported,
        "requests.incomplete",
        results.number_at(&["requests", "incomplete"]),
        "requests",
    );
    let failures = results.number_at(&["requests", "failures"]);
    if source.is_some_and(|source| source.to_ascii_lowercase().contains("aiperf")) {
        further(reported, "requests.failures", failures, "kinds of errors");
    } else {
        put(reported, "requests.failures", Metric::Failed, Stat::Value, failures, SAME);
    }
    for (section, key, metric) in DISTRIBUTIONS {
        let Some(printed) = results.at(&[section, key]) else { continue };
        let field = format!("{section}.{key}");
        let Some(scale) = scale(printed.text_at(&["units"]), metric) else {
            let text = format!("{field} has no unit that is known, so it is not used.");
            notices.add(Severity::Warn, "unknown-unit", Place::JsonPath(field), text);
            continue;
        };
        for (name, value) in printed.members() {
            if let Some(stat) = stat(name) {
                put(reported, &format!("{field}.{name}"), metric, stat, value.number(), scale);
            }
        }
    }
    for (new, old, metric) in RATES {
        let throughput = |path: &[&str]| results.get("throughput")?.number_at(path);
        put(
            reported,
            &format!("throughput.{new}.mean"),
            metric,
            Stat::Value,
            throughput(&[new, "mean"]),
            SAME,
        );
        put(reported, &format!("throughput.{old}"), metric, Stat::Value, throughput(&[old]), SAME);
    }
    doubt_milliseconds(reported, notices);
}

/// The scale from a unit as written to the metric's.
fn scale(units: Option<&str>, metric: Metric) -> Option<f64> {
    let counts = matches!(metric, Metric::InputTokens | Metric::OutputTokens);
    Some(match units? {
        "count" | "tokens" if counts => SAME,
        _ if counts => return None,
        "ms" | "ms/token" => SAME,
        "s" | "s/token" => SECONDS,
        "us" | "us/token" => 1e-3,
        _ => return None,
    })
}

/// `p0p1` is the 0.1th percentile, and the converter from vLLM writes `P25`.
fn stat(key: &str) -> Option<Stat> {
    match key {
        "p0p1" => Some(Stat::Percentile(0.1)),
        "p99p9" => Some(Stat::Percentile(99.9)),
        key => usual_stat(&key.to_ascii_lowercase()),
    }
}

/// Says where numbers called milliseconds would make tokens come faster than any server sends them.
fn doubt_milliseconds(reported: &Reported, notices: &mut Notices) {
    let mean =
        |metric| reported.find(metric, Stat::Mean).filter(|v| (v.scale - SAME).abs() < 1e-12);
    let (Some(whole), Some(tokens)) = (mean(Metric::E2e), mean(Metric::OutputTokens)) else {
        return;
    };
    if tokens.value >= 1.0 && whole.value / tokens.value < LEAST_MILLIS_A_TOKEN {
        notices.add(
            Severity::Warn,
            "milliseconds-in-doubt",
            Place::JsonPath(whole.field.clone()),
            "The latencies are called milliseconds, but a whole request takes less than 0.5 ms a token: they may be seconds. They are kept as written.",
        );
    }
}

/// No server sends one user tokens faster than this.
const LEAST_MILLIS_A_TOKEN: f64 = 0.5;

/// The seconds of an ISO 8601 span of hours, minutes and seconds: `PT49.9S`.
fn iso_seconds(text: &str) -> Option<f64> {
    let mut total = 0.0;
    for part in text.strip_prefix("PT")?.split_inclusive(|c: char| c.is_ascii_alphabetic()) {
        let scale = match part.chars().next_back()? {
            'H' => 3600.0,
            'M' => 60.0,
            'S' => 1.0,
            _ => return None,
        };
        let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        total += digits.parse::<f64>().ok()? * scale;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_seconds() {
        assert!(iso_seconds("PT1H2M3.5S").is_some_and(|s| (s - 3723.5).abs() < 1e-9));
        assert_eq!(iso_seconds("P1D"), None);
    }

    #[test]
    fn units_are_those_beside_the_number() {
        assert_eq!(scale(Some("s/token"), Metric::Tpot), Some(SECONDS));
        assert_eq!(scale(Some("furlongs"), Metric::Tpot), None);
        assert_eq!(scale(None, Metric::Tpot), None);
        assert_eq!(stat("P25"), Some(Stat::Percentile(25.0)));
    }
}
