//! Where the rows of a waterfall stand, and what is drawn of each.

use super::lengths::{pieces, ticks};
use super::{BarKind, Waterfall, WaterfallRow};
use crate::charts::pen::{BADGE, Letter, Pen};
use crate::charts::scale::{Scale, Tick};
use crate::charts::scene::{Anchor, Rect, Scene, Size, text_box};
use crate::charts::spec::Scaling;
use crate::charts::text;
use crate::charts::theme::Theme;

/// Narrower than this the names stand above their bars.
const WIDE: f64 = 560.0;
/// Room of the names, left of the plot.
const NAMES: f64 = 236.0;
/// Where a name starts, right of its badge or number.
const NAME: f64 = 29.0;
/// From the names to the plot, and from the plot to the values.
const GAP: f64 = 16.0;
/// Room of the values, right of the plot.
const VALUES: f64 = 96.0;
/// Where the first bar starts: under the numbers of the axis.
const TOP: f64 = 24.0;
/// From one line of a name to the next.
const LINE: f64 = 16.0;
/// Between the words of two rows.
const BETWEEN: f64 = 14.0;
/// Size of the values.
const VALUE: f64 = 14.0;
/// A step shorter than this is a tick.
const HAIR: f64 = 3.0;
/// Says so, the longest wording first.
const HAIR_WORDS: [&str; 2] = ["a hair’s breadth at this scale", "a hair’s breadth"];
/// Says that a step changes nothing.
const NOTHING_WORDS: [&str; 2] = ["changes nothing here", "no change"];
/// A change smaller than this share of the number is none: sums of many values differ in their last digits.
const NOTHING: f64 = 1e-9;

/// One row: its strip, its bar and its words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// Top of its strip.
    pub top: f64,
    /// Bottom of its strip.
    pub bottom: f64,
    /// The middle of its bar.
    pub centre: f64,
    /// The height of its bar.
    tall: f64,
    /// The lines of its name and how many of them are the name itself.
    lines: (Vec<String>, usize),
    /// The middle of the first line.
    first: f64,
    /// Its value in lines.
    value: Vec<String>,
}

/// Where everything stands at a width.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    wide: bool,
    width: f64,
    /// The height of the drawing.
    pub height: f64,
    scale: Scale,
    plot: (f64, f64),
    /// One place a row.
    pub rows: Vec<Place>,
    most: usize,
}

const fn tall(kind: BarKind, wide: bool) -> f64 {
    match (kind, wide) {
        (BarKind::A | BarKind::B, true) => 30.0,
        (BarKind::A | BarKind::B, false) => 26.0,
        (_, true) => 24.0,
        (_, false) => 20.0,
    }
}

impl Layout {
    /// Lays the rows out from top to bottom.
    pub(super) fn of(drawing: &Waterfall, width: f64) -> Self {
        let wide = width >= WIDE;
        let plot = if wide {
            (NAMES + GAP, (width - VALUES - GAP).max(NAMES + GAP + 1.0))
        } else {
            (0.0, (width - VALUES + 6.0).max(1.0))
        };
        let ends = drawing.rows.iter().flat_map(|row| {
            let span = row.span.map(|(from, to)| [from, to]);
            span.into_iter().flatten().chain(row.low).chain(row.high)
        });
        let finite = ends.filter(|v| v.is_finite() && v.abs() < 1e300);
        let (low, high) = finite.fold((0.0_f64, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        let domain = if high > low { (low * 1.03, high * 1.03) } else { (0.0, 1.0) };
        let mut layout = Self {
            wide,
            width,
            height: 0.0,
            scale: Scale::new(Scaling::Linear { from_zero: true }, domain, plot),
            plot,
            rows: Vec::new(),
            most: (((plot.1 - plot.0) / 75.0) as usize).clamp(3, 8),
        };
        let mut y = TOP;
        for row in &drawing.rows {
            let place = layout.place(row, y);
            y = place.bottom;
            layout.rows.push(place);
        }
        layout.height = (y - BETWEEN / 2.0 + 2.0).max(TOP + 40.0).ceil();
        layout
    }

    fn place(&self, row: &WaterfallRow, top: f64) -> Place {
        let tall = tall(row.kind, self.wide);
        let end = matches!(row.kind, BarKind::A | BarKind::B);
        let room = if self.wide { NAMES - NAME } else { self.width - NAME - 4.0 };
        let mut lines = text::wrapped(&row.title, false, room);
        if !self.wide {
            lines = if end { Vec::new() } else { lines };
        }
        let named = lines.len();
        if self.wide {
            lines.extend(text::wrapped(&row.under, false, room));
        }
        let value = text::wrapped(&row.label, true, VALUES * text::SIZE / VALUE);
        let words = LINE * lines.len() as f64;
        let (first, centre, bottom) = if self.wide {
            let block = words.max(tall).max(LINE * value.len() as f64);
            let centre = top + block / 2.0;
            (centre - words / 2.0 + LINE / 2.0, centre, top + block + BETWEEN)
        } else {
            let bar = top + words + if named > 0 { 4.0 } else { 0.0 };
            (top + LINE / 2.0, bar + tall / 2.0, bar + tall + 10.0)
        };
        Place { top, bottom, centre, tall, lines: (lines, named), first, value }
    }

    fn px(&self, value: f64) -> f64 {
        self.scale.px(value).unwrap_or(self.plot.0).clamp(self.plot.0, self.plot.1)
    }

    /// The bar of a row; where its value is not known, the start of the plot.
    pub(super) fn bar(&self, row: &WaterfallRow, place: &Place) -> Rect {
        let (from, to) = row.span.map_or((self.plot.0, self.plot.0), |(from, to)| {
            let (a, b) = (self.px(from), self.px(to));
            (a.min(b), a.max(b))
        });
        let half = place.tall / 2.0;
        let (top, bottom) = (place.centre - half, place.centre + half);
        Rect { left: from, right: to, top, bottom }
    }

    /// The rightmost place that words beside a bar may reach.
    fn free_until(&self, place: &Place) -> f64 {
        let widest = place.value.iter().map(|line| text::width_at(line, true, VALUE));
        self.width - widest.fold(0.0, f64::max) - 8.0
    }
}

/// Draws a waterfall.
pub(super) fn scene(drawing: &Waterfall, size: Size, theme: &Theme) -> Scene {
    let layout = Layout::of(drawing, size.width);
    let mut pen = Pen::new(size, theme);
    axis(&layout, &drawing.unit, &mut pen);
    connectors(drawing, &layout, &mut pen);
    let length = |kind| {
        let row = drawing.rows.iter().find(|row| row.kind == kind)?;
        row.span.map(|(_, to)| to)
    };
    let ends = length(BarKind::A).zip(length(BarKind::B));
    for (row, place) in drawing.rows.iter().zip(&layout.rows) {
        name(row, place, &layout, &mut pen);
        match row.kind {
            BarKind::A => end(row, place, &layout, Letter::A, ends, &mut pen),
            BarKind::B => end(row, place, &layout, Letter::B, ends.map(|(a, b)| (b, a)), &mut pen),
            BarKind::Step => step(row, place, &layout, &mut pen),
            BarKind::Explained => explained(row, place, &layout, &mut pen),
            BarKind::Remainder => remainder(row, place, &layout, &mut pen),
        }
        value(row, place, &layout, &mut pen);
    }
    pen.scene(size)
}

/// The numbers of the axis above the bars, and its grid behind them.
fn axis(layout: &Layout, unit: &str, pen: &mut Pen<'_>) {
    let (Some(first), Some(last)) = (layout.rows.first(), layout.rows.last()) else { return };
    let (top, bottom) = (first.centre - first.tall / 2.0, last.centre + last.tall / 2.0);
    let ticks: Vec<Tick> = layout.scale.ticks(layout.most);
    let count = ticks.len();
    let mut until = f64::MIN;
    for (at, tick) in ticks.into_iter().enumerate() {
        let x = layout.px(tick.value);
        pen.upright(x, (top, bottom), 1.0, pen.theme.grid);
        let words = if at + 1 == count && !unit.is_empty() {
            format!("{} {unit}", tick.label)
        } else {
            tick.label
        };
        // The number stands over its line; the unit follows it.
        let half = text::width(&words, false) / 2.0;
        let middle = x.min(layout.width - half).max(half);
        if middle - half > until {
            pen.text((middle, 8.0), Anchor::Middle, &words, pen.theme.ink2);
            until = middle + half + 6.0;
        }
    }
}

/// A dotted line from the end of each bar to the next.
fn connectors(drawing: &Waterfall, layout: &Layout, pen: &mut Pen<'_>) {
    let rows = drawing.rows.iter().zip(&layout.rows);
    let has_bar = |row: &WaterfallRow| row.kind != BarKind::Explained && row.span.is_some();
    let bars: Vec<_> = rows.filter(|(row, _)| has_bar(row)).collect();
    for (above, below) in bars.iter().zip(bars.iter().skip(1)) {
        let Some((_, to)) = above.0.span else { continue };
        let x = layout.px(to);
        let from = above.1.centre + above.1.tall / 2.0;
        let until = below.1.centre - below.1.tall / 2.0;
        pen.line(vec![(x, from), (x, until)], 1.25, Some((2.0, 3.0)), pen.theme.ink3);
    }
}

/// Badge or number, name and what stands under it.
fn name(row: &WaterfallRow, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let letter = match row.kind {
        BarKind::A => Some(Letter::A),
        BarKind::B => Some(Letter::B),
        _ => None,
    };
    let (lines, named) = &place.lines;
    if layout.wide
        && let Some(letter) = letter
    {
        pen.badge((0.0, place.centre), letter);
    } else if letter.is_none() {
        let middle = (BADGE / 2.0, place.first);
        pen.bold(middle, Anchor::Middle, &row.mark, pen.theme.ink2);
    }
    for (at, line) in lines.iter().enumerate() {
        let y = place.first + LINE * at as f64;
        let paint = if at < *named { pen.theme.ink } else { pen.theme.ink3 };
        if !layout.wide {
            // Dotted lines and the grid run behind the words.
            pen.plate(text_box((NAME - 2.0, y), Anchor::Start, text::width(line, false) + 4.0));
        }
        pen.text((NAME, y), Anchor::Start, line, paint);
    }
}

fn value(row: &WaterfallRow, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let lines = place.value.len();
    let first = place.centre - LINE * (lines as f64 - 1.0) / 2.0;
    for (at, line) in place.value.iter().enumerate() {
        let y = first + LINE * at as f64;
        pen.words((layout.width, y), Anchor::End, line, (true, VALUE), pen.theme.ink);
    }
    // On a phone the slots stand above the drawing; in a picture that left the page nothing does.
    let letter = match row.kind {
        BarKind::A if !layout.wide => Letter::A,
        BarKind::B if !layout.wide => Letter::B,
        _ => return,
    };
    let left = layout.free_until(place) + 8.0 - 6.0 - BADGE;
    if lines == 1 && left > layout.plot.1 + 2.0 {
        pen.badge((left, place.centre), letter);
    }
}

/// A or B: a piece of the ruler, with the shorter of both laid into the longer.
fn end(
    row: &WaterfallRow,
    place: &Place,
    layout: &Layout,
    letter: Letter,
    lengths: Option<(f64, f64)>,
    pen: &mut Pen<'_>,
) {
    let (Some((_, to)), colours) = (row.span, letter.colours(pen.theme)) else { return };
    let mut bar = layout.bar(row, place);
    bar.right = bar.right.max(bar.left + 2.0);
    let ground = if row.hollow { pen.theme.page } else { colours.ground };
    pen.rect(bar, ground);
    interval(row, &bar, layout, pen);
    let (low, high) = layout.scale.domain();
    for tick in ticks(to, (layout.plot.1 - layout.plot.0) / (high - low)) {
        let x = layout.px(tick.value);
        if x < bar.right - 1.0 {
            pen.upright(x, (bar.top, bar.top + tick.length), 1.25, colours.mark);
        }
    }
    pen.edges(bar, 1.0, colours.edge);
    let Some((own, other)) = lengths else { return };
    let foot = bar.bottom - 9.5;
    if own >= other {
        let other_letter = if letter == Letter::A { Letter::B } else { Letter::A };
        let paint = other_letter.colours(pen.theme).mark;
        let Some(pieces) = pieces(own, other) else { return };
        let mut left = bar.left;
        for cut in &pieces.cuts {
            let x = layout.px(*cut);
            pen.upright(x, (bar.bottom - 9.0, bar.bottom), 2.5, paint);
            centred(pen, (left, x), foot, other_letter.word(), paint);
            left = x;
        }
        let last = match pieces.rest.as_str() {
            "" => other_letter.word().to_owned(),
            rest => format!("{rest} {}", other_letter.word()),
        };
        centred(pen, (left, bar.right), foot, &last, paint);
    } else {
        centred(pen, (bar.left, bar.right), foot, letter.word(), colours.mark);
    }
}

/// Bold words in the middle of a stretch, where they fit.
fn centred(
    pen: &mut Pen<'_>,
    (left, right): (f64, f64),
    y: f64,
    words: &str,
    paint: crate::charts::theme::Rgb,
) {
    if text::width(words, true) + 6.0 <= right - left {
        pen.bold((f64::midpoint(left, right), y), Anchor::Middle, words, paint);
    }
}

/// The interval around the end of a bar: a grey stretch.
fn interval(row: &WaterfallRow, bar: &Rect, layout: &Layout, pen: &mut Pen<'_>) {
    let (Some(low), Some(high)) = (row.low, row.high) else { return };
    let (left, right) = (layout.px(low), layout.px(high));
    let area = Rect { left, right: right.max(left + 1.0), ..*bar };
    pen.rect(area, pen.theme.control.at(0.3));
    for x in [area.left, area.right] {
        pen.upright(x, (area.top, area.bottom), 1.0, pen.theme.control);
    }
}

/// A step: hatched from running total to running total, an arrow in its direction, its cause on a plate.
fn step(row: &WaterfallRow, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let Some((from, to)) = row.span else { return };
    let bar = layout.bar(row, place);
    interval(row, &bar, layout, pen);
    if bar.width() < HAIR {
        return hair(row, &bar, place, layout, pen);
    }
    pen.hatched(bar);
    let ink2 = pen.theme.ink2;
    let (tail, head) = if to < from {
        (bar.right - 9.0, bar.left + 8.0)
    } else {
        (bar.left + 9.0, bar.right - 8.0)
    };
    if bar.width() < 30.0 {
        return;
    }
    pen.line(vec![(tail, place.centre), (head, place.centre)], 6.0, None, pen.theme.page);
    pen.arrow(place.centre, tail, head, ink2);
    let room = bar.width() - 2.0 * 28.0 - 12.0;
    if let Some(cause) = row.causes.iter().find(|c| text::width(c, false) <= room) {
        let at = (bar.centre().0, place.centre);
        pen.plate(Rect::around(at, text::width(cause, false) + 12.0, 16.0));
        pen.text(at, Anchor::Middle, cause, ink2);
    }
}

/// A step too short for a bar: a tick, and words that say that it is one.
fn hair(row: &WaterfallRow, bar: &Rect, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let x = f64::midpoint(bar.left, bar.right);
    pen.upright(x, (bar.top, bar.bottom), HAIR, pen.theme.ink);
    let (from, to) = row.span.unwrap_or_default();
    let nothing = (to - from).abs() <= NOTHING * to.abs().max(from.abs());
    // Where one bound alone is known, the arrow points to where the number may lie.
    let (all, lead, falls) = match (row.low, row.high) {
        (Some(_), None) => (["or more", "or more"], 30.0, false),
        (None, Some(_)) => (["or less", "or less"], 30.0, true),
        _ if nothing => (NOTHING_WORDS, 8.0, false),
        _ => (HAIR_WORDS, 30.0, to < from),
    };
    let (reach, free) = (8.0, layout.free_until(place));
    for words in all {
        let wide = text::width(words, false);
        let right = x + lead + wide <= free;
        if !right && x - lead - wide < layout.plot.0 {
            continue;
        }
        let side = if right { 1.0 } else { -1.0 };
        let (near, far) = (x + side * reach, x + side * (lead - 5.0));
        let anchor = if right { Anchor::Start } else { Anchor::End };
        let at = (x + side * lead, place.centre);
        pen.plate(text_box(at, anchor, wide));
        pen.text(at, anchor, words, pen.theme.ink3);
        if lead <= reach {
            return;
        }
        // The arrow shows the direction of the change, whichever side of the tick it stands on.
        let (left, end) = (near.min(far), near.max(far));
        let (tail, head) = if falls { (end, left) } else { (left, end) };
        pen.arrow(place.centre, tail, head, pen.theme.ink2);
        return;
    }
}

/// What definitions explain: a rule over the row, and a bracket over all steps.
fn explained(row: &WaterfallRow, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let y = place.top - BETWEEN / 2.0 + 1.0;
    let area = Rect { left: 0.0, right: layout.width, top: y, bottom: y + 1.0 };
    pen.rect(area, pen.theme.rule);
    if row.span.is_none() {
        return;
    }
    let bar = layout.bar(row, place);
    let (middle, ink2) = (place.centre, pen.theme.ink2);
    pen.line(vec![(bar.left, middle), (bar.right, middle)], 1.5, None, ink2);
    for x in [bar.left, bar.right] {
        pen.upright(x, (middle - 5.0, middle + 5.0), 1.5, ink2);
    }
}

/// What is left over: a tick where it ends, its interval as a grey bar.
fn remainder(row: &WaterfallRow, place: &Place, layout: &Layout, pen: &mut Pen<'_>) {
    let Some((_, to)) = row.span else { return };
    let bar = layout.bar(row, place);
    interval(row, &bar, layout, pen);
    pen.upright(layout.px(to), (bar.top, bar.bottom), HAIR, pen.theme.ink);
}
