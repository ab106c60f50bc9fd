//! Two modes: whether the samples are of two kinds, such as gaps inside a burst and between bursts.

use super::Distribution;

/// Bins a decade in which modes are looked for.
const A_DECADE: f64 = 10.0;
/// Each of the two kinds holds at least this share of the samples.
const LEAST_SHARE: f64 = 0.05;
/// Between them the samples are at most this part as dense as at the lower of the two peaks.
const VALLEY: f64 = 0.25;
/// The middle of the slow kind is at least this many times that of the quick one.
const APART: f64 = 3.0;
/// Samples that the lower peak stands on at least: of fewer, a gap is chance.
const LEAST_PEAK: f64 = 10.0;

/// Samples of two kinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// A round value in the valley between the two, in the metric's unit.
    pub at: f64,
    /// The median of the quick kind.
    pub quick: f64,
    /// The median of the slow kind.
    pub slow: f64,
}

impl Distribution {
    /// The two kinds of which the samples above zero are; nothing where they have one mode.
    ///
    /// A histogram of ten bins a decade, smoothed by 1-2-1, must have two peaks with a valley of a
    /// quarter of the lower one between them. More than two modes are told as two, parted at the deepest
    /// valley. The thresholds are ours.
    pub fn split(&self) -> Option<Split> {
        let positive = self.steps.iter().position(|step| step.value > 0.0)?;
        let before = positive.checked_sub(1).and_then(|at| self.steps.get(at));
        let below = before.map_or(0.0, |step| step.reached);
        let low = (self.steps.get(positive)?.value.log10() * A_DECADE).floor() as i64;
        let high = (self.largest().log10() * A_DECADE).floor() as i64;
        let mut bins = vec![0.0; usize::try_from(high - low).ok()? + 1];
        let mut reached = below;
        for step in self.steps.get(positive..)? {
            let at = (step.value.log10() * A_DECADE).floor() as i64 - low;
            if let Some(bin) = usize::try_from(at).ok().and_then(|at| bins.get_mut(at)) {
                *bin += step.reached - reached;
            }
            reached = step.reached;
        }
        let density = smooth(&bins);
        let (valley, peak) = deepest(&density)?;
        let each = if self.total > 0.0 { self.n as f64 / self.total } else { 0.0 };
        let floor = density.get(valley).copied()?;
        if floor > VALLEY * peak || peak * each < LEAST_PEAK {
            return None;
        }
        let edge = |bin: f64| 10_f64.powf((low as f64 + bin) / A_DECADE);
        let (from, to) = level(&density, valley, floor.max(0.1 * peak));
        let at = round_between(edge(from as f64), edge(to as f64 + 1.0));
        let parted = self.reached(at) - below;
        let all = self.total - below;
        if parted < LEAST_SHARE * self.total || all - parted < LEAST_SHARE * self.total {
            return None;
        }
        let median = |from: f64, count: f64| {
            self.at_share((from + count / 2.0) / self.total).map(|step| step.value)
        };
        let (quick, slow) = (median(below, parted)?, median(below + parted, all - parted)?);
        (slow >= APART * quick).then_some(Split { at, quick, slow })
    }
}

fn smooth(bins: &[f64]) -> Vec<f64> {
    let of = |at: Option<usize>| at.and_then(|at| bins.get(at)).copied().unwrap_or(0.0);
    let one = |at: usize| (of(at.checked_sub(1)) + 2.0 * of(Some(at)) + of(Some(at + 1))) / 4.0;
    (0..bins.len()).map(one).collect()
}

/// The bin that lies deepest under the peaks on both of its sides, and the lower of these.
fn deepest(density: &[f64]) -> Option<(usize, f64)> {
    let top = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let depth = |at: usize| {
        let (left, right) = density.split_at_checked(at)?;
        let peak = top(left).min(top(right));
        let floor = density.get(at)?;
        (peak > *floor).then_some((at, peak, floor / peak))
    };
    let found = (0..density.len()).filter_map(depth);
    // Of equally deep ones that under the higher peaks.
    found
        .min_by(|a, b| a.2.total_cmp(&b.2).then(b.1.total_cmp(&a.1)))
        .map(|(at, peak, _)| (at, peak))
}

/// The bins around a valley that are no denser than `floor`.
fn level(density: &[f64], valley: usize, floor: f64) -> (usize, usize) {
    let low = |at: &usize| density.get(*at).is_some_and(|d| *d <= floor);
    let from = (0..valley).rev().take_while(low).last().unwrap_or(valley);
    let to = (valley + 1..density.len()).take_while(low).last().unwrap_or(valley);
    (from, to)
}

/// The value of 1, 2 or 5 times a power of ten nearest to the middle between two, or the middle itself
/// where none lies between them.
fn round_between(low: f64, high: f64) -> f64 {
    let middle = (low * high).sqrt();
    let power = middle.log10().floor() as i32;
    let ladder = (power - 1..=power + 1).flat_map(|p| {
        // An exact power divides: 0.1 is then the number that is written so.
        [1.0, 2.0, 5.0].map(|m| if p < 0 { m / 10_f64.powi(-p) } else { m * 10_f64.powi(p) })
    });
    let inside = ladder.filter(|value| (low..=high).contains(value));
    let far = |value: &f64| (value / middle).ln().abs();
    inside.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(middle)
}
