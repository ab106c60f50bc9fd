//! A laid-out chart: shapes in logical pixels, in drawing order. The adapter puts them on a backend.

use super::text;
use super::theme::Rgb;

/// A place in logical pixels, from the top left.
pub type Pt = (f64, f64);

/// The room a chart gets, in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Size {
    /// A size from whole pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width: f64::from(width), height: f64::from(height) }
    }
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

impl Rect {
    /// The rectangle of a width and height around a centre.
    pub fn around((x, y): Pt, width: f64, height: f64) -> Self {
        let (w, h) = (width / 2.0, height / 2.0);
        Self { left: x - w, top: y - h, right: x + w, bottom: y + h }
    }
    /// Its width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
    /// Its height.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
    /// Its centre.
    pub fn centre(&self) -> Pt {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }
    /// Says whether a place lies in it, edges included.
    pub fn holds(&self, (x, y): Pt) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
    /// Says whether another rectangle lies wholly in it.
    pub fn encloses(&self, other: &Self) -> bool {
        self.holds((other.left, other.top)) && self.holds((other.right, other.bottom))
    }
    /// The same with as much more on every side.
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }
    /// Says whether two rectangles share any ground.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
    /// The part of the segment from `a` to `b` that lies in it (Liang and Barsky 1984).
    pub fn clip(&self, a: Pt, b: Pt) -> Option<(Pt, Pt)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let edges = [
            (-dx, a.0 - self.left),
            (dx, self.right - a.0),
            (-dy, a.1 - self.top),
            (dy, self.bottom - a.1),
        ];
        for (speed, distance) in edges {
            if speed == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if speed < 0.0 {
                enter = enter.max(distance / speed);
            } else {
                leave = leave.min(distance / speed);
            }
        }
        // Far ends lose the digits that would put the cut on the edge.
        let at = |t: f64| {
            let (x, y) = (a.0 + t * dx, a.1 + t * dy);
            (x.max(self.left).min(self.right), y.max(self.top).min(self.bottom))
        };
        (enter <= leave).then(|| (at(enter), at(leave)))
    }
}

/// A colour and how much of it covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// The colour.
    pub rgb: Rgb,
    /// 0 is nothing, 1 covers.
    pub alpha: f64,
}

impl Rgb {
    /// This colour at a cover of `alpha`.
    pub const fn at(self, alpha: f64) -> Paint {
        Paint { rgb: self, alpha }
    }
}

impl From<Rgb> for Paint {
    fn from(rgb: Rgb) -> Self {
        rgb.at(1.0)
    }
}

/// Where the given place lies in a text; always at half its height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// In its middle.
    Middle,
    /// At its right end.
    End,
}

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled upright rectangle, also every straight rule: it stays sharp on any screen.
    Rect {
        /// Where.
        area: Rect,
        /// In what.
        paint: Paint,
    },
    /// A filled outline.
    Fill {
        /// Its corners.
        outline: Vec<Pt>,
        /// In what.
        paint: Paint,
    },
    /// A disc, or a ring where a stroke width is given.
    Circle {
        /// Centre.
        at: Pt,
        /// Radius.
        radius: f64,
        /// Width of the ring; nothing for a disc.
        stroke: Option<f64>,
        /// In what.
        paint: Paint,
    },
    /// An open line.
    Line {
        /// Its corners.
        path: Vec<Pt>,
        /// Stroke width.
        width: f64,
        /// Lengths drawn and skipped.
        dash: Option<(f64, f64)>,
        /// In what.
        paint: Paint,
    },
    /// One line of text.
    Text {
        /// The place of its anchor.
        at: Pt,
        /// Which part of the text is at that place.
        anchor: Anchor,
        /// The words.
        text: String,
        /// In the bold cut.
        bold: bool,
        /// Its size in pixels.
        size: f64,
        /// In what.
        paint: Paint,
    },
}

impl Shape {
    /// The ground a text covers; nothing for other shapes.
    pub fn text_box(&self) -> Option<Rect> {
        let Self::Text { at, anchor, text, bold, size, .. } = self else { return None };
        let area = text_box(*at, *anchor, text::width_at(text, *bold, *size));
        let more = text::LINE / 2.0 * (size / text::SIZE - 1.0);
        Some(Rect { top: area.top - more, bottom: area.bottom + more, ..area })
    }
}

/// The ground a line of text of some width covers at a place.
pub(crate) fn text_box((x, y): Pt, anchor: Anchor, width: f64) -> Rect {
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    let half = text::LINE / 2.0;
    Rect { left, top: y - half, right: left + width, bottom: y + half }
}

/// A laid-out chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The room it was laid out for.
    pub size: Size,
    /// What to draw, in order.
    pub shapes: Vec<Shape>,
    /// Series whose name found no place in the picture: they belong into a legend beside it.
    pub unlabelled: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_the_inner_part_of_a_segment() {
        let r = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };
        assert_eq!(r.clip((-5.0, 5.0), (5.0, 5.0)), Some(((0.0, 5.0), (5.0, 5.0))));
        assert_eq!(r.clip((2.0, 2.0), (3.0, 4.0)), Some(((2.0, 2.0), (3.0, 4.0))));
        assert_eq!(r.clip((-5.0, 0.0), (0.0, 20.0)), None);
        assert_eq!(r.clip((20.0, 3.0), (20.0, 9.0)), None);
    }
}
