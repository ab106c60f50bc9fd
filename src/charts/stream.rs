//! One request under two rulers: its stream of events in the middle, ruler A above, ruler B below, all on
//! one clock.
//!
//! The span is the same above and below; what is counted in it differs. Lines lead from each event to its
//! marks: where an event brings several tokens and the ruler marks tokens, they open like a fan.

mod layout;
mod marks;
mod paint;

use super::draw::{Chart, words_of_fields};
use super::scene::{Pt, Rect, Scene, Size};
use super::theme::Theme;
use serde::{Deserialize, Serialize};

/// A request with both rulers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stream {
    /// The finding, as a sentence.
    pub title: String,
    /// Which request of which run, and what is known of its tokens.
    pub stamp: String,
    /// One paragraph for readers who can't see it.
    pub summary: String,
    /// Sentences that stand under it.
    pub notes: Vec<String>,
    /// The wait for the first token, where it is known.
    pub wait: Option<Wait>,
    /// The events in order.
    pub events: Vec<Event>,
    /// The ruler above; nothing where it can't be laid on this request.
    pub a: Option<Ruler>,
    /// The ruler below.
    pub b: Option<Ruler>,
    /// The event that is pinned until another one is.
    pub pinned: Option<usize>,
}

/// The stretch from the send to the first token.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wait {
    /// Its end, in ms since the send.
    pub to: f64,
    /// “wait for the first token: 110 ms”.
    pub words: String,
    /// “on neither ruler”.
    pub note: String,
}

/// One stream event.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// Opaque name that says which event was hit; unique within the drawing.
    pub key: String,
    /// When it came, in ms since the send.
    pub at: f64,
    /// The time since the event before it, in ms.
    pub gap: Option<f64>,
    /// Its tokens, where they are known.
    pub tokens: Option<u32>,
    /// “Chunk 10: 4 tokens”.
    pub name: String,
    /// What both rulers say of it: a name and a value each.
    pub lines: Vec<(String, String)>,
}

impl Event {
    /// Its lines as sentences.
    pub fn said(&self) -> impl Iterator<Item = String> {
        self.lines.iter().map(|(name, value)| format!("{name}: {value}"))
    }
}

/// One ruler.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ruler {
    /// “Ruler A”.
    pub name: String,
    /// “one mark per chunk, in ms”.
    pub under: String,
    /// What is written on it.
    pub numbers: Numbers,
    /// Its marks in order.
    pub marks: Vec<Mark>,
    /// “364 ms ÷ 12 gaps”.
    pub reading: String,
    /// “30.3 ms”.
    pub result: String,
}

/// What is written between the marks of a ruler or under them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// The length of each interval, in ms.
    #[default]
    Gaps,
    /// The number of each fifth mark, from 0.
    Counts,
}

/// One mark on a ruler.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// Its place, in ms since the send.
    pub at: f64,
    /// How many lie on it; more than one where tokens pile up on their event.
    pub piled: u32,
    /// The event it belongs to; nothing for the send, and for the end of a request.
    pub event: Option<usize>,
}

impl Chart for Stream {
    words_of_fields!();
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        self.scene_at(size, theme, None)
    }
    fn height(&self, width: f64) -> Option<f64> {
        Some(layout::Layout::of(self, width, self.pinned).height)
    }
}

impl Stream {
    /// Lays it out with another event pinned than its own.
    pub fn scene_at(&self, size: Size, theme: &Theme, key: Option<&str>) -> Scene {
        paint::scene(self, size, theme, self.held(key))
    }

    /// The event of a key, else the one that is pinned of itself.
    fn held(&self, key: Option<&str>) -> Option<usize> {
        let of_key = key.and_then(|key| self.events.iter().position(|event| event.key == key));
        of_key.or(self.pinned).filter(|at| *at < self.events.len())
    }

    /// Each drawn event: its index, its place, and the ground on which the pointer hits it. An event may
    /// have a second ground on the mini-map; those come last.
    pub(crate) fn grounds(&self, size: Size, key: Option<&str>) -> Vec<(usize, Pt, Rect)> {
        layout::Layout::of(self, size.width, self.held(key)).grounds(self)
    }

    /// Says whether what is drawn of the request depends on which event is pinned.
    pub(crate) fn has_pages(&self, size: Size) -> bool {
        layout::Layout::of(self, size.width, self.pinned).page.is_some()
    }

    /// Says whether the drawing holds the card of the pinned event itself.
    pub(crate) fn shows_card(&self, size: Size) -> bool {
        layout::Layout::of(self, size.width, self.pinned).wide
    }
}

#[cfg(test)]
mod tests;
