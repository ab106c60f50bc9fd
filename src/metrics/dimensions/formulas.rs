//! The formulas of TPOT, of ITL and of the speed that one user sees.

use super::{Choice, SGLANG_SERVE, VLLM_CLIENT, VLLM_SERVE, usage};

pub(super) const TPOT: &[Choice] = &[
    Choice::new("after-first", "(E−T) ÷ (n−1)", "Decode time over the tokens after the first. The first token is paid for by TTFT.")
        .formula("(E − T) ÷ (n − 1)")
        .needs("TTFT, an end (latency or gaps) and output tokens of each request")
        .edges("A reply of one token has none: see short-outputs.")
        .used_by(&[
            usage("vLLM", "0.4.0 on", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("inference-perf", "0.5 on", "time_per_output_token"),
            usage("trtllm-bench", "all read", "avg_tpot_ms"),
            usage("AIPerf, under the name ITL", "all read", "inter_token_latency"),
            usage("GenAI-Perf, under the name ITL", "all read", "inter_token_latency"),
            usage("GuideLLM, under the name ITL", "0.2 on", "inter_token_latency_ms"),
            usage("Prometheus metrics of vLLM", "0.11.0 on", "vllm:request_time_per_output_token_seconds"),
            usage("MLPerf LoadGen", "all read", "results.cc"),
        ]),
    Choice::new("after-first-over-n", "(E−T) ÷ n", "Decode time over all tokens: a little low, since the first token took none of it.")
        .formula("(E − T) ÷ n")
        .needs("as after-first")
        .edges("A reply of one token has (E − T) ÷ 1.")
        .used_by(&[
            usage("GuideLLM", "0.2 and 0.3", "time_per_output_token_ms"),
            usage("Vidur and Sarathi-Serve", "all read", "decode_time_execution_plus_preemption_normalized"),
            usage("llama-server", "all read", "predicted_per_token_ms"),
        ]),
    Choice::new("whole-over-n", "E ÷ n", "The whole request over its tokens, prefill included. Also called normalised latency or NTPOT.")
        .formula("E ÷ n")
        .needs("an end and output tokens of each request")
        .edges("A reply of one token has E.")
        .used_by(&[
            usage("GuideLLM", "0.4 on", "time_per_output_token_ms"),
            usage("inference-perf", "all read", "normalized_time_per_output_token"),
            usage("vLLM", "0.3", "benchmarks/benchmark_serving.py"),
        ]),
    Choice::new("after-first-event", "(E−T) ÷ (n−c₁)", "Decode time over the tokens after the first event: fair to servers that send several tokens at once.")
        .formula("(E − T) ÷ (n − c₁)")
        .needs("as after-first, and the tokens of each request’s first event")
        .edges("A reply that came in one event has none: see short-outputs.")
        .used_by(&[
            usage("AIPerf, with usage of each chunk", "0.13.0", "inter_token_latency"),
            usage("vLLM’s multi-turn script", "April 2026 on", "output_num_first_chunk_tokens"),
        ]),
    Choice::new("visible-gaps", "Σ gaps ÷ gaps", "The mean gap between events of a request: right where some tokens were never seen arriving.")
        .formula("Σ gaps ÷ number of gaps")
        .needs("the gaps between events of each request")
        .edges("A reply in one event has none: see short-outputs. Not per token where an event carries several.")
        .used_by(&[usage("inference-perf", "0.1 to 0.4", "time_per_output_token")]),
];

pub(super) const ITL: &[Choice] = &[
    Choice::new("event-gap", "chunk gap", "The time between two stream events, once, however many tokens the event carries.")
        .formula("t(k) − t(k−1), one sample an event")
        .needs("the gaps between events")
        .edges("Per-token gaps (SGLang native) are put back into events: equal neighbours are one event, said as “rebuilt”.")
        .used_by(&[
            usage("vLLM", "0.5.0 on", VLLM_CLIENT),
            usage("SGLang, OpenAI style", "all", SGLANG_SERVE),
            usage("AIPerf, under the name ICL", "0.2 on", "inter_chunk_latency"),
            usage("GuideLLM", "0.1", "decode_times"),
            usage("Prometheus metrics of vLLM, one gap an engine step", "0.10.2 on", "vllm:inter_token_latency_seconds"),
        ]),
    Choice::new("token-spread", "gap ÷ tokens", "An event’s gap shared evenly by its tokens, one sample a token.")
        .formula("(t(k) − t(k−1)) ÷ c(k), c(k) times")
        .needs("the gaps and the tokens of each event; without the tokens only the mean")
        .edges("The gap of an event without tokens joins the next. The first event’s tokens have no gap.")
        .used_by(&[
            usage("SGLang, native", "0.4.3.post3 on", SGLANG_SERVE),
            usage("Prometheus metrics of SGLang", "0.4.6.post5 on", "sglang:inter_token_latency_seconds"),
        ]),
    Choice::new("token-zeros", "zeros in chunk", "Every token of an event arrives with it: the gap once, then zeros.")
        .formula("t(k) − t(k−1) once, and 0 c(k) − 1 times")
        .needs("as token-spread")
        .edges("The gap of an event without tokens joins the next. The first event’s further tokens are zeros too.")
        .used_by(&[
            usage("inference-perf", "0.5 on", "inter_token_latency"),
            usage("fmperf", "all read", "fmperf/utils/Parsing.py"),
        ]),
    Choice::new("request-mean", "request mean", "One mean a request. Others call this TPOT.")
        .formula("(E − T) ÷ (n − 1), one sample a request")
        .needs("TTFT, an end and output tokens of each request")
        .edges("A reply of one token has none.")
        .used_by(&[
            usage("AIPerf", "all read", "inter_token_latency"),
            usage("GenAI-Perf", "all read", "inter_token_latency"),
            usage("GuideLLM, weighted by n − 1", "0.2 on", "inter_token_latency_ms"),
        ]),
    Choice::new("whole-over-events", "whole ÷ events", "The whole request over its events, the wait for the first included.")
        .formula("(T + Σ gaps) ÷ m, one sample a request")
        .needs("TTFT and the gaps between events")
        .edges("A reply in one event has T.")
        .used_by(&[usage("LLMPerf", "December 2024; before, over its retokenized length", "inter_token_latency_s")]),
    Choice::new("as-recorded", "as recorded", "The one mean a request that the tool wrote, whatever its formula.")
        .needs("a mean ITL of each request in the file")
        .edges("The formula is the tool’s: LLMPerf’s includes the wait for the first token.")
        .used_by(&[usage("LLMPerf", "all read", "inter_token_latency_s")]),
];

pub(super) const USER_SPEED: &[Choice] = &[
    Choice::new("decode", "decode", "Tokens per second once the first has come, a request.")
        .formula("(n − 1) ÷ (E − T)")
        .needs("TTFT, an end and output tokens of each request")
        .edges("A reply of one token has none; nor has one whose tokens came in one read.")
        .used_by(&[
            usage("AIPerf", "all read", "output_token_throughput_per_user"),
            usage("GenAI-Perf", "after April 2025", "output_token_throughput_per_user"),
            usage("trtllm-bench, streaming", "all read", "token_output_speed_tok_s"),
        ]),
    Choice::new("whole", "whole", "Tokens per second from the send on, a request.")
        .formula("n ÷ E")
        .needs("an end and output tokens of each request")
        .edges("Short replies look slow: the wait for the first token is in every one of them.")
        .used_by(&[
            usage(
                "LLMPerf",
                "April 2024 on; before, events ÷ E",
                "request_output_throughput_token_per_s",
            ),
            usage("TensorRT-LLM serve", "all read", "user_throughput"),
            usage("AIPerf, under another name", "0.8 on", "e2e_output_token_throughput"),
            usage("GenAI-Perf", "up to April 2025", "output_token_throughput_per_request"),
        ]),
    Choice::new(
        "reciprocal-of-tpot",
        "1 ÷ TPOT",
        "The reciprocal of the TPOT statistic: its p90 is the slow tail.",
    )
    .formula("1 ÷ TPOT")
    .needs("what TPOT needs")
    .edges("A standard deviation has no reciprocal.")
    .used_by(&[usage("InferenceX, under the name interactivity", "all read", "agg_*.json")]),
];
