//! Where clocks start and stop.

use super::{Choice, SGLANG_SERVE, VLLM_CLIENT, VLLM_SERVE, usage};

pub(super) const CLOCK_START: &[Choice] = &[
    Choice::new("send", "send", "The moment the client sends the request.")
        .needs("nothing more")
        .edges(
            "Waiting inside the client does not count, so a capped client looks calm at overload.",
        )
        .used_by(&[usage("vLLM", "all", VLLM_CLIENT), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "scheduled",
        "schedule",
        "The moment the request was due, so that waiting inside the client counts.",
    )
    .formula("T + wait, E + wait")
    .needs("the wait inside the client of each request (vLLM 0.33 and later: queue_times)"),
    Choice::new(
        "server-arrival",
        "server arrival",
        "The server’s own arrival stamp, without network and client.",
    )
    .needs("stamps of the server; result files of clients hold none")
    .used_by(&[
        usage("Prometheus metrics of vLLM", "all", "vllm:time_to_first_token_seconds"),
        usage("Prometheus metrics of SGLang", "all", "sglang:time_to_first_token_seconds"),
    ]),
];

pub(super) const FIRST_TOKEN: &[Choice] = &[
    Choice::new(
        "first-event",
        "any event",
        "Whatever event the client counted first. It may carry no text, such as a role chunk.",
    )
    .needs("TTFT")
    .used_by(&[usage("vLLM", "0.7.0 to about 0.26", VLLM_CLIENT)]),
    Choice::new(
        "first-text",
        "first text",
        "The first event with text of any kind, reasoning included.",
    )
    .needs("a file whose client timed the first text")
    .used_by(&[
        usage("SGLang", "all", SGLANG_SERVE),
        usage("vLLM", "0.4.0 to 0.6.6; chat from about 0.33", VLLM_CLIENT),
        usage("AIPerf", "0.13.0", "time_to_first_token"),
    ]),
    Choice::new("first-answer", "first answer", "The first text that is not reasoning.")
        .needs("a file whose client timed the first answer text")
        .edges("Output tokens still include the reasoning, so TPOT mixes two windows.")
        .used_by(&[usage("GuideLLM", "before 0.7", "time_to_first_token_ms")]),
];

pub(super) const END: &[Choice] = &[
    Choice::new("last-token", "last token", "The last event that counted as output.")
        .formula("T + Σ gaps, or the latency where the client stops there")
        .needs("a latency that ends there, or TTFT and gaps")
        .used_by(&[
            usage("vLLM", "0.7.0 on (chat: from about 0.33)", VLLM_CLIENT),
            usage("AIPerf", "0.13.0", "request_latency"),
        ]),
    Choice::new(
        "last-message",
        "last message",
        "The last stream message before the end marker, usually the usage chunk.",
    )
    .needs("a latency that ends there; TTFT and gaps give a lower bound")
    .used_by(&[usage("vLLM, chat", "0.7.0 to about 0.26", VLLM_CLIENT)]),
    Choice::new("stream-end", "end of stream", "The end marker, after the usage chunk.")
        .needs("a latency that ends there; TTFT and gaps give a lower bound")
        .used_by(&[
            usage("SGLang", "all", SGLANG_SERVE),
            usage("vLLM", "up to 0.6.6", "benchmarks/backend_request_func.py"),
            usage("GuideLLM", "0.8.1", "request_latency"),
        ]),
];

pub(super) const DECODE_END: &[Choice] = &[
    Choice::new("request-end", "request end", "Where the request ends, by “A request ends at”.")
        .edges("Bears on TPOT, on a request’s mean ITL and on the speed of one user.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "last-token",
        "last token",
        "The last event that counted as output, even where the request’s own clock runs on.",
    )
    .needs("the time of the last token: a latency that ends there, its own column, or gaps")
    .used_by(&[
        usage("GuideLLM", "0.2.0 on", "inter_token_latency_ms"),
        usage("inference-perf", "0.1.0 on", "time_per_output_token"),
    ]),
];
