//! vLLM, V0 and V1 (vllm/engine/metrics.py, vllm/v1/metrics/loggers.py of 20 releases, 0.2.7 to 0.33.0).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Edges, Exporter, Name, Prefix, Version};

/// vLLM.
pub(super) static VLLM: Exporter = Exporter {
    id: "vllm",
    name: "vLLM",
    prefixes: &[
        Prefix {
            text: "vllm:",
            by: "vLLM; Triton’s vLLM backend, with the labels model and version",
            marks: &[],
        },
        Prefix { text: "ray_vllm:", by: "Ray Serve, with labels of its own", marks: &[] },
        Prefix {
            text: "ray_vllm_",
            by: "Ray Serve with vLLM 0.33, which adds the label ReplicaId",
            marks: &[],
        },
        Prefix { text: "vllm_", by: "a collector that allows no colon", marks: &[] },
        Prefix { text: "", by: "NVIDIA NIM", marks: &["num_request_max"] },
    ],
    names: NAMES,
    edges: EDGES,
    labels: &[("engine", Version::new(0, 8, 5))],
    note: "Labels are model_name and engine; with data parallelism each engine has its own series, which are \
           added up here. A request that its client aborts leaves a TTFT and gaps, and no E2E, queue, decode \
           or TPOT.",
};

static NAMES: &[Name] = &[
    Name::histogram("time_to_first_token_seconds", M::Ttft, Per::Sequence, "from arrival in the front end, after HTTP was parsed, to the first output that the front end takes from the engine, before it is detokenised and sent; wall clock")
        .since(0, 3, 3)
        .note("Also observed for requests that are aborted later. With n > 1 each sequence has one."),
    Name::histogram("inter_token_latency_seconds", M::Itl, Per::Step, "from one output of a sequence to the next, on the engine’s own monotonic clock; pauses by preemption included")
        .since(0, 10, 2)
        .instead("time_per_output_token_seconds")
        .note("One sample an engine step, undivided: a step that yields several tokens (speculation) gives one sample."),
    Name::histogram("time_per_output_token_seconds", M::Itl, Per::Step, "from one output of a sequence to the next; never a TPOT per request, in spite of its name")
        .since(0, 3, 3)
        .until(0, 13, 0)
        .instead("inter_token_latency_seconds")
        .note("In 0.12 and 0.13 only with the flag that shows hidden metrics. V0 measured it as now less the last token time in the engine loop."),
    Name::histogram("request_time_per_output_token_seconds", M::Tpot, Per::Request, "at the end: (last − first token) ÷ (tokens − 1)")
        .since(0, 11, 0)
        .note("Requests of at most one token enter as exactly 0."),
    Name::histogram("e2e_request_latency_seconds", M::E2e, Per::Request, "from arrival in the front end to the last output that the front end takes from the engine; wall clock").since(0, 3, 3),
    Name::histogram("request_queue_time_seconds", M::Queue, Per::Request, "from queued to first scheduled, on the engine’s clock")
        .since(0, 7, 0)
        .instead("time_in_queue_requests")
        .note("Waiting again after a preemption is not counted."),
    Name::histogram("time_in_queue_requests", M::Queue, Per::Request, "from arrival to first scheduled")
        .since(0, 7, 0)
        .until(0, 8, 5)
        .instead("request_queue_time_seconds"),
    Name::histogram("request_prefill_time_seconds", M::Prefill, Per::Request, "from first scheduled to first token").since(0, 7, 0),
    Name::histogram("request_decode_time_seconds", M::Decode, Per::Request, "from first to last token").since(0, 7, 0),
    Name::histogram("request_inference_time_seconds", M::Inference, Per::Request, "from first scheduled to last token").since(0, 7, 0),
    Name::histogram("request_prompt_tokens", M::InputTokens, Per::Request, "prompt tokens, at the end of the request"),
    Name::histogram("request_generation_tokens", M::OutputTokens, Per::Request, "generated tokens, at the end of the request"),
    Name::histogram("request_max_num_generation_tokens", M::MaxTokens, Per::Request, "the most tokens of any of a request’s sequences"),
    Name::histogram("request_params_max_tokens", M::MaxTokens, Per::Request, "max_tokens as asked for"),
    Name::histogram("request_params_n", M::Other, Per::Request, "n, sequences asked for"),
    Name::histogram("request_params_best_of", M::Other, Per::Request, "best_of as asked for"),
    Name::histogram("request_prefill_kv_computed_tokens", M::InputTokens, Per::Request, "prompt tokens that were computed, without those from a cache").since(0, 13, 0),
    Name::histogram("request_num_preemptions", M::Preemptions, Per::Request, "preemptions of the request").since(0, 33, 0),
    Name::histogram("iteration_tokens_total", M::StepTokens, Per::Batch, "tokens of one engine step that yields outputs")
        .since(0, 7, 0)
        .note("A histogram of steps, not a counter of tokens. A prompt counts whole in the step of its first token, so values go beyond the batch budget. Cached prompt tokens are in it up to 0.20 and out of it from 0.27.1."),
    Name::gauge("num_requests_running", M::Running, "requests in the running batch, by the last report of the scheduler"),
    Name::gauge("num_requests_waiting", M::Waiting, "requests that wait, by the last report of the scheduler"),
    Name::gauge("num_requests_waiting_by_reason", M::Waiting, "requests that wait, by reason").since(0, 20, 0).by(&["reason"]),
    Name::gauge("num_requests_swapped", M::Waiting, "requests swapped to the CPU").until(0, 8, 5),
    Name::gauge("kv_cache_usage_perc", M::KvUse, "share of the KV cache in use, 0 to 1 in spite of “perc”")
        .since(0, 9, 2)
        .instead("gpu_cache_usage_perc")
        .apart(),
    Name::gauge("gpu_cache_usage_perc", M::KvUse, "share of the KV cache in use, 0 to 1 in spite of “perc”")
        .until(0, 11, 2)
        .instead("kv_cache_usage_perc")
        .apart(),
    Name::gauge("cpu_cache_usage_perc", M::Other, "share of the CPU swap space in use").until(0, 8, 5).unit(UnitOf::Share).apart(),
    Name::gauge("gpu_prefix_cache_hit_rate", M::PrefixHitRate, "hit rate of the prefix cache; −1 is unknown").until(0, 8, 5).apart(),
    Name::gauge("cpu_prefix_cache_hit_rate", M::PrefixHitRate, "hit rate of the CPU’s prefix cache; −1 is unknown").until(0, 8, 5).apart(),
    Name::gauge("avg_prompt_throughput_toks_per_s", M::Throughput, "prompt tokens a second, as the server works it out").since(0, 2, 7).until(0, 6, 3),
    Name::gauge("avg_generation_throughput_toks_per_s", M::Throughput, "generated tokens a second, as the server works it out").since(0, 2, 7).until(0, 6, 3),
    Name::gauge("engine_sleep_state", M::Other, "1 for the state that the engine is in").by(&["sleep_state"]).apart(),
    Name::gauge("lora_requests_info", M::Other, "adapters in use; the value is a time").by(&["running_lora_adapters", "waiting_lora_adapters", "max_lora"]),
    Name::gauge("cache_config_info", M::Other, "settings of the cache as labels; the value is 1").by(&["block_size", "num_gpu_blocks", "enable_prefix_caching", "gpu_memory_utilization"]),
    Name::counter("prompt_tokens_total", M::InputTokens, Per::Token, "prompt tokens, added when prefill ends"),
    Name::counter("prompt_tokens_by_source_total", M::InputTokens, Per::Token, "prompt tokens by where they came from").since(0, 16, 0).by(&["source"]),
    Name::counter("prompt_tokens_cached_total", M::CachedTokens, Per::Token, "prompt tokens that a cache held").since(0, 16, 0),
    Name::counter("prompt_tokens_recomputed_total", M::InputTokens, Per::Token, "prompt tokens computed again").since(0, 16, 0).until(0, 16, 0),
    Name::counter("generation_tokens_total", M::OutputTokens, Per::Token, "generated tokens, added at each step"),
    Name::counter("tokens_total", M::Other, Per::Token, "prompt and generated tokens").unit(UnitOf::Tokens),
    Name::counter("request_success_total", M::Finished, Per::Request, "requests that finished, by reason").by(&["finished_reason"])
        .note("A request that its client aborts may be in none of the reasons."),
    Name::counter("num_preemptions_total", M::Preemptions, Per::Event, "preemptions"),
    Name::counter("admission_rejections_total", M::Refused, Per::Request, "requests not let in, by reason").since(0, 33, 0).by(&["reason"]),
    Name::counter("prefix_cache_queries_total", M::PrefixQueries, Per::Token, "tokens looked up in the prefix cache")
        .since(0, 9, 2)
        .instead("gpu_prefix_cache_queries_total"),
    Name::counter("prefix_cache_hits_total", M::PrefixHits, Per::Token, "tokens found in the prefix cache")
        .since(0, 9, 2)
        .instead("gpu_prefix_cache_hits_total"),
    Name::counter("gpu_prefix_cache_queries_total", M::PrefixQueries, Per::Token, "tokens looked up in the prefix cache")
        .until(0, 11, 2)
        .instead("prefix_cache_queries_total"),
    Name::counter("gpu_prefix_cache_hits_total", M::PrefixHits, Per::Token, "tokens found in the prefix cache")
        .until(0, 11, 2)
        .instead("prefix_cache_hits_total"),
    Name::counter("external_prefix_cache_queries_total", M::Other, Per::Token, "tokens looked up in a cache outside of the engine").unit(UnitOf::Tokens),
    Name::counter("external_prefix_cache_hits_total", M::Other, Per::Token, "tokens found in a cache outside of the engine").unit(UnitOf::Tokens),
    Name::counter("mm_cache_queries_total", M::Other, Per::Event, "images and the like looked up in their cache"),
    Name::counter("mm_cache_hits_total", M::Other, Per::Event, "images and the like found in their cache"),
    Name::counter("spec_decode_num_drafts_total", M::Drafts, Per::Draft, "drafts"),
    Name::counter("spec_decode_num_draft_tokens_total", M::DraftTokens, Per::Token, "tokens drafted")
        .note("Acceptance is accepted ÷ draft tokens; the mean length of a step is 1 + accepted ÷ drafts."),
    Name::counter("spec_decode_num_accepted_tokens_total", M::AcceptedTokens, Per::Token, "drafted tokens that were accepted"),
    Name::counter("spec_decode_num_accepted_tokens_per_pos_total", M::AcceptedTokens, Per::Token, "drafted tokens that were accepted, by position in the draft").by(&["position"]),
    Name::counter("spec_decode_num_emitted_tokens_total", M::Other, Per::Token, "tokens that speculative steps yielded").unit(UnitOf::Tokens),
    Name::gauge("spec_decode_draft_acceptance_rate", M::Acceptance, "acceptance as the server works it out").apart(),
    Name::gauge("spec_decode_efficiency", M::Acceptance, "tokens emitted over the most that could be").apart(),
    Name::histogram("model_forward_time_milliseconds", M::Stage, Per::Request, "forward pass of the model").unit(UnitOf::Millis),
    Name::histogram("model_execute_time_milliseconds", M::Stage, Per::Request, "execution with waiting for the workers").unit(UnitOf::Millis),
    Name::histogram("kv_block_lifetime_seconds", M::Stage, Per::Block, "life of a cache block").since(0, 12, 0),
    Name::histogram("kv_block_idle_before_evict_seconds", M::Stage, Per::Block, "idle time before a cache block was evicted").since(0, 12, 0),
    Name::histogram("kv_block_reuse_gap_seconds", M::Stage, Per::Block, "time between two uses of a cache block").since(0, 12, 0),
    Name::counter("estimated_flops_per_gpu_total", M::Other, Per::Event, "floating point operations of a GPU, as estimated"),
    Name::counter("estimated_read_bytes_per_gpu_total", M::Other, Per::Event, "bytes read by a GPU, as estimated").unit(UnitOf::Bytes),
    Name::counter("estimated_write_bytes_per_gpu_total", M::Other, Per::Event, "bytes written by a GPU, as estimated").unit(UnitOf::Bytes),
];

const NEW: Version = Version::new(0, 8, 5);
const OLD: Version = Version::new(0, 3, 3);
const OLD_END: Option<Version> = Some(Version::new(0, 8, 0));

static EDGES: &[Edges] = &[
    Edges {
        name: "time_to_first_token_seconds",
        edges: &[
            0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
            10.0,
        ],
        since: OLD,
        until: OLD_END,
    },
    Edges {
        name: "time_to_first_token_seconds",
        edges: &[
            0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
            10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0,
        ],
        since: NEW,
        until: None,
    },
    Edges {
        name: "time_per_output_token_seconds",
        edges: &[0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5],
        since: OLD,
        until: OLD_END,
    },
    Edges {
        name: "time_per_output_token_seconds",
        edges: &[
            0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
            10.0, 20.0, 40.0, 80.0,
        ],
        since: NEW,
        until: None,
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        since: OLD,
        until: Some(Version::new(0, 6, 3)),
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        since: Version::new(0, 7, 0),
        until: OLD_END,
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[
            0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0,
            120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0,
        ],
        since: NEW,
        until: None,
    },
];
