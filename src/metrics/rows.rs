//! One value a request: the columns of a run read under a definition set.

use super::settings::{
    ClockStart, DecodeEnd, EmptyOutputs, End, FirstToken, Population, Settings, TokenCount, Window,
};
use super::window;
use crate::model::{
    EndRule, FirstTokenRule, GapKind, Metric, Origin, Outcome, Requests, TokenSource,
};
use crate::units::Seconds;

/// One optional value a request, in seconds or tokens.
pub(super) type Values = Vec<Option<f64>>;

/// Decode times up to this are no measurement: all tokens came in one read.
pub(super) const ONE_READ_SECS: f64 = 1e-6;
/// Why such a request has no time per token.
pub(super) const NO_DECODE: &str = "all tokens came in one event, so there is no decode time";
/// A latency may fall this far below its TTFT before it is no measurement: clients read two clocks.
const CLOCK_NOISE_SECS: f64 = 1e-3;

/// What is known of the ends of all requests.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    /// No request ended before this.
    pub low: Option<Values>,
    /// No request ended after this; the same as `low` where the ends are known.
    pub high: Option<Values>,
    /// Whether the ends are known; then `low` holds them.
    pub exact: bool,
    /// Why they are not known exactly, as a clause.
    pub because: String,
}

/// The request table under a definition set.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub requests: &'a Requests,
    pub settings: &'a Settings,
    /// Requests inside the window, whatever their outcome.
    pub inside: Vec<bool>,
    /// Requests of the population and the window, empty replies included.
    pub chosen: Vec<bool>,
    /// Requests that can be latency samples: chosen, and no empty reply unless it enters.
    pub counted: Vec<bool>,
    /// Chosen requests that were left out as empty replies.
    pub empty: usize,
    /// Length of the window in seconds, where it has one of its own.
    pub window: Result<f64, String>,
    /// From when to when on the run's clock, for windows that are a span of time.
    pub range: Option<window::Range>,
    /// Requests that the reader left out, ascending.
    excluded: Vec<usize>,
    /// Σ gaps of each request.
    pub gap_sums: Values,
    pub ttft: Result<Values, String>,
    pub tokens: Result<Values, String>,
    pub ends: Ends,
    /// The ends of decode times, where they are others than those of the requests.
    decode_ends: Option<Ends>,
}

/// Why a window leaves nothing to measure, as a clause; a second in which no request happened to be in flight
/// leaves a rate of 0.
fn nothing_inside(
    settings: &Settings,
    span: &window::Span,
    inside: &[bool],
    excluded: &[usize],
) -> Option<String> {
    let sent = inside.len().saturating_sub(excluded.len());
    let whole = matches!(settings.window, Window::Whole | Window::FirstSendToLastToken);
    let because = span.length.as_ref().err()?;
    if whole || sent == 0 || inside.contains(&true) {
        return None;
    }
    let none = match sent {
        1 => "the window leaves out the only request".to_owned(),
        sent => format!("the window leaves none of the {sent} requests"),
    };
    Some(if span.range.is_some() { format!("{none}: {because}") } else { none })
}

impl<'a> Rows<'a> {
    /// Reads the columns under `settings`, as if the requests `excluded` (ascending) had never been sent.
    ///
    /// # Errors
    /// When the window can't be had from this table; the reason is a clause.
    pub(super) fn new(
        requests: &'a Requests,
        settings: &'a Settings,
        excluded: &[usize],
    ) -> Result<Self, String> {
        let gap_sums = gap_sums(requests);
        let span = window::select(requests, settings, &gap_sums, excluded)?;
        let takes_empty = settings.empty_outputs == EmptyOutputs::AsSuccess;
        let inside: Vec<bool> = (0..requests.len())
            .map(|at| span.contains(at) && excluded.binary_search(&at).is_err())
            .collect();
        if let Some(because) = nothing_inside(settings, &span, &inside, excluded) {
            return Err(because);
        }
        let chosen: Vec<bool> = inside
            .iter()
            .enumerate()
            .map(|(at, inside)| *inside && in_population(requests, settings.population, at))
            .collect();
        let is_empty = |at: usize| is_empty(requests, settings, at);
        let counted: Vec<bool> = chosen
            .iter()
            .enumerate()
            .map(|(at, chosen)| {
                *chosen
                    && requests.outcome.get(at) != Some(&Outcome::Failed)
                    && (takes_empty || !is_empty(at))
            })
            .collect();
        let empty = if takes_empty {
            0
        } else {
            chosen.iter().enumerate().filter(|(at, c)| **c && is_empty(*at)).count()
        };
        let waits = waits(requests, settings.clock_start);
        Ok(Self {
            ttft: ttft(requests, settings, &waits),
            tokens: tokens(requests, settings.token_count),
            ends: ends(requests, settings.end, &gap_sums).after(&waits),
            decode_ends: (settings.decode_end == DecodeEnd::LastToken
                && settings.end != End::LastToken)
                .then(|| ends(requests, End::LastToken, &gap_sums).after(&waits)),
            requests,
            settings,
            inside,
            chosen,
            counted,
            empty,
            window: span.length,
            range: span.range,
            excluded: excluded.to_vec(),
            gap_sums,
        })
    }

    /// Where requests end for `metric`: decode times may end before the request does.
    pub(super) fn ends_of(&self, metric: Metric) -> &Ends {
        match (metric, &self.decode_ends) {
            (Metric::Tpot | Metric::Itl | Metric::UserSpeed, Some(decode)) => decode,
            _ => &self.ends,
        }
    }

    /// Times to the first token that is not reasoning.
    ///
    /// # Errors
    /// When the file does not time it; the reason is a clause.
    pub(super) fn first_answer(&self) -> Result<Values, String> {
        first_answer(self.requests, &waits(self.requests, self.settings.clock_start))
    }

    /// Whether zeros that a client wrote enter as they are.
    pub(super) fn takes_zeros(&self) -> bool {
        self.settings.empty_outputs == EmptyOutputs::AsSuccess
    }

    /// Numbers of the counted requests.
    pub(super) fn counted_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.counted.iter().enumerate().filter_map(|(at, counted)| counted.then_some(at))
    }

    /// TTFT of request `at`, or why it is no sample.
    pub(super) fn ttft_of(&self, ttft: &Values, at: usize) -> Result<f64, &'static str> {
        let value = pick(ttft, at).ok_or("no TTFT recorded")?;
        if value <= 0.0 && !self.takes_zeros() {
            return Err("a TTFT of zero or less is no measurement");
        }
        Ok(value)
    }

    /// E2E of request `at` out of `ends`, or why it is no sample.
    pub(super) fn e2e_of(&self, ends: &Values, at: usize) -> Result<f64, &'static str> {
        let value = pick(ends, at).ok_or("no end recorded")?;
        if self.takes_zeros() {
            return Ok(value);
        }
        if value <= 0.0 {
            return Err("a latency of zero or less is no measurement");
        }
        let first = self.requests.ttft.get(at).map_or(0.0, Seconds::as_secs);
        if value < first - CLOCK_NOISE_SECS {
            return Err("a latency below its TTFT is no measurement");
        }
        Ok(value)
    }

    /// E − T of request `at`, or why it is no sample.
    pub(super) fn decode_of(
        &self,
        ttft: &Values,
        ends: &Values,
        at: usize,
    ) -> Result<f64, &'static str> {
        let decode = self.e2e_of(ends, at)? - self.ttft_of(ttft, at)?;
        if decode <= ONE_READ_SECS && !self.takes_zeros() {
            return Err(NO_DECODE);
        }
        Ok(decode)
    }

    /// Stream events of request `at`, the first included.
    pub(super) fn events_of(&self, at: usize) -> Option<f64> {
        events(self.requests, at)
    }

    /// Tokens in the first event of request `at`, where known.
    pub(super) fn first_event_tokens(&self, at: usize) -> Option<f64> {
        if let Some(first) = self.requests.event_tokens.row(at).and_then(<[_]>::first) {
            return Some(first.count());
        }
        let gaps = self.requests.gaps.row(at)?.len() as f64;
        let tokens = self.tokens.as_ref().ok().and_then(|t| pick(t, at))?;
        match self.requests.gap_kind {
            GapKind::TokenSpread => (tokens >= gaps).then_some(tokens - gaps),
            GapKind::Event => same_count(gaps + 1.0, tokens).then_some(1.0),
        }
    }

    /// Requests of the population, inside the window or not, without left-out ones and empty replies.
    pub(super) fn populated(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.requests.len())
            .filter(|at| self.excluded.binary_search(at).is_err())
            .filter(|at| in_population(self.requests, self.settings.population, *at))
            .filter(|at| self.takes_zeros() || !self.is_empty(*at))
    }

    /// Seconds of waiting inside the client that count into the latency of request `at`.
    pub(super) fn wait_of(&self, at: usize) -> f64 {
        match self.settings.clock_start {
            ClockStart::Scheduled => self.requests.queue_wait.get(at).map_or(0.0, Seconds::as_secs),
            ClockStart::Send | ClockStart::ServerArrival => 0.0,
        }
    }

    /// Whether request `at` is an empty reply under this ruler.
    pub(super) fn is_empty(&self, at: usize) -> bool {
        is_empty(self.requests, self.settings, at)
    }
}

impl Ends {
    /// The known ends, or why they are not known.
    pub(super) fn known(&self) -> Result<&Values, &str> {
        match &self.low {
            Some(values) if self.exact => Ok(values),
            _ => Err(&self.because),
        }
    }

    fn after(mut self, waits: &Result<Option<Values>, String>) -> Self {
        match waits {
            Ok(None) => self,
            Ok(Some(waits)) => {
                let add = |values: Values| plus(&values, waits);
                self.low = self.low.map(add);
                self.high = self.high.map(add);
                self
            }
            Err(reason) => Self { low: None, high: None, exact: false, because: reason.clone() },
        }
    }
}

/// Σ gaps of each request.
pub(super) fn gap_sums(requests: &Requests) -> Values {
    let sum = |gaps: &[Seconds]| gaps.iter().map(|g| g.as_secs()).sum();
    requests.gaps.rows().map(|row| row.map(sum)).collect()
}

/// The value of row `at`.
pub(super) fn pick(values: &Values, at: usize) -> Option<f64> {
    values.get(at).copied().flatten()
}

/// Whether two counts are the same number.
pub(super) fn same_count(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.5
}

/// Whether a request is an empty reply. Where only answers count as a first token, one without an answer
/// is.
fn is_empty(requests: &Requests, settings: &Settings, at: usize) -> bool {
    requests.is_empty_reply(at)
        || settings.first_token == FirstToken::FirstAnswer && requests.lacks_answer(at)
}

fn plus(a: &Values, b: &Values) -> Values {
    a.iter().zip(b).map(|(a, b)| Some((*a)? + (*b)?)).collect()
}

fn in_population(requests: &Requests, population: Population, at: usize) -> bool {
    match requests.outcome.get(at) {
        Some(Outcome::Ok) => true,
        Some(Outcome::Cancelled | Outcome::Unfinished) => population != Population::Ok,
        Some(Outcome::Failed) => population == Population::Sent,
        None => false,
    }
}

/// Waiting inside the client, to be added to every latency: nothing unless the clock starts earlier.
fn waits(requests: &Requests, clock: ClockStart) -> Result<Option<Values>, String> {
    match clock {
        ClockStart::Send => Ok(None),
        ClockStart::Scheduled if requests.queue_wait.is_absent() => {
            Err("the file does not hold the wait inside the client".into())
        }
        ClockStart::Scheduled => {
            Ok(Some(requests.queue_wait.iter().map(|w| w.map(Seconds::as_secs)).collect()))
        }
        ClockStart::ServerArrival => {
            Err("the file holds the client’s clock only, no arrival stamps of the server".into())
        }
    }
}

fn first_answer(
    requests: &Requests,
    waits: &Result<Option<Values>, String>,
) -> Result<Values, String> {
    let column = match requests.first_token_rule {
        FirstTokenRule::FirstAnswer => &requests.ttft,
        _ => &requests.first_answer,
    };
    if column.is_absent() {
        return Err("the file does not time the first text that is not reasoning".into());
    }
    let times: Values = column.iter().map(|t| t.map(Seconds::as_secs)).collect();
    Ok(match waits.as_ref().map_err(Clone::clone)? {
        Some(waits) => plus(&times, waits),
        None => times,
    })
}

fn ttft(
    requests: &Requests,
    settings: &Settings,
    waits: &Result<Option<Values>, String>,
) -> Result<Values, String> {
    if requests.ttft.is_absent() {
        return Err(requests.without("the file holds no TTFT of each request"));
    }
    let recorded = match requests.first_token_rule {
        FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
        FirstTokenRule::FirstText => FirstToken::FirstText,
        FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
    };
    if settings.first_token == FirstToken::FirstAnswer && !requests.first_answer.is_absent() {
        return first_answer(requests, waits);
    }
    if settings.first_token != FirstToken::FirstEvent && settings.first_token != recorded {
        let timed = match recorded {
            FirstToken::FirstEvent => "the first event, which may carry no text",
            FirstToken::FirstText => "the first text, reasoning included",
            FirstToken::FirstAnswer => "the first text that is not reasoning",
        };
        return Err(format!("the client timed {timed}"));
    }
    let values: Values = (0..requests.len()).map(|at| written_ttft(requests, at)).collect();
    match waits {
        Ok(None) => Ok(values),
        Ok(Some(waits)) => Ok(plus(&values, waits)),
        Err(reason) => Err(reason.clone()),
    }
}

/// TTFT as the client wrote it: a zero for an empty reply, which the importer keeps as missing.
fn written_ttft(requests: &Requests, at: usize) -> Option<f64> {
    let zero = || requests.is_empty_reply(at).then_some(0.0);
    requests.ttft.get(at).map(Seconds::as_secs).or_else(zero)
}

/// The latency as the client wrote it, likewise.
fn written_e2e(requests: &Requests, at: usize) -> Option<f64> {
    let zero = || requests.is_empty_reply(at).then_some(0.0);
    requests.e2e.get(at).map(Seconds::as_secs).or_else(zero)
}

fn tokens(requests: &Requests, rule: TokenCount) -> Result<Values, String> {
    let column = match rule {
        TokenCount::AsRecorded => &requests.output_tokens,
        TokenCount::Server if requests.token_source == TokenSource::Server => {
            &requests.output_tokens
        }
        TokenCount::Server => {
            return Err(format!(
                "the output tokens of this file are {}, not by the server",
                requests.token_source.words()
            ));
        }
        TokenCount::Retokenized if requests.token_source == TokenSource::Retokenized => {
            &requests.output_tokens
        }
        TokenCount::Retokenized if !requests.retokenized.is_absent() => &requests.retokenized,
        TokenCount::Retokenized => {
            return Err("the file holds no count by the client’s tokenizer for each request".into());
        }
        TokenCount::Events if requests.gaps.is_absent() => {
            return Err(requests.no_events().into());
        }
        TokenCount::Events => {
            return Ok((0..requests.len()).map(|at| events(requests, at)).collect());
        }
    };
    if column.is_absent() {
        return Err(requests.without("the file holds no output tokens of each request"));
    }
    Ok(column.iter().map(|n| n.map(crate::units::Tokens::count)).collect())
}

/// Stream events of a request: one more than its gaps between events, none of an empty reply.
fn events(requests: &Requests, at: usize) -> Option<f64> {
    if requests.is_empty_reply(at) {
        return Some(0.0);
    }
    let gaps = requests.gaps.row(at)?;
    let between = match requests.gap_kind {
        GapKind::Event => gaps.len(),
        GapKind::TokenSpread => gaps.chunk_by(|a, b| a == b).count(),
    };
    Some(between as f64 + 1.0)
}

/// What the table knows of the ends of requests by `rule`, counted from the send.
pub(super) fn ends(requests: &Requests, rule: End, gap_sums: &Values) -> Ends {
    let recorded = (!requests.e2e.is_absent())
        .then(|| (0..requests.len()).map(|at| written_e2e(requests, at)).collect::<Values>());
    let rebuilt = (!requests.ttft.is_absent() && !requests.gaps.is_absent()).then(|| {
        let first = (0..requests.len()).map(|at| written_ttft(requests, at));
        first.zip(gap_sums).map(|(t, g)| Some(t? + (*g)?)).collect::<Values>()
    });
    let last_token = (!requests.last_token.is_absent())
        .then(|| requests.last_token.iter().map(|t| t.map(Seconds::as_secs)).collect::<Values>());
    // A reply without a token has no last one: it ends where its client says, under any rule.
    let wrote = |(at, end): (usize, Option<f64>)| match recorded.as_ref() {
        Some(recorded) if requests.is_empty_reply(at) => pick(recorded, at).or(end),
        _ => end,
    };
    let rebuilt =
        last_token.or(rebuilt).map(|ends| ends.into_iter().enumerate().map(wrote).collect());
    let exact = |values: Option<Values>, missing: &str| Ends {
        exact: values.is_some(),
        high: values.clone(),
        low: values,
        because: missing.into(),
    };
    let bounded = |low: Option<Values>, high: Option<Values>, because: &str| Ends {
        low,
        high,
        exact: false,
        because: because.into(),
    };
    let nothing = "the file holds neither a latency nor gaps of each request";
    let file_stops = match requests.end_rule {
        EndRule::LastToken => End::LastToken,
        EndRule::LastMessage => End::LastMessage,
        EndRule::StreamEnd => End::StreamEnd,
    };
    match (rule, file_stops) {
        (End::LastToken, End::LastToken) => exact(recorded.or(rebuilt), nothing),
        (End::LastToken, _) if rebuilt.is_some() => exact(rebuilt, nothing),
        (End::LastToken, _) => bounded(
            None,
            recorded,
            "the latency in the file stops after the last token, and there are no gaps",
        ),
        _ if rule == file_stops && recorded.is_some() => exact(recorded, nothing),
        _ if rule == file_stops => bounded(
            rebuilt,
            None,
            match rule {
                End::StreamEnd => {
                    "the file does not hold when the stream ended, only when the last token came"
                }
                _ => "the file does not hold when the last message came, only the last token",
            },
        ),
        (End::LastMessage, End::StreamEnd) => bounded(
            rebuilt,
            recorded,
            "the last message lies between the last token and the end of the stream",
        ),
        _ => bounded(
            recorded.or(rebuilt),
            None,
            "the client of this file stopped its clock earlier than that",
        ),
    }
}

/// Why no request of the run has a time per token after its first: every reply of several tokens came at
/// once, as without a stream. A client that divides that zero writes a TPOT of 0, which is no speed.
pub(super) fn unstreamed(requests: &Requests) -> Option<&'static str> {
    let mut several = false;
    for at in 0..requests.len() {
        let tokens = requests.output_tokens.get(at).map_or(0.0, crate::units::Tokens::count);
        if requests.outcome.get(at) != Some(&Outcome::Ok) || tokens < 2.0 {
            continue;
        }
        let Some(ttft) = requests.ttft.get(at).map(Seconds::as_secs) else { continue };
        let gaps = one_event(requests, at);
        let once = match requests.e2e.get(at).map(Seconds::as_secs) {
            Some(e2e) => (e2e - ttft).abs() <= ONE_READ_SECS && gaps != Some(false),
            None if requests.e2e.is_absent() => gaps == Some(true),
            None => false,
        };
        if !once {
            return None;
        }
        several = true;
    }
    several.then_some(
        "the run was not streamed: the first token came with the last in every reply of several",
    )
}

/// Whether a request brought one event only, as far as that is known: by its gaps, or where those were left
/// out of what was saved, by its last token.
fn one_event(requests: &Requests, at: usize) -> Option<bool> {
    let seconds = |column: &crate::model::Column<Seconds>| column.get(at).map(Seconds::as_secs);
    let by_ends =
        || Some(seconds(&requests.last_token)? - seconds(&requests.ttft)? <= ONE_READ_SECS);
    let gaps = requests.gaps.row(at).map(<[_]>::is_empty);
    gaps.or_else(|| if requests.gaps.origin() == &Origin::LeftOut { by_ends() } else { None })
}

/// Whether any finished request brought no answer, so that it matters what becomes of such replies.
pub(super) fn has_silent(requests: &Requests) -> bool {
    (0..requests.len()).any(|at| requests.lacks_answer(at) || requests.is_empty_reply(at))
}

/// Whether an own ruler that keeps zeros differs, on this table, from one that leaves them out.
pub(super) fn writes_zeros(requests: &Requests) -> bool {
    let without_ttft = requests.ttft.is_absent();
    (0..requests.len()).filter(|at| requests.outcome.get(*at) == Some(&Outcome::Ok)).any(|at| {
        let ttft = requests.ttft.get(at).map(Seconds::as_secs);
        let tokens = requests.output_tokens.get(at).map(crate::units::Tokens::count);
        let one_event = match requests.e2e.get(at).map(Seconds::as_secs) {
            Some(e2e) => {
                ttft.is_some_and(|t| e2e - t <= ONE_READ_SECS) || without_ttft && e2e <= 0.0
            }
            None => one_event(requests, at) == Some(true),
        };
        requests.is_empty_reply(at)
            || ttft.is_some_and(|t| t <= 0.0)
            || (one_event && tokens.is_none_or(|n| n >= 2.0))
    })
}
