//! What the first page tells: which files are read, and one real reply under two rulers.
//!
//! Kept as data so that tests hold it to the formats and to the sample files.

/// A kind of file that is read: id of its format, its name on the page, and which files those are.
pub struct Reads {
    /// Id in `formats`.
    pub format: &'static str,
    /// Name on the page.
    pub name: &'static str,
    /// Which files, for people.
    pub files: &'static str,
}

/// Everything that is read. A name that comes twice stands on the page once.
pub const READS: &[Reads] = &[
    Reads {
        format: "vllm-bench",
        name: "vLLM",
        files: "Results of vllm bench serve and of the benchmark_serving.py before it, from 0.3 on. With \
                --save-detailed they hold every request; without, only totals.",
    },
    Reads {
        format: "vllm-latency",
        name: "vLLM",
        files: "Results of vllm bench latency: the time of whole batches, offline.",
    },
    Reads {
        format: "vllm-throughput",
        name: "vLLM",
        files: "Results of vllm bench throughput: totals of an offline run.",
    },
    Reads {
        format: "vllm-sweep",
        name: "vLLM",
        files: "The summary.csv of a sweep; its summary.json and its runs are results of vllm bench serve.",
    },
    Reads {
        format: "vllm-pytorch",
        name: "vLLM",
        files: "The .pytorch.json that its benchmarks write beside their result.",
    },
    Reads {
        format: "vllm-dashboard",
        name: "vLLM",
        files: "The benchmark_results.json of its performance dashboard.",
    },
    Reads {
        format: "vllm-multi-turn",
        name: "vLLM",
        files: "The statistics of its multi-turn benchmark, one turn a request.",
    },
    Reads {
        format: "sglang-bench",
        name: "SGLang",
        files: "JSON lines of sglang.bench_serving, from 0.2 on. With --output-details they hold every \
                request; without, only totals.",
    },
    Reads {
        format: "sglang-batch",
        name: "SGLang",
        files: "Lines of bench_one_batch, bench_one_batch_server and bench_offline_throughput, and of the \
                steady part of a serving run.",
    },
    Reads {
        format: "aiperf-records",
        name: "AIPerf",
        files: "Records of aiperf profile (profile_export.jsonl), from 0.2 on: every request.",
    },
    Reads {
        format: "aiperf-raw",
        name: "AIPerf",
        files: "Raw records (profile_export_raw.jsonl): every stream message with its time.",
    },
    Reads {
        format: "aiperf-summary",
        name: "AIPerf",
        files: "Its summary (profile_export_aiperf.json), from 0.1 on, with the accelerators’ telemetry.",
    },
    Reads {
        format: "aiperf-csv",
        name: "AIPerf",
        files: "The same summary as a table (profile_export_aiperf.csv), with two decimals.",
    },
    Reads {
        format: "aiperf-timeslices",
        name: "AIPerf",
        files: "Its statistics by slices of time, as JSON or CSV: a run for each slice.",
    },
    Reads {
        format: "aiperf-server-metrics",
        name: "AIPerf",
        files: "The server’s own metrics as it scraped them, as JSON, CSV or JSON lines.",
    },
    Reads {
        format: "aiperf-gpu",
        name: "AIPerf",
        files: "Its samples of power and load of the accelerators (gpu_telemetry_export.jsonl).",
    },
    Reads {
        format: "guidellm",
        name: "GuideLLM",
        files: "Reports in JSON and YAML, from 0.1 on: every benchmark of a sweep is a run, with its \
                requests unless they were sampled.",
    },
    Reads {
        format: "guidellm-csv",
        name: "GuideLLM",
        files: "Reports as CSV: totals only, joined with the JSON of the same run.",
    },
    Reads {
        format: "genai-perf-summary",
        name: "GenAI-Perf",
        files: "profile_export_genai_perf.json: totals, and the power of accelerators. Drop profile_export.json \
                with it for every request.",
    },
    Reads {
        format: "genai-perf-csv",
        name: "GenAI-Perf",
        files: "profile_export_genai_perf.csv: the same totals with two decimals.",
    },
    Reads {
        format: "perf-analyzer",
        name: "GenAI-Perf",
        files: "profile_export.json of Perf Analyzer: every reply of every request with its time.",
    },
    Reads {
        format: "inference-perf-requests",
        name: "inference-perf",
        files: "per_request_lifecycle_metrics.json, from 0.1 on. With the summary beside it, its printed \
                numbers are checked.",
    },
    Reads {
        format: "inference-perf-report",
        name: "inference-perf",
        files: "Its reports of the run, of stages, of adapters and of sessions: totals only.",
    },
    Reads {
        format: "inference-perf-prometheus",
        name: "inference-perf",
        files: "Its reports of what the server said of itself.",
    },
    Reads {
        format: "llmperf-responses",
        name: "LLMPerf",
        files: "individual_responses.json: every request, without the times of sending.",
    },
    Reads {
        format: "llmperf-summary",
        name: "LLMPerf",
        files: "summary.json: totals only. Several in one file are several runs.",
    },
    Reads {
        format: "trtllm-bench",
        name: "TensorRT-LLM",
        files: "trtllm-bench with --report_json: totals of the engine without a server.",
    },
    Reads {
        format: "trtllm-requests",
        name: "TensorRT-LLM",
        files: "trtllm-bench with --request_json: every request.",
    },
    Reads {
        format: "vllm-bench",
        name: "TensorRT-LLM",
        files: "Results of its serving client benchmark_serving.py, which keeps vLLM’s file.",
    },
    Reads {
        format: "llama-bench",
        name: "llama.cpp",
        files: "llama-bench as JSON, JSON lines, CSV or the table it prints: prompt and generation speed \
                without a server.",
    },
    Reads {
        format: "llama-server",
        name: "llama.cpp",
        files: "Replies of llama-server with their timings.",
    },
    Reads {
        format: "llm-d-report",
        name: "llm-d benchmark",
        files: "Benchmark reports of schema 0.1 to 0.2.1, YAML or JSON: totals only, under the definitions \
                of the tool that made the load.",
    },
    Reads {
        format: "vllm-bench",
        name: "InferenceX",
        files: "Raw results of its client, which keeps vLLM’s file, and its short summaries.",
    },
    Reads {
        format: "inferencex",
        name: "InferenceX",
        files: "Aggregated records, one or a list, and the reduced lists.",
    },
    Reads {
        format: "lmbenchmark",
        name: "LMBenchmark",
        files: "The CSV of LMBenchmark and multi-round-qa.py, which holds the requests that finished.",
    },
    Reads {
        format: "fmperf",
        name: "fmperf",
        files: "Its result JSON, which holds every response, and its CSV of means.",
    },
    Reads {
        format: "lmdeploy-csv",
        name: "LMDeploy",
        files: "The CSV of profile_restful_api.py, one run a row: totals and means only.",
    },
    Reads {
        format: "mlperf",
        name: "MLPerf LoadGen",
        files: "mlperf_log_summary.txt and mlperf_log_detail.txt: totals and whether the result is valid.",
    },
    Reads {
        format: "vidur",
        name: "Vidur",
        files: "request_metrics.csv of the simulator, whose times are computed.",
    },
    Reads {
        format: "vidur",
        name: "Sarathi-Serve",
        files: "sequence_metrics.csv, one request a row.",
    },
    Reads {
        format: "console",
        name: "Printed text",
        files: "What vLLM, SGLang, AIPerf or GenAI-Perf printed: pasted, in a log, or inside JSON.",
    },
    Reads {
        format: "event-log",
        name: "Event log",
        files: "A log of one’s own: arrival and token_times of each request, one JSON object a line.",
    },
    Reads {
        format: "csv-requests",
        name: "CSV",
        files: "A table with one request a row: request_id, prompt_tokens, completion_tokens, ttft_ms, \
                e2e_ms or their usual other names. Units stand in the headers. Of any other table you \
                say what its columns are.",
    },
    Reads {
        format: "csv-points",
        name: "CSV",
        files: "A table with one load a row: concurrency or request_rate beside aggregates.",
    },
    Reads {
        format: "prometheus-dump",
        name: "Prometheus",
        files: "What a server says of itself: pages of /metrics in either text format, one or several in a \
                file, answers of the HTTP API, dumps of promtool, federation, VictoriaMetrics and Grafana.",
    },
];

/// The names on the page, each once, in the order of [`READS`].
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = READS.iter().map(|reads| reads.name).collect();
    names.dedup();
    names
}

/// Gaps between the first ten chunks of the first request of the vLLM sample, in milliseconds.
pub const GAPS: [f64; 9] =
    [28.2666, 19.2559, 32.1433, 19.7328, 40.7177, 30.7141, 37.9595, 32.8006, 28.5557];

/// Tokens in each of the ten chunks, from the log of the scripted server: no client's file has them.
pub const TOKENS: [u32; 10] = [1, 3, 2, 2, 2, 2, 1, 3, 1, 2];

/// The median ITL that vLLM printed for the whole run, in milliseconds.
pub const VLLM_ITL: f64 = 29.6;

/// The median ITL that SGLang printed for the same server.
pub const SGLANG_ITL: f64 = 10.7;

/// The median ITL that each of the five tools printed for that server, in milliseconds.
pub const PRINTED: [(&str, f64); 5] = [
    ("vLLM", VLLM_ITL),
    ("AIPerf", 13.9),
    ("GuideLLM", 13.6),
    ("SGLang", SGLANG_ITL),
    ("inference-perf", 0.0),
];

/// The built-in runs, in the order in which they are opened: files under `samples/`.
pub const SAMPLES: [&str; 15] = [
    "several-tokens-a-chunk/vllm.json",
    "several-tokens-a-chunk/sglang.jsonl",
    "several-tokens-a-chunk/aiperf/profile_export.jsonl",
    "several-tokens-a-chunk/aiperf/profile_export_aiperf.json",
    "several-tokens-a-chunk/guidellm.json",
    "several-tokens-a-chunk/inference-perf/per_request_lifecycle_metrics.json",
    "several-tokens-a-chunk/inference-perf/summary_lifecycle_metrics.json",
    "sweep/vllm-rate04.json",
    "sweep/vllm-rate08.json",
    "sweep/vllm-rate12.json",
    "sweep/vllm-rate16.json",
    "sweep/vllm-rate20.json",
    "sweep/vllm-rate26.json",
    "several-tokens-a-chunk/metrics-before.txt",
    "several-tokens-a-chunk/metrics-after.txt",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{self, REGISTRY};
    use crate::model::{Metric, Run, Stat};
    use crate::units::fixed;
    use serde_json::Value;
    use std::path::Path;

    fn sample(name: &str) -> Value {
        let path = format!("{}/public/samples/{name}", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn the_page_lists_the_formats_that_are_read_and_no_others() {
        for format in REGISTRY {
            assert!(READS.iter().any(|r| r.format == format.id()), "{} is not listed", format.id());
        }
        for reads in READS {
            assert!(
                REGISTRY.iter().any(|f| f.id() == reads.format),
                "{} is not read",
                reads.format
            );
        }
    }

    #[test]
    fn the_picture_is_the_first_request_of_the_sample() {
        let vllm = sample(SAMPLES[0]);
        for (i, gap) in GAPS.iter().enumerate() {
            let seconds = vllm["itls"][0][i].as_f64().unwrap();
            assert!((seconds * 1e3 - gap).abs() < 1e-4, "gap {i}: {seconds}");
        }
        assert_eq!(fixed(vllm["median_itl_ms"].as_f64().unwrap(), 1), fixed(VLLM_ITL, 1));
        let sglang = sample(SAMPLES[1]);
        assert_eq!(fixed(sglang["median_itl_ms"].as_f64().unwrap(), 1), fixed(SGLANG_ITL, 1));
    }

    /// The median ITL in the printed numbers of the files of one run.
    fn printed_median(files: &[&str]) -> f64 {
        let mut runs = files.iter().flat_map(|name| {
            let path = format!("{}/public/samples/{name}", env!("CARGO_MANIFEST_DIR"));
            formats::read(name, &std::fs::read(path).unwrap(), &mut |_| {}).unwrap()
        });
        let median = |run: Run| Some(run.reported.find(Metric::Itl, Stat::Median)?.value);
        runs.find_map(median).unwrap()
    }

    #[test]
    fn the_five_tools_printed_what_the_page_says() {
        for (tool, millis) in PRINTED {
            let folder = format!("several-tokens-a-chunk/{}", tool.to_lowercase());
            let of: Vec<&str> =
                SAMPLES.into_iter().filter(|name| name.starts_with(&folder)).collect();
            assert_eq!(fixed(printed_median(&of), 1), fixed(millis, 1), "{tool}");
        }
    }

    #[test]
    fn every_sample_is_there_and_none_is_left_unopened() {
        fn count(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
            entries.map(|e| if e.is_dir() { count(&e) } else { 1 }).sum()
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples");
        for name in SAMPLES {
            assert!(root.join(name).is_file(), "{name}");
        }
        assert_eq!(count(&root), SAMPLES.len());
    }
}
