//! Prometheus: how exposition text and its relatives are read, what the servers' metrics mean, and what
//! two scrapes or a range of them can and cannot say.
#![deny(clippy::indexing_slicing)]

mod dates;
mod families;
mod gathered;
pub mod openmetrics;
mod pages;
mod scanner;
mod store;
mod summed;

pub use pages::Pages;

use crate::model::Dump;
use crate::notice::Notices;

/// Reads exposition text: one page of `/metrics` or several, in text 0.0.4 or OpenMetrics, a federation
/// page, `promtool tsdb dump`. Never fails: lines that are no samples are left out, counted and named in
/// `out`, so look whether the dump holds any series.
pub fn read_text(bytes: &[u8], out: &mut Notices) -> Dump {
    let mut pages = Pages::new(ends_openmetrics(bytes));
    pages.feed(bytes);
    pages.finish(out)
}

/// Whether the last line is `# EOF`, which ends OpenMetrics.
fn ends_openmetrics(bytes: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(b"# EOF")
}

mod account;
mod answers;
mod change;
mod collector;
mod dates;
mod documents;
mod engine;
mod families;
pub mod identities;
mod joined;
mod keys;
pub mod names;
pub mod openmetrics;
mod pages;
mod panel_table;
mod read;
mod scanner;
mod seen;
mod sniff;
mod store;
pub mod traps;
pub(crate) mod words;

pub use account::{
    Account, Ask, Rated, Row, ServerCounter, ServerGauge, ServerHistogram, ServerSummary, Span,
    Stretch,
};
pub use collector::Collector;
pub use engine::{Engine, engine};
pub use gathered::account;
pub use joined::{joined, last_reading};
pub use keys::{Folded, Role};
pub use pages::Pages;
pub use read::{Unread, read, read_text, read_told};
pub use seen::Seen;
pub use sniff::{Looks, looks};
