//! Which samples count, how much each weighs, and how they are summed up.

use super::{Choice, SGLANG_SERVE, VLLM_SERVE, usage};

pub(super) const POPULATION: &[Choice] = &[
    Choice::new("ok", "ok only", "Requests that finished without an error.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new("ok-and-cut", "ok and cut", "Cancelled and unfinished ones too, where the metric exists.")
        .needs("a file that keeps what was cut"),
    Choice::new("sent", "all sent", "Every request that was sent. A failed one has no latency, but its tokens count and it meets no SLO.")
        .edges("Latencies are those of ok and cut requests."),
];

pub(super) const WEIGHTING: &[Choice] = &[
    Choice::new(
        "per-request",
        "request",
        "Each request once. Gaps between events are pooled: each gap once.",
    )
    .used_by(&[
        usage("vLLM", "all", VLLM_SERVE),
        usage("SGLang", "all", SGLANG_SERVE),
        usage("AIPerf", "0.13.0", "profile_export_aiperf.json"),
    ]),
    Choice::new(
        "per-token",
        "token",
        "TPOT by n, a request’s mean ITL by n − 1; a gap weighs the tokens of its event.",
    )
    .needs("output tokens; for gaps the tokens of each event")
    .edges("Percentiles need percentile = weighted-step. TTFT, E2E and token counts have one sample a request and weigh alike.")
    .used_by(&[usage("GuideLLM", "0.8.1", "time_per_output_token_ms")]),
    Choice::new(
        "pooled",
        "pooled",
        "Each sample once, whichever request it belongs to. The same as per-request where a request has one sample.",
    ),
];

pub(super) const PERCENTILE: &[Choice] = &[
    Choice::new(
        "linear",
        "linear",
        "Between the two neighbours, in proportion (Hyndman–Fan type 7).",
    )
    .formula("element p·(N − 1), counted from 0, interpolated")
    .used_by(&[
        usage("numpy and pandas, so most clients", "all", "numpy.percentile"),
        usage("vLLM", "all", VLLM_SERVE),
        usage("SGLang", "all", SGLANG_SERVE),
    ]),
    Choice::new("nearest-rank", "nearest rank", "Always a value that was measured.")
        .formula("element ⌈p·N⌉, counted from 1"),
    Choice::new(
        "floor-index",
        "floor index",
        "Always a value that was measured, one further up at exact shares.",
    )
    .formula("element ⌊p·N⌋, counted from 0")
    .used_by(&[
        usage("MLPerf LoadGen", "all read", "results.cc"),
        usage("trtllm-bench", "all read", "--report_json"),
    ]),
    Choice::new(
        "rounded-index",
        "rounded index",
        "The nearer neighbour; halves go to the even index.",
    )
    .formula("element p·(N − 1), rounded half to even, counted from 0"),
    Choice::new(
        "weighted-step",
        "step",
        "The smallest value whose cumulative weight reaches p. The only rule that knows weights.",
    )
    .formula("min x with W(≤ x) ≥ p·W")
    .used_by(&[usage("GuideLLM", "0.8.1", "percentiles")]),
    Choice::new("bucket-linear", "bucket", "In proportion inside a histogram’s bucket.")
        .needs("a histogram; a file of requests has none")
        .used_by(&[usage("PromQL", "all", "histogram_quantile")]),
];

pub(super) const SPREAD: &[Choice] = &[
    Choice::new("population", "N", "All there is: the run is the population.")
        .formula("√(Σ(x − mean)² ÷ N)")
        .used_by(&[usage("numpy, so most clients", "all", "numpy.std")]),
    Choice::new("sample", "N − 1", "The run as a sample of more of its kind.")
        .formula("√(Σ(x − mean)² ÷ (N − 1))")
        .edges("One sample has none.")
        .used_by(&[usage("pandas, so LLMPerf", "all", "DataFrame.std")]),
];
