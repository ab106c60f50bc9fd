//! Grid, axis lines, tick numbers and axis titles.

use super::draw::Sheet;
use super::scale::{self, Scale, Tick};
use super::scene::{Anchor, Rect, text_box};
use super::spec::{Axis, Better, Scaling};
use super::text;
use crate::units::fixed;

/// From the end of a tick mark to the middle of its number.
const BELOW: f64 = 16.0;
/// From the axis to the middle of the x title.
const TITLE_BELOW: f64 = 33.0;

/// Draws the grid behind everything that was measured.
pub(crate) fn grid(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    let grid = sheet.theme.grid.into();
    let xs: Vec<f64> = pixels(&sheet.layout.x_ticks, &sheet.layout.x);
    let ys: Vec<f64> = pixels(&sheet.layout.y_ticks, &sheet.layout.y);
    for x in xs {
        sheet.rect(Rect { left: x, right: x + 1.0, ..plot }, grid);
    }
    for y in ys {
        sheet.rect(Rect { top: y, bottom: y + 1.0, ..plot }, grid);
    }
}

fn pixels(ticks: &[Tick], scale: &Scale) -> Vec<f64> {
    ticks.iter().filter_map(|t| scale.px(t.value)).collect()
}

/// Draws both axes with numbers and titles.
pub(crate) fn axes(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    let axis = sheet.theme.axis.into();
    let ink2 = sheet.theme.ink2.into();
    sheet.rect(Rect { right: plot.left + 1.0, bottom: plot.bottom + 1.0, ..plot }, axis);
    sheet.rect(Rect { top: plot.bottom, bottom: plot.bottom + 1.0, ..plot }, axis);
    for tick in std::mem::take(&mut sheet.layout.y_ticks) {
        if let Some(y) = sheet.layout.y.px(tick.value) {
            sheet.text((plot.left - 8.0, y), Anchor::End, &tick.label, false, ink2);
        }
    }
    for tick in std::mem::take(&mut sheet.layout.x_ticks) {
        let Some(x) = sheet.layout.x.px(tick.value) else { continue };
        let mark = Rect { left: x, right: x + 1.0, top: plot.bottom, bottom: plot.bottom + 4.0 };
        sheet.rect(mark, axis);
        let half = text::width(&tick.label, false) / 2.0;
        let middle = x.min(sheet.layout.frame.right - half).max(half);
        let at = (middle, plot.bottom + BELOW);
        sheet.text(at, Anchor::Middle, &tick.label, false, ink2);
        sheet.ground.take(text_box(at, Anchor::Middle, 2.0 * half));
    }
    breaks(sheet);
    titles(sheet);
}

/// Two slashes at the foot of an axis that leaves zero out.
fn breaks(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    let (page, axis) = (sheet.theme.page.into(), sheet.theme.axis.into());
    if sheet.layout.y.cropped() {
        let (x, y) = (plot.left + 0.5, plot.bottom - 8.0);
        sheet.rect(Rect::around((x, y), 3.0, 4.0), page);
        for dy in [-2.0, 2.0] {
            sheet.line(vec![(x - 4.0, y + dy + 2.0), (x + 4.0, y + dy - 2.0)], 1.0, None, axis);
        }
    }
    if sheet.layout.x.cropped() {
        let (x, y) = (plot.left + 8.0, plot.bottom + 0.5);
        sheet.rect(Rect::around((x, y), 4.0, 3.0), page);
        for dx in [-2.0, 2.0] {
            sheet.line(vec![(x + dx - 2.0, y + 4.0), (x + dx + 2.0, y - 4.0)], 1.0, None, axis);
        }
    }
    if let Some((left, right)) = sheet.layout.x.gap() {
        let (x, y) = (f64::midpoint(left, right), plot.bottom + 0.5);
        sheet.rect(Rect::around((x, y), right - left, 3.0), page);
        for dx in [-3.0, 2.0] {
            sheet.line(vec![(x + dx - 2.0, y + 4.0), (x + dx + 2.0, y - 4.0)], 1.0, None, axis);
        }
    }
}

/// The gap between the column of 0 and a log axis, over the grid and under everything measured.
pub(crate) fn gap(sheet: &mut Sheet) {
    if let Some((left, right)) = sheet.layout.x.gap() {
        let plot = sheet.layout.plot;
        sheet.rect(Rect { left, right, ..plot }, sheet.theme.surface.into());
    }
}

fn titles(sheet: &mut Sheet) {
    let (frame, plot) = (sheet.layout.frame, sheet.layout.plot);
    let ink = sheet.theme.ink.into();
    let title = words(&sheet.spec.y, &sheet.layout.y);
    let title = text::fitted(&title, frame.width());
    sheet.text((0.0, 8.0), Anchor::Start, &title, false, ink);

    let title = words(&sheet.spec.x, &sheet.layout.x);
    // Under the ticks, right-aligned with the axis; a long title uses the room of the end labels.
    let right = if text::width(&title, false) <= plot.right { plot.right } else { frame.right };
    let title = text::fitted(&title, right);
    let at = (right, plot.bottom + TITLE_BELOW);
    sheet.text(at, Anchor::End, &title, false, ink);
    sheet.ground.take(text_box(at, Anchor::End, text::width(&title, false)));
}

/// The title of an axis: quantity, unit, what is special about it, and where the good end is.
fn words(axis: &Axis, scale: &Scale) -> String {
    if axis.title.is_empty() {
        return String::new();
    }
    let note = match axis.scale {
        Scaling::Log | Scaling::LogWithZero => "log".to_owned(),
        Scaling::Nines => "nines axis".to_owned(),
        Scaling::Linear { .. } if scale.cropped() => {
            let (low, _) = scale.domain();
            format!("axis starts at {}", fixed(low, scale::decimals(low).min(2)))
        }
        Scaling::Linear { .. } => String::new(),
    };
    let parts = [axis.title.as_str(), axis.unit.as_str(), note.as_str()];
    let name: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    let end = match axis.better {
        None => "",
        Some(Better::Up) => " ↑ better",
        Some(Better::Down) => " ↓ better",
        Some(Better::Left) => " ← better",
        Some(Better::Right) => " better →",
    };
    name.join(", ") + end
}
