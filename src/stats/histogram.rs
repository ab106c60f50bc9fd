//! Cumulative histograms as Prometheus keeps them: counts up to each edge, a count and a sum.
//!
//! What was observed is durations and lengths, so nothing lies below zero. A quantile out of buckets is
//! an interval; [`Histogram::promql`] is the number inside it that a dashboard shows.

use super::Interval;
use super::promql::histogram_quantile;
use thiserror::Error;

/// Why something is no histogram, or why two don't go together.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum HistogramError {
    /// No bucket at all.
    #[error("a histogram without buckets")]
    Empty,
    /// An edge that is no number, below zero, or there twice.
    #[error("the edges of a histogram have to rise from above zero, and {0} does not")]
    Edge(f64),
    /// A count below the one before it, or below zero.
    #[error("the count up to {edge} is {count}, less than what lies below it")]
    Falls {
        /// The edge.
        edge: f64,
        /// Its count.
        count: f64,
    },
    /// Two grids without a common edge.
    #[error("the two histograms have no edge in common, so their buckets can’t be added up")]
    NoCommonEdge,
    /// Two grids that are not the same.
    #[error("the two histograms have different edges, so they are not two scrapes of one series")]
    OtherEdges,
}

/// A cumulative histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Finite upper edges, ascending.
    edges: Vec<f64>,
    /// How many observations are at most that large.
    counts: Vec<f64>,
    /// All observations, those above the last edge included.
    count: f64,
    /// The sum of all observations.
    sum: Option<f64>,
}

/// Where a quantile lies. What was observed at rank ⌈q·N⌉ is meant, the nearest-rank quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Not below this.
    pub low: f64,
    /// Not above this; `None` where nothing says so.
    pub high: Option<f64>,
    /// Whether it lies above the last finite edge, where [`Histogram::promql`] prints that edge.
    pub above_last_edge: bool,
}

/// What two brackets say of the difference of what they hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Apart {
    /// They overlap: neither is known to be larger.
    CannotTell,
    /// The second less the first lies in between; an end that is not known is infinite.
    By(Interval),
}

impl Bracket {
    /// The difference of what `other` holds to what this holds. Two interpolated numbers are never
    /// subtracted: with other edges they differ though the observations are the same.
    pub fn to(&self, other: &Self) -> Apart {
        let (high, other_high) =
            (self.high.unwrap_or(f64::INFINITY), other.high.unwrap_or(f64::INFINITY));
        if self.low <= other_high && other.low <= high {
            return Apart::CannotTell;
        }
        Apart::By(Interval { low: other.low - high, high: other_high - self.low })
    }
}

/// Where an observation of a rank was counted.
struct Place {
    /// Index of the bucket; the last one has no upper edge.
    bucket: usize,
    /// Rank within the bucket, from 1.
    within: f64,
}

impl Histogram {
    /// A histogram of (upper edge, observations up to it) in any order; an infinite edge is the count of
    /// all. `sum` is that of all observations, where it is known.
    ///
    /// # Errors
    /// When edges or counts don't rise.
    pub fn new(buckets: &[(f64, f64)], sum: Option<f64>) -> Result<Self, HistogramError> {
        let mut sorted = buckets.to_vec();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = sorted.last().ok_or(HistogramError::Empty)?.1;
        let (mut edge, mut below) = (f64::NEG_INFINITY, 0.0);
        for (next, count) in &sorted {
            if !(*next >= 0.0 && *next > edge) {
                return Err(HistogramError::Edge(*next));
            }
            if !(*count >= below && count.is_finite()) {
                return Err(HistogramError::Falls { edge: *next, count: *count });
            }
            (edge, below) = (*next, *count);
        }
        sorted.retain(|bucket| bucket.0.is_finite());
        let (edges, counts) = sorted.into_iter().unzip();
        Ok(Self { edges, counts, count, sum: sum.filter(|sum| sum.is_finite()) })
    }

    /// Number of observations.
    pub const fn count(&self) -> f64 {
        self.count
    }

    /// Sum of the observations, where it is known.
    pub const fn sum(&self) -> Option<f64> {
        self.sum
    }

    /// Σ ÷ n, which buckets don't blur; `None` without a sum or an observation.
    pub fn mean(&self) -> Option<f64> {
        self.mean_over(self.count)
    }

    /// Σ over another number of things than was observed: a histogram of steps over the tokens of those
    /// steps gives the time of a token.
    pub fn mean_over(&self, things: f64) -> Option<f64> {
        self.sum.filter(|_| things > 0.0).map(|sum| sum / things)
    }

    /// Observations above the last finite edge.
    pub fn above_last_edge(&self) -> f64 {
        self.count - self.counts.last().copied().unwrap_or(0.0)
    }

    /// Share of the observations in the first bucket.
    pub fn share_in_first(&self) -> Option<f64> {
        let first = *self.counts.first()?;
        (self.count > 0.0).then(|| first / self.count)
    }

    /// What `histogram_quantile` prints for the `q` quantile on these buckets: linear inside a bucket,
    /// and the last finite edge for all that lies above it ([`histogram_quantile`]). `None` where it
    /// prints NaN or an infinity.
    pub fn promql(&self, q: f64) -> Option<f64> {
        Some(histogram_quantile(q, &self.buckets()).value).filter(|value| value.is_finite())
    }

    /// (upper edge, observations up to it), ascending, the count of all up to +Inf at the end.
    pub fn buckets(&self) -> Vec<(f64, f64)> {
        let finite = self.edges.iter().copied().zip(self.counts.iter().copied());
        finite.chain([(f64::INFINITY, self.count)]).collect()
    }

    /// The finite upper edges, ascending.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// The share of the observations that are at most `limit`, between two shares: buckets tell it exactly
    /// at their edges only, and between two of them the sum may tell more. `None` without observations.
    pub fn share_within(&self, limit: f64) -> Option<Interval> {
        if self.count <= 0.0 || limit.is_nan() {
            return None;
        }
        let bucket = self.edges.iter().position(|edge| *edge > limit).unwrap_or(self.edges.len());
        let (start, below) = (self.lower(bucket), self.below(bucket));
        let inside = self.inside(bucket);
        let end = self.upper(bucket);
        // What lies at the lower edge itself is in the bucket below.
        let (mut least, mut most) = if limit > start { (0.0, inside) } else { (0.0, 0.0) };
        if let (Some(sum), true) = (self.sum, most > 0.0) {
            let (lowest, highest) = self.others(bucket);
            // Each observation above the limit takes up more of the sum than one at the lower edge.
            let above = ((sum - lowest - inside * start) / (limit - start)).max(0.0);
            least = (inside - above.floor()).clamp(0.0, inside);
            if let Some(end) = end {
                // And so many have to lie above it for the sum to be reached.
                let above = (sum - highest - inside * limit) / (end - limit);
                most = (inside - above.ceil()).clamp(0.0, inside);
            }
        }
        if least > most {
            // The sum contradicts the buckets: `credible` says so.
            (least, most) = (0.0, inside);
        }
        Some(Interval { low: (below + least) / self.count, high: (below + most) / self.count })
    }

    /// The bucket that holds the `q` quantile; `None` without observations.
    pub fn bucket(&self, q: f64) -> Option<Bracket> {
        let place = self.place(q)?;
        let high = self.upper(place.bucket);
        Some(Bracket { low: self.lower(place.bucket), high, above_last_edge: high.is_none() })
    }

    /// The tightest bounds of the `q` quantile that buckets, count and sum allow; `None` without
    /// observations.
    ///
    /// All observations at their lower edges leave so much of the sum for those from the quantile up in
    /// its bucket, and all at their upper edges so little for those up to it.
    pub fn bounds(&self, q: f64) -> Option<Bracket> {
        let place = self.place(q)?;
        let bracket = self.bucket(q)?;
        let Some(sum) = self.sum else { return Some(bracket) };
        let inside = self.inside(place.bucket);
        let (mut least, mut most) = self.others(place.bucket);
        least += (place.within - 1.0) * bracket.low;
        let above = inside - place.within;
        if above > 0.0 {
            most += above * bracket.high.unwrap_or(f64::INFINITY);
        }
        let highest = (sum - least) / (above + 1.0);
        let lowest = (sum - most) / place.within;
        // A sum that contradicts the buckets tightens nothing: `credible` says so.
        let low = bracket.low.max(lowest);
        let high = bracket.high.map_or(highest, |high| high.min(highest));
        if low > high {
            return Some(bracket);
        }
        Some(Bracket { low, high: Some(high), ..bracket })
    }

    /// The buckets of several series added up at the edges that all of them have: exact there, since
    /// counts are cumulative. The sum is known if all are.
    ///
    /// # Errors
    /// When there is none, or no common edge.
    pub fn merged(all: &[Self]) -> Result<Self, HistogramError> {
        let (first, others) = all.split_first().ok_or(HistogramError::Empty)?;
        let mut merged = Self { edges: Vec::new(), counts: Vec::new(), ..first.clone() };
        for (edge, count) in first.edges.iter().zip(&first.counts) {
            let more: Option<f64> = others.iter().map(|other| other.up_to(*edge)).sum();
            if let Some(more) = more {
                merged.edges.push(*edge);
                merged.counts.push(count + more);
            }
        }
        for other in others {
            merged.count += other.count;
            merged.sum = merged.sum.zip(other.sum).map(|(a, b)| a + b);
        }
        if merged.edges.is_empty() { Err(HistogramError::NoCommonEdge) } else { Ok(merged) }
    }

    /// What was observed since `earlier`, and whether the series began anew in between: then it is all
    /// that this scrape holds, and what came before the restart is lost.
    ///
    /// # Errors
    /// When the edges are not the same.
    pub fn since(&self, earlier: &Self) -> Result<(Self, bool), HistogramError> {
        if self.edges != earlier.edges {
            return Err(HistogramError::OtherEdges);
        }
        let fell = self.counts.iter().zip(&earlier.counts).any(|(now, then)| now < then);
        if fell || self.count < earlier.count {
            return Ok((self.clone(), true));
        }
        let counts = self.counts.iter().zip(&earlier.counts).map(|(now, then)| now - then);
        let since = Self {
            edges: self.edges.clone(),
            counts: counts.collect(),
            count: self.count - earlier.count,
            sum: self.sum.zip(earlier.sum).map(|(now, then)| now - then),
        };
        Ok((since, false))
    }

    /// Whether the numbers can be what they say, `least` being the smallest mean that is possible at all.
    ///
    /// # Errors
    /// When they can't; the reason is a clause.
    pub fn credible(&self, least: f64) -> Result<(), String> {
        let (Some(sum), Some(mean)) = (self.sum, self.mean()) else { return Ok(()) };
        let mut range = (0.0, 0.0);
        for bucket in (0..=self.edges.len()).filter(|bucket| self.inside(*bucket) > 0.0) {
            range.0 += self.inside(bucket) * self.lower(bucket);
            range.1 += self.inside(bucket) * self.upper(bucket).unwrap_or(f64::INFINITY);
        }
        // Sums are added up one observation at a time, each rounded.
        let rounding = 1e-9 * sum.abs().max(range.0);
        if sum < range.0 - rounding || sum > range.1 + rounding {
            return Err(format!(
                "the sum {sum} lies outside of what the buckets allow, {} to {}",
                range.0, range.1
            ));
        }
        if mean < least {
            let all = self.share_in_first().is_some_and(|share| share >= 1.0);
            let first = if all { ", and the first bucket holds all of them" } else { "" };
            return Err(format!("the mean {mean} is below anything possible{first}"));
        }
        Ok(())
    }

    /// The least and the most that all observations outside of a bucket can add up to.
    fn others(&self, but: usize) -> (f64, f64) {
        let (mut least, mut most) = (0.0, 0.0);
        for bucket in (0..=self.edges.len()).filter(|bucket| *bucket != but) {
            let n = self.inside(bucket);
            if n > 0.0 {
                least += n * self.lower(bucket);
                most += n * self.upper(bucket).unwrap_or(f64::INFINITY);
            }
        }
        (least, most)
    }

    fn place(&self, q: f64) -> Option<Place> {
        if !(0.0..=1.0).contains(&q) || self.count <= 0.0 {
            return None;
        }
        // Counts of a range are scaled by PromQL and need not be whole; rounding must not move a rank.
        let rank = (q * self.count - 1e-9).ceil().max(1.0).min(self.count);
        let bucket =
            self.counts.iter().position(|count| *count >= rank).unwrap_or(self.edges.len());
        Some(Place { bucket, within: rank - self.below(bucket) })
    }

    fn lower(&self, bucket: usize) -> f64 {
        bucket.checked_sub(1).and_then(|at| self.edges.get(at)).copied().unwrap_or(0.0)
    }

    fn upper(&self, bucket: usize) -> Option<f64> {
        self.edges.get(bucket).copied()
    }

    fn below(&self, bucket: usize) -> f64 {
        bucket.checked_sub(1).and_then(|at| self.counts.get(at)).copied().unwrap_or(0.0)
    }

    fn inside(&self, bucket: usize) -> f64 {
        self.counts.get(bucket).copied().unwrap_or(self.count) - self.below(bucket)
    }

    fn up_to(&self, edge: f64) -> Option<f64> {
        let at = self.edges.iter().position(|own| own.total_cmp(&edge).is_eq())?;
        self.counts.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Rng;
    use proptest::prelude::*;

    fn of(values: &[f64], edges: &[f64]) -> Histogram {
        let up_to = |edge: f64| values.iter().filter(|v| **v <= edge).count() as f64;
        let buckets: Vec<_> =
            edges.iter().copied().chain([f64::INFINITY]).map(|e| (e, up_to(e))).collect();
        Histogram::new(&buckets, Some(values.iter().sum())).unwrap()
    }

    proptest! {
        #[test]
        fn bounds_hold_the_truth_and_lie_in_the_bucket(
            values in prop::collection::vec(0.001_f64..12.0, 1..60),
            q in 0.0_f64..=1.0,
        ) {
            let histogram = of(&values, &[0.1, 0.5, 1.0, 5.0, 10.0]);
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = ((q * values.len() as f64 - 1e-9).ceil() as usize).max(1);
            let truth = sorted[rank - 1];
            let (bucket, bounds) = (histogram.bucket(q).unwrap(), histogram.bounds(q).unwrap());
            prop_assert!(bucket.low <= bounds.low && bounds.low <= truth + 1e-9, "{:?}", bounds);
            prop_assert!(truth <= bounds.high.unwrap() + 1e-9, "{:?} {}", bounds, truth);
            prop_assert!(bucket.high.is_none_or(|high| bounds.high.unwrap() <= high));
            prop_assert!(histogram.credible(0.0).is_ok());
        }

        #[test]
        fn the_share_within_a_limit_holds_the_truth(
            values in prop::collection::vec(0.001_f64..12.0, 1..60),
            limit in 0.0_f64..14.0,
        ) {
            let histogram = of(&values, &[0.1, 0.5, 1.0, 5.0, 10.0]);
            let truth = values.iter().filter(|v| **v <= limit).count() as f64 / values.len() as f64;
            let share = histogram.share_within(limit).unwrap();
            prop_assert!(share.low <= truth + 1e-9 && truth <= share.high + 1e-9, "{:?} {}", share, truth);
        }
    }

    #[test]
    fn merging_is_pooling() {
        let mut rng = Rng::seeded(4);
        let mut draw = |n| (0..n).map(|_| rng.below(1000) as f64 / 100.0).collect::<Vec<f64>>();
        let (a, b) = (draw(80), draw(300));
        let edges = [0.5, 1.0, 2.5, 5.0, 7.5];
        let merged = Histogram::merged(&[of(&a, &edges), of(&b, &edges)]).unwrap();
        let pooled = of(&[a.clone(), b.clone()].concat(), &edges);
        assert_eq!(merged.counts, pooled.counts);
        assert!((merged.sum.unwrap() - pooled.sum.unwrap()).abs() < 1e-9);
        let shared = Histogram::merged(&[of(&a, &edges), of(&b, &[1.0, 3.0, 5.0])]).unwrap();
        let few = of(&[a.clone(), b].concat(), &[1.0, 5.0]);
        assert_eq!((shared.edges, shared.counts), (few.edges, few.counts), "common edges only");
        let other = of(&a, &[0.7]);
        assert_eq!(Histogram::merged(&[of(&a, &edges), other]), Err(HistogramError::NoCommonEdge));
    }

    #[test]
    fn two_scrapes_are_a_difference_and_a_restart_is_told() {
        let (then, now) = (of(&[0.2, 0.7], &[0.5, 1.0]), of(&[0.2, 0.7, 0.7, 3.0], &[0.5, 1.0]));
        let (since, anew) = now.since(&then).unwrap();
        assert!(!anew);
        assert_eq!((since.count(), since.counts.clone()), (2.0, vec![0.0, 1.0]));
        assert!((since.mean().unwrap() - 1.85).abs() < 1e-12);
        let (since, anew) = then.since(&now).unwrap();
        assert!(anew);
        assert_eq!(since, then);
        assert_eq!(then.since(&of(&[0.2], &[0.5])), Err(HistogramError::OtherEdges));
    }

    #[test]
    fn the_sum_tells_more_of_a_share_than_the_buckets() {
        // 100 of at most 1 s, of which 0.1 s is the mean: at most 20 can be above half a second.
        let histogram =
            Histogram::new(&[(1.0, 100.0), (f64::INFINITY, 100.0)], Some(10.0)).unwrap();
        let share = histogram.share_within(0.5).unwrap();
        assert_eq!((share.low, share.high), (0.8, 1.0));
        let at_edge = histogram.share_within(1.0).unwrap();
        assert_eq!((at_edge.low, at_edge.high), (1.0, 1.0));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        assert_eq!(Histogram::new(&[], None), Err(HistogramError::Empty));
        assert_eq!(Histogram::new(&[(1.0, 5.0), (1.0, 5.0)], None), Err(HistogramError::Edge(1.0)));
        assert!(matches!(Histogram::new(&[(f64::NAN, 5.0)], None), Err(HistogramError::Edge(_))));
        assert_eq!(
            Histogram::new(&[(1.0, 5.0), (2.0, 4.0)], None),
            Err(HistogramError::Falls { edge: 2.0, count: 4.0 })
        );
        let empty = Histogram::new(&[(1.0, 0.0), (f64::INFINITY, 0.0)], Some(0.0)).unwrap();
        assert_eq!((empty.promql(0.5), empty.bounds(0.5), empty.mean()), (None, None, None));
    }

    #[test]
    fn a_sum_that_contradicts_the_buckets_is_not_credible() {
        let broken = Histogram::new(&[(1.0, 0.0), (2.0, 10.0)], Some(5.0)).unwrap();
        assert!(broken.credible(0.0).unwrap_err().contains("outside"));
        assert_eq!(broken.bounds(0.5), broken.bucket(0.5));
    }
}
