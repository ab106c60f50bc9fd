//! Lines of SGLang's benchmarks beside `bench_serving`: one batch with or without a server, offline
//! throughput, and the steady part of a serving run.

use super::aggregates::{SAME, SECONDS, further, put};
use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Load, Metric, Part, Provenance, Run, Stat, Tool, Workload};
use crate::notice::{Notices, Place, Severity};

/// SGLang's benchmarks of batches, offline throughput and steady state.
pub(super) struct SglangBatch;

static ABOUT: About = About {
    name: "SGLang batch line",
    file: "`sglang.bench_one_batch` and `bench_one_batch_server --result-filename`, \
           `sglang.bench_offline_throughput --result-filename`, and the steady-state lines of the serving \
           benchmark",
    versions: "SGLang 0.3 to 0.5.23",
    recognised: "`run_name` and `batch_size`, `successful_requests` and `total_latency`, or \
                 `concurrency_ratio` and `window_start`",
    reads: &[
        "every line as a run, with the numbers that mean what others mean by the same word; throughput of \
         one phase under its own name",
        "−1, which the tool writes where it knows nothing, as missing",
    ],
    limits: &[
        "no line holds requests",
        "a batch is sent at once and nothing else runs: its numbers do not stand beside those of a \
         serving benchmark",
        "a steady-state line is of a window inside a run, and is a run of its own here",
    ],
}.lean();

/// One kind of line.
struct Kind {
    /// Keys by which it is known.
    signs: &'static [&'static str],
    name: &'static str,
    /// Kind and text of what to know of all its numbers.
    notice: (&'static str, &'static str),
    /// Keys with a metric, their statistic and the factor to its unit.
    values: &'static [(&'static str, Metric, Stat, f64)],
    /// Keys with a number of no metric of ours, and its unit.
    further: &'static [(&'static str, &'static str)],
    settings: &'static [&'static str],
}

const ONE: Stat = Stat::Value;
const BATCH: (&str, &str) = (
    "one-batch",
    "One batch sent at once: no arrivals, so its numbers do not stand beside those of a serving \
     benchmark.",
);

/// Every kind, those with more signs first.
const KINDS: &[Kind] = &[
    Kind {
        signs: &["run_name", "batch_size", "prefill_latency"],
        name: "SGLang one batch",
        notice: BATCH,
        values: &[
            ("prefill_latency", Metric::Ttft, Stat::Mean, SECONDS),
            ("median_decode_latency", Metric::Itl, Stat::Median, SECONDS),
            ("total_latency", Metric::Duration, ONE, SAME),
            ("overall_throughput", Metric::TotalThroughput, ONE, SAME),
        ],
        further: &[("prefill_throughput", "tokens/s"), ("median_decode_throughput", "tokens/s")],
        settings: &["run_name", "batch_size", "input_len", "output_len"],
    },
    Kind {
        signs: &["run_name", "batch_size", "latency"],
        name: "SGLang one batch, server",
        notice: BATCH,
        values: &[
            // The last request of the batch to get its first token.
            ("last_ttft", Metric::Ttft, Stat::Max, SECONDS),
            ("latency", Metric::Duration, ONE, SAME),
            ("overall_throughput", Metric::TotalThroughput, ONE, SAME),
            ("total_output_tokens", Metric::TotalOutputTokens, ONE, SAME),
        ],
        // Of the time before the last first token, and of the time after it.
        further: &[
            ("input_throughput", "tokens/s"),
            ("output_throughput", "tokens/s"),
            ("last_gen_throughput", "tokens/s"),
            ("acc_length", "tokens"),
            ("num_early_stopped", ""),
            ("steady_state_output_throughput", "tokens/s"),
            ("steady_state_window_s", "s"),
            ("cache_hit_rate", ""),
        ],
        settings: &["run_name", "batch_size", "input_len", "output_len"],
    },
    Kind {
        signs: &["successful_requests", "total_latency"],
        name: "SGLang offline throughput",
        notice: (
            "offline",
            "An offline benchmark: no server, no stream and no arrivals, so its numbers do not stand \
             beside those of a serving benchmark.",
        ),
        values: &[
            ("successful_requests", Metric::Completed, ONE, SAME),
            ("total_latency", Metric::Duration, ONE, SAME),
            ("total_input_tokens", Metric::TotalInputTokens, ONE, SAME),
            ("total_output_tokens", Metric::TotalOutputTokens, ONE, SAME),
            ("request_throughput", Metric::RequestThroughput, ONE, SAME),
            ("input_throughput", Metric::InputThroughput, ONE, SAME),
            ("output_throughput", Metric::OutputThroughput, ONE, SAME),
            ("total_throughput", Metric::TotalThroughput, ONE, SAME),
        ],
        further: &[("last_gen_throughput", "tokens/s")],
        settings: &[],
    },
    Kind {
        signs: &["concurrency_ratio", "window_start", "window_end"],
        name: "SGLang steady state",
        notice: (
            "steady-state",
            "Of the part of a run in which enough requests were in flight, not of the whole run.",
        ),
        values: &[
            ("duration", Metric::Duration, ONE, SAME),
            ("completed", Metric::Completed, ONE, SAME),
            ("total_input", Metric::TotalInputTokens, ONE, SAME),
            ("total_output", Metric::TotalOutputTokens, ONE, SAME),
            ("input_throughput", Metric::InputThroughput, ONE, SAME),
            ("output_throughput", Metric::OutputThroughput, ONE, SAME),
            ("average_concurrency", Metric::MeanConcurrency, ONE, SAME),
            ("peak_concurrency", Metric::PeakConcurrency, ONE, SAME),
            ("peak_output_throughput", Metric::PeakOutputRate, ONE, SAME),
        ],
        further: &[
            ("total_output_retokenized", "tokens"),
            ("output_throughput_retokenized", "tokens/s"),
        ],
        settings: &["concurrency_ratio", "concurrency_threshold"],
    },
];

impl Format for SglangBatch {
    fn id(&self) -> &'static str {
        "sglang-batch"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        match KINDS.iter().find(|kind| head.has_keys(kind.signs)) {
            Some(kind) => Verdict::Certain(format!("it has {}", kind.signs.join(", "))),
            None => Verdict::No,
        }
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let found = {
            let ticker = Ticker::new(input.text.len() as u64, &mut input.progress);
            let seed = TreeSeed { skip: &["server_info"], ticker: &ticker };
            documents::read(input.text, seed, &ticker, out)?
        };
        let of = found.len();
        let runs = found
            .into_iter()
            .enumerate()
            .filter_map(|(index, Document { value, .. })| {
                let kind = KINDS
                    .iter()
                    .find(|kind| kind.signs.iter().all(|sign| value.get(sign).is_some()))?;
                Some(run(&value, kind, input.provenance(self.id(), index, of)))
            })
            .collect();
        Ok(super::name_apart(runs, "run_name"))
    }
}

fn run(line: &Tree, kind: &Kind, mut provenance: Provenance) -> Run {
    provenance.part = Part::Whole;
    let (notice, text) = kind.notice;
    provenance.notices.add(Severity::Warn, notice, Place::WholeFile, text);
    let mut run = super::blank(Tool::Sglang, kind.name, provenance);
    let batch = line.get("batch_size").and_then(Tree::int).and_then(|n| u64::try_from(n).ok());
    run.load = Load { max_concurrency: batch, requests: batch, ..Load::default() };
    let settings = kind.settings.iter();
    // Only a steady state is a part of a serving run.
    let offline = notice != "steady-state";
    run.workload = Workload {
        endpoint: offline.then(|| "offline".to_owned()),
        backend: line.text_at(&["backend"]).map(str::to_owned),
        settings: settings
            .filter_map(|key| Some(((*key).to_owned(), line.get(key)?.words()?)))
            .collect(),
        ..Workload::default()
    };
    // The tool writes −1 where it knows nothing.
    let number = |key: &str| line.number_at(&[key]).filter(|value| *value >= 0.0);
    for (key, metric, stat, scale) in kind.values {
        put(&mut run.reported, key, *metric, *stat, number(key), *scale);
    }
    for (key, unit) in kind.further {
        further(&mut run.reported, key, number(key), unit);
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn throughput_of_one_phase_is_not_that_of_the_run() {
        let text = b"{\"run_name\": \"default\", \"batch_size\": 16, \"input_len\": 1024, \
            \"output_len\": 16, \"latency\": 1.5, \"input_throughput\": 30000.0, \
            \"output_throughput\": 250.0, \"overall_throughput\": 11093.33, \"last_ttft\": 0.55, \
            \"last_gen_throughput\": -1, \"acc_length\": -1}\n";
        let run = read("x", text, &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.reported.find(Metric::Ttft, Stat::Max).map(|v| v.value), Some(550.0));
        assert_eq!(run.reported.value(Metric::OutputThroughput), None);
        assert_eq!(run.reported.further.len(), 2, "−1 is missing");
        assert_eq!(run.load.requests, Some(16));
    }

    #[test]
    fn lines_of_several_kinds_are_told_apart() {
        let text =
            b"{\"backend\": \"engine\", \"successful_requests\": 10, \"total_latency\": 2.0, \
            \"request_throughput\": 5.0}\n{\"concurrency_ratio\": 0.9, \"window_start\": 5.0, \
            \"window_end\": 9.0, \"duration\": 4.0, \"total_input\": null}\n";
        let runs = read("x", text, &mut |_| {}).unwrap();
        assert!(runs[0].name.starts_with("SGLang offline throughput"));
        assert!(runs[1].name.starts_with("SGLang steady state"));
        assert_eq!(runs[1].reported.value(Metric::Duration), Some(4.0));
        assert_eq!(runs[1].reported.value(Metric::TotalInputTokens), None);
    }
}
