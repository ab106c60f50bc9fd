//! The two-ruler strip: what each tool printed above, the same runs under one definition below.

use super::draw::Chart;
use super::markers::{self, Marker};
use super::scale::{self, Scale};
use super::scene::{Anchor, Rect, Scene, Shape, Size, text_box};
use super::spec::{RulerStrip, Scaling};
use super::text;
use super::theme::Theme;

const LINEAR: Scaling = Scaling::Linear { from_zero: true };
/// Room left and right of the rulers.
const SIDE: f64 = 10.0;
/// From a ruler up to the middle of the values over it.
const OVER: f64 = 17.0;

impl Chart for RulerStrip {
    fn title(&self) -> &str {
        &self.title_top
    }
    fn stamp(&self) -> &str {
        &self.title_bottom
    }
    fn summary(&self) -> &str {
        &self.summary
    }

    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        let values = self.marks.iter().flat_map(|m| [Some(m.top), m.bottom]).flatten();
        let fixed = self.domain.filter(|d| scale::drawable(LINEAR, *d));
        let most = ((size.width / 60.0) as usize).clamp(3, 8);
        // The largest mark stands free of the ruler's end.
        let domain = fixed.unwrap_or_else(|| scale::domain(LINEAR, values.map(|v| v * 1.05), most));
        let strip = Strip {
            x: Scale::new(LINEAR, domain, (SIDE, size.width - SIDE)),
            most,
            upper: (size.height * 0.35).max(42.0),
            lower: size.height - 22.0,
            size,
            theme,
        };
        let mut shapes = vec![Shape::Rect {
            area: Rect { left: 0.0, top: 0.0, right: size.width, bottom: size.height },
            paint: theme.page.into(),
        }];
        strip.rulers(&self.unit, &mut shapes);
        strip.marks(self, &mut shapes);
        strip.words(self, &mut shapes);
        Scene { size, shapes, unlabelled: Vec::new() }
    }
}

/// A strip in the making.
struct Strip<'a> {
    x: Scale,
    /// How many numbers have room.
    most: usize,
    /// Height of the upper ruler.
    upper: f64,
    /// Height of the lower ruler.
    lower: f64,
    size: Size,
    theme: &'a Theme,
}

impl Strip<'_> {
    fn px(&self, value: f64) -> Option<f64> {
        self.x.px(value).filter(|px| (0.0..=self.size.width).contains(px))
    }

    /// Both rulers with ticks up, and numbers under the lower one.
    fn rulers(&self, unit: &str, shapes: &mut Vec<Shape>) {
        let paint = self.theme.axis.into();
        let ticks = self.x.ticks(self.most);
        let at: Vec<f64> = ticks.iter().filter_map(|t| self.px(t.value)).collect();
        let major = match at.as_slice() {
            [a, b, ..] => b - a,
            _ => self.size.width,
        };
        // Ten parts where they can be told apart, else five.
        let parts = if major / 10.0 >= 5.0 { 10 } else { 5 };
        let (from, to) = (SIDE, self.size.width - SIDE);
        for y in [self.upper, self.lower] {
            let rule = Rect { left: from, right: to, top: y, bottom: y + 1.0 };
            shapes.push(Shape::Rect { area: rule, paint });
            for (i, start) in at.iter().enumerate() {
                for part in 0..parts {
                    let x = start + major * f64::from(part) / f64::from(parts);
                    let tall = match part {
                        0 => 7.0,
                        _ if 2 * part == parts => 5.0,
                        _ => 3.0,
                    };
                    if x <= to + 0.5 && (part == 0 || i + 1 < at.len()) {
                        let area = Rect { left: x, right: x + 1.0, top: y - tall, bottom: y };
                        shapes.push(Shape::Rect { area, paint });
                    }
                }
            }
        }
        for (i, (tick, x)) in ticks.iter().zip(&at).enumerate() {
            let text = if i + 1 == ticks.len() && !unit.is_empty() {
                format!("{} {unit}", tick.label)
            } else {
                tick.label.clone()
            };
            let half = text::width(&text, false) / 2.0;
            let place = (x.min(self.size.width - half).max(half), self.lower + 14.0);
            let paint = self.theme.ink2.into();
            shapes.push(Shape::Text {
                at: place,
                anchor: Anchor::Middle,
                text,
                bold: false,
                size: text::SIZE,
                paint,
            });
        }
    }

    /// Each run on both rulers, joined by a line; the first lies on top.
    fn marks(&self, strip: &RulerStrip, shapes: &mut Vec<Shape>) {
        let places = || {
            let placed = |m: &super::spec::RulerMark| {
                (m.style, self.px(m.top), m.bottom.and_then(|v| self.px(v)))
            };
            strip.marks.iter().rev().map(placed)
        };
        for (style, top, bottom) in places() {
            if let (Some(top), Some(bottom)) = (top, bottom) {
                let path = vec![(top, self.upper + 7.0), (bottom, self.lower - 7.0)];
                let paint = self.theme.run(style).at(0.7);
                shapes.push(Shape::Line { path, width: 1.25, dash: None, paint });
            }
        }
        for (style, top, bottom) in places() {
            let paint = self.theme.run(style).into();
            let marker = Marker { style, radius: markers::RADIUS, hollow: false, paint };
            for (px, y) in [(top, self.upper), (bottom, self.lower)] {
                if let Some(px) = px {
                    marker.shapes((px, y), self.theme, shapes);
                }
            }
        }
    }

    /// Titles and values. The lower title stands left in the row of the lower values, which keep
    /// clear of it.
    fn words(&self, strip: &RulerStrip, shapes: &mut Vec<Shape>) {
        let title = |y, words: String| Shape::Text {
            at: (0.0, y),
            anchor: Anchor::Start,
            text: words,
            bold: false,
            size: text::SIZE,
            paint: self.theme.ink2.into(),
        };
        let lower_row = self.lower - OVER;
        let below = text::fitted(&strip.title_bottom, self.size.width * 0.6);
        let clear = if below.is_empty() { 0.0 } else { text::width(&below, false) + 12.0 };
        let ground = text_box((0.0, lower_row), Anchor::Start, clear - 8.0);
        shapes.push(Shape::Rect { area: ground, paint: self.theme.page.at(0.88) });
        shapes.push(title(8.0, text::fitted(&strip.title_top, self.size.width)));
        shapes.push(title(lower_row, below));

        let tops: Vec<_> = strip
            .marks
            .iter()
            .filter_map(|m| Some((self.px(m.top)?, m.top_label.as_str())))
            .collect();
        let bottoms: Vec<_> = strip
            .marks
            .iter()
            .filter_map(|m| Some((self.px(m.bottom?)?, m.bottom_label.as_str())))
            .collect();
        let rows = [(self.upper - OVER, tops, 0.0, false), (lower_row, bottoms, clear, true)];
        for (row, values, left, lower) in rows {
            let nearest = values.iter().map(|(px, _)| *px).fold(f64::MIN, f64::max);
            let mut groups = gathered(values, left, self.size.width);
            // The lines come down onto the lower marks: values that are one stand beside them.
            if let [one] = groups.as_mut_slice()
                && lower
                && nearest + 10.0 + one.width() <= self.size.width
            {
                one.left = nearest + 10.0;
            }
            for group in groups {
                let area = text_box((group.left, row), Anchor::Start, group.width());
                shapes.push(Shape::Rect { area, paint: self.theme.page.at(0.88) });
                shapes.push(Shape::Text {
                    at: (group.left, row),
                    anchor: Anchor::Start,
                    text: group.words(),
                    bold: true,
                    size: text::SIZE,
                    paint: self.theme.ink.into(),
                });
            }
        }
    }
}

/// Values whose labels would touch, written as one.
#[derive(Debug, Clone, PartialEq)]
struct Group {
    labels: Vec<String>,
    /// Sum of the pixels of its values.
    sum: f64,
    /// How many values it stands for.
    count: f64,
    left: f64,
}

impl Group {
    fn add(&mut self, labels: &[String], sum: f64, count: f64) {
        let new: Vec<String> =
            labels.iter().filter(|l| !self.labels.contains(l)).cloned().collect();
        self.labels.extend(new);
        self.sum += sum;
        self.count += count;
    }
    /// One value, two with a comma, more as a range.
    fn words(&self) -> String {
        match self.labels.as_slice() {
            [one] => one.clone(),
            [first, second] => format!("{first}, {second}"),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        }
    }
    fn width(&self) -> f64 {
        text::width(&self.words(), true)
    }
    fn middle(&self) -> f64 {
        self.sum / self.count
    }
    /// Stands around the mean of its values, inside the row.
    fn settle(&mut self, left: f64, right: f64) {
        let width = self.width();
        self.left = (self.middle() - width / 2.0).min(right - width).max(left);
    }
    /// Moves out of the way of the group before it, as far as it still stands over its values.
    fn yields(&mut self, before: &Self, right: f64) -> bool {
        let left = self.left.max(before.left + before.width() + 6.0);
        // Marks this near lie on each other, and their values belong together.
        let apart = self.middle() - before.middle() > 12.0;
        let over = left <= self.middle() && left + self.width() <= right;
        if apart && over {
            self.left = left;
        }
        apart && over
    }
}

/// Joins labels of neighbours that can't be told apart side by side.
fn gathered(mut values: Vec<(f64, &str)>, left: f64, right: f64) -> Vec<Group> {
    values.retain(|(_, label)| !label.is_empty());
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Marks that touch first, so that a neighbour makes way for all of them at once.
    let mut groups: Vec<Group> = Vec::new();
    for touching in values.chunk_by(|a, b| b.0 - a.0 <= 12.0) {
        let mut group = Group { labels: Vec::new(), sum: 0.0, count: 0.0, left: 0.0 };
        for (px, label) in touching {
            group.add(&[(*label).to_owned()], *px, 1.0);
        }
        group.settle(left, right);
        while let Some(before) = groups.pop() {
            if group.yields(&before, right) {
                groups.push(before);
                break;
            }
            let Group { labels, sum, count, .. } = group;
            group = before;
            group.add(&labels, sum, count);
            group.settle(left, right);
        }
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_would_touch_become_one() {
        let values = vec![(300.0, "29.6"), (120.0, "13.6"), (10.0, "0.0"), (122.0, "13.9")];
        let words: Vec<_> = gathered(values, 0.0, 356.0).iter().map(Group::words).collect();
        assert_eq!(words, ["0.0", "13.6, 13.9", "29.6"]);
        let close = vec![(271.0, "29.4"), (268.0, "29.1"), (276.0, "30.0"), (272.0, "29.6")];
        let words: Vec<_> = gathered(close, 0.0, 356.0).iter().map(Group::words).collect();
        assert_eq!(words, ["29.1 to 30.0"]);
        let near = vec![(99.0, "10.7"), (127.0, "13.6"), (129.0, "13.9")];
        let words: Vec<_> = gathered(near, 0.0, 356.0).iter().map(Group::words).collect();
        assert_eq!(words, ["10.7", "13.6, 13.9"]);
        let same = gathered(vec![(5.0, "2.0"), (5.0, "2.0")], 0.0, 356.0);
        assert_eq!(same[0].words(), "2.0");
    }
}
