//! What Python servers export of their process and of HTTP (client_python, and the FastAPI instrumentator
//! that vLLM mounts).

use super::measure::{Measure as M, Per, UnitOf};
use super::{Exporter, Name, Prefix};

/// The process and its HTTP layer.
pub(super) static HTTP: Exporter = Exporter {
    id: "http",
    name: "Process and HTTP layer",
    prefixes: &[
        Prefix { text: "http_", by: "the FastAPI instrumentator", marks: &[] },
        Prefix { text: "process_", by: "the Prometheus client library", marks: &[] },
    ],
    names: NAMES,
    edges: &[],
    labels: &[],
    note: "A server with several processes (multiprocess mode) exports no process_ families.",
};

static NAMES: &[Name] = &[
    Name::counter(
        "requests_total",
        M::Arrived,
        Per::Request,
        "HTTP requests of any kind, scrapes included, by handler",
    )
    .by(&["handler", "method", "status"]),
    Name::histogram(
        "request_duration_seconds",
        M::Stage,
        Per::Request,
        "HTTP request to the start of its answer, by handler",
    )
    .by(&["handler", "method"])
    .note("A stream’s answer starts with its first bytes, so it is no E2E."),
    Name::histogram(
        "request_duration_highr_seconds",
        M::Stage,
        Per::Request,
        "HTTP request to the start of its answer, all handlers",
    ),
    Name::gauge("start_time_seconds", M::Other, "when the process started, Unix time")
        .unit(UnitOf::Seconds)
        .apart()
        .note("Another value than before is a restart."),
    Name::counter("cpu_seconds_total", M::Other, Per::Event, "CPU time").unit(UnitOf::Seconds),
    Name::gauge("resident_memory_bytes", M::Other, "memory in use").unit(UnitOf::Bytes),
    Name::gauge("virtual_memory_bytes", M::Other, "address space in use").unit(UnitOf::Bytes),
    Name::gauge("open_fds", M::Other, "files and sockets open"),
    Name::gauge("max_fds", M::Other, "files and sockets that may be open"),
];
