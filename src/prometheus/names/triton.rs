//! Triton Inference Server (docs/user_guide/metrics.md) and its TensorRT-LLM backend.

use super::measure::{Measure as M, Per, UnitOf};
use super::{Exporter, Name, Prefix};
use crate::model::FamilyKind;

/// Triton.
pub(super) static TRITON: Exporter = Exporter {
    id: "triton",
    name: "Triton",
    prefixes: &[Prefix { text: "nv_", by: "Triton", marks: &[] }],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "Counters of time are in microseconds and lack _total; their mean is one counter’s rise over \
           another’s. Labels are model and version.",
};

static NAMES: &[Name] = &[
    Name::new(
        FamilyKind::Summary,
        "inference_request_summary_us",
        M::E2e,
        Per::Request,
        "from arrival to the end",
    )
    .unit(UnitOf::Micros),
    Name::new(
        FamilyKind::Summary,
        "inference_queue_summary_us",
        M::Queue,
        Per::Request,
        "waiting in the queue",
    )
    .unit(UnitOf::Micros),
    Name::new(
        FamilyKind::Summary,
        "inference_compute_input_summary_us",
        M::Stage,
        Per::Request,
        "preparing inputs",
    )
    .unit(UnitOf::Micros),
    Name::new(
        FamilyKind::Summary,
        "inference_compute_infer_summary_us",
        M::Inference,
        Per::Request,
        "time in the model",
    )
    .unit(UnitOf::Micros),
    Name::new(
        FamilyKind::Summary,
        "inference_compute_output_summary_us",
        M::Stage,
        Per::Request,
        "preparing outputs",
    )
    .unit(UnitOf::Micros),
    Name::histogram(
        "inference_first_response_histogram_ms",
        M::Ttft,
        Per::Request,
        "from arrival to the first response",
    )
    .unit(UnitOf::Millis),
    Name::counter(
        "inference_request_success",
        M::Finished,
        Per::Request,
        "requests that ended well",
    ),
    Name::counter(
        "inference_request_failure",
        M::Failed,
        Per::Request,
        "requests that failed, by reason",
    )
    .by(&["reason"]),
    Name::counter("inference_count", M::Other, Per::Event, "inferences: a batch of n counts n"),
    Name::counter("inference_exec_count", M::Other, Per::Batch, "executions of batches"),
    Name::counter(
        "inference_request_duration_us",
        M::E2e,
        Per::Event,
        "time of all requests together",
    )
    .unit(UnitOf::Micros),
    Name::counter(
        "inference_queue_duration_us",
        M::Queue,
        Per::Event,
        "time in the queue, of all requests together",
    )
    .unit(UnitOf::Micros),
    Name::counter(
        "inference_compute_input_duration_us",
        M::Stage,
        Per::Event,
        "preparing inputs, of all requests together",
    )
    .unit(UnitOf::Micros),
    Name::counter(
        "inference_compute_infer_duration_us",
        M::Inference,
        Per::Event,
        "time in the model, of all requests together",
    )
    .unit(UnitOf::Micros),
    Name::counter(
        "inference_compute_output_duration_us",
        M::Stage,
        Per::Event,
        "preparing outputs, of all requests together",
    )
    .unit(UnitOf::Micros),
    Name::gauge("inference_pending_request_count", M::Waiting, "requests that wait"),
    Name::gauge(
        "trt_llm_request_metrics",
        M::Other,
        "requests of the TensorRT-LLM backend, by kind",
    )
    .by(&["request_type"])
    .unit(UnitOf::Requests),
    Name::gauge(
        "trt_llm_runtime_memory_metrics",
        M::Other,
        "memory of the TensorRT-LLM backend, by kind",
    )
    .by(&["memory_type"])
    .unit(UnitOf::Bytes),
    Name::gauge("trt_llm_kv_cache_block_metrics", M::Other, "KV cache blocks, by kind")
        .by(&["kv_cache_block_type"])
        .apart(),
    Name::gauge("trt_llm_inflight_batcher_metrics", M::Other, "the batcher’s state, by kind")
        .by(&["inflight_batcher_specific_metric"]),
    Name::gauge("trt_llm_v1_metrics", M::Other, "the V1 batcher’s state, by kind")
        .by(&["v1_specific_metric"]),
    Name::gauge("trt_llm_general_metrics", M::Other, "steps and time stamps, by kind")
        .by(&["general_type"]),
    Name::gauge(
        "trt_llm_disaggregated_serving_metrics",
        M::Other,
        "disaggregated serving, by kind",
    )
    .by(&["disaggregated_serving_type"]),
    Name::gauge("gpu_utilization", M::Other, "utilisation of a GPU")
        .unit(UnitOf::Share)
        .by(&["gpu_uuid"])
        .apart(),
    Name::gauge("gpu_memory_total_bytes", M::Other, "memory of a GPU")
        .unit(UnitOf::Bytes)
        .by(&["gpu_uuid"]),
    Name::gauge("gpu_memory_used_bytes", M::Other, "memory of a GPU in use")
        .unit(UnitOf::Bytes)
        .by(&["gpu_uuid"]),
];
