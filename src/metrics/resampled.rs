//! Statistics on resampled requests: each drawn request brings all its samples.

use super::samples::Samples;
use super::settings::{Percentile, Settings, Spread};
use crate::model::Stat;
use crate::stats::{Resampling, resample};

/// One statistic of samples without weights on each resample, in the samples' own unit; empty where the
/// statistic has no such spread (extremes, percentiles of histograms).
pub(super) fn of(samples: &Samples, stat: Stat, settings: &Settings, how: Resampling) -> Vec<f64> {
    match stat {
        Stat::Mean => moments(samples, how, 0.0, |m| Some(m.sum / m.count)),
        Stat::Std => {
            let less = if settings.spread == Spread::Sample { 1.0 } else { 0.0 };
            // Squares around a sample lose no digits, and are 0 where all samples are equal.
            let center = samples.values.first().copied().unwrap_or_default();
            moments(samples, how, center, |m| {
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

/// Of the samples less `center`.
fn moments(
    samples: &Samples,
    how: Resampling,
    center: f64,
    of: impl Fn(Moments) -> Option<f64>,
) -> Vec<f64> {
    let units: Vec<Moments> = units(samples)
        .map(|values| Moments {
            count: values.len() as f64,
            sum: values.iter().map(|v| v - center).sum(),
            squares: values.iter().map(|v| (v - center) * (v - center)).sum(),
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

/// So many samples are all kept in order; of more only those near the quantile.
const FEW: usize = 512;
/// The samples in order reach so many standard errors to each side. The error is that of as many
/// independent samples as there are requests, the most that samples of one request can depend on each
/// other.
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
    let band = Band::of(samples, q);
    resample(rows, how, |drawn| {
        let total = dot(&band.sizes, drawn);
        if total <= 0.0 {
            return None;
        }
        let place = q * (total - 1.0);
        let [low, high] = band.at(drawn, place.floor())?;
        // Between the two neighbours of the quantile's place.
        let part = if interpolates { place - place.floor() } else { 0.0 };
        Some(if part > 0.0 { low + (high - low) * part } else { low })
    })
}

/// The samples around a quantile in ascending order; of the smaller ones only how many each request has.
struct Band {
    /// Samples of each request.
    sizes: Vec<u32>,
    /// Those of them below the band.
    smaller: Vec<u32>,
    /// The band: each sample with its request.
    inside: Vec<(f64, u32)>,
}

impl Band {
    fn of(samples: &Samples, q: f64) -> Self {
        let rows = samples.ends.len();
        let (low, high) = ends(&samples.values, q, rows);
        let mut band = Self {
            sizes: Vec::with_capacity(rows),
            smaller: Vec::with_capacity(rows),
            inside: Vec::new(),
        };
        for (at, unit) in units(samples).enumerate() {
            let mut smaller = 0;
            for value in unit {
                if *value < low {
                    smaller += 1;
                } else if *value <= high {
                    band.inside.push((*value, at as u32));
                }
            }
            band.sizes.push(unit.len() as u32);
            band.smaller.push(smaller);
        }
        band.inside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        band
    }

    /// The samples of this rank (from 0) and the next among those drawn; the end of the band where a rank
    /// lies outside.
    fn at(&self, drawn: &[u8], rank: f64) -> Option<[f64; 2]> {
        let (mut reached, mut low) = (dot(&self.smaller, drawn), None);
        for (value, unit) in &self.inside {
            reached += f64::from(drawn.get(*unit as usize).copied().unwrap_or(0));
            if reached > rank && low.is_none() {
                low = Some(*value);
            }
            if reached > rank + 1.0 {
                return low.map(|low| [low, *value]);
            }
        }
        // The rank is the last one: there is no next.
        let low = low.or_else(|| self.inside.last().map(|(value, _)| *value));
        low.map(|low| [low, low])
    }
}

/// The smallest and the largest sample of the band around the `q` quantile.
fn ends(values: &[f64], q: f64, rows: usize) -> (f64, f64) {
    if values.len() <= FEW {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let half = REACH * ((q * (1.0 - q)).max(1.0 / rows as f64) / rows as f64).sqrt();
    let last = values.len() - 1;
    let place =
        |share: f64| ((share.clamp(0.0, 1.0) * last as f64).round_ties_even() as usize).min(last);
    let (first, final_) = (place(q - half), place(q + half));
    let mut values = values.to_vec();
    let (_, low, rest) = values.select_nth_unstable_by(first, f64::total_cmp);
    let low = *low;
    let high = match (final_ - first).checked_sub(1) {
        Some(after) if after < rest.len() => *rest.select_nth_unstable_by(after, f64::total_cmp).1,
        _ => low,
    };
    (low, high)
}

fn dot(counts: &[u32], drawn: &[u8]) -> f64 {
    let sum: u64 = counts.iter().zip(drawn).map(|(n, d)| u64::from(*n) * u64::from(*d)).sum();
    sum as f64
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
    fn a_band_of_many_samples_gives_the_same() {
        let mut rng = Rng::seeded(12);
        let how = Resampling { times: 40, seed: 5 };
        let units: Vec<Vec<f64>> =
            (0..300).map(|_| (0..20).map(|_| rng.below(1 << 20) as f64).collect()).collect();
        for q in [0.001, 0.5, 0.99, 1.0] {
            let got = quantiles(&samples(&units), q, Percentile::Linear, how);
            let want = plain(&units, q, Rule::Linear, how);
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-9 * want, "{q}: {got} {want}");
            }
        }
    }
}
