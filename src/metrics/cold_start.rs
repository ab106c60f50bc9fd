//! A cold first wave: the first requests of a run met an engine that was not warm.

use super::rows::{ends, gap_sums, pick};
use super::settings::End;
use crate::model::{Requests, Run};
use crate::stats::{Rule, quantile_sorted};
use crate::units::{Seconds, fixed, significant};

/// The requests after the wave: fewer don't tell what a warm request takes.
const FEWEST_AFTER: usize = 10;
/// How much slower the wave must be than the rest, by the medians of their TTFT.
const SLOWER: f64 = 2.0;
/// From this size on one of the slowest may be a later request, and from twenty on one in ten: a slow
/// request later on excuses no wave.
const LARGE: usize = 4;

/// A first wave that was cold.
#[derive(Debug, Clone, PartialEq)]
pub struct ColdStart {
    /// How many requests the wave is: C.
    pub count: usize,
    /// How many of the `count` slowest requests are of it.
    pub slowest: usize,
    /// The requests of the wave, by their number from 0, ascending.
    pub rows: Vec<usize>,
    /// How many requests to skip from the start to leave the wave out, failed ones among them included.
    pub skip: usize,
    /// Median TTFT of the wave.
    pub wave: Seconds,
    /// Median TTFT of the requests after it.
    pub rest: Seconds,
    /// TTFT p90 of all of them, linear.
    pub p90_with: Seconds,
    /// TTFT p90 without the wave.
    pub p90_without: Seconds,
}

impl ColdStart {
    /// How many times slower the wave is than the rest.
    pub fn ratio(&self) -> f64 {
        self.wave.as_secs() / self.rest.as_secs()
    }

    /// What was seen, as a clause: “all 10 slowest are the first 10 started”.
    pub fn seen(&self) -> String {
        let (count, slowest) = (fixed(self.count as f64, 0), fixed(self.slowest as f64, 0));
        match (self.count, self.slowest) {
            (1, _) => "the slowest is the first one started".to_owned(),
            (all, slow) if all == slow => {
                format!("all {count} slowest are the first {count} started")
            }
            _ => format!("{slowest} of the {count} slowest are among the first {count} started"),
        }
    }

    /// What it is, in a sentence with numbers.
    pub fn sentence(&self) -> String {
        let secs = |time: Seconds| significant(time.as_secs(), 3);
        format!(
            "Cold start: by TTFT {}, {} s at the median against {} s after them (× {}). Without \
             them TTFT p90 is {} s in place of {} s.",
            self.seen(),
            secs(self.wave),
            secs(self.rest),
            significant(self.ratio(), 2),
            secs(self.p90_without),
            secs(self.p90_with),
        )
    }
}

/// The cold first wave of a run, if it has one.
///
/// A first wave of C requests is cold when the C slowest requests by TTFT are the first C started (from
/// four on but for one of them, or one in ten), the median TTFT of the wave is at least twice that of
/// the rest, and at least C and ten requests come after it. C is where the run itself falls into two (every one of the
/// first C slower than every later one), else the concurrency that the file states, else the number
/// of requests sent before the first one ended. Ties in the send time are not torn apart.
///
/// Nothing without a table of requests, or when no such C is found.
pub fn cold_start(run: &Run) -> Option<ColdStart> {
    cold_start_without(run, &[])
}

/// The same as if the requests `excluded` (ascending) had never been sent.
pub fn cold_start_without(run: &Run, excluded: &[usize]) -> Option<ColdStart> {
    let requests = run.requests.as_ref()?;
    if requests.ttft.is_absent() {
        return None;
    }
    let sent = sent(requests, excluded);
    let timed: Vec<Timed> = sent
        .iter()
        .enumerate()
        .filter(|(_, (row, _))| !requests.is_empty_reply(*row))
        .filter_map(|(place, (row, start))| {
            let ttft = requests.ttft.get(*row)?.as_secs();
            (ttft > 0.0).then_some(Timed { row: *row, place, start: *start, ttft })
        })
        .collect();
    let stated = run.load.max_concurrency.map(|c| c as usize);
    let mut candidates = vec![apart(&timed, stated)];
    candidates.extend([stated, first_wave(requests, &timed)]);
    candidates.into_iter().flatten().find_map(|count| judge(&timed, count))
}

/// A request with a TTFT.
#[derive(Debug, Clone, Copy)]
struct Timed {
    row: usize,
    /// Its place in the order of starts, among all.
    place: usize,
    start: f64,
    ttft: f64,
}

/// All requests that are not left out, in the order of their starts; of submission without them.
fn sent(requests: &Requests, excluded: &[usize]) -> Vec<(usize, f64)> {
    let start = |at: usize| requests.start.get(at).map_or(at as f64, Seconds::as_secs);
    let mut sent: Vec<(usize, f64)> = (0..requests.len())
        .filter(|at| excluded.binary_search(at).is_err())
        .filter(|at| requests.start.is_absent() || requests.start.get(*at).is_some())
        .map(|at| (at, start(at)))
        .collect();
    sent.sort_by(|a, b| a.1.total_cmp(&b.1));
    sent
}

/// The C before which every TTFT is above every later one, where the step is largest. Not more than
/// twice the stated concurrency: a longer start is a phase, not a wave.
fn apart(timed: &[Timed], stated: Option<usize>) -> Option<usize> {
    let mut later = vec![f64::NEG_INFINITY; timed.len()];
    let mut slowest = f64::NEG_INFINITY;
    for (place, request) in later.iter_mut().zip(timed).rev() {
        *place = slowest;
        slowest = slowest.max(request.ttft);
    }
    let mut fastest = f64::INFINITY;
    let steps = timed.iter().zip(&later).enumerate().filter_map(|(at, (request, later))| {
        fastest = fastest.min(request.ttft);
        Some((at + 1, fastest / later)).filter(|(_, step)| *step > 1.0)
    });
    let most = stated.map_or(usize::MAX, |c| c.saturating_mul(2));
    steps.filter(|(count, _)| *count <= most).max_by(|a, b| a.1.total_cmp(&b.1)).map(|step| step.0)
}

/// How many were sent before the first one ended.
fn first_wave(requests: &Requests, timed: &[Timed]) -> Option<usize> {
    if requests.start.is_absent() {
        return None;
    }
    let ends = ends(requests, End::LastToken, &gap_sums(requests));
    let ends = ends.low.or(ends.high)?;
    let first = timed
        .iter()
        .filter_map(|request| Some(request.start + pick(&ends, request.row)?))
        .reduce(f64::min)?;
    Some(timed.partition_point(|request| request.start < first))
}

fn judge(timed: &[Timed], count: usize) -> Option<ColdStart> {
    let (wave, rest) = timed.split_at_checked(count)?;
    let (last, next) = (wave.last()?, rest.first()?);
    if rest.len() < FEWEST_AFTER.max(count) || last.start >= next.start {
        return None;
    }
    let sorted = |of: &[Timed]| {
        let mut waits: Vec<f64> = of.iter().map(|request| request.ttft).collect();
        waits.sort_by(f64::total_cmp);
        waits
    };
    let all = sorted(timed);
    let bar = *all.get(all.len() - count)?;
    let slowest = wave.iter().filter(|request| request.ttft >= bar).count();
    let quantile =
        |times: &[f64], q| quantile_sorted(times, q, Rule::Linear).map(Seconds::from_secs);
    let (early, late) = (sorted(wave), sorted(rest));
    let mut rows: Vec<usize> = wave.iter().map(|request| request.row).collect();
    rows.sort_unstable();
    let found = ColdStart {
        count,
        slowest,
        rows,
        skip: last.place + 1,
        wave: quantile(&early, 0.5)?,
        rest: quantile(&late, 0.5)?,
        p90_with: quantile(&all, 0.9)?,
        p90_without: quantile(&late, 0.9)?,
    };
    let others = if count < LARGE { 0 } else { (count / 10).max(1) };
    (count - slowest <= others && found.ratio() >= SLOWER).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Column, Digest, Origin, Provenance, Tool};

    fn run(ttft: &[f64], start: Option<&[f64]>, e2e: f64) -> Run {
        let digest = Digest::of(b"built in code");
        let provenance = Provenance::new("built.json", 0, digest, "built", "built in code");
        let mut run = Run::new(Tool::Vllm, "built", provenance);
        let column = |of: &[f64]| {
            Column::from_options(Origin::Reported, of.iter().map(|v| Some(Seconds::from_secs(*v))))
        };
        let mut requests = Requests::absent(ttft.len());
        requests.ttft = column(ttft);
        requests.e2e = column(&ttft.iter().map(|t| t + e2e).collect::<Vec<_>>());
        if let Some(start) = start {
            requests.start = column(start);
        }
        run.requests = Some(requests);
        run
    }

    /// Waves of `size` requests, one after the other.
    fn waves(count: usize, size: usize) -> Vec<f64> {
        (0..count).map(|at| (at / size) as f64 * 10.0 + (at % size) as f64 * 1e-3).collect()
    }

    #[test]
    fn the_wave_is_found_without_send_times() {
        let ttft: Vec<f64> = (0..100).map(|at| if at < 10 { 50.0 } else { 0.7 }).collect();
        let found = cold_start(&run(&ttft, None, 1.0)).unwrap();
        assert_eq!((found.count, found.slowest, found.skip), (10, 10, 10));
        assert_eq!(found.rows, (0..10).collect::<Vec<_>>());
        assert_eq!(found.seen(), "all 10 slowest are the first 10 started");
        assert!((found.p90_with.as_secs() - 5.63).abs() < 1e-9);
        assert!((found.p90_without.as_secs() - 0.7).abs() < 1e-9);
        assert_eq!(
            found.sentence(),
            "Cold start: by TTFT all 10 slowest are the first 10 started, 50.0 s at the median \
             against 0.700 s after them (× 71). Without them TTFT p90 is 0.700 s in place of 5.63 s."
        );
    }

    #[test]
    fn one_slow_request_later_on_hides_no_wave() {
        let slow = |at: i32| if at < 8 { 9.0 + f64::from(at) } else { 0.7 };
        let mut ttft: Vec<f64> = (0..64).map(slow).collect();
        ttft[40] = 60.0;
        let found = cold_start(&run(&ttft, Some(&waves(64, 8)), 1.0)).unwrap();
        assert_eq!((found.count, found.slowest), (8, 7));
        // Two of eight are others.
        ttft[50] = 61.0;
        assert_eq!(cold_start(&run(&ttft, Some(&waves(64, 8)), 1.0)), None);
        let ttft: Vec<f64> = (0..160)
            .map(|at| if at < 16 || at == 100 { 9.0 + f64::from(at) } else { 0.7 })
            .collect();
        let found = cold_start(&run(&ttft, Some(&waves(160, 16)), 1.0)).unwrap();
        assert_eq!((found.count, found.slowest), (16, 15));
        assert_eq!(found.seen(), "15 of the 16 slowest are among the first 16 started");
    }

    #[test]
    fn the_order_of_rows_is_not_the_order_of_starts() {
        let starts: Vec<f64> = (0..60).rev().map(f64::from).collect();
        let ttft: Vec<f64> = (0..60).map(|at| if at >= 56 { 5.0 } else { 0.5 }).collect();
        let found = cold_start(&run(&ttft, Some(&starts), 0.1)).unwrap();
        assert_eq!((found.count, found.rows), (4, vec![56, 57, 58, 59]));
    }

    #[test]
    fn a_warm_run_a_ramp_and_a_burst_have_none() {
        let even: Vec<f64> = (0..100).map(|at| 0.5 + f64::from(at % 7) * 0.01).collect();
        assert_eq!(cold_start(&run(&even, Some(&waves(100, 8)), 1.0)), None);
        // Slow at first, but by less than twice.
        let near: Vec<f64> = (0..100).map(|at| if at < 8 { 0.9 } else { 0.5 }).collect();
        assert_eq!(cold_start(&run(&near, Some(&waves(100, 8)), 1.0)), None);
        // All sent at once: which of them came first says nothing.
        let burst: Vec<f64> = (0..100).map(|at| if at < 8 { 9.0 } else { 0.5 }).collect();
        assert_eq!(cold_start(&run(&burst, Some(&[0.0; 100]), 1.0)), None);
        // Most of the run is slow: not a wave.
        let late: Vec<f64> = (0..100).map(|at| if at < 60 { 9.0 } else { 0.5 }).collect();
        assert_eq!(cold_start(&run(&late, Some(&waves(100, 60)), 1.0)), None);
        assert_eq!(cold_start(&run(&[9.0, 0.5, 0.5], None, 1.0)), None);
    }

    #[test]
    fn a_wave_that_was_left_out_is_not_found_again() {
        let ttft: Vec<f64> = (0..100).map(|at| if at < 10 { 50.0 } else { 0.7 }).collect();
        let run = run(&ttft, None, 1.0);
        let rows = cold_start(&run).unwrap().rows;
        assert_eq!(cold_start_without(&run, &rows), None);
    }
}
