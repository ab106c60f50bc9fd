//! One real request under both rulers: when each event came, and what each ruler takes as first, last and
//! gap. Data for a drawing; times are ms since the send.

use super::per_token::{Formula, parts};
use super::{Bridge, End};
use crate::metrics::evaluate::Ask;
use crate::metrics::measured::Value;
use crate::metrics::rows::{Rows, Values, pick, same_count};
use crate::metrics::samples::{EventTokens, event_tokens, rebuilt};
use crate::metrics::settings::{Itl, Tpot};
use crate::model::{GapKind, Metric, Run};
use crate::units::fixed;
use serde::{Deserialize, Serialize};

/// A request longer than this is not chosen by itself: its marks stand too close.
const MOST_TOKENS: f64 = 60.0;

/// One stream event.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StreamEvent {
    /// When it came, in ms since the send.
    pub at: f64,
    /// The time since the event before it, in ms; none of the first.
    pub gap: Option<f64>,
    /// Its output tokens, where they are known.
    pub tokens: Option<f64>,
}

/// What one ruler takes of the request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Laid {
    /// What the marks stand for: `event`, `token` or `ends`.
    pub mark: String,
    /// Where it starts, in ms since the send.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its marks, first and last included, in ms since the send.
    pub marks: Vec<f64>,
    /// How many marks lie on each place of `marks`: more than one where tokens pile up on an event.
    pub piled: Vec<usize>,
    /// What it divides: `to` less `from`, in ms.
    pub span: f64,
    /// By how many.
    pub count: f64,
    /// What it counts: “gaps”, “tokens”, “events”; empty where nothing is divided.
    pub counts: String,
    /// The request’s number, in ms.
    pub result: f64,
    /// “364 ms ÷ 12 gaps”.
    pub reading: String,
}

/// One request under both rulers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Its place in the table, from 0.
    pub at: usize,
    /// How many requests the table holds.
    pub of: usize,
    /// Its output tokens, where they are counted.
    pub tokens: Option<f64>,
    /// Its time to first token in ms.
    pub ttft: Option<f64>,
    /// Its latency in ms, where its end is known.
    pub e2e: Option<f64>,
    /// Its events in order.
    pub events: Vec<StreamEvent>,
    /// Whether the events were put together again from gaps per token.
    pub rebuilt: bool,
    /// Under A's ruler.
    pub a: Option<Laid>,
    /// Under B's ruler.
    pub b: Option<Laid>,
    /// The event that shows the difference best: most tokens, then the longest gap.
    pub pinned: Option<usize>,
    /// What is known of the tokens of its events, as a sentence.
    pub split: String,
    /// Why this one, as a clause.
    pub chosen: String,
}

/// The request that shows best what lies between the ends of a bridge: the one of at most 60 tokens that
/// is nearest to both numbers; or the one asked for, by its place in the table.
pub fn picture(run: &Run, bridge: &Bridge, ask: &Ask, wanted: Option<usize>) -> Option<Picture> {
    let requests = run.requests.as_ref()?;
    let a = Rows::new(requests, &bridge.a.settings, &ask.excluded).ok()?;
    let b = Rows::new(requests, &bridge.b.settings, &ask.excluded).ok()?;
    let lay = |at: usize| (laid(&a, &bridge.a, at), laid(&b, &bridge.b, at));
    let at = match wanted {
        Some(at) if !requests.is_empty() => at % requests.len(),
        _ => nearest(&a, bridge, &lay)?,
    };
    let (of_a, of_b) = lay(at);
    let tokens = tokens_of(&a, at).or_else(|| tokens_of(&b, at));
    let events = events(&b, at).or_else(|| events(&a, at)).unwrap_or_default();
    let ends = a.ends.known().ok();
    let millis = |secs: f64| secs * 1e3;
    Some(Picture {
        at,
        of: requests.len(),
        tokens,
        ttft: a.ttft.as_ref().ok().and_then(|t| pick(t, at)).map(millis),
        e2e: ends.and_then(|ends| pick(ends, at)).map(millis),
        rebuilt: requests.gap_kind == GapKind::TokenSpread,
        pinned: pinned(&events),
        split: split(&events, tokens),
        events,
        a: of_a,
        b: of_b,
        chosen: match wanted {
            Some(_) => "the one that was asked for".into(),
            None => "close to both numbers".into(),
        },
    })
}

/// The place of the request that is nearest to both numbers.
fn nearest(
    rows: &Rows<'_>,
    bridge: &Bridge,
    lay: &dyn Fn(usize) -> (Option<Laid>, Option<Laid>),
) -> Option<usize> {
    let target = |value: &Value| value.exact_or_reported().filter(|v| v.abs() > 0.0);
    let (a, b) = (target(&bridge.a.value)?, target(&bridge.b.value).unwrap_or(f64::NAN));
    let off = |laid: Option<Laid>, to: f64| {
        let result = laid?.result;
        if to.is_nan() { Some(0.0) } else { Some(((result - to) / to).abs()) }
    };
    let distance = |at: usize| {
        let (of_a, of_b) = lay(at);
        Some(off(of_a, a)? + off(of_b, b)?)
    };
    let nearest = |short: bool| {
        rows.counted_rows()
            .filter(|at| !short || tokens_of(rows, *at).is_none_or(|n| n <= MOST_TOKENS))
            .filter_map(|at| Some((distance(at)?, at)))
            .min_by(|x, y| x.0.total_cmp(&y.0))
            .map(|(_, at)| at)
    };
    nearest(true).or_else(|| nearest(false))
}

fn tokens_of(rows: &Rows<'_>, at: usize) -> Option<f64> {
    rows.tokens.as_ref().ok().and_then(|tokens| pick(tokens, at))
}

/// The events of request `at`.
fn events(rows: &Rows<'_>, at: usize) -> Option<Vec<StreamEvent>> {
    let first = rows.requests.ttft.get(at)?.as_millis();
    let row = rows.requests.gaps.row(at)?;
    let (gaps, counts): (Vec<f64>, Vec<Option<f64>>) = match rows.requests.gap_kind {
        GapKind::TokenSpread => {
            rebuilt(row).map(|(gap, tokens)| (gap * 1e3, Some(tokens as f64))).unzip()
        }
        GapKind::Event => {
            let tokens: Vec<Option<f64>> = match event_tokens(rows, at, row.len()) {
                Some(EventTokens::Each(tokens)) => tokens.iter().map(|n| Some(n.count())).collect(),
                Some(EventTokens::One) => vec![Some(1.0); row.len()],
                None => vec![None; row.len()],
            };
            (row.iter().map(|gap| gap.as_millis()).collect(), tokens)
        }
    };
    let mut time = first;
    let mut events =
        vec![StreamEvent { at: first, gap: None, tokens: rows.first_event_tokens(at) }];
    for (gap, tokens) in gaps.into_iter().zip(counts) {
        time += gap;
        events.push(StreamEvent { at: time, gap: Some(gap), tokens });
    }
    Some(events)
}

fn pinned(events: &[StreamEvent]) -> Option<usize> {
    let weight = |event: &StreamEvent| (event.tokens.unwrap_or(0.0), event.gap.unwrap_or(0.0));
    let later = events.iter().enumerate().filter(|(_, event)| event.gap.is_some());
    let best = later.max_by(|(_, a), (_, b)| {
        let (a, b) = (weight(a), weight(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    best.map(|(at, _)| at)
}

fn split(events: &[StreamEvent], tokens: Option<f64>) -> String {
    let chunks = fixed(events.len() as f64, 0);
    let known = !events.is_empty() && events.iter().all(|event| event.tokens.is_some());
    match tokens {
        _ if events.is_empty() => "The file holds no events of this request.".into(),
        Some(n) if known => format!("{} tokens in {chunks} chunks.", fixed(n, 0)),
        Some(n) => format!("{} tokens over {chunks} chunks, split unknown.", fixed(n, 0)),
        None => format!("{chunks} chunks, tokens not counted."),
    }
}

/// What the ruler of one end takes of request `at`.
fn laid(rows: &Rows<'_>, end: &End, at: usize) -> Option<Laid> {
    if rows.counted.get(at) != Some(&true) {
        return None;
    }
    let known = |values: &Result<Values, String>| values.as_ref().ok().and_then(|v| pick(v, at));
    let ttft = || known(&rows.ttft).map(|t| t * 1e3);
    let stop = |metric: Metric| {
        rows.ends_of(metric).known().ok().and_then(|ends| pick(ends, at)).map(|e| e * 1e3)
    };
    let wait = rows.wait_of(at) * 1e3;
    match end.metric {
        Metric::Ttft | Metric::FirstAnswer => Some(ends(-wait, ttft()? - wait)),
        Metric::E2e => Some(ends(-wait, stop(Metric::E2e)? - wait)),
        metric => {
            let (formula, _) = parts(metric, &end.settings)?;
            time_per_token(rows, formula, at, ttft(), stop(metric))
        }
    }
}

/// A ruler that divides nothing.
fn ends(from: f64, to: f64) -> Laid {
    Laid {
        mark: "ends".into(),
        from,
        to,
        marks: vec![from, to],
        piled: vec![1, 1],
        span: to - from,
        count: 1.0,
        counts: String::new(),
        result: to - from,
        reading: format!("{} ms", fixed(to - from, 0)),
    }
}

fn time_per_token(
    rows: &Rows<'_>,
    formula: Formula,
    at: usize,
    ttft: Option<f64>,
    stop: Option<f64>,
) -> Option<Laid> {
    let n = tokens_of(rows, at);
    let events = || events(rows, at);
    match formula {
        Formula::Itl(Itl::EventGap) | Formula::Tpot(Tpot::VisibleGaps) => {
            let events = events()?;
            let marks: Vec<f64> = events.iter().map(|event| event.at).collect();
            divided("event", marks, (events.len() as f64) - 1.0, "gaps")
        }
        Formula::Itl(Itl::WholeOverEvents) => {
            let events = events()?;
            let marks = std::iter::once(0.0).chain(events.iter().map(|event| event.at)).collect();
            divided("event", marks, events.len() as f64, "events")
        }
        Formula::Itl(Itl::TokenSpread) => tokens_within(&events()?, n?, false),
        Formula::Itl(Itl::TokenZeros) => tokens_within(&events()?, n?, true),
        Formula::Tpot(Tpot::WholeOverN) => evenly(0.0, stop?, n?, n?, "tokens"),
        Formula::Tpot(Tpot::AfterFirstOverN) => evenly(ttft?, stop?, n?, n? - 1.0, "tokens"),
        Formula::Tpot(Tpot::AfterFirstEvent) => {
            let later = n? - rows.first_event_tokens(at)?;
            evenly(ttft?, stop?, later, later, "tokens")
        }
        Formula::Tpot(Tpot::AfterFirst) | Formula::Itl(Itl::RequestMean) => {
            evenly(ttft?, stop?, n? - 1.0, n? - 1.0, "tokens")
        }
        // The tool's own sum: where it starts and what it divides by is not in the file.
        Formula::Itl(Itl::AsRecorded) => None,
    }
}

/// `parts` even parts from `from` to `to`, of which `count` are counted.
fn evenly(from: f64, to: f64, count: f64, parts: f64, counts: &str) -> Option<Laid> {
    if count < 1.0 || to <= from {
        return None;
    }
    let parts = parts.max(1.0).round() as usize;
    let step = (to - from) / parts as f64;
    let marks: Vec<f64> = (0..=parts).map(|i| from + step * i as f64).collect();
    let mut laid = divided("token", marks, count, counts)?;
    // The last mark is the end itself, whatever the steps round to.
    if let Some(last) = laid.marks.last_mut() {
        *last = to;
    }
    laid.to = to;
    laid.span = to - from;
    laid.result = laid.span / count;
    Some(laid)
}

/// Marks of tokens within the gaps of their events: even, or piled on the event.
fn tokens_within(events: &[StreamEvent], n: f64, piled: bool) -> Option<Laid> {
    let first = events.first()?;
    let (mut marks, mut stacks) = (vec![first.at], vec![1]);
    let mut before = first.at;
    for event in events.iter().skip(1) {
        let Some(tokens) = event.tokens else {
            // The split is not known: the mean alone is.
            return evenly(first.at, events.last()?.at, n - 1.0, n - 1.0, "tokens");
        };
        let tokens = tokens.round().max(0.0) as usize;
        if tokens == 0 {
            continue;
        }
        if piled {
            marks.push(event.at);
            stacks.push(tokens);
        } else {
            let step = (event.at - before) / tokens as f64;
            marks.extend((1..=tokens).map(|i| before + step * i as f64));
            stacks.extend(std::iter::repeat_n(1, tokens));
        }
        before = event.at;
    }
    let later = n - if piled { 1.0 } else { first.tokens.unwrap_or(1.0) };
    let mut laid = divided("token", marks, later, "tokens")?;
    laid.piled = stacks;
    Some(laid)
}

fn divided(mark: &str, marks: Vec<f64>, count: f64, counts: &str) -> Option<Laid> {
    let (from, to) = (*marks.first()?, *marks.last()?);
    if count < 1.0 {
        return None;
    }
    let span = to - from;
    let noun = if same_count(count, 1.0) { counts.trim_end_matches('s') } else { counts };
    Some(Laid {
        mark: mark.into(),
        from,
        to,
        piled: vec![1; marks.len()],
        marks,
        span,
        count,
        counts: counts.into(),
        result: span / count,
        reading: format!("{} ms ÷ {} {noun}", fixed(span, 0), fixed(count, 0)),
    })
}
