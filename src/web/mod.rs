//! Browser plumbing, without Leptos: workers, files, downloads, storage, the clock.
//!
//! Knows browser APIs and the protocol's types. Must not know what a metric is.

pub mod blob_source;
pub mod canvas;
pub mod clock;
pub mod device;
pub mod download;
pub mod engine_worker;
pub mod files;
pub mod import_worker;
pub mod paper;
pub mod storage;
mod worker;
pub mod worker_link;
