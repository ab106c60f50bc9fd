//! Draws the request: rulers, events, the lines between them, the pinned event with its card.

use super::layout::{Layout, MAP, NAME, PAST, RESULT, SIDE_GAP};
use super::marks::{counts, every, gaps};
use super::{Numbers, Ruler, Stream};
use crate::charts::pen::{Letter, Pen};
use crate::charts::scale::Scale;
use crate::charts::scene::{Anchor, Paint, Pt, Rect, Scene, Shape, Size, text_box};
use crate::charts::spec::Scaling;
use crate::charts::text;
use crate::charts::theme::Theme;
use crate::units::fixed;

/// Distance of the dots of an event, and their radius, where all of them have room.
const DOTS: (f64, f64) = (10.0, 4.4);
/// Below this distance the dots of an event are not counted out.
const LEAST: f64 = 4.4;
/// Radius of the corners of a ruler.
const CORNER: f64 = 3.0;
/// From one line of a card to the next.
const LINE: f64 = 17.0;

/// A request in the making.
struct Sheet<'a> {
    stream: &'a Stream,
    layout: Layout,
    held: Option<usize>,
    /// Distance and radius of the dots of one event.
    dots: (f64, f64),
    /// How many dots an event may have.
    most: u32,
}

/// Draws the request with one event pinned.
pub(super) fn scene(stream: &Stream, size: Size, theme: &Theme, held: Option<usize>) -> Scene {
    let layout = Layout::of(stream, size.width, held);
    let (top, base) = (layout.a.1, layout.base);
    let largest = stream.events.iter().filter_map(|event| event.tokens).max().unwrap_or(1);
    // The first line of the card stands over the dots of a usual event, so some room is kept.
    let room = base - top - 12.0;
    // Nor do the dots of neighbours touch, where events come evenly.
    let count = layout.page.map_or(stream.events.len(), |page| page.end - page.first);
    let beside = (layout.plot.1 - layout.plot.0) / (count as f64).max(1.0);
    let apart = (room / f64::from(largest.max(1))).min(beside).clamp(LEAST, DOTS.0);
    let dots = (apart, DOTS.1 * (apart / DOTS.0));
    let most = (room / apart) as u32;
    let in_sight = |at: &usize| {
        let event = stream.events.get(*at);
        layout.draws(*at) && event.is_some_and(|event| layout.shows(layout.x(event.at)))
    };
    let held = held.filter(in_sight);
    let sheet = Sheet { stream, layout, held, dots, most };
    let mut pen = Pen::new(size, theme);
    if stream.events.is_empty() && stream.a.is_none() && stream.b.is_none() {
        return pen.scene(size);
    }
    sheet.clock(&mut pen);
    sheet.wait(&mut pen);
    for (letter, ruler) in [(Letter::A, &stream.a), (Letter::B, &stream.b)] {
        if let Some(ruler) = ruler {
            sheet.face(letter, ruler, &mut pen);
        }
    }
    sheet.column(&mut pen);
    for (letter, ruler) in [(Letter::A, &stream.a), (Letter::B, &stream.b)] {
        if let Some(ruler) = ruler {
            sheet.lines(letter, ruler, &mut pen);
            sheet.marks(letter, ruler, &mut pen);
            sheet.words(letter, ruler, &mut pen);
        }
    }
    sheet.events(&mut pen);
    sheet.card(&mut pen);
    sheet.map(&mut pen);
    pen.scene(size)
}

impl Sheet<'_> {
    fn band(&self, letter: Letter) -> (f64, f64) {
        match letter {
            Letter::A => self.layout.a,
            Letter::B => self.layout.b,
        }
    }

    fn held_event(&self) -> Option<&super::Event> {
        self.held.and_then(|at| self.stream.events.get(at))
    }

    /// The face of a ruler, from a little before its first mark to a little past its last.
    fn face(&self, letter: Letter, ruler: &Ruler, pen: &mut Pen<'_>) {
        let (Some(first), Some(last)) = (ruler.marks.first(), ruler.marks.last()) else { return };
        let colours = letter.colours(pen.theme);
        let (left, right) = self.layout.plot;
        let from = self.layout.x(first.at).max(left) - PAST;
        let to = self.layout.x(last.at).min(right) + PAST;
        if to <= from {
            return;
        }
        let (top, bottom) = self.band(letter);
        let area = Rect { left: from, right: to, top, bottom };
        pen.face(area, CORNER, colours.edge);
        let inner =
            Rect { left: from + 1.0, right: to - 1.0, top: top + 1.0, bottom: bottom - 1.0 };
        pen.face(inner, CORNER - 1.0, colours.ground);
        if let Some((from, to)) = self.stretches(ruler) {
            let area = Rect { left: from, right: to, ..inner };
            pen.rect(area, colours.held);
        }
    }

    /// What the pinned event has of a ruler: from the mark before its first to its last.
    fn stretches(&self, ruler: &Ruler) -> Option<(f64, f64)> {
        let held = self.held?;
        let own = |mark: &super::Mark| mark.event == Some(held);
        let first = ruler.marks.iter().position(own)?;
        let last = ruler.marks.iter().rposition(own)?;
        let at = |i: usize| ruler.marks.get(i).map(|mark| self.layout.x(mark.at));
        let (from, to) = (at(first.checked_sub(1)?)?, at(last)?);
        let (left, right) = self.layout.plot;
        let (from, to) = (from.max(left), to.min(right));
        (to > from).then_some((from, to))
    }

    /// The stretch of the pinned event on the way from ruler A to the stream.
    fn column(&self, pen: &mut Pen<'_>) {
        let Some((from, to)) = self.stream.a.as_ref().and_then(|ruler| self.stretches(ruler))
        else {
            return;
        };
        let area = Rect { left: from, right: to, top: self.layout.a.1, bottom: self.layout.base };
        pen.rect(area, pen.theme.wash.at(0.55));
    }

    /// Lines from the events to their marks on a ruler: straight where both are at one time.
    fn lines(&self, letter: Letter, ruler: &Ruler, pen: &mut Pen<'_>) {
        let colours = letter.colours(pen.theme);
        let (from, to) = match letter {
            Letter::A => (None, self.layout.a.1),
            Letter::B => (Some(self.layout.base + 3.0), self.layout.b.0),
        };
        let mut held = Vec::new();
        for mark in &ruler.marks {
            let Some((at, event)) =
                mark.event.and_then(|at| Some((at, self.stream.events.get(at)?)))
            else {
                continue;
            };
            let (x, end) = (self.layout.x(event.at), self.layout.x(mark.at));
            if !self.layout.draws(at) || !self.layout.shows(x) || !self.layout.shows(end) {
                continue;
            }
            let start = from.unwrap_or_else(|| self.top_of(at) - 4.0);
            let path = joined((x, start), (end, to));
            if Some(at) == self.held {
                held.push(path);
            } else {
                pen.line(path, 1.25, None, colours.edge);
            }
        }
        // The pinned ones last: they lie over the others.
        for path in held {
            let paint = if letter == Letter::A { colours.mark } else { pen.theme.accent };
            pen.line(path, 2.0, None, paint);
        }
    }

    /// Ticks on the edge of a ruler that faces the stream.
    fn marks(&self, letter: Letter, ruler: &Ruler, pen: &mut Pen<'_>) {
        let colours = letter.colours(pen.theme);
        let (top, bottom) = self.band(letter);
        let step = every(ruler, |time| self.layout.x(time));
        for (at, mark) in ruler.marks.iter().enumerate() {
            let x = self.layout.x(mark.at);
            let own = mark.event.is_some() && mark.event == self.held;
            if !self.layout.shows(x) || (at % step != 0 && at + 1 != ruler.marks.len() && !own) {
                continue;
            }
            let long = ruler.numbers == Numbers::Gaps || at % 5 == 0 || at + 1 == ruler.marks.len();
            let length = if long { 14.0 } else { 9.0 };
            let span = match letter {
                Letter::A => (bottom - length, bottom),
                Letter::B => (top, top + length),
            };
            pen.upright(x, span, 1.5, colours.mark);
        }
    }

    /// How many marks lie on one place.
    fn pile(&self, letter: Letter, x: f64, count: u32, pen: &mut Pen<'_>) {
        let words = format!("×{count}");
        let (top, bottom) = self.band(letter);
        let y = match letter {
            Letter::A => bottom - 21.0,
            Letter::B => top + 21.0,
        };
        let own = text_box((x, y), Anchor::Middle, text::width(&words, false) + 2.0);
        let clash = pen.shapes.iter().filter_map(Shape::text_box).any(|area| area.overlaps(&own));
        let inside =
            own.left >= self.layout.plot.0 - PAST && own.right <= self.layout.plot.1 + PAST;
        if !clash && inside {
            let ink = letter.colours(pen.theme).ink;
            pen.text((x, y), Anchor::Middle, &words, ink);
        }
    }

    /// Numbers on a ruler, its name, its result.
    fn words(&self, letter: Letter, ruler: &Ruler, pen: &mut Pen<'_>) {
        let colours = letter.colours(pen.theme);
        let (top, bottom) = self.band(letter);
        let (left, right) = self.layout.plot;
        let x = |time: f64| self.layout.x(time);
        // Where marks lie on each other, how many they are stands between ticks and numbers.
        let piled = ruler.marks.iter().any(|mark| mark.piled > 1);
        let inset = if piled { 9.0 } else { 15.0 };
        let (numbers, y) = match (ruler.numbers, letter) {
            (Numbers::Gaps, _) => {
                let numbers = gaps(&ruler.marks, self.held, x, (left, right));
                (numbers, if letter == Letter::A { top + inset } else { bottom - inset })
            }
            (Numbers::Counts, Letter::A) => (counts(&ruler.marks, x, (left, right)), top + inset),
            (Numbers::Counts, Letter::B) => {
                (counts(&ruler.marks, x, (left, right)), bottom - inset)
            }
        };
        for number in numbers {
            let at = (number.x, y);
            if number.held {
                pen.bold(at, Anchor::Middle, &number.words, colours.ink);
            } else {
                pen.text(at, Anchor::Middle, &number.words, colours.ink);
            }
        }
        for mark in ruler.marks.iter().filter(|mark| mark.piled > 1) {
            if self.layout.shows(x(mark.at)) {
                self.pile(letter, x(mark.at), mark.piled, pen);
            }
        }
        if self.layout.wide {
            self.named(letter, ruler, pen);
            let at = self.layout.side;
            let reading = text::fitted(&ruler.reading, self.layout.width - at);
            pen.text((at, top + 13.0), Anchor::Start, &reading, pen.theme.ink2);
            let result = (at, top + 34.0);
            pen.words(result, Anchor::Start, &ruler.result, (true, RESULT), colours.ink);
        } else {
            let y = if letter == Letter::A { top - 11.0 } else { bottom + 13.0 };
            pen.badge((0.0, y), letter);
            let words = match (ruler.reading.as_str(), ruler.result.as_str()) {
                ("", result) => result.to_owned(),
                (reading, result) => format!("{reading} = {result}"),
            };
            pen.bold((NAME, y), Anchor::Start, &words, pen.theme.ink);
        }
    }

    /// Badge, name and what its marks are, left of the ruler.
    fn named(&self, letter: Letter, ruler: &Ruler, pen: &mut Pen<'_>) {
        let (top, _) = self.band(letter);
        pen.badge((0.0, top + 14.0), letter);
        pen.bold((NAME, top + 14.0), Anchor::Start, &ruler.name, pen.theme.ink);
        for (at, line) in text::wrapped(&ruler.under, false, self.layout.name).iter().enumerate() {
            let y = top + 31.0 + 15.0 * at as f64;
            pen.text((NAME, y), Anchor::Start, line, pen.theme.ink3);
        }
    }

    /// The wait for the first token: hatched, on neither ruler.
    fn wait(&self, pen: &mut Pen<'_>) {
        let layout = &self.layout;
        let Some(wait) = self.stream.wait.as_ref().filter(|_| layout.wide && layout.page.is_none())
        else {
            return;
        };
        let (left, right) = layout.plot;
        let inside = |time: f64| layout.x(time).max(left).min(right);
        let (from, to, base) = (inside(0.0), inside(wait.to) - PAST, layout.base);
        if to - from > 2.0 {
            let area = Rect { left: from, right: to, top: base - 9.0, bottom: base };
            pen.hatched(area);
        }
        pen.upright(from, (base - 15.0, base + 7.0), 2.0, pen.theme.ink);
        // Words stand over and under the hatch, or, where it is short, left of it.
        let room = inside(wait.to) - from - 13.0;
        let widest = text::width(&wait.words, false).max(text::width(&wait.note, false));
        let (x, anchor, room) = if widest <= room || !layout.column {
            (from + 7.0, Anchor::Start, room)
        } else {
            (from - 8.0, Anchor::End, from - 8.0)
        };
        let lines = text::wrapped(&wait.words, false, room);
        if lines.len() > 2 || lines.iter().any(|line| text::width(line, false) > room) {
            return;
        }
        for (at, line) in lines.iter().rev().enumerate() {
            let y = base - 20.0 - 15.0 * at as f64;
            pen.text((x, y), anchor, line, pen.theme.ink3);
        }
        if text::width(&wait.note, false) <= room {
            pen.text((x, base + 15.0), anchor, &wait.note, pen.theme.ink3);
        }
    }

    /// The middle of the topmost dot of an event.
    fn top_of(&self, event: usize) -> f64 {
        let base = self.layout.base;
        match self.stream.events.get(event).and_then(|event| event.tokens) {
            None => base - 24.0,
            Some(0) => base,
            Some(n) => {
                let dots = n.min(self.most);
                let more = if n > self.most { 14.0 } else { 0.0 };
                base - 3.0 - self.dots.0 * (f64::from(dots) - 0.5) - more
            }
        }
    }

    /// A dot a token, stacked upward; a hollow bar where the tokens are not known.
    fn events(&self, pen: &mut Pen<'_>) {
        let (layout, (apart, radius)) = (&self.layout, self.dots);
        let (left, right) = layout.plot;
        let ink = pen.theme.ink;
        let from = if layout.wide && layout.page.is_none() && self.stream.wait.is_some() {
            layout.x(self.stream.wait.as_ref().map_or(0.0, |wait| wait.to)).max(left).min(right)
                - PAST
        } else {
            left - PAST
        };
        let line =
            Rect { left: from, right: right + PAST, top: layout.base, bottom: layout.base + 1.25 };
        pen.rect(line, ink);
        for (at, event) in self.stream.events.iter().enumerate() {
            let x = layout.x(event.at);
            if !layout.draws(at) || !layout.shows(x) {
                continue;
            }
            let paint: Paint = if Some(at) == self.held { pen.theme.accent } else { ink }.into();
            let Some(tokens) = event.tokens else {
                let bar = Rect {
                    left: x - 4.0,
                    right: x + 4.0,
                    top: layout.base - 22.0,
                    bottom: layout.base,
                };
                pen.rect(bar, pen.theme.page);
                pen.edges(bar, 1.5, paint);
                continue;
            };
            for dot in 0..tokens.min(self.most) {
                let place = (x, layout.base - 3.0 - apart * (f64::from(dot) + 0.5));
                // The first token belongs to the wait, not to the time per token.
                if at == 0 && dot == 0 {
                    let disc =
                        |radius, stroke, paint| Shape::Circle { at: place, radius, stroke, paint };
                    pen.shapes.push(disc(radius, None, pen.theme.page.into()));
                    pen.shapes.push(disc(radius - 0.75, Some(1.75), paint));
                } else {
                    pen.shapes.push(Shape::Circle { at: place, radius, stroke: None, paint });
                }
            }
            if tokens > self.most {
                many((x, self.top_of(at) + 5.0), tokens, paint, pen);
            }
        }
    }

    /// What both rulers say of the pinned event, right of the stream, with a dotted line to it.
    fn card(&self, pen: &mut Pen<'_>) {
        let (Some(at), Some(event)) = (self.held, self.held_event()) else { return };
        let layout = &self.layout;
        if !layout.wide || event.name.is_empty() {
            return;
        }
        let accent = pen.theme.accent;
        let first = layout.a.1 + 29.0;
        let (x, top) = (layout.x(event.at), self.top_of(at));
        let end = layout.side - SIDE_GAP + 14.0;
        // At the height of a dot the line starts beside it; else it comes down onto the event.
        let path = if top <= first {
            vec![(x + 9.0, first), (end, first)]
        } else {
            vec![(x, top - 7.0), (x, first), (end, first)]
        };
        if end - x > 12.0 {
            pen.line(path, 1.5, Some((2.0, 3.0)), accent);
        }
        let room = layout.width - layout.side;
        let mut y = first;
        for (at, line) in std::iter::once(event.name.clone()).chain(event.said()).enumerate() {
            for part in text::wrapped(&line, at == 0, room) {
                if y > layout.b.0 - 4.0 {
                    return;
                }
                let place = (layout.side, y);
                match at {
                    0 => pen.bold(place, Anchor::Start, &part, accent),
                    1 | 2 => pen.text(place, Anchor::Start, &part, pen.theme.ink2),
                    _ => pen.text(place, Anchor::Start, &part, pen.theme.ink3),
                }
                y += LINE;
            }
        }
    }

    /// The clock under ruler B.
    fn clock(&self, pen: &mut Pen<'_>) {
        let layout = &self.layout;
        let Some(y) = layout.axis else { return };
        let (left, right) = layout.plot;
        let scale = Scale::new(Scaling::Linear { from_zero: false }, layout.times, (left, right));
        let paint: Paint = pen.theme.axis.into();
        pen.rect(Rect { left, right, top: y, bottom: y + 1.0 }, paint);
        let ticks = scale.ticks((((right - left) / 90.0) as usize).clamp(3, 10));
        let places: Vec<f64> = ticks.iter().filter_map(|tick| scale.px(tick.value)).collect();
        for (a, b) in places.iter().zip(places.iter().skip(1)) {
            pen.upright(f64::midpoint(*a, *b), (y, y + 4.0), 1.0, paint);
        }
        for (tick, x) in ticks.iter().zip(&places) {
            pen.upright(*x, (y, y + 6.0), 1.0, paint);
            let half = text::width(&tick.label, false) / 2.0;
            let middle = x.max(half);
            pen.text((middle, y + 16.0), Anchor::Middle, &tick.label, pen.theme.ink2);
        }
        let at = (right + PAST + 3.0, y);
        let words = "ms since send";
        let fitting = text::width(words, false) <= layout.width - at.0;
        pen.text(at, Anchor::Start, if fitting { words } else { "ms" }, pen.theme.ink3);
    }

    /// The whole request in little, with a frame around the part that is drawn.
    fn map(&self, pen: &mut Pen<'_>) {
        let layout = &self.layout;
        let (Some(top), Some(page)) = (layout.map, layout.page) else { return };
        let (left, right) = layout.map_plot();
        let at = |event: usize| {
            let event = self.stream.events.get(event);
            event.map_or(left, |event| layout.map_x(self.stream, event.at))
        };
        let bottom = top + MAP;
        let from = at(page.first.saturating_sub(1));
        let to = at(page.end.saturating_sub(1)).max(from + 3.0);
        let frame = Rect { left: from - 2.0, right: to + 2.0, top, bottom };
        pen.rect(frame, pen.theme.wash);
        let mut last = f64::MIN;
        for event in &self.stream.events {
            let x = layout.map_x(self.stream, event.at);
            // Ticks nearer than a pixel are one.
            if x - last >= 1.0 {
                pen.upright(x, (top + 3.0, bottom - 3.0), 1.0, pen.theme.ink3.at(0.7));
                last = x;
            }
        }
        pen.edges(frame, 1.5, pen.theme.accent);
        let rule = Rect { left, right, top: bottom, bottom: bottom + 1.0 };
        pen.rect(rule, pen.theme.rule);
        if let Some(event) = self.held_event() {
            let x = layout.map_x(self.stream, event.at);
            pen.upright(x, (top, bottom), 2.0, pen.theme.accent);
        }
        let (first, end, all) = page.tokens;
        let unit = if self.stream.events.iter().all(|event| event.tokens.is_some()) {
            "tokens"
        } else {
            "events"
        };
        let n = |v: f64| fixed(v, 0);
        let words = format!("{unit} {} to {} of {}", n(first), n(end), n(all));
        let (place, anchor) = if layout.wide {
            ((0.0, top + MAP / 2.0), Anchor::Start)
        } else {
            ((0.0, bottom + 11.0), Anchor::Start)
        };
        let room = if layout.wide { left - 8.0 } else { layout.width };
        pen.text(place, anchor, &text::fitted(&words, room), pen.theme.ink3);
    }
}

/// The way from an event to a mark: straight down, or a curve that leaves and arrives upright.
fn joined(from: Pt, to: Pt) -> Vec<Pt> {
    if (from.0 - to.0).abs() < 0.75 {
        return vec![from, to];
    }
    // Both inner points of Bézier's cubic lie at one height, over and under the ends.
    let bend = from.1 + (to.1 - from.1) * 0.45;
    (0..=20)
        .map(|i| {
            let t = f64::from(i) / 20.0;
            let u = 1.0 - t;
            let (start, end) = (u * u * u, t * t * t);
            let (near, far) = (3.0 * u * u * t, 3.0 * u * t * t);
            let x = (start + near) * from.0 + (far + end) * to.0;
            (x, start * from.1 + (near + far) * bend + end * to.1)
        })
        .collect()
}

/// How many tokens an event brings that brings more than can be counted.
fn many(at: Pt, tokens: u32, paint: Paint, pen: &mut Pen<'_>) {
    let words = fixed(f64::from(tokens), 0);
    let own = text_box(at, Anchor::Middle, text::width(&words, false));
    let clash = pen.shapes.iter().filter_map(Shape::text_box).any(|area| area.overlaps(&own));
    if !clash {
        pen.plate(own);
        pen.text(at, Anchor::Middle, &words, paint);
    }
}
