//! Results of SGLang's `bench_serving`: JSON Lines, one run a line.

use super::documents::Document;
use super::error::{ErrorKind, Fault};
use super::json::Value;
use super::printed::{is_printed, kin, printed};
use super::record::{self, Record};
use super::slots::{self, Counts};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    EndRule, FirstTokenRule, GapKind, Limit, LimitMetric, Load, Memory, Provenance, Reported,
    RequestRate, Requests, Run, RunId, TokenSource, Tool, ToolVersion, Workload,
};
use crate::notice::{Notices, Place, Severity};

/// SGLang's serving benchmark.
pub(super) struct SglangBench;

static ABOUT: About = About {
    name: "SGLang bench_serving",
    file: "`python -m sglang.bench_serving --output-file …` (`--output-details` for requests), since \
           2026 `sglang.benchmark.serving`",
    versions: "SGLang 0.2 to 0.5.23; exact where `server_info` names it, else guessed from the keys",
    recognised: "`dataset_name` and `random_range_ratio` with `sharegpt_output_len` or \
                 `total_output_tokens_retokenized`",
    reads: &[
        "every line as a run; the bare word `Infinity`; lines of text between the results",
        "every request, where the file was written with details: input and output tokens, TTFT, gaps, \
         failures by kind; prompt tokens from the prefix cache with a cache report",
        "every printed aggregate; the limits behind the goodput; the share within them",
        "of `server_info` the version and the model path, and nothing else",
    ],
    limits: &[
        "no end-to-end latency of a request is in the file: it follows from TTFT and gaps, and then \
         lacks the wait for the end marker that the tool’s own E2E and TPOT include",
        "on `/generate` a gap is an event’s gap spread over its tokens; on the OpenAI endpoints it is the \
         event’s gap",
        "an empty reply is booked as a success with the requested length; before March 2025 every output \
         length is the requested one",
        "no start times, no number of failed requests without details",
    ],
}.lean();

impl Format for SglangBench {
    fn id(&self) -> &'static str {
        "sglang-bench"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let own = ["sharegpt_output_len", "total_output_tokens_retokenized"];
        if json.has_all(&["dataset_name", "random_range_ratio"]) && json.has_any(&own) {
            return Verdict::Certain(
                "it has dataset_name and random_range_ratio beside sharegpt_output_len or \
                 total_output_tokens_retokenized"
                    .into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        record::runs(input, self.id(), "tag", out, run)
    }
}

fn run(document: Document<Record>, mut provenance: Provenance) -> Result<Run, Fault> {
    let Document { value: mut record, place } = document;
    for key in ["duration", "completed"] {
        if record.number(key).is_none() {
            return Err(Fault::at(place, ErrorKind::MissingKey { key: key.into() }));
        }
    }
    let out = &mut provenance.notices;
    let counts = Counts { completed: record.count("completed"), failed: None };
    let mut requests = slots::table(std::mem::take(&mut record.arrays), counts, out);
    if let Some(requests) = &mut requests {
        set_rules(requests, &record);
        slots::note_empty(requests, out);
        note_booked(requests, out);
    }
    note_nothing_generated(&record, out);
    let reported = printed(&record, out);
    provenance.kin = kin(&reported.values);
    let load = load(&record, requests.as_ref());
    Ok(Run {
        id: RunId::of(&provenance.sha256, provenance.index),
        name: "SGLang".into(),
        tool: Tool::Sglang,
        version: version(&record),
        scripted: false,
        load,
        workload: workload(&record),
        requests,
        group: None,
        said_gpus: None,
        said_mark: None,
        reported: Reported { limits: limits(&record), ..reported },
        provenance,
        memory: Memory::default(),
    })
}

/// Whether the backend is SGLang's own `/generate`.
fn is_native(record: &Record) -> bool {
    matches!(record.text("backend"), Some("sglang" | "sglang-native"))
}

fn endpoint(record: &Record) -> Option<&'static str> {
    Some(match record.text("backend")? {
        "sglang" | "sglang-native" | "sglang-embedding" => "/generate",
        word if word.contains("chat") => "chat",
        "sglang-oai" | "vllm" | "lmdeploy" | "openai" => "completions",
        "trt" => "/generate_stream",
        _ => return None,
    })
}

/// What the clocks and counts of this client mean. Since March 2025 (0.4.3.post3) it takes the
/// server's count and spreads native gaps over tokens; it wrote `accept_length` first in that release.
fn set_rules(requests: &mut Requests, record: &Record) {
    let since_march_2025 = record.has("accept_length") || record.has("p95_itl_ms");
    let by_request = matches!(record.text("backend"), Some("trt" | "truss"));
    requests.token_source =
        if since_march_2025 && !by_request { TokenSource::Server } else { TokenSource::Requested };
    requests.gap_kind =
        if is_native(record) && since_march_2025 { GapKind::TokenSpread } else { GapKind::Event };
    // Reasoning counts as text only in recent versions, which also print more percentiles.
    let answers_only = endpoint(record) == Some("chat") && !record.has("p90_ttft_ms");
    requests.first_token_rule =
        if answers_only { FirstTokenRule::FirstAnswer } else { FirstTokenRule::FirstText };
    requests.end_rule = EndRule::StreamEnd;
}

/// Empty replies carry the requested length as if it had come.
fn note_booked(requests: &Requests, out: &mut Notices) {
    let booked: Vec<usize> = (0..requests.len())
        .filter(|at| requests.is_empty_reply(*at))
        .filter(|at| requests.output_tokens.get(*at).is_some_and(|n| n.count() > 0.0))
        .collect();
    let text = "An empty reply is booked with an output length although no token arrived: the length is \
                the requested one, and the printed throughput includes it.";
    slots::flag(out, Severity::Warn, "booked-length", &booked, text);
}

/// A run in which no text came at all, in spite of its counts.
fn note_nothing_generated(record: &Record, out: &mut Notices) {
    let claimed = record.number("total_output_tokens").unwrap_or_default();
    if claimed > 0.0 && record.number("total_output_tokens_retokenized") == Some(0.0) {
        let text = format!(
            "The run claims {claimed} output tokens, but the text that came has none by the client’s \
             tokenizer: nothing was generated, and the printed throughput is of the requested lengths."
        );
        let place = Place::JsonPath("total_output_tokens_retokenized".into());
        out.add(Severity::Block, "nothing-generated", place, text);
    }
}

fn load(record: &Record, requests: Option<&Requests>) -> Load {
    let request_rate = match record.get("request_rate") {
        Some(Value::Text(text)) if text == "trace" => Some(RequestRate::Trace),
        Some(value) => match value.number() {
            Some(rate) if rate.is_infinite() => Some(RequestRate::Unlimited),
            Some(rate) if rate > 0.0 => Some(RequestRate::PerSecond(rate)),
            _ => None,
        },
        None => None,
    };
    Load {
        request_rate,
        burstiness: None,
        max_concurrency: record.count("max_concurrency").filter(|n| *n > 0),
        requests: requests.map(|requests| requests.len() as u64),
        // With a range ratio below one the lengths are drawn, and this is not their mean.
        output_tokens: record
            .number("random_output_len")
            .filter(|_| record.number("random_range_ratio").is_some_and(|ratio| ratio >= 1.0)),
        gpus: None,
    }
}

/// Keys that have a place of their own in the model, or that stay in the file.
const PLACED: [&str; 6] = [
    "backend",
    "dataset_name",
    "request_rate",
    "max_concurrency",
    "server_info",
    "goodput_slos_ms",
];

fn workload(record: &Record) -> Workload {
    let mut settings = Vec::new();
    for (key, value) in &record.values {
        if !PLACED.contains(&key.as_str()) && !is_printed(key, value) {
            super::add_setting(&mut settings, key, value);
        }
    }
    Workload {
        model: server_info(record, "model_path"),
        tokenizer: None,
        dataset: record.text("dataset_name").map(str::to_owned),
        endpoint: endpoint(record).map(str::to_owned),
        backend: record.text("backend").map(str::to_owned),
        date: None,
        settings,
    }
}

/// One text of `server_info`, the server's own arguments.
fn server_info(record: &Record, key: &str) -> Option<String> {
    let Some(Value::Object(entries)) = record.get("server_info") else { return None };
    let (_, value) = entries.iter().find(|(name, _)| name == key)?;
    value.text().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The limits behind the printed goodput.
fn limits(record: &Record) -> Option<Vec<Limit>> {
    let Some(Value::Object(entries)) = record.get("goodput_slos_ms") else { return None };
    let limits: Vec<Limit> = entries
        .iter()
        .filter_map(|(name, value)| {
            let metric = match name.as_str() {
                "ttft" => LimitMetric::Ttft,
                "tpot" => LimitMetric::Tpot,
                "e2el" | "e2e" | "e2e_latency" => LimitMetric::E2e,
                _ => return None,
            };
            Some(Limit::at_most(metric, value.number()?))
        })
        .collect();
    (!limits.is_empty()).then_some(limits)
}

/// The keys by which versions differ, newest first.
const PERIODS: [(&[&str], &str, &str); 9] = [
    (
        &["p90_ttft_ms", "goodput_slos_ms", "slo_attainment", "cache_report"],
        "2026, up to 0.5.23",
        "p90 of every latency, or the keys of goodput",
    ),
    (&["p90_e2e_latency_ms"], "2026", "p90_e2e_latency_ms, but no other p90"),
    (
        &["max_output_tokens_per_s", "max_concurrent_requests"],
        "0.5.6 or 0.5.7",
        "max_output_tokens_per_s, but no p90",
    ),
    (&["total_throughput"], "0.5.6", "total_throughput, but no max_output_tokens_per_s"),
    (
        &["total_input_text_tokens"],
        "0.5.4 or 0.5.5",
        "total_input_text_tokens, but no total_throughput",
    ),
    (
        &["accept_length", "p95_itl_ms"],
        "0.4.3.post3 to 0.5.3",
        "accept_length or p95_itl_ms, but no total_input_text_tokens",
    ),
    (
        &["concurrency", "request_throughput"],
        "0.4.1.post6 to 0.4.3.post2",
        "concurrency, but no accept_length",
    ),
    (&["mean_ttft_ms"], "0.4.1.post5", "mean_ttft_ms, but no concurrency"),
    (&["median_ttft_ms"], "0.2 to 0.4.0", "median_ttft_ms, but no mean_ttft_ms"),
];

fn version(record: &Record) -> ToolVersion {
    // A server may name itself otherwise; a version starts with a digit.
    let exact = server_info(record, "version")
        .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    if exact.is_some() {
        let because = "server_info names the version of the server".to_owned();
        return ToolVersion { exact, guess: None, because: Some(because) };
    }
    let period = PERIODS.iter().find(|(keys, ..)| keys.iter().any(|key| record.has(key)));
    ToolVersion {
        exact: None,
        guess: period.map(|(_, guess, _)| (*guess).to_owned()),
        because: period.map(|(.., because)| (*because).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::{Metric, Outcome, Stat};
    use crate::units::Tokens;

    const LINE: &str = r#""dataset_name": "random", "random_range_ratio": 1.0,
        "sharegpt_output_len": null, "duration": 2.0, "completed": 4"#;

    fn runs(text: &str) -> Vec<Run> {
        read("x.jsonl", text.replace("\n  ", " ").as_bytes(), &mut |_| {}).unwrap()
    }

    fn kinds(run: &Run) -> Vec<&str> {
        run.provenance.notices.iter().map(|n| n.kind.as_str()).collect()
    }

    #[test]
    fn infinity_and_text_lines_as_in_public_files() {
        let text = format!(
            "max_prefill:8192\n{{{LINE}, \"request_rate\": Infinity, \"mean_itl_ms\": 3.5}}\n\
             {{{LINE}, \"request_rate\": Infinity, \"mean_itl_ms\": NaN}}\n"
        );
        let runs = runs(&text);
        assert_eq!(runs.len(), 2);
        assert!(runs.iter().all(|r| r.load.request_rate == Some(RequestRate::Unlimited)));
        assert!(runs[0].reported.find(Metric::Itl, Stat::Mean).is_some());
        assert!(runs[1].reported.find(Metric::Itl, Stat::Mean).is_none(), "NaN is missing");
        assert!(kinds(&runs[0]).contains(&"text-line"));
        assert_eq!(runs[0].name, "SGLang, all at once, run 1");
    }

    #[test]
    fn prompt_tokens_from_the_cache_are_laid_to_their_requests() {
        let with = |cached: &str| {
            let text = format!(
                r#"{{"backend": "sglang", {LINE}, "accept_length": null, "total_output_tokens": 30,
                   "input_lens": [9, 9, 9, 9], "output_lens": [10, 10, 10, 0],
                   "ttfts": [0.1, 0.1, 0.1, 0.0], "itls": [[0.1], [0.1], [0.1], []],
                   "errors": ["", "", "", "Bad Gateway"], "cached_tokens": {cached}}}"#
            );
            let requests = runs(&text).remove(0).requests.unwrap();
            requests.cached_tokens.iter().map(|n| n.map(Tokens::count)).collect::<Vec<_>>()
        };
        // Of the failed request nothing is known, whatever stands there.
        assert_eq!(with("[0, 8, null, 0]"), [Some(0.0), Some(8.0), None, None]);
        for other in ["null", "17", "[1, 2]", "{\"device\": 4}", "\"none\""] {
            assert_eq!(with(other), [None; 4], "{other}");
        }
    }

    #[test]
    fn nothing_generated_blocks() {
        let text = format!(
            r#"{{"backend": "sglang", {LINE}, "accept_length": null, "total_output_tokens": 800,
               "total_output_tokens_retokenized": 0, "input_lens": [9, 9, 9, 9],
               "output_lens": [200, 200, 200, 200], "ttfts": [0.0, 0.0, 0.0, 0.0],
               "itls": [[], [], [], []], "errors": ["", "", "", ""]}}"#
        );
        let run = &runs(&text)[0];
        assert_eq!(run.provenance.notices.at_least(Severity::Block), 1);
        assert!(kinds(run).contains(&"booked-length"));
        let requests = run.requests.as_ref().unwrap();
        assert!((0..4).all(|at| requests.is_empty_reply(at)));
        assert_eq!(requests.count(Outcome::Ok), 4);
    }

    #[test]
    fn gaps_are_spread_on_the_native_backend_only() {
        for (backend, kind) in [
            ("sglang", GapKind::TokenSpread),
            ("sglang-oai", GapKind::Event),
            ("vllm-chat", GapKind::Event),
        ] {
            let text = format!(
                r#"{{"backend": "{backend}", {LINE}, "accept_length": 1.0, "ttfts": [0.1],
                   "itls": [[0.02, 0.02]], "output_lens": [3], "errors": [""]}}"#
            );
            assert_eq!(runs(&text)[0].requests.as_ref().unwrap().gap_kind, kind, "{backend}");
        }
    }
}
