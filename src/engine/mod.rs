//! The engine: the session of runs, imports, and answers to questions, without a browser.
//!
//! Knows the session and the protocol. Must not know `web_sys`, Leptos, or which thread it is on.

pub mod protocol;
pub mod source;

pub use protocol::{Answer, JobId, Query, Refusal, Reply, Request};
pub use source::ByteSource;
