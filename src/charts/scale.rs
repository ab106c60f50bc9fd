//! Scales and their ticks: linear by 1-2-5, logarithmic by 1-2-5 a decade and finer inside one.

use super::spec::Scaling;
use crate::units::{fixed, significant};

/// Width of the column of 0 in front of a log axis, in pixels.
const ZERO: f64 = 26.0;
/// Width of the gap behind it.
const GAP: f64 = 12.0;

/// A mapping from values to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    scaling: Scaling,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Maps `low..high` to the pixels `start..end` (which may run upward). Both ends of a log scale
    /// must be above zero; `domain` sees to that.
    pub fn new(scaling: Scaling, (low, high): (f64, f64), (start, end): (f64, f64)) -> Self {
        let start = if scaling == Scaling::LogWithZero { start + ZERO + GAP } else { start };
        Self { scaling, low, high, start, end }
    }

    fn warp(&self, value: f64) -> f64 {
        match self.scaling {
            Scaling::Log | Scaling::LogWithZero => value.log10(),
            Scaling::Nines => -(1.0 - value).log10(),
            Scaling::Linear { .. } => value,
        }
    }

    /// The pixel of a value; nothing for a value without a place, such as zero on a log scale.
    pub fn px(&self, value: f64) -> Option<f64> {
        if self.scaling == Scaling::LogWithZero && value.abs() <= 0.0 {
            return Some(self.start - GAP - ZERO / 2.0);
        }
        let (low, high) = (self.warp(self.low), self.warp(self.high));
        let share = (self.warp(value) - low) / (high - low);
        share.is_finite().then_some(self.start + share * (self.end - self.start))
    }

    /// The value at a pixel.
    pub fn value(&self, px: f64) -> f64 {
        if self.scaling == Scaling::LogWithZero && px < self.start - GAP / 2.0 {
            return 0.0;
        }
        let share = (px - self.start) / (self.end - self.start);
        let (low, high) = (self.warp(self.low), self.warp(self.high));
        let value = low + share * (high - low);
        match self.scaling {
            Scaling::Log | Scaling::LogWithZero => 10_f64.powf(value),
            Scaling::Nines => 1.0 - 10_f64.powf(-value),
            Scaling::Linear { .. } => value,
        }
    }

    /// The value at a pixel in three digits.
    pub fn said(&self, px: f64) -> String {
        said(self.scaling, self.value(px))
    }

    /// From where to where the gap behind the column of 0 reaches.
    pub fn gap(&self) -> Option<(f64, f64)> {
        (self.scaling == Scaling::LogWithZero).then_some((self.start - GAP, self.start))
    }

    /// The ends of the domain.
    pub fn domain(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Says whether a linear axis of positive values leaves zero out, which must be said in words.
    pub fn cropped(&self) -> bool {
        matches!(self.scaling, Scaling::Linear { .. }) && self.low > 0.0
    }

    /// At most `most` ticks inside the domain where that can be done, and at least three.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let values = match self.scaling {
            Scaling::Log => log_ticks(self.low, self.high, most),
            // The column of 0 takes the room of a number.
            Scaling::LogWithZero => {
                let rest = log_ticks(self.low, self.high, most.saturating_sub(1).max(3));
                [vec![0.0], rest].concat()
            }
            Scaling::Nines => return nines(self.high, most),
            Scaling::Linear { .. } => linear_ticks(self.low, self.high, most),
        };
        let common = values.iter().map(|&v| decimals(v)).max().unwrap_or(0);
        let each = self.scaling.is_log() && self.high / self.low >= 10.0;
        // Beyond these a number would take more room than the plot.
        let endless = values.iter().any(|v| v.abs() >= 1e10) || common > 6;
        let label = |value: f64| match (endless, each) {
            (true, _) => format!("{value:.1e}").replace('-', "−"),
            (false, true) => fixed(value, decimals(value)),
            (false, false) if value.abs() <= 0.0 && self.scaling.is_log() => "0".to_owned(),
            (false, false) => fixed(value, common),
        };
        values.into_iter().map(|value| Tick { value, label: label(value) }).collect()
    }
}

/// A labelled place on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Its number, comma-grouped.
    pub label: String,
}

/// A value on an axis in three digits; a share on an axis of nines as the percentile that it is.
pub(crate) fn said(scaling: Scaling, value: f64) -> String {
    if scaling == Scaling::Nines { percentile(value) } else { significant(value, 3) }
}

/// "p99.9" of 0.999, with a digit more than its nines.
fn percentile(share: f64) -> String {
    let nines = -(1.0 - share).max(1e-12).log10();
    let text = fixed(share * 100.0, (nines.ceil().max(1.0) as usize).saturating_sub(1).max(1));
    let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    format!("p{}", text.trim_end_matches('.'))
}

/// 0, p50, p90, p99, p99.9 … as far as the axis goes; without the first two where it goes far.
fn nines(high: f64, most: usize) -> Vec<Tick> {
    let reach = -(1.0 - high).max(1e-12).log10();
    let tick = |value: f64, label: String| Tick { value, label };
    let far = (1..=reach.floor().max(0.0) as i32).map(|power| {
        let share = 1.0 - 10_f64.powi(-power);
        tick(share, percentile(share))
    });
    let near = [tick(0.0, "0".to_owned()), tick(0.5, "p50".to_owned())];
    // p50 stands at three tenths of the way to p90.
    let apart = most as f64 / reach.max(0.1) * 0.3 >= 0.66;
    let fits = |t: &Tick| t.value <= high && (apart || t.value <= 0.0);
    near.into_iter().filter(fits).chain(far).collect()
}

/// The fewest decimals that print a tick exactly; ticks have at most three significant digits.
pub(crate) fn decimals(value: f64) -> usize {
    (0..12)
        .find(|&d| {
            let step = 10_f64.powi(d);
            ((value * step).round() - value * step).abs() < 1e-6 * (value * step).abs().max(1e-3)
        })
        .unwrap_or(12) as usize
}

/// Steps of 1, 2 and 5 times a power of ten, from coarse to fine around a span.
fn steps(span: f64) -> impl Iterator<Item = f64> {
    let top = span.log10().ceil() as i32;
    (0..4).flat_map(move |down| {
        // Dividing by an exact power keeps 0.1 the same number as in the source.
        [5.0, 2.0, 1.0].map(|m| {
            let power = top - down;
            if power < 0 { m / 10_f64.powi(-power) } else { m * 10_f64.powi(power) }
        })
    })
}

fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    let slack = 1e-9;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = (last - first + 1.0).clamp(0.0, 1e3) as usize;
    // The inverse of a step below one is whole: dividing by it gives 0.3, multiplying 0.30000000000000004.
    let at = |i: usize| {
        let n = first + i as f64;
        if step < 1.0 { n / (1.0 / step).round() } else { n * step }
    };
    (0..count).map(|i| at(i).clamp(low, high)).collect()
}

fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let mut best = Vec::new();
    for step in steps(high - low) {
        let ticks = multiples(low, high, step);
        if ticks.len() > most && best.len() >= 3 {
            break;
        }
        best = ticks;
        if best.len() > most {
            break;
        }
    }
    best
}

fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let inside = |mantissas: &[f64], every: i32| -> Vec<f64> {
        (first..=last)
            .filter(|power| power.rem_euclid(every) == 0)
            .flat_map(|power| mantissas.iter().map(move |m| scaled(*m, power)))
            .filter(|v| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(v))
            .map(|v| v.clamp(low, high))
            .collect()
    };
    if high / low < 10.0 {
        let ticks = inside(&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0], 1);
        return if ticks.len() >= 3 { ticks } else { linear_ticks(low, high, most) };
    }
    let mut ticks = inside(&[1.0, 2.0, 5.0], 1);
    for every in 1..=8 {
        let coarser = inside(&[1.0], every);
        if ticks.len() <= most || coarser.len() < 3 {
            break;
        }
        ticks = coarser;
    }
    ticks
}

fn scaled(mantissa: f64, power: i32) -> f64 {
    if power < 0 { mantissa / 10_f64.powi(-power) } else { mantissa * 10_f64.powi(power) }
}

/// The largest value with a place on an axis, and the inverse of the smallest on a log one. No
/// latency, rate or count comes near; what does is a broken file, and must not squash the rest.
const FAR: f64 = 1e15;

/// Says whether a given domain can be drawn: ends in order, apart, and not beyond all measure.
pub(crate) fn drawable(scaling: Scaling, (low, high): (f64, f64)) -> bool {
    let apart = high - low > 1e-9 * high.abs().max(low.abs());
    let near = low.abs() <= FAR && high.abs() <= FAR;
    let fits = match scaling {
        Scaling::Log | Scaling::LogWithZero => low >= 1.0 / FAR,
        Scaling::Nines => low >= 0.0 && high < 1.0,
        Scaling::Linear { .. } => true,
    };
    apart && near && fits
}

/// The domain that shows `values`: their ends rounded outward so that an axis of at most `most` ticks
/// begins and ends at one; zero included where asked.
pub fn domain(scaling: Scaling, values: impl IntoIterator<Item = f64>, most: usize) -> (f64, f64) {
    let usable = |v: &f64| v.abs() <= FAR && (!scaling.is_log() || *v >= 1.0 / FAR);
    let ends = values.into_iter().filter(usable).fold(None, |ends: Option<(f64, f64)>, v| {
        Some(ends.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
    });
    let Some((low, high)) = ends else {
        return match scaling {
            Scaling::Log | Scaling::LogWithZero => (1.0, 10.0),
            Scaling::Nines => (0.0, 0.99),
            Scaling::Linear { .. } => (0.0, 1.0),
        };
    };
    match scaling {
        Scaling::Nines => (0.0, high.clamp(0.5, 1.0 - 1e-12)),
        Scaling::Log | Scaling::LogWithZero => {
            // Ends at 1, 2 or 5; a single value gets room on both sides.
            let (low, high) = if high / low < 1.5 { (low / 2.0, high * 2.0) } else { (low, high) };
            (round_log(low, false), round_log(high, true))
        }
        Scaling::Linear { from_zero } => {
            let (low, high) = if from_zero { (low.min(0.0), high.max(0.0)) } else { (low, high) };
            let (low, high) = if high - low > 1e-9 * high.abs().max(low.abs()) {
                (low, high)
            } else {
                let room = if high == 0.0 { 1.0 } else { high.abs() * 0.1 };
                (if low == 0.0 { 0.0 } else { low - room }, high + room)
            };
            rounded(low, high, most)
        }
    }
}

fn rounded(low: f64, high: f64, most: usize) -> (f64, f64) {
    let slack = 1e-9;
    let outward = |most| {
        let ticks = linear_ticks(low, high, most);
        let step = match ticks.as_slice() {
            [a, b, ..] => b - a,
            _ => high - low,
        };
        ((low / step + slack).floor() * step, (high / step - slack).ceil() * step)
    };
    // Rounding outward may add a tick too many; the coarser ticks must then still end at the ends.
    let ends_at_ticks = |(low, high): &(f64, f64)| {
        let ticks = linear_ticks(*low, *high, most);
        let near = |a: f64, b: f64| (a - b).abs() < slack * (high - low);
        ticks.first().is_some_and(|t| near(*t, *low))
            && ticks.last().is_some_and(|t| near(*t, *high))
    };
    (3..=most).rev().map(outward).find(ends_at_ticks).unwrap_or_else(|| outward(most))
}

fn round_log(value: f64, up: bool) -> f64 {
    let power = value.log10().floor() as i32;
    let ladder = [1.0, 2.0, 5.0, 10.0].map(|m| scaled(m, power));
    let slack = 1e-9;
    if up {
        ladder.into_iter().find(|v| *v >= value * (1.0 - slack)).unwrap_or(value)
    } else {
        ladder.into_iter().rev().find(|v| *v <= value * (1.0 + slack)).unwrap_or(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINEAR: Scaling = Scaling::Linear { from_zero: true };

    fn labels(scaling: Scaling, domain: (f64, f64), most: usize) -> String {
        let scale = Scale::new(scaling, domain, (0.0, 100.0));
        let labels: Vec<_> = scale.ticks(most).into_iter().map(|t| t.label).collect();
        labels.join(" ")
    }

    #[test]
    fn ticks_of_the_mockups() {
        assert_eq!(labels(LINEAR, (0.0, 20.0), 7), "0 5 10 15 20");
        assert_eq!(labels(LINEAR, (0.0, 25.0), 6), "0 5 10 15 20 25");
        let decades = "50 100 200 500 1,000 2,000 5,000 10,000";
        assert_eq!(labels(Scaling::Log, (50.0, 1e4), 8), decades);
        assert_eq!(labels(Scaling::Log, (0.5, 20.0), 8), "0.5 1 2 5 10 20");
        assert_eq!(labels(LINEAR, (0.0, 0.3), 7), "0.00 0.05 0.10 0.15 0.20 0.25 0.30");
    }

    #[test]
    fn a_log_axis_inside_one_decade_is_labelled() {
        assert_eq!(labels(Scaling::Log, (30.0, 80.0), 8), "30 50 70");
        assert_eq!(labels(Scaling::Log, (31.0, 34.0), 8), "31.0 31.5 32.0 32.5 33.0 33.5 34.0");
        assert_eq!(labels(Scaling::Log, (1.0, 5.0), 8), "1.0 1.5 2.0 3.0 5.0");
    }

    #[test]
    fn a_log_axis_over_many_decades_keeps_to_its_number() {
        assert_eq!(labels(Scaling::Log, (0.001, 1e6), 6), "0.01 1 100 10,000 1,000,000");
    }

    #[test]
    fn nines_stand_at_equal_steps() {
        assert_eq!(labels(Scaling::Nines, (0.0, 0.9992), 7), "0 p50 p90 p99 p99.9");
        assert_eq!(
            labels(Scaling::Nines, (0.0, 0.999_999_6), 8),
            "0 p90 p99 p99.9 p99.99 p99.999 p99.9999"
        );
        let scale = Scale::new(Scaling::Nines, (0.0, 0.999), (0.0, 300.0));
        let at = |share: f64| scale.px(share).unwrap();
        assert!((at(0.9) - 100.0).abs() < 1e-9 && (at(0.99) - 200.0).abs() < 1e-9);
        assert!((at(0.5) - 30.103).abs() < 1e-3, "in its true place");
        assert_eq!(scale.px(1.0), None);
        assert_eq!((scale.said(200.0), scale.said(250.0)), ("p99".into(), "p99.68".into()));
    }

    #[test]
    fn zero_has_a_column_before_a_log_axis() {
        let scale = Scale::new(Scaling::LogWithZero, (1.0, 100.0), (50.0, 288.0));
        assert_eq!((scale.px(0.0), scale.gap()), (Some(63.0), Some((76.0, 88.0))));
        assert!((scale.px(10.0).unwrap() - 188.0).abs() < 1e-9);
        assert_eq!((scale.value(60.0), scale.px(-1.0)), (0.0, None));
        assert_eq!(labels(Scaling::LogWithZero, (2.0, 200.0), 8), "0 2 5 10 20 50 100 200");
    }

    #[test]
    fn domains_are_rounded_outward() {
        let round = |s, values: &[f64]| domain(s, values.iter().copied(), 7);
        assert_eq!(round(LINEAR, &[3.7, 18.2]), (0.0, 20.0));
        // Not 14: a step of 2 would be one tick too many, and 14 is none of 0, 5, 10.
        assert_eq!(domain(LINEAR, [0.7, 13.13], 6), (0.0, 15.0));
        assert_eq!(round(Scaling::Log, &[97.0, 5_214.0, 0.0]), (50.0, 1e4));
        assert_eq!(round(Scaling::Log, &[]), (1.0, 10.0));
        assert_eq!(round(LINEAR, &[0.0, 0.0]), (0.0, 1.0));
        let (low, high) = round(Scaling::Linear { from_zero: false }, &[41.0, 49.0]);
        assert!((30.0..=41.0).contains(&low) && (49.0..60.0).contains(&high), "{low} {high}");
        let (low, high) = round(Scaling::Linear { from_zero: false }, &[40.0, 40.0]);
        assert!(low < 40.0 && high > 40.0);
    }

    #[test]
    fn pixels_and_values_are_each_others_way_back() {
        let scale = Scale::new(Scaling::Log, (50.0, 1e4), (352.0, 36.0));
        let px = scale.px(559.0).unwrap();
        assert!((scale.value(px) - 559.0).abs() < 1e-9);
        assert_eq!(scale.px(0.0), None);
        assert_eq!(scale.px(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn linear_ticks_rise_stay_inside_and_are_enough(
            low in -1e6_f64..1e6, span in 1e-3_f64..1e7, most in 3_usize..9,
        ) {
            check(Scaling::Linear { from_zero: false }, low, low + span, most)?;
        }

        #[test]
        fn log_ticks_rise_stay_inside_and_are_enough(
            power in -4.0_f64..6.0, ratio in 1.05_f64..1e7, most in 3_usize..9,
        ) {
            let low = 10_f64.powf(power);
            check(Scaling::Log, low, low * ratio, most)?;
        }

        #[test]
        fn a_domain_holds_its_values(values in prop::collection::vec(1e-6_f64..1e9, 1..20)) {
            for scaling in [LINEAR, Scaling::Linear { from_zero: false }, Scaling::Log] {
                let (low, high) = domain(scaling, values.iter().copied(), 6);
                prop_assert!(low < high);
                for v in &values {
                    prop_assert!(low <= v * (1.0 + 1e-6) && *v <= high * (1.0 + 1e-6));
                }
            }
        }
    }

    fn check(scaling: Scaling, low: f64, high: f64, most: usize) -> Result<(), TestCaseError> {
        let ticks = Scale::new(scaling, (low, high), (0.0, 100.0)).ticks(most);
        prop_assert!(ticks.len() >= 3, "{ticks:?}");
        prop_assert!(ticks.len() <= most.max(3) * 3, "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|w| w[0].value < w[1].value), "{ticks:?}");
        prop_assert!(ticks.iter().all(|t| (low..=high).contains(&t.value)), "{ticks:?}");
        let distinct: std::collections::BTreeSet<_> = ticks.iter().map(|t| &t.label).collect();
        prop_assert_eq!(distinct.len(), ticks.len());
        Ok(())
    }
}
