//! How many requests, gaps and tokens a step touches.

use super::Touched;
use super::walk::Probe;
use crate::metrics::estimates::samples_of;
use crate::metrics::evaluate::Ask;
use crate::metrics::goodput::{GoodputResult, goodput};
use crate::metrics::rows::{Rows, pick};
use crate::metrics::samples::{self, SAMPLED, rebuilt};
use crate::metrics::throughput;
use crate::model::{GapKind, Metric, Requests, Run, Stat};

/// What the change from one probe to the next touches.
pub(super) fn touched(run: &Run, ask: &Ask, before: &Probe, after: &Probe) -> Touched {
    let Some(requests) = &run.requests else { return Touched::default() };
    let read = |probe: &Probe| {
        let rows = Rows::new(requests, &probe.settings, &ask.excluded).ok()?;
        let tokens = rows.tokens.as_ref().ok().cloned().unwrap_or_default();
        Some((prints(run, &rows, probe, ask), tokens))
    };
    let (Some((a, of_a)), Some((b, of_b))) = (read(before), read(after)) else {
        return Touched::default();
    };
    let mut touched = Touched::default();
    for (at, (a, b)) in a.iter().zip(&b).enumerate() {
        touched.of += usize::from(a.is_some() || b.is_some());
        if a == b {
            continue;
        }
        touched.requests += 1;
        touched.gaps += gaps(requests, at);
        if requests.is_empty_reply(at) {
            // Its file may say how many were asked for.
            continue;
        }
        let tokens = pick(&of_a, at).or_else(|| pick(&of_b, at));
        touched.tokens += (tokens.unwrap_or_default() - 1.0).max(0.0) as usize;
    }
    touched
}

/// Whether all weights are the same.
fn all_one(weights: &[f64]) -> bool {
    weights.iter().zip(weights.iter().skip(1)).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// Gaps between the events of request `at`.
fn gaps(requests: &Requests, at: usize) -> usize {
    requests.gaps.row(at).map_or(0, |row| match requests.gap_kind {
        GapKind::Event => row.len(),
        GapKind::TokenSpread => rebuilt(row).count(),
    })
}

/// For each request what tells its part in the number; none where it has none.
fn prints(run: &Run, rows: &Rows<'_>, probe: &Probe, ask: &Ask) -> Vec<Option<u64>> {
    let mut prints = vec![None; rows.requests.len()];
    let metric = probe.metric;
    if metric == Metric::UserSpeed || SAMPLED.contains(&metric) {
        let samples = samples_of(rows, metric).or_else(|reason| match &rows.ends_of(metric).low {
            Some(low) => samples::of(rows, metric, low),
            None => Err(reason),
        });
        let Ok(mut samples) = samples else { return prints };
        if let Some(recount) = probe.recount {
            samples = recount.of(rows, metric, samples);
        }
        // Weights that are all one have no say, and none has a say in the smallest and the largest.
        let extreme = matches!(probe.stat, Stat::Min | Stat::Max);
        samples.weights = samples.weights.filter(|weights| !extreme && !all_one(weights));
        let mut from = 0;
        for (to, at) in &samples.ends {
            let values = samples.values.get(from..*to).unwrap_or_default();
            let weights = samples.weights.as_ref().and_then(|w| w.get(from..*to));
            let all = values.iter().chain(weights.unwrap_or_default());
            if let Some(slot) = prints.get_mut(*at) {
                *slot = Some(all.fold(START, |print, value| mix(print, nanos(*value))));
            }
            from = *to;
        }
        return prints;
    }
    if matches!(metric, Metric::Goodput | Metric::SloShare) {
        return judged(run, rows, ask, prints);
    }
    let tokens = rows.tokens.as_ref().ok();
    let counts_tokens = matches!(
        metric,
        Metric::OutputThroughput | Metric::TotalThroughput | Metric::TotalOutputTokens
    );
    // A reply that is left out as empty has no part in a rate.
    for at in rows.counted_rows() {
        if let Some(slot) = prints.get_mut(at) {
            let count = tokens.filter(|_| counts_tokens).and_then(|tokens| pick(tokens, at));
            *slot = Some(mix(START, count.unwrap_or_default().to_bits()));
        }
    }
    prints
}

/// Requests that are judged, by how many of them are good: which ones is no matter, only how many.
fn judged(run: &Run, rows: &Rows<'_>, ask: &Ask, mut prints: Vec<Option<u64>>) -> Vec<Option<u64>> {
    let duration = throughput::duration(run, rows);
    let GoodputResult::Known(known) = goodput(rows, &ask.limits, &duration) else { return prints };
    let (good, of) = (known.good.high as usize, known.of as usize);
    for (at, slot) in prints.iter_mut().enumerate().take(of.max(good)) {
        *slot = Some(u64::from(at < good));
    }
    prints
}

/// A value to the billionth, so to the nanosecond for times: two ways of adding up one time differ by less.
fn nanos(value: f64) -> u64 {
    // The sum makes −0 the same as 0.
    ((value * 1e9).round() + 0.0).to_bits()
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Fowler, Noll and Vo's hash (FNV-1a), a word at a time.
fn mix(print: u64, word: u64) -> u64 {
    (print ^ word).wrapping_mul(0x0100_0000_01b3)
}
