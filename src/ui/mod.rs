//! The page: Leptos components over signals and the engine's answers.
//!
//! Knows signals, view answers, and how to put a spec on a canvas. Must not know bytes, columns,
//! formulas or how numbers are written. Only [`edits`],
//! [`import_queue`], [`mapping`], [`told`] and [`tray`] exist outside a browser, for their tests.

#![allow(
    clippy::large_types_passed_by_value,
    reason = "State is a bundle of handles, copied by design"
)]
#![allow(unreachable_pub, reason = "Leptos' component macro writes `pub` before any visibility")]

pub mod edits;
pub mod import_queue;
pub mod mapping;
pub mod told;
pub mod tray;

#[cfg(target_arch = "wasm32")]
pub mod address;
#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod focus;
#[cfg(target_arch = "wasm32")]
pub mod imports;
#[cfg(target_arch = "wasm32")]
pub mod keys;
#[cfg(target_arch = "wasm32")]
mod landing;
#[cfg(target_arch = "wasm32")]
pub mod parts;
#[cfg(target_arch = "wasm32")]
pub mod screens;
#[cfg(target_arch = "wasm32")]
pub mod state;

#[cfg(target_arch = "wasm32")]
pub use app::mount;
#[cfg(target_arch = "wasm32")]
pub use client::{Client, Loaded};
#[cfg(target_arch = "wasm32")]
pub use state::{State, use_state};
