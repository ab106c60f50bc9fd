//! The engine: the session of runs, imports, and answers to questions, without a browser.
//!
//! Knows the session and the protocol. Must not know `web_sys`, Leptos, or which thread it is on.

pub mod protocol;

pub use protocol::{Answer, JobId, Query, Refusal, Reply, Request};
