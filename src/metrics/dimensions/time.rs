//! Which stretch of a run counts, and what rates are divided by.

use super::{Choice, SGLANG_SERVE, VLLM_SERVE, usage};

pub(super) const WINDOW: &[Choice] = &[
    Choice::new("whole", "whole run", "All requests.")
        .formula("all of it")
        .needs("nothing more")
        .edges("Ramp, cold start and drain are in it.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "All requests; the window is as long as the work took.",
    )
    .formula("from the first t₀ to the last t_L")
    .needs("send times and an end of each request")
    .edges("The same requests as the whole run; only its length is its own."),
    Choice::new(
        "after-first-completion",
        "after first completion",
        "From the first completion to the last one: without the ramp.",
    )
    .formula("from the first end to the last")
    .needs("send times and an end of each request")
    .edges("A span of time: window-edge says which requests belong. The last token is inside."),
    Choice::new(
        "skip-first",
        "skip first",
        "Without the first C requests, such as a cold first wave.",
    )
    .parameter("C", "8", "C is a whole number of requests")
    .needs("nothing: without send times the order of submission counts")
    .formula("all but the C smallest t₀")
    .edges("Failed requests are among those skipped, requests left out by the reader are not.")
    .used_by(&[usage("GuideLLM, as its warm-up", "0.2 and 0.3", "warmup_number")]),
    Choice::new(
        "steady",
        "steady",
        "The longest span in which at least R of the peak number of requests are in flight.",
    )
    .parameter("R", "0.9", "R is a share from 0 to 1")
    .formula("longest span with in flight ≥ R · peak")
    .needs("send times and an end of each request")
    .edges("A span of time: window-edge says which requests belong.")
    .used_by(&[usage("SGLang’s steady-state lines", "by 0.5.23", "concurrency_ratio")]),
    Choice::new(
        "until-stable",
        "until stable",
        "From where the running median of TTFT stands still, to the end. A heuristic, not a proof of a steady state.",
    )
    .formula("from the first request after which the median TTFT of ten moves by less than 2 %, twice in a row")
    .needs("send times, TTFT and an end of each request")
    .edges("Three windows of ten requests in the order of their sends. TTFT and not E2E, which moves with the length of replies. A run that never stands still has no such window."),
    Choice::new("brush", "chosen span", "From A to B seconds after the first send.")
        .parameter("A..B", "2..10", "A and B are seconds after the first send, and A is below B")
        .formula("A ≤ time − first t₀ < B, in seconds")
        .needs("send times")
        .edges("A is inside, B is not unless the run ends there: window-edge says which requests belong. What lies before the first send or after the last token is not part of the run, and no rate is divided by it."),
];

pub(super) const WINDOW_EDGE: &[Choice] = &[
    Choice::new(
        "by-start",
        "by start",
        "Latencies of requests sent inside; tokens, completions and seconds in flight count when they come.",
    )
    .formula("A ≤ t₀ < B for latencies, A ≤ t_k < B for tokens")
    .needs("send times; for output tokens the times of stream events")
    .edges("Windows that are no span of time (whole, skip-first) have no edge."),
    Choice::new(
        "by-end",
        "by end",
        "Requests that ended inside, with all their tokens and seconds, wherever those came.",
    )
    .formula("A ≤ t₀ + E < B")
    .needs("send times and an end of each request")
    .edges("A failed request ended where it was sent, if the file has no end of it."),
    Choice::new(
        "overlap",
        "by overlap",
        "Latencies of requests of which any part lies inside; tokens, completions and seconds count when they come.",
    )
    .formula("t₀ < B and t₀ + E ≥ A for latencies, A ≤ t_k < B for tokens")
    .needs("send times and an end of each request; for output tokens the times of stream events")
    .edges("Input tokens count when the reply begins, since the prompt had been read by then."),
];

pub(super) const DURATION: &[Choice] = &[
    Choice::new("as-reported", "as reported", "The duration that the tool printed.")
        .formula("W = what the tool printed")
        .needs("a printed duration, and the whole run as window")
        .edges("What is in it is the tool’s affair: SGLang’s ends after a call to the server.")
        .used_by(&[
            usage("vLLM", "all", VLLM_SERVE),
            usage("SGLang, with a call to the server at the end", "all", SGLANG_SERVE),
        ]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "From the first send to the last token of any counted request.",
    )
    .formula("W = last t_L − first t₀")
    .needs("send times and an end of each request")
    .edges("A run that ends in failures is divided by less than its wall time.")
    .used_by(&[
        usage("AIPerf", "all read", "benchmark_duration"),
        usage("GenAI-Perf", "all read", "request_throughput"),
        usage("trtllm-bench", "all read", "total_latency_ms"),
    ]),
    Choice::new(
        "first-send-to-last-end",
        "first send to last end",
        "From the first send to the last recorded end of any request, failed ones included.",
    )
    .formula("W = last recorded end − first t₀")
    .needs("send times and a recorded latency")
    .edges("Failed requests stretch it, though they add no token.")
    .used_by(&[usage("inference-perf", "0.1.0 on", "throughput")]),
    Choice::new(
        "first-token-to-last-token",
        "first token to last token",
        "The time in which tokens arrived.",
    )
    .formula("W = last t_L − first t₁")
    .needs("send times, TTFT and an end of each request")
    .edges("Leaves out the first prefill, so rates are a little higher."),
    Choice::new("window", "the window", "The length of the chosen window.")
        .formula("W = end − start of the window")
        .needs("send times, and an end of each request unless the window is a chosen span")
        .edges("Of the whole run and of skip-first, from the first send to the last token of what is left."),
];
