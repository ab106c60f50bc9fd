//! The engine: the session of runs, imports, and answers to questions, without a browser.
//!
//! Knows the session and the protocol. Must not know `web_sys`, Leptos, or which thread it is on.

mod dump_file;
pub mod import;
pub mod joining;
pub mod plain;
pub mod protocol;
pub mod refusals;
mod reopen;
mod report_input;
mod saving;
pub mod secrets;
mod session;
mod source;
mod unpack;
pub mod wire;

pub use dump_file::dump_file;
pub use import::Imported;
pub use joining::Arrangement;
pub use protocol::{
    Answer, Cause, Duplicate, ImportReply, ImportRequest, JobId, Opened, Query, Refusal, Reply,
    Request, Said,
};
pub use session::{Outgoing, Session};
pub use source::ByteSource;
