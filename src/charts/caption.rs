//! A picture that leaves the page says its finding and its definitions: title and stamp above the chart.

use super::draw::Chart;
use super::scene::{Anchor, Pt, Rect, Scene, Shape, Size};
use super::text;
use super::theme::Theme;

/// From the top to the middle of the first line.
const FIRST: f64 = 10.0;
/// From one line to the next.
const LINE: f64 = 18.0;
/// Size of the title.
const TITLE: f64 = 14.0;
/// Between the last line and the chart.
const CLEAR: f64 = 16.0;

/// The lines that stand above a chart: none of them is cut, a stamp least of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caption {
    title: Vec<String>,
    stamp: Vec<String>,
}

/// One line of a caption.
pub(crate) struct Line<'a> {
    /// Its words.
    pub words: &'a str,
    /// Its middle.
    pub y: f64,
    /// Whether it is of the title: larger, bold, in ink.
    pub title: bool,
}

impl Caption {
    /// Breaks title and stamp of a chart for a width.
    pub(crate) fn of(chart: &dyn Chart, width: f64) -> Self {
        Self {
            title: text::wrapped(chart.title(), true, width * text::SIZE / TITLE),
            stamp: text::wrapped(chart.stamp(), false, width),
        }
    }

    /// Its lines from top to bottom; where one of both is empty its place stays free.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let under = self.title.len().max(1);
        let line = |words, at: usize, title| {
            let y = FIRST + LINE * at as f64;
            Line { words, y, title }
        };
        let title = self.title.iter().enumerate().map(move |(at, words)| line(words, at, true));
        let stamp = self.stamp.iter().enumerate();
        title.chain(stamp.map(move |(at, words)| line(words, under + at, false)))
    }

    /// Its room above the chart, in logical pixels.
    pub(crate) fn height(&self) -> u32 {
        let lines = self.title.len().max(1) + self.stamp.len().max(1);
        (LINE * (lines as f64 - 1.0) + FIRST + CLEAR) as u32
    }
}

/// Room of title and stamp above a chart of some width, in logical pixels.
pub fn head(chart: &dyn Chart, width: u32) -> u32 {
    Caption::of(chart, f64::from(width)).height()
}

/// A chart laid out for `size` with its title and stamp above it, in a scene that is [`head`] taller.
pub fn captioned(chart: &dyn Chart, size: Size, theme: &Theme) -> Scene {
    let mut scene = chart.scene(size, theme);
    let caption = Caption::of(chart, size.width);
    let head = f64::from(caption.height());
    for shape in &mut scene.shapes {
        lower(shape, head);
    }
    let line = |line: Line<'_>| Shape::Text {
        at: (0.0, line.y),
        anchor: Anchor::Start,
        text: line.words.to_owned(),
        bold: line.title,
        size: if line.title { TITLE } else { text::SIZE },
        paint: if line.title { theme.ink } else { theme.ink3 }.into(),
    };
    let area = Rect { left: 0.0, top: 0.0, right: size.width, bottom: head };
    let ground = std::iter::once(Shape::Rect { area, paint: theme.page.into() });
    scene.shapes.splice(0..0, ground.chain(caption.lines().map(line)));
    scene.size.height += head;
    scene
}

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
        let room = head(&chart, 960);
        assert_eq!(scene.size.height.round() as u32, 480 + room);
        assert_eq!(scene.shapes.len(), plain.shapes.len() + 3);
        let words: Vec<&str> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { at, text, .. } if at.1 < f64::from(room) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(words, [chart.title(), chart.stamp()]);
        // The chart itself is the same, only lower.
        for (at, shape) in plain.shapes.iter().enumerate() {
            let mut moved = shape.clone();
            lower(&mut moved, f64::from(room));
            assert_eq!(scene.shapes[at + 3], moved);
        }
    }

    #[test]
    fn a_long_stamp_breaks_into_lines_and_loses_no_word() {
        let mut chart = testing::goodput();
        chart.stamp = [chart.stamp.as_str(); 6].join(" · ");
        let caption = Caption::of(&chart, 420.0);
        let said: Vec<&str> = caption.lines().filter(|l| !l.title).map(|l| l.words).collect();
        assert!(said.len() > 3 && said.join(" ") == chart.stamp, "{said:?}");
        let last = caption.lines().last().unwrap().y;
        assert!(last + text::LINE / 2.0 < f64::from(caption.height()));
        assert!(head(&chart, 420) > head(&testing::goodput(), 960));
    }
}
