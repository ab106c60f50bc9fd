//! Which marks and numbers of a ruler have room.

use super::{Mark, Numbers, Ruler};
use crate::charts::text;
use crate::units::fixed;

/// Marks that follow a rule stand at least this far apart; else only each n-th is drawn.
pub(super) const APART: f64 = 6.0;
/// A shorter interval carries no number.
const LEAST: f64 = 21.0;
/// Between two numbers.
const CLEAR: f64 = 6.0;

/// A number on a ruler.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    /// Its middle.
    pub x: f64,
    /// Its words.
    pub words: String,
    /// Whether it belongs to the pinned event.
    pub held: bool,
}

/// Each how many marks are drawn so that even ones stand [`APART`].
pub(super) fn every(ruler: &Ruler, x: impl Fn(f64) -> f64) -> usize {
    if ruler.numbers == Numbers::Gaps {
        // These stand where their events are.
        return 1;
    }
    let (Some(first), Some(last)) = (ruler.marks.first(), ruler.marks.last()) else { return 1 };
    let steps = ruler.marks.len().saturating_sub(1).max(1);
    let apart = (x(last.at) - x(first.at)) / steps as f64;
    [1, 2, 5, 10, 20, 50, 100, 200, 500]
        .into_iter()
        .find(|n| apart * f64::from(*n) >= APART - 1e-9)
        .map_or(1000, |n| n as usize)
}

/// The numbers of the intervals between the marks inside `room`.
pub(super) fn gaps(
    marks: &[Mark],
    held: Option<usize>,
    x: impl Fn(f64) -> f64,
    (left, right): (f64, f64),
) -> Vec<Number> {
    let pairs = marks.iter().zip(marks.iter().skip(1));
    let number = |(from, to): (&Mark, &Mark)| {
        let (a, b) = (x(from.at), x(to.at));
        let whole = a >= left - 0.5 && b <= right + 0.5;
        let words = length(to.at - from.at);
        let fits = b - a >= LEAST.max(text::width(&words, false) + 4.0);
        let held = held.is_some() && to.event == held;
        (whole && fits).then(|| Number { x: f64::midpoint(a, b), words, held })
    };
    pairs.filter_map(number).collect()
}

/// A length in ms, with a digit more where it is short.
fn length(ms: f64) -> String {
    fixed(ms, usize::from(ms.abs() < 10.0))
}

/// The numbers of the marks: each fifth, tenth … that has room, and the last.
pub(super) fn counts(
    marks: &[Mark],
    x: impl Fn(f64) -> f64,
    (left, right): (f64, f64),
) -> Vec<Number> {
    let Some(last) = marks.len().checked_sub(1) else { return Vec::new() };
    let widest = text::width(&fixed(last as f64, 0), false);
    let apart = match (marks.first(), marks.last()) {
        (Some(a), Some(b)) if last > 0 => (x(b.at) - x(a.at)) / last as f64,
        _ => 0.0,
    };
    let step = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
        .into_iter()
        .find(|n| apart * f64::from(*n) >= widest + CLEAR + 4.0)
        .unwrap_or(u32::MAX) as usize;
    let mut numbers: Vec<Number> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        let place = x(mark.at);
        if (at % step != 0 && at != last) || !(left..=right).contains(&place) {
            continue;
        }
        let words = fixed(at as f64, 0);
        let half = text::width(&words, false) / 2.0;
        if let Some(before) = numbers.last()
            && place - half < before.x + text::width(&before.words, false) / 2.0 + CLEAR
        {
            // The last one matters more than the one before it.
            if at != last {
                continue;
            }
            numbers.pop();
        }
        numbers.push(Number { x: place, words, held: false });
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(at: &[f64]) -> Vec<Mark> {
        at.iter().enumerate().map(|(i, at)| Mark { at: *at, piled: 1, event: Some(i) }).collect()
    }

    #[test]
    fn short_intervals_carry_no_number_and_the_pinned_one_is_told() {
        let marks = marks(&[0.0, 38.0, 53.0, 60.0]);
        let got = gaps(&marks, Some(1), |t| t * 1.9, (0.0, 200.0));
        let words: Vec<&str> = got.iter().map(|n| n.words.as_str()).collect();
        assert_eq!(words, ["38", "15"], "7.0 ms are 13 px");
        assert!(got[0].held && !got[1].held);
        let outside = gaps(&marks, None, |t| t * 1.9 - 50.0, (0.0, 200.0));
        assert_eq!(outside.len(), 1, "half an interval has no number");
    }

    #[test]
    fn the_last_mark_keeps_its_number() {
        let even: Vec<f64> = (0..28).map(f64::from).collect();
        let got = counts(&marks(&even), |t| t * 12.0, (0.0, 400.0));
        let words: Vec<&str> = got.iter().map(|n| n.words.as_str()).collect();
        assert_eq!(words, ["0", "5", "10", "15", "20", "25", "27"]);
        let tight = counts(&marks(&even), |t| t * 8.0, (0.0, 400.0));
        let words: Vec<&str> = tight.iter().map(|n| n.words.as_str()).collect();
        assert_eq!(words, ["0", "5", "10", "15", "20", "27"]);
        assert_eq!(counts(&marks(&[3.0]), |t| t, (0.0, 9.0)).len(), 1);
    }

    #[test]
    fn even_marks_are_thinned_before_they_touch() {
        let even: Vec<f64> = (0..=100).map(f64::from).collect();
        let of = |numbers| Ruler { numbers, marks: marks(&even), ..Ruler::default() };
        assert_eq!(every(&of(Numbers::Counts), |t| t * 6.0), 1);
        assert_eq!(every(&of(Numbers::Counts), |t| t * 2.0), 5);
        assert_eq!(every(&of(Numbers::Gaps), |t| t * 2.0), 1);
        assert_eq!(every(&Ruler { numbers: Numbers::Counts, ..Ruler::default() }, |t| t), 1);
    }
}
