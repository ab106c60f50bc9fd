//! Statistics on plain slices: quantiles, moments, intervals, bootstrap, histograms, seeded randomness.
//!
//! Knows slices and seeds. Must not know what the numbers mean, nor the clock.

mod bootstrap;
mod counter;
mod deviation;
mod histogram;
mod interval;
mod moments;
mod order;
mod promql;
mod quantile;
mod quantile_value;
mod rng;
mod student;

pub use bootstrap::{Resampling, bootstrap, middle, resample};
pub use counter::{Increase, OverEngines, gauge_of_processes, increase};
pub use deviation::{mad, median};
pub use histogram::{Apart, Bracket, Histogram, HistogramError};
pub use interval::{Interval, wilson};
pub use moments::{Spread, is_one_value, mean, std, sum, sum_by};
pub use order::{least_samples, quantile_ranks};
pub use promql::{
    Estimate, Extrapolated, Repair, extrapolated, histogram_fraction, histogram_quantile, raised,
};
pub use quantile::{Rule, Selector, beyond, quantile_sorted, weighted_step};
pub use quantile_value::QuantileValue;
pub use rng::Rng;
pub use student::t_interval;
