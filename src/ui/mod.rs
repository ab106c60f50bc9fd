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

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod address;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod app;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod client;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod focus;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod imports;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod keys;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
mod landing;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod parts;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
mod remember;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
mod reopen;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod screens;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod state;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub use app::mount;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub use client::{Client, Loaded};
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub use state::{State, use_state};
