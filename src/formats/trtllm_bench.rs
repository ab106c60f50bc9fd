//! The report of `trtllm-bench` (`--report_json`): an offline benchmark of TensorRT-LLM.

use super::aggregates::{SAME, SECONDS, distribution, further, put, usual_stat};
use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Metric, Part, Reported, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};

/// The report of trtllm-bench.
pub(super) struct TrtllmBench;

static ABOUT: About = About {
    name: "trtllm-bench",
    file: "`trtllm-bench throughput` or `latency` with `--report_json`",
    versions: "TensorRT-LLM 0.20 to 1.2; older ones without p90 and speed per user",
    recognised: "`performance` and `request_info` beside `engine` or `world_info`",
    reads: &[
        "every printed number: latency, TTFT, time per output token, speed per user, throughputs, \
         concurrency, lengths, speculative decoding",
        "model, version, precision, parallelism, accelerator",
    ],
    limits: &[
        "offline: no server, no HTTP and no network; the clock of a request starts when a slot is free",
        "without streaming there is no first token: no TTFT and no time per token",
        "a percentile is a value that was measured: the p99 of up to 100 requests is their maximum",
        "replies of one token are zeros among the times per token",
        "`issue_rate` is no rate and is left out; folders of models are not kept",
        "requests are in the file of `--request_json`, which is joined when both are there",
    ],
}.lean();

impl Format for TrtllmBench {
    fn id(&self) -> &'static str {
        "trtllm-bench"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let who = ["engine", "world_info"];
        if json.has_all(&["performance", "request_info"]) && json.has_any(&who) {
            return Verdict::Certain("it has performance and request_info beside engine".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let skip = &["model_path", "engine_dir", "dataset_path", "issue_rate"];
        let found = documents::read(input.text, TreeSeed { skip, ticker: &ticker }, &ticker, out)?;
        let of = found.len();
        Ok(found
            .into_iter()
            .enumerate()
            .map(|(index, Document { value, .. })| {
                let mut provenance = input.provenance(self.id(), index, of);
                provenance.part = Part::Summary;
                let mut run = offline(super::blank(Tool::Trtllm, "trtllm-bench", provenance));
                fill(&mut run, &value);
                run
            })
            .collect())
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name, &["report"])
    }
}

/// The name of a file less `.json` and what people call its kind, with the separator before it.
pub(super) fn stem<'n>(name: &'n str, kinds: &[&str]) -> Option<&'n str> {
    let name = name.strip_suffix(".json")?;
    let stem = kinds.iter().find_map(|kind| name.strip_suffix(kind)).unwrap_or(name);
    Some(stem.trim_end_matches(['.', '-', '_']))
}

/// Marks a run of trtllm-bench as what it is. Its ruler is told by this too.
pub(super) fn offline(mut run: Run) -> Run {
    run.workload.endpoint = Some("offline".into());
    run.provenance.notices.add(
        Severity::Warn,
        "offline",
        Place::WholeFile,
        "An offline benchmark: the engine was called without a server, so there is no queue of a server \
         and no network in its numbers.",
    );
    run
}

fn fill(run: &mut Run, tree: &Tree) {
    run.version.exact = tree.text_at(&["engine", "version"]).map(str::to_owned);
    run.workload.model = tree.text_at(&["engine", "model"]).map(str::to_owned);
    run.workload.backend = tree.text_at(&["engine", "backend"]).map(str::to_owned);
    let count = |path: &[&str]| tree.number_at(path).filter(|n| (1.0..1e15).contains(n));
    run.load.requests = count(&["request_info", "num_requests"]).map(|n| n as u64);
    run.load.gpus = count(&["world_info", "world_size"]).filter(|n| *n < 1e6).map(|n| n as u32);
    for (part, keys) in SETTINGS {
        for key in *keys {
            if let Some(words) = tree.at(&[part, key]).and_then(Tree::words) {
                run.workload.settings.push((format!("{part}.{key}"), words));
            }
        }
    }
    run_level(&mut run.reported, tree);
    latencies(&mut run.reported, tree);
    lengths(&mut run.reported, tree);
    speculation(&mut run.reported, tree);
    energy(&mut run.reported, tree);
}

/// Settings by the part of the report that holds them. A key of `machine` has a dot in it.
const SETTINGS: &[(&str, &[&str])] = &[
    (
        "engine",
        &["dtype", "kv_cache_dtype", "quantization", "max_input_length", "max_sequence_length"],
    ),
    ("machine", &["name", "memory.total", "clocks.mem"]),
    (
        "world_info",
        &[
            "tp_size",
            "pp_size",
            "ep_size",
            "max_batch_size",
            "max_num_tokens",
            "scheduling_policy",
            // A percentage in 0.20, a fraction in 1.x: kept as written.
            "kv_cache_percentage",
        ],
    ),
];

fn run_level(reported: &mut Reported, tree: &Tree) {
    let numbers: [(&[&str], Metric, f64); 6] = [
        (&["request_info", "num_requests"], Metric::Completed, SAME),
        (&["request_info", "avg_num_concurrent_requests"], Metric::MeanConcurrency, SAME),
        (&["performance", "total_latency_ms"], Metric::Duration, 1.0 / SECONDS),
        (&["performance", "request_throughput_req_s"], Metric::RequestThroughput, SAME),
        (&["performance", "system_output_throughput_tok_s"], Metric::OutputThroughput, SAME),
        (&["performance", "system_total_throughput_tok_s"], Metric::TotalThroughput, SAME),
    ];
    for (path, metric, scale) in numbers {
        put(reported, &path.join("."), metric, Stat::Value, tree.number_at(path), scale);
    }
    let per_gpu = tree.number_at(&["performance", "output_throughput_per_gpu_tok_s"]);
    further(reported, "performance.output_throughput_per_gpu_tok_s", per_gpu, "tok/s");
    // Whole requests over their tokens, or, where there is a first token, the speed after it.
    let per_user = tree.number_at(&["performance", "output_throughput_per_user_tok_s"]);
    let field = "performance.output_throughput_per_user_tok_s";
    if tree.get("streaming_metrics").is_some() {
        further(reported, field, per_user, "tok/s");
    } else {
        put(reported, field, Metric::UserSpeed, Stat::Mean, per_user, SAME);
    }
}

/// A printed mean, and the object of percentiles that goes with it. All in milliseconds, though not all
/// keys say so, or tokens per second.
const LATENCIES: [(&str, &str, &str, Metric); 4] = [
    ("performance", "avg_request_latency_ms", "request_latency_percentiles_ms", Metric::E2e),
    ("streaming_metrics", "avg_ttft_ms", "ttft_percentiles", Metric::Ttft),
    ("streaming_metrics", "avg_tpot_ms", "tpot_percentiles", Metric::Tpot),
    ("streaming_metrics", "token_output_speed_tok_s", "gen_tps_percentiles", Metric::UserSpeed),
];

fn latencies(reported: &mut Reported, tree: &Tree) {
    for (part, mean, percentiles, metric) in LATENCIES {
        let value = tree.number_at(&[part, mean]);
        put(reported, &format!("{part}.{mean}"), metric, Stat::Mean, value, SAME);
        if let Some(object) = tree.at(&[part, percentiles]) {
            let field = format!("{part}.{percentiles}");
            distribution(reported, &field, object, metric, SAME, stat_of);
        }
    }
}

/// The statistic of a key of percentiles. The average is the mean that stands beside them.
fn stat_of(key: &str) -> Option<Stat> {
    match key {
        "minimum" => Some(Stat::Min),
        "maximum" => Some(Stat::Max),
        _ => usual_stat(key),
    }
}

/// Lengths: the means of what was run. The output lengths of the data set are what was asked for, and its
/// input lengths are those of the run where all of it was run.
fn lengths(reported: &mut Reported, tree: &Tree) {
    for (key, metric) in
        [("avg_input_length", Metric::InputTokens), ("avg_output_length", Metric::OutputTokens)]
    {
        let value = tree.number_at(&["request_info", key]);
        put(reported, &format!("request_info.{key}"), metric, Stat::Mean, value, SAME);
    }
    let all = tree.number_at(&["dataset", "num_requests"]);
    if all.is_some()
        && all == tree.number_at(&["request_info", "num_requests"])
        && let Some(object) = tree.at(&["dataset", "isl_stats"])
    {
        let field = "dataset.isl_stats";
        distribution(reported, field, object, Metric::InputTokens, SAME, stat_of);
    }
}

/// Energy of all accelerators, in reports of 1.3 on. Its rate per watt is really tokens per joule.
fn energy(reported: &mut Reported, tree: &Tree) {
    let Some(energy) = tree.get("energy") else { return };
    for (key, value) in energy.members() {
        let field = format!("energy.{key}");
        if key == "total_energy_j" {
            put(reported, &field, Metric::Energy, Stat::Value, value.number(), SAME);
        } else {
            further(reported, &field, value.number(), "");
        }
    }
}

fn speculation(reported: &mut Reported, tree: &Tree) {
    let Some(stats) = tree.get("decoding_stats") else { return };
    for (key, value) in stats.members() {
        let average = value.number_at(&["average"]).or_else(|| value.number());
        further(reported, &format!("decoding_stats.{key}"), average, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_run_share_their_stem() {
        assert_eq!(stem("W0a_kv090.report.json", &["report"]), Some("W0a_kv090"));
        assert_eq!(stem("a-requests.json", &["requests", "request"]), Some("a"));
        assert_eq!(stem("report.json", &["report"]), Some(""));
        assert_eq!(stem("in16_bs1.json", &["report"]), Some("in16_bs1"));
        assert_eq!(stem("x.csv", &["report"]), None);
    }
}
