//! How output tokens are counted, and what replies of one token or none become.

use super::{Choice, SGLANG_SERVE, VLLM_CLIENT, VLLM_SERVE, usage};

pub(super) const TOKEN_COUNT: &[Choice] = &[
    Choice::new("as-recorded", "as recorded", "The file’s main count, whoever counted: the run says who.")
        .formula("n = the file’s main count")
        .needs("output tokens of each request")
        .edges("It may be the length that was asked for, as SGLang’s was before March 2025: the run says so."),
    Choice::new("server", "server", "The server’s usage count.")
        .formula("n = usage.completion_tokens")
        .needs("a file whose client took the server’s count")
        .edges("Reasoning tokens are in it, whether or not their text stopped a clock.")
        .used_by(&[
            usage("vLLM", "0.7.0 on", VLLM_CLIENT),
            usage("SGLang", "0.4.3.post3 on", SGLANG_SERVE),
            usage("GuideLLM", "all read, where the server gives it", "output_tokens"),
            usage("AIPerf, as an option", "0.13.0", "--use-server-token-count"),
        ]),
    Choice::new("retokenized", "retokenized", "The client’s tokenizer on the received text. Not always invertible, so it can be off.")
        .formula("n = length of the client’s tokens of the text")
        .needs("a count by the client’s tokenizer")
        .edges("LLMPerf’s count holds one begin token too many: 151 for 150, 1 for an empty text.")
        .used_by(&[
            usage("vLLM", "0.4.0 to 0.6.6", "benchmarks/backend_request_func.py"),
            usage("AIPerf", "all read", "output_sequence_length"),
            usage("GenAI-Perf", "all read", "output_sequence_length"),
            usage("inference-perf", "all read", "output_len"),
            usage("LLMPerf, one begin token too many", "all read", "number_output_tokens"),
        ]),
    Choice::new("events", "chunks", "One token an event: right only where the server sends one token at a time.")
        .formula("n = m")
        .needs("the gaps between events")
        .edges("A reply in one event has 1. Too low wherever an event carries several tokens.")
        .used_by(&[usage("GuideLLM, where the server gives no count", "0.5.4 on", "token_iterations")]),
];

pub(super) const SHORT_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "Has no time per output token: left out and counted.")
        .formula("TPOT over requests with n ≥ 2")
        .needs("output tokens of each request")
        .edges("How many were left out stands beside the number.")
        .used_by(&[
            usage("vLLM", "0.4.0 on", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "0.13.0", "inter_token_latency"),
            usage("GenAI-Perf", "all read", "inter_token_latency"),
        ]),
    Choice::new("zero", "count as 0", "Enters as 0, which pulls the mean down.")
        .formula("TPOT = 0 where n < 2")
        .needs("output tokens of each request")
        .edges("Percentiles shift as well. A limit on TPOT is met.")
        .used_by(&[
            usage("Prometheus metrics of vLLM", "0.11.0 on", "vllm:request_time_per_output_token_seconds"),
            usage("trtllm-bench", "all read", "avg_tpot_ms"),
        ]),
    Choice::new("exclude-ttft", "exclude, TTFT too", "Has no time per output token, and its TTFT is left out as well.")
        .formula("TPOT and TTFT over requests with n ≥ 2")
        .needs("output tokens of each request")
        .edges("The mean TTFT then speaks of longer replies only. Where the tokens of events are known, those that came count; where TPOT is per event, events.")
        .used_by(&[usage("inference-perf", "0.1.0 on", "time_to_first_token")]),
];

pub(super) const EMPTY_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "No latency sample; counted apart, and still part of what was sent.")
        .formula("T and E over replies with a token")
        .needs("nothing more")
        .edges("Also leaves out what can’t be a measurement: a zero or negative TTFT, a latency below its TTFT, and the TPOT of a reply of several tokens that came in one event.")
        .used_by(&[
            usage("vLLM, completions", "0.6.4 on", VLLM_CLIENT),
            usage("GuideLLM", "0.8 on", "time_to_first_token_ms"),
        ]),
    Choice::new("count-only", "count only", "No latency sample, but a finished request: it counts in the request throughput.")
        .formula("requests ÷ duration, empty replies among the requests")
        .needs("nothing more")
        .edges("The window of the throughput is that of the other requests.")
        .used_by(&[usage("GenAI-Perf", "0.0.8 to 0.0.16", "llm_profile_data_parser.py")]),
    Choice::new("as-success", "as success", "Enters with whatever the client wrote, zeros included.")
        .formula("T = what the file says, 0 included")
        .needs("nothing more")
        .edges("A TTFT of 0 is taken as 0 and meets every limit.")
        .used_by(&[
            usage("vLLM", "up to 0.6.3; chat to about 0.26", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("GuideLLM", "0.4 to 0.7", "time_to_first_token_ms"),
        ]),
];
