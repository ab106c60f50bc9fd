//! Views: what one screen part shows, as rows, sentences and chart specs.
//!
//! Turns metric answers into text with units and digits. Knows metrics, model and chart specs; must
//! not know file formats, HTML, threads or drawing backends. Every type here travels as JSON.

pub mod capacity;
pub mod changes;
pub mod chart_words;
pub mod compare;
pub mod context;
pub mod curves;
pub mod definitions;
pub mod detective;
pub mod distributions;
pub mod dumps;
pub mod explain;
pub mod goodput;
pub mod groups;
mod labels;
pub mod library;
pub mod limit_sets;
mod measure;
mod numbers;
mod places;
pub mod quality;
pub mod raw;
pub mod repeats;
pub mod requests;
pub mod run_card;
mod saved;
pub mod sensitivity;
pub mod server;
pub mod slo;
pub mod window;

pub use context::{Context, Judged, Ruler};
pub use labels::{by_file, letter, version};
pub use numbers::count;
pub use saved::{SavedSet, SavedSetError};
