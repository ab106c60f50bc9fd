//! The Gateway API inference extension and the llm-d router, where its code now lives.

use super::measure::{Measure as M, Per, UnitOf, Vantage};
use super::{Exporter, Name, Prefix};

/// llm-d router.
pub(super) static LLM_D: Exporter = Exporter {
    id: "llm-d",
    name: "llm-d router",
    prefixes: &[
        Prefix { text: "inference_objective_", by: "the llm-d router", marks: &[] },
        Prefix { text: "inference_model_", by: "older gateway releases", marks: &[] },
        Prefix { text: "inference_pool_", by: "the llm-d router, of a pool", marks: &[] },
        Prefix {
            text: "inference_extension_",
            by: "the llm-d router, of its own work",
            marks: &[],
        },
    ],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "Labels are model_name and target_model_name. The router’s queue lies before the engine, so its TTFT \
           can be above the engine’s by that wait.",
};

static NAMES: &[Name] = &[
    Name::histogram(
        "request_ttft_seconds",
        M::Ttft,
        Per::Request,
        "from arrival in the router to the first token",
    )
    .at(Vantage::Router),
    Name::histogram(
        "request_tpot_seconds",
        M::Tpot,
        Per::Request,
        "time per output token after the first",
    )
    .at(Vantage::Router),
    Name::histogram(
        "request_duration_seconds",
        M::E2e,
        Per::Request,
        "from arrival in the router to the end",
    )
    .at(Vantage::Router),
    Name::histogram(
        "normalized_time_per_output_token_seconds",
        M::WholePerToken,
        Per::Request,
        "E2E ÷ generated tokens",
    )
    .at(Vantage::Router)
    .note("The first token is inside: above a TPOT."),
    Name::histogram("input_tokens", M::InputTokens, Per::Request, "prompt tokens")
        .at(Vantage::Router),
    Name::histogram("output_tokens", M::OutputTokens, Per::Request, "generated tokens")
        .at(Vantage::Router),
    Name::histogram("request_sizes", M::Other, Per::Request, "size of the request")
        .at(Vantage::Router)
        .unit(UnitOf::Bytes),
    Name::histogram("response_sizes", M::Other, Per::Request, "size of the answer")
        .at(Vantage::Router)
        .unit(UnitOf::Bytes),
    Name::counter("request_total", M::Arrived, Per::Request, "requests").at(Vantage::Router),
    Name::counter("request_error_total", M::Failed, Per::Request, "requests that failed, by error")
        .at(Vantage::Router)
        .by(&["error_code"]),
    Name::gauge("running_requests", M::Running, "requests that run").at(Vantage::Router),
    Name::gauge(
        "average_kv_cache_utilization",
        M::KvUse,
        "mean share of the KV cache in use over the pool",
    )
    .at(Vantage::Router)
    .apart(),
    Name::gauge("average_queue_size", M::Waiting, "mean requests that wait over the pool")
        .at(Vantage::Router)
        .apart(),
    Name::gauge("per_pod_queue_size", M::Waiting, "requests that wait in a pod")
        .at(Vantage::Router)
        .by(&["model_server_pod"]),
    Name::gauge("ready_pods", M::Other, "pods ready").at(Vantage::Router),
    Name::histogram("scheduler_e2e_duration_seconds", M::Stage, Per::Request, "choosing a pod")
        .at(Vantage::Router),
    Name::histogram("plugin_duration_seconds", M::Stage, Per::Event, "work of one plug-in")
        .at(Vantage::Router)
        .by(&["extension_point", "plugin_type", "plugin_name"]),
    Name::histogram(
        "flow_control_request_queue_duration_seconds",
        M::Queue,
        Per::Request,
        "waiting in the router, before any engine",
    )
    .at(Vantage::Router)
    .by(&["outcome", "priority"]),
    Name::gauge("flow_control_queue_size", M::Waiting, "requests that wait in the router")
        .at(Vantage::Router)
        .by(&["priority"]),
];
