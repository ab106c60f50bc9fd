//! Stalls: stretches of a run in which answers stood still, many together or one far longer than it
//! usually waits.
//!
//! A mean hides them, and so does a percentile: one pause of 1.5 s among 2,000 gaps is 0.05 % of them.
//! What is usual is read off time, not off counts: half of all decode time passes in gaps up to a certain
//! length, as genome assemblies are told by their N50. Neither a few very long gaps move it, nor
//! thousands of gaps of zero from a proxy that hands several chunks on at once.

use super::rows::Rows;
use super::samples::rebuilt;
use super::settings::{Settings, Window};
use crate::model::{GapKind, Requests, Run};
use crate::units::Seconds;

/// The rule in words, as it stands beside what it finds.
pub const RULE: &str = "A request pauses in a gap of at least 0.1 s that is 4 times its own usual gap (the mean of the \
     shorter nine tenths) and 6 times the gap in which half of the run’s decode time passes. A stall is a \
     stretch of 0.1 s or more in which at least three requests, and at least half of those decoding, pause \
     together; or the pause of a request by itself, if it is 10 times its own usual gap and 15 times the \
     run’s.";

/// The least pause, in seconds: a shorter one is not seen by who reads along.
const LEAST: f64 = 0.1;
/// A pause is so many times its request's own usual gap, and so many times the run's.
const PAUSE: (f64, f64) = (4.0, 6.0);
/// One that is a stall by itself.
const ALONE: (f64, f64) = (10.0, 15.0);
/// A request of fewer gaps has no usual one of its own: that of the run stands in.
const FEWEST_GAPS: usize = 8;
/// So many requests pause together.
const TOGETHER: i64 = 3;
/// No more stalls than this are told, the longest.
const MOST: usize = 200;

/// A gap that is far longer than usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pause {
    /// The request, by its number from 0.
    pub row: usize,
    /// It comes after this event, counted from 1.
    pub after: usize,
    /// From when, in time after the first send.
    pub from: Seconds,
    /// Until when.
    pub to: Seconds,
    /// Whether it is a stall by itself.
    pub alone: bool,
}

impl Pause {
    /// How long it is.
    pub fn length(&self) -> Seconds {
        self.to - self.from
    }
}

/// A stretch of a run in which answers stood still.
#[derive(Debug, Clone, PartialEq)]
pub struct Stall {
    /// From when, in time after the first send.
    pub from: Seconds,
    /// Until when.
    pub to: Seconds,
    /// The requests that paused, by their number from 0, ascending.
    pub rows: Vec<usize>,
    /// Other requests that received something meanwhile.
    pub went_on: usize,
    /// The longest pause in it.
    pub longest: Seconds,
    /// Whether many requests paused together.
    pub together: bool,
}

impl Stall {
    /// How long it is.
    pub fn length(&self) -> Seconds {
        self.to - self.from
    }
}

/// All stalls of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Stalls {
    /// In order of time, the 200 longest of them.
    pub list: Vec<Stall>,
    /// How many there are.
    pub found: usize,
    /// Every pause, in order of requests and time.
    pub pauses: Vec<Pause>,
    /// The gap in which half of the decode time passes: no shorter than the gaps of that half.
    pub usual: Seconds,
}

impl Stalls {
    /// The longest stall.
    pub fn longest(&self) -> Option<&Stall> {
        self.list.iter().max_by(|a, b| a.longest.as_secs().total_cmp(&b.longest.as_secs()))
    }
}

/// The stalls of the whole run by [`RULE`], as if the requests `excluded` (ascending) had never been sent.
/// The window of `settings` changes nothing.
///
/// # Errors
/// When the run holds no requests, send times or times of stream events; the reason is a clause.
pub fn stalls(run: &Run, settings: &Settings, excluded: &[usize]) -> Result<Stalls, String> {
    let requests = run.requests.as_ref().ok_or(run.no_requests())?;
    let settings = Settings { window: Window::Whole, ..*settings };
    let rows = Rows::new(requests, &settings, excluded)?;
    if requests.start.is_absent() {
        return Err("the file holds no send times".into());
    }
    if requests.ttft.is_absent() || requests.gaps.is_absent() {
        return Err(requests.no_events().into());
    }
    let streams: Vec<Stream> = streams(&rows);
    let mut all = Vec::with_capacity(requests.gaps.values().len());
    for stream in &streams {
        each_gap(requests, stream.row, |gap| all.push(gap));
    }
    let usual = half_of_the_time(all).ok_or("no reply has two stream events with time between")?;
    let pauses = pauses(requests, &streams, usual);
    let mut list = together(&pauses, &streams);
    list.extend(alone(&pauses, &list));
    let found = list.len();
    if found > MOST {
        list.sort_by(|a, b| b.longest.as_secs().total_cmp(&a.longest.as_secs()));
        list.truncate(MOST);
    }
    for stall in &mut list {
        stall.went_on = went_on(requests, &streams, stall);
    }
    list.sort_by(|a, b| a.from.as_secs().total_cmp(&b.from.as_secs()));
    Ok(Stalls { list, found, pauses, usual: Seconds::from_secs(usual) })
}

/// A reply with its first and last event, in seconds after the first send.
struct Stream {
    row: usize,
    first: f64,
    last: f64,
}

fn streams(rows: &Rows<'_>) -> Vec<Stream> {
    let requests = rows.requests;
    let sent = rows.inside.iter().enumerate().filter(|(_, inside)| **inside);
    let zero = sent.filter_map(|(at, _)| requests.start.get(at).map(Seconds::as_secs));
    let zero = zero.fold(f64::INFINITY, f64::min);
    let streamed = |row: usize| {
        let start = requests.start.get(row)?.as_secs() - zero;
        let first = start + requests.ttft.get(row)?.as_secs();
        let last = first + requests.gaps.row(row)?.iter().map(|gap| gap.as_secs()).sum::<f64>();
        Some(Stream { row, first, last })
    };
    rows.counted_rows().filter_map(streamed).filter(|s| s.last.is_finite()).collect()
}

/// The times between the events of a request.
fn each_gap(requests: &Requests, at: usize, mut take: impl FnMut(f64)) {
    let row = requests.gaps.row(at).unwrap_or(&[]);
    match requests.gap_kind {
        GapKind::Event => row.iter().for_each(|gap| take(gap.as_secs())),
        GapKind::TokenSpread => rebuilt(row).for_each(|(gap, _)| take(gap)),
    }
}

/// The length up to which gaps make up half of all the time.
fn half_of_the_time(mut gaps: Vec<f64>) -> Option<f64> {
    gaps.retain(|gap| *gap > 0.0 && gap.is_finite());
    gaps.sort_unstable_by(f64::total_cmp);
    let half = gaps.iter().sum::<f64>() / 2.0;
    let mut passed = 0.0;
    gaps.into_iter().find(|gap| {
        passed += gap;
        passed >= half
    })
}

/// The mean of the shorter nine tenths of a request's gaps, or the run's own where it has few.
fn usual_of(own: &mut [f64], run: f64) -> f64 {
    if own.len() < FEWEST_GAPS {
        return run;
    }
    let kept = own.len() - own.len().div_ceil(10);
    own.select_nth_unstable_by(kept, f64::total_cmp);
    own.get(..kept).map_or(run, |shorter| shorter.iter().sum::<f64>() / kept as f64)
}

fn pauses(requests: &Requests, streams: &[Stream], usual: f64) -> Vec<Pause> {
    let least = LEAST.max(PAUSE.1 * usual);
    let (mut found, mut own) = (Vec::new(), Vec::new());
    for stream in streams {
        own.clear();
        each_gap(requests, stream.row, |gap| own.push(gap));
        if !own.iter().any(|gap| *gap >= least) {
            continue;
        }
        let mut sorted = own.clone();
        let mine = usual_of(&mut sorted, usual);
        let mut time = stream.first;
        for (before, gap) in own.iter().enumerate() {
            if *gap >= least && *gap >= PAUSE.0 * mine {
                found.push(Pause {
                    row: stream.row,
                    after: before + 1,
                    from: Seconds::from_secs(time),
                    to: Seconds::from_secs(time + gap),
                    alone: *gap >= ALONE.0 * mine && *gap >= ALONE.1 * usual,
                });
            }
            time += gap;
        }
    }
    found
}

/// A change of how many requests pause and decode.
struct Step {
    at: f64,
    paused: i64,
    decoding: i64,
}

/// Stretches in which many pause together.
fn together(pauses: &[Pause], streams: &[Stream]) -> Vec<Stall> {
    if pauses.len() < TOGETHER as usize {
        return Vec::new();
    }
    let mut steps: Vec<Step> = Vec::with_capacity(2 * (pauses.len() + streams.len()));
    for pause in pauses {
        let step = |at: Seconds, paused| Step { at: at.as_secs(), paused, decoding: 0 };
        steps.extend([step(pause.from, 1), step(pause.to, -1)]);
    }
    for stream in streams {
        let step = |at, decoding| Step { at, paused: 0, decoding };
        steps.extend([step(stream.first, 1), step(stream.last, -1)]);
    }
    steps.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
    let (mut waiting, mut decoding) = (0, 0);
    let mut bands: Vec<(f64, f64)> = Vec::new();
    let mut since: Option<f64> = None;
    for moment in steps.chunk_by(|a, b| a.at.total_cmp(&b.at).is_eq()) {
        waiting += moment.iter().map(|step| step.paused).sum::<i64>();
        decoding += moment.iter().map(|step| step.decoding).sum::<i64>();
        let Some(at) = moment.first().map(|step| step.at) else { continue };
        let still = waiting >= TOGETHER && 2 * waiting >= decoding;
        match (since, still) {
            (None, true) => since = Some(at),
            (Some(from), false) => {
                since = None;
                match bands.last_mut() {
                    // A request that begins or ends meanwhile parts no stall.
                    Some(last) if from - last.1 < LEAST => last.1 = at,
                    _ => bands.push((from, at)),
                }
            }
            _ => {}
        }
    }
    bands.retain(|(from, to)| to - from >= LEAST);
    let mut sorted = pauses.to_vec();
    sorted.sort_by(|a, b| a.from.as_secs().total_cmp(&b.from.as_secs()));
    let longest = sorted.iter().map(|pause| pause.length().as_secs()).fold(0.0, f64::max);
    let near = |from: f64, to: f64| {
        let first = sorted.partition_point(|pause| pause.from.as_secs() < from - longest);
        let last = sorted.partition_point(|pause| pause.from.as_secs() < to);
        sorted.get(first..last).unwrap_or_default()
    };
    bands.into_iter().map(|(from, to)| of_pauses(near(from, to), (from, to), true)).collect()
}

/// Pauses that are stalls by themselves and lie in no stretch that is one already. The known ones are in
/// order of time and do not overlap.
fn alone(pauses: &[Pause], known: &[Stall]) -> Vec<Stall> {
    let by_itself = |pause: &&Pause| {
        let begun = known.partition_point(|stall| stall.from.as_secs() < pause.to.as_secs());
        let last = begun.checked_sub(1).and_then(|at| known.get(at));
        pause.alone && last.is_none_or(|stall| stall.to.as_secs() <= pause.from.as_secs())
    };
    let mut single: Vec<Pause> = pauses.iter().filter(by_itself).copied().collect();
    single.sort_by(|a, b| a.from.as_secs().total_cmp(&b.from.as_secs()));
    let mut groups: Vec<Vec<Pause>> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for pause in single {
        match groups.last_mut() {
            Some(group) if pause.from.as_secs() < end => group.push(pause),
            _ => groups.push(vec![pause]),
        }
        end = end.max(pause.to.as_secs());
    }
    let whole = |group: Vec<Pause>| {
        let from = group.iter().map(|p| p.from.as_secs()).fold(f64::INFINITY, f64::min);
        let to = group.iter().map(|p| p.to.as_secs()).fold(f64::NEG_INFINITY, f64::max);
        of_pauses(&group, (from, to), false)
    };
    groups.into_iter().map(whole).collect()
}

fn of_pauses(pauses: &[Pause], (from, to): (f64, f64), together: bool) -> Stall {
    let own = || pauses.iter().filter(|p| p.from.as_secs() < to && p.to.as_secs() > from);
    let mut rows: Vec<usize> = own().map(|pause| pause.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let longest = own().map(|pause| pause.length().as_secs()).fold(0.0, f64::max);
    Stall {
        from: Seconds::from_secs(from),
        to: Seconds::from_secs(to),
        rows,
        went_on: 0,
        longest: Seconds::from_secs(longest),
        together,
    }
}

/// Requests that received something within a stall.
fn went_on(requests: &Requests, streams: &[Stream], stall: &Stall) -> usize {
    let (from, to) = (stall.from.as_secs(), stall.to.as_secs());
    let received = |stream: &&Stream| {
        if stream.last <= from
            || stream.first >= to
            || stall.rows.binary_search(&stream.row).is_ok()
        {
            return false;
        }
        let mut time = stream.first;
        let mut inside = time > from;
        each_gap(requests, stream.row, |gap| {
            time += gap;
            inside |= time > from && time < to;
        });
        inside
    };
    streams.iter().filter(received).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::COMMON;
    use crate::metrics::testing;
    use crate::model::{Column, Origin};

    /// Requests as (start in s, gaps in ms), each with a first token after 50 ms.
    fn run(rows: &[(f64, Vec<f64>)]) -> Run {
        let table: Vec<(f64, &[f64], f64)> =
            rows.iter().map(|(_, gaps)| (50.0, gaps.as_slice(), gaps.len() as f64 + 1.0)).collect();
        let mut run = testing::run(&table);
        let starts = rows.iter().map(|(start, _)| Some(Seconds::from_secs(*start)));
        if let Some(requests) = &mut run.requests {
            requests.start = Column::from_options(Origin::Reported, starts);
        }
        run
    }

    fn of(rows: &[(f64, Vec<f64>)]) -> Stalls {
        stalls(&run(rows), &COMMON.settings, &[]).unwrap()
    }

    /// Twenty gaps of 20 ms, the one after event `at` longer.
    fn with(at: usize, gap: f64) -> Vec<f64> {
        let mut gaps = vec![20.0; 20];
        gaps[at - 1] = gap;
        gaps
    }

    fn ms(time: Seconds) -> i64 {
        time.as_millis().round() as i64
    }

    #[test]
    fn one_answer_that_stood_still_is_found_and_the_others_went_on() {
        let mut rows: Vec<(f64, Vec<f64>)> =
            (0..10).map(|at| (f64::from(at) * 0.1, vec![20.0; 20])).collect();
        rows[3].1 = with(5, 1500.0);
        let found = of(&rows);
        assert_eq!((found.found, ms(found.usual)), (1, 20));
        let stall = &found.list[0];
        // Sent at 0.3 s, first token at 0.35 s, four gaps of 20 ms before it.
        assert_eq!((ms(stall.from), ms(stall.to), ms(stall.longest)), (430, 1930, 1500));
        assert_eq!((stall.rows.as_slice(), stall.together), (&[3][..], false));
        // All but the first one, which ended at 0.45 s and so received something as well.
        assert_eq!(stall.went_on, 9);
        assert_eq!((found.pauses[0].after, found.pauses[0].alone), (5, true));
    }

    #[test]
    fn many_that_pause_together_are_one_stretch_though_none_is_long_by_itself() {
        // Sent 2 ms apart; at their tenth gap all wait for 130 ms: 6.5 times the usual 20 ms.
        let rows: Vec<(f64, Vec<f64>)> =
            (0..8).map(|at| (f64::from(at) * 0.002, with(10, 130.0))).collect();
        let found = of(&rows);
        assert_eq!(found.found, 1, "{found:?}");
        let stall = &found.list[0];
        assert!(stall.together && stall.rows == (0..8).collect::<Vec<_>>() && stall.went_on == 0);
        // From when four of eight pause to when fewer than four do.
        assert_eq!((ms(stall.from), ms(stall.to), ms(stall.longest)), (236, 368, 130));
        assert!(found.pauses.iter().all(|pause| !pause.alone));
        // Two of eight are not many, and 130 ms is no stall by itself.
        let mut two: Vec<(f64, Vec<f64>)> = rows.iter().map(|r| (r.0, vec![20.0; 20])).collect();
        (two[0].1, two[1].1) = (with(10, 130.0), with(10, 130.0));
        assert_eq!(of(&two).found, 0);
    }

    #[test]
    fn slow_even_and_bursty_streams_have_none() {
        // A gap of 400 ms is usual where all are.
        let slow: Vec<(f64, Vec<f64>)> =
            (0..6).map(|at| (f64::from(at), vec![400.0; 30])).collect();
        assert_eq!(of(&slow).found, 0);
        // A proxy that hands 25 chunks on every half second: 24 gaps of zero before each.
        let burst: Vec<f64> = (0..100).map(|at| if at % 25 == 24 { 500.0 } else { 0.0 }).collect();
        let bursty: Vec<(f64, Vec<f64>)> =
            (0..6).map(|at| (f64::from(at), burst.clone())).collect();
        assert_eq!(of(&bursty).found, 0);
    }

    #[test]
    fn random_gaps_of_an_exponential_have_none() {
        // Quantiles of the exponential in a scrambled order, mean 30 ms.
        let gap = |i: usize| -30.0 * (1.0 - ((i * 7919 % 100_003) as f64 + 0.5) / 100_003.0).ln();
        let rows: Vec<(f64, Vec<f64>)> = (0..500)
            .map(|row| (row as f64 * 0.3, (0..200).map(|i| gap(row * 200 + i)).collect()))
            .collect();
        let found = of(&rows);
        assert_eq!(found.found, 0, "{:?}", found.list);
    }

    #[test]
    fn stalls_that_overlap_are_one_and_a_left_out_request_has_none() {
        let mut rows: Vec<(f64, Vec<f64>)> = (0..20).map(|_| (0.0, vec![20.0; 20])).collect();
        (rows[1].1, rows[2].1) = (with(5, 1000.0), with(9, 1000.0));
        let run = run(&rows);
        let found = stalls(&run, &COMMON.settings, &[]).unwrap();
        assert_eq!((found.found, found.list[0].rows.as_slice()), (1, &[1, 2][..]));
        assert_eq!((ms(found.list[0].from), ms(found.list[0].to)), (130, 1210));
        let less = stalls(&run, &COMMON.settings, &[1]).unwrap();
        assert_eq!((less.found, less.list[0].rows.as_slice()), (1, &[2][..]));
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut run = run(&[(0.0, vec![20.0; 20])]);
        let requests = run.requests.as_mut().unwrap();
        let gaps = std::mem::replace(&mut requests.gaps, crate::model::Ragged::absent(1));
        let reason = stalls(&run, &COMMON.settings, &[]).unwrap_err();
        assert!(reason.contains("times of stream events"), "{reason}");
        let requests = run.requests.as_mut().unwrap();
        requests.gaps = gaps;
        requests.start = Column::absent(1);
        let reason = stalls(&run, &COMMON.settings, &[]).unwrap_err();
        assert!(reason.contains("send times"), "{reason}");
        run.requests = None;
        let reason = stalls(&run, &COMMON.settings, &[]).unwrap_err();
        assert!(reason.contains("no requests"), "{reason}");
    }
}
