//! TensorRT-LLM's own collector (tensorrt_llm/metrics).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Exporter, Name, Prefix};

/// TensorRT-LLM.
pub(super) static TRTLLM: Exporter = Exporter {
    id: "trtllm",
    name: "TensorRT-LLM",
    prefixes: &[
        Prefix {
            text: "trtllm_",
            by: "TensorRT-LLM; Dynamo puts the prefix before the names of older ones",
            marks: &[],
        },
        Prefix {
            text: "",
            by: "TensorRT-LLM’s first releases",
            marks: &["time_to_first_token_seconds", "request_queue_time_seconds"],
        },
    ],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "Needs return_perf_metrics. Labels are model_name and engine_type. A value of zero is not observed for \
           E2E, TTFT, TPOT, prefill, decode and inference, so the counts of these may differ; the queue’s zeros are.",
};

static NAMES: &[Name] = &[
    Name::histogram("time_to_first_token_seconds", M::Ttft, Per::Request, "from arrival to first token").note("Zeros are left out."),
    Name::histogram("time_per_output_token_seconds", M::Tpot, Per::Request, "(last − first token) ÷ (tokens − 1): here it is a TPOT per request, unlike vLLM’s of that name").note("Zeros are left out."),
    Name::histogram("e2e_request_latency_seconds", M::E2e, Per::Request, "from arrival to last token").note("Zeros are left out."),
    Name::histogram("request_queue_time_seconds", M::Queue, Per::Request, "from arrival to first scheduled").note("Zeros are observed."),
    Name::histogram("request_prefill_time_seconds", M::Prefill, Per::Request, "from first scheduled to first token").note("Zeros are left out."),
    Name::histogram("request_decode_time_seconds", M::Decode, Per::Request, "from first to last token").note("Zeros are left out."),
    Name::histogram("request_inference_time_seconds", M::Inference, Per::Request, "from first scheduled to last token").note("Zeros are left out."),
    Name::counter("request_success_total", M::Finished, Per::Request, "requests that finished, by reason").by(&["finished_reason"]),
    Name::counter("prompt_tokens_total", M::InputTokens, Per::Token, "prompt tokens"),
    Name::counter("generation_tokens_total", M::OutputTokens, Per::Token, "generated tokens"),
    Name::gauge("kv_cache_hit_rate", M::PrefixHitRate, "hit rate of the KV cache").apart(),
    Name::gauge("kv_cache_utilization", M::KvUse, "share of the KV cache in use").apart(),
    Name::gauge("num_requests_running", M::Running, "requests that run"),
    Name::gauge("num_requests_waiting", M::Waiting, "requests that wait"),
    Name::gauge("num_requests_completed", M::Other, "requests completed").unit(UnitOf::Requests),
];
