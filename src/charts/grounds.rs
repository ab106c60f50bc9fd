//! What lies under the measured lines: zones, bands, limits and guides.

use super::draw::Sheet;
use super::scene::{Paint, Pt, Rect, Shape};
use super::spec::{Frame, Hatched, Side, Which};

/// Cover of one zone; zones add up.
pub(crate) const ZONE: f64 = 0.035;
/// Length and pitch of the hatch on a limit's failing side.
const HATCH: f64 = 7.0;

/// Shades each zone from its onset to the right edge, with a dotted onset line.
pub(crate) fn zones(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    for zone in &sheet.spec.zones {
        let Some(x) = sheet.layout.x.px(zone.from).map(|x| x.max(plot.left)) else { continue };
        if x > plot.right {
            continue;
        }
        sheet.rect(Rect { left: x, ..plot }, sheet.theme.ink.at(ZONE));
        if sheet.spec.frame == Frame::Main {
            let top = if zone.style.is_some() { plot.top - 4.0 } else { plot.top };
            let axis = sheet.theme.axis.into();
            sheet.line(vec![(x, top), (x, plot.bottom)], 1.0, Some((2.0, 3.0)), axis);
            sheet.ground.soft_line((x, plot.top), (x, plot.bottom));
        }
    }
}

/// Cover of what is chosen.
const CHOSEN: f64 = 0.1;

/// Shades each stretch between its edges.
pub(crate) fn stretches(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    for stretch in &sheet.spec.stretches {
        let px = |value: f64| sheet.layout.x.px(value).map(|x| x.clamp(plot.left, plot.right));
        let (Some(left), Some(right)) = (px(stretch.from), px(stretch.to)) else { continue };
        if right <= left {
            continue;
        }
        sheet.rect(Rect { left, right, ..plot }, sheet.theme.accent.at(CHOSEN));
        for x in [left, right] {
            let edge = sheet.theme.accent.into();
            sheet.line(vec![(x, plot.top), (x, plot.bottom)], 1.5, None, edge);
            sheet.ground.soft_line((x, plot.top), (x, plot.bottom));
        }
    }
}

/// The part of a hatched stretch inside the plot, in pixels.
pub(crate) fn hatched_area(sheet: &Sheet, hatched: &Hatched) -> Option<Rect> {
    let plot = sheet.layout.plot;
    let px = |value: f64| sheet.layout.x.px(value).map(|x| x.clamp(plot.left, plot.right));
    let (left, right) = (px(hatched.from)?, px(hatched.to)?);
    (right > left).then_some(Rect { left, right, ..plot })
}

/// Hatches each stretch of which nothing is known.
pub(crate) fn hatched(sheet: &mut Sheet) {
    let paint = sheet.theme.control.at(0.5);
    for hatched in &sheet.spec.hatched {
        let Some(area) = hatched_area(sheet, hatched) else { continue };
        let height = area.height();
        let count = ((area.width() + height) / (2.0 * HATCH)).max(0.0) as usize;
        for i in 0..=count.min(4096) {
            let x = area.left - height + i as f64 * 2.0 * HATCH;
            if let Some((a, b)) = area.clip((x, area.bottom), (x + height, area.top)) {
                sheet.line(vec![a, b], 1.0, None, paint);
            }
        }
    }
}

/// Fills each band between its lower and upper edge.
pub(crate) fn bands(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    for band in &sheet.spec.bands {
        let (lower, upper) = band_edges(sheet, &band.edges);
        let colour = sheet.theme.run(band.style);
        let outline: Vec<Pt> = upper.iter().chain(lower.iter().rev()).copied().collect();
        if outline.len() < 4 || outline.iter().all(|p| p.0 >= plot.right || p.0 <= plot.left) {
            continue;
        }
        sheet.shapes.push(Shape::Fill { outline, paint: colour.at(0.18) });
        for edge in [lower, upper] {
            sheet.line(edge, 1.0, None, colour.at(0.5));
        }
    }
}

/// The lower and the upper edge of a band in pixels, held inside the plot.
pub(crate) fn band_edges(sheet: &Sheet, edges: &[(f64, f64, f64)]) -> (Vec<Pt>, Vec<Pt>) {
    let plot = sheet.layout.plot;
    let hold = |(x, y): Pt| (x.clamp(plot.left, plot.right), y.clamp(plot.top, plot.bottom));
    let pairs = edges.iter().filter_map(|&(x, low, high)| {
        let x = sheet.layout.x.px(x)?;
        // On a log axis a bound of zero has no place: the band then reaches the edge.
        let low = sheet.layout.y.px(low).unwrap_or(plot.bottom);
        let high = sheet.layout.y.px(high).unwrap_or(plot.bottom);
        Some((hold((x, low)), hold((x, high))))
    });
    pairs.unzip()
}

/// Draws each limit inside the axes with the hatch of its failing side.
pub(crate) fn limits(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    let bad: Paint = sheet.theme.bad.into();
    let faint = sheet.theme.bad.at(0.55);
    let reach = HATCH * std::f64::consts::FRAC_1_SQRT_2;
    for limit in &sheet.spec.limits {
        match limit.axis {
            Which::Y => {
                let Some(y) = sheet.layout.y.px(limit.value) else { continue };
                if y < plot.top - 0.5 || y > plot.bottom + 0.5 {
                    continue;
                }
                let side = if limit.fails == Side::Above { -reach } else { reach };
                for x in strokes(plot.left, plot.right - reach) {
                    let (from, to) = ((x, y), (x + reach, y + side));
                    if plot.holds(to) {
                        sheet.line(vec![from, to], 1.0, None, faint);
                    }
                }
                sheet.line(vec![(plot.left, y), (plot.right, y)], 1.5, None, bad);
                sheet.ground.line((plot.left, y), (plot.right, y));
            }
            Which::X => {
                let Some(x) = sheet.layout.x.px(limit.value) else { continue };
                if x < plot.left - 0.5 || x > plot.right + 0.5 {
                    continue;
                }
                let side = if limit.fails == Side::Above { reach } else { -reach };
                for y in strokes(plot.top + reach, plot.bottom) {
                    let (from, to) = ((x, y), (x + side, y - reach));
                    if plot.holds(to) {
                        sheet.line(vec![from, to], 1.0, None, faint);
                    }
                }
                sheet.line(vec![(x, plot.top), (x, plot.bottom)], 1.5, None, bad);
                sheet.ground.line((x, plot.top), (x, plot.bottom));
            }
        }
    }
}

fn strokes(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let count = ((to - from) / HATCH).max(0.0) as usize;
    (0..=count).map(move |i| from + i as f64 * HATCH)
}

/// Draws each guide, cut at the plot's edges.
pub(crate) fn guides(sheet: &mut Sheet) {
    for guide in &sheet.spec.guides {
        if let Some((a, b)) = guide_ends(sheet, guide.from, guide.to) {
            sheet.line(vec![a, b], 1.0, Some((2.0, 3.0)), sheet.theme.axis.into());
            sheet.ground.soft_line(a, b);
        }
    }
}

/// The part of a guide inside the plot, in pixels.
pub(crate) fn guide_ends(sheet: &Sheet, from: Pt, to: Pt) -> Option<(Pt, Pt)> {
    let at = |(x, y)| sheet.layout.x.px(x).zip(sheet.layout.y.px(y));
    sheet.layout.plot.clip(at(from)?, at(to)?)
}
