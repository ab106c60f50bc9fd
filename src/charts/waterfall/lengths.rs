//! How the ruler of a waterfall is divided: its ticks, and the shorter number laid into the longer one.

/// From one tick to the next, at least this many pixels.
const NEAREST: f64 = 6.0;

/// A tick on a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tick {
    /// Its value.
    pub value: f64,
    /// Its length in pixels.
    pub length: f64,
}

/// Ticks inside a bar from 0 to `end`, by 1-2-5: the smallest step whose ticks can be told apart.
/// Each fifth (of steps of 5, each second) is longer.
pub(super) fn ticks(end: f64, px_per_unit: f64) -> Vec<Tick> {
    let least = NEAREST / px_per_unit;
    if !(least.is_finite() && least > 0.0 && end.is_finite() && end > 0.0) {
        return Vec::new();
    }
    let decade = 10_f64.powf(least.log10().floor());
    // A rounding error must not cost the step that fits exactly.
    let fits = |step: &f64| step * px_per_unit >= NEAREST - 1e-9;
    let steps = [(1.0, 5_u32), (2.0, 5), (5.0, 2), (10.0, 5)].map(|(m, long)| (m * decade, long));
    let Some((step, long)) = steps.into_iter().find(|(step, _)| fits(step)) else {
        return Vec::new();
    };
    let count = ((end / step) - 1e-9).floor().clamp(0.0, 4096.0) as u32;
    let tick = |i: u32| Tick {
        value: step * f64::from(i),
        length: if i.is_multiple_of(long) { 10.0 } else { 5.0 },
    };
    (1..=count).map(tick).collect()
}

/// Where the shorter of two lengths ends inside the longer one, each time it goes into it, and the words
/// of what is left: “¼ B”.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Pieces {
    /// The ends of the whole pieces, without one at the very end.
    pub cuts: Vec<f64>,
    /// How much of a piece the rest is; empty where it is nothing or a whole piece.
    pub rest: String,
}

/// More pieces than this are not drawn.
const MOST: f64 = 12.0;
/// A rest smaller than this share of a piece is nothing.
const NOTHING: f64 = 0.02;

/// Lays `short` into `long`; nothing where it does not go into it or goes too often.
pub(super) fn pieces(long: f64, short: f64) -> Option<Pieces> {
    let ratio = long / short;
    if !(ratio.is_finite() && short > 0.0 && (1.0 + NOTHING..=MOST).contains(&ratio)) {
        return None;
    }
    let mut whole = ratio.floor();
    let mut rest = ratio - whole;
    if rest > 1.0 - NOTHING {
        (whole, rest) = (whole + 1.0, 0.0);
    }
    let last = if rest < NOTHING { whole - 1.0 } else { whole };
    let cuts = (1..=last as u32).map(|i| short * f64::from(i)).collect();
    let rest = if rest < NOTHING { String::new() } else { share(rest) };
    Some(Pieces { cuts, rest })
}

/// A share of one in words: a common fraction where it is near one.
fn share(share: f64) -> String {
    let fractions = [(0.25, "¼"), (1.0 / 3.0, "⅓"), (0.5, "½"), (2.0 / 3.0, "⅔"), (0.75, "¾")];
    let near = fractions.iter().find(|(value, _)| (share - value).abs() <= 0.025);
    near.map_or_else(|| format!("{share:.2}"), |(_, sign)| (*sign).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_can_be_told_apart_and_go_by_one_two_five() {
        for px_per_unit in [0.003, 0.9, 1.0, 3.9, 6.0, 10.79, 250.0] {
            let ticks = ticks(340.0 / px_per_unit, px_per_unit);
            let step = ticks[1].value - ticks[0].value;
            assert!(step * px_per_unit >= 6.0 - 1e-9, "{px_per_unit}: {step}");
            assert!(step * px_per_unit < 15.0 + 1e-9, "{px_per_unit}: {step}");
            let mantissa = step / 10_f64.powf((step.log10() + 1e-9).floor());
            assert!([1.0, 2.0, 5.0].iter().any(|m| (mantissa - m).abs() < 1e-6), "{mantissa}");
        }
        // 30.6 ms on 340 px: a tick a millisecond, each fifth longer.
        let got = ticks(30.6, 340.0 / 31.5);
        assert_eq!(got.len(), 30);
        assert!(got[4].length > got[3].length && (got[4].value - 5.0).abs() < 1e-9);
        assert!(ticks(0.0, 1.0).is_empty() && ticks(5.0, f64::NAN).is_empty());
    }

    #[test]
    fn the_shorter_number_is_laid_into_the_longer() {
        let two = pieces(30.60, 13.57).unwrap();
        assert_eq!(two.cuts.len(), 2);
        assert!((two.cuts[1] - 27.14).abs() < 1e-9);
        assert_eq!(two.rest, "¼");
        let exact = pieces(30.0, 10.0).unwrap();
        assert_eq!((exact.cuts.len(), exact.rest.as_str()), (2, ""));
        assert_eq!(pieces(19.0, 10.0).unwrap().rest, "0.90");
        for (long, short) in [(10.0, 10.0), (10.0, 20.0), (500.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0)]
        {
            assert_eq!(pieces(long, short), None);
        }
    }
}
