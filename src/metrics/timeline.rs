//! A run over time: how many requests were in flight, how fast tokens came, what was sent and done.

use super::rows::{Rows, pick};
use super::settings::{Settings, Window};
use super::throughput;
use crate::model::{GapKind, Outcome, Run};
use crate::units::Seconds;

/// A line holds at most this many points; a longer one keeps the ends, the lowest and the highest of
/// each of a quarter as many columns.
const MOST_POINTS: usize = 1200;

/// What of a run is looked at over time, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shutter {
    /// Seconds after the first send; nothing for the whole run.
    pub between: Option<(f64, f64)>,
    /// About this many bars show the output.
    pub bins: f64,
}

impl Default for Shutter {
    fn default() -> Self {
        Self { between: None, bins: 120.0 }
    }
}

/// A run over time. Times are counted from the first send.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// From the first send to the last end.
    pub length: Seconds,
    /// Requests in flight, as steps: from each time on so many.
    pub in_flight: Vec<(Seconds, f64)>,
    /// The most in flight at once.
    pub peak: f64,
    /// Output over time, or why that can't be had.
    pub output: Result<Output, String>,
    /// Requests sent up to each time, failed ones included.
    pub sent: Vec<(Seconds, f64)>,
    /// Requests finished up to each time.
    pub finished: Vec<(Seconds, f64)>,
}

/// Output over time in bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// How wide a bin is. The last one may reach past the end of the run.
    pub width: Seconds,
    /// Where the first bin begins.
    pub from: Seconds,
    /// Per second, one a bin.
    pub per_second: Vec<f64>,
    /// What was counted.
    pub counted: Counted,
}

/// What [`Output`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Output tokens, each at its own event's time.
    Tokens,
    /// Output tokens, those of a reply shared evenly by its events, since the file does not say how many
    /// came in each.
    SharedTokens,
    /// Stream events, since some replies have no count of tokens.
    Events,
}

/// The run over time, its tokens counted as `settings` say, as if the requests `excluded` (ascending)
/// had never been sent. The window of `settings` changes nothing.
///
/// # Errors
/// When the run holds no requests, send times or ends; the reason is a clause.
pub fn timeline(run: &Run, settings: &Settings, excluded: &[usize]) -> Result<Timeline, String> {
    timeline_of(run, settings, excluded, Shutter::default())
}

/// The same of a stretch of the run: only what lies in it is in the lines and in the output, so that they
/// are as fine as the stretch allows. Length and peak stay those of the whole run.
///
/// # Errors
/// As [`timeline`].
pub fn timeline_of(
    run: &Run,
    settings: &Settings,
    excluded: &[usize],
    shutter: Shutter,
) -> Result<Timeline, String> {
    let requests = run.requests.as_ref().ok_or(run.no_requests())?;
    let settings = Settings { window: Window::Whole, ..*settings };
    let rows = Rows::new(requests, &settings, excluded)?;
    if requests.start.is_absent() {
        return Err("the file holds no send times".into());
    }
    let ends = rows.ends.low.as_ref().or(rows.ends.high.as_ref());
    let ends = ends.ok_or_else(|| rows.ends.because.clone())?;
    let start = |at: usize| requests.start.get(at).map(Seconds::as_secs);
    let kept = || rows.inside.iter().enumerate().filter_map(|(at, kept)| kept.then_some(at));
    let mut sent: Vec<f64> = kept().filter_map(start).collect();
    sent.sort_by(f64::total_cmp);
    let zero = *sent.first().ok_or("no request has a send time")?;
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut finished: Vec<f64> = Vec::new();
    for at in rows.counted_rows() {
        let (Some(from), Some(long)) = (start(at), pick(ends, at)) else { continue };
        let (from, to) = (from - zero, from - zero + long.max(0.0));
        steps.extend([(from, 1.0), (to, -1.0)]);
        if requests.outcome.get(at) == Some(&Outcome::Ok) {
            finished.push(to);
        }
    }
    let last = steps.iter().map(|step| step.0).fold(0.0, f64::max);
    if last <= 0.0 {
        return Err("no request has both a start and an end".into());
    }
    let in_flight = levels(steps);
    let peak = in_flight.iter().map(|level| level.1).fold(0.0, f64::max);
    finished.sort_by(f64::total_cmp);
    let sent: Vec<f64> = sent.into_iter().map(|time| time - zero).collect();
    let (from, to) = match shutter.between {
        Some((from, to)) if from < to => (from.max(0.0).min(last), to.min(last).max(0.0)),
        _ => (0.0, last),
    };
    let secs = |line: Vec<(f64, f64)>| -> Vec<(Seconds, f64)> {
        thin(inside(line, from, to), (from, to))
            .into_iter()
            .map(|(at, y)| (Seconds::from_secs(at), y))
            .collect()
    };
    Ok(Timeline {
        length: Seconds::from_secs(last),
        in_flight: secs(in_flight),
        peak,
        output: output(&rows, zero + from, to - from, shutter)
            .map(|output| Output { from: Seconds::from_secs(from), ..output }),
        sent: secs(cumulated(&sent)),
        finished: secs(cumulated(&finished)),
    })
}

/// The level from each moment on. An end before a start at the same moment: they did not overlap.
fn levels(mut steps: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut flight = 0.0;
    let mut levels: Vec<(f64, f64)> = Vec::with_capacity(steps.len());
    for (time, step) in steps {
        flight += step;
        match levels.last_mut() {
            // Waves: what ends and starts together is one step.
            Some(last) if last.0.total_cmp(&time).is_eq() => last.1 = flight,
            _ => levels.push((time, flight)),
        }
    }
    levels
}

fn cumulated(times: &[f64]) -> Vec<(f64, f64)> {
    times.iter().enumerate().map(|(before, time)| (*time, before as f64 + 1.0)).collect()
}

/// The part of a line of steps from one time to another; it begins at the level that holds there.
fn inside(mut line: Vec<(f64, f64)>, from: f64, to: f64) -> Vec<(f64, f64)> {
    line.retain(|point| point.0 <= to);
    let before = line.partition_point(|point| point.0 <= from);
    let Some(held) = before.checked_sub(1).filter(|_| from > 0.0) else { return line };
    let mut line = line.split_off(held);
    if let Some(first) = line.first_mut() {
        first.0 = from;
    }
    line
}

/// Keeps the first, the lowest, the highest and the last of each column, in their order.
fn thin(line: Vec<(f64, f64)>, (from, to): (f64, f64)) -> Vec<(f64, f64)> {
    if line.len() <= MOST_POINTS {
        return line;
    }
    let columns = (MOST_POINTS / 4) as f64;
    let column = |point: &(f64, f64)| {
        ((point.0 - from) / (to - from) * columns).floor().min(columns - 1.0) as i64
    };
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for run in line.chunk_by(|a, b| column(a) == column(b)) {
        let by = |a: &(usize, &(f64, f64)), b: &(usize, &(f64, f64))| a.1.1.total_cmp(&b.1.1);
        let lowest = run.iter().enumerate().min_by(by).map(|(at, _)| at);
        let highest = run.iter().enumerate().max_by(by).map(|(at, _)| at);
        let mut chosen: Vec<usize> =
            [Some(0), lowest, highest, Some(run.len() - 1)].into_iter().flatten().collect();
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().filter_map(|at| run.get(at).copied()));
    }
    kept
}

fn output(rows: &Rows<'_>, zero: f64, length: f64, shutter: Shutter) -> Result<Output, String> {
    let requests = rows.requests;
    if requests.ttft.is_absent() || requests.gaps.is_absent() {
        return Err(requests.no_events().into());
    }
    let width = step(length / shutter.bins.max(1.0));
    let bins = (length / width - 1e-6).ceil().max(1.0);
    let mut events = vec![0.0; bins as usize];
    let mut tokens = events.clone();
    let mut known = true;
    for at in rows.counted_rows() {
        known &= throughput::walk(rows, at, |time, weight| {
            let bin = ((time - zero) / width).floor();
            // The last event of a run ends its last bin; what lies outside of a stretch is in none.
            if shutter.between.is_some() && !(0.0..bins).contains(&bin) {
                return;
            }
            let bin = bin.clamp(0.0, bins - 1.0) as usize;
            if let (Some(event), Some(token)) = (events.get_mut(bin), tokens.get_mut(bin)) {
                *event += 1.0;
                *token += weight;
            }
        });
    }
    let rate = |counts: Vec<f64>| counts.into_iter().map(|count| count / width).collect();
    let counted = match (known, shared(rows)) {
        (false, _) => Counted::Events,
        (true, true) => Counted::SharedTokens,
        (true, false) => Counted::Tokens,
    };
    let counts = if counted == Counted::Events { events } else { tokens };
    Ok(Output {
        width: Seconds::from_secs(width),
        from: Seconds::ZERO,
        per_second: rate(counts),
        counted,
    })
}

/// Whether some reply's tokens are spread over its events for want of a count of each.
fn shared(rows: &Rows<'_>) -> bool {
    let requests = rows.requests;
    let Ok(tokens) = &rows.tokens else { return false };
    requests.gap_kind == GapKind::Event
        && rows.counted_rows().any(|at| {
            requests.event_tokens.row(at).is_none()
                && pick(tokens, at)
                    .zip(rows.events_of(at))
                    .is_some_and(|(tokens, events)| !super::rows::same_count(tokens, events))
        })
}

/// The least of 1, 2 and 5 times a power of ten that is not below `least`.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    let fits = |factor: &f64| factor * power >= least * (1.0 - 1e-9);
    [1.0, 2.0, 5.0].into_iter().find(fits).map_or(10.0 * power, |factor| factor * power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::COMMON;
    use crate::model::{Column, Digest, Origin, Provenance, Ragged, Requests, Tool};
    use crate::units::Tokens;

    fn run(starts: &[f64], ttft: f64, gaps: &[f64], tokens: f64) -> Run {
        let digest = Digest::of(b"built in code");
        let provenance = Provenance::new("built.json", 0, digest, "built", "built in code");
        let mut run = Run::new(Tool::Vllm, "built", provenance);
        let len = starts.len();
        let column = |of: &mut dyn Iterator<Item = f64>| {
            Column::from_options(Origin::Reported, of.map(|v| Some(Seconds::from_secs(v))))
        };
        let mut requests = Requests::absent(len);
        requests.start = column(&mut starts.iter().copied());
        requests.ttft = column(&mut std::iter::repeat_n(ttft, len));
        requests.output_tokens = Column::from_options(
            Origin::Reported,
            (0..len).map(|_| Some(Tokens::from_count(tokens))),
        );
        let gaps: Vec<Seconds> = gaps.iter().map(|g| Seconds::from_secs(*g)).collect();
        requests.gaps = Ragged::new(Origin::Reported);
        for _ in 0..len {
            requests.gaps.push_row(Some(&gaps));
        }
        run.requests = Some(requests);
        run
    }

    fn of(run: &Run) -> Timeline {
        timeline(run, &COMMON.settings, &[]).unwrap()
    }

    #[test]
    fn two_requests_that_overlap() {
        let got = of(&run(&[100.0, 100.5], 0.2, &[0.4, 0.4], 3.0));
        let flight: Vec<(f64, f64)> =
            got.in_flight.iter().map(|(at, n)| ((at.as_secs() * 1e6).round() / 1e6, *n)).collect();
        assert_eq!(flight, [(0.0, 1.0), (0.5, 2.0), (1.0, 1.0), (1.5, 0.0)]);
        assert_eq!((got.peak, got.sent.len(), got.finished.len()), (2.0, 2, 2));
        assert!((got.length.as_secs() - 1.5).abs() < 1e-9);
        let output = got.output.unwrap();
        assert_eq!(output.counted, Counted::Tokens);
        assert!((output.width.as_secs() - 0.02).abs() < 1e-12);
        let total: f64 = output.per_second.iter().map(|rate| rate * 0.02).sum();
        assert!((total - 6.0).abs() < 1e-6, "{total}");
    }

    #[test]
    fn tokens_of_events_that_carry_several_are_shared_and_said_to_be() {
        let output = of(&run(&[0.0], 1.0, &[1.0, 1.0], 12.0)).output.unwrap();
        assert_eq!(output.counted, Counted::SharedTokens);
        let width = output.width.as_secs();
        let bars: Vec<f64> =
            output.per_second.iter().map(|rate| rate * width).filter(|n| *n > 0.0).collect();
        assert_eq!(bars.len(), 3);
        assert!(bars.iter().take(2).all(|n| (n - 4.0).abs() < 1e-9), "{bars:?}");
    }

    #[test]
    fn a_long_run_keeps_its_peak_in_few_points() {
        let mut starts: Vec<f64> = (0..20_000).map(|at| f64::from(at) * 0.01).collect();
        starts.extend([77.003; 50]);
        let got = of(&run(&starts, 0.001, &[0.001], 2.0));
        assert!(got.in_flight.len() <= MOST_POINTS, "{}", got.in_flight.len());
        assert!(got.sent.len() <= MOST_POINTS && got.finished.len() <= MOST_POINTS);
        let drawn = got.in_flight.iter().map(|level| level.1).fold(0.0, f64::max);
        assert_eq!((drawn, got.peak), (50.0, 50.0));
        assert_eq!(got.sent.last().map(|last| last.1), Some(20_050.0));
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut bare = run(&[0.0], 1.0, &[], 1.0);
        bare.requests = None;
        let reason = timeline(&bare, &COMMON.settings, &[]).unwrap_err();
        assert!(reason.contains("no requests"), "{reason}");
        let mut unsent = run(&[0.0], 1.0, &[], 1.0);
        unsent.requests.as_mut().unwrap().start = Column::absent(1);
        let reason = timeline(&unsent, &COMMON.settings, &[]).unwrap_err();
        assert!(reason.contains("send times"), "{reason}");
    }

    #[test]
    fn a_stretch_is_as_fine_as_it_is_short_and_holds_no_more_than_lies_in_it() {
        let starts: Vec<f64> = (0..20_000).map(|at| f64::from(at) * 0.01).collect();
        let run = run(&starts, 0.001, &[0.001], 2.0);
        let shutter = Shutter { between: Some((100.0, 101.0)), bins: 10.0 };
        let got = timeline_of(&run, &COMMON.settings, &[], shutter).unwrap();
        // A hundred requests of 2 ms: a step up and a step down each, and the level at the start.
        assert!((200..=204).contains(&got.in_flight.len()), "{}", got.in_flight.len());
        assert!(got.in_flight.iter().all(|(at, _)| (100.0..=101.0).contains(&at.as_secs())));
        let output = got.output.unwrap();
        assert_eq!((output.per_second.len(), output.from.as_secs()), (10, 100.0));
        assert!(output.per_second.iter().all(|rate| (rate - 200.0).abs() < 21.0), "{output:?}");
        let whole = of(&run);
        assert_eq!((got.length, got.peak), (whole.length, whole.peak));
    }

    #[test]
    fn a_left_out_request_is_in_no_line() {
        let run = run(&[0.0, 5.0], 1.0, &[1.0], 2.0);
        let got = timeline(&run, &COMMON.settings, &[0]).unwrap();
        assert!((got.length.as_secs() - 2.0).abs() < 1e-9);
        assert_eq!((got.peak, got.sent.len()), (1.0, 1));
    }
}
