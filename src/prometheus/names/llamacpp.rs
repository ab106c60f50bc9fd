//! llama.cpp's server (tools/server, February 2025).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Exporter, Name, Prefix};

/// llama.cpp.
pub(super) static LLAMACPP: Exporter = Exporter {
    id: "llamacpp",
    name: "llama.cpp server",
    prefixes: &[
        Prefix { text: "llamacpp:", by: "llama.cpp’s server", marks: &[] },
        Prefix { text: "llamacpp_", by: "a collector that allows no colon", marks: &[] },
    ],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "No labels and no histograms, so there are means and no percentiles. Values are written with six \
           significant digits: counters above a million lose units, and differences of them come in steps.",
};

static NAMES: &[Name] = &[
    Name::counter("prompt_tokens_total", M::InputTokens, Per::Token, "prompt tokens processed"),
    Name::counter("prompt_seconds_total", M::Prefill, Per::Event, "time of all prompt processing"),
    Name::counter("tokens_predicted_total", M::OutputTokens, Per::Token, "tokens generated"),
    Name::counter(
        "tokens_predicted_seconds_total",
        M::Decode,
        Per::Event,
        "time of all generation",
    ),
    Name::counter("n_decode_total", M::Other, Per::Batch, "calls of llama_decode"),
    Name::gauge("n_busy_slots_per_decode", M::Other, "mean busy slots a call, since the start")
        .apart(),
    Name::gauge(
        "prompt_tokens_seconds",
        M::Throughput,
        "prompt tokens a second, as the server works it out",
    )
    .note("An average of the server’s lifetime, not of a window."),
    Name::gauge(
        "predicted_tokens_seconds",
        M::Throughput,
        "generated tokens a second, as the server works it out",
    )
    .note("An average of the server’s lifetime, not of a window."),
    Name::gauge("kv_cache_usage_ratio", M::KvUse, "share of the KV cache in use").apart(),
    Name::gauge("kv_cache_tokens", M::Other, "tokens in the KV cache").unit(UnitOf::Tokens),
    Name::gauge("requests_processing", M::Running, "requests that run"),
    Name::gauge("requests_deferred", M::Waiting, "requests that wait"),
    Name::gauge("n_past_max", M::Other, "most tokens of a context so far")
        .unit(UnitOf::Tokens)
        .apart(),
];
