//! Requests as lanes on one clock: what each of them waited for, and under them how many were in flight
//! and how fast tokens came.
//!
//! A lane stands for one request or, where there are more than can be told apart, for several that follow
//! each other; whoever fills it in says so in its name.

mod layout;
mod paint;

use super::draw::{Chart, words_of_fields};
use super::scene::{Rect, Scene, Size};
use super::theme::Theme;
use serde::{Deserialize, Serialize};

/// A run request by request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lanes {
    /// The finding, as a sentence.
    pub title: String,
    /// The clock, how many requests, which window.
    pub stamp: String,
    /// One paragraph for readers who can't see it.
    pub summary: String,
    /// Sentences that stand under it.
    pub notes: Vec<String>,
    /// “request, in order of start”.
    pub heading: String,
    /// What the colours and signs stand for.
    pub key: Vec<(Sign, String)>,
    /// The times at the left and the right end, in seconds.
    pub clock: (f64, f64),
    /// “s from the first send”.
    pub clock_title: String,
    /// From top to bottom.
    pub lanes: Vec<Lane>,
    /// The lanes, by their place from 0, at whose left a number stands, and the number. Without any, lanes
    /// are numbered by their own labels as densely as there is room.
    pub numbers: Vec<(usize, String)>,
    /// Requests in flight.
    pub flight: Option<Flight>,
    /// Output over time.
    pub output: Option<Bars>,
    /// Stretches in which answers stood still, the most important first.
    pub stalls: Vec<Stretch>,
    /// Stretches that are not like the rest of the run: its start and its end.
    pub zones: Vec<Stretch>,
    /// The chosen stretch of time.
    pub window: Option<(f64, f64)>,
    /// Key of the lane of the chosen request.
    pub chosen: Option<String>,
    /// What stands beside that lane: “20”.
    pub chosen_label: String,
}

/// One request, or several that follow each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lane {
    /// Opaque name that says which lane was hit; unique within the drawing.
    pub key: String,
    /// What stands at the left: “20”, “251”.
    pub label: String,
    /// “Request 20”, “Requests 251 to 500”.
    pub name: String,
    /// What it is made of, from left to right.
    pub pieces: Vec<Piece>,
    /// Where and how it ends; nothing where that is not known or differs.
    pub end: Option<(f64, End)>,
    /// Lines of its card: a name and a value each.
    pub lines: Vec<(String, String)>,
}

/// A stretch of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Piece {
    /// Its start, in seconds of the clock.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// What passed.
    pub part: Part,
}

/// What a request waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Its turn inside the client.
    Client,
    /// Its first token.
    First,
    /// Its further tokens.
    #[default]
    Decode,
    /// One token, far longer than it usually does.
    Gap,
    /// Nothing that would come: it failed.
    Failed,
    /// Nothing that came to its end: it was cut off.
    Cut,
    /// Further tokens of a reply of some length, from 0 for the shortest fourth to 3 for the longest.
    Length(u8),
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// With its last token.
    Last,
    /// With an error.
    Failed,
    /// Cut off, or still running.
    Cut,
}

/// What stands in the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// A part of a lane.
    Part(Part),
    /// An end of a lane.
    End(End),
}

/// Requests in flight, as steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Flight {
    /// “in flight, requests”.
    pub title: String,
    /// From each time on so many.
    pub steps: Vec<(f64, f64)>,
    /// Where the most were in flight, and how it is said: “most 12”.
    pub most: Option<(f64, f64, String)>,
}

/// Bars of equal width.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Bars {
    /// “output, tok/s, bins of 0.2 s”.
    pub title: String,
    /// Where the first begins.
    pub from: f64,
    /// How wide each is.
    pub width: f64,
    /// How high each is.
    pub values: Vec<f64>,
}

/// A stretch of time with words over it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stretch {
    /// Its start, in seconds of the clock.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// What it is, the longest wording first: the first that fits stands over it.
    pub words: Vec<String>,
}

impl Chart for Lanes {
    words_of_fields!();
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        paint::scene(self, size, theme)
    }
    fn height(&self, width: f64) -> Option<f64> {
        Some(layout::Layout::of(self, width).height)
    }
}

impl Lanes {
    /// Where each lane is: the strip across the picture, and the part of it from its start to its end.
    pub(crate) fn grounds(&self, size: Size) -> Vec<(Rect, Rect)> {
        let layout = layout::Layout::of(self, size.width);
        let ground = |(at, lane): (usize, &Lane)| {
            let (top, bottom) = layout.lane(at);
            let strip = Rect { left: layout.left, right: layout.right, top, bottom };
            let ends = lane.pieces.iter().flat_map(|piece| [piece.from, piece.to]);
            let ends: Vec<f64> = ends.map(|time| layout.x(time)).collect();
            let left = ends.iter().copied().fold(f64::INFINITY, f64::min);
            let right = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (strip, if left <= right { Rect { left, right, ..strip } } else { strip })
        };
        self.lanes.iter().enumerate().map(ground).collect()
    }

    /// Left and right end of the clock and the top and bottom of what stands under the lanes, in pixels:
    /// where time is brushed.
    pub fn clock_ground(&self, width: f64) -> ((f64, f64), (f64, f64)) {
        let layout = layout::Layout::of(self, width);
        let (top, bottom) = layout.under();
        ((layout.left, layout.right), (top, bottom))
    }
}

#[cfg(test)]
mod tests;
