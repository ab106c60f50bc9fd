//! A map over two quantities: a cell a pair, its value printed in it, its ground one of a few steps.
//!
//! The colour only helps the eye: every number stands in its cell, and the steps have a key.

mod paint;

use super::draw::{Chart, words_of_fields};
use super::scene::{Rect, Scene, Size};
use super::theme::Theme;
use serde::{Deserialize, Serialize};

/// A map: columns with x, rows with y, the largest y on top.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Heat {
    /// The finding.
    pub title: String,
    /// What a cell is, and what is held.
    pub stamp: String,
    /// One paragraph for readers who can't see it.
    pub summary: String,
    /// Sentences that stand under it.
    pub notes: Vec<String>,
    /// "TTFT limit, ms".
    pub x_title: String,
    /// "TPOT limit, ms".
    pub y_title: String,
    /// What both axes go toward, such as "looser".
    pub toward: String,
    /// The unit of the cells.
    pub unit: String,
    /// The places across, as text.
    pub x: Vec<String>,
    /// The places upward, the topmost first.
    pub y: Vec<String>,
    /// One row a place of y.
    pub rows: Vec<Vec<HeatCell>>,
    /// The least value of each step, from the lowest up; none where the steps are of a difference.
    pub key: Vec<(String, u8)>,
    /// Steps go from 0, worst, over 4, no difference, to 8, best; else from 0 up to 6.
    pub diverging: bool,
}

/// One pair.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeatCell {
    /// Opaque name that says which cell was hit; unique within the map.
    pub key: String,
    /// "8.9", "≤ 8.9", "+1.2"; a dash where it can't be had.
    pub text: String,
    /// What stands with it in plain: "@12", the load that it takes.
    pub under: String,
    /// The number with every digit.
    pub value: Option<f64>,
    /// Which step; none without a number.
    pub step: Option<u8>,
    /// Whether it is the pair that is set.
    pub chosen: bool,
    /// Lines of the card: a name and a value each.
    pub tip: Vec<(String, String)>,
}

impl Chart for Heat {
    words_of_fields!();
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        paint::scene(self, size, theme)
    }
    fn height(&self, width: f64) -> Option<f64> {
        Some(paint::Layout::of(self, width).height)
    }
}

impl Heat {
    /// Every cell with its row, its column and its ground.
    pub(crate) fn grounds(
        &self,
        size: Size,
    ) -> impl Iterator<Item = (usize, usize, &HeatCell, Rect)> {
        let layout = paint::Layout::of(self, size.width);
        self.rows.iter().enumerate().flat_map(move |(row, cells)| {
            let cells = cells.iter().enumerate();
            cells.map(move |(column, cell)| (row, column, cell, layout.cell(row, column)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::testing;

    #[test]
    fn cells_lie_beside_each_other_inside_the_frame_at_every_width() {
        let heat = testing::heat();
        for width in [320_u32, 358, 522, 960] {
            let size = Size::new(width, heat.height(f64::from(width)).unwrap().ceil() as u32);
            let cells: Vec<Rect> = heat.grounds(size).map(|(.., ground)| ground).collect();
            assert_eq!(cells.len(), 49);
            let frame = Rect { left: 0.0, top: 0.0, right: size.width, bottom: size.height };
            for (i, cell) in cells.iter().enumerate() {
                assert!(frame.encloses(cell) && cell.width() > 30.0, "{width}: {cell:?}");
                assert!(cells[i + 1..].iter().all(|other| !other.overlaps(cell)));
            }
        }
    }
}
