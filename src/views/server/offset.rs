//! Where the client’s zero lies on the server’s clock, by the best match of requests in flight.

use crate::metrics::Timeline;
use crate::prometheus::names::Measure;
use crate::prometheus::{Account, ServerGauge};
use serde::{Deserialize, Serialize};

/// So many readings of the running requests are needed at least.
const LEAST_READINGS: usize = 5;
/// Candidates tried between two readings.
const STEPS: f64 = 20.0;
/// Most candidates tried in all.
const MOST: usize = 20_000;
/// An offset whose mean squared misfit is within this factor of the best may be the right one. A rule of
/// thumb: a misfit of twice the best is a clearly worse match on traces of tens of readings.
const NEARLY: f64 = 2.0;
/// A misfit of half a request everywhere is as good as none.
const NOISE: f64 = 0.25;

/// Where the client’s first send lies on the server’s clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Offset {
    /// Unix time in seconds.
    pub at: f64,
    /// Not before this, as far as the match tells.
    pub low: f64,
    /// Not after this.
    pub high: f64,
    /// Root mean square of client in-flight less server running, in requests.
    pub misfit: f64,
}

/// Finds the offset at which the client’s requests in flight match the server’s running and waiting ones
/// best.
///
/// # Errors
/// When the readings can’t tell; the reason is a clause.
pub fn offset(account: &Account, client: &Timeline) -> Result<Offset, String> {
    let running = readings(account, Measure::Running);
    let mut server = running.ok_or("the server’s readings hold no requests running with times")?;
    if let Some(waiting) = readings(account, Measure::Waiting) {
        for (at, level) in &mut server {
            let same = waiting.iter().find(|(other, _)| (other - *at).abs() < 1e-6);
            *level += same.map_or(0.0, |(_, waits)| *waits);
        }
    }
    if server.len() < LEAST_READINGS {
        return Err(format!(
            "{} readings with times are too few to match, {LEAST_READINGS} are needed",
            server.len()
        ));
    }
    if server.iter().all(|(_, level)| *level <= 0.0) {
        return Err("no reading of the server shows a running request".into());
    }
    let client: Vec<(f64, f64)> =
        client.in_flight.iter().map(|(at, level)| (at.as_secs(), *level)).collect();
    let length = client.last().map_or(0.0, |last| last.0);
    let (first, last) = match (server.first(), server.last()) {
        (Some(first), Some(last)) => (first.0, last.0),
        _ => return Err("there are no readings".into()),
    };
    let interval = (last - first) / (server.len() - 1) as f64;
    let from = first - length;
    let step = (interval / STEPS).max((last - from) / MOST as f64);
    if step <= 0.0 {
        return Err("the readings all have one time".into());
    }
    let count = ((last - from) / step).floor() as usize;
    let misfit = |zero: f64| {
        let squares =
            server.iter().map(|(at, level)| (level - level_at(&client, at - zero)).powi(2));
        squares.sum::<f64>() / server.len() as f64
    };
    let tried: Vec<(f64, f64)> =
        (0..=count).map(|n| from + n as f64 * step).map(|zero| (zero, misfit(zero))).collect();
    let best = tried.iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no offset could be tried")?;
    let good = (best.1 * NEARLY).max(NOISE);
    let near: Vec<f64> = tried.iter().filter(|(_, m)| *m <= good).map(|(zero, _)| *zero).collect();
    let low = near.iter().copied().fold(best.0, f64::min);
    let high = near.iter().copied().fold(best.0, f64::max);
    Ok(Offset { at: best.0, low: low - step, high: high + step, misfit: best.1.sqrt() })
}

/// The level of a step line at a moment; 0 outside of it.
fn level_at(line: &[(f64, f64)], at: f64) -> f64 {
    let after = line.partition_point(|(time, _)| *time <= at);
    after.checked_sub(1).and_then(|before| line.get(before)).map_or(0.0, |point| point.1)
}

/// (Unix time, sum over all series of a gauge’s measure); `None` without times.
fn readings(account: &Account, measure: Measure) -> Option<Vec<(f64, f64)>> {
    let of = |gauge: &&ServerGauge| {
        gauge.row.name.is_some_and(|name| name.measure == measure && name.labels.is_empty())
    };
    let mut all: Vec<(f64, f64)> = Vec::new();
    for (_, at, level) in account.gauges.iter().filter(of).flat_map(|gauge| &gauge.readings) {
        let at = (*at)?;
        match all.iter_mut().find(|(own, _)| (*own - at).abs() < 1e-6) {
            Some((_, sum)) => *sum += level,
            None => all.push((at, *level)),
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    (!all.is_empty()).then_some(all)
}
