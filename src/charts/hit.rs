//! Which mark is under the pointer, and which one is next for the keyboard.

use super::drawing::Drawing;
use super::layout::Layout;
use super::scene::{Pt, Rect, Size};
use super::spec::Spec;

/// Right of this share of the width a card stands left of its mark.
pub const CARD_TURNS: f64 = 0.55;

/// A drawn mark: a point of a plot, a row of a waterfall, an event of a stream, a cell of a map, a
/// lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Index of its series, or of its row in a map; 0 where there are none.
    pub series: usize,
    /// Index of the mark in its series.
    pub point: usize,
    /// Its pixel.
    pub at: Pt,
    /// The ground on which the pointer hits it.
    pub area: Rect,
}

impl Hit {
    /// How far a pixel is from its ground.
    fn away(&self, (x, y): Pt) -> f64 {
        let Rect { left, top, right, bottom } = self.area;
        (left - x).max(x - right).max(0.0).hypot((top - y).max(y - bottom).max(0.0))
    }
}

/// The drawn marks of a picture at one size, in the order the keyboard visits them. A mark that can be
/// hit in two places stands twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    hits: Vec<Hit>,
    /// The key of each.
    keys: Vec<String>,
}

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
    /// Finds the drawn marks of a picture in which the mark of a key is brought forward.
    pub fn of(drawing: &Drawing, size: Size, key: Option<&str>) -> Self {
        let (hits, keys) = match drawing {
            Drawing::Plot(spec) => points(spec, size).unzip(),
            Drawing::Waterfall(waterfall) => {
                let rows = waterfall.grounds(size).into_iter().zip(&waterfall.rows).enumerate();
                let hit = |(point, (ground, row)): (usize, (super::waterfall::Ground, _))| {
                    let row: &super::waterfall::WaterfallRow = row;
                    let at = (ground.bar.right, ground.bar.centre().1);
                    (Hit { series: 0, point, at, area: ground.strip }, row.key.clone())
                };
                rows.map(hit).unzip()
            }
            Drawing::Stream(stream) => stream
                .grounds(size, key)
                .into_iter()
                .filter_map(|(point, at, area)| {
                    let event = stream.events.get(point)?;
                    Some((Hit { series: 0, point, at, area }, event.key.clone()))
                })
                .unzip(),
            Drawing::Heat(heat) => {
                let hit = |(series, point, cell, area): (usize, usize, &super::HeatCell, Rect)| {
                    // The card stands beside the cell, on the side that has room.
                    let (x, y) = area.centre();
                    let far = x > size.width * CARD_TURNS;
                    let at = (if far { area.left } else { area.right }, y);
                    (Hit { series, point, at, area }, cell.key.clone())
                };
                heat.grounds(size).map(hit).unzip()
            }
            Drawing::Lanes(lanes) => {
                let strips = lanes.grounds(size).into_iter().zip(&lanes.lanes).enumerate();
                let hit = |(point, ((strip, own), lane)): (usize, ((Rect, Rect), _))| {
                    let lane: &super::lanes::Lane = lane;
                    let at = (own.right, own.centre().1);
                    (Hit { series: 0, point, at, area: strip }, lane.key.clone())
                };
                strips.map(hit).unzip()
            }
        };
        Self { hits, keys }
    }

    /// The mark nearest to a pixel within `reach` pixels; of equals the one drawn on top.
    pub fn nearest(&self, at: Pt, reach: f64) -> Option<Hit> {
        let near = self.hits.iter().filter(|h| h.away(at) <= reach);
        near.min_by(|a, b| a.away(at).total_cmp(&b.away(at))).copied()
    }

    /// The drawn mark with a key.
    pub fn find(&self, key: &str) -> Option<Hit> {
        let at = self.keys.iter().position(|own| own == key)?;
        self.hits.get(at).copied()
    }

    /// The key of a mark.
    pub fn key(&self, hit: Hit) -> Option<&str> {
        let at = self.hits.iter().position(|own| *own == hit)?;
        self.keys.get(at).map(String::as_str)
    }

    /// The first mark, where the keyboard enters.
    pub fn first(&self) -> Option<Hit> {
        self.hits.first().copied()
    }

    /// The mark one step away; nothing at an end. Where there is one line only, up and down go along it.
    pub fn step(&self, from: Hit, step: Step) -> Option<Hit> {
        let along = |h: &&Hit| h.series == from.series;
        let one = self.hits.iter().all(|h| h.series == from.series);
        match step {
            Step::Down if one => self.step(from, Step::Next),
            Step::Up if one => self.step(from, Step::Previous),
            Step::Next => self.hits.iter().find(|h| along(h) && h.point > from.point).copied(),
            Step::Previous => {
                self.hits.iter().rev().find(|h| along(h) && h.point < from.point).copied()
            }
            Step::Up | Step::Down => {
                let other = if step == Step::Down {
                    self.hits.iter().map(|h| h.series).find(|s| *s > from.series)?
                } else {
                    self.hits.iter().rev().map(|h| h.series).find(|s| *s < from.series)?
                };
                let far = |h: &Hit| (h.at.0 - from.at.0).abs();
                let there = self.hits.iter().filter(|h| h.series == other);
                there.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
            }
        }
    }
}

/// The drawn points of a plot; those outside the axes are not among them.
fn points(spec: &Spec, size: Size) -> impl Iterator<Item = (Hit, String)> {
    let layout = Layout::of(spec, size);
    let all = spec.series.iter().enumerate().flat_map(|(series, s)| {
        s.points.iter().enumerate().map(move |(point, p)| (series, point, p))
    });
    all.filter_map(move |(series, point, p)| {
        let at = layout.place(p.x, p.y)?;
        let area = Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 };
        Some((Hit { series, point, at, area }, p.key.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::testing;

    fn of(spec: &Spec) -> Hits {
        Hits::of(&Drawing::Plot(spec.clone()), Size::new(752, 396), None)
    }

    #[test]
    fn the_pointer_finds_the_point_it_is_on() {
        let spec = testing::curves();
        let hits = of(&spec);
        let peak = hits.find("sglang/16").unwrap();
        let near = (peak.at.0 + 3.0, peak.at.1 - 4.0);
        assert_eq!(hits.nearest(near, 24.0), Some(peak));
        assert_eq!(hits.nearest((60.0, 50.0), 24.0), None);
        assert_eq!(hits.find("nobody"), None);
    }

    #[test]
    fn the_keyboard_reaches_every_point_and_every_line() {
        let spec = testing::curves();
        let hits = of(&spec);
        for series in 0..spec.series.len() {
            let mut at = *hits.hits.iter().find(|h| h.series == series).unwrap();
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
        let hits = of(&spec);
        assert_eq!(hits.find("sglang/16"), None);
        assert!(hits.find("sglang/8").is_some());
    }
}
