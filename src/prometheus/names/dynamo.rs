//! NVIDIA Dynamo's front end, components and router.

use super::measure::{Measure as M, Per, UnitOf, Vantage};
use super::{Exporter, Name, Prefix};

/// Dynamo.
pub(super) static DYNAMO: Exporter = Exporter {
    id: "dynamo",
    name: "Dynamo",
    prefixes: &[
        Prefix { text: "dynamo_frontend_", by: "Dynamo’s front end", marks: &[] },
        Prefix { text: "dynamo_", by: "Dynamo’s components and router", marks: &[] },
    ],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "The prefix can be changed, and edges by environment variables. A worker’s page mixes these with the \
           engine’s own names: two TTFTs seen from two places in one file.",
};

static NAMES: &[Name] = &[
    Name::histogram(
        "time_to_first_token_seconds",
        M::Ttft,
        Per::Request,
        "from arrival in the front end to the first token",
    )
    .at(Vantage::Frontend),
    Name::histogram(
        "inter_token_latency_seconds",
        M::Itl,
        Per::Chunk,
        "from one chunk to the next in the front end",
    )
    .at(Vantage::Frontend),
    Name::histogram(
        "request_duration_seconds",
        M::E2e,
        Per::Request,
        "from arrival in the front end to the end",
    )
    .at(Vantage::Frontend),
    Name::histogram("input_sequence_tokens", M::InputTokens, Per::Request, "prompt tokens")
        .at(Vantage::Frontend),
    Name::histogram("output_sequence_tokens", M::OutputTokens, Per::Request, "generated tokens")
        .at(Vantage::Frontend),
    Name::counter("requests_total", M::Finished, Per::Request, "requests, by how they ended")
        .at(Vantage::Frontend)
        .by(&["status", "endpoint", "request_type", "error_type"]),
    Name::counter("output_tokens_total", M::OutputTokens, Per::Token, "generated tokens")
        .at(Vantage::Frontend),
    Name::gauge("inflight_requests", M::Running, "requests between arrival and end")
        .at(Vantage::Frontend),
    Name::gauge("queued_requests", M::Waiting, "requests before their first token")
        .at(Vantage::Frontend),
    Name::gauge("disconnected_clients", M::Other, "clients gone").at(Vantage::Frontend),
    Name::gauge("model_total_kv_blocks", M::Other, "KV cache blocks of the model")
        .at(Vantage::Frontend),
    Name::gauge("model_max_num_seqs", M::Other, "most sequences that run at once")
        .at(Vantage::Frontend),
    Name::gauge("model_context_length", M::Other, "context length of the model")
        .at(Vantage::Frontend)
        .unit(UnitOf::Tokens),
    Name::counter(
        "component_requests_total",
        M::Arrived,
        Per::Request,
        "requests that a component took",
    )
    .at(Vantage::Router)
    .by(&["dynamo_component", "dynamo_endpoint"]),
    Name::histogram(
        "component_request_duration_seconds",
        M::Stage,
        Per::Request,
        "time in a component",
    )
    .at(Vantage::Router)
    .by(&["dynamo_component", "dynamo_endpoint"]),
    Name::gauge("component_inflight_requests", M::Running, "requests in a component")
        .at(Vantage::Router)
        .by(&["dynamo_component", "dynamo_endpoint"]),
    Name::counter(
        "component_request_bytes_total",
        M::Other,
        Per::Event,
        "bytes that a component received",
    )
    .at(Vantage::Router)
    .unit(UnitOf::Bytes)
    .by(&["dynamo_component", "dynamo_endpoint"]),
    Name::counter(
        "component_response_bytes_total",
        M::Other,
        Per::Event,
        "bytes that a component sent",
    )
    .at(Vantage::Router)
    .unit(UnitOf::Bytes)
    .by(&["dynamo_component", "dynamo_endpoint"]),
    Name::counter(
        "component_errors_total",
        M::Failed,
        Per::Request,
        "errors in a component, by kind",
    )
    .at(Vantage::Router)
    .by(&["dynamo_component", "dynamo_endpoint", "error_type"]),
    Name::gauge("component_uptime_seconds", M::Other, "time since a component started")
        .at(Vantage::Router)
        .unit(UnitOf::Seconds)
        .apart(),
    Name::gauge(
        "component_kvstats_gpu_cache_usage_percent",
        M::KvUse,
        "share of the KV cache in use, as the worker tells the router",
    )
    .at(Vantage::Router)
    .apart(),
];
