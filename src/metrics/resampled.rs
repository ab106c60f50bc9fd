//! Statistics on resampled requests: each drawn request brings all its samples.

use super::samples::Samples;
use super::settings::{Percentile, Settings, Spread};
use crate::model::Stat;
use crate::stats::{Resampling, Rule, quantile_sorted, resample};

/// One statistic of samples without weights on each resample, in the samples' own unit; empty where the
/// statistic has no such spread (extremes, percentiles of histograms).
pub(super) fn of(samples: &Samples, stat: Stat, settings: &Settings, how: Resampling) -> Vec<f64> {
    match stat {
        Stat::Mean => moments(samples, how, |m| Some(m.sum / m.count)),
        Stat::Std => {
            let less = if settings.spread == Spread::Sample { 1.0 } else { 0.0 };
            moments(samples, how, |m| {
                let squares = m.squares - m.sum * m.sum / m.count;
                (m.count > less).then(|| (squares.max(0.0) / (m.count - less)).sqrt())
            })
        }
        Stat::Median => quantiles(samples, 0.5, settings.percentile, how),
        Stat::Percentile(p) => quantiles(samples, p / 100.0, settings.percentile, how),
        Stat::Min | Stat::Max | Stat::Value => Vec::new(),
    }
}

#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

fn moments(samples: &Samples, how: Resampling, of: impl Fn(Moments) -> Option<f64>) -> Vec<f64> {
    let units: Vec<Moments> = units(samples)
        .map(|values| Moments {
            count: values.len() as f64,
            sum: values.iter().sum(),
            squares: values.iter().map(|v| v * v).sum(),
        })
        .collect();
    resample(units.len(), how, |drawn| {
        let mut total = Moments::default();
        for (unit, drawn) in units.iter().zip(drawn) {
            let drawn = f64::from(*drawn);
            total.count += unit.count * drawn;
            total.sum += unit.sum * drawn;
            total.squares += unit.squares * drawn;
        }
        if total.count > 0.0 { of(total) } else { None }
    })
}

/// The samples of each request.
fn units(samples: &Samples) -> impl Iterator<Item = &[f64]> {
    let mut from = 0;
    samples.ends.iter().map(move |(to, _)| {
        let unit = samples.values.get(from..*to).unwrap_or(&[]);
        from = *to;
        unit
    })
}

/// Candidates for a resampled quantile of many pooled samples.
const GRID: usize = 129;
/// The grid reaches so many standard errors to each side. The error is that of as many independent
/// samples as there are requests, the most that samples of one request can depend on each other.
const REACH: f64 = 6.0;

/// A quantile on each resample. The candidates are a grid of order statistics around the quantile:
/// all of them where there are few, so that the answer is then a measured value.
fn quantiles(samples: &Samples, q: f64, rule: Percentile, how: Resampling) -> Vec<f64> {
    let interpolates = match rule {
        Percentile::Linear => true,
        Percentile::BucketLinear => return Vec::new(),
        _ => false,
    };
    let rows = samples.ends.len();
    if rows == 0 || samples.values.is_empty() {
        return Vec::new();
    }
    let grid = grid(&samples.values, q, rows);
    let last = grid.len() - 1;
    // For each candidate and request: how many of its samples lie at or below the candidate.
    let mut counts = vec![Vec::with_capacity(rows); grid.len()];
    let mut sizes = Vec::with_capacity(rows);
    let mut line = vec![0_u32; grid.len()];
    for unit in units(samples) {
        line.fill(0);
        for value in unit {
            let first = grid.partition_point(|candidate| candidate < value);
            if let Some(count) = line.get_mut(first) {
                *count += 1;
            }
        }
        let mut below = 0;
        for (count, column) in line.iter().zip(&mut counts) {
            below += count;
            column.push(below);
        }
        sizes.push(unit.len() as f64);
    }
    let below = |drawn: &[u32], candidate: usize| {
        let column = counts.get(candidate).map_or(&[][..], Vec::as_slice);
        let sum: u64 = column.iter().zip(drawn).map(|(n, d)| u64::from(*n) * u64::from(*d)).sum();
        sum as f64
    };
    // The least candidate with more than `rank` samples at or below it holds that rank (from 0).
    let at_rank = |drawn: &[u32], rank: f64| {
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = usize::midpoint(low, high);
            if below(drawn, middle) > rank { high = middle } else { low = middle + 1 }
        }
        grid.get(low).copied()
    };
    resample(rows, how, |drawn| {
        let total: f64 = sizes.iter().zip(drawn).map(|(n, d)| n * f64::from(*d)).sum();
        if total <= 0.0 {
            return None;
        }
        let place = q * (total - 1.0);
        let low = at_rank(drawn, place.floor())?;
        let part = place - place.floor();
        if !interpolates || part <= 0.0 {
            return Some(low);
        }
        let high = at_rank(drawn, place.floor() + 1.0)?;
        Some(low + (high - low) * part)
    })
}

/// Ascending candidates around the `q` quantile.
fn grid(values: &[f64], q: f64, rows: usize) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    if sorted.len() <= 4 * GRID {
        sorted.dedup();
        return sorted;
    }
    let half = REACH * ((q * (1.0 - q)).max(1.0 / rows as f64) / rows as f64).sqrt();
    let (from, to) = ((q - half).max(0.0), (q + half).min(1.0));
    let mut grid: Vec<f64> = (0..GRID)
        .filter_map(|step| {
            let share = from + (to - from) * step as f64 / (GRID - 1) as f64;
            quantile_sorted(&sorted, share, Rule::RoundedIndex)
        })
        .collect();
    grid.dedup();
    grid
}
