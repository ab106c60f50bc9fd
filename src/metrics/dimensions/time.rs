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
        "From the first completion to the last one: without the ramp.",
    )
    .needs("send times and an end of each request")
    .edges("A span of time: window-edge says which requests belong. The last token is inside."),
    Choice::new(
        "skip-first",
        "skip first",
        "Without the first C requests, such as a cold first wave.",
    )
    .parameter("C", "8")
    .needs("nothing: without send times the order of submission counts")
    .edges("Failed requests are among those skipped, requests left out by the reader are not."),
    Choice::new(
        "steady",
        "steady",
        "The longest span in which at least R of the peak number of requests are in flight.",
    )
    .parameter("R", "0.9")
    .needs("send times and an end of each request")
    .edges("A span of time: window-edge says which requests belong."),
    Choice::new(
        "until-stable",
        "until stable",
        "From where the running median of TTFT stands still, to the end. A heuristic, not a proof of a steady state.",
    )
    .formula("from the first request after which the median TTFT of ten moves by less than 2 %, twice in a row")
    .needs("send times, TTFT and an end of each request")
    .edges("Three windows of ten requests in the order of their sends. TTFT and not E2E, which moves with the length of replies. A run that never stands still has no such window."),
    Choice::new("brush", "chosen span", "From A to B seconds after the first send.")
        .parameter("A..B", "2..10")
        .needs("send times")
        .edges("A is inside, B is not unless the run ends there: window-edge says which requests belong."),
];

pub(super) const WINDOW_EDGE: &[Choice] = &[
    Choice::new(
        "by-start",
        "by start",
        "Latencies of requests sent inside; tokens, completions and seconds in flight count when they come.",
    )
    .needs("send times; for output tokens the times of stream events")
    .edges("Windows that are no span of time (whole, skip-first) have no edge."),
    Choice::new(
        "by-end",
        "by end",
        "Requests that ended inside, with all their tokens and seconds, wherever those came.",
    )
    .needs("send times and an end of each request")
    .edges("A failed request ended where it was sent, if the file has no end of it."),
    Choice::new(
        "overlap",
        "by overlap",
        "Latencies of requests of which any part lies inside; tokens, completions and seconds count when they come.",
    )
    .needs("send times and an end of each request; for output tokens the times of stream events")
    .edges("Input tokens count when the reply begins, since the prompt had been read by then."),
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
