//! Charts: a [`Spec`] of axes, series and marks, drawn by one generic path on any plotters backend.
//!
//! Knows pixels, scales, colours and where a label fits. Must not know runs, metrics, the canvas or
//! the DOM: views decide what is shown and in which words, and hand over plain data.
//!
//! A spec becomes a [`scene::Scene`] in logical pixels ([`layout`], `axes`, `grounds`, `labels`),
//! and [`adapter::paint`] puts the scene on a backend: plotters-canvas on screen, plotters-svg in
//! reports ([`to_svg`]), a recorder in tests. [`hit`] answers pointer and keyboard from the same
//! layout, [`overlay`] draws the crosshair, [`thin()`] shortens long lines before they are posted.
//!
//! Not every picture is a plot: a [`Waterfall`] and a [`Stream`] are drawings of rulers, a [`Heat`] is a
//! map of cells and [`Lanes`] show a run request by request, all made with a `pen`. [`Drawing`] is any of
//! them, for what draws, points, speaks and exports.

pub mod adapter;
mod axes;
mod caption;
mod draw;
pub mod drawing;
mod grounds;
pub mod heat;
pub mod hit;
mod labels;
pub mod lanes;
pub mod layout;
mod markers;
pub mod overlay;
mod pen;
mod place;
mod rulers;
pub mod scale;
pub mod scene;
pub mod spec;
pub mod stream;
mod svg;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod theme;
mod thin;
pub mod waterfall;

pub use adapter::{Medium, paint};
pub use caption::{captioned, head};
pub use draw::{Chart, draw};
pub use drawing::Drawing;
pub use heat::{Heat, HeatCell};
pub use lanes::Lanes;
pub use markers::corners;
pub use scene::Size;
pub use spec::{RulerStrip, Spec};
pub use stream::Stream;
pub use svg::{to_captioned_svg, to_svg};
pub use theme::{Mode, Theme, css_variables};
pub use thin::thin;
pub use waterfall::Waterfall;
