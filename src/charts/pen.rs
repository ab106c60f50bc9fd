//! What drawings of rulers are made of: words, rules, badges, hatched grounds, arrows.

use super::scene::{Anchor, Paint, Pt, Rect, Scene, Shape, Size};
use super::text;
use super::theme::{RulerColours, Theme};

/// One of the two rulers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letter {
    /// The first.
    A,
    /// The second.
    B,
}

impl Letter {
    /// Its colours.
    pub(crate) const fn colours(self, theme: &Theme) -> RulerColours {
        match self {
            Self::A => theme.a,
            Self::B => theme.b,
        }
    }

    /// Its letter.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// The side of a badge.
pub(crate) const BADGE: f64 = 17.0;
/// From one line of a hatch to the next, along the edge.
const HATCH: f64 = 7.0;

/// Draws on a scene in the making.
pub(crate) struct Pen<'a> {
    pub theme: &'a Theme,
    pub shapes: Vec<Shape>,
}

impl<'a> Pen<'a> {
    /// A pen on page-coloured ground.
    pub(crate) fn new(size: Size, theme: &'a Theme) -> Self {
        let area = Rect { left: 0.0, top: 0.0, right: size.width, bottom: size.height };
        Self { theme, shapes: vec![Shape::Rect { area, paint: theme.page.into() }] }
    }

    /// The scene that was drawn.
    pub(crate) fn scene(self, size: Size) -> Scene {
        Scene { size, shapes: self.shapes, unlabelled: Vec::new() }
    }

    pub(crate) fn rect(&mut self, area: Rect, paint: impl Into<Paint>) {
        self.shapes.push(Shape::Rect { area, paint: paint.into() });
    }

    pub(crate) fn line(
        &mut self,
        path: Vec<Pt>,
        width: f64,
        dash: Option<(f64, f64)>,
        paint: impl Into<Paint>,
    ) {
        self.shapes.push(Shape::Line { path, width, dash, paint: paint.into() });
    }

    /// An upright rule of some width, its middle at `x`.
    pub(crate) fn upright(
        &mut self,
        x: f64,
        (top, bottom): (f64, f64),
        width: f64,
        paint: impl Into<Paint>,
    ) {
        let half = width / 2.0;
        self.rect(Rect { left: x - half, right: x + half, top, bottom }, paint);
    }

    /// The four edges of a rectangle, inside it.
    pub(crate) fn edges(&mut self, area: Rect, width: f64, paint: impl Into<Paint>) {
        let paint = paint.into();
        let Rect { left, top, right, bottom } = area;
        for side in [
            Rect { bottom: top + width, ..area },
            Rect { top: bottom - width, ..area },
            Rect { right: left + width, ..area },
            Rect { left: right - width, ..area },
        ] {
            self.rect(side, paint);
        }
    }

    /// Words at the size of all chart text.
    pub(crate) fn text(&mut self, at: Pt, anchor: Anchor, words: &str, paint: impl Into<Paint>) {
        self.words(at, anchor, words, (false, text::SIZE), paint);
    }

    /// Words in the bold cut.
    pub(crate) fn bold(&mut self, at: Pt, anchor: Anchor, words: &str, paint: impl Into<Paint>) {
        self.words(at, anchor, words, (true, text::SIZE), paint);
    }

    /// Words in a cut and a size.
    pub(crate) fn words(
        &mut self,
        at: Pt,
        anchor: Anchor,
        words: &str,
        (bold, size): (bool, f64),
        paint: impl Into<Paint>,
    ) {
        if !words.is_empty() {
            let (text, paint) = (words.to_owned(), paint.into());
            self.shapes.push(Shape::Text { at, anchor, text, bold, size, paint });
        }
    }

    /// A small square in the colour of a ruler with its letter; `at` is the middle of its left edge.
    pub(crate) fn badge(&mut self, (x, y): Pt, letter: Letter) {
        let area = Rect::around((x + BADGE / 2.0, y), BADGE, BADGE);
        self.face(area, 3.0, letter.colours(self.theme).mark);
        self.bold(area.centre(), Anchor::Middle, letter.word(), self.theme.on_accent);
    }

    /// A filled rectangle with round corners.
    pub(crate) fn face(&mut self, area: Rect, radius: f64, paint: impl Into<Paint>) {
        self.shapes.push(Shape::Fill { outline: rounded(area, radius), paint: paint.into() });
    }

    /// A page-coloured ground under words, so that nothing runs through them.
    pub(crate) fn plate(&mut self, area: Rect) {
        self.rect(area, self.theme.page);
    }

    /// A rectangle hatched upward, with an edge.
    pub(crate) fn hatched(&mut self, area: Rect) {
        let paint = self.theme.control.at(0.5);
        let height = area.height();
        let mut x = area.left - height + HATCH;
        while x < area.right {
            if let Some((a, b)) = area.clip((x, area.bottom), (x + height, area.top)) {
                self.line(vec![a, b], 1.0, None, paint);
            }
            x += HATCH;
        }
        self.edges(area, 1.0, paint);
    }

    /// An arrow along a row from one x to another, its head at the second.
    pub(crate) fn arrow(&mut self, y: f64, from: f64, to: f64, paint: impl Into<Paint>) {
        let paint = paint.into();
        self.line(vec![(from, y), (to, y)], 1.25, None, paint);
        let back = 5.0_f64.copysign(from - to);
        self.line(vec![(to + back, y - 4.0), (to, y), (to + back, y + 4.0)], 1.25, None, paint);
    }
}

/// The outline of a rectangle with round corners.
fn rounded(area: Rect, radius: f64) -> Vec<Pt> {
    let r = radius.min(area.width() / 2.0).min(area.height() / 2.0).max(0.0);
    let corners = [
        (area.right - r, area.top + r, -90.0_f64),
        (area.right - r, area.bottom - r, 0.0),
        (area.left + r, area.bottom - r, 90.0),
        (area.left + r, area.top + r, 180.0),
    ];
    corners
        .into_iter()
        .flat_map(|(x, y, turn)| {
            (0..=4).map(move |i| {
                let angle = (turn + 22.5 * f64::from(i)).to_radians();
                (x + r * angle.cos(), y + r * angle.sin())
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::Mode;

    #[test]
    fn a_hatch_and_round_corners_stay_inside_their_rectangle() {
        let theme = Theme::of(Mode::Light);
        let area = Rect { left: 10.0, top: 20.0, right: 61.0, bottom: 44.0 };
        let mut pen = Pen::new(Size::new(100, 100), &theme);
        pen.hatched(area);
        pen.face(area, 4.0, theme.ink);
        for shape in pen.shapes.iter().skip(1) {
            let corners = match shape {
                Shape::Line { path, .. } | Shape::Fill { outline: path, .. } => path.clone(),
                Shape::Rect { area, .. } => vec![(area.left, area.top), (area.right, area.bottom)],
                _ => Vec::new(),
            };
            let near = Rect::around(area.centre(), area.width() + 0.01, area.height() + 0.01);
            assert!(corners.iter().all(|at| near.holds(*at)), "{shape:?}");
        }
        assert!(pen.shapes.len() > 8);
    }

    #[test]
    fn an_arrow_has_its_head_where_it_points() {
        let theme = Theme::of(Mode::Light);
        for (from, to) in [(50.0, 10.0), (10.0, 50.0)] {
            let mut pen = Pen::new(Size::new(100, 100), &theme);
            pen.arrow(5.0, from, to, theme.ink);
            let Some(Shape::Line { path, .. }) = pen.shapes.last() else { panic!("no head") };
            assert_eq!(path[1], (to, 5.0));
            assert!((path[0].0 - from).abs() < (to - from).abs());
        }
    }
}
