//! Prometheus: how exposition text and its relatives are read, what the servers' metrics mean, and what
//! two scrapes or a range of them can and cannot say.
#![deny(clippy::indexing_slicing)]

mod account;
mod answers;
mod change;
mod collector;
mod dates;
mod documents;
mod engine;
mod families;
mod gathered;
pub mod identities;
mod joined;
mod keys;
pub mod names;
pub mod openmetrics;
mod order;
mod pages;
mod panel_table;
mod read;
mod scanner;
mod seen;
mod sniff;
mod store;
mod summed;
pub mod traps;
pub(crate) mod words;

pub use account::{
    Account, Ask, Rated, Row, ServerCounter, ServerGauge, ServerHistogram, ServerSummary, Span,
    Stretch,
};
pub use collector::Collector;
pub use engine::{Engine, engine};
pub use gathered::account;
pub use joined::{joined, joined_told, last_reading};
pub use keys::{Folded, Role};
pub use order::{Given, one_process, strangers};
pub use pages::Pages;
pub use read::{Unread, read, read_text, read_told};
pub use seen::Seen;
pub use sniff::{Looks, looks};
