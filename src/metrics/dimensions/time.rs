//! Which stretch of a run counts, and what rates are divided by.

use super::{Choice, SGLANG_SERVE, VLLM_SERVE, usage};

pub(super) const WINDOW: &[Choice] = &[
    Choice::new("whole", "whole run", "All requests.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "All requests; the window is as long as the work took.",
    )
    .needs("send times"),
    Choice::new(
        "after-first-completion",
        "after first completion",
        "Requests sent once the first one had finished: without the ramp.",
    )
    .needs("send times and an end of each request")
    .edges("A request belongs by its send time, an output token by when it came."),
    Choice::new(
        "skip-first",
        "skip first",
        "Without the first C requests, such as a cold first wave.",
    )
    .parameter("C", "8")
    .needs("nothing: without send times the order of submission counts"),
    Choice::new(
        "steady",
        "steady",
        "The longest span in which at least R of the peak number of requests are in flight.",
    )
    .parameter("R", "0.9")
    .needs("send times and an end of each request")
    .edges("A request belongs by its send time, an output token by when it came."),
    Choice::new("brush", "chosen span", "Requests sent from A to B seconds after the first send.")
        .parameter("A..B", "2..10")
        .needs("send times")
        .edges("A is inside, B is not. An output token belongs by when it came."),
];

pub(super) const DURATION: &[Choice] = &[
    Choice::new("as-reported", "as reported", "The duration that the tool printed.")
        .needs("a printed duration, and the whole run as window")
        .used_by(&[
            usage("vLLM", "all", VLLM_SERVE),
            usage("SGLang, with a call to the server at the end", "all", SGLANG_SERVE),
        ]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "From the first send to the last token of any counted request.",
    )
    .needs("send times and an end of each request")
    .used_by(&[
        usage("AIPerf", "0.13.0", "benchmark_duration"),
        usage("GuideLLM", "0.8.1", "requests per second"),
    ]),
    Choice::new(
        "first-send-to-last-end",
        "first send to last end",
        "From the first send to the last recorded end of any request, failed ones included.",
    )
    .needs("send times and a recorded latency")
    .used_by(&[usage("inference-perf", "0.1.0 on", "throughput")]),
    Choice::new(
        "first-token-to-last-token",
        "first token to last token",
        "The time in which tokens arrived.",
    )
    .needs("send times, TTFT and an end of each request"),
    Choice::new("window", "the window", "The length of the chosen window.")
        .needs("send times, and an end of each request unless the window is a chosen span"),
];
