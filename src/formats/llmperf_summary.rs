//! The summaries of Ray’s LLMPerf: `…_summary.json`, and files that collect several of them.

use super::aggregates::{SAME, SECONDS, further, put};
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, load_label, name_apart};
use crate::model::{Metric, Part, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};

/// The summaries of LLMPerf.
pub(super) struct LlmperfSummary;

static ABOUT: About = About {
    name: "LLMPerf’s summaries",
    file: "`…_summary.json` of `token_benchmark_ray.py`, and objects of several by concurrency (llmperf-bench)",
    versions: "LLMPerf v2.0 (December 2023) to December 2024; its `version` is always 2023-08-31",
    recognised: "keys that start with `results_ttft_s_quantiles_`, or `first-time-to-token_mean_in_ms`",
    reads: &[
        "every printed statistic, requests started, finished and failed",
        "the length of the run, which follows from the finished requests and their number a minute",
    ],
    limits: &[
        "no requests: drop `…_individual_responses.json` too",
        "what it calls ITL includes the time to first token",
        "keys that the user added are not kept",
    ],
}.lean();

/// Said of the records and of the summary, once where both are there.
pub(super) const ITL: &str = "What LLMPerf calls ITL is one mean a request with the time to first token in it, about E2E ÷ tokens. From \
     December 2024 on it divides by events, before by tokens; the file does not say.";
pub(super) const BEGIN_TOKEN: &str = "Output tokens are those of a Llama tokenizer with one begin token: 151 for 150, and 1 for an empty text. TPOT \
     is a little too low by that, and rates of tokens a little too high.";
pub(super) const MAY_BE_LOST: &str = "No request failed by this file. After April 2024 LLMPerf loses a failed request instead of writing it, so \
     that proves nothing.";

/// What the names of the files of one run share.
pub(super) fn stem(name: &str) -> Option<&str> {
    name.strip_suffix("_individual_responses.json").or_else(|| name.strip_suffix("_summary.json"))
}

/// Name between `results_` and the statistic, the metric it claims and the factor to its unit.
const METRICS: [(&str, Metric, f64); 6] = [
    ("inter_token_latency_s", Metric::Itl, SECONDS),
    ("ttft_s", Metric::Ttft, SECONDS),
    ("end_to_end_latency_s", Metric::E2e, SECONDS),
    ("request_output_throughput_token_per_s", Metric::UserSpeed, SAME),
    ("number_input_tokens", Metric::InputTokens, SAME),
    ("number_output_tokens", Metric::OutputTokens, SAME),
];

/// Settings that are kept.
const SETTINGS: [&str; 4] =
    ["mean_input_tokens", "stddev_input_tokens", "mean_output_tokens", "stddev_output_tokens"];

/// What llmperf-bench makes of a summary.
const MADE: &str = "first-time-to-token_mean_in_ms";

impl Format for LlmperfSummary {
    fn id(&self) -> &'static str {
        "llmperf-summary"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.json.is_some() && head.contains("\"results_ttft_s_quantiles_") {
            return Verdict::Certain(
                "it has keys that start with results_ttft_s_quantiles_".into(),
            );
        }
        if head.json.is_some() && head.contains(&format!("\"{MADE}\"")) {
            return Verdict::Certain(format!("it has {MADE}"));
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let found =
            documents::read(input.text, TreeSeed { skip: &[], ticker: &ticker }, &ticker, out)?;
        let mut summaries = Vec::new();
        for document in found {
            if is_summary(&document.value) {
                summaries.push(document.value);
            } else if let Tree::Object(members) = document.value {
                // An object of several, by concurrency.
                summaries.extend(members.into_iter().map(|(_, value)| value).filter(is_summary));
            }
        }
        if summaries.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        let of = summaries.len();
        let run = |(index, summary): (usize, Tree)| {
            let mut run =
                super::blank(Tool::Llmperf, "LLMPerf", input.provenance(self.id(), index, of));
            run.provenance.part = Part::Summary;
            if summary.get(MADE).is_some() {
                fill_made(&mut run, &summary);
            } else {
                fill(&mut run, &summary);
            }
            if let (1, Some(label)) = (of, load_label(&run.load)) {
                run.name = format!("{}, {label}", run.name);
            }
            run
        };
        Ok(name_apart(summaries.into_iter().enumerate().map(run).collect(), ""))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        let base = name.strip_suffix("_summary.json");
        base.map(|base| format!("{base}_individual_responses.json")).into_iter().collect()
    }
}

fn is_summary(tree: &Tree) -> bool {
    tree.members().iter().any(|(key, _)| key.starts_with("results_")) || tree.get(MADE).is_some()
}

/// The statistic at the end of a key: `quantiles_p25`, `mean`, `stddev`.
fn stat_of(name: &str) -> Option<Stat> {
    match name {
        "mean" => Some(Stat::Mean),
        "min" => Some(Stat::Min),
        "max" => Some(Stat::Max),
        "stddev" => Some(Stat::Std),
        _ => {
            let p: f64 = name.strip_prefix("quantiles_p")?.parse().ok()?;
            (0.0..=100.0).contains(&p).then_some(Stat::Percentile(p))
        }
    }
}

fn fill(run: &mut Run, summary: &Tree) {
    let count = |key: &str| {
        let number = summary.number_at(&[key]);
        number.filter(|n| (0.0..1e15).contains(n)).map(|n| n as u64)
    };
    run.workload.model = summary.text_at(&["model"]).map(str::to_owned);
    run.workload.date = summary.get("timestamp").and_then(Tree::words);
    for key in SETTINGS {
        if let Some(words) = summary.get(key).filter(|v| v.number().is_some()).and_then(Tree::words)
        {
            run.workload.settings.push((key.to_owned(), words));
        }
    }
    run.load.max_concurrency = count("num_concurrent_requests");
    run.load.requests = count("results_num_requests_started");
    run.load.output_tokens = summary.number_at(&["mean_output_tokens"]);
    let reported = &mut run.reported;
    for (key, value) in summary.members() {
        let Some(result) = key.strip_prefix("results_") else { continue };
        let value = value.number();
        if let Some((metric, stat, scale)) = METRICS.iter().find_map(|(name, metric, scale)| {
            let stat = result.strip_prefix(name)?.strip_prefix('_')?;
            Some((*metric, stat_of(stat)?, *scale))
        }) {
            put(reported, key, metric, stat, value, scale);
            continue;
        }
        match result {
            "num_completed_requests" => {
                put(reported, key, Metric::Completed, Stat::Value, value, SAME);
            }
            "number_errors" => put(reported, key, Metric::Failed, Stat::Value, value, SAME),
            "mean_output_throughput_token_per_s" => {
                put(reported, key, Metric::OutputThroughput, Stat::Value, value, SAME);
            }
            "num_completed_requests_per_min" => {
                put(reported, key, Metric::RequestThroughput, Stat::Value, value, 1.0 / 60.0);
            }
            "error_rate" => further(reported, key, value, ""),
            _ => {}
        }
    }
    derive_duration(run);
    note(run, summary);
}

/// The wall time is in no key: it is that in which the finished requests came at their printed rate.
fn derive_duration(run: &mut Run) {
    let value = |metric| run.reported.value(metric).filter(|v| *v > 0.0);
    let (Some(completed), Some(rate)) =
        (value(Metric::Completed), value(Metric::RequestThroughput))
    else {
        return;
    };
    let field = "results_num_completed_requests ÷ results_num_completed_requests_per_min";
    put(&mut run.reported, field, Metric::Duration, Stat::Value, Some(completed / rate), SAME);
    let text = "The length of the run is in no key: it follows from the finished requests and their number a minute.";
    let place = Place::JsonPath("results_num_completed_requests_per_min".into());
    run.provenance.notices.add(Severity::Note, "derived-duration", place, text);
}

fn note(run: &mut Run, summary: &Tree) {
    let out = &mut run.provenance.notices;
    let at = |key: &str| Place::JsonPath(key.to_owned());
    out.add(Severity::Warn, "itl-with-ttft", at("results_inter_token_latency_s_mean"), ITL);
    out.add(Severity::Note, "begin-token", at("results_number_output_tokens_mean"), BEGIN_TOKEN);
    let text = "results_mean_output_throughput_token_per_s is all tokens over the wall time, no mean of requests.";
    let place = at("results_mean_output_throughput_token_per_s");
    out.add(Severity::Note, "throughput-no-mean", place, text);
    if matches!(summary.get("results_number_output_tokens_min"), Some(Tree::Text(_))) {
        let text =
            "The smallest and largest token counts are written as text; they are read as numbers.";
        out.add(Severity::Note, "numbers-as-text", at("results_number_output_tokens_min"), text);
    }
    match run.reported.value(Metric::Failed) {
        Some(failed) if failed > 0.0 => {
            let codes = summary.text_at(&["results_error_code_frequency"]).and_then(codes);
            let named = codes.map(|codes| format!(" ({codes})")).unwrap_or_default();
            let text = format!("Failed requests are counted, and no statistic holds them{named}.");
            out.add_many(
                Severity::Warn,
                "failed-requests",
                at("results_number_errors"),
                failed as u64,
                text,
            );
        }
        Some(_) => {
            out.add(Severity::Note, "failures-may-be-lost", at("results_error_rate"), MAY_BE_LOST);
        }
        None => {}
    }
}

/// A printed Python dictionary such as `{429.0: 130}` in words; nothing where it holds anything else.
fn codes(printed: &str) -> Option<String> {
    let inner = printed.trim().strip_prefix('{')?.strip_suffix('}')?;
    let pairs = inner.split(',').map(|pair| {
        let (code, count) = pair.split_once(':')?;
        let code: f64 = code.trim().parse().ok()?;
        let count: u64 = count.trim().parse().ok()?;
        Some(format!("{count} × code {code}"))
    });
    pairs.collect::<Option<Vec<_>>>().map(|all| all.join(", "))
}

/// What llmperf-bench makes of a summary: three numbers under names of its own.
fn fill_made(run: &mut Run, made: &Tree) {
    let number = |key: &str| made.number_at(&[key]);
    run.load.max_concurrency =
        number("concurrency").filter(|n| (0.0..1e15).contains(n)).map(|n| n as u64);
    run.load.output_tokens = number("output_token_length");
    for key in ["input_token_length", "output_token_length"] {
        if let Some(words) = made.get(key).filter(|v| v.number().is_some()).and_then(Tree::words) {
            run.workload.settings.push((key.to_owned(), words));
        }
    }
    let reported = &mut run.reported;
    put(reported, MADE, Metric::Ttft, Stat::Mean, number(MADE), SAME);
    for (key, metric, stat) in [
        ("throughput_token_per_s", Metric::OutputThroughput, Stat::Value),
        ("latency_ms_per_token", Metric::Itl, Stat::Mean),
    ] {
        put(reported, key, metric, stat, number(key), SAME);
    }
    let place = Place::JsonPath("latency_ms_per_token".into());
    run.provenance.notices.add(Severity::Warn, "itl-with-ttft", place, ITL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn runs(text: &str) -> Vec<Run> {
        read("a.json", text.as_bytes(), &mut |_| {}).unwrap()
    }

    const SUMMARY: &str = r#"{"version": "2023-08-31", "name": "x", "model": "made/8b", "owner": "sk-1",
        "num_concurrent_requests": 5, "results_ttft_s_quantiles_p25": 0.25, "results_ttft_s_stddev": NaN,
        "results_number_output_tokens_min": "120", "results_num_requests_started": 4,
        "results_error_rate": 0.25, "results_number_errors": 1,
        "results_error_code_frequency": "{-100.0: 1}", "results_num_completed_requests": 3,
        "results_num_completed_requests_per_min": 36.0, "timestamp": 1703638329}"#;

    #[test]
    fn numbers_as_text_and_bare_nan_are_read() {
        let run = runs(SUMMARY).remove(0);
        let reported = &run.reported;
        assert_eq!(reported.find(Metric::OutputTokens, Stat::Min).map(|v| v.value), Some(120.0));
        assert_eq!(
            reported.find(Metric::Ttft, Stat::Percentile(25.0)).map(|v| v.value),
            Some(250.0)
        );
        assert_eq!(reported.find(Metric::Ttft, Stat::Std), None);
        assert_eq!(reported.value(Metric::Duration), Some(5.0));
        assert!(run.provenance.notices.iter().any(|n| n.text.contains("1 × code -100")));
        assert!(run.workload.settings.is_empty(), "{:?}", run.workload.settings);
    }

    #[test]
    fn an_object_of_summaries_is_several_runs() {
        let text = format!("{{\"5\": {SUMMARY}, \"8\": {}}}", SUMMARY.replace("\": 5", "\": 8"));
        let runs = runs(&text);
        let names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["LLMPerf, 5 in flight", "LLMPerf, 8 in flight"]);
    }

    #[test]
    fn what_llmperf_bench_makes_of_it() {
        let text = r#"{"1": {"concurrency": 1, "input_token_length": 750, "output_token_length": 150,
            "first-time-to-token_mean_in_ms": 158.5, "throughput_token_per_s": 30.5,
            "latency_ms_per_token": 30.25}}"#;
        let run = runs(text).remove(0);
        assert_eq!(run.reported.find(Metric::Ttft, Stat::Mean).map(|v| v.value), Some(158.5));
        assert_eq!(run.reported.value(Metric::OutputThroughput), Some(30.5));
        assert_eq!(run.load.max_concurrency, Some(1));
    }

    #[test]
    fn codes_are_numbers_or_not_told() {
        assert_eq!(codes("{429.0: 2, -1: 3}").as_deref(), Some("2 × code 429, 3 × code -1"));
        assert_eq!(codes("{'http://x': 1}"), None);
        assert_eq!(codes("{}"), None);
    }
}
