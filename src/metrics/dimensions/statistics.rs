//! Which samples count, how much each weighs, and how they are summed up.

use super::{Choice, SGLANG_SERVE, VLLM_SERVE, usage};

pub(super) const POPULATION: &[Choice] = &[
    Choice::new("ok", "ok only", "Requests that finished without an error.")
        .formula("outcome = ok")
        .needs("nothing more")
        .edges("A run whose failures are the slow ones looks better than it was: how many failed stands beside it.")
        .used_by(&[
            usage("vLLM", "all", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "all read", "request_count"),
            usage("GuideLLM", "all read", "metrics.*.successful"),
            usage("LLMPerf", "all read", "token_benchmark_ray.py"),
            usage("inference-perf", "all read", "successes"),
        ]),
    Choice::new("ok-and-cut", "ok and cut", "Cancelled and unfinished ones too, where the metric exists.")
        .formula("outcome = ok, cancelled or unfinished")
        .needs("a file that keeps what was cut")
        .edges("What was cut has a TTFT once a token came, and a latency only where the file says when it was cut.")
        .used_by(&[usage("Prometheus metrics of vLLM, for TTFT and ITL", "all", "vllm:time_to_first_token_seconds")]),
    Choice::new("sent", "all sent", "Every request that was sent. A failed one has no latency, but its tokens count and it meets no SLO.")
        .formula("every outcome")
        .needs("a file that keeps what failed")
        .edges("Latencies are those of ok and cut requests.")
        .used_by(&[
            usage("SGLang, for its share", "0.5.23", "slo_attainment"),
            usage("AIPerf, for its share", "0.10 on", "good_request_fraction"),
        ]),
];

pub(super) const WEIGHTING: &[Choice] = &[
    Choice::new("per-request", "request", "Each request once. Gaps between events are pooled: each gap once.")
        .formula("w = 1 a request")
        .needs("nothing more")
        .edges("For gaps the same as pooled.")
        .used_by(&[
            usage("vLLM", "all", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "0.13.0", "profile_export_aiperf.json"),
        ]),
    Choice::new("per-token", "token", "TPOT by n, a request’s mean ITL by n − 1; a gap weighs the tokens of its event.")
        .formula("w = n of TPOT, n − 1 of a request’s mean ITL, c(k) of a gap")
        .needs("output tokens; for gaps the tokens of each event")
        .edges("Percentiles need percentile = weighted-step. TTFT, E2E and token counts have one sample a request and weigh alike.")
        .used_by(&[usage("GuideLLM", "0.2 on", "time_per_output_token_ms")]),
    Choice::new("pooled", "pooled", "Each sample once, whichever request it belongs to. The same as per-request where a request has one sample.")
        .formula("w = 1 a sample")
        .needs("nothing more")
        .edges("Long replies have more gaps, and so more say in the mean.")
        .used_by(&[
            usage("vLLM, for ITL", "0.5.0 on", "itls"),
            usage("inference-perf, for ITL", "0.1.0 on", "inter_token_latency"),
        ]),
];

pub(super) const PERCENTILE: &[Choice] = &[
    Choice::new(
        "linear",
        "linear",
        "Between the two neighbours, in proportion (Hyndman–Fan type 7).",
    )
    .formula("element p·(N − 1), counted from 0, interpolated")
    .needs("the samples")
    .edges("May be a value that nobody measured. Weights need weighted-step.")
    .used_by(&[
        usage("numpy and pandas, so most clients", "all", "numpy.percentile"),
        usage("vLLM", "all", VLLM_SERVE),
        usage("SGLang", "all", SGLANG_SERVE),
    ]),
    Choice::new("nearest-rank", "nearest rank", "Always a value that was measured.")
        .formula("element ⌈p·N⌉, counted from 1")
        .needs("the samples")
        .edges("p = 0 is the smallest.")
        .used_by(&[usage(
            "AIPerf, where failures count as endless",
            "0.12 on",
            "adj_request_latency",
        )]),
    Choice::new(
        "floor-index",
        "floor index",
        "Always a value that was measured, one further up at exact shares.",
    )
    .formula("element ⌊p·N⌋, counted from 0")
    .needs("the samples")
    .edges("The p99 of 100 samples is the largest; beyond the last element, the last.")
    .used_by(&[
        usage("MLPerf LoadGen", "all read", "results.cc"),
        usage("trtllm-bench", "all read", "ttft_percentiles"),
    ]),
    Choice::new(
        "rounded-index",
        "rounded index",
        "The nearer neighbour; halves go to the even index.",
    )
    .formula("element p·(N − 1), rounded half to even, counted from 0")
    .needs("the samples")
    .edges("Between two samples the median is one of them."),
    Choice::new(
        "weighted-step",
        "step",
        "The smallest value whose cumulative weight reaches p. The only rule that knows weights.",
    )
    .formula("min x with W(≤ x) ≥ p·W")
    .needs("the samples, and their weights where they are weighted")
    .edges("With equal weights the same as nearest-rank, but for the last bit of the running sum.")
    .used_by(&[usage("GuideLLM", "0.2 on", "percentiles")]),
    Choice::new("bucket-linear", "bucket", "In proportion inside a histogram’s bucket.")
        .formula("edge before + (edge − edge before) · (p·N − count before) ÷ count inside")
        .needs("a histogram; a file of requests has none")
        .edges("In the first bucket an interval from 0; above the last finite edge it is “> edge”.")
        .used_by(&[usage("PromQL", "all", "histogram_quantile")]),
];

pub(super) const SPREAD: &[Choice] = &[
    Choice::new("population", "N", "All there is: the run is the population.")
        .formula("√(Σ(x − mean)² ÷ N)")
        .needs("the samples")
        .edges("One sample has 0. Beside it stands the MAD, the median distance from the median, which one outlier does not move.")
        .used_by(&[usage("numpy, so most clients", "all", "numpy.std")]),
    Choice::new("sample", "N − 1", "The run as a sample of more of its kind.")
        .formula("√(Σ(x − mean)² ÷ (N − 1))")
        .needs("at least two samples")
        .edges("One sample has none. Beside it stands the MAD, the median distance from the median, which one outlier does not move.")
        .used_by(&[
            usage("pandas, so LLMPerf", "all", "DataFrame.std"),
            usage("llama-bench", "all read", "stddev_ns"),
        ]),
];
