//! What a server’s buckets say of the limits of an SLO: the requests themselves are gone, the counts up to each
//! edge are there.

use super::screen::{Line, Mark};
use crate::metrics::{Within, share_of_all};
use crate::model::{Aggregation, Limit, LimitMetric};
use crate::prometheus::names::Measure;
use crate::prometheus::words::{counted, number, time};
use crate::prometheus::{Account, ServerHistogram, Stretch};
use crate::stats::{Histogram, Interval};
use crate::units::{fixed, significant};
use crate::views::slo::{limit_in_words, limit_name};

/// The limits under a server’s buckets.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Each limit by itself; the reason where nothing is known of it, as a clause.
    pub each: Vec<(Limit, Result<KeptLimit, String>)>,
    /// All of them together, out of as many requests; the reason where that can’t be said, as a clause.
    pub all: Result<(Within, f64), String>,
    /// Requests that keep all of them per second of the time between the readings, where there is such a time.
    pub per_second: Option<Within>,
}

/// One limit under the buckets.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptLimit {
    /// The series.
    pub series: String,
    /// The requests out of which the share is.
    pub of: f64,
    /// The share that keeps it.
    pub share: Within,
    /// The nearest edges around the limit in seconds, the lower one 0 below the first and the upper one none above
    /// the last; the same twice where the limit is an edge.
    pub edges: (f64, Option<f64>),
    /// Whether the sum of the observations tells more than the counts at those edges.
    pub by_sum: bool,
    /// What else to know, as a sentence.
    pub note: Option<&'static str>,
}

/// What a limit is held against, by its name in a server’s account.
pub const fn measure_of(metric: LimitMetric) -> Measure {
    match metric {
        LimitMetric::Ttft => Measure::Ttft,
        LimitMetric::Tpot => Measure::Tpot,
        LimitMetric::E2e => Measure::E2e,
        LimitMetric::Itl(_) => Measure::Itl,
    }
}

/// What an account’s buckets say of the limits; nothing where none is set.
pub fn kept(account: &Account, limits: &[Limit]) -> Option<Kept> {
    if limits.is_empty() {
        return None;
    }
    let each: Vec<(Limit, Result<KeptLimit, String>)> =
        limits.iter().map(|limit| (*limit, one(account, limit))).collect();
    let all = together(&each);
    let seconds = account.span.seconds.filter(|seconds| *seconds > 0.0);
    let seconds = seconds.filter(|_| account.span.stretch != Stretch::SinceStart);
    let per_second = all.as_ref().ok().zip(seconds).map(|((share, of), seconds)| {
        let rate = of / seconds;
        Within { low: share.low * rate, high: share.high * rate }
    });
    Some(Kept { each, all, per_second })
}

/// All limits together. Shares of different requests bound nothing, so their numbers have to agree.
fn together(each: &[(Limit, Result<KeptLimit, String>)]) -> Result<(Within, f64), String> {
    let mut known: Vec<(&Limit, &KeptLimit)> = Vec::new();
    for (limit, found) in each {
        match found {
            Ok(found) => known.push((limit, found)),
            Err(_) => return Err(format!("nothing is known of {}", limit_name(limit.metric))),
        }
    }
    let (first, others) = known.split_first().ok_or("no limit is set")?;
    if let Some(other) = others.iter().find(|(_, other)| (other.of - first.1.of).abs() > 0.5) {
        let of = |(limit, found): &(&Limit, &KeptLimit)| {
            format!("{} of {}", limit_name(limit.metric), counted(found.of, "request", "requests"))
        };
        return Err(format!(
            "the buckets are not of the same requests: {}, {}",
            of(first),
            of(other)
        ));
    }
    let shares: Vec<Within> = known.iter().map(|(_, found)| found.share).collect();
    share_of_all(&shares)
        .map(|share| (share, first.1.of))
        .ok_or_else(|| "no limit is set".to_owned())
}

fn one(account: &Account, limit: &Limit) -> Result<KeptLimit, String> {
    let measure = measure_of(limit.metric);
    let bound = limit
        .constant()
        .ok_or("it grows with the length of a request, and buckets hold no lengths")?
        / 1e3;
    let server = of(account, measure)?;
    let (buckets, unit) = usable(server)?;
    let (value, edges) = around(buckets, bound / unit);
    let share = buckets.share_within(value).ok_or("nothing was observed")?;
    let counted = by_counts(buckets, edges);
    let found = KeptLimit {
        series: server.row.key.clone(),
        of: buckets.count(),
        share: Within { low: share.low, high: share.high },
        edges: (edges.0 * unit, edges.1.map(|edge| edge * unit)),
        by_sum: share.low > counted.low + TINY || share.high < counted.high - TINY,
        note: None,
    };
    match limit.metric {
        LimitMetric::Itl(aggregation) => {
            let (requests, _) = usable(of(account, Measure::Ttft)?)?;
            Ok(of_gaps(found, share, requests.count(), aggregation))
        }
        LimitMetric::Tpot if account.is("vllm") => {
            let note = "vLLM enters replies of at most one token as 0, so they keep it.";
            Ok(KeptLimit { note: Some(note), ..found })
        }
        _ => Ok(found),
    }
}

/// A limit on the gaps of a request, out of the gaps of all: a request can only miss it with a gap above it, and
/// each such gap makes one request miss at most.
fn of_gaps(gaps: KeptLimit, share: Interval, requests: f64, aggregation: Aggregation) -> KeptLimit {
    let above = |share: f64| (gaps.of * (1.0 - share)).max(0.0);
    let missed = (above(share.low) / requests.max(1.0)).min(1.0);
    // Of the largest gap one above the limit is a miss; of a mean or a percentile it need not be.
    let missed_surely = match aggregation {
        Aggregation::Max if above(share.high) > 0.5 => 1.0 / requests.max(1.0),
        _ => 0.0,
    };
    let note = "Its buckets hold gaps of all requests: each gap above the limit makes one request miss it at most.";
    KeptLimit {
        of: requests,
        share: Within { low: 1.0 - missed, high: 1.0 - missed_surely.min(missed) },
        note: Some(note),
        ..gaps
    }
}

fn of(account: &Account, measure: Measure) -> Result<&ServerHistogram, String> {
    account.server(measure).ok_or_else(|| {
        let apart = account.apart(measure);
        apart.unwrap_or_else(|| format!("the server has no histogram of {}", measure.label()))
    })
}

/// The buckets, and what turns their edges into seconds.
fn usable(server: &ServerHistogram) -> Result<(&Histogram, f64), String> {
    let buckets = server.buckets.as_ref().map_err(Clone::clone)?;
    let unit = server.row.seconds().ok_or("its unit is not known")?;
    Ok((buckets, unit))
}

/// Shares and edges nearer than this to each other, relatively, differ by rounding alone.
const TINY: f64 = 1e-9;

/// The edges nearest to a value, and the value itself: on an edge that it misses by rounding alone, since it came
/// through another unit.
fn around(buckets: &Histogram, value: f64) -> (f64, (f64, Option<f64>)) {
    let edges = buckets.edges();
    if let Some(edge) = edges.iter().find(|edge| (**edge - value).abs() <= TINY * value.abs()) {
        return (*edge, (*edge, Some(*edge)));
    }
    let lower = edges.iter().rev().find(|edge| **edge < value).copied().unwrap_or(0.0);
    (value, (lower, edges.iter().find(|edge| **edge > value).copied()))
}

/// What the counts at two edges say of the share between them.
fn by_counts(buckets: &Histogram, (lower, upper): (f64, Option<f64>)) -> Interval {
    let counts = buckets.buckets();
    let up_to = |edge: f64| {
        let found = counts.iter().find(|(own, _)| own.total_cmp(&edge).is_eq());
        found.map_or(0.0, |(_, count)| count / buckets.count())
    };
    Interval { low: up_to(lower), high: up_to(upper.unwrap_or(f64::INFINITY)) }
}

/// The limits on screen: what is kept, between which edges, and all of them together.
pub(super) fn lines(account: &Account, limits: &[Limit]) -> Vec<Line> {
    let Some(kept) = kept(account, limits) else { return Vec::new() };
    let mut lines: Vec<Line> = kept
        .each
        .iter()
        .map(|(limit, found)| {
            let (text, mark) = match found {
                Ok(found) => (found.sentence(), Mark::Note),
                Err(because) => (format!("Not known: {because}."), Mark::Warn),
            };
            Line { name: limit_in_words(limit), text, mark }
        })
        .collect();
    if kept.each.len() > 1 || kept.per_second.is_some() {
        let mark = if kept.all.is_ok() { Mark::Note } else { Mark::Warn };
        lines.push(Line { name: "All limits".into(), text: kept.sentence(), mark });
    }
    lines
}

impl Kept {
    /// What is known of all limits together.
    pub fn sentence(&self) -> String {
        let (share, of) = match &self.all {
            Ok(all) => *all,
            Err(because) => return format!("Not known, since {because}."),
        };
        let why = if self.each.len() > 1 {
            ": buckets don’t tell whether the same requests miss two limits"
        } else {
            ""
        };
        let rate = self.per_second.map(|rate| {
            format!(
                " That is {} good requests a second between the readings.",
                range(rate.low, rate.high, |rate| significant(rate, 3))
            )
        });
        format!("Kept by {}{why}.{}", share_in_words(share, of), rate.unwrap_or_default())
    }
}

impl KeptLimit {
    /// What is known of the limit, with the edges that tell it.
    pub fn sentence(&self) -> String {
        let edges = match self.edges {
            (lower, Some(upper)) if lower.total_cmp(&upper).is_eq() => {
                "the limit is an edge of the buckets".to_owned()
            }
            (lower, Some(upper)) => {
                format!("the nearest edges are {} and {}", time(lower), time(upper))
            }
            (lower, None) => format!("the last edge is {}", time(lower)),
        };
        let sum = if self.by_sum { ", and the sum tells more" } else { "" };
        let note = self.note.map(|note| format!(" {note}")).unwrap_or_default();
        format!("Kept by {}: {edges}{sum}.{note}", share_in_words(self.share, self.of))
    }
}

/// “40 to 55 of 60 requests, 66.7 to 91.7 %”.
fn share_in_words(share: Within, of: f64) -> String {
    let counts = range(share.low * of, share.high * of, |n| number((n * 1e6).round() / 1e6));
    let percents = range(share.low * 100.0, share.high * 100.0, |p| fixed(p, 1));
    format!("{counts} of {}, {percents} %", counted(of, "request", "requests"))
}

/// “3 to 5”, or “4” where both ends read the same.
fn range(low: f64, high: f64, words: impl Fn(f64) -> String) -> String {
    let (low, high) = (words(low), words(high));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Notices;
    use crate::prometheus::{self, Ask, account, joined};

    /// A page of 10 requests: of TTFT 6 up to 0.1 s and 9 up to 0.25 s, of E2E 8 up to 1 s and all up to 2 s; of 40
    /// gaps 37 up to 0.05 s.
    fn page(e2e: u32) -> Account {
        let text = format!(
            "vllm:time_to_first_token_seconds_bucket{{le=\"0.1\"}} 6\n\
             vllm:time_to_first_token_seconds_bucket{{le=\"0.25\"}} 9\n\
             vllm:time_to_first_token_seconds_bucket{{le=\"+Inf\"}} 10\n\
             vllm:time_to_first_token_seconds_count 10\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"1.0\"}} 8\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"2.0\"}} {e2e}\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"+Inf\"}} {e2e}\n\
             vllm:e2e_request_latency_seconds_count {e2e}\n\
             vllm:inter_token_latency_seconds_bucket{{le=\"0.05\"}} 37\n\
             vllm:inter_token_latency_seconds_bucket{{le=\"+Inf\"}} 40\n\
             vllm:inter_token_latency_seconds_count 40\n"
        );
        let types = [
            "time_to_first_token_seconds",
            "e2e_request_latency_seconds",
            "inter_token_latency_seconds",
        ];
        let types = types.map(|name| format!("# TYPE vllm:{name} histogram\n")).concat();
        let dump = prometheus::read(&(types + &text), &mut Notices::new()).unwrap();
        account(&joined(&[&dump]), &Ask::default())
    }

    #[test]
    fn between_two_readings_with_times_the_share_is_a_rate() {
        // Ten requests in 20 s, six of them up to 0.1 s.
        let reading = |up_to: u32, all: u32, at: u64| {
            let text = format!(
                "# TYPE vllm:time_to_first_token_seconds histogram\n\
                 vllm:time_to_first_token_seconds_bucket{{le=\"0.1\"}} {up_to} {at}\n\
                 vllm:time_to_first_token_seconds_bucket{{le=\"+Inf\"}} {all} {at}\n\
                 vllm:time_to_first_token_seconds_count {all} {at}\n"
            );
            prometheus::read(&text, &mut Notices::new()).unwrap()
        };
        let (before, after) = (reading(0, 0, 1_700_000_000_000), reading(6, 10, 1_700_000_020_000));
        let account = account(&joined(&[&before, &after]), &Ask::default());
        let kept = kept(&account, &limits(&["ttft<=100ms"])).unwrap();
        near(kept.per_second.unwrap(), 0.3, 0.3);
        assert_eq!(
            kept.sentence(),
            "Kept by 6 of 10 requests, 60.0 %. That is 0.300 good requests a second between the readings."
        );
        assert_eq!(lines(&account, &limits(&["ttft<=100ms"])).len(), 2, "the rate has its line");
    }

    fn limits(all: &[&str]) -> Vec<Limit> {
        all.iter().map(|limit| limit.parse().unwrap()).collect()
    }

    fn near(got: Within, low: f64, high: f64) {
        assert!((got.low - low).abs() < 1e-9 && (got.high - high).abs() < 1e-9, "{got:?}");
    }

    #[test]
    fn a_limit_between_two_edges_is_kept_between_two_shares_and_one_on_an_edge_exactly() {
        let limits = limits(&["ttft<=200ms", "e2e<=1000ms"]);
        let kept = kept(&page(10), &limits).unwrap();
        let [(_, Ok(ttft)), (_, Ok(e2e))] = kept.each.as_slice() else { panic!("{kept:?}") };
        near(ttft.share, 0.6, 0.9);
        assert_eq!(ttft.edges, (0.1, Some(0.25)));
        near(e2e.share, 0.8, 0.8);
        assert_eq!(
            ttft.sentence(),
            "Kept by 6 to 9 of 10 requests, 60.0 to 90.0 %: the nearest edges are 100 ms and 250 ms."
        );
        assert_eq!(
            e2e.sentence(),
            "Kept by 8 of 10 requests, 80.0 %: the limit is an edge of the buckets."
        );
        // At least 1 − 0.4 − 0.2 when the misses fall on different requests, at most the lesser share.
        let (all, of) = kept.all.clone().unwrap();
        near(all, 0.4, 0.8);
        assert!((of - 10.0).abs() < 1e-9);
        assert_eq!(kept.per_second, None, "one reading has no rate");
        assert_eq!(
            kept.sentence(),
            "Kept by 4 to 8 of 10 requests, 40.0 to 80.0 %: buckets don’t tell whether the same requests miss two \
             limits."
        );
    }

    #[test]
    fn the_sum_of_the_observations_narrows_what_the_edges_leave_open() {
        // Ten between 0.1 and 0.3 s that add up to 1.25 s, 0.25 s more than the least: above 0.2 s are two at most.
        let text = "# TYPE vllm:time_to_first_token_seconds histogram\n\
                    vllm:time_to_first_token_seconds_bucket{le=\"0.1\"} 0\n\
                    vllm:time_to_first_token_seconds_bucket{le=\"0.3\"} 10\n\
                    vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 10\n\
                    vllm:time_to_first_token_seconds_sum 1.25\n\
                    vllm:time_to_first_token_seconds_count 10\n";
        let dump = prometheus::read(text, &mut Notices::new()).unwrap();
        let account = account(&joined(&[&dump]), &Ask::default());
        let kept = kept(&account, &limits(&["ttft<=200ms"])).unwrap();
        let [(_, Ok(ttft))] = kept.each.as_slice() else { panic!("{kept:?}") };
        near(ttft.share, 0.8, 1.0);
        let said = "the nearest edges are 100 ms and 300 ms, and the sum tells more.";
        assert!(ttft.sentence().ends_with(said), "{}", ttft.sentence());
    }

    #[test]
    fn gaps_above_a_limit_on_itl_are_at_most_as_many_requests_that_miss_it() {
        let limits = limits(&["itl.max<=50ms", "itl.p99<=50ms"]);
        let kept = kept(&page(10), &limits).unwrap();
        let [(_, Ok(max)), (_, Ok(p99))] = kept.each.as_slice() else { panic!("{kept:?}") };
        // Three gaps of 40 lie above: they are of one request at least and of three at most.
        near(max.share, 0.7, 0.9);
        near(p99.share, 0.7, 1.0);
        assert!((max.of - 10.0).abs() < 1e-9, "out of requests, not of gaps");
    }

    #[test]
    fn other_requests_and_limits_that_buckets_can_not_hold_are_said() {
        let off = kept(&page(9), &limits(&["ttft<=100ms", "e2e<=1000ms"])).unwrap();
        assert_eq!(
            off.all.unwrap_err(),
            "the buckets are not of the same requests: TTFT of 10 requests, E2E of 9 requests"
        );
        let kept_of = |limit: &str| kept(&page(10), &limits(&[limit])).unwrap().each[0].1.clone();
        assert_eq!(kept_of("tpot<=50ms").unwrap_err(), "the server has no histogram of TPOT");
        let grows = kept_of("ttft<=input_tokens/512s").unwrap_err();
        assert_eq!(grows, "it grows with the length of a request, and buckets hold no lengths");
        let beyond = kept_of("ttft<=300ms").unwrap();
        near(beyond.share, 0.9, 1.0);
        assert_eq!(beyond.edges, (0.25, None));
        assert_eq!(kept(&page(10), &[]), None);
        let all = kept(&page(10), &limits(&["ttft<=100ms", "tpot<=50ms"])).unwrap();
        assert_eq!(all.sentence(), "Not known, since nothing is known of TPOT.");
        let lines = lines(&page(10), &limits(&["ttft<=200ms"]));
        assert_eq!(lines.len(), 1, "one limit is all of them");
    }
}
