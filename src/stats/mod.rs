//! Statistics on plain slices: quantiles, moments, intervals, bootstrap, seeded randomness.
//!
//! Knows slices and seeds. Must not know what the numbers mean, nor the clock.

mod bootstrap;
mod interval;
mod moments;
mod quantile;
mod rng;

pub use bootstrap::{Resampling, bootstrap, middle, resample};
pub use interval::{Interval, wilson};
pub use moments::{Spread, mean, std, sum, sum_by};
pub use quantile::{Rule, Selector, beyond, quantile_sorted, weighted_step};
pub use rng::Rng;
