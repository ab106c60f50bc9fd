//! How many digits close: the printed pieces lead from the printed A to the printed B.

use super::{Bridge, Piece};
use crate::metrics::measured::Value;
use crate::model::Metric;
use crate::units::Unit;

/// So many digits more than the ends need are printed where fewer do not close: beyond them a digit tells a
/// reader nothing, and the pieces are rounded to close instead.
const MORE: usize = 1;

/// The digits in which a bridge is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Digits {
    /// Decimals of the ends and of the pieces.
    pub places: usize,
    /// What each piece is printed as, in the metric’s unit, in the order of [`Bridge::pieces`].
    pieces: Vec<Value>,
}

impl Digits {
    /// The fewest decimals in which the printed pieces add up to the printed difference. Where even one
    /// more than the ends need does not, the pieces that lose most by rounding are printed up or down by one
    /// unit of the last digit, as many as it takes.
    pub fn of(bridge: &Bridge) -> Self {
        let factor = factor(bridge.a.metric);
        let pieces: Vec<Value> = bridge.pieces().iter().map(Piece::change).collect();
        let ends = [&bridge.a.value, &bridge.b.value]
            .map(|value| Some(value.exact_or_reported()? * factor));
        let least = least(ends.iter().flatten().copied());
        let parts: Option<Vec<f64>> =
            pieces.iter().map(|change| Some(change.exact_or_reported()? * factor)).collect();
        let (Some(parts), [Some(a), Some(b)]) = (parts, ends) else {
            return Self { places: least, pieces };
        };
        let closes = |places: &usize| {
            let whole = units(b, *places) - units(a, *places);
            let sum: f64 = parts.iter().map(|part| units(*part, *places)).sum();
            (sum - whole).abs() < 0.5
        };
        let none_lost = |places: &usize| {
            parts.iter().all(|part| part.abs() < 1e-9 || units(*part, *places).abs() >= 0.5)
        };
        let all = least..=least + MORE;
        let places = all
            .clone()
            .find(|places| closes(places) && none_lost(places))
            .or_else(|| all.clone().find(closes))
            .unwrap_or(least);
        let shown = rounded(&parts, units(b, places) - units(a, places), places);
        let scale = factor * 10_f64.powi(places as i32);
        Self {
            places,
            pieces: shown.into_iter().map(|units| Value::Exact(units / scale)).collect(),
        }
    }

    /// What the piece at this place is printed as.
    pub fn change(&self, at: usize) -> Value {
        self.pieces
            .get(at)
            .cloned()
            .unwrap_or_else(|| Value::Missing("there is no such piece".into()))
    }

    /// What the pieces come to as they are printed, where each is exact.
    pub fn difference(&self) -> Option<f64> {
        self.pieces.iter().map(Value::exact).sum::<Option<f64>>().map(|sum| 0.0 + sum)
    }
}

/// By how much a value is multiplied where it is shown: a share is shown as per cent.
pub(super) fn factor(metric: Metric) -> f64 {
    if metric.unit() == Unit::Share { 100.0 } else { 1.0 }
}

/// Decimals that the ends need by themselves.
fn least(ends: impl Iterator<Item = f64>) -> usize {
    match ends.fold(0.0_f64, |largest, v| largest.max(v.abs())) {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.01 => 4,
        v if v <= 0.0 => 2,
        _ => 6,
    }
}

/// A value in units of its last printed digit, rounded as it is printed.
fn units(value: f64, places: usize) -> f64 {
    let text = format!("{:.*}", places, value.abs()).replace('.', "");
    let units: f64 = text.parse().unwrap_or(f64::NAN);
    if value < 0.0 { -units } else { units }
}

/// The parts in such units, with the sum `whole`.
fn rounded(parts: &[f64], whole: f64, places: usize) -> Vec<f64> {
    let mut shown: Vec<f64> = parts.iter().map(|part| units(*part, places)).collect();
    let short = whole - shown.iter().sum::<f64>();
    let scale = 10_f64.powi(places as i32);
    let mut lost: Vec<(f64, usize)> = parts
        .iter()
        .zip(&shown)
        .enumerate()
        .map(|(at, (part, shown))| ((part * scale - shown) * short.signum(), at))
        .collect();
    lost.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, at) in lost.iter().take(short.abs().round() as usize) {
        if let Some(shown) = shown.get_mut(*at) {
            *shown += short.signum();
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_rounded_as_they_are_printed() {
        for (value, places, want) in
            [(30.6008, 2, 3060.0), (-17.0029, 2, -1700.0), (1.005, 2, 100.0), (0.0, 2, 0.0)]
        {
            assert!((units(value, places) - want).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn parts_that_lose_most_are_rounded_the_other_way() {
        assert_eq!(rounded(&[0.4, 0.4, 0.4], 1.0, 0), [1.0, 0.0, 0.0]);
        assert_eq!(rounded(&[-0.6, -0.6, 0.1], -1.0, 0), [0.0, -1.0, 0.0]);
        assert_eq!(rounded(&[2.5], 3.0, 0), [3.0]);
    }
}
