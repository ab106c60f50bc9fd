//! SGLang (sglang/srt/metrics of 7 releases, 0.3.6 to 0.5.23).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Edges, Exporter, Name, Prefix, Version};

/// SGLang.
pub(super) static SGLANG: Exporter = Exporter {
    id: "sglang",
    name: "SGLang",
    prefixes: &[
        Prefix { text: "sglang:", by: "SGLang", marks: &[] },
        Prefix { text: "sglang_", by: "a collector that allows no colon", marks: &[] },
    ],
    names: NAMES,
    edges: EDGES,
    labels: &[("engine_type", Version::new(0, 4, 10)), ("is_streaming", Version::new(0, 5, 23))],
    note: "Labels are name in the oldest releases, then model_name; from 0.4.10 the scheduler adds engine_type, \
           tp_rank, pp_rank and dp_rank, of which ranks of tensor and pipeline parallelism are copies of one \
           another; from 0.5.23 is_streaming splits latencies, and TTFT of requests that don’t stream is nearly \
           their E2E. Token counters move only when a request ends.",
};

static NAMES: &[Name] = &[
    Name::histogram("time_to_first_token_seconds", M::Ttft, Per::Request, "from the request’s creation to the first chunk that the tokenizer process sees").since(0, 3, 6),
    Name::histogram("inter_token_latency_seconds", M::Itl, Per::Token, "from one chunk to the next, divided by its new tokens and counted once a token")
        .since(0, 4, 6)
        .note("The sum takes the undivided interval once, so Σ ÷ n is the right mean a token; bursts are smoothed, and the p99 lies below a client’s."),
    Name::histogram("inter_token_latency", M::Itl, Per::Token, "from one chunk to the next, divided by its new tokens and counted once a token"),
    Name::histogram("time_per_output_token_seconds", M::RunningMean, Per::Chunk, "at each chunk the average since the first token so far; at the end E2E ÷ tokens, TTFT included")
        .since(0, 3, 6)
        .until(0, 4, 1)
        .instead("inter_token_latency_seconds")
        .note("Neither TPOT nor ITL."),
    Name::histogram("request_time_per_output_token_seconds", M::Tpot, Per::Request, "at the end: (last − first token) ÷ (tokens − 1)")
        .since(0, 5, 23)
        .note("Only of requests that ended by stop or length with more than one token: no zeros, unlike vLLM’s."),
    Name::histogram("e2e_request_latency_seconds", M::E2e, Per::Request, "from the request’s creation to its end in the tokenizer process").since(0, 3, 6),
    Name::histogram("queue_time_seconds", M::Queue, Per::Request, "waiting in the scheduler’s queue").since(0, 5, 3).note("The first edge is 0."),
    Name::histogram("queue_latency_seconds", M::Queue, Per::Request, "waiting in the scheduler’s queue"),
    Name::histogram("per_stage_req_latency_seconds", M::Stage, Per::Request, "time in a stage").by(&["stage"]),
    Name::histogram("prompt_tokens_histogram", M::InputTokens, Per::Request, "prompt tokens"),
    Name::histogram("generation_tokens_histogram", M::OutputTokens, Per::Request, "generated tokens"),
    Name::gauge("avg_request_queue_latency", M::Queue, "average wait, as the server works it out").apart(),
    Name::gauge("num_running_reqs", M::Running, "requests in the running batch"),
    Name::gauge("num_queue_reqs", M::Waiting, "requests in the queue"),
    Name::gauge("num_grammar_queue_reqs", M::Waiting, "requests that wait for a grammar"),
    Name::gauge("num_used_tokens", M::Other, "tokens held in the KV cache").unit(UnitOf::Tokens),
    Name::gauge("max_total_num_tokens", M::Other, "tokens that the KV cache can hold").unit(UnitOf::Tokens),
    Name::gauge("token_usage", M::KvUse, "share of the KV cache in use, 0 to 1").apart(),
    Name::gauge("gen_throughput", M::Throughput, "generated tokens a second, as the server works it out"),
    Name::gauge("cache_hit_rate", M::PrefixHitRate, "hit rate of the prefix cache; a gauge, so no rate over a window").apart(),
    Name::gauge("spec_accept_length", M::Acceptance, "mean tokens accepted a draft").unit(UnitOf::Tokens).apart(),
    Name::gauge("spec_accept_rate", M::Acceptance, "share of drafted tokens accepted").apart(),
    Name::gauge("utilization", M::Other, "share of the most requests that can run").unit(UnitOf::Share).apart(),
    Name::gauge("routing_key_running_req_count", M::Other, "running requests by routing key, with gt and le labels; not cumulative and no histogram").by(&["gt", "le"]).unit(UnitOf::Requests),
    Name::gauge("routing_key_all_req_count", M::Other, "requests by routing key, with gt and le labels; not cumulative and no histogram").by(&["gt", "le"]).unit(UnitOf::Requests),
    Name::counter("prompt_tokens_total", M::InputTokens, Per::Token, "prompt tokens, added when a request ends"),
    Name::counter("generation_tokens_total", M::OutputTokens, Per::Token, "generated tokens, added when a request ends"),
    Name::counter("cached_tokens_total", M::CachedTokens, Per::Token, "prompt tokens that a cache held"),
    Name::counter("realtime_tokens_total", M::Other, Per::Token, "tokens as they are computed, by mode").by(&["mode"]).unit(UnitOf::Tokens),
    Name::counter("num_requests_total", M::Finished, Per::Request, "requests that ended"),
    Name::counter("num_so_requests_total", M::Other, Per::Request, "requests with structured output that ended").unit(UnitOf::Requests),
    Name::counter("num_aborted_requests_total", M::Failed, Per::Request, "requests aborted"),
    Name::counter("num_retracted_requests_total", M::Preemptions, Per::Event, "requests pushed out of the running batch"),
    Name::histogram("func_latency_seconds", M::Stage, Per::Event, "time in a function of the server, by name").by(&["name"]),
];

const FIRST: Version = Version::new(0, 3, 6);
const FIRST_END: Option<Version> = Some(Version::new(0, 4, 1));
const LATER: Version = Version::new(0, 4, 6);
const LATER_END: Option<Version> = Some(Version::new(0, 4, 10));
const LAST: Version = Version::new(0, 5, 3);

static EDGES: &[Edges] = &[
    Edges {
        name: "time_to_first_token_seconds",
        edges: &[
            0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
            10.0, 15.0, 20.0, 25.0, 30.0,
        ],
        since: FIRST,
        until: FIRST_END,
    },
    Edges {
        name: "time_to_first_token_seconds",
        edges: &[
            0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0,
            200.0, 400.0,
        ],
        since: LATER,
        until: None,
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        since: FIRST,
        until: FIRST_END,
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[
            0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0,
            200.0, 400.0, 800.0,
        ],
        since: LATER,
        until: LATER_END,
    },
    Edges {
        name: "e2e_request_latency_seconds",
        edges: &[
            0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0,
            200.0, 400.0, 600.0, 1200.0, 1800.0, 2400.0,
        ],
        since: LAST,
        until: None,
    },
];
