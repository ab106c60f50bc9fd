//! Statistics on resampled requests: each drawn request brings all its samples.

use super::samples::Samples;
use super::settings::{Percentile, Settings, Spread};
use crate::model::Stat;
use crate::stats::{Resampling, resample};

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

/// A quantile on each resample.
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
    // Between the two neighbours of the quantile's place.
    let read = |total: f64, at: &dyn Fn(f64) -> Option<[f64; 2]>| {
        let place = q * (total - 1.0);
        let [low, high] = at(place.floor())?;
        let part = if interpolates { place - place.floor() } else { 0.0 };
        Some(if part > 0.0 { low + (high - low) * part } else { low })
    };
    if units(samples).all(|unit| unit.len() == 1) {
        let ordered = Ordered::of(&samples.values);
        return resample(rows, how, |drawn| read(rows as f64, &|rank| ordered.at(drawn, rank)));
    }
    let counted = Counted::of(samples, q);
    resample(rows, how, |drawn| {
        let total = counted.total(drawn);
        if total > 0.0 { read(total, &|rank| counted.at(drawn, rank)) } else { None }
    })
}

/// One sample a request, in ascending order.
struct Ordered(Vec<(f64, usize)>);

impl Ordered {
    fn of(values: &[f64]) -> Self {
        let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self(order)
    }

    /// The samples of this rank (from 0) and the next among those drawn.
    fn at(&self, drawn: &[u8], rank: f64) -> Option<[f64; 2]> {
        let (mut reached, mut low) = (0.0, None);
        for (value, unit) in &self.0 {
            reached += f64::from(drawn.get(*unit).copied().unwrap_or(0));
            if reached > rank && low.is_none() {
                low = Some(*value);
            }
            if reached > rank + 1.0 {
                return low.map(|low| [low, *value]);
            }
        }
        // The rank is the last one: there is no next.
        low.map(|low| [low, low])
    }
}

/// Many samples a request, counted at or below candidates: a grid of order statistics around the
/// quantile, or all of them where there are few, so that the answer is then a measured value.
struct Counted {
    /// Ascending.
    grid: Vec<f64>,
    /// For each candidate and request: how many of its samples lie at or below the candidate.
    below: Vec<Vec<u32>>,
    /// For each candidate: of how many samples, each request taken once.
    once: Vec<f64>,
    /// Samples of each request.
    sizes: Vec<u32>,
    all: f64,
}

impl Counted {
    fn of(samples: &Samples, q: f64) -> Self {
        let rows = samples.ends.len();
        let grid = grid(&samples.values, q, rows);
        let mut below = vec![Vec::with_capacity(rows); grid.len()];
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
            let mut sum = 0;
            for (count, column) in line.iter().zip(&mut below) {
                sum += count;
                column.push(sum);
            }
            sizes.push(unit.len() as u32);
        }
        let once = below.iter().map(|column| column.iter().copied().map(f64::from).sum()).collect();
        let all = samples.values.len() as f64;
        Self { grid, below, once, sizes, all }
    }

    fn total(&self, drawn: &[u8]) -> f64 {
        dot(&self.sizes, drawn)
    }

    /// The candidates that hold this rank (from 0) and the next among the samples drawn.
    fn at(&self, drawn: &[u8], rank: f64) -> Option<[f64; 2]> {
        let low = self.holder(drawn, rank, self.guess(drawn, rank), 0);
        let high = self.holder(drawn, rank + 1.0, low, low);
        Some([*self.grid.get(low)?, *self.grid.get(high)?])
    }

    /// The candidate that holds the rank if all candidates are drawn as one near it is.
    fn guess(&self, drawn: &[u8], rank: f64) -> usize {
        let last = self.grid.len().saturating_sub(1);
        let stretch = self.total(drawn) / self.all;
        let near = self.once.partition_point(|once| once * stretch <= rank).min(last);
        let expected = self.once.get(near).copied().unwrap_or_default() * stretch;
        let shift = self.count(drawn, near) - expected;
        self.once.partition_point(|once| once * stretch + shift <= rank).min(last)
    }

    /// The least candidate from `least` on with more than `rank` samples at or below it, or the last one:
    /// looked for outwards from `guess` in steps that double, then by halves.
    fn holder(&self, drawn: &[u8], rank: f64, guess: usize, least: usize) -> usize {
        let holds = |candidate: usize| self.count(drawn, candidate) > rank;
        let end = self.grid.len().saturating_sub(1);
        let mut step = 1;
        let (mut low, mut high) = if holds(guess) {
            let mut high = guess;
            loop {
                if high == least {
                    return least;
                }
                let next = high.saturating_sub(step).max(least);
                if !holds(next) {
                    break (next + 1, high);
                }
                high = next;
                step *= 2;
            }
        } else {
            let mut low = guess + 1;
            loop {
                let next = low + step - 1;
                if next >= end {
                    break (low.min(end), end);
                }
                if holds(next) {
                    break (low, next);
                }
                low = next + 1;
                step *= 2;
            }
        };
        while low < high {
            let middle = usize::midpoint(low, high);
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    fn count(&self, drawn: &[u8], candidate: usize) -> f64 {
        self.below.get(candidate).map_or(0.0, |column| dot(column, drawn))
    }
}

fn dot(counts: &[u32], drawn: &[u8]) -> f64 {
    let sum: u64 = counts.iter().zip(drawn).map(|(n, d)| u64::from(*n) * u64::from(*d)).sum();
    sum as f64
}

/// Ascending candidates around the `q` quantile.
fn grid(values: &[f64], q: f64, rows: usize) -> Vec<f64> {
    let mut values = values.to_vec();
    if values.len() <= 4 * GRID {
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        return values;
    }
    let half = REACH * ((q * (1.0 - q)).max(1.0 / rows as f64) / rows as f64).sqrt();
    let (from, to) = ((q - half).max(0.0), (q + half).min(1.0));
    // Only what lies between the ends of the grid has to be in order.
    let last = values.len() - 1;
    let place = |share: f64| ((share * last as f64).round_ties_even() as usize).min(last);
    let (first, final_) = (place(from), place(to));
    values.select_nth_unstable_by(first, f64::total_cmp);
    let rest = values.get_mut(first..).unwrap_or_default();
    rest.select_nth_unstable_by(final_ - first, f64::total_cmp);
    let middle = rest.get_mut(..=final_ - first).unwrap_or_default();
    middle.sort_unstable_by(f64::total_cmp);
    let mut grid: Vec<f64> = (0..GRID)
        .filter_map(|step| {
            let share = from + (to - from) * step as f64 / (GRID - 1) as f64;
            middle.get(place(share).saturating_sub(first)).copied()
        })
        .collect();
    grid.dedup();
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Rng, Rule, quantile_sorted};

    fn samples(units: &[Vec<f64>]) -> Samples {
        let mut samples = Samples::default();
        for (at, unit) in units.iter().enumerate() {
            samples.values.extend(unit);
            samples.ends.push((samples.values.len(), at));
        }
        samples
    }

    /// The resampled quantile by writing every drawn sample down and sorting.
    fn plain(units: &[Vec<f64>], q: f64, rule: Rule, how: Resampling) -> Vec<f64> {
        resample(units.len(), how, |drawn| {
            let mut all: Vec<f64> = Vec::new();
            for (unit, times) in units.iter().zip(drawn) {
                for _ in 0..*times {
                    all.extend(unit);
                }
            }
            all.sort_unstable_by(f64::total_cmp);
            quantile_sorted(&all, q, rule)
        })
    }

    #[test]
    fn a_resampled_quantile_is_that_of_the_drawn_samples() {
        let mut rng = Rng::seeded(11);
        let how = Resampling { times: 40, seed: 5 };
        let single: Vec<Vec<f64>> = (0..60).map(|_| vec![rng.below(1000) as f64]).collect();
        let many: Vec<Vec<f64>> =
            (0..40).map(|_| (0..rng.below(12)).map(|_| rng.below(90) as f64).collect()).collect();
        for units in [single, many] {
            for q in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0] {
                let got = quantiles(&samples(&units), q, Percentile::Linear, how);
                let want = plain(&units, q, Rule::Linear, how);
                assert_eq!(got.len(), want.len());
                for (got, want) in got.iter().zip(&want) {
                    assert!((got - want).abs() < 1e-9, "{q}: {got} {want}");
                }
            }
        }
    }

    #[test]
    fn on_a_grid_it_is_within_a_step_of_it() {
        let mut rng = Rng::seeded(12);
        let how = Resampling { times: 40, seed: 5 };
        let units: Vec<Vec<f64>> =
            (0..300).map(|_| (0..20).map(|_| rng.below(1 << 20) as f64).collect()).collect();
        for q in [0.5, 0.99] {
            let got = quantiles(&samples(&units), q, Percentile::Linear, how);
            let want = plain(&units, q, Rule::Linear, how);
            let step = 2.0 * REACH * (q * (1.0 - q) / 300.0_f64).sqrt() / (GRID - 1) as f64;
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1.5 * step * f64::from(1 << 20), "{q}: {got} {want}");
            }
        }
    }
}
