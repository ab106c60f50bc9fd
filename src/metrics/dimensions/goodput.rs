//! What makes a request good, and in what unit goodput is given.

use super::{Choice, SGLANG_SERVE, VLLM_SERVE, usage};

pub(super) const GOODPUT_RULE: &[Choice] = &[
    Choice::new(
    "and-inclusive",
    "every limit, ≤",
    "A request is good when it meets every limit at once; a value equal to its limit meets it. A limit may grow with the request’s input or output tokens; one on ITL names which of a request’s samples: max, mean or a percentile.",
)
.formula("good ⇔ value ≤ limit for each limit")
.needs("each limited metric of each request, and at least one limit")
.edges("Without a limit there is no goodput: blank, never 0. A request that ended with an error is not good.")
.used_by(&[
    usage("vLLM", "0.6.4 on", VLLM_SERVE),
    usage("SGLang", "0.5.23", SGLANG_SERVE),
    usage("AIPerf", "0.13.0", "goodput"),
    usage("inference-perf", "0.5 on", "goodput_metrics"),
]),
    Choice::new(
        "and-inclusive-after-first",
        "every limit, ≤; TPOT ÷ n−1",
        "The same, but a limit on TPOT is held against the time after the first token over the tokens after it, whatever the ruler’s TPOT is.",
    )
    .formula("good ⇔ value ≤ limit for each limit, with (E − T) ÷ (n − 1) for TPOT")
    .needs("each limited metric of each request, and at least one limit")
    .edges("A reply of one token lacks the limited metric.")
    .used_by(&[usage("GuideLLM", "0.8", "slo_attainment: its objective tpot_ms is compared with its ITL")]),
];

pub(super) const GOODPUT_MISSING: &[Choice] = &[
    Choice::new(
        "not-applicable",
        "not applicable",
        "The request is left out of both sides and counted apart.",
    )
    .formula("good ÷ (of − those without the metric)")
    .needs("at least one limit")
    .edges("How many were left out stands beside the share.")
    .used_by(&[usage("GuideLLM", "0.8", "slo_determined_requests")]),
    Choice::new("passes", "passes", "The request meets that limit.")
        .formula("no value ⇒ the limit is met")
        .needs("at least one limit")
        .edges("A reply of one token meets every limit on TPOT.")
        .used_by(&[usage("vLLM", "0.6.4 on", VLLM_SERVE), usage("SGLang", "0.5.23", SGLANG_SERVE)]),
    Choice::new("fails", "fails", "The request misses that limit.")
        .formula("no value ⇒ the limit is missed")
        .needs("at least one limit")
        .edges("A reply of one token is never good where TPOT is limited.")
        .used_by(&[
            usage("AIPerf", "all read", "goodput"),
            usage("inference-perf", "0.5 on", "goodput_metrics"),
        ]),
];

pub(super) const GOODPUT_UNIT: &[Choice] = &[
    Choice::new("requests-per-second", "req/s", "Good requests per second.")
        .formula("good ÷ duration")
        .needs("at least one limit, and a duration")
        .edges("0 when no request is good; blank when no limit is set.")
        .used_by(&[usage("vLLM", "0.6.4 on", VLLM_SERVE), usage("SGLang", "0.5.23", SGLANG_SERVE), usage("AIPerf", "all read", "goodput"), usage("GenAI-Perf", "August 2024 on", "request_goodput")]),
    Choice::new(
        "share-of-sent",
        "share of sent",
        "Good requests of all that were sent. A failure is not good.",
    )
    .formula("good ÷ sent")
    .needs("at least one limit, and every request that was sent")
    .edges("Where a file keeps no failures, it is the share of what it keeps.")
    .used_by(&[usage("SGLang", "0.5.23", "slo_attainment")]),
    Choice::new(
        "share-of-finished",
        "share of finished",
        "Good requests of those that finished. Failures are hidden.",
    )
    .formula("good ÷ finished")
    .needs("at least one limit")
    .edges("A server that fails fast looks good.")
    .used_by(&[usage("inference-perf", "0.5 on", "goodput_metrics")]),
    Choice::new("tokens-per-second", "tok/s", "Output tokens of good requests per second.")
        .formula("Σ n of good requests ÷ duration")
        .needs("at least one limit, output tokens and a duration")
        .edges("All tokens of a good request count, none of a bad one."),
    Choice::new(
        "max-load-at-attainment",
        "highest load",
        "The highest load of a sweep at which at least a share P of the requests sent is good. A single run gives whether it attains P.",
    )
    .parameter("P", "0.9", "P is a share above 0 and up to 1, or a percentage such as 90%")
    .formula("max load with good ÷ sent ≥ P")
    .needs("several runs of one system at different loads; of a single run, what share-of-sent needs")
    .edges("P is above 0 and at most 1; without it, 0.9. Where the highest load measured still attains P, the answer is “at least”.")
    .used_by(&[usage("DistServe, as its definition of goodput", "the paper of 2024", "per-GPU goodput")]),
];
