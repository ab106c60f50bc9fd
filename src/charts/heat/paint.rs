//! Where the cells of a map lie, and how they are drawn.

use super::{Heat, HeatCell};
use crate::charts::pen::Pen;
use crate::charts::scene::{Anchor, Paint, Rect, Scene, Size};
use crate::charts::text;
use crate::charts::theme::{Rgb, Theme};

/// The row of the title of y.
const TOP: f64 = 22.0;
/// The rows of the places and the title of x.
const BOTTOM: f64 = 42.0;
/// A cell with one line of words.
const LOW: f64 = 30.0;
/// A cell with two.
const HIGH: f64 = 38.0;
/// Room of the key, where the map is wide enough for one.
const KEY: f64 = 54.0;
/// Below this width there is no key: every cell carries its number.
const NARROW: f64 = 400.0;
/// Between two cells.
const GAP: f64 = 1.0;

/// How much of a cell's words there is room for in all of them alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Beside,
    Stacked,
    Value,
    None,
}

/// Where everything is at a width.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    plot: Rect,
    across: f64,
    down: f64,
    words: Words,
    pub height: f64,
}

impl Layout {
    pub(crate) fn of(heat: &Heat, width: f64) -> Self {
        let widest = heat.y.iter().map(|y| text::width(y, false)).fold(0.0, f64::max);
        let left = ((widest + 10.0) / 8.0).ceil() * 8.0;
        let room = if width >= NARROW && !heat.key.is_empty() { KEY } else { 0.0 };
        let right = (width - room).max(left + 1.0);
        let across = (right - left) / heat.x.len().max(1) as f64;
        let words = words(heat, across - GAP);
        let down = if words == Words::Stacked { HIGH } else { LOW };
        let bottom = TOP + down * heat.y.len().max(1) as f64;
        let plot = Rect { left, top: TOP, right, bottom };
        Self { plot, across, down, words, height: bottom + BOTTOM }
    }

    /// The ground of a cell.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Rect {
        let left = self.plot.left + self.across * column as f64;
        let top = self.plot.top + self.down * row as f64;
        Rect { left, top, right: left + self.across - GAP, bottom: top + self.down - GAP }
    }
}

/// The most words that fit every cell.
fn words(heat: &Heat, room: f64) -> Words {
    let widest =
        |of: &dyn Fn(&HeatCell) -> f64| heat.rows.iter().flatten().map(of).fold(0.0, f64::max);
    let value = widest(&|cell| text::width(&cell.text, true));
    let under = widest(&|cell| text::width(&cell.under, false));
    let beside =
        widest(&|cell| text::width(&cell.text, true) + 4.0 + text::width(&cell.under, false));
    if beside + 6.0 <= room {
        Words::Beside
    } else if value.max(under) + 2.0 <= room && under > 0.0 {
        Words::Stacked
    } else if value + 2.0 <= room {
        Words::Value
    } else {
        Words::None
    }
}

/// The ground of a step.
fn ground(heat: &Heat, step: u8, theme: &Theme) -> Rgb {
    if !heat.diverging {
        let at = usize::from(step).min(theme.ramp.len() - 1);
        return theme.ramp.get(at).copied().unwrap_or(theme.surface);
    }
    let share = (f64::from(step.min(8)) - 4.0) / 4.0;
    let end = if share < 0.0 { theme.worse } else { theme.better };
    theme.surface.mixed(end, share.abs())
}

pub(crate) fn scene(heat: &Heat, size: Size, theme: &Theme) -> Scene {
    let layout = Layout::of(heat, size.width);
    let mut pen = Pen::new(size, theme);
    let mut ring = None;
    for (row, cells) in heat.rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let area = layout.cell(row, column);
            let paint = match (cell.step, cell.value) {
                (Some(step), _) => {
                    let ground = ground(heat, step, theme);
                    pen.rect(area, ground);
                    theme.on(ground)
                }
                // Known and of no step: nothing is good there. Only what is not known is hatched.
                (None, Some(_)) => {
                    pen.rect(area, theme.surface);
                    theme.ink2
                }
                (None, None) => {
                    pen.hatched(area);
                    pen.plate(Rect::around(area.centre(), 16.0, 14.0));
                    theme.ink2
                }
            };
            print(&mut pen, cell, area, layout.words, paint);
            if cell.chosen {
                ring = Some(area);
            }
        }
    }
    if let Some(area) = ring {
        let grown = |by: f64| Rect {
            left: area.left - by,
            top: area.top - by,
            right: area.right + by,
            bottom: area.bottom + by,
        };
        pen.edges(grown(0.0), 2.0, theme.page);
        pen.edges(grown(2.0), 2.0, theme.ink);
    }
    axes(&mut pen, heat, &layout);
    if size.width >= NARROW {
        key(&mut pen, heat, &layout);
    }
    pen.scene(size)
}

/// The words of a cell.
fn print(pen: &mut Pen<'_>, cell: &HeatCell, area: Rect, words: Words, paint: Rgb) {
    let (x, y) = area.centre();
    let paint: Paint = paint.into();
    match words {
        Words::Beside => {
            let value = text::width(&cell.text, true);
            let whole = value
                + if cell.under.is_empty() { 0.0 } else { 4.0 + text::width(&cell.under, false) };
            let left = x - whole / 2.0;
            pen.bold((left, y), Anchor::Start, &cell.text, paint);
            pen.text((left + value + 4.0, y), Anchor::Start, &cell.under, paint);
        }
        Words::Stacked if !cell.under.is_empty() => {
            pen.bold((x, y - 8.0), Anchor::Middle, &cell.text, paint);
            pen.text((x, y + 8.0), Anchor::Middle, &cell.under, paint);
        }
        Words::Stacked | Words::Value => pen.bold((x, y), Anchor::Middle, &cell.text, paint),
        Words::None => {}
    }
}

/// The places and titles of both axes; a place whose number has no room is left out.
fn axes(pen: &mut Pen<'_>, heat: &Heat, layout: &Layout) {
    let (plot, theme) = (layout.plot, pen.theme);
    let toward = |words: &str, before: bool| match (heat.toward.as_str(), before) {
        ("", _) => words.to_owned(),
        (toward, true) => format!("{words} ↑ {toward}"),
        (toward, false) => format!("{words} {toward} →"),
    };
    let room = plot.right;
    let title = text::fitted(&toward(&heat.y_title, true), room);
    pen.text((0.0, 8.0), Anchor::Start, &title, theme.ink);
    for (row, place) in heat.y.iter().enumerate() {
        let y = layout.cell(row, 0).centre().1;
        pen.text((plot.left - 8.0, y), Anchor::End, place, theme.ink2);
    }
    let mut free = f64::NEG_INFINITY;
    for (column, place) in heat.x.iter().enumerate() {
        let x = layout.cell(0, column).centre().0;
        let half = text::width(place, false) / 2.0;
        if x - half >= free && x + half <= room {
            pen.text((x, plot.bottom + 12.0), Anchor::Middle, place, theme.ink2);
            free = x + half + 4.0;
        }
    }
    let title = text::fitted(&toward(&heat.x_title, false), room);
    pen.text((room, plot.bottom + 32.0), Anchor::End, &title, theme.ink);
}

/// The steps with the least value of each, right of the cells.
fn key(pen: &mut Pen<'_>, heat: &Heat, layout: &Layout) {
    let (plot, theme) = (layout.plot, pen.theme);
    if heat.key.is_empty() {
        return;
    }
    let left = plot.right + 12.0;
    let each = (plot.height() - GAP) / heat.key.len() as f64;
    let every = (14.0 / each).ceil().max(1.0) as usize;
    pen.text((left + KEY - 12.0, 8.0), Anchor::End, &heat.unit, theme.ink3);
    for (at, (least, step)) in heat.key.iter().enumerate() {
        let bottom = plot.bottom - GAP - each * at as f64;
        let area = Rect { left, right: left + 12.0, top: bottom - each, bottom };
        pen.rect(area, ground(heat, *step, theme));
        let words = text::fitted(least, KEY - 28.0);
        if at % every == 0 {
            pen.text((left + 17.0, bottom - 2.0), Anchor::Start, &words, theme.ink3);
        }
    }
}
