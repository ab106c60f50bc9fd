//! Where rulers, stream and clock stand, and which part of a long request is drawn.

use super::marks::APART;
use super::{Ruler, Stream};
use crate::charts::pen::BADGE;
use crate::charts::scene::{Pt, Rect};
use crate::charts::text;

/// Narrower than this the names and results stand above and below the rulers.
const WIDE: f64 = 620.0;
/// How far a ruler reaches past its ends.
pub(super) const PAST: f64 = 9.0;
/// Longer requests show a part of themselves.
const WHOLE: f64 = 60.0;
/// The tokens of such a part.
const PART: f64 = 40.0;
/// The most room of what stands right of the rulers.
const MOST_SIDE: f64 = 190.0;
/// From the rulers to what stands right of them.
pub(super) const SIDE_GAP: f64 = 25.0;
/// Where the words beside a badge start.
pub(super) const NAME: f64 = BADGE + 9.0;
/// Size of the results.
pub(super) const RESULT: f64 = 20.0;
/// The least room in which the words of a name break into lines.
const LEAST_NAME: f64 = 110.0;
/// Height of the mini-map.
pub(super) const MAP: f64 = 14.0;

/// A part of a long request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Page {
    /// Its first event.
    pub first: usize,
    /// The one after its last event.
    pub end: usize,
    /// Its first and last token, counted from 1, and how many there are.
    pub tokens: (f64, f64, f64),
}

/// Where everything stands at a width.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub wide: bool,
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
    /// Left and right end of what is drawn on the clock.
    pub plot: (f64, f64),
    /// The times there, in ms since the send.
    pub times: (f64, f64),
    /// Whether names stand in a column of their own, left of the plot.
    pub column: bool,
    /// Room of the words of a name.
    pub name: f64,
    /// Top and bottom of both rulers.
    pub a: (f64, f64),
    pub b: (f64, f64),
    /// The line on which the events stand.
    pub base: f64,
    /// The clock under ruler B.
    pub axis: Option<f64>,
    /// Top of the mini-map.
    pub map: Option<f64>,
    /// The part that is drawn; nothing where all of the request is.
    pub page: Option<Page>,
    /// Where the lines right of the rulers start.
    pub side: f64,
}

/// First and last time of a ruler.
fn ends(ruler: Option<&Ruler>) -> Option<(f64, f64)> {
    let marks = &ruler?.marks;
    Some((marks.first()?.at, marks.last()?.at))
}

impl Layout {
    /// Lays the request out with event `held` in sight.
    pub(super) fn of(stream: &Stream, width: f64, held: Option<usize>) -> Self {
        let wide = width >= WIDE;
        let side = if wide { side_room(stream) } else { 0.0 };
        let right = (width - side - if wide { SIDE_GAP + PAST } else { PAST }).max(PAST + 1.0);
        let rulers = [ends(stream.a.as_ref()), ends(stream.b.as_ref())];
        let starts = rulers.iter().flatten().map(|(from, _)| *from);
        let first = stream.events.first().map(|event| event.at);
        let from = starts.chain(first).fold(f64::INFINITY, f64::min);
        let last = stream.events.last().map(|event| event.at);
        let to = rulers.iter().flatten().map(|(_, to)| *to).chain(last);
        let to = to.fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = if from < to && (to - from).is_finite() { (from, to) } else { (0.0, 1.0) };

        let page = page(stream, right - PAST, (from, to), held.or(stream.pinned).unwrap_or(0));
        let mut name = name_room(stream);
        let names = NAME + name + 14.0;
        // The names stand in the room of the wait, where that is wide enough and nothing else is there.
        let (start, times, column) = match page {
            None if wide && stream.wait.is_some() => {
                let begin = from.min(0.0);
                let free = (from - begin) / (to - begin) * (right - 4.0) - PAST;
                let column = free < NAME + LEAST_NAME;
                name = if column { name } else { free - NAME - 4.0 };
                (if column { names + PAST } else { 4.0 }, (begin, to), column)
            }
            None if wide => (names + PAST, (from, to), true),
            None => (PAST, (from, to), false),
            Some(page) => {
                let at = |event: usize| stream.events.get(event).map(|event| event.at);
                let before = at(page.first.saturating_sub(1)).unwrap_or(from);
                let last = at(page.end.saturating_sub(1)).unwrap_or(to);
                let start = if wide { names + PAST } else { PAST };
                let length = last - before;
                let usable = before.is_finite() && length.is_finite() && length > 0.0;
                (start, if usable { (before, last) } else { (from, to) }, wide)
            }
        };
        let plot = (start, right.max(start + 1.0));
        let map = page.is_some();
        let (a, base, b) = if wide {
            ((0.0, 46.0), 112.0, (175.0, 221.0))
        } else {
            ((20.0, 58.0), 120.0, (170.0, 208.0))
        };
        let axis = wide.then_some(232.0);
        let (map, height) = match (wide, map) {
            (true, false) => (None, 258.0),
            (true, true) => (Some(266.0), 266.0 + MAP + 4.0),
            (false, false) => (None, 232.0),
            (false, true) => (Some(238.0), 238.0 + MAP + 20.0),
        };
        Self {
            wide,
            width,
            height,
            plot,
            times,
            column,
            name,
            a,
            b,
            base,
            axis,
            map,
            page,
            side: right + PAST + SIDE_GAP,
        }
    }

    /// The pixel of a time; outside the plot where it is not drawn.
    pub(super) fn x(&self, time: f64) -> f64 {
        let share = (time - self.times.0) / (self.times.1 - self.times.0);
        self.plot.0 + share.clamp(-1e4, 1e4) * (self.plot.1 - self.plot.0)
    }

    /// Says whether a pixel lies on the drawn part.
    pub(super) fn shows(&self, x: f64) -> bool {
        (self.plot.0 - 0.5..=self.plot.1 + 0.5).contains(&x)
    }

    /// The pixel of a time on the mini-map, which holds the whole request.
    pub(super) fn map_x(&self, stream: &Stream, time: f64) -> f64 {
        let first = stream.events.first().map_or(0.0, |event| event.at);
        let last = stream.events.last().map_or(1.0, |event| event.at);
        let share = if last > first { (time - first) / (last - first) } else { 0.0 };
        let (left, right) = self.map_plot();
        left + share.clamp(0.0, 1.0) * (right - left)
    }

    /// Left and right end of the mini-map.
    pub(super) fn map_plot(&self) -> (f64, f64) {
        (self.plot.0, self.plot.1)
    }

    /// Says whether an event is on the drawn part.
    pub(super) fn draws(&self, event: usize) -> bool {
        self.page.is_none_or(|page| (page.first.saturating_sub(1)..page.end).contains(&event))
    }

    /// Index, place and ground of each event.
    pub(super) fn grounds(&self, stream: &Stream) -> Vec<(usize, Pt, Rect)> {
        let drawn: Vec<(usize, f64)> = stream
            .events
            .iter()
            .enumerate()
            .filter(|(at, _)| self.draws(*at))
            .map(|(at, event)| (at, self.x(event.at)))
            .collect();
        let mut grounds = Vec::new();
        for (i, (event, x)) in drawn.iter().enumerate() {
            let left = i.checked_sub(1).and_then(|i| drawn.get(i));
            let left = left.map_or(x - 12.0, |(_, before)| f64::midpoint(*before, *x));
            let right = drawn.get(i + 1);
            let right = right.map_or(x + 12.0, |(_, after)| f64::midpoint(*x, *after));
            let area = Rect { left, right, top: self.a.0, bottom: self.b.1 };
            grounds.push((*event, (*x, self.base - 8.0), area));
        }
        if let Some(top) = self.map {
            for (at, event) in stream.events.iter().enumerate() {
                let x = self.map_x(stream, event.at);
                let middle = (x, top + MAP / 2.0);
                grounds.push((at, middle, Rect::around(middle, 2.0, MAP)));
            }
        }
        grounds
    }
}

/// The room of results and cards, right of the rulers.
fn side_room(stream: &Stream) -> f64 {
    let rulers = [&stream.a, &stream.b].into_iter().flatten();
    let readings = rulers.flat_map(|ruler| {
        [text::width(&ruler.reading, false), text::width_at(&ruler.result, true, RESULT)]
    });
    let cards = stream.events.iter().flat_map(|event| {
        let lines = event.said().map(|line| text::width(&line, false));
        lines.chain([text::width(&event.name, true)]).collect::<Vec<_>>()
    });
    let clock = text::width("ms since send", false);
    // A pixel more, so that what fits exactly is not cut.
    (readings.chain(cards).fold(clock, f64::max) + 1.0).min(MOST_SIDE)
}

/// The room of the words of both names.
fn name_room(stream: &Stream) -> f64 {
    let rulers = [&stream.a, &stream.b].into_iter().flatten();
    let widths =
        rulers.flat_map(|ruler| [text::width(&ruler.name, true), text::width(&ruler.under, false)]);
    widths.fold(0.0, f64::max).min(170.0)
}

/// The part of a long request that holds event `held`: parts follow each other and never move, so that
/// nothing jumps under the pointer.
fn page(stream: &Stream, room: f64, (from, to): (f64, f64), held: usize) -> Option<Page> {
    let tokens =
        |at: usize| stream.events.get(at).map_or(0.0, |event| f64::from(event.tokens.unwrap_or(1)));
    let all: f64 = (0..stream.events.len()).map(tokens).sum();
    let marks = [&stream.a, &stream.b].into_iter().flatten().map(|ruler| ruler.marks.len());
    let most = marks.fold(0, usize::max).max(stream.events.len()) as f64;
    let count = all.max(most);
    let even = room / (count - 1.0).max(1.0);
    if (count <= WHOLE && even >= APART) || stream.events.len() < 3 || to <= from {
        return None;
    }
    let size = PART.min((room / APART).floor()).max(4.0);
    let mut before = 0.0;
    let mut pages: Vec<Page> = Vec::new();
    for event in 0..stream.events.len() {
        let own = tokens(event);
        match pages.last_mut() {
            Some(page) if before + own - page.tokens.0 + 1.0 <= size => {
                page.end = event + 1;
                page.tokens.1 = before + own;
            }
            _ => pages.push(Page {
                first: event,
                end: event + 1,
                tokens: (before + 1.0, before + own, all),
            }),
        }
        before += own;
    }
    pages.into_iter().find(|page| (page.first..page.end).contains(&held))
}
