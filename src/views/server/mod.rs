//! Server metrics: what a server’s account says, and a client’s run against it.

mod attach;
mod buckets;
mod client;
mod gauges;
mod headline;
mod limits;
mod lines;
mod offset;
mod pairing;
mod quantile;
mod samples;
mod screen;

pub use attach::Beside;
pub use buckets::HistogramRow;
pub use client::{Bin, ClientServer, Compared, ComparedQuantile, Phase, TokenCheck, client_server};
pub use limits::{Kept, KeptLimit, kept, measure_of};
pub use offset::{Offset, offset};
pub use pairing::{ServerAsk, earlier_by_name};
pub(super) use quantile::{ServerNumber, server_number, servers};
pub use screen::{Against, Line, Mark, Pick, ServerView, Share, screen};
