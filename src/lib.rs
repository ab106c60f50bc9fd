//! Same Ruler: LLM serving benchmarks, measured again under one visible definition.
//!
//! One pure core serves the page, the worker, the command and the report. The map of the rooms, and
//! what may import what, is `docs/architecture.md`; `tests/rooms.rs` keeps it true.

pub mod archives;
pub mod charts;
pub mod checks;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod engine;
pub mod formats;
pub mod link;
pub mod metrics;
pub mod model;
pub mod notice;
pub mod prometheus;
pub mod report;
pub mod session_file;
pub mod stats;
pub mod ui;
pub mod units;
pub mod views;
#[cfg(target_arch = "wasm32")]
pub mod web;
