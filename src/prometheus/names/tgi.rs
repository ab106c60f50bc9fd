//! Text Generation Inference (router/src/server.rs).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Exporter, Name, Prefix};

/// TGI.
pub(super) static TGI: Exporter = Exporter {
    id: "tgi",
    name: "TGI",
    prefixes: &[Prefix { text: "tgi_", by: "TGI, and servers that keep its names", marks: &[] }],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "There is no TTFT. Counters lack _total. Every name that ends in duration has 35 edges, \
           0.0001 s × 1.5^i.",
};

static NAMES: &[Name] = &[
    Name::histogram(
        "request_duration",
        M::E2e,
        Per::Request,
        "from the request’s arrival in the router to its end",
    ),
    Name::histogram(
        "request_validation_duration",
        M::Stage,
        Per::Request,
        "checking and tokenizing the request",
    ),
    Name::histogram(
        "request_queue_duration",
        M::Queue,
        Per::Request,
        "waiting in the router’s queue",
    ),
    Name::histogram(
        "request_inference_duration",
        M::Inference,
        Per::Request,
        "from the first batch to the end of the generation",
    ),
    Name::histogram(
        "request_mean_time_per_token_duration",
        M::WholePerToken,
        Per::Request,
        "inference time ÷ generated tokens",
    )
    .note("Prefill is inside, and it divides by n, not n − 1: above a TPOT."),
    Name::histogram("request_input_length", M::InputTokens, Per::Request, "prompt tokens")
        .note("100 equal steps."),
    Name::histogram("request_generated_tokens", M::OutputTokens, Per::Request, "generated tokens")
        .note("100 equal steps."),
    Name::histogram("request_max_new_tokens", M::MaxTokens, Per::Request, "tokens asked for")
        .note("100 equal steps."),
    Name::histogram("request_skipped_tokens", M::Other, Per::Request, "speculative tokens skipped")
        .unit(UnitOf::Tokens),
    Name::histogram("batch_inference_duration", M::Stage, Per::Batch, "one step of a batch")
        .by(&["method"]),
    Name::histogram("batch_forward_duration", M::Stage, Per::Batch, "forward pass of a batch")
        .by(&["method"]),
    Name::histogram(
        "batch_decode_duration",
        M::Stage,
        Per::Batch,
        "turning a batch’s output into text",
    )
    .by(&["method"]),
    Name::histogram(
        "batch_filter_duration",
        M::Stage,
        Per::Batch,
        "taking ended requests out of a batch",
    )
    .by(&["method"]),
    Name::histogram("batch_concat_duration", M::Stage, Per::Batch, "putting batches together")
        .by(&["reason"]),
    Name::histogram("batch_next_size", M::Other, Per::Batch, "requests of the next batch")
        .unit(UnitOf::Requests),
    Name::gauge("batch_current_size", M::Running, "requests in the current batch"),
    Name::gauge("batch_current_max_tokens", M::Other, "most tokens of the current batch")
        .unit(UnitOf::Tokens),
    Name::gauge("queue_size", M::Waiting, "requests in the queue"),
    Name::counter("request_count", M::Arrived, Per::Request, "requests received"),
    Name::counter("request_success", M::Finished, Per::Request, "requests that ended well")
        .by(&["method"]),
    Name::counter("request_failure", M::Failed, Per::Request, "requests that failed, by error")
        .by(&["err"]),
    Name::counter("batch_inference_count", M::Other, Per::Batch, "steps").by(&["method"]),
    Name::counter("batch_inference_success", M::Other, Per::Batch, "steps that went well")
        .by(&["method"]),
    Name::counter("batch_concat", M::Other, Per::Batch, "batches put together").by(&["reason"]),
];
