//! Goodput: requests that meet every limit.

use super::rows::{Ends, Rows, Values, pick, unstreamed};
use super::samples::{is_short, tpot_of};
use super::settings::{GoodputMissing, GoodputRule, GoodputUnit, Settings, ShortOutputs, Tpot};
use super::within_request::{self, PerRequest};
use crate::model::{Length, Limit, LimitMetric, Metric, Outcome};
use crate::stats::{Interval, t_interval, wilson};
use crate::units::{Tokens, Unit};
use serde::{Deserialize, Serialize};

/// A count or rate that is known exactly (`low` is `high`) or within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Within {
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
}

impl Within {
    /// The number, where both bounds are the same.
    pub fn exact(self) -> Option<f64> {
        (self.high - self.low).abs().le(&f64::EPSILON).then_some(self.low)
    }

    fn over(self, divisor: f64) -> Self {
        Self { low: self.low / divisor, high: self.high / divisor }
    }
}

/// One limit by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitShare {
    /// The limit.
    pub limit: Limit,
    /// Requests that meet it, whatever the others say.
    pub met: Within,
    /// Their share of the same requests as [`Goodput::share`].
    pub share: Within,
}

/// Goodput under a set of limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goodput {
    /// Requests that meet every limit.
    pub good: Within,
    /// The requests out of which `share` is: sent, or finished under share-of-finished.
    pub of: f64,
    /// The requests that were sent and apply.
    #[serde(default)]
    pub sent: f64,
    /// The requests that finished and apply.
    #[serde(default)]
    pub finished: f64,
    /// Requests left out of both sides, for want of a limited metric.
    pub not_applicable: usize,
    /// `good` ÷ `of`.
    pub share: Within,
    /// `good` out of all that were sent and apply.
    pub share_of_sent: Within,
    /// `good` out of all that finished and apply.
    pub share_of_finished: Within,
    /// The 95 % Wilson interval of `share`; of its bounds, where it is bounded.
    pub interval: Option<Interval>,
    /// Good requests per second, or why that can't be had.
    pub per_second: Result<Within, String>,
    /// The 95 % interval of `per_second`: Wilson's of the share of all sent, times the requests sent
    /// per second, which are taken as they are.
    #[serde(default)]
    pub per_second_interval: Option<Interval>,
    /// Output tokens of good requests per second, or why that can't be had.
    pub tokens_per_second: Result<Within, String>,
    /// Each limit by itself.
    pub each: Vec<LimitShare>,
    /// The place in `each` of the limit that fewest requests meet, when any request misses one; none where
    /// bounds leave open which it is.
    pub binding: Option<usize>,
    /// Why `good` is bounded, as a clause, where it is.
    pub because: Option<String>,
}

impl Goodput {
    /// The number in the unit that was chosen.
    ///
    /// # Errors
    /// When it can't be had; the reason is a clause.
    pub fn headline(&self, unit: GoodputUnit) -> Result<(Within, Unit), &str> {
        match unit {
            GoodputUnit::RequestsPerSecond => {
                Ok((*self.per_second.as_ref().map_err(String::as_str)?, Unit::RequestsPerSecond))
            }
            GoodputUnit::TokensPerSecond => Ok((
                *self.tokens_per_second.as_ref().map_err(String::as_str)?,
                Unit::TokensPerSecond,
            )),
            // The highest load is a number of a sweep; what a run says of it is its share.
            GoodputUnit::ShareOfSent
            | GoodputUnit::ShareOfFinished
            | GoodputUnit::MaxLoadAtAttainment(_) => Ok((self.share, Unit::Share)),
        }
    }

    /// The goodput of repeats of one measurement under the same limits: shares of all their requests, and
    /// the mean of their rates, with a t interval over three runs or more. One alone stays as it is.
    pub fn together(all: &[&Self]) -> Option<Self> {
        let first = match all {
            [one] => return Some((*one).clone()),
            all => all.first()?,
        };
        let add = |of: &dyn Fn(&Self) -> Within| {
            all.iter().map(|one| of(one)).fold(Within::default(), |sum, one| Within {
                low: sum.low + one.low,
                high: sum.high + one.high,
            })
        };
        let sum = |of: &dyn Fn(&Self) -> f64| all.iter().map(|one| of(one)).sum::<f64>();
        let share =
            |good: Within, of: f64| if of > 0.0 { good.over(of) } else { Within::default() };
        let good = add(&|one| one.good);
        let of = sum(&|one| one.of);
        let (sent, finished) = (sum(&|one| one.sent), sum(&|one| one.finished));
        let mean = |of: &dyn Fn(&Self) -> Result<Within, String>| -> Result<Within, String> {
            let each = all.iter().map(|one| of(one)).collect::<Result<Vec<_>, _>>()?;
            let n = each.len() as f64;
            Ok(Within {
                low: each.iter().map(|w| w.low).sum::<f64>() / n,
                high: each.iter().map(|w| w.high).sum::<f64>() / n,
            })
        };
        let exact: Option<Vec<f64>> =
            all.iter().map(|one| one.per_second.as_ref().ok().and_then(|w| w.exact())).collect();
        let each: Vec<LimitShare> = first
            .each
            .iter()
            .enumerate()
            .map(|(at, limit)| {
                let met = add(&|one| one.each.get(at).map_or_else(Within::default, |e| e.met));
                LimitShare { limit: limit.limit, met, share: share(met, of) }
            })
            .collect();
        Some(Self {
            good,
            of,
            sent,
            finished,
            not_applicable: all.iter().map(|one| one.not_applicable).sum(),
            share: share(good, of),
            share_of_sent: share(good, sent),
            share_of_finished: share(good, finished),
            interval: wilson_of(good, of),
            per_second: mean(&|one| one.per_second.clone()),
            per_second_interval: exact.as_deref().and_then(t_interval),
            tokens_per_second: mean(&|one| one.tokens_per_second.clone()),
            binding: binding(&each, of),
            each,
            because: all.iter().find_map(|one| one.because.clone()),
        })
    }

    /// Whether at least this share of the requests sent is good; none where bounds leave it open, or
    /// where nothing was sent.
    pub fn attains(&self, share: f64) -> Option<bool> {
        // A share of whole requests, such as 0.9 of 10, is not to fail by the last bit of a division.
        let enough = |of_sent: f64| of_sent >= share - 1e-12;
        let (low, high) = (enough(self.share_of_sent.low), enough(self.share_of_sent.high));
        (self.of > 0.0 && low == high).then_some(low)
    }
}

/// Goodput of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "there is one a run, and nearly all are known")]
pub enum GoodputResult {
    /// No limits were asked for.
    NoLimits,
    /// It can't be had; the reason is a clause.
    Unavailable(String),
    /// Known, exactly or within bounds.
    Known(Goodput),
}

/// Whether one request meets one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    Perhaps,
    Missing,
}

/// Judges every chosen request by `limits`. `tokens` for each good request come from the rows, and
/// `duration` is that of the throughputs.
pub(super) fn goodput(
    rows: &Rows<'_>,
    limits: &[Limit],
    duration: &Result<f64, String>,
) -> GoodputResult {
    if limits.is_empty() {
        return GoodputResult::NoLimits;
    }
    let mut held = Vec::with_capacity(limits.len());
    for limit in limits {
        match Held::new(rows, limit) {
            Ok(limit) => held.push(limit),
            Err(reason) => return GoodputResult::Unavailable(reason),
        }
    }
    let mut tally = Tally { met: vec![Within::default(); limits.len()], ..Tally::default() };
    for (at, inside) in rows.inside.iter().enumerate() {
        if !inside {
            continue;
        }
        tally.sent += 1.0;
        if rows.requests.outcome.get(at) != Some(&Outcome::Ok) {
            continue;
        }
        tally.finished += 1.0;
        if rows.counted.get(at) == Some(&true) {
            tally.judge(rows, &held, at);
        }
    }
    if tally.judged == 0 && tally.not_applicable > 0 {
        return GoodputResult::Unavailable(
            "no request has a value for every limit, so none can be judged".into(),
        );
    }
    GoodputResult::Known(tally.close(rows, limits, duration))
}

/// What became of one request under all limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It meets every limit.
    All,
    /// It misses those whose bits are set, in the order of the limits; none where it failed or is no answer.
    Missed(u32),
    /// Bounds leave it open.
    Perhaps,
    /// It has no value for a limit and so counts on neither side.
    NotApplicable,
    /// It lies outside of the window or was left out.
    Outside,
}

/// What becomes of each request under `limits`, as [`goodput`] counts them.
///
/// # Errors
/// When none can be judged; the reason is a clause.
pub(super) fn each(rows: &Rows<'_>, limits: &[Limit]) -> Result<Vec<Kept>, String> {
    let held = limits.iter().map(|limit| Held::new(rows, limit)).collect::<Result<Vec<_>, _>>()?;
    let judge = |(at, inside): (usize, &bool)| {
        if !inside {
            return Kept::Outside;
        }
        if rows.requests.outcome.get(at) != Some(&Outcome::Ok)
            || rows.counted.get(at) != Some(&true)
        {
            return Kept::Missed(0);
        }
        let verdicts = verdicts(rows, &held, at);
        if verdicts.contains(&Verdict::Missing) {
            return Kept::NotApplicable;
        }
        match joint(&verdicts) {
            Verdict::Met => Kept::All,
            Verdict::Perhaps => Kept::Perhaps,
            Verdict::Missed | Verdict::Missing => {
                let missed = verdicts.iter().zip(0_u32..).filter(|(v, _)| **v == Verdict::Missed);
                Kept::Missed(
                    missed.fold(0, |bits, (_, at)| bits | 1_u32.checked_shl(at).unwrap_or(0)),
                )
            }
        }
    };
    Ok(rows.inside.iter().enumerate().map(judge).collect())
}

/// Whether request `at` meets each limit, by the rule for missing values.
fn verdicts(rows: &Rows<'_>, limits: &[Held<'_>], at: usize) -> Vec<Verdict> {
    let policy = rows.settings.goodput_missing;
    let one = |limit: &Held<'_>| match (limit.verdict(rows, at), policy) {
        (Verdict::Missing, GoodputMissing::Passes) => Verdict::Met,
        (Verdict::Missing, GoodputMissing::Fails) => Verdict::Missed,
        (verdict, _) => verdict,
    };
    limits.iter().map(one).collect()
}

/// What several limits say together.
fn joint(verdicts: &[Verdict]) -> Verdict {
    if verdicts.contains(&Verdict::Missed) {
        Verdict::Missed
    } else if verdicts.contains(&Verdict::Perhaps) {
        Verdict::Perhaps
    } else {
        Verdict::Met
    }
}

/// A limit with what it is held against, where that takes a pass over all samples.
struct Held<'a> {
    limit: &'a Limit,
    itl: Option<PerRequest>,
}

impl<'a> Held<'a> {
    /// # Errors
    /// When no request can be held against it; the reason is a clause.
    fn new(rows: &Rows<'_>, limit: &'a Limit) -> Result<Self, String> {
        let limited = |reason| format!("{} is limited, but {reason}", limit.metric.metric().name());
        let grows = |what: &str, reason: &str| format!("a limit grows with {what}, but {reason}");
        let itl = match limit.metric {
            LimitMetric::Itl(aggregation) => {
                Some(within_request::itl(rows, aggregation).map_err(limited)?)
            }
            metric => available(rows, metric).map(|()| None).map_err(limited)?,
        };
        match (limit.scaled.map(|scaled| scaled.by), &rows.tokens) {
            (Some(Length::Input), _) if rows.requests.input_tokens.is_absent() => {
                Err(grows("the input tokens", "the file holds no input tokens of each request"))
            }
            (Some(Length::Output), Err(reason)) => Err(grows("the output tokens", reason)),
            _ => Ok(Self { limit, itl }),
        }
    }

    /// Whether request `at` meets it.
    fn verdict(&self, rows: &Rows<'_>, at: usize) -> Verdict {
        let length = |length| match length {
            Length::Input => rows.requests.input_tokens.get(at).map(Tokens::count),
            Length::Output => rows.tokens.as_ref().ok().and_then(|t| pick(t, at)),
        };
        let Some(bound) = self.limit.secs(length) else { return Verdict::Missing };
        match &self.itl {
            Some(PerRequest { low, high }) => {
                let of = |side: &Option<Values>| side.as_ref().and_then(|values| pick(values, at));
                within(of(low), of(high), bound)
            }
            None => verdict(rows, self.limit.metric, bound, at),
        }
    }
}

/// The TPOT that a limit on it is held against.
const fn limited_tpot(settings: &Settings) -> Tpot {
    match settings.goodput_rule {
        GoodputRule::AndInclusive => settings.tpot,
        GoodputRule::AndInclusiveAfterFirst => Tpot::AfterFirst,
    }
}

/// Whether a metric that has one value a request can be had of any.
fn available(rows: &Rows<'_>, metric: LimitMetric) -> Result<(), String> {
    let ends = |metric: Metric| match rows.ends_of(metric) {
        Ends { low: None, high: None, because, .. } => Err(because.clone()),
        _ => Ok(()),
    };
    let ttft = || rows.ttft.as_ref().map(|_| ()).map_err(Clone::clone);
    match metric {
        LimitMetric::Ttft => ttft(),
        LimitMetric::E2e => ends(Metric::E2e),
        LimitMetric::Itl(_) => Ok(()),
        LimitMetric::Tpot => match limited_tpot(rows.settings) {
            Tpot::VisibleGaps if rows.requests.gaps.is_absent() => {
                Err(rows.requests.no_gaps().into())
            }
            Tpot::VisibleGaps => {
                unstreamed(rows.requests).map_or(Ok(()), |reason| Err(reason.to_owned()))
            }
            formula => {
                rows.tokens.as_ref().map_err(Clone::clone)?;
                if formula != Tpot::WholeOverN {
                    ttft()?;
                }
                ends(Metric::Tpot)?;
                match unstreamed(rows.requests) {
                    Some(reason) if formula != Tpot::WholeOverN => Err(reason.to_owned()),
                    _ => Ok(()),
                }
            }
        },
    }
}

#[derive(Default)]
struct Tally {
    sent: f64,
    finished: f64,
    judged: usize,
    not_applicable: usize,
    good: Within,
    tokens: Within,
    met: Vec<Within>,
}

impl Tally {
    fn judge(&mut self, rows: &Rows<'_>, limits: &[Held<'_>], at: usize) {
        let verdicts = verdicts(rows, limits, at);
        if verdicts.contains(&Verdict::Missing) {
            self.not_applicable += 1;
            return;
        }
        self.judged += 1;
        for (verdict, met) in verdicts.iter().zip(&mut self.met) {
            add(met, *verdict, 1.0);
        }
        let joint = joint(&verdicts);
        add(&mut self.good, joint, 1.0);
        let tokens = rows.tokens.as_ref().ok().and_then(|t| pick(t, at)).unwrap_or(0.0);
        add(&mut self.tokens, joint, tokens);
    }

    fn close(self, rows: &Rows<'_>, limits: &[Limit], duration: &Result<f64, String>) -> Goodput {
        let left_out = self.not_applicable as f64;
        let (sent, finished) = (self.sent - left_out, self.finished - left_out);
        let of = match rows.settings.goodput_unit {
            GoodputUnit::ShareOfFinished => finished,
            _ => sent,
        };
        let share =
            |count: Within, of: f64| if of > 0.0 { count.over(of) } else { Within::default() };
        let interval = wilson_of(self.good, of);
        let per_second_interval =
            wilson_of(self.good, sent).zip(duration.as_ref().ok()).map(|(share, secs)| Interval {
                low: share.low * sent / secs,
                high: share.high * sent / secs,
            });
        let each: Vec<LimitShare> = limits
            .iter()
            .zip(&self.met)
            .map(|(limit, met)| LimitShare { limit: *limit, met: *met, share: share(*met, of) })
            .collect();
        let per_second =
            |count: Within| duration.as_ref().map(|d| count.over(*d)).map_err(Clone::clone);
        let bounded = self.good.exact().is_none() || self.met.iter().any(|m| m.exact().is_none());
        Goodput {
            good: self.good,
            of,
            sent,
            finished,
            not_applicable: self.not_applicable,
            share: share(self.good, of),
            share_of_sent: share(self.good, sent),
            share_of_finished: share(self.good, finished),
            interval,
            per_second: per_second(self.good),
            per_second_interval,
            tokens_per_second: match &rows.tokens {
                Ok(_) => per_second(self.tokens),
                Err(reason) => Err(reason.clone()),
            },
            binding: binding(&each, of),
            each,
            because: bounded.then(|| rows.ends.because.clone()),
        }
    }
}

/// The 95 % Wilson interval of a share; of its bounds, where it is bounded.
fn wilson_of(good: Within, of: f64) -> Option<Interval> {
    let ends = wilson(good.low, of).zip(wilson(good.high, of));
    ends.map(|(a, b)| Interval { low: a.low, high: b.high })
}

/// The place of the limit that fewest requests meet, when any request misses one: at most as many as are sure
/// to meet each of the others.
fn binding(each: &[LimitShare], of: f64) -> Option<usize> {
    let missed = each.iter().enumerate().filter(|(_, limit)| limit.met.high < of);
    let (at, fewest) = missed.min_by(|a, b| a.1.met.high.total_cmp(&b.1.met.high))?;
    let sure =
        |(other, limit): (usize, &LimitShare)| other == at || fewest.met.high <= limit.met.low;
    each.iter().enumerate().all(sure).then_some(at)
}

fn add(count: &mut Within, verdict: Verdict, amount: f64) {
    match verdict {
        Verdict::Met => {
            count.low += amount;
            count.high += amount;
        }
        Verdict::Perhaps => count.high += amount,
        Verdict::Missed | Verdict::Missing => {}
    }
}

/// Whether request `at` keeps `metric` at or under `bound` seconds.
fn verdict(rows: &Rows<'_>, metric: LimitMetric, bound: f64, at: usize) -> Verdict {
    match metric {
        LimitMetric::Itl(_) => Verdict::Missing,
        LimitMetric::Ttft => {
            let value = rows.ttft.as_ref().ok().and_then(|t| rows.ttft_of(t, at).ok());
            within(value, value, bound)
        }
        LimitMetric::E2e => {
            let of = |ends: &Option<Values>| ends.as_ref().and_then(|e| rows.e2e_of(e, at).ok());
            within(of(&rows.ends.low), of(&rows.ends.high), bound)
        }
        LimitMetric::Tpot => {
            let formula = limited_tpot(rows.settings);
            let of = |ends: &Option<Values>| {
                let ends = ends.as_ref()?;
                match tpot_of(rows, formula, ends, at) {
                    Err(reason)
                        if is_short(reason)
                            && rows.settings.short_outputs == ShortOutputs::Zero =>
                    {
                        Some(0.0)
                    }
                    value => value.ok(),
                }
            };
            if formula == Tpot::VisibleGaps {
                let none = Some(Values::new());
                let value = of(&none);
                return within(value, value, bound);
            }
            let ends = rows.ends_of(Metric::Tpot);
            within(of(&ends.low), of(&ends.high), bound)
        }
    }
}

/// Inclusive: a value at the limit meets it. Compared in the printed unit, so that 0.5 s is 500 ms.
fn within(low: Option<f64>, high: Option<f64>, limit: f64) -> Verdict {
    match (low, high) {
        (None, None) => Verdict::Missing,
        (_, Some(high)) if high <= limit => Verdict::Met,
        (Some(low), _) if low > limit => Verdict::Missed,
        (Some(_), Some(high)) if high > limit && low == Some(high) => Verdict::Missed,
        _ => Verdict::Perhaps,
    }
}
