//! A picture that leaves the page says its finding and its definitions: title and stamp above the chart.

use super::draw::Chart;
use super::scene::{Anchor, Pt, Rect, Scene, Shape, Size};
use super::text;
use super::theme::Theme;

/// Room of title and stamp above the chart, in logical pixels.
pub const HEAD: u32 = 44;
/// Half the height of both lines, from the top.
const LINES: [f64; 2] = [10.0, 28.0];

/// A chart laid out for `size` with its title and stamp above it, in a scene that is [`HEAD`] taller.
pub fn captioned(chart: &dyn Chart, size: Size, theme: &Theme) -> Scene {
    let mut scene = chart.scene(size, theme);
    let head = f64::from(HEAD);
    for shape in &mut scene.shapes {
        lower(shape, head);
    }
    let line = |at, words: &str, bold, paint| Shape::Text {
        at: (0.0, at),
        anchor: Anchor::Start,
        text: text::fitted(words, if bold { size.width / BOLDER } else { size.width }),
        bold,
        size: text::SIZE,
        paint,
    };
    let [title, stamp] = LINES;
    let ground = Rect { left: 0.0, top: 0.0, right: size.width, bottom: head };
    let caption = [
        Shape::Rect { area: ground, paint: theme.page.into() },
        line(title, chart.title(), true, theme.ink.into()),
        line(stamp, chart.stamp(), false, theme.ink3.into()),
    ];
    scene.shapes.splice(0..0, caption);
    scene.size.height += head;
    scene
}

/// The bold cut is wider than the one that the width table answers for, by no more than this.
const BOLDER: f64 = 1.13;

/// Moves a shape down.
fn lower(shape: &mut Shape, by: f64) {
    let down = |place: &mut Pt| place.1 += by;
    match shape {
        Shape::Rect { area, .. } => {
            area.top += by;
            area.bottom += by;
        }
        Shape::Fill { outline: path, .. } | Shape::Line { path, .. } => {
            path.iter_mut().for_each(down);
        }
        Shape::Circle { at, .. } | Shape::Text { at, .. } => down(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::{Mode, testing};

    #[test]
    fn title_and_stamp_stand_above_the_chart_and_nothing_else_does() {
        let (chart, theme) = (testing::goodput(), Theme::of(Mode::Light));
        let size = Size::new(960, 480);
        let (plain, scene) = (chart.scene(size, &theme), captioned(&chart, size, &theme));
        assert_eq!(scene.size.height.round() as u32, 480 + HEAD);
        assert_eq!(scene.shapes.len(), plain.shapes.len() + 3);
        let words: Vec<&str> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { at, text, .. } if at.1 < f64::from(HEAD) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(words, [chart.title(), chart.stamp()]);
        // The chart itself is the same, only lower.
        for (at, shape) in plain.shapes.iter().enumerate() {
            let mut moved = shape.clone();
            lower(&mut moved, f64::from(HEAD));
            assert_eq!(scene.shapes[at + 3], moved);
        }
    }
}
