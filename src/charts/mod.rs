//! Charts: a [`Spec`] of axes, series and marks, drawn by one generic path on any plotters backend.
//!
//! Knows pixels, scales, colours and where a label fits. Must not know runs, metrics, the canvas or
//! the DOM: views decide what is shown and in which words, and hand over plain data.

pub mod spec;
pub mod theme;

pub use spec::{RulerStrip, Spec};
pub use theme::Theme;
