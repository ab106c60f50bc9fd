//! Server metrics: what a server’s account says, and a client’s run against it.

mod bands;
mod client;
mod offset;
mod samples;

pub use bands::bands;
pub use client::{Bin, ClientServer, Compared, ComparedQuantile, Phase, TokenCheck, client_server};
pub use offset::{Offset, offset};
