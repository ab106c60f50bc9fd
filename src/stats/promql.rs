//! PromQL's arithmetic on classic histograms and counters, step by step as Prometheus 3 does it
//! (`promql/quantile.go`, `promql/functions.go`), to say what a dashboard shows and why it differs.

/// Counts this close to each other are one count: rounding of a scaled float, repaired without a word.
const SMALL_DELTA: f64 = 1e-12;
/// Below this the relative measure is of no use (`util/almost`).
const MIN_NORMAL: f64 = f64::MIN_POSITIVE;
/// A gap to the end of a window of more than so many mean intervals means that the series began or ended
/// inside the window.
const THRESHOLD: f64 = 1.1;

/// What `histogram_quantile` prints, and what it had to repair for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number; NaN and the infinities as PromQL prints them.
    pub value: f64,
    /// Set when counts fell from one edge to the next and were raised: the note “input to
    /// histogram_quantile needed to be fixed for monotonicity”.
    pub repair: Option<Repair>,
}

/// Counts that were raised to what lay below them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repair {
    /// The first edge whose count was raised.
    pub first: f64,
    /// The last one.
    pub last: f64,
    /// The largest rise of one count.
    pub largest: f64,
}

/// `histogram_quantile(q, …)` of (upper edge, observations up to it) in any order.
///
/// A quantile that is no number gives NaN, one below 0 −∞, one above 1 +∞, before any bucket is looked
/// at. Without a bucket up to +Inf, with fewer than two buckets or without an observation: NaN. Buckets of
/// one edge, written in two ways, are added up.
pub fn histogram_quantile(q: f64, buckets: &[(f64, f64)]) -> Estimate {
    let plain = |value| Estimate { value, repair: None };
    if q.is_nan() {
        return plain(f64::NAN);
    }
    if q < 0.0 {
        return plain(f64::NEG_INFINITY);
    }
    if q > 1.0 {
        return plain(f64::INFINITY);
    }
    let Some(mut buckets) = coalesced(buckets) else { return plain(f64::NAN) };
    let repair = raised(&mut buckets);
    Estimate { value: bucket_value(q, &buckets).unwrap_or(f64::NAN), repair }
}

/// The walk through monotonic buckets; `None` where PromQL prints NaN.
fn bucket_value(q: f64, buckets: &[(f64, f64)]) -> Option<f64> {
    let (last, finite) = buckets.split_last()?;
    let (last_edge, _) = *finite.last()?;
    if last.1.abs() < MIN_NORMAL {
        return None;
    }
    let rank = q * last.1;
    let Some(at) = finite.iter().position(|(_, count)| *count >= rank) else {
        return Some(last_edge);
    };
    let (edge, count) = *finite.get(at)?;
    let Some((start, below)) = at.checked_sub(1).and_then(|at| finite.get(at)).copied() else {
        if edge <= 0.0 {
            return Some(edge);
        }
        return Some(edge * (rank / count));
    };
    Some(start + (edge - start) * ((rank - below) / (count - below)))
}

/// `histogram_fraction(lower, upper, …)` of a classic histogram: the share of the observations between two
/// values, linear inside a bucket; NaN where PromQL prints NaN.
pub fn histogram_fraction(lower: f64, upper: f64, buckets: &[(f64, f64)]) -> f64 {
    let Some(buckets) = coalesced(buckets) else { return f64::NAN };
    let Some((_, count)) = buckets.last().copied() else { return f64::NAN };
    if count.abs() < MIN_NORMAL || lower.is_nan() || upper.is_nan() {
        return f64::NAN;
    }
    if lower >= upper {
        return 0.0;
    }
    (rank_of(upper, &buckets) - rank_of(lower, &buckets)) / count
}

/// How many observations lie below a value.
fn rank_of(value: f64, buckets: &[(f64, f64)]) -> f64 {
    let first_edge = buckets.first().map_or(0.0, |first| first.0);
    let mut start = if first_edge > 0.0 { 0.0 } else { f64::NEG_INFINITY };
    let mut below = 0.0;
    for (edge, count) in buckets {
        if value <= start {
            return below;
        }
        if value < *edge {
            // From −∞ nothing can be interpolated: the whole bucket counts.
            let part = if start.is_infinite() { 1.0 } else { (value - start) / (edge - start) };
            return below + (count - below) * part;
        }
        (start, below) = (*edge, *count);
    }
    below
}

/// Buckets in order of their edges, those of one edge added up; `None` without one up to +Inf.
fn coalesced(buckets: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let mut sorted: Vec<(f64, f64)> =
        buckets.iter().copied().filter(|(edge, _)| !edge.is_nan()).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    if sorted.last()?.0 < f64::INFINITY {
        return None;
    }
    let mut merged: Vec<(f64, f64)> = Vec::with_capacity(sorted.len());
    for (edge, count) in sorted {
        match merged.last_mut() {
            Some(last) if last.0 >= edge => last.1 += count,
            _ => merged.push((edge, count)),
        }
    }
    Some(merged)
}

/// Raises counts that fall to the one before them, from left to right, in buckets that ascend: what
/// `histogram_quantile` does first. `None` where none did, but for rounding.
pub fn raised(buckets: &mut [(f64, f64)]) -> Option<Repair> {
    let mut repair: Option<Repair> = None;
    let mut before = buckets.first()?.1;
    for (edge, count) in buckets.iter_mut().skip(1) {
        if almost_equal(*count, before) {
            *count = before;
        } else if *count < before {
            let raised = before - *count;
            let so_far = repair.get_or_insert(Repair { first: *edge, last: *edge, largest: 0.0 });
            so_far.last = *edge;
            so_far.largest = so_far.largest.max(raised);
            *count = before;
        } else {
            before = *count;
        }
    }
    repair
}

fn almost_equal(a: f64, b: f64) -> bool {
    let (sum, apart) = (a.abs() + b.abs(), (a - b).abs());
    if a.total_cmp(&b).is_eq() {
        return true;
    }
    if a.abs() < MIN_NORMAL || b.abs() < MIN_NORMAL || sum < MIN_NORMAL {
        return apart < SMALL_DELTA * MIN_NORMAL;
    }
    apart / sum.min(f64::MAX) < SMALL_DELTA
}

/// What a range function does with a series over a window, and what it made of the raw difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extrapolated {
    /// Last less first, each restart of a counter counted from zero.
    pub raw: f64,
    /// By how much the raw difference is multiplied to cover the whole window.
    pub factor: f64,
    /// The window in seconds.
    pub seconds: f64,
}

impl Extrapolated {
    /// What `increase` (or `delta` of a gauge) prints.
    pub fn increase(self) -> f64 {
        self.raw * self.factor
    }

    /// What `rate` prints, per second.
    pub fn rate(self) -> f64 {
        self.raw * (self.factor / self.seconds)
    }
}

/// `increase` and `rate` of a counter (`delta` of a gauge) over the samples (seconds, value) of the window
/// from `start`, exclusive, to `end`, inclusive. `None` with fewer than two samples.
///
/// Each series is extrapolated to the ends of the window by itself, and a counter not below zero: so the
/// buckets of one histogram get different factors, and a dashboard's quantiles differ from those of the
/// raw differences though no sample is missing.
pub fn extrapolated(
    samples: &[(f64, f64)],
    start: f64,
    end: f64,
    counter: bool,
) -> Option<Extrapolated> {
    let inside: Vec<(f64, f64)> =
        samples.iter().copied().filter(|(at, _)| *at > start && *at <= end).collect();
    let ((first_at, first), (last_at, last)) = (*inside.first()?, *inside.last()?);
    if inside.len() < 2 {
        return None;
    }
    let mut raw = last - first;
    if counter {
        for pair in inside.windows(2) {
            if let [(_, before), (_, now)] = pair
                && now < before
            {
                raw += before;
            }
        }
    }
    let covered = last_at - first_at;
    let mean = covered / (inside.len() - 1) as f64;
    let reach = |gap: f64| if gap >= THRESHOLD * mean { mean / 2.0 } else { gap };
    let mut left = reach(first_at - start);
    if counter && raw > 0.0 && first >= 0.0 {
        left = left.min(covered * (first / raw));
    }
    let factor = (covered + left + reach(end - last_at)) / covered;
    Some(Extrapolated { raw, factor, seconds: end - start })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[track_caller]
    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "{got} is not {want}");
    }

    #[test]
    fn a_quantile_outside_of_0_to_1_comes_before_any_bucket() {
        assert!(histogram_quantile(f64::NAN, &[]).value.is_nan());
        assert_eq!(histogram_quantile(-0.1, &[]).value.to_bits(), f64::NEG_INFINITY.to_bits());
        assert_eq!(histogram_quantile(1.01, &[]).value.to_bits(), INF.to_bits());
    }

    #[test]
    fn without_all_there_is_no_quantile() {
        for buckets in [&[][..], &[(1.0, 5.0)], &[(INF, 5.0)], &[(1.0, 0.0), (INF, 0.0)]] {
            assert!(histogram_quantile(0.5, buckets).value.is_nan(), "{buckets:?}");
        }
        let empty_first = [(1.0, 0.0), (2.0, 3.0), (INF, 3.0)];
        assert!(histogram_quantile(0.0, &empty_first).value.is_nan(), "0 of 0");
    }

    #[test]
    fn counts_that_fall_are_raised_and_told() {
        let buckets = [(0.1, 20.0), (1.0, 10.0), (10.0, 50.0), (100.0, 40.0), (INF, 80.0)];
        let repair = histogram_quantile(0.5, &buckets).repair.unwrap();
        assert_eq!((repair.first, repair.last, repair.largest), (1.0, 100.0, 10.0));
        let rounded = [(1.0, 10.0), (2.0, 10.0 - 1e-12), (INF, 10.0)];
        assert_eq!(histogram_quantile(0.5, &rounded).repair, None);
        let zero = [(1.0, 0.0), (2.0, -1e-15), (INF, 1.0)];
        assert!(histogram_quantile(0.5, &zero).repair.is_some(), "no tolerance beside zero");
    }

    /// The buckets of one histogram are extrapolated by different factors, since only some would cross
    /// zero: 60 s with samples after 20, 35 and 50 s.
    #[test]
    fn a_rate_turns_a_share_of_50_percent_into_42() {
        let of = |values: [f64; 3]| {
            let samples: Vec<(f64, f64)> = [20.0, 35.0, 50.0].into_iter().zip(values).collect();
            extrapolated(&samples, 0.0, 60.0, true).unwrap()
        };
        let (below, all) = (of([0.0, 5.0, 10.0]), of([100.0, 110.0, 120.0]));
        close(below.raw / all.raw, 0.5);
        close(below.factor, 40.0 / 30.0);
        close(all.factor, 47.5 / 30.0);
        close(below.rate() / all.rate(), 40.0 / 95.0);
        close(all.increase(), 20.0 * 47.5 / 30.0);
    }
}
