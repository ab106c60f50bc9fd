//! Where clocks start and stop.

use super::{Choice, SGLANG_SERVE, VLLM_CLIENT, VLLM_SERVE, usage};

pub(super) const CLOCK_START: &[Choice] = &[
    Choice::new("send", "send", "The moment the client sends the request.")
        .formula("T = t₁ − t₀, E = end − t₀")
        .needs("nothing more")
        .edges("Waiting inside the client does not count, so a capped client looks calm at overload.")
        .used_by(&[
            usage("vLLM", "all", VLLM_CLIENT),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "all read", "time_to_first_token"),
            usage("GenAI-Perf", "all read", "time_to_first_token"),
            usage("GuideLLM, from 0.8 once the headers are written", "all read", "time_to_first_token_ms"),
            usage("LLMPerf", "all read", "ttft_s"),
            usage("inference-perf", "all read", "time_to_first_token"),
            usage("trtllm-bench", "all read", "avg_ttft_ms"),
        ]),
    Choice::new("scheduled", "schedule", "The moment the request was due, so that waiting inside the client counts.")
        .formula("T = t₁ − tₐ, E = end − tₐ")
        .needs("the wait inside the client of each request (vLLM 0.33 and later: queue_times)")
        .edges("A client that sends late by design, such as one without a schedule, records no wait: then it can’t be had.")
        .used_by(&[
            usage("MLPerf LoadGen", "all read", "results.cc"),
            usage("vLLM, in a group of its own", "between 0.26 and 0.33 on", "e2el_including_client_queue"),
        ]),
    Choice::new("server-arrival", "server arrival", "The server’s own arrival stamp, without network and client.")
        .formula("T = t₁ at the server − arrival at the server")
        .needs("stamps of the server; result files of clients hold none")
        .edges("Never taken from a client’s rows, nor subtracted from them: the two clocks are two.")
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
    .formula("t₁ = time of the first counted event")
    .needs("TTFT")
    .edges("Takes any file’s TTFT as it is; the run says which event its client counted.")
    .used_by(&[
        usage("vLLM", "0.7.0 on; chat to about 0.26", VLLM_CLIENT),
        usage("TensorRT-LLM serve", "all read", "tensorrt_llm/serve/scripts/benchmark_serving.py"),
        usage("inference-perf", "0.1 to 0.4", "output_token_times"),
    ]),
    Choice::new(
        "first-text",
        "first text",
        "The first event with text of any kind, reasoning included.",
    )
    .formula("t₁ = time of the first event with text")
    .needs("a file whose client timed the first text")
    .edges("A reply without any text has none and is an empty reply.")
    .used_by(&[
        usage("SGLang", "all", SGLANG_SERVE),
        usage("vLLM", "0.4.0 to 0.6.6; chat from about 0.27", VLLM_CLIENT),
        usage("AIPerf", "0.3 on", "time_to_first_token"),
        usage("GuideLLM", "0.7 on", "time_to_first_token_ms"),
        usage("LMBenchmark", "all read", "ttft"),
    ]),
    Choice::new("first-answer", "first answer", "The first text that is not reasoning.")
        .formula("t₁ = time of the first event with answer text")
        .needs("a file whose client timed the first answer text")
        .edges("Output tokens still include the reasoning, so TPOT mixes two windows.")
        .used_by(&[
            usage("GenAI-Perf", "all read", "time_to_first_token"),
            usage("GuideLLM", "0.2 to 0.6", "time_to_first_token_ms"),
            usage("LLMPerf", "all read", "ttft_s"),
            usage("AIPerf, beside its TTFT", "0.3 on", "time_to_first_output_token"),
        ]),
];

pub(super) const END: &[Choice] = &[
    Choice::new("last-token", "last token", "The last event that counted as output.")
        .formula("E = T + Σ gaps, or the latency where the client stops there")
        .needs("a latency that ends there, its own column, or TTFT and gaps")
        .edges("Where only a later end is recorded and gaps are not, E is known as an upper bound only.")
        .used_by(&[
            usage("vLLM", "0.7.0 on; chat from about 0.27", VLLM_CLIENT),
            usage("AIPerf", "0.3 on", "request_latency"),
            usage("GenAI-Perf", "all read", "request_latency"),
            usage("trtllm-bench", "all read", "request_latency_percentiles_ms"),
        ]),
    Choice::new("last-message", "last message", "The last stream message before the end marker, usually the usage chunk.")
        .formula("E = time of the last message − t₀")
        .needs("a latency that ends there; TTFT and gaps give a lower bound")
        .edges("A few milliseconds after the last token; files that hold only TTFT and gaps can’t give it back.")
        .used_by(&[
            usage("vLLM, chat", "0.7.0 to about 0.26", VLLM_CLIENT),
            usage("TensorRT-LLM serve", "all read", "e2els"),
        ]),
    Choice::new("stream-end", "end of stream", "The end marker, after the usage chunk.")
        .formula("E = t_c − t₀")
        .needs("a latency that ends there; TTFT and gaps give a lower bound")
        .edges("inference-perf reads its clock after it has tokenized the reply, so its E is a little longer still.")
        .used_by(&[
            usage("SGLang", "all", SGLANG_SERVE),
            usage("vLLM", "up to 0.6.6", "benchmarks/backend_request_func.py"),
            usage("GuideLLM", "0.4 on; before, the last line read", "request_latency"),
            usage("LLMPerf", "all read", "end_to_end_latency_s"),
            usage("inference-perf", "all read", "request_latency"),
        ]),
];

pub(super) const DECODE_END: &[Choice] = &[
    Choice::new("request-end", "request end", "Where the request ends, by “A request ends at”.")
        .formula("E of TPOT = E of the request")
        .needs("nothing more than the end of the request")
        .edges("Bears on TPOT, on a request’s mean ITL and on the speed of one user.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "last-token",
        "last token",
        "The last event that counted as output, even where the request’s own clock runs on.",
    )
    .formula("E of TPOT = t_L − t₀")
    .needs("the time of the last token: a latency that ends there, its own column, or gaps")
    .edges("The same as request-end where the request ends at its last token.")
    .used_by(&[
        usage("GuideLLM", "0.2.0 on", "inter_token_latency_ms"),
        usage("inference-perf", "0.1.0 on", "time_per_output_token"),
    ]),
];
