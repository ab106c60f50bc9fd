//! What a finding does to numbers: as the file has it, and without.

use crate::checks::Effect;
use crate::metrics::Value;
use crate::model::{Metric, Stat};
use crate::units::fixed;
use crate::views::compare::shown;
use crate::views::numbers::decimals;
use serde::{Deserialize, Serialize};

/// One number as the file has it, and without the fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectLine {
    /// "TTFT mean".
    pub name: String,
    /// As the file has it; rounded.
    pub before: String,
    /// Without the fault; a dash where it can't be had.
    pub after: String,
    /// "ms".
    pub unit: String,
    /// Both on a line from 0 to 1; none where one of them is not known.
    pub marks: Option<[f64; 2]>,
}

/// So many numbers of a finding are shown; the rest changes with them.
const SHOWN: usize = 3;

/// Where the larger of two values stands on the line.
const FULL: f64 = 0.92;

/// The effects as lines, and the size of the largest: the logarithm of a factor, which treats half and
/// double alike.
pub(super) fn lines(effects: &[Effect]) -> (Vec<EffectLine>, f64) {
    let sizes = effects.iter().map(size);
    (effects.iter().take(SHOWN).map(line).collect(), sizes.fold(0.0, f64::max))
}

fn size(effect: &Effect) -> f64 {
    match (effect.before.number(), effect.after.number()) {
        (Some(before), Some(after)) if before > 0.0 && after > 0.0 => (after / before).ln().abs(),
        // From or to nothing is more than any factor.
        _ => f64::MAX,
    }
}

fn line(effect: &Effect) -> EffectLine {
    let Effect { metric, stat, before, after } = effect;
    let numbers: Vec<f64> =
        [before, after].iter().filter_map(|v| v.number()).map(|v| shown(*metric, v)).collect();
    let largest = numbers.iter().copied().fold(0.0, f64::max);
    let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    // Numbers of one size share their digits; a small one beside a large one would lose its own.
    let apart = largest > 10.0 * smallest;
    let places = |v: f64| if apart { decimals(&[v]) } else { decimals(&numbers) };
    let marks = match numbers.as_slice() {
        [a, b] if largest > 0.0 && *a >= 0.0 && *b >= 0.0 => {
            Some([a / largest * FULL, b / largest * FULL])
        }
        _ => None,
    };
    EffectLine {
        name: name(*metric, *stat),
        before: text(*metric, before, &places),
        after: text(*metric, after, &places),
        unit: metric.unit().symbol().to_owned(),
        marks,
    }
}

/// "TTFT mean"; a number of the run as a whole has no statistic.
fn name(metric: Metric, stat: Stat) -> String {
    match stat {
        Stat::Value => metric.name().to_owned(),
        stat => format!("{} {}", metric.name(), stat.name()),
    }
}

fn text(metric: Metric, value: &Value, places: &dyn Fn(f64) -> usize) -> String {
    let number = |v: f64| {
        let v = shown(metric, v);
        fixed(v, places(v))
    };
    match value {
        Value::Exact(v) | Value::Reported(v) => number(*v),
        Value::AtLeast(v) => format!("≥ {}", number(*v)),
        Value::AtMost(v) => format!("≤ {}", number(*v)),
        Value::Between(low, high) => format!("{} to {}", number(*low), number(*high)),
        Value::Missing(_) => "—".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(before: Value, after: Value) -> Effect {
        Effect { metric: Metric::Ttft, stat: Stat::Mean, before, after }
    }

    #[test]
    fn both_numbers_have_the_digits_that_tell_them_apart() {
        let (lines, size) = lines(&[effect(Value::Exact(81.8), Value::Exact(88.9))]);
        let line = &lines[0];
        assert_eq!((line.name.as_str(), line.unit.as_str()), ("TTFT mean", "ms"));
        assert_eq!((line.before.as_str(), line.after.as_str()), ("81.8", "88.9"));
        let [before, after] = line.marks.expect("both are known");
        assert!((after - FULL).abs() < 1e-9 && before < after);
        assert!((size - (88.9_f64 / 81.8).ln()).abs() < 1e-9);
    }

    #[test]
    fn a_number_that_goes_away_is_a_dash_and_counts_most() {
        let (lines, size) =
            lines(&[effect(Value::Exact(7.3), Value::Missing("not measured".into()))]);
        assert_eq!(lines[0].after, "—");
        assert_eq!(lines[0].marks, None);
        assert!(size > 1e6);
        let (lines, _) = super::lines(&[effect(Value::Exact(7.3), Value::AtMost(102.0))]);
        assert_eq!((lines[0].before.as_str(), lines[0].after.as_str()), ("7.30", "≤ 102"));
    }
}
