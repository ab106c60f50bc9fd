//! A run under a definition set: every metric, what was left out, and goodput.

use super::goodput::{GoodputResult, Within, goodput};
use super::measured::{Measured, Summary, Value};
use super::own::own;
use super::preset::COMMON;
use super::recount::Recount;
use super::rows::{Ends, Rows, Values, unstreamed};
use super::ruler::{bearing_on, differing_for};
use super::samples::{self, summarise};
use super::settings::{GoodputUnit, Settings, UserSpeed};
use super::throughput::{self, Peaks};
use crate::model::{Limit, Metric, Outcome, Run, Stat};
use crate::stats::Interval;
use crate::units::{Unit, significant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to compute beside the definition set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Percentiles, 0 to 100, in the order in which they are shown.
    pub percentiles: Vec<f64>,
    /// The limits behind goodput; none means no goodput.
    pub limits: Vec<Limit>,
    /// Requests that the reader left out, by their number from 0, ascending: as if never sent.
    pub excluded: Vec<usize>,
}

impl Default for Ask {
    fn default() -> Self {
        Self { percentiles: vec![50.0, 90.0, 95.0, 99.0], limits: Vec::new(), excluded: Vec::new() }
    }
}

/// How many requests a run holds, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Whether the file says how many requests there were; if not, every count here is 0 for want of one.
    pub recorded: bool,
    /// Sent.
    pub sent: usize,
    /// Finished without an error, empty replies included.
    pub completed: usize,
    /// Ended with an error.
    pub failed: usize,
    /// Cut off by the client.
    pub cancelled: usize,
    /// Still running when the run ended.
    pub unfinished: usize,
    /// Finished without an error and without a token.
    pub empty: usize,
    /// Left out by the reader, and in no other count.
    pub excluded: usize,
}

/// Requests that are no sample of a metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// The metric.
    pub metric: Metric,
    /// Why, in words.
    pub reason: String,
    /// How many.
    pub count: usize,
}

/// A run under a definition set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Requests by outcome. Without a request table, as far as the tool printed them.
    pub counts: Counts,
    /// Requests that are no sample, by metric and reason.
    pub excluded: Vec<Exclusion>,
    /// Every metric of [`METRICS`].
    pub metrics: BTreeMap<Metric, Measured>,
    /// Tokens per second as one user sees them, in tok/s.
    pub user_speed: Measured,
    /// Goodput under the limits of the question.
    pub goodput: GoodputResult,
    /// Largest numbers of output in one second, where events have times.
    pub peaks: Option<Peaks>,
    /// Stream events and the output tokens in them, over counted requests with both.
    pub events: Option<Events>,
}

/// How tokens came in events.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// Stream events.
    pub events: f64,
    /// Output tokens.
    pub tokens: f64,
}

impl Events {
    /// Mean tokens of an event.
    pub fn tokens_per_event(self) -> f64 {
        self.tokens / self.events
    }
}

impl Evaluation {
    /// What is known of one statistic of one metric.
    pub fn value(&self, metric: Metric, stat: Stat) -> Value {
        self.metrics
            .get(&metric)
            .map_or_else(|| Value::Missing("not computed".into()), |m| m.value(stat))
    }
}

/// All metrics, in the order in which they are shown.
pub const METRICS: [Metric; 27] = Metric::ALL;

/// The factor from the base of a metric's samples (seconds, counts, shares) to its unit.
pub(super) fn scale(metric: Metric) -> f64 {
    if metric.unit() == Unit::Millis { 1e3 } else { 1.0 }
}

/// Measures `run` with the ruler `settings`.
///
/// What the file does not allow is the printed value where the tool printed it under the same
/// definition, and otherwise the reason.
pub fn evaluate(run: &Run, settings: &Settings, ask: &Ask) -> Evaluation {
    let printed = Printed { run, settings, limits: &ask.limits };
    let rows = match &run.requests {
        None => Err(run.no_requests().to_owned()),
        Some(requests) => Rows::new(requests, settings, &ask.excluded),
    };
    match rows {
        Ok(rows) => of_rows(run, &rows, ask, &printed),
        Err(reason) => {
            let metrics = METRICS.iter().map(|m| (*m, printed.instead(*m, &reason))).collect();
            Evaluation {
                counts: counts(run, &ask.excluded),
                excluded: Vec::new(),
                metrics,
                user_speed: Measured::Unavailable(reason.clone()),
                goodput: if ask.limits.is_empty() {
                    GoodputResult::NoLimits
                } else {
                    GoodputResult::Unavailable(reason)
                },
                peaks: None,
                events: None,
            }
        }
    }
}

/// One statistic of one metric, as [`evaluate`] gives it, without the work for the others.
pub(super) fn one(run: &Run, settings: &Settings, ask: &Ask, metric: Metric, stat: Stat) -> Value {
    let printed = Printed { run, settings, limits: &ask.limits };
    let percentiles = match stat {
        Stat::Percentile(p) => vec![p],
        _ => Vec::new(),
    };
    let ask = Ask { percentiles, ..ask.clone() };
    let rows = match &run.requests {
        None => Err(run.no_requests().to_owned()),
        Some(requests) => Rows::new(requests, settings, &ask.excluded),
    };
    let rows = match rows {
        Ok(rows) => rows,
        Err(reason) => return printed.instead(metric, &reason).value(stat),
    };
    let mut book = Book {
        run,
        rows: &rows,
        ask: &ask,
        printed: &printed,
        excluded: Vec::new(),
        metrics: BTreeMap::new(),
    };
    match metric {
        metric if samples::SAMPLED.contains(&metric) => book.latency(metric),
        Metric::UserSpeed => {
            if settings.user_speed == UserSpeed::ReciprocalOfTpot {
                book.latency(Metric::Tpot);
            }
            return or_printed(&printed, metric, &book.user_speed()).value(stat);
        }
        Metric::Goodput | Metric::SloShare => {
            let duration = throughput::duration(run, &rows);
            book.goodput(&goodput(&rows, &ask.limits, &duration), &duration);
        }
        Metric::PeakOutputRate | Metric::PeakConcurrency => {
            book.peaks();
        }
        Metric::AcceleratorPower | Metric::Energy => book.accelerators(),
        _ => book.rates(run, &throughput::duration(run, &rows)),
    }
    book.metrics
        .get(&metric)
        .map_or_else(|| Value::Missing("not computed".into()), |m| m.value(stat))
}

fn of_rows(run: &Run, rows: &Rows<'_>, ask: &Ask, printed: &Printed<'_>) -> Evaluation {
    let mut book = Book { run, rows, ask, printed, excluded: Vec::new(), metrics: BTreeMap::new() };
    book.latencies();
    let duration = throughput::duration(run, rows);
    let goodput = goodput(rows, &ask.limits, &duration);
    book.rates(run, &duration);
    book.goodput(&goodput, &duration);
    let peaks = book.peaks();
    book.accelerators();
    let user_speed = book.user_speed();
    let Book { mut excluded, mut metrics, .. } = book;
    metrics.insert(Metric::UserSpeed, or_printed(printed, Metric::UserSpeed, &user_speed));
    if rows.empty > 0 {
        for metric in [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e] {
            let reason = "a reply without a token".to_owned();
            excluded.push(Exclusion { metric, reason, count: rows.empty });
        }
    }
    excluded.sort_by(|a, b| (a.metric, &a.reason).cmp(&(b.metric, &b.reason)));
    Evaluation {
        counts: counts(run, &ask.excluded),
        excluded,
        metrics,
        user_speed,
        goodput,
        peaks,
        events: events(rows),
    }
}

/// The metrics of one run as they are worked out.
struct Book<'a> {
    run: &'a Run,
    rows: &'a Rows<'a>,
    ask: &'a Ask,
    printed: &'a Printed<'a>,
    excluded: Vec<Exclusion>,
    metrics: BTreeMap<Metric, Measured>,
}

impl Book<'_> {
    /// A definition moves few metrics: the samples of the others are as the run remembers them.
    fn latencies(&mut self) {
        for metric in samples::SAMPLED {
            self.latency(metric);
        }
    }

    fn latency(&mut self, metric: Metric) {
        let mut settings = bearing_on(metric, self.rows.settings);
        let gaps = match metric {
            Metric::ChunkGap => true,
            Metric::Itl => samples::itl_is_chunk_gap(self.rows),
            _ => false,
        };
        if gaps {
            // The same samples under two names, worked out once.
            settings = bearing_on(Metric::ChunkGap, self.rows.settings);
        }
        let question = Sampled {
            metric: if gaps { Metric::ChunkGap } else { metric },
            settings,
            excluded: self.ask.excluded.clone(),
            percentiles: self.ask.percentiles.clone(),
        };
        let asked = question.metric;
        let known = self.run.memory.recall(question, || sampled(self.rows, self.ask, asked));
        for (reason, count) in &known.excluded {
            let reason = (*reason).to_owned();
            self.excluded.push(Exclusion { metric, reason, count: *count });
        }
        self.insert(metric, known.measured.clone());
    }

    fn rates(&mut self, run: &Run, duration: &Result<f64, String>) {
        let rows = self.rows;
        let rate = |count: Result<f64, String>| Ok(count? / duration.clone()?);
        let output = throughput::output_tokens(rows);
        let input = throughput::input_tokens(rows);
        let both = output.clone().and_then(|out| Ok(out + input.clone()?));
        self.scalar(Metric::Duration, duration.clone());
        self.scalar(Metric::RequestThroughput, rate(throughput::finished(rows)));
        self.scalar(Metric::OutputThroughput, rate(output.clone()));
        self.scalar(Metric::InputThroughput, rate(input.clone()));
        self.scalar(Metric::TotalThroughput, rate(both));
        self.scalar(Metric::TotalOutputTokens, output);
        self.scalar(Metric::TotalInputTokens, input);
        let counts = counts(run, &self.ask.excluded);
        self.scalar(Metric::Completed, Ok(counts.completed as f64));
        self.scalar(Metric::Failed, Ok(counts.failed as f64));
        let (low, high) = throughput::busy_seconds(rows);
        let measured = match duration {
            Err(reason) => Err(reason.clone()),
            Ok(_) if low.is_none() && high.is_none() => Err(rows.ends.because.clone()),
            Ok(duration) if rows.ends.exact => {
                Ok(Measured::Scalar(low.unwrap_or_default() / duration))
            }
            Ok(duration) => Ok(Measured::ScalarBounds {
                low: low.map(|v| v / duration),
                high: high.map(|v| v / duration),
                because: rows.ends.because.clone(),
            }),
        };
        self.insert(Metric::MeanConcurrency, measured);
    }

    fn goodput(&mut self, goodput: &GoodputResult, duration: &Result<f64, String>) {
        let scalar = |within: Within, because: &Option<String>| match within.exact() {
            Some(value) => Measured::Scalar(value),
            None => Measured::ScalarBounds {
                low: (within.low > 0.0).then_some(within.low),
                high: Some(within.high),
                because: because.clone().unwrap_or_default(),
            },
        };
        let (rate, share) = match goodput {
            GoodputResult::NoLimits => {
                (Err("no limits are set".into()), Err("no limits are set".into()))
            }
            GoodputResult::Unavailable(reason) => (Err(reason.clone()), Err(reason.clone())),
            GoodputResult::Known(known) => (
                duration
                    .clone()
                    .and_then(|_| Ok(scalar(known.per_second.clone()?, &known.because))),
                if known.of > 0.0 {
                    Ok(scalar(known.share, &known.because))
                } else {
                    Err("no request is left to take a share of".into())
                },
            ),
        };
        self.insert(Metric::Goodput, rate);
        self.insert(Metric::SloShare, share);
    }

    fn peaks(&mut self) -> Option<Peaks> {
        // Beside the metric, which counts events whatever a gap is, stands the same in tokens.
        let settings = Settings {
            token_count: self.rows.settings.token_count,
            itl: COMMON.settings.itl,
            ..bearing_on(Metric::PeakOutputRate, self.rows.settings)
        };
        let question = PeakOf { settings, excluded: self.ask.excluded.clone() };
        let output = self.run.memory.recall(question, || throughput::peak_output(self.rows));
        let output = Result::clone(&output);
        self.scalar(Metric::PeakOutputRate, output.clone().map(|p| p.events));
        let rows = self.rows;
        let measured = throughput::peak_concurrency(rows).map(|low| {
            if rows.ends.exact {
                Measured::Scalar(low)
            } else {
                Measured::ScalarBounds {
                    low: Some(low),
                    high: None,
                    because: rows.ends.because.clone(),
                }
            }
        });
        self.insert(Metric::PeakConcurrency, measured);
        output.ok()
    }

    /// What accelerators measured of themselves is in no row.
    fn accelerators(&mut self) {
        for metric in [Metric::AcceleratorPower, Metric::Energy] {
            self.insert(metric, Err("the file holds no readings of the accelerators".into()));
        }
    }

    fn user_speed(&mut self) -> Measured {
        let rows = self.rows;
        if rows.settings.user_speed == UserSpeed::ReciprocalOfTpot {
            return reciprocal(self.metrics.get(&Metric::Tpot));
        }
        let samples = samples::user_speed(rows);
        for (reason, count) in samples.iter().flat_map(|samples| &samples.excluded) {
            let (metric, reason) = (Metric::UserSpeed, (*reason).to_owned());
            self.excluded.push(Exclusion { metric, reason, count: *count });
        }
        samples
            .and_then(|samples| summarise(samples, rows.settings, &self.ask.percentiles, 1.0))
            .map_or_else(Measured::Unavailable, Measured::Summary)
    }

    fn scalar(&mut self, metric: Metric, value: Result<f64, String>) {
        self.insert(metric, value.map(Measured::Scalar));
    }

    fn insert(&mut self, metric: Metric, measured: Result<Measured, String>) {
        let measured = measured.unwrap_or_else(|reason| self.printed.instead(metric, &reason));
        self.metrics.insert(metric, measured);
    }
}

/// The question that the samples of one metric answer.
#[derive(PartialEq)]
struct Sampled {
    metric: Metric,
    settings: Settings,
    excluded: Vec<usize>,
    percentiles: Vec<f64>,
}

/// The question that the largest output of one second answers.
#[derive(PartialEq)]
struct PeakOf {
    settings: Settings,
    excluded: Vec<usize>,
}

/// What the samples of one metric come to.
struct Summarised {
    measured: Result<Measured, String>,
    /// Requests that are no sample, by reason.
    excluded: BTreeMap<&'static str, usize>,
}

/// One statistic of samples that count as often as `recount` says.
pub(super) fn recounted(
    run: &Run,
    settings: &Settings,
    ask: &Ask,
    (metric, stat): (Metric, Stat),
    recount: Recount,
) -> Value {
    let percentiles = match stat {
        Stat::Percentile(p) => vec![p],
        _ => Vec::new(),
    };
    let measured = || {
        let requests = run.requests.as_ref().ok_or(run.no_requests())?;
        let rows = Rows::new(requests, settings, &ask.excluded)?;
        let summary = |ends: &Values| {
            let samples = recount.of(&rows, metric, samples::of(&rows, metric, ends)?);
            recount.summarise(samples, &rows, &percentiles, scale(metric))
        };
        if samples::needs_ends(metric, settings) {
            bounded(rows.ends_of(metric), summary)
        } else {
            summary(&Values::new()).map(Measured::Summary)
        }
    };
    measured().map_or_else(Value::Missing, |measured| measured.value(stat))
}

/// The samples of one metric: exact, or within bounds where it needs ends that are not known.
fn sampled(rows: &Rows<'_>, ask: &Ask, metric: Metric) -> Summarised {
    let mut excluded = BTreeMap::new();
    let mut summary = |ends: &Values| {
        let samples = samples::of(rows, metric, ends)?;
        for (reason, count) in &samples.excluded {
            excluded.entry(*reason).or_insert(*count);
        }
        summarise(samples, rows.settings, &ask.percentiles, scale(metric))
    };
    let measured = if samples::needs_ends(metric, rows.settings) {
        bounded(rows.ends_of(metric), summary)
    } else {
        summary(&Values::new()).map(Measured::Summary)
    };
    Summarised { measured, excluded }
}

/// Exact where the ends are known, within bounds where they are not.
fn bounded(
    ends: &Ends,
    mut summary: impl FnMut(&Values) -> Result<Summary, String>,
) -> Result<Measured, String> {
    let low = ends.low.as_ref().map(&mut summary).transpose()?;
    match low {
        Some(summary) if ends.exact => Ok(Measured::Summary(summary)),
        low => {
            let high = ends.high.as_ref().map(&mut summary).transpose()?;
            let because = ends.because.clone();
            if low.is_none() && high.is_none() {
                return Err(because);
            }
            Ok(Measured::Bounds { low, high, because })
        }
    }
}

/// What was measured, or what the tool printed in its place.
fn or_printed(printed: &Printed<'_>, metric: Metric, measured: &Measured) -> Measured {
    match measured {
        Measured::Unavailable(reason) => printed.instead(metric, reason),
        measured => measured.clone(),
    }
}

/// 1 ÷ the TPOT statistics. A spread has no reciprocal, so it has none here.
fn reciprocal(tpot: Option<&Measured>) -> Measured {
    let Some(Measured::Summary(tpot)) = tpot else {
        return Measured::Unavailable("TPOT is not known exactly".into());
    };
    let per_second = |millis: f64| 1e3 / millis;
    let some = |millis: Option<f64>| millis.map(per_second);
    let mut summary = Summary {
        n: tpot.n,
        requests: tpot.requests,
        weighed: tpot.weighed,
        mean: per_second(tpot.mean),
        median: some(tpot.median),
        std: None,
        mad: None,
        min: some(tpot.max),
        max: some(tpot.min),
        percentiles: tpot.percentiles.clone(),
        note: Some("Each number is 1 ÷ the same statistic of TPOT, so a high percentile is the slow tail; the spread can’t be derived.".into()),
    };
    for quantile in &mut summary.percentiles {
        quantile.value = quantile.value.map(per_second);
        // Turned over: the upper end of a time is the lower end of a speed.
        quantile.interval = quantile
            .interval
            .map(|i| Interval { low: per_second(i.high), high: per_second(i.low) });
    }
    Measured::Summary(summary)
}

/// What the tool printed, where a metric can't be recomputed.
struct Printed<'a> {
    run: &'a Run,
    settings: &'a Settings,
    /// The limits that were asked about.
    limits: &'a [Limit],
}

impl Printed<'_> {
    /// The limits behind a printed goodput, in words, where others were asked about.
    fn other_limits(&self, metric: Metric) -> Option<String> {
        if !matches!(metric, Metric::Goodput | Metric::SloShare) || self.limits.is_empty() {
            return None;
        }
        let Some(own) = &self.run.reported.limits else {
            return Some("limits that the file does not name".into());
        };
        let within = |a: &[Limit], b: &[Limit]| a.iter().all(|limit| b.contains(limit));
        if within(own, self.limits) && within(self.limits, own) {
            return None;
        }
        let words: Vec<String> = own.iter().map(ToString::to_string).collect();
        Some(format!("its own limits, {}", words.join(" and ")))
    }

    fn instead(&self, metric: Metric, reason: &str) -> Measured {
        let values: Vec<_> =
            self.run.reported.values.iter().filter(|v| v.metric == metric).cloned().collect();
        let values = match &self.run.requests {
            // What a client divides out of no decode time is no measurement.
            Some(requests) if metric == Metric::Tpot && unstreamed(requests).is_some() => {
                Vec::new()
            }
            _ => values,
        };
        let Some(first) = values.first() else {
            return Measured::Unavailable(reason.to_owned());
        };
        if let Some(others) = self.other_limits(metric) {
            return Measured::Unavailable(format!(
                "{reason}; the tool printed {}{} under {others}",
                significant(first.value, 4),
                if metric == Metric::Goodput { " req/s" } else { "" }
            ));
        }
        let own = own(self.run).settings;
        let mut differing = differing_for(metric, self.run, self.settings, &own);
        if metric == Metric::SloShare
            && self.settings.goodput_unit == GoodputUnit::RequestsPerSecond
        {
            // The default share is that of the sent ones, which is what tools print beside a rate.
            differing.retain(|d| d.id != "goodput-unit");
        }
        if differing.is_empty() {
            return Measured::Reported { values, because: reason.to_owned() };
        }
        let shown = values.iter().find(|v| v.stat == Stat::Mean).unwrap_or(first);
        let unit = match metric.unit() {
            Unit::Share => String::new(),
            unit => format!(" {}", unit.symbol()),
        };
        let stat = match shown.stat {
            Stat::Value => String::new(),
            stat => format!(" ({})", stat.name()),
        };
        let ways: Vec<_> =
            differing.iter().map(|d| format!("{} = {}", d.id, d.read(&own))).collect();
        Measured::Unavailable(format!(
            "{reason}; the tool printed {}{unit}{stat} under its own definition, {}",
            significant(shown.value, 4),
            ways.join(", ")
        ))
    }
}

/// Requests of a run by outcome.
fn counts(run: &Run, excluded: &[usize]) -> Counts {
    let Some(requests) = &run.requests else {
        let printed = |m| run.reported.value(m).map(|v| v.max(0.0) as usize);
        let (completed, failed) = (printed(Metric::Completed), printed(Metric::Failed));
        // How many were planned does not say how many finished.
        let recorded = completed.is_some();
        let (completed, failed) = (completed.unwrap_or(0), failed.unwrap_or(0));
        let ended = completed.saturating_add(failed);
        let sent = run.load.requests.map_or(ended, |n| n as usize);
        return Counts { recorded, sent, completed, failed, ..Counts::default() };
    };
    let kept = |at: &usize| excluded.binary_search(at).is_err();
    let count = |outcome| {
        let ended = |at: &usize| requests.outcome.get(*at) == Some(&outcome);
        (0..requests.len()).filter(kept).filter(ended).count()
    };
    let sent = (0..requests.len()).filter(kept).count();
    Counts {
        recorded: true,
        sent,
        completed: count(Outcome::Ok),
        failed: count(Outcome::Failed),
        cancelled: count(Outcome::Cancelled),
        unfinished: count(Outcome::Unfinished),
        empty: (0..requests.len()).filter(kept).filter(|at| requests.is_empty_reply(*at)).count(),
        excluded: requests.len() - sent,
    }
}

fn events(rows: &Rows<'_>) -> Option<Events> {
    let tokens = rows.tokens.as_ref().ok()?;
    let mut total = Events { events: 0.0, tokens: 0.0 };
    for at in rows.counted_rows() {
        if let (Some(events), Some(n)) = (rows.events_of(at), super::rows::pick(tokens, at)) {
            total.events += events;
            total.tokens += n;
        }
    }
    (total.events > 0.0).then_some(total)
}
