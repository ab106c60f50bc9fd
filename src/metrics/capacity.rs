//! A capacity plan: how many replicas a demand takes under the limits, and how many without them.
//!
//! It assumes that replicas add up: each serves the measured mix of requests as the one that was
//! measured did, and the demand is spread evenly over them.

use super::curve::Curve;
use super::goodput::Within;
use crate::stats::Interval;
use serde::{Deserialize, Serialize};

/// What one replica was measured to serve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Replica {
    /// The highest goodput in requests per second.
    pub goodput: Within,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// The load of the goodput peak, as a place in the curve's points.
    pub peak: usize,
    /// Whether the peak is at the lowest or highest load: the true one may be higher.
    pub at_edge: bool,
    /// The highest request throughput of the sweep, whatever the limits.
    pub throughput: f64,
}

impl Replica {
    /// The replica of a sweep.
    ///
    /// # Errors
    /// When nothing can be planned with it; the reason is a clause.
    pub fn of(curve: &Curve) -> Result<Self, String> {
        let Some(peak) = curve.goodput_peak else {
            let because = curve.no_goodput_peak.as_deref();
            let because = because.unwrap_or("no load has a known goodput above zero");
            return Err(format!("no goodput peak of the sweep can be named: {because}"));
        };
        let served = curve.points.iter().filter_map(|point| point.request_throughput);
        let throughput =
            served.reduce(f64::max).ok_or("the request throughput of the sweep is not known")?;
        Ok(Self {
            goodput: peak.value,
            interval: curve.points.get(peak.index).and_then(|point| point.goodput_interval),
            peak: peak.index,
            at_edge: peak.at_edge,
            throughput,
        })
    }
}

/// A number of replicas, exact or within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needed {
    /// At least so many.
    pub low: u64,
    /// At most so many; none where the lower bound of what a replica serves is zero.
    pub high: Option<u64>,
}

impl Needed {
    /// The number, where it is one.
    pub fn exact(self) -> Option<u64> {
        self.high.filter(|high| *high == self.low)
    }
}

/// How many replicas a demand takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Requests per second that come.
    pub demand: f64,
    /// What one replica serves.
    pub replica: Replica,
    /// Replicas that keep the limits: demand ÷ goodput peak, rounded up.
    pub by_goodput: Needed,
    /// The same over the 95 % interval of the peak.
    pub over_interval: Option<Needed>,
    /// Replicas that only have to serve: demand ÷ highest throughput, rounded up.
    pub by_throughput: u64,
    /// What the limits cost: the difference.
    pub price: Needed,
}

/// The plan for `demand` requests per second, or `None` when that is no positive number.
pub fn plan(demand: f64, replica: Replica) -> Option<Plan> {
    let Within { low, high } = replica.goodput;
    let by_throughput = replicas(demand, replica.throughput)?;
    let by_goodput = Needed { low: replicas(demand, high)?, high: replicas(demand, low) };
    let over_interval = replica.interval.and_then(|interval| {
        Some(Needed { low: replicas(demand, interval.high)?, high: replicas(demand, interval.low) })
    });
    Some(Plan {
        demand,
        replica,
        by_goodput,
        over_interval,
        by_throughput,
        price: Needed {
            low: by_goodput.low.saturating_sub(by_throughput),
            high: by_goodput.high.map(|high| high.saturating_sub(by_throughput)),
        },
    })
}

/// ⌈demand ÷ rate⌉; `None` where either is no positive number. A quotient that is whole but for the
/// last bits of its division is whole.
pub fn replicas(demand: f64, rate: f64) -> Option<u64> {
    let quotient = demand / rate;
    let sound = demand > 0.0 && rate > 0.0 && quotient.is_finite() && quotient < 1e15;
    sound.then(|| (quotient * (1.0 - 1e-12)).ceil().max(1.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_quotients_stay_whole() {
        assert_eq!(replicas(240.0, 10.0), Some(24));
        assert_eq!(replicas(0.3, 0.1), Some(3), "0.3 ÷ 0.1 is 2.9999999999999996 in binary");
        assert_eq!(replicas(0.7, 0.1), Some(7), "and 0.7 ÷ 0.1 is 6.999999999999999");
        assert_eq!(replicas(2.1, 0.7), Some(3), "while 2.1 ÷ 0.7 is 3.0000000000000004");
        assert_eq!(replicas(1e-9, 10.0), Some(1), "any demand takes one");
    }

    #[test]
    fn what_is_no_rate_gives_no_number() {
        for (demand, rate) in
            [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)]
        {
            assert_eq!(replicas(demand, rate), None, "{demand} ÷ {rate}");
        }
    }
}
