//! Where the parts of a chart go: plot area, rows above it, scales. Drawing and hit testing share it.

use super::scale::{self, Scale, Tick};
use super::scene::{Pt, Rect, Size};
use super::spec::{Flag, Frame, Limit, Point, Series, Spec, Which};
use super::text;

/// Width below which a main chart drops names, flags' words and load numbers: a phone.
const NARROW: f64 = 400.0;
/// From this width on names alone stand at the ends of lines, where they are short.
const NAMES: f64 = 300.0;
/// Room of one row above the plot.
const ROW: f64 = 16.0;

/// The parts of a chart at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The whole room.
    pub frame: Rect,
    /// The area between the axes.
    pub plot: Rect,
    /// The horizontal scale.
    pub x: Scale,
    /// The vertical scale.
    pub y: Scale,
    /// Labelled places on x.
    pub x_ticks: Vec<Tick>,
    /// Labelled places on y.
    pub y_ticks: Vec<Tick>,
    /// Names, load numbers and words beside marks are drawn.
    pub labelled: bool,
    /// Middles of the rows above the plot: onset markers first, then brackets from the plot upward.
    pub rows: Vec<f64>,
}

impl Layout {
    /// Lays a chart out for a size.
    pub fn of(spec: &Spec, size: Size) -> Self {
        let frame = Rect { left: 0.0, top: 0.0, right: size.width, bottom: size.height };
        let labelled = spec.frame == Frame::Main
            && (size.width >= NARROW || size.width >= NAMES && names_only(spec, size.width));
        if spec.frame == Frame::Spark {
            let (right, bottom) = ((size.width - 4.0).max(5.0), (size.height - 4.0).max(5.0));
            let plot = Rect { left: 4.0, top: 4.0, right, bottom };
            return Self {
                frame,
                plot,
                x: Scale::new(spec.x.scale, domain(spec, Which::X, 3), (plot.left, plot.right)),
                y: Scale::new(spec.y.scale, domain(spec, Which::Y, 3), (plot.bottom, plot.top)),
                x_ticks: Vec::new(),
                y_ticks: Vec::new(),
                labelled: false,
                rows: Vec::new(),
            };
        }

        let main = spec.frame == Frame::Main;
        let zone_row = usize::from(main && spec.zones.iter().any(|z| z.style.is_some()));
        let rows = zone_row + if main { spec.brackets.len().min(2) } else { 0 };
        let title = if spec.y.title.is_empty() { 0.0 } else { 16.0 };
        let top = title + rows as f64 * ROW + if rows == 0 { 10.0 } else { 4.0 };
        let bottom = size.height - if main { 44.0 } else { 40.0 };
        let top = top.min(bottom - 1.0);

        let most = ((bottom - top) / 24.0).clamp(3.0, 8.0) as usize;
        let y = Scale::new(spec.y.scale, domain(spec, Which::Y, most), (bottom, top));
        let y_ticks = y.ticks(most);
        let widest = y_ticks.iter().map(|t| text::width(&t.label, false)).fold(0.0, f64::max);
        // Rounded so that charts with numbers of like length share their left edge.
        let left = (((widest + 8.0) / 8.0).ceil() * 8.0).max(spec.gutter);
        let right = size.width - if labelled { end_room(spec, size.width) } else { 14.0 };
        let plot = Rect { left, top, right: right.max(left + 1.0), bottom };

        // A line of words just clears a marker on the upper edge.
        let rows = (0..rows).map(|i| top - 13.0 - i as f64 * ROW).collect();
        let (x, x_ticks) = spread(spec, plot);
        Self { frame, plot, x, y, x_ticks, y_ticks, labelled, rows }
    }

    /// The pixel of a value pair inside the plot; nothing for what lies outside or has no place.
    pub fn place(&self, x: f64, y: f64) -> Option<Pt> {
        let at = (self.x.px(x)?, self.y.px(y)?);
        let slack = 0.5;
        let p = &self.plot;
        let inside = (p.left - slack..=p.right + slack).contains(&at.0)
            && (p.top - slack..=p.bottom + slack).contains(&at.1);
        inside.then_some(at)
    }

    /// Room for the words of a run at its line's end: marker, gap and the widest name.
    pub(crate) fn name_room(&self) -> f64 {
        (self.frame.right - self.plot.right).max(self.frame.width() * 0.24) - NAME_LEAD
    }
}

/// From a line's end to the words of its name: gap, marker, gap.
pub(crate) const NAME_LEAD: f64 = 25.0;

/// The widest name at a line's end.
fn widest_name(spec: &Spec) -> f64 {
    let names = spec.series.iter().filter_map(|s| s.end_label.as_deref());
    names.map(|n| text::width(n, false)).fold(0.0, f64::max)
}

/// Whether the only words in the plot are names at the ends of lines, none of them cut.
fn names_only(spec: &Spec, width: f64) -> bool {
    let flagged =
        |point: &Point| point.flag.as_ref().and_then(Flag::peak).is_some_and(|w| !w.is_empty());
    let said = |point: &Point| point.label.is_some() || flagged(point);
    let carries = |series: &Series| series.tag.is_some() || series.points.iter().any(said);
    let widest = widest_name(spec);
    widest > 0.0 && widest + NAME_LEAD + 4.0 <= width * 0.24 && !spec.series.iter().any(carries)
}

fn end_room(spec: &Spec, width: f64) -> f64 {
    let widest = widest_name(spec);
    if widest > 0.0 { (widest + NAME_LEAD + 4.0).clamp(48.0, width * 0.24) } else { 14.0 }
}

/// The x scale with as many ticks as stand side by side with room between their numbers.
fn spread(spec: &Spec, plot: Rect) -> (Scale, Vec<Tick>) {
    let most = (plot.width() / 48.0).clamp(3.0, 8.0) as usize;
    let scale =
        |most| Scale::new(spec.x.scale, domain(spec, Which::X, most), (plot.left, plot.right));
    let fits = |(x, ticks): &(Scale, Vec<Tick>)| {
        let ends: Vec<(f64, f64)> = ticks
            .iter()
            .filter_map(|t| {
                let half = text::width(&t.label, false) / 2.0;
                x.px(t.value).map(|px| (px - half, px + half))
            })
            .collect();
        ends.iter().zip(ends.iter().skip(1)).all(|(a, b)| a.1 + 10.0 <= b.0)
    };
    let tries = (3..=most).rev().map(|n| (scale(n), scale(n).ticks(n)));
    tries.into_iter().find(fits).unwrap_or_else(|| {
        // Numbers too long for even three: the two ends say the most.
        let x = scale(3);
        match x.ticks(3).as_slice() {
            [first, .., last] => (x, vec![first.clone(), last.clone()]),
            _ => (x, Vec::new()),
        }
    })
}

fn domain(spec: &Spec, which: Which, most: usize) -> (f64, f64) {
    let axis = if which == Which::X { &spec.x } else { &spec.y };
    if let Some(fixed) = axis.domain.filter(|d| scale::drawable(axis.scale, *d)) {
        return fixed;
    }
    let points = spec.series.iter().flat_map(|s| &s.points);
    let corners = || spec.series.iter().flat_map(|s| s.path.iter().chain(&s.tail));
    let mut values: Vec<f64> = match which {
        Which::X => points
            .flat_map(|p| [Some(p.x), p.asked])
            .flatten()
            .chain(corners().map(|corner| corner.0))
            .chain(spec.bands.iter().flat_map(|b| b.edges.iter().map(|e| e.0)))
            .collect(),
        Which::Y => points
            .flat_map(|p| [Some(p.y), p.low, p.high].into_iter().flatten().chain(p.ticks.clone()))
            .chain(corners().map(|corner| corner.1))
            .chain(spec.bands.iter().flat_map(|b| b.edges.iter().flat_map(|e| [e.1, e.2])))
            .collect(),
    };
    let largest = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    // A limit far above all data would press the data flat: it is named at the edge instead.
    let near = |l: &&Limit| {
        l.axis == which && (axis.scale.is_log() || largest <= 0.0 || l.value <= 2.0 * largest)
    };
    values.extend(spec.limits.iter().filter(near).map(|l| l.value));
    scale::domain(axis.scale, values, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::spec::Scaling;
    use crate::charts::testing;

    #[test]
    fn the_main_chart_has_the_margins_of_the_design() {
        let layout = Layout::of(&testing::curves(), Size::new(752, 396));
        assert!((layout.plot.left - 56.0).abs() < 0.1, "{:?}", layout.plot);
        assert!((layout.plot.top - 36.0).abs() < 0.1, "{:?}", layout.plot);
        assert!((layout.plot.bottom - 352.0).abs() < 0.1, "{:?}", layout.plot);
        assert_eq!(layout.y.domain(), (50.0, 10_000.0));
        assert_eq!(layout.x.domain(), (0.0, 20.0));
    }

    #[test]
    fn a_limit_far_above_the_data_does_not_stretch_the_axis() {
        let mut spec = testing::curves();
        spec.y.scale = Scaling::Linear { from_zero: true };
        spec.limits[0].value = 1e6;
        let (_, high) = Layout::of(&spec, Size::new(752, 396)).y.domain();
        assert!(high < 1e4, "{high}");
    }

    #[test]
    fn a_domain_that_cannot_be_drawn_is_ignored() {
        let mut spec = testing::curves();
        spec.y.domain = Some((0.0, 100.0));
        assert_eq!(Layout::of(&spec, Size::new(752, 396)).y.domain(), (50.0, 10_000.0));
        spec.x.domain = Some((5.0, f64::NAN));
        assert_eq!(Layout::of(&spec, Size::new(752, 396)).x.domain(), (0.0, 20.0));
    }
}
