//! Where lanes, lines and clock stand.

use super::Lanes;
use crate::charts::text;
use crate::units::fixed;

/// Left of the plot: room for numbers of requests, and more where they need it.
const LEFT: f64 = 40.0;
/// Right of it.
const RIGHT: f64 = 14.0;
/// Height of a row of words.
const ROW: f64 = 16.0;
/// All lanes together are about this high.
const LANES: f64 = 400.0;
/// A lane is never higher than this.
const MOST: f64 = 12.0;
/// Height of each picture under the lanes.
const PANEL: f64 = 60.0;
/// Room between what stands under each other.
const SPACE: f64 = 12.0;
/// Width of a sign in the key, and the room around it.
pub(super) const SIGN: f64 = 18.0;
const SIGN_GAP: f64 = 6.0;
const KEY_GAP: f64 = 16.0;

/// Where everything stands at a width.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub left: f64,
    pub right: f64,
    /// Each entry of the key: its left end and the middle of its row.
    pub key: Vec<(f64, f64)>,
    /// Middle of the row of words over the lanes.
    pub words: f64,
    /// Top and bottom of the lanes.
    pub lanes: (f64, f64),
    /// Height of one lane.
    pub pitch: f64,
    /// Top and bottom of the requests in flight.
    pub flight: Option<(f64, f64)>,
    /// Top and bottom of the output.
    pub output: Option<(f64, f64)>,
    /// Where the clock begins: under everything.
    pub base: f64,
    /// Height of the drawing.
    pub height: f64,
    clock: (f64, f64),
}

impl Layout {
    pub(super) fn of(lanes: &Lanes, width: f64) -> Self {
        let left = LEFT.max(widest_number(lanes) + 10.0).min(width / 4.0);
        let right = (width - RIGHT).max(left + 1.0);
        let (key, rows) = key(lanes, width);
        let words = rows * ROW + ROW / 2.0;
        let top = (rows + 1.0) * ROW + 2.0;
        let pitch = (LANES / lanes.lanes.len().max(1) as f64).clamp(0.5, MOST);
        let bottom = top + pitch * lanes.lanes.len() as f64 + 2.0;
        let mut base = bottom;
        let mut panel = |there: bool| {
            there.then(|| {
                let top = base + SPACE + ROW;
                base = top + PANEL;
                (top, base)
            })
        };
        let flight = panel(lanes.flight.is_some());
        let output = panel(lanes.output.is_some());
        let (from, to) = lanes.clock;
        let usable = from.is_finite() && to.is_finite() && to > from && (to - from).is_finite();
        Self {
            left,
            right,
            key,
            words,
            lanes: (top, bottom),
            pitch,
            flight,
            output,
            base,
            height: base + 2.0 * ROW + 8.0,
            clock: if usable { (from, to) } else { (0.0, 1.0) },
        }
    }

    /// The place of a time, held inside the plot.
    pub(super) fn x(&self, time: f64) -> f64 {
        let (from, to) = self.clock;
        let share = (time - from) / (to - from);
        if share.is_nan() {
            return self.left;
        }
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }

    /// Whether a time is on the clock.
    pub(super) fn shows(&self, time: f64) -> bool {
        (self.clock.0..=self.clock.1).contains(&time)
    }

    pub(super) fn clock(&self) -> (f64, f64) {
        self.clock
    }

    /// Top and bottom of a lane.
    pub(super) fn lane(&self, at: usize) -> (f64, f64) {
        let top = self.lanes.0 + 1.0 + self.pitch * at as f64;
        (top, top + self.pitch)
    }

    /// Top and bottom of what stands under the lanes.
    pub(super) fn under(&self) -> (f64, f64) {
        let top = self.flight.or(self.output).map_or(self.base, |panel| panel.0);
        (top, self.base)
    }
}

/// How wide the widest number at the left may be: of a request, or of what stands under the lanes.
fn widest_number(lanes: &Lanes) -> f64 {
    let own = lanes.lanes.iter().map(|lane| &lane.label).filter(|_| lanes.numbers.is_empty());
    let longest = own.chain(lanes.numbers.iter().map(|(_, label)| label));
    let longest = longest.max_by_key(|label| label.len()).map_or(0.0, |l| text::width(l, false));
    let levels = lanes.flight.iter().flat_map(|flight| flight.steps.iter().map(|step| step.1));
    let rates = lanes.output.iter().flat_map(|bars| bars.values.iter().copied());
    let high = levels.chain(rates).filter(|y| y.is_finite()).fold(0.0, f64::max);
    longest.max(text::width(&fixed(high, 0), false))
}

/// Where the entries of the key stand, and how many rows the heading takes with them.
fn key(lanes: &Lanes, width: f64) -> (Vec<(f64, f64)>, f64) {
    let entry = |words: &str| SIGN + SIGN_GAP + text::width(words, false);
    let all: Vec<f64> = lanes.key.iter().map(|(_, words)| entry(words)).collect();
    let gaps = KEY_GAP * all.len().saturating_sub(1) as f64;
    let wide = all.iter().sum::<f64>() + gaps;
    let heading = text::width(&lanes.heading, true);
    if heading + 24.0 + wide <= width - 2.0 {
        let mut x = width - 2.0 - wide;
        let place = |own: &f64| {
            let at = (x, ROW / 2.0);
            x += own + KEY_GAP;
            at
        };
        return (all.iter().map(place).collect(), 1.0);
    }
    // On a phone the key stands in rows of its own.
    let (mut x, mut row) = (0.0, 1.0);
    let place = |own: &f64| {
        if x > 0.0 && x + own > width {
            (x, row) = (0.0, row + 1.0);
        }
        let at = (x, row * ROW + ROW / 2.0);
        x += own + KEY_GAP;
        at
    };
    let places = all.iter().map(place).collect();
    (places, if all.is_empty() { 1.0 } else { row + 1.0 })
}
