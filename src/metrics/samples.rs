//! The samples of each metric, and their summary.

use super::measured::{Quantile, Summary};
use super::rows::{NO_DECODE, ONE_READ_SECS, Rows, Values, pick, same_count, unstreamed};
use super::settings::{
    Itl, Percentile, Settings, ShortOutputs, Spread, Tpot, UserSpeed, Weighting,
};
use crate::model::{GapKind, Metric};
use crate::stats::{self, Interval, Rule, Selector};
use crate::units::{Seconds, Tokens};
use std::collections::BTreeMap;

/// Samples of a metric, request by request.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// The samples in seconds or counts. Empty where only the mean is known.
    pub values: Vec<f64>,
    /// One weight a sample, where they differ.
    pub weights: Option<Vec<f64>>,
    /// Where each contributing request's samples end in `values`, and which request it is.
    pub ends: Vec<(usize, usize)>,
    /// The mean as (sum, count), where no more is known.
    pub only_mean: Option<(f64, f64)>,
    /// The same of each contributing request, in the order of `ends`.
    pub means: Vec<(f64, f64)>,
    /// What to know about them.
    pub note: Option<String>,
    /// Requests left out, by reason.
    pub excluded: BTreeMap<&'static str, usize>,
}

impl Samples {
    fn one(&mut self, row: usize, value: Result<f64, &'static str>) {
        match value {
            Ok(value) => {
                self.values.push(value);
                self.ends.push((self.values.len(), row));
            }
            Err(reason) => *self.excluded.entry(reason).or_default() += 1,
        }
    }

    /// Weighs one-a-request samples by tokens less `less`.
    fn weigh(mut self, rows: &Rows<'_>, less: f64) -> Result<Self, String> {
        if rows.settings.weighting == Weighting::PerToken {
            let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
            let weight = |row: usize| (pick(tokens, row).unwrap_or(0.0) - less).max(0.0);
            self.weights = Some(self.ends.iter().map(|(_, row)| weight(*row)).collect());
        }
        Ok(self)
    }
}

/// The metrics that have samples, in the order in which they are shown.
pub(super) const SAMPLED: [Metric; 10] = [
    Metric::Ttft,
    Metric::Tpot,
    Metric::Itl,
    Metric::E2e,
    Metric::ChunkGap,
    Metric::QueueWait,
    Metric::FirstAnswer,
    Metric::WholePerToken,
    Metric::InputTokens,
    Metric::OutputTokens,
];

/// Whether a metric's samples depend on where requests end.
pub(super) fn needs_ends(metric: Metric, settings: &Settings) -> bool {
    match metric {
        Metric::E2e | Metric::WholePerToken => true,
        Metric::Tpot => settings.tpot != Tpot::VisibleGaps,
        Metric::Itl => settings.itl == Itl::RequestMean,
        _ => false,
    }
}

/// The samples of a metric; `ends` serves those that depend on them.
///
/// # Errors
/// When the file lacks what they need; the reason is a clause.
pub(super) fn of(rows: &Rows<'_>, metric: Metric, ends: &Values) -> Result<Samples, String> {
    let requests = rows.requests;
    match metric {
        Metric::Ttft => ttft(rows),
        Metric::Tpot => tpot(rows, ends),
        Metric::Itl => itl(rows, ends),
        Metric::E2e => Ok(e2e(rows, ends)),
        Metric::WholePerToken => whole_per_token(rows, ends),
        Metric::FirstAnswer => {
            let times = rows.first_answer()?;
            Ok(column(rows, |at| pick(&times, at), "no answer text came"))
        }
        Metric::ChunkGap => event_gaps(rows),
        Metric::QueueWait if requests.queue_wait.is_absent() => {
            Err("the file does not hold the wait inside the client".into())
        }
        Metric::QueueWait => {
            let wait = |at| requests.queue_wait.get(at).map(Seconds::as_secs);
            Ok(column(rows, wait, "no wait recorded"))
        }
        Metric::InputTokens if requests.input_tokens.is_absent() => {
            Err("the file holds no input tokens of each request".into())
        }
        Metric::InputTokens => {
            let tokens = |at| requests.input_tokens.get(at).map(Tokens::count);
            Ok(column(rows, tokens, "no input tokens recorded"))
        }
        Metric::OutputTokens => {
            let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
            Ok(column(rows, |at| pick(tokens, at), "no output tokens recorded"))
        }
        _ => Err("one number for the run, not a distribution".into()),
    }
}

/// TTFT, one sample a request.
fn ttft(rows: &Rows<'_>) -> Result<Samples, String> {
    let ttft = rows.ttft.as_ref().map_err(Clone::clone)?;
    let leaves_short = rows.settings.short_outputs == ShortOutputs::ExcludeTtft;
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        let value = match arrived(rows, at) {
            Some(n) if leaves_short && n < 2.0 => Err(TOO_SHORT),
            _ => rows.ttft_of(ttft, at),
        };
        samples.one(at, value);
    }
    Ok(samples)
}

/// Tokens of request `at` that were seen arriving, else its counted ones; events where TPOT is per event.
pub(super) fn arrived(rows: &Rows<'_>, at: usize) -> Option<f64> {
    if let Some(tokens) = rows.requests.event_tokens.row(at) {
        return Some(tokens.iter().map(|n| n.count()).sum());
    }
    if rows.settings.tpot == Tpot::VisibleGaps && !rows.requests.gaps.is_absent() {
        return rows.events_of(at);
    }
    // Whose count is no matter: a ruler may count what this file does not hold.
    let counted = rows.tokens.as_ref().ok().and_then(|t| pick(t, at));
    counted.or_else(|| rows.requests.output_tokens.get(at).map(Tokens::count))
}

/// E2E by `ends`, one sample a request.
fn e2e(rows: &Rows<'_>, ends: &Values) -> Samples {
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        samples.one(at, rows.e2e_of(ends, at));
    }
    samples
}

/// E ÷ n, one sample a request. Without a token it is undefined; inference-perf alone, whose rule for short
/// replies no other tool has, writes 0 there.
fn whole_per_token(rows: &Rows<'_>, ends: &Values) -> Result<Samples, String> {
    rows.tokens.as_ref().map_err(Clone::clone)?;
    let writes_zero = rows.settings.short_outputs == ShortOutputs::ExcludeTtft;
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        let value = match tpot_of(rows, Tpot::WholeOverN, ends, at) {
            Err(NO_TOKEN) if rows.takes_zeros() && writes_zero => Ok(0.0),
            value => value,
        };
        samples.one(at, value);
    }
    Ok(samples)
}

/// A plain column, one sample a request that has one.
pub(super) fn column(
    rows: &Rows<'_>,
    get: impl Fn(usize) -> Option<f64>,
    missing: &'static str,
) -> Samples {
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        samples.one(at, get(at).ok_or(missing));
    }
    samples
}

/// Output tokens per second as one user sees them, one sample a request. The reciprocal of a TPOT
/// statistic has no samples: it counts as decode speed here.
///
/// # Errors
/// When the file lacks what they need; the reason is a clause.
pub(super) fn user_speed(rows: &Rows<'_>) -> Result<Samples, String> {
    let ends = rows.ends_of(Metric::UserSpeed).known().map_err(str::to_owned)?;
    let whole = rows.settings.user_speed == UserSpeed::Whole;
    let tokens = match (&rows.tokens, &rows.ttft) {
        (Ok(tokens), Ok(_)) => tokens,
        (Ok(tokens), Err(_)) if whole => tokens,
        (Err(reason), _) | (_, Err(reason)) => return Err(reason.clone()),
    };
    let zero = !whole && rows.settings.short_outputs == ShortOutputs::Zero;
    let speed = |at: usize| {
        let n = pick(tokens, at).ok_or("no output tokens recorded")?;
        if zero && n < 2.0 {
            return Ok(0.0);
        }
        let (amount, time) = match &rows.ttft {
            Ok(_) if !whole && n < 2.0 => return Err(TOO_SHORT),
            Ok(ttft) if !whole => (n - 1.0, rows.decode_of(ttft, ends, at)?),
            _ => (n, rows.e2e_of(ends, at)?),
        };
        if amount > 0.0 && time > 0.0 { Ok(amount / time) } else { Err("no decode time") }
    };
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        samples.one(at, speed(at));
    }
    Ok(samples)
}

pub(super) const TOO_SHORT: &str = "fewer than two output tokens";

/// TPOT of one request by the formula in force.
pub(super) fn tpot_of(
    rows: &Rows<'_>,
    formula: Tpot,
    ends: &Values,
    at: usize,
) -> Result<f64, &'static str> {
    let tokens =
        || rows.tokens.as_ref().ok().and_then(|t| pick(t, at)).ok_or("no output tokens recorded");
    let decode = || {
        let ttft = rows.ttft.as_ref().map_err(|_| "no TTFT recorded")?;
        rows.decode_of(ttft, ends, at)
    };
    match formula {
        Tpot::AfterFirst => match tokens()? {
            n if n < 2.0 => Err(TOO_SHORT),
            n => Ok(decode()? / (n - 1.0)),
        },
        Tpot::AfterFirstOverN => match tokens()? {
            n if n < 1.0 => Err(NO_TOKEN),
            // One token: what little time passed after it is the value, not an artefact.
            n if n < 2.0 => {
                let ttft = rows.ttft.as_ref().map_err(|_| "no TTFT recorded")?;
                Ok((rows.e2e_of(ends, at)? - rows.ttft_of(ttft, at)?).max(0.0))
            }
            n => Ok(decode()? / n),
        },
        Tpot::WholeOverN => match tokens()? {
            n if n < 1.0 => Err(NO_TOKEN),
            n => Ok(rows.e2e_of(ends, at)? / n),
        },
        Tpot::AfterFirstEvent => {
            let later = tokens()? - rows.first_event_tokens(at).ok_or(FIRST_EVENT_UNKNOWN)?;
            if later < 1.0 { Err(ONE_EVENT) } else { Ok(decode()? / later) }
        }
        Tpot::VisibleGaps => {
            let gaps = rows.events_of(at).ok_or("no gaps recorded")? - 1.0;
            if gaps < 1.0 {
                return Err(ONE_EVENT);
            }
            Ok(pick(&rows.gap_sums, at).ok_or("no gaps recorded")? / gaps)
        }
    }
}

const NO_TOKEN: &str = "no output token";
const ONE_EVENT: &str = "all tokens came in the first event";
const FIRST_EVENT_UNKNOWN: &str = "the tokens of the first event are not known";

/// Whether a reason means that the reply is too short, which `short-outputs` rules on.
pub(super) fn is_short(reason: &str) -> bool {
    matches!(reason, TOO_SHORT | NO_TOKEN | ONE_EVENT)
}

/// TPOT, one sample a request.
fn tpot(rows: &Rows<'_>, ends: &Values) -> Result<Samples, String> {
    let formula = rows.settings.tpot;
    if formula != Tpot::VisibleGaps {
        rows.tokens.as_ref().map_err(Clone::clone)?;
    }
    if !matches!(formula, Tpot::VisibleGaps | Tpot::WholeOverN) {
        rows.ttft.as_ref().map_err(Clone::clone)?;
    }
    // E ÷ n needs no stream; all else is a zero where there was none, also to a ruler that keeps zeros.
    let no_stream = formula != Tpot::WholeOverN && unstreamed(rows.requests).is_some();
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        let value = match tpot_of(rows, formula, ends, at) {
            Err(reason)
                if is_short(reason) && rows.settings.short_outputs == ShortOutputs::Zero =>
            {
                Ok(0.0)
            }
            Ok(value) if no_stream && value <= ONE_READ_SECS => Err(NO_DECODE),
            value => value,
        };
        samples.one(at, value);
    }
    if samples.values.is_empty() && samples.excluded.contains_key(FIRST_EVENT_UNKNOWN) {
        return Err(format!("{FIRST_EVENT_UNKNOWN}: the file holds no tokens of each event"));
    }
    samples.weigh(rows, 0.0)
}

/// ITL by the choice in force; `ends` serves the request mean.
fn itl(rows: &Rows<'_>, ends: &Values) -> Result<Samples, String> {
    match rows.settings.itl {
        Itl::EventGap => event_gaps(rows),
        Itl::TokenSpread => token_gaps(rows, |gap, tokens, out| {
            out.extend(std::iter::repeat_n(gap / tokens as f64, tokens));
        }),
        Itl::TokenZeros => token_gaps(rows, |gap, tokens, out| {
            out.push(gap);
            out.extend(std::iter::repeat_n(0.0, tokens - 1));
        }),
        Itl::RequestMean => {
            rows.tokens.as_ref().map_err(Clone::clone)?;
            rows.ttft.as_ref().map_err(Clone::clone)?;
            if let Some(reason) = unstreamed(rows.requests) {
                return Err(reason.to_owned());
            }
            let mut samples = Samples::default();
            for at in rows.counted_rows() {
                samples.one(at, tpot_of(rows, Tpot::AfterFirst, ends, at));
            }
            samples.weigh(rows, 1.0)
        }
        Itl::AsRecorded if rows.requests.request_itl.is_absent() => {
            Err("the file holds no mean ITL of each request".into())
        }
        Itl::AsRecorded => {
            let recorded = |at| rows.requests.request_itl.get(at).map(Seconds::as_secs);
            Ok(column(rows, recorded, "no mean ITL recorded"))
        }
        Itl::WholeOverEvents => {
            let ttft = rows.ttft.as_ref().map_err(Clone::clone)?;
            if rows.requests.gaps.is_absent() {
                return Err(rows.requests.no_gaps().into());
            }
            let mut samples = Samples::default();
            for at in rows.counted_rows() {
                let whole = rows.ttft_of(ttft, at).and_then(|first| {
                    let gaps = pick(&rows.gap_sums, at).ok_or("no gaps recorded")?;
                    match rows.events_of(at) {
                        Some(events) if events >= 1.0 => Ok((first + gaps) / events),
                        _ => Err("no stream event recorded"),
                    }
                });
                samples.one(at, whole);
            }
            samples.weigh(rows, 0.0)
        }
    }
}

/// Said with every event gap that was put together again from per-token gaps.
pub(super) const REBUILT: &str =
    "Rebuilt: the file holds per-token gaps, of which equal neighbours are taken as one event.";

/// Whether the samples of ITL are the gaps between events themselves: by its definition, or because no
/// event after a first carries more than one token.
pub(super) fn itl_is_chunk_gap(rows: &Rows<'_>) -> bool {
    let one_each = |at: usize| {
        rows.requests.gaps.row(at).is_none_or(|gaps| {
            gaps.is_empty() || matches!(event_tokens(rows, at, gaps.len()), Some(EventTokens::One))
        })
    };
    match rows.settings.itl {
        Itl::EventGap => true,
        Itl::TokenSpread | Itl::TokenZeros => {
            rows.requests.gap_kind == GapKind::Event
                && rows.settings.weighting != Weighting::PerToken
                && rows.counted_rows().all(one_each)
        }
        Itl::RequestMean | Itl::AsRecorded | Itl::WholeOverEvents => false,
    }
}

/// The gaps between events, pooled.
fn event_gaps(rows: &Rows<'_>) -> Result<Samples, String> {
    let gaps = &rows.requests.gaps;
    if gaps.is_absent() {
        return Err(rows.requests.no_gaps().into());
    }
    let mut samples =
        Samples { values: Vec::with_capacity(gaps.values().len()), ..Samples::default() };
    let weighed = rows.settings.weighting == Weighting::PerToken;
    let mut weights = Vec::new();
    for at in rows.counted_rows() {
        let Some(row) = gaps.row(at) else {
            *samples.excluded.entry("no gaps recorded").or_default() += 1;
            continue;
        };
        if weighed && !event_weights(rows, at, row, &mut weights) {
            return Err(
                "the tokens of each event are not known, so gaps can’t be weighed by them".into()
            );
        }
        match rows.requests.gap_kind {
            GapKind::Event => samples.values.extend(row.iter().map(|g| g.as_secs())),
            GapKind::TokenSpread => samples.values.extend(rebuilt(row).map(|(gap, _)| gap)),
        }
        samples.ends.push((samples.values.len(), at));
    }
    if rows.requests.gap_kind == GapKind::TokenSpread {
        samples.note = Some(REBUILT.into());
    }
    samples.weights = weighed.then_some(weights);
    Ok(samples)
}

/// Events out of per-token gaps: runs of exactly equal neighbours, as (gap, tokens).
pub(super) fn rebuilt(row: &[Seconds]) -> impl Iterator<Item = (f64, usize)> + '_ {
    row.chunk_by(|a, b| a == b)
        .map(|run| (run.first().map_or(0.0, |g| g.as_secs()) * run.len() as f64, run.len()))
}

fn event_weights(rows: &Rows<'_>, at: usize, row: &[Seconds], out: &mut Vec<f64>) -> bool {
    match rows.requests.gap_kind {
        GapKind::TokenSpread => out.extend(rebuilt(row).map(|(_, tokens)| tokens as f64)),
        GapKind::Event => match event_tokens(rows, at, row.len()) {
            Some(EventTokens::Each(tokens)) => out.extend(tokens.iter().map(|t| t.count())),
            Some(EventTokens::One) => out.extend(std::iter::repeat_n(1.0, row.len())),
            None => return false,
        },
    }
    true
}

/// Tokens of the events after the first.
pub(super) enum EventTokens<'a> {
    /// As recorded.
    Each(&'a [Tokens]),
    /// One each: there are as many events as tokens.
    One,
}

pub(super) fn event_tokens<'a>(rows: &Rows<'a>, at: usize, gaps: usize) -> Option<EventTokens<'a>> {
    let recorded = rows.requests.event_tokens.row(at).and_then(<[_]>::split_first);
    if let Some((_, later)) = recorded.filter(|(_, later)| later.len() == gaps) {
        return Some(EventTokens::Each(later));
    }
    let tokens = rows.tokens.as_ref().ok().and_then(|t| pick(t, at))?;
    same_count(gaps as f64 + 1.0, tokens).then_some(EventTokens::One)
}

/// Per-token samples: `spread` writes the samples of one event of at least one token.
fn token_gaps(
    rows: &Rows<'_>,
    spread: impl Fn(f64, usize, &mut Vec<f64>),
) -> Result<Samples, String> {
    let gaps = &rows.requests.gaps;
    if gaps.is_absent() {
        return Err(rows.requests.no_gaps().into());
    }
    let mut samples =
        Samples { values: Vec::with_capacity(gaps.values().len()), ..Samples::default() };
    for at in rows.counted_rows() {
        let Some(row) = gaps.row(at) else {
            *samples.excluded.entry("no gaps recorded").or_default() += 1;
            continue;
        };
        match rows.requests.gap_kind {
            // As recorded where that is what is asked for: no second rounding.
            GapKind::TokenSpread if rows.settings.itl == Itl::TokenSpread => {
                samples.values.extend(row.iter().map(|g| g.as_secs()));
            }
            GapKind::TokenSpread => {
                for (gap, tokens) in rebuilt(row) {
                    spread(gap, tokens, &mut samples.values);
                }
            }
            GapKind::Event => match event_tokens(rows, at, row.len()) {
                Some(EventTokens::One) => {
                    for gap in row {
                        spread(gap.as_secs(), 1, &mut samples.values);
                    }
                }
                Some(EventTokens::Each(tokens)) => {
                    let mut waited = 0.0;
                    if rows.settings.itl == Itl::TokenZeros {
                        let first = rows.first_event_tokens(at).unwrap_or(1.0).round();
                        let further = (first as usize).saturating_sub(1);
                        samples.values.extend(std::iter::repeat_n(0.0, further));
                    }
                    for (gap, tokens) in row.iter().zip(tokens) {
                        waited += gap.as_secs();
                        let tokens = tokens.count().round();
                        if tokens >= 1.0 {
                            spread(waited, tokens as usize, &mut samples.values);
                            waited = 0.0;
                        }
                    }
                }
                // Without gaps there is no sample, whatever the one event carried.
                None if row.is_empty() => {}
                None => return only_mean(rows),
            },
        }
        samples.ends.push((samples.values.len(), at));
    }
    Ok(samples)
}

/// The mean of per-token gaps where the tokens of each event are not known: Σ gaps over the tokens
/// after the first event.
fn only_mean(rows: &Rows<'_>) -> Result<Samples, String> {
    let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
    let (mut total, mut count, mut assumed) = (0.0, 0.0, false);
    let mut samples = Samples::default();
    for at in rows.counted_rows() {
        let (Some(sum), Some(n)) = (pick(&rows.gap_sums, at), pick(tokens, at)) else {
            *samples.excluded.entry("no gaps or no output tokens recorded").or_default() += 1;
            continue;
        };
        // With token-zeros the further tokens of the first event are samples too.
        let first = match rows.settings.itl {
            Itl::TokenZeros => Some(1.0),
            _ => rows.first_event_tokens(at),
        };
        assumed |= first.is_none();
        let later = (n - first.unwrap_or(1.0)).max(0.0);
        total += sum;
        count += later;
        samples.means.push((sum, later));
        samples.ends.push((0, at));
    }
    samples.only_mean = Some((total, count));
    let assuming = if assumed { ", taking one token in each first event" } else { "" };
    samples.note = Some(format!(
        "The file holds no tokens of each event: the mean is Σ gaps over the tokens after the first{assuming}; percentiles need them."
    ));
    Ok(samples)
}

/// The rule behind a choice of `percentile`; none for that of histograms.
pub(super) fn rule(percentile: Percentile) -> Option<Rule> {
    Some(match percentile {
        Percentile::Linear => Rule::Linear,
        Percentile::NearestRank => Rule::NearestRank,
        Percentile::FloorIndex => Rule::FloorIndex,
        Percentile::RoundedIndex => Rule::RoundedIndex,
        Percentile::WeightedStep => Rule::Step,
        Percentile::BucketLinear => return None,
    })
}

/// The summary of samples; `scale` brings them to the metric's unit.
///
/// # Errors
/// When there is no sample; the reason is a clause.
pub(super) fn summarise(
    mut samples: Samples,
    settings: &Settings,
    percentiles: &[f64],
    scale: f64,
) -> Result<Summary, String> {
    if let Some((total, count)) = samples.only_mean {
        if count <= 0.0 {
            return Err("no sample: no request has a second token".into());
        }
        let mean = total / count * scale;
        let (n, requests) = (count as usize, samples.ends.len());
        return Ok(Summary { n, requests, mean, note: samples.note, ..Summary::default() });
    }
    if samples.values.is_empty() {
        return Err(no_samples(&samples.excluded));
    }
    let n = samples.values.len();
    // The step knows weights, and falls on ties as it does with equal ones.
    let equal = || (settings.percentile == Percentile::WeightedStep).then(|| vec![1.0; n]);
    let weighed = samples.weights.is_some();
    if let Some(weights) = samples.weights.take().or_else(equal) {
        return summarise_weighed(&samples, &weights, weighed, settings, percentiles, scale);
    }
    let spread = match settings.spread {
        Spread::Population => stats::Spread::Population,
        Spread::Sample => stats::Spread::Sample,
    };
    let mean = stats::mean(&samples.values).unwrap_or_default() * scale;
    let (min, max) = samples
        .values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    // The mean of three times 0.1 is not 0.1, and the distance of each from it no spread.
    let is_one = stats::is_one_value(min, max);
    let std = stats::std(&samples.values, spread).map(|s| if is_one { 0.0 } else { s * scale });
    let mut summary = Summary {
        n,
        requests: samples.ends.len(),
        mean,
        std,
        min: Some(min * scale),
        max: Some(max * scale),
        note: samples.note,
        ..Summary::default()
    };
    let Some(rule) = rule(settings.percentile) else {
        summary.note =
            Some("Percentiles inside buckets need a histogram, which this file is not.".into());
        return Ok(summary);
    };
    let independent = samples.ends.len() == n;
    let mut selector = Selector::new(&mut samples.values);
    summary.median = selector.quantile(0.5, rule).map(|v| v * scale);
    for p in percentiles {
        if let Some(value) = selector.quantile(p / 100.0, rule) {
            let interval = if independent {
                between_ranks(n, p / 100.0, scale, |rank| selector.element(rank))
            } else {
                None
            };
            summary.percentiles.push(Quantile::new(*p, value * scale, n, interval));
        }
    }
    let center = selector.quantile(0.5, Rule::Linear);
    summary.mad = center.and_then(|c| stats::mad(&samples.values, c)).map(|v| v * scale);
    Ok(summary)
}

fn summarise_weighed(
    samples: &Samples,
    weights: &[f64],
    weighed: bool,
    settings: &Settings,
    percentiles: &[f64],
    scale: f64,
) -> Result<Summary, String> {
    let mut pairs: Vec<(f64, f64)> =
        samples.values.iter().copied().zip(weights.iter().copied()).filter(|p| p.1 > 0.0).collect();
    let total: f64 = pairs.iter().map(|p| p.1).sum();
    if total <= 0.0 {
        return Err("no sample has a weight".into());
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mean = pairs.iter().map(|(v, w)| v * w).sum::<f64>() / total;
    let squares = pairs.iter().map(|(v, w)| w * (v - mean) * (v - mean)).sum::<f64>();
    let ends = pairs.first().zip(pairs.last());
    let is_one = ends.is_some_and(|(low, high)| stats::is_one_value(low.0, high.0));
    let divisor = match settings.spread {
        Spread::Population => total,
        Spread::Sample => total - 1.0,
    };
    let n = pairs.len();
    let mut summary = Summary {
        n,
        requests: samples.ends.len(),
        weighed,
        mean: mean * scale,
        std: (divisor > 0.0).then(|| if is_one { 0.0 } else { (squares / divisor).sqrt() * scale }),
        min: pairs.first().map(|p| p.0 * scale),
        max: pairs.last().map(|p| p.0 * scale),
        note: samples.note.clone(),
        ..Summary::default()
    };
    if settings.percentile != Percentile::WeightedStep {
        summary.note =
            Some("Percentiles of weighted samples need percentile = weighted-step.".into());
        return Ok(summary);
    }
    let at = |q: f64| stats::weighted_step(&pairs, q).map(|v| v * scale);
    summary.median = at(0.5);
    let independent = !weighed && samples.ends.len() == n;
    for p in percentiles {
        if let Some(value) = at(p / 100.0) {
            let interval = if independent {
                between_ranks(n, p / 100.0, scale, |rank| pairs.get(rank).map(|pair| pair.0))
            } else {
                None
            };
            summary.percentiles.push(Quantile::new(*p, value, n, interval));
        }
    }
    if !weighed {
        let sorted: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
        let center = stats::quantile_sorted(&sorted, 0.5, Rule::Linear);
        summary.mad = center.and_then(|c| stats::mad(&sorted, c)).map(|v| v * scale);
    }
    Ok(summary)
}

/// The 95 % interval of a quantile of samples, one a request, by their order.
fn between_ranks(
    n: usize,
    q: f64,
    scale: f64,
    mut element: impl FnMut(usize) -> Option<f64>,
) -> Option<Interval> {
    let ranks = stats::quantile_ranks(n, q)?;
    let (low, high) = (element(*ranks.start())?, element(*ranks.end())?);
    Some(Interval { low: low * scale, high: high * scale })
}

fn no_samples(excluded: &BTreeMap<&'static str, usize>) -> String {
    let most = excluded.iter().max_by_key(|(_, count)| **count);
    match most {
        None => "no request counts as a sample".into(),
        Some((reason, count)) => format!("no sample: {reason} ({count} requests)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::preset::COMMON;
    use crate::metrics::testing::run;

    #[test]
    fn itl_is_the_chunk_gap_only_where_its_samples_are_the_same() {
        let single: [(f64, &[f64], f64); 3] =
            [(80.0, &[10.0, 12.0, 9.0], 4.0), (70.0, &[], 1.0), (95.0, &[30.0], 2.0)];
        let chunked: [(f64, &[f64], f64); 2] = [(80.0, &[10.0, 12.0], 3.0), (90.0, &[11.0], 6.0)];
        for (table, same) in [(run(&single), true), (run(&chunked), false)] {
            let requests = table.requests.as_ref().unwrap();
            for itl in [Itl::TokenSpread, Itl::TokenZeros] {
                let settings = Settings { itl, ..COMMON.settings };
                let rows = Rows::new(requests, &settings, &[]).unwrap();
                assert_eq!(itl_is_chunk_gap(&rows), same, "{itl:?}");
                let by = |metric| of(&rows, metric, &Values::new()).unwrap();
                let (itl, gaps) = (by(Metric::Itl), by(Metric::ChunkGap));
                let alike = itl.values == gaps.values && itl.ends == gaps.ends;
                assert_eq!(alike, same, "the samples themselves");
            }
        }
    }
}
