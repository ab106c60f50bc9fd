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
            usage("inference-perf", "0.7.0", "time_per_output_token"),
            usage("AIPerf, under the name ITL", "0.13.0", "inter_token_latency"),
            usage("GuideLLM, under the name ITL", "0.8.1", "inter_token_latency_ms"),
        ]),
    Choice::new("after-first-over-n", "(E−T) ÷ n", "Decode time over all tokens: a little low, since the first token took none of it.")
        .formula("(E − T) ÷ n")
        .needs("as after-first")
        .edges("A reply of one token has (E − T) ÷ 1."),
    Choice::new("whole-over-n", "E ÷ n", "The whole request over its tokens, prefill included. Also called normalised latency or NTPOT.")
        .formula("E ÷ n")
        .needs("an end and output tokens of each request")
        .edges("A reply of one token has E.")
        .used_by(&[
            usage("GuideLLM", "0.8.1", "time_per_output_token_ms"),
            usage("inference-perf", "0.7.0", "normalized_time_per_output_token"),
            usage("vLLM", "0.3.x", "benchmarks/benchmark_serving.py"),
        ]),
    Choice::new("after-first-event", "(E−T) ÷ (n−c₁)", "Decode time over the tokens after the first event: fair to servers that send several tokens at once.")
        .formula("(E − T) ÷ (n − c₁)")
        .needs("as after-first, and the tokens of each request’s first event")
        .edges("A reply that came in one event has none: see short-outputs.")
        .used_by(&[usage("AIPerf, as an option", "since PR 1279", "ai-dynamo/aiperf")]),
    Choice::new("visible-gaps", "Σ gaps ÷ gaps", "The mean gap between events of a request: right where some tokens were never seen arriving.")
        .formula("Σ gaps ÷ number of gaps")
        .needs("the gaps between events of each request")
        .edges("A reply in one event has none: see short-outputs. Not per token where an event carries several."),
];

pub(super) const ITL: &[Choice] = &[
    Choice::new("event-gap", "chunk gap", "The time between two stream events, once, however many tokens the event carries.")
        .formula("t(k) − t(k−1), one sample an event")
        .needs("the gaps between events")
        .edges("Per-token gaps (SGLang native) are put back into events: equal neighbours are one event, said as “rebuilt”.")
        .used_by(&[
            usage("vLLM", "0.5.0 on", VLLM_CLIENT),
            usage("SGLang, OpenAI style", "all", SGLANG_SERVE),
            usage("AIPerf, under the name ICL", "0.13.0", "inter_chunk_latency"),
        ]),
    Choice::new("token-spread", "gap ÷ tokens", "An event’s gap shared evenly by its tokens, one sample a token.")
        .formula("(t(k) − t(k−1)) ÷ c(k), c(k) times")
        .needs("the gaps and the tokens of each event; without the tokens only the mean")
        .edges("The gap of an event without tokens joins the next. The first event’s tokens have no gap.")
        .used_by(&[usage("SGLang, native", "0.4.3.post3 on", SGLANG_SERVE)]),
    Choice::new("token-zeros", "zeros in chunk", "Every token of an event arrives with it: the gap once, then zeros.")
        .formula("t(k) − t(k−1) once, and 0 c(k) − 1 times")
        .needs("as token-spread")
        .edges("The gap of an event without tokens joins the next. The first event’s further tokens are zeros too.")
        .used_by(&[usage("inference-perf", "0.5 on", "inter_token_latency")]),
    Choice::new("request-mean", "request mean", "One mean a request. Others call this TPOT.")
        .formula("(E − T) ÷ (n − 1), one sample a request")
        .needs("TTFT, an end and output tokens of each request")
        .edges("A reply of one token has none.")
        .used_by(&[
            usage("AIPerf", "0.13.0", "inter_token_latency"),
            usage("GenAI-Perf", "all read", "inter_token_latency"),
            usage("GuideLLM, weighted by n − 1", "0.8.1", "inter_token_latency_ms"),
        ]),
    Choice::new("whole-over-events", "whole ÷ events", "The whole request over its events, the wait for the first included.")
        .formula("(T + Σ gaps) ÷ m, one sample a request")
        .needs("TTFT and the gaps between events")
        .edges("A reply in one event has T.")
        .used_by(&[usage("LLMPerf", "all read", "inter_token_latency_s")]),
    Choice::new("as-recorded", "as recorded", "The one mean a request that the tool wrote, whatever its formula.")
        .needs("a mean ITL of each request in the file")
        .edges("The formula is the tool’s: LLMPerf’s includes the wait for the first token.")
        .used_by(&[usage("LLMPerf", "all read", "inter_token_latency_s")]),
];

pub(super) const USER_SPEED: &[Choice] = &[
    Choice::new("decode", "decode", "Tokens per second once the first has come, a request.")
        .formula("(n − 1) ÷ (E − T)"),
    Choice::new("whole", "whole", "Tokens per second from the send on, a request.")
        .formula("n ÷ E")
        .used_by(&[usage(
            "LLMPerf",
            "April 2024 on; before, events ÷ E",
            "request_output_throughput_token_per_s",
        )]),
    Choice::new(
        "reciprocal-of-tpot",
        "1 ÷ TPOT",
        "The reciprocal of the TPOT statistic: its p90 is the slow tail.",
    )
    .formula("1 ÷ TPOT")
    .edges("A standard deviation has no reciprocal.")
    .used_by(&[usage("InferenceX, under the name interactivity", "all read", "agg_*.json")]),
];
