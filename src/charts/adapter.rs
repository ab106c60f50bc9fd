//! Puts a scene on any plotters backend, evening out what backends do differently.
//!
//! Backends count in whole pixels: everything is multiplied by the theme's scale first, so a canvas
//! of device pixels and an SVG at four times its size both come out smooth. The SVG backend divides
//! text sizes by 1.24 and the canvas does not; text widths come from our own table on both.
//! docs/decisions/0005-plotters-adapter.md has the reasons.

use super::scene::{Anchor, Paint, Pt, Scene, Shape};
use super::text;
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontFamily, FontStyle,
};
use std::convert::Infallible;

/// Which backend is drawn on, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// Takes text sizes as they are: plotters-canvas, and recorders in tests.
    Canvas,
    /// plotters-svg, which divides text sizes by 1.24.
    Svg,
}

impl Medium {
    fn text_factor(self) -> f64 {
        match self {
            Self::Canvas => 1.0,
            Self::Svg => 1.24,
        }
    }
}

struct Stroke {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.color
    }
    fn stroke_width(&self) -> u32 {
        self.width
    }
}

struct Type {
    color: BackendColor,
    size: f64,
    bold: bool,
    anchor: Anchor,
    /// Width of the text in backend pixels, for backends that ask.
    extent: f64,
}

impl BackendTextStyle for Type {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        self.color
    }
    fn size(&self) -> f64 {
        self.size
    }
    fn style(&self) -> FontStyle {
        if self.bold { FontStyle::Bold } else { FontStyle::Normal }
    }
    fn anchor(&self) -> Pos {
        let h_pos = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos { h_pos, v_pos: VPos::Center }
    }
    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(text::FAMILY)
    }
    fn layout_box(&self, _: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (self.extent.ceil() as i32, self.size.ceil() as i32)))
    }
    /// Draws nothing: only backends that render text themselves are used.
    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: F,
    ) -> Result<Result<(), E>, Infallible> {
        Ok(Ok(()))
    }
}

fn color(paint: Paint) -> BackendColor {
    BackendColor { alpha: paint.alpha, rgb: (paint.rgb.0, paint.rgb.1, paint.rgb.2) }
}

/// Draws a scene with `scale` backend pixels per logical pixel.
pub fn paint<B: DrawingBackend>(
    scene: &Scene,
    scale: f64,
    medium: Medium,
    backend: &mut B,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let px = |v: f64| (v * scale).round() as i32;
    let at = |(x, y): Pt| (px(x), px(y));
    let stroke = |width: f64, paint: Paint| Stroke {
        color: color(paint),
        width: (width * scale).round().max(1.0) as u32,
    };
    backend.ensure_prepared()?;
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { area, paint } => {
                let (left, top) = (px(area.left), px(area.top));
                // A rule of one pixel must not round away.
                let right = px(area.right).max(left + 1);
                let bottom = px(area.bottom).max(top + 1);
                backend.draw_rect((left, top), (right, bottom), &color(*paint), true)?;
            }
            Shape::Fill { outline, paint } => {
                backend.fill_polygon(outline.iter().copied().map(at), &color(*paint))?;
            }
            Shape::Circle { at: centre, radius, stroke: ring, paint } => {
                let radius = (radius * scale).round().max(1.0) as u32;
                let style = stroke(ring.unwrap_or(1.0), *paint);
                backend.draw_circle(at(*centre), radius, &style, ring.is_none())?;
            }
            Shape::Line { path, width, dash, paint } => {
                let style = stroke(*width, *paint);
                match dash {
                    None => backend.draw_path(path.iter().copied().map(at), &style)?,
                    Some(dash) => {
                        for piece in dashes(path, *dash) {
                            backend.draw_path(piece.into_iter().map(at), &style)?;
                        }
                    }
                }
            }
            Shape::Text { at: place, anchor, text, bold, size, paint } => {
                let style = Type {
                    color: color(*paint),
                    size: size * scale * medium.text_factor(),
                    bold: *bold,
                    anchor: *anchor,
                    extent: text::width_at(text, *bold, *size) * scale,
                };
                backend.draw_text(text, &style, at(*place))?;
            }
        }
    }
    backend.present()
}

/// Cuts a line into its dashes; the pattern runs on across corners.
fn dashes(path: &[Pt], (on, off): (f64, f64)) -> Vec<Vec<Pt>> {
    let mut pieces = Vec::new();
    let (mut drawing, mut left) = (true, on);
    let mut piece: Vec<Pt> = path.first().copied().into_iter().collect();
    for (&a, &b) in path.iter().zip(path.iter().skip(1)) {
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            let t = gone / length;
            let here = (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
            if drawing {
                piece.push(here);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![here];
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= length - gone;
        if drawing {
            piece.push(b);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_run_on_across_a_corner() {
        let got = dashes(&[(0.0, 0.0), (8.0, 0.0), (8.0, 10.0)], (6.0, 3.0));
        assert_eq!(got, vec![vec![(0.0, 0.0), (6.0, 0.0)], vec![(8.0, 1.0), (8.0, 7.0)]],);
        assert!(dashes(&[], (6.0, 3.0)).is_empty());
    }
}
