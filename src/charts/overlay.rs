//! The crosshair: what lies over a chart while a point is under the pointer, focused or pinned.

use super::hit::Hit;
use super::layout::Layout;
use super::scale::{Scale, Tick};
use super::scene::{Anchor, Rect, Scene, Shape, Size, text_box};
use super::spec::Spec;
use super::text;
use super::theme::Theme;

/// Draws a ring around a point, guides to both axes and the values there, on transparent ground.
pub fn crosshair(spec: &Spec, size: Size, theme: &Theme, hit: Hit) -> Scene {
    let layout = Layout::of(spec, size);
    let plot = layout.plot;
    let (x, y) = hit.at;
    let focus = theme.focus.into();
    let mut shapes = Vec::new();
    let mut guide = |path| {
        shapes.push(Shape::Line { path, width: 1.25, dash: Some((3.0, 2.0)), paint: focus });
    };
    guide(vec![(plot.left, y), (x - 14.0, y)]);
    guide(vec![(x, y + 14.0), (x, plot.bottom)]);
    shapes.push(Shape::Circle { at: hit.at, radius: 14.0, stroke: Some(2.0), paint: focus });

    if !layout.y_ticks.is_empty() {
        let value = layout.y.said(y);
        let wide = text::width(&value, false) + 10.0;
        let right = plot.left - 2.0;
        let area = Rect { left: (right - wide).max(0.0), right, top: y - 9.0, bottom: y + 9.0 };
        let near = numbers(&layout.y_ticks, &layout.y, |at, label| {
            text_box((plot.left - 8.0, at), Anchor::End, text::width(label, false))
        });
        tag(&mut shapes, theme, near, area, value);
    }
    if !layout.x_ticks.is_empty() {
        let value = layout.x.said(x);
        let wide = text::width(&value, false) + 10.0;
        let middle = x.min(size.width - wide / 2.0).max(wide / 2.0);
        let area = Rect::around((middle, plot.bottom + 16.0), wide, 18.0);
        let near = numbers(&layout.x_ticks, &layout.x, |at, label| {
            let wide = text::width(label, false);
            text_box((at, plot.bottom + 16.0), Anchor::Middle, wide)
        });
        tag(&mut shapes, theme, near, area, value);
    }
    Scene { size, shapes, unlabelled: Vec::new() }
}

/// The grounds of the tick numbers of an axis, where `area` puts them.
fn numbers(ticks: &[Tick], scale: &Scale, area: impl Fn(f64, &str) -> Rect) -> Vec<Rect> {
    ticks.iter().filter_map(|t| scale.px(t.value).map(|at| area(at, &t.label))).collect()
}

/// Draws a value on focus ground; tick numbers it would half cover are wiped out.
fn tag(shapes: &mut Vec<Shape>, theme: &Theme, numbers: Vec<Rect>, area: Rect, text: String) {
    for under in numbers.into_iter().filter(|n| n.overlaps(&area)) {
        shapes.push(Shape::Rect { area: under, paint: theme.page.into() });
    }
    shapes.push(Shape::Rect { area, paint: theme.focus.into() });
    let at = area.centre();
    let paint = theme.on_accent.into();
    shapes.push(Shape::Text {
        at,
        anchor: Anchor::Middle,
        text,
        bold: false,
        size: text::SIZE,
        paint,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::drawing::Drawing;
    use crate::charts::hit::Hits;
    use crate::charts::testing;
    use crate::charts::theme::Mode;

    #[test]
    fn both_axes_show_the_value_at_the_point() {
        let (spec, size) = (testing::curves(), Size::new(752, 396));
        let hits = Hits::of(&Drawing::Plot(spec.clone()), size, None);
        let hit = hits.find("sglang/16").unwrap();
        let scene = crosshair(&spec, size, &Theme::of(Mode::Light), hit);
        let texts: Vec<_> = scene
            .shapes
            .iter()
            .filter_map(|s| if let Shape::Text { text, .. } = s { Some(text) } else { None })
            .collect();
        assert_eq!(texts, ["559", "16.0"]);
        let frame = Rect { left: 0.0, top: 0.0, right: 752.0, bottom: 396.0 };
        assert!(scene.shapes.iter().filter_map(Shape::text_box).all(|b| frame.encloses(&b)));
    }
}
