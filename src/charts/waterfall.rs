//! The waterfall: two numbers as pieces of one ruler, and between them the steps from the one to the other.
//!
//! A bar's length is the number: A and B carry the ticks of the axis, and the longer of them the length of
//! the shorter, so that the ratio is seen before it is read.

mod bars;
mod lengths;

use super::draw::{Chart, words_of_fields};
use super::scene::{Rect, Scene, Size};
use super::theme::Theme;
use serde::{Deserialize, Serialize};

/// Bars on one scale from zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Waterfall {
    /// The finding, as a sentence.
    pub title: String,
    /// The definition stamps of both numbers.
    pub stamp: String,
    /// One paragraph for readers who can't see it.
    pub summary: String,
    /// Sentences that stand under it.
    pub notes: Vec<String>,
    /// The unit of the axis.
    pub unit: String,
    /// A, the steps, what is left over, B.
    pub rows: Vec<WaterfallRow>,
}

/// One row of the waterfall.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WaterfallRow {
    /// Opaque name that says which row was hit; unique within the drawing.
    pub key: String,
    /// What it is.
    pub kind: BarKind,
    /// “1”; empty where it has none. A and B have their badge.
    pub mark: String,
    /// What it is called.
    pub title: String,
    /// What stands under its name.
    pub under: String,
    /// Where the bar starts and ends, in the unit of the axis; the arrow points to its end. Nothing where
    /// the number is not known.
    pub span: Option<(f64, f64)>,
    /// Lower end of the interval around the end.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// As printed and not recomputed, so that it is drawn hollow.
    pub hollow: bool,
    /// “−17.00”, “30.60 ms”.
    pub label: String,
    /// The cause in a few words, the longest wording first: the first that fits stands in the bar.
    pub causes: Vec<String>,
    /// Lines of the card: a name and a value each.
    pub tip: Vec<(String, String)>,
}

/// What a row of the waterfall is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarKind {
    /// A, from 0 to its value.
    A,
    /// A step, from running total to running total.
    #[default]
    Step,
    /// What all definition steps make together; a rule stands above it.
    Explained,
    /// What no definition explains, with its interval.
    Remainder,
    /// B, from 0 to its value.
    B,
}

impl Chart for Waterfall {
    words_of_fields!();
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        bars::scene(self, size, theme)
    }
    fn height(&self, width: f64) -> Option<f64> {
        Some(bars::Layout::of(self, width).height)
    }
}

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ground {
    /// The whole strip of the row: what the pointer hits.
    pub strip: Rect,
    /// Its bar; the start of the plot where the number is not known.
    pub bar: Rect,
}

impl Waterfall {
    /// Where each row is.
    pub(crate) fn grounds(&self, size: Size) -> Vec<Ground> {
        let layout = bars::Layout::of(self, size.width);
        let rows = self.rows.iter().zip(&layout.rows);
        rows.map(|(row, place)| Ground {
            strip: Rect { left: 0.0, right: size.width, top: place.top, bottom: place.bottom },
            bar: layout.bar(row, place),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests;
