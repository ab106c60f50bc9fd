//! How output tokens are counted, and what replies of one token or none become.

use super::{Choice, SGLANG_SERVE, VLLM_CLIENT, VLLM_SERVE, usage};

pub(super) const TOKEN_COUNT: &[Choice] = &[
    Choice::new(
        "as-recorded",
        "as recorded",
        "The file’s main count, whoever counted: the run says who.",
    )
    .needs("output tokens of each request"),
    Choice::new("server", "server", "The server’s usage count.")
        .needs("a file whose client took the server’s count")
        .used_by(&[
            usage("vLLM", "0.7.0 on", VLLM_CLIENT),
            usage("SGLang", "0.4.3.post3 on", SGLANG_SERVE),
        ]),
    Choice::new(
        "retokenized",
        "retokenized",
        "The client’s tokenizer on the received text. Not always invertible, so it can be off.",
    )
    .needs("a count by the client’s tokenizer")
    .used_by(&[
        usage("vLLM", "0.4.0 to 0.6.6", "benchmarks/backend_request_func.py"),
        usage("LLMPerf", "all read", "number_output_tokens"),
    ]),
    Choice::new(
        "events",
        "chunks",
        "One token an event: right only where the server sends one token at a time.",
    )
    .formula("n = m")
    .needs("the gaps between events"),
];

pub(super) const SHORT_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "Has no time per output token: left out and counted.")
        .used_by(&[
            usage("vLLM", "0.4.0 on", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "0.13.0", "inter_token_latency"),
        ]),
    Choice::new("zero", "count as 0", "Enters as 0, which pulls the mean down.").used_by(&[
        usage("Prometheus metrics of vLLM", "all", "vllm:request_time_per_output_token_seconds"),
        usage("trtllm-bench", "all read", "--report_json"),
    ]),
    Choice::new(
        "exclude-ttft",
        "exclude, TTFT too",
        "Has no time per output token, and its TTFT is left out as well.",
    )
    .edges("The mean TTFT then speaks of longer replies only. Where the tokens of events are known, those that came count; where TPOT is per event, events.")
    .used_by(&[usage("inference-perf", "0.1.0 on", "time_to_first_token")]),
];

pub(super) const EMPTY_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "No latency sample; counted apart, and still part of what was sent.")
        .edges("Also leaves out what can’t be a measurement: a zero or negative TTFT, a latency below its TTFT, and the TPOT of a reply of several tokens that came in one event."),
    Choice::new("count-only", "count only", "No latency sample, but a finished request: it counts in the request throughput.")
        .edges("The window of the throughput is that of the other requests.")
        .used_by(&[usage("GenAI-Perf", "0.0.8 to 0.0.16", "llm_profile_data_parser.py")]),
    Choice::new("as-success", "as success", "Enters with whatever the client wrote, zeros included.")
        .edges("A TTFT of 0 is taken as 0 and meets every limit.")
        .used_by(&[usage("vLLM", "up to 0.6.3; chat to about 0.26", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
];
