//! Puts the lanes, the lines under them, the stretches through all of them and the clock on a scene.

use super::layout::{Layout, SIGN};
use super::{Bars, End, Flight, Lane, Lanes, Part, Sign, Stretch};
use crate::charts::grounds::ZONE;
use crate::charts::pen::Pen;
use crate::charts::scale::{Scale, Tick};
use crate::charts::scene::{Anchor, Paint, Rect, Scene, Shape, Size, text_box};
use crate::charts::spec::Scaling;
use crate::charts::text;
use crate::charts::theme::{Rgb, Theme};

/// A bar leaves a fourth of its lane free, from this height of a lane on.
const BARS: f64 = 4.0;
/// From one stroke of a hatch to the next.
const HATCH: f64 = 4.0;
/// Cover of a stall behind the lanes.
const STALL: f64 = 0.1;

/// Lays everything out, from the ground up.
pub(super) fn scene(lanes: &Lanes, size: Size, theme: &Theme) -> Scene {
    let layout = Layout::of(lanes, size.width);
    let mut pen = Pen::new(size, theme);
    if layout.right - layout.left < 8.0 {
        return pen.scene(size);
    }
    let sheet = Sheet { lanes, layout, theme };
    sheet.grounds(&mut pen);
    sheet.grid(&mut pen);
    sheet.all_lanes(&mut pen);
    if let (Some(flight), Some(panel)) = (&lanes.flight, sheet.layout.flight) {
        sheet.flight(flight, panel, &mut pen);
    }
    if let (Some(output), Some(panel)) = (&lanes.output, sheet.layout.output) {
        sheet.output(output, panel, &mut pen);
    }
    sheet.edges(&mut pen);
    sheet.words(&mut pen);
    sheet.head(&mut pen);
    sheet.clock(&mut pen);
    sheet.chosen(&mut pen);
    pen.scene(size)
}

struct Sheet<'a> {
    lanes: &'a Lanes,
    layout: Layout,
    theme: &'a Theme,
}

impl Sheet<'_> {
    /// Left and right end of a stretch, where it is on the clock.
    fn span(&self, stretch: &Stretch) -> Option<(f64, f64)> {
        let (from, to) = self.layout.clock();
        if stretch.to.is_nan() || stretch.from.is_nan() || stretch.to < from || stretch.from > to {
            return None;
        }
        let (left, right) = (self.layout.x(stretch.from), self.layout.x(stretch.to));
        (left <= right).then(|| (left, right.max(left + 1.0).min(self.layout.right)))
    }

    /// Every part of the picture that has the clock: top and bottom.
    fn panels(&self) -> impl Iterator<Item = (f64, f64)> {
        [Some(self.layout.lanes), self.layout.flight, self.layout.output].into_iter().flatten()
    }

    /// From the words over the lanes down to the clock.
    fn through(&self) -> (f64, f64) {
        (self.layout.lanes.0, self.layout.base)
    }

    fn grounds(&self, pen: &mut Pen<'_>) {
        let zone = self.theme.ink.at(ZONE);
        let stall = self.theme.run(1).at(STALL);
        let window = self.theme.accent.at(STALL);
        let chosen = self.lanes.window.map(|(from, to)| Stretch { from, to, words: Vec::new() });
        let zones = self.lanes.zones.iter().map(|s| (s, zone));
        let stalls = self.lanes.stalls.iter().map(|s| (s, stall));
        for (stretch, paint) in zones.chain(stalls).chain(chosen.as_ref().map(|s| (s, window))) {
            if let Some((left, right)) = self.span(stretch) {
                let (top, bottom) = self.through();
                pen.rect(Rect { left, top, right, bottom }, paint);
            }
        }
        if let Some(at) = self.chosen_lane() {
            let (top, bottom) = self.layout.lane(at);
            let middle = f64::midpoint(top, bottom);
            let half = ((bottom - top) / 2.0).max(1.5);
            let (left, right) = (self.layout.left, self.layout.right);
            pen.rect(
                Rect { left, right, top: middle - half, bottom: middle + half },
                self.theme.wash,
            );
        }
    }

    fn ticks(&self) -> Vec<(f64, Tick)> {
        let Layout { left, right, .. } = self.layout;
        let scaling = Scaling::Linear { from_zero: false };
        let scale = Scale::new(scaling, self.layout.clock(), (left, right));
        let ticks = scale.ticks((((right - left) / 80.0) as usize).clamp(3, 10));
        let placed = ticks.into_iter().filter_map(|tick| Some((scale.px(tick.value)?, tick)));
        placed.filter(|(x, _)| (left..=right).contains(x)).collect()
    }

    fn grid(&self, pen: &mut Pen<'_>) {
        for (x, _) in self.ticks() {
            for panel in self.panels() {
                pen.upright(x, panel, 1.0, self.theme.grid);
            }
        }
        let mut below = f64::NEG_INFINITY;
        for (at, label) in self.numbers() {
            let (top, bottom) = self.layout.lane(at);
            let y = f64::midpoint(top, bottom);
            let Layout { left, right, .. } = self.layout;
            if at != 0 {
                pen.rect(Rect { left, right, top: y - 0.5, bottom: y + 0.5 }, self.theme.grid);
            }
            if y - below < text::LINE + 2.0 {
                continue;
            }
            below = y;
            let label = text::fitted(label, left - 8.0);
            pen.text((left - 8.0, y), Anchor::End, &label, self.theme.ink2);
        }
        let (top, bottom) = self.layout.lanes;
        pen.upright(self.layout.left, (top, bottom), 1.0, self.theme.axis);
    }

    /// The lanes with a number at their left, and the number.
    fn numbers(&self) -> Vec<(usize, &str)> {
        let lanes = &self.lanes.lanes;
        if !self.lanes.numbers.is_empty() {
            let all = self.lanes.numbers.iter().filter(|(at, _)| *at < lanes.len());
            return all.map(|(at, label)| (*at, label.as_str())).collect();
        }
        let step = self.numbers_every();
        let stands = |at: usize| at == 0 || (step > 0 && (at + 1).is_multiple_of(step));
        let all = lanes.iter().enumerate().filter(|(at, _)| stands(*at));
        all.map(|(at, lane)| (at, lane.label.as_str())).collect()
    }

    /// Each how many lanes a number stands: 1, 2 or 5 times a power of ten, at most eight of them.
    fn numbers_every(&self) -> usize {
        let most = 8.0_f64.min((self.layout.lanes.1 - self.layout.lanes.0) / 24.0).max(1.0);
        let least = (self.lanes.lanes.len() as f64 / most).ceil() as usize;
        let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(10));
        let steps = powers.flat_map(|power| [1, 2, 5].map(|factor| power.saturating_mul(factor)));
        steps.take(60).find(|step| *step >= least).unwrap_or(0)
    }

    fn all_lanes(&self, pen: &mut Pen<'_>) {
        for (at, lane) in self.lanes.lanes.iter().enumerate() {
            let (top, bottom) = self.layout.lane(at);
            let free = if self.layout.pitch >= BARS { self.layout.pitch / 8.0 } else { 0.0 };
            self.lane(lane, (top + free, bottom - free), pen);
        }
    }

    fn lane(&self, lane: &Lane, (top, bottom): (f64, f64), pen: &mut Pen<'_>) {
        for piece in &lane.pieces {
            let stretch = Stretch { from: piece.from, to: piece.to, words: Vec::new() };
            let Some((left, right)) = self.span(&stretch) else { continue };
            part(piece.part, Rect { left, top, right, bottom }, pen);
        }
        if let Some((time, kind)) = lane.end.filter(|(time, _)| self.layout.shows(*time)) {
            end(kind, (self.layout.x(time), f64::midpoint(top, bottom)), bottom - top, pen);
        }
    }

    fn flight(&self, flight: &Flight, panel: (f64, f64), pen: &mut Pen<'_>) {
        let high = flight.steps.iter().map(|step| step.1).filter(|y| y.is_finite());
        let scale = self.panel(panel, high.fold(1.0, f64::max), &flight.title, pen);
        let shown = flight.steps.iter().filter(|step| step.0.is_finite() && step.1.is_finite());
        let mut path: Vec<(f64, f64)> = Vec::new();
        for (time, level) in shown {
            let (x, y) = (self.layout.x(*time), scale.px(*level).unwrap_or(panel.1));
            if let Some(&(_, before)) = path.last() {
                path.push((x, before));
            }
            path.push((x, y));
        }
        let (Some(&first), Some(&last)) = (path.first(), path.last()) else { return };
        let mut outline = path.clone();
        outline.extend([(last.0, panel.1), (first.0, panel.1)]);
        let colour = self.theme.run(0);
        pen.shapes.push(Shape::Fill { outline, paint: colour.at(0.12) });
        pen.line(path, 1.5, None, colour);
        let Some((time, level, words)) = flight.most.as_ref() else { return };
        let Some(y) = scale.px(*level).filter(|_| self.layout.shows(*time)) else { return };
        let x = self.layout.x(*time);
        pen.shapes.push(Shape::Circle {
            at: (x, y),
            radius: 3.0,
            stroke: None,
            paint: colour.into(),
        });
        let room = text::width(words, false) + 8.0;
        let (place, anchor) = if x - room > self.layout.left {
            ((x - 8.0, y - 4.0), Anchor::End)
        } else {
            ((x + 8.0, y - 4.0), Anchor::Start)
        };
        let area = text_box(place, anchor, text::width(words, false));
        // Beside the title there is no room for it.
        let free =
            pen.shapes.iter().filter_map(Shape::text_box).all(|other| !other.overlaps(&area));
        if free && area.right <= self.layout.right {
            pen.rect(area, self.theme.page.at(0.88));
            pen.text(place, anchor, words, self.theme.ink);
        }
    }

    fn output(&self, bars: &Bars, panel: (f64, f64), pen: &mut Pen<'_>) {
        let high = bars.values.iter().copied().filter(|y| y.is_finite()).fold(0.0, f64::max);
        let scale = self.panel(panel, high, &bars.title, pen);
        let colour = self.theme.run(0).at(0.7);
        for (at, value) in bars.values.iter().enumerate() {
            let from = bars.from + bars.width * at as f64;
            let stretch = Stretch { from, to: from + bars.width, words: Vec::new() };
            let (Some((left, right)), Some(top)) = (self.span(&stretch), scale.px(*value)) else {
                continue;
            };
            let right = if right - left > 3.0 { right - 1.0 } else { right };
            if panel.1 - top > 0.2 {
                pen.rect(Rect { left, right, top, bottom: panel.1 }, colour);
            }
        }
    }

    /// Title, numbers and base of a picture under the lanes, and its scale.
    fn panel(&self, (top, bottom): (f64, f64), high: f64, title: &str, pen: &mut Pen<'_>) -> Scale {
        let Layout { left, right, .. } = self.layout;
        let title = text::fitted(title, right);
        pen.text((0.0, top - 12.0), Anchor::Start, &title, self.theme.ink);
        let high = if high > 0.0 && high.is_finite() { high } else { 1.0 };
        let scale = Scale::new(Scaling::Linear { from_zero: true }, (0.0, high), (bottom, top));
        for tick in scale.ticks(4) {
            let Some(y) = scale.px(tick.value).filter(|y| (top - 0.5..=bottom + 0.5).contains(y))
            else {
                continue;
            };
            if bottom - y > 1.0 {
                pen.rect(Rect { left, right, top: y - 0.5, bottom: y + 0.5 }, self.theme.grid);
            }
            let label = text::fitted(&tick.label, left - 8.0);
            pen.text((left - 8.0, y), Anchor::End, &label, self.theme.ink2);
        }
        pen.rect(Rect { left, right, top: bottom, bottom: bottom + 1.0 }, self.theme.axis);
        scale
    }

    /// The edges of stalls and zones, through all pictures.
    fn edges(&self, pen: &mut Pen<'_>) {
        let (layout, through) = (&self.layout, self.through());
        let mut dashed = |time: f64, dash: (f64, f64), width: f64, paint: Paint| {
            if layout.shows(time) {
                let x = layout.x(time);
                pen.line(vec![(x, through.0), (x, through.1)], width, Some(dash), paint);
            }
        };
        // An edge that is the edge of the run says nothing.
        let (from, to) = layout.clock();
        for zone in &self.lanes.zones {
            for time in [zone.from, zone.to] {
                if time > from && time < to {
                    dashed(time, (2.0, 3.0), 1.0, self.theme.axis.into());
                }
            }
        }
        for stall in &self.lanes.stalls {
            for time in [stall.from, stall.to] {
                dashed(time, (4.0, 3.0), 1.25, self.theme.run(1).into());
            }
        }
        if let Some((from, to)) = self.lanes.window {
            for time in [from, to].into_iter().filter(|time| layout.shows(*time)) {
                pen.upright(layout.x(time), through, 1.5, self.theme.accent);
            }
        }
    }

    /// The words over the lanes: those of stalls first, then of zones, where there is room.
    fn words(&self, pen: &mut Pen<'_>) {
        let Layout { left, right, words: y, .. } = self.layout;
        let mut taken: Vec<(f64, f64)> = Vec::new();
        let stalls = self.lanes.stalls.iter().map(|s| (s, self.theme.ink));
        for (stretch, colour) in stalls.chain(self.lanes.zones.iter().map(|s| (s, self.theme.ink3)))
        {
            let Some((from, to)) = self.span(stretch) else { continue };
            for words in &stretch.words {
                let wide = text::width(words, false);
                let start = (f64::midpoint(from, to) - wide / 2.0).min(right - wide).max(left);
                let end = start + wide;
                let free = taken.iter().all(|(a, b)| end + 10.0 <= *a || start >= *b + 10.0);
                if end <= right && free {
                    taken.push((start, end));
                    pen.text((start, y), Anchor::Start, words, colour);
                    break;
                }
            }
        }
    }

    /// The heading and the key.
    fn head(&self, pen: &mut Pen<'_>) {
        let room = self.layout.right;
        let heading = text::fitted(&self.lanes.heading, room);
        pen.text((0.0, 8.0), Anchor::Start, &heading, self.theme.ink);
        for ((sign, words), (x, y)) in self.lanes.key.iter().zip(&self.layout.key) {
            let area = Rect { left: *x, right: x + SIGN, top: y - 4.0, bottom: y + 4.0 };
            match sign {
                Sign::Part(kind) => part(*kind, area, pen),
                Sign::End(kind) => end(*kind, area.centre(), 9.0, pen),
            }
            let start = x + SIGN + 6.0;
            let words = text::fitted(words, self.layout.right + 14.0 - start);
            pen.text((start, *y), Anchor::Start, &words, self.theme.ink2);
        }
    }

    fn clock(&self, pen: &mut Pen<'_>) {
        let Layout { left, right, base, .. } = self.layout;
        pen.rect(Rect { left, right, top: base, bottom: base + 1.0 }, self.theme.axis);
        let mut end = f64::NEG_INFINITY;
        for (x, tick) in self.ticks() {
            pen.upright(x, (base, base + 4.0), 1.0, self.theme.axis);
            let half = text::width(&tick.label, false) / 2.0;
            let middle = x.min(right + 14.0 - half).max(half);
            if middle - half < end + 6.0 {
                continue;
            }
            end = middle + half;
            pen.text((middle, base + 13.0), Anchor::Middle, &tick.label, self.theme.ink2);
        }
        let title = text::fitted(&self.lanes.clock_title, right);
        pen.text((right, base + 30.0), Anchor::End, &title, self.theme.ink);
    }

    fn chosen_lane(&self) -> Option<usize> {
        let key = self.lanes.chosen.as_deref()?;
        self.lanes.lanes.iter().position(|lane| lane.key == key)
    }

    /// The number of the chosen request, beside its lane.
    fn chosen(&self, pen: &mut Pen<'_>) {
        let Some(at) = self.chosen_lane() else { return };
        let Some(lane) = self.lanes.lanes.get(at) else { return };
        let (top, bottom) = self.layout.lane(at);
        let starts = lane.pieces.iter().map(|piece| self.layout.x(piece.from));
        let start = starts.fold(self.layout.right, f64::min);
        let ends = lane.pieces.iter().map(|piece| self.layout.x(piece.to));
        let last = ends.fold(self.layout.left, f64::max);
        let y = f64::midpoint(top, bottom);
        let label = &self.lanes.chosen_label;
        let wide = text::width(label, true);
        let before = text_box((start - 8.0, y), Anchor::End, wide);
        let after = text_box((last + 8.0, y), Anchor::Start, wide);
        let free = |area: &Rect| {
            area.left >= self.layout.left + 2.0
                && area.right <= self.layout.right
                && pen.shapes.iter().filter_map(Shape::text_box).all(|other| !other.overlaps(area))
        };
        let Some(area) = [before, after].into_iter().find(free) else { return };
        pen.face(
            Rect { left: area.left - 3.0, right: area.right + 3.0, ..area },
            3.0,
            self.theme.page,
        );
        pen.bold((area.left, y), Anchor::Start, label, self.theme.ink);
    }
}

/// The colours of reply lengths: the ramp without its ends, which are too near the page.
fn length(theme: &Theme, class: u8) -> Rgb {
    let [_, _, a, b, c, d, _] = theme.ramp;
    match class {
        0 => a,
        1 => b,
        2 => c,
        _ => d,
    }
}

/// A part of a lane. Shape and hatch carry what it is where colours can't be told apart.
fn part(kind: Part, area: Rect, pen: &mut Pen<'_>) {
    let theme = pen.theme;
    match kind {
        Part::Client if area.height() >= BARS && area.width() >= 3.0 => {
            for y in [area.top + 0.5, area.bottom - 0.5] {
                let line = vec![(area.left, y), (area.right, y)];
                pen.line(line, 1.0, Some((1.5, 1.5)), theme.ink3);
            }
        }
        Part::Client => {
            let y = f64::midpoint(area.top, area.bottom);
            pen.rect(Rect { top: y - 0.5, bottom: y + 0.5, ..area }, theme.ink3);
        }
        Part::First => pen.rect(area, theme.run(2)),
        Part::Decode => pen.rect(area, theme.run(0).at(0.7)),
        Part::Length(class) => pen.rect(area, length(theme, class)),
        Part::Failed => pen.rect(area, theme.bad.at(0.45)),
        Part::Cut => pen.rect(area, theme.ink3.at(0.6)),
        Part::Gap if area.height() >= BARS => {
            pen.rect(area, theme.run(1).at(0.25));
            crossed(area, theme.run(1).at(0.8), pen);
            pen.edges(area, 1.0, theme.run(1).at(0.8));
        }
        Part::Gap => pen.rect(area, theme.run(1)),
    }
}

/// Strokes both ways.
fn crossed(area: Rect, paint: Paint, pen: &mut Pen<'_>) {
    let height = area.height();
    let mut x = area.left - height;
    while x < area.right {
        for (a, b) in
            [((x, area.bottom), (x + height, area.top)), ((x, area.top), (x + height, area.bottom))]
        {
            if let Some((a, b)) = area.clip(a, b) {
                pen.line(vec![a, b], 0.75, None, paint);
            }
        }
        x += HATCH;
    }
}

/// The sign at the end of a lane.
fn end(kind: End, (x, y): (f64, f64), high: f64, pen: &mut Pen<'_>) {
    let theme = pen.theme;
    let half = (high / 2.0 + 0.5).max(0.5);
    match kind {
        End::Last => {
            pen.upright(x, (y - half, y + half), if high >= 3.0 { 1.5 } else { 1.0 }, theme.ink);
        }
        End::Failed => {
            let r = half.clamp(1.5, 4.0);
            for (dx, dy) in [(r, r), (r, -r)] {
                pen.line(vec![(x - dx, y - dy), (x + dx, y + dy)], 1.5, None, theme.bad);
            }
        }
        End::Cut => {
            let r = half.clamp(1.5, 4.0);
            pen.line(vec![(x - r, y - r), (x, y), (x - r, y + r)], 1.5, None, theme.ink2);
        }
    }
}
