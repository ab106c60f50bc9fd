//! Which point is under the pointer, and which one is next for the keyboard.

use super::layout::Layout;
use super::scene::{Pt, Size};
use super::spec::Spec;

/// A drawn point of a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Index of its series.
    pub series: usize,
    /// Index of the point in its series.
    pub point: usize,
    /// Its pixel.
    pub at: Pt,
}

/// The drawn points of a chart at one size, in the order the keyboard visits them.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits(Vec<Hit>);

/// A step of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the next point along the line.
    Next,
    /// To the point before.
    Previous,
    /// To the nearest point of the line before in the list.
    Up,
    /// To the nearest point of the line after in the list.
    Down,
}

impl Hits {
    /// Finds the drawn points of a spec; those outside the axes are not among them.
    pub fn of(spec: &Spec, size: Size) -> Self {
        let layout = Layout::of(spec, size);
        let all = spec.series.iter().enumerate().flat_map(|(series, s)| {
            s.points.iter().enumerate().map(move |(point, p)| (series, point, p))
        });
        Self(
            all.filter_map(|(series, point, p)| {
                layout.place(p.x, p.y).map(|at| Hit { series, point, at })
            })
            .collect(),
        )
    }

    /// The point nearest to a pixel within `reach` pixels; of equals the one drawn on top.
    pub fn nearest(&self, at: Pt, reach: f64) -> Option<Hit> {
        let far = |h: &Hit| (h.at.0 - at.0).hypot(h.at.1 - at.1);
        let near = self.0.iter().filter(|h| far(h) <= reach);
        near.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
    }

    /// The drawn point with a key.
    pub fn find(&self, spec: &Spec, key: &str) -> Option<Hit> {
        let has = |h: &&Hit| {
            spec.series
                .get(h.series)
                .and_then(|s| s.points.get(h.point))
                .is_some_and(|p| p.key == key)
        };
        self.0.iter().find(has).copied()
    }

    /// The first point, where the keyboard enters.
    pub fn first(&self) -> Option<Hit> {
        self.0.first().copied()
    }

    /// The point one step away; nothing at an end.
    pub fn step(&self, from: Hit, step: Step) -> Option<Hit> {
        let along = |h: &&Hit| h.series == from.series;
        match step {
            Step::Next => self.0.iter().find(|h| along(h) && h.point > from.point).copied(),
            Step::Previous => {
                self.0.iter().rev().find(|h| along(h) && h.point < from.point).copied()
            }
            Step::Up | Step::Down => {
                let other = if step == Step::Down {
                    self.0.iter().map(|h| h.series).find(|s| *s > from.series)?
                } else {
                    self.0.iter().rev().map(|h| h.series).find(|s| *s < from.series)?
                };
                let far = |h: &Hit| (h.at.0 - from.at.0).abs();
                let there = self.0.iter().filter(|h| h.series == other);
                there.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::testing;

    #[test]
    fn the_pointer_finds_the_point_it_is_on() {
        let spec = testing::curves();
        let hits = Hits::of(&spec, Size::new(752, 396));
        let peak = hits.find(&spec, "sglang/16").unwrap();
        let near = (peak.at.0 + 3.0, peak.at.1 - 4.0);
        assert_eq!(hits.nearest(near, 24.0), Some(peak));
        assert_eq!(hits.nearest((60.0, 50.0), 24.0), None);
        assert_eq!(hits.find(&spec, "nobody"), None);
    }

    #[test]
    fn the_keyboard_reaches_every_point_and_every_line() {
        let spec = testing::curves();
        let hits = Hits::of(&spec, Size::new(752, 396));
        for series in 0..spec.series.len() {
            let mut at = *hits.0.iter().find(|h| h.series == series).unwrap();
            let mut seen = 1;
            while let Some(next) = hits.step(at, Step::Next) {
                assert_eq!(hits.step(next, Step::Previous), Some(at));
                (at, seen) = (next, seen + 1);
            }
            assert_eq!(seen, spec.series[series].points.len());
        }
        let first = hits.first().unwrap();
        assert_eq!(hits.step(first, Step::Up), None);
        let below = hits.step(first, Step::Down).unwrap();
        assert_eq!(below.series, 1);
        assert_eq!(hits.step(below, Step::Up).map(|h| h.series), Some(0));
    }

    #[test]
    fn points_outside_the_axes_are_not_hit() {
        let mut spec = testing::curves();
        spec.x.domain = Some((0.0, 10.0));
        let hits = Hits::of(&spec, Size::new(752, 396));
        assert_eq!(hits.find(&spec, "sglang/16"), None);
        assert!(hits.find(&spec, "sglang/8").is_some());
    }
}
