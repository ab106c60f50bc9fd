//! Marks at points: eight run markers of equal area, filled or hollow, the star and the rings.

use super::scene::{Paint, Pt, Shape};
use super::theme::Theme;
use std::f64::consts::{PI, TAU};

/// Radius of a run's marker in the main chart.
pub(crate) const RADIUS: f64 = 4.5;
/// Radius of a run's marker in small multiples and beside names.
pub(crate) const SMALL: f64 = 3.6;
/// Radius of the peak's star.
pub(crate) const STAR: f64 = 9.5;
/// Radii of the knee's rings.
pub(crate) const RINGS: [f64; 2] = [8.0, 11.5];

/// Half the thickness of an arm of cross and plus, as a share of its length.
const ARM: f64 = 0.36;

/// The corners of a run's marker around the origin, with the area of a disc of radius 1.
/// Nothing for the disc itself.
pub fn corners(style: u8) -> Option<Vec<Pt>> {
    let regular = |n: u32, turn: f64, radius: f64| -> Vec<Pt> {
        (0..n)
            .map(|i| turn + TAU * f64::from(i) / f64::from(n))
            .map(|a| (radius * a.sin(), -radius * a.cos()))
            .collect()
    };
    // The circumscribed radius that gives a regular polygon the area of the disc.
    let radius = |n: f64| (2.0 * PI / (n * (TAU / n).sin())).sqrt();
    let plus = || {
        let a = (PI / (8.0 * ARM - 4.0 * ARM * ARM)).sqrt();
        let t = ARM * a;
        let arm = [(-t, -t), (-t, -a), (t, -a), (t, -t)];
        let quarter = |(x, y): Pt, turns: i32| (0..turns).fold((x, y), |(x, y), _| (-y, x));
        (0..4)
            .flat_map(|turns| arm.into_iter().take(3).map(move |p| quarter(p, turns)))
            .collect::<Vec<_>>()
    };
    Some(match style % 8 {
        0 => return None,
        1 => regular(4, PI / 4.0, radius(4.0)),
        2 => regular(3, 0.0, radius(3.0)),
        3 => regular(4, 0.0, radius(4.0)),
        4 => regular(3, PI, radius(3.0)),
        5 => {
            let half = std::f64::consts::FRAC_1_SQRT_2;
            plus().into_iter().map(|(x, y)| ((x - y) * half, (x + y) * half)).collect()
        }
        6 => plus(),
        _ => regular(6, 0.0, radius(6.0)),
    })
}

fn moved(outline: &[Pt], (cx, cy): Pt, size: f64) -> Vec<Pt> {
    outline.iter().map(|(x, y)| (cx + x * size, cy + y * size)).collect()
}

/// The outline as a line whose ends meet in a joint, not in a notch.
fn closed(outline: &[Pt]) -> Vec<Pt> {
    outline.iter().chain(outline.iter().take(2)).copied().collect()
}

/// How a marker is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marker {
    /// Index into the palette.
    pub style: u8,
    /// Radius of the disc of the same area.
    pub radius: f64,
    /// Only its edge: weak support or derived.
    pub hollow: bool,
    /// Its colour.
    pub paint: Paint,
}

impl Marker {
    /// The shapes of this marker at a place. A filled one has a thin page-coloured edge that parts
    /// it from the line; one of the second eight runs is hollow always.
    pub(crate) fn shapes(&self, at: Pt, theme: &Theme, out: &mut Vec<Shape>) {
        let page: Paint = theme.page.into();
        let hollow = self.hollow || self.style >= 8;
        let Some(corners) = corners(self.style) else {
            let disc = |radius, stroke, paint| Shape::Circle { at, radius, stroke, paint };
            if hollow {
                out.push(disc(self.radius, None, page));
                out.push(disc(self.radius, Some(2.0), self.paint));
            } else {
                out.push(disc(self.radius + 1.2, None, page));
                out.push(disc(self.radius, None, self.paint));
            }
            return;
        };
        let outline = moved(&corners, at, self.radius);
        let edge = |width, paint| Shape::Line { path: closed(&outline), width, dash: None, paint };
        if hollow {
            // The arms of cross and plus are too thin for the full edge.
            let width = if matches!(self.style % 8, 5 | 6) { 1.25 } else { 2.0 };
            out.push(Shape::Fill { outline: outline.clone(), paint: page });
            out.push(edge(width, self.paint));
        } else {
            out.push(edge(2.4, page));
            out.push(Shape::Fill { outline: outline.clone(), paint: self.paint });
        }
    }
}

/// The five-point star of a goodput peak.
pub(crate) fn star(at: Pt, size: f64, paint: Paint, theme: &Theme, out: &mut Vec<Shape>) {
    let outline: Vec<Pt> = (0..10)
        .map(|i| {
            let radius = if i % 2 == 0 { size } else { size * 0.45 };
            let angle = TAU * f64::from(i) / 10.0;
            (at.0 + radius * angle.sin(), at.1 - radius * angle.cos())
        })
        .collect();
    let page = theme.page.into();
    out.push(Shape::Line { path: closed(&outline), width: 2.4, dash: None, paint: page });
    out.push(Shape::Fill { outline, paint });
}

/// How far over its mark the bar of a throughput peak lies.
pub(crate) const CEILING: f64 = 4.0;

/// How far an arrow upward reaches over the mark that it stands on.
pub(crate) const RISE: f64 = 9.0;

/// The arrow of a value that grows with the length of its run, from just over its mark.
pub(crate) fn rise((x, y): Pt, paint: Paint, theme: &Theme, out: &mut Vec<Shape>) {
    let top = y - RISE;
    let page: Paint = theme.page.into();
    for (width, paint) in [(4.0, page), (1.5, paint)] {
        for path in
            [vec![(x, y), (x, top)], vec![(x - 3.0, top + 3.5), (x, top), (x + 3.0, top + 3.5)]]
        {
            out.push(Shape::Line { path, width, dash: None, paint });
        }
    }
}

/// The ground under a knee's mark and its two rings.
pub(crate) fn rings(at: Pt, theme: &Theme, out: &mut Vec<Shape>) {
    let [_, outer] = RINGS;
    let ground = theme.page.at(0.88);
    out.push(Shape::Circle { at, radius: outer + 1.0, stroke: None, paint: ground });
    for radius in RINGS {
        out.push(Shape::Circle { at, radius, stroke: Some(1.5), paint: theme.ink.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &[Pt]) -> f64 {
        let next = outline.iter().cycle().skip(1);
        outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn every_marker_has_the_area_of_the_disc() {
        for style in 1..8 {
            let area = area(&corners(style).unwrap());
            assert!((area - PI).abs() < 1e-9, "marker {style}: {area}");
        }
    }

    #[test]
    fn no_two_markers_share_an_outline() {
        for a in 1..8 {
            for b in a + 1..8 {
                assert_ne!(corners(a), corners(b));
            }
        }
    }

    #[test]
    fn the_second_eight_runs_are_hollow() {
        let theme = Theme::of(super::super::theme::Mode::Light);
        let count = |style, hollow| {
            let mut out = Vec::new();
            let paint = theme.run(style).into();
            Marker { style, radius: RADIUS, hollow, paint }.shapes((0.0, 0.0), &theme, &mut out);
            out
        };
        assert_eq!(count(8, false), count(8, true));
        assert_ne!(count(0, false), count(0, true));
    }
}
