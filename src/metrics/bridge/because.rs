//! Why a step changes the number: the cause in the data, as one sentence with its numbers.

use super::moves::Move;
use super::per_token::{Formula, Vote};
use super::walk::Probe;
use crate::metrics::estimates::samples_of;
use crate::metrics::evaluate::Ask;
use crate::metrics::goodput::{Goodput, GoodputResult, goodput};
use crate::metrics::rows::{Ends, Rows, Values, pick};
use crate::metrics::settings::{
    DecodeEnd, End, FirstToken, Itl, Percentile, Settings, ShortOutputs, TokenCount, Tpot, Window,
};
use crate::metrics::{samples, throughput};
use crate::model::{Metric, Outcome, Run, Stat};
use crate::units::{Unit, fixed, significant};

/// The cause of one move on the rows of `run`; none where they say nothing of it.
pub(super) fn because(
    one: Move,
    run: &Run,
    ask: &Ask,
    before: &Probe,
    after: &Probe,
) -> Option<String> {
    let read = |probe: &'_ Probe| -> Option<String> {
        let requests = run.requests.as_ref()?;
        let a = Rows::new(requests, &probe.settings, &ask.excluded).ok()?;
        let b = Rows::new(requests, &after.settings, &ask.excluded).ok()?;
        let facts = Facts { run, ask, a: &a, b: &b, before: probe, after };
        facts.said(one)
    };
    read(before).or_else(|| without_rows(one))
}

/// What can be said without rows.
fn without_rows(one: Move) -> Option<String> {
    match one {
        Move::Metric(a, b) => Some(format!("{} is another quantity than {}.", b.name(), a.name())),
        Move::Statistic(a, b) => {
            Some(format!("The {} is read instead of the {}.", b.name(), a.name()))
        }
        _ => None,
    }
}

/// The rows under both rulers.
struct Facts<'a> {
    run: &'a Run,
    ask: &'a Ask,
    a: &'a Rows<'a>,
    b: &'a Rows<'a>,
    before: &'a Probe,
    after: &'a Probe,
}

/// A count with its noun: “1 request”, “60 requests”.
pub(super) fn count(n: usize, noun: &str) -> String {
    let many = if n == 1 { "" } else { "s" };
    format!("{} {noun}{many}", fixed(n as f64, 0))
}

fn millis(secs: f64) -> String {
    format!("{} ms", significant(secs * 1e3, 3))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        sum += value;
        n += 1.0;
    }
    (n > 0.0).then(|| sum / n)
}

impl Facts<'_> {
    fn said(&self, one: Move) -> Option<String> {
        match one {
            Move::Formula(from, to) => self.formula(from, to),
            Move::Vote(from, to) => self.vote(from, to),
            Move::Metric(from, to) => self.metric(from, to),
            Move::Statistic(..) => self.statistic(one),
            Move::Dimension(dimension) => match dimension.id {
                // Of another metric, such as a peak, whose samples the choice makes.
                "itl" => self.formula(
                    Formula::Itl(self.before.settings.itl),
                    Formula::Itl(self.after.settings.itl),
                ),
                "tpot" => self.formula(
                    Formula::Tpot(self.before.settings.tpot),
                    Formula::Tpot(self.after.settings.tpot),
                ),
                "token-count" => self.token_count(),
                "clock-start" => self.clock_start(),
                "first-token" => self.first_token(),
                "end" | "decode-end" => self.end(),
                "short-outputs" => self.short_outputs(),
                "empty-outputs" => Some(self.empty_outputs()),
                "population" => Some(self.population()),
                "window" | "window-edge" => Some(self.window()),
                "duration" => self.duration(),
                "percentile" | "spread" => self.rule(),
                "goodput-missing" => self.goodput_missing(),
                "goodput-unit" => self.goodput_unit(),
                "user-speed" => self.user_speed(),
                _ => None,
            },
        }
    }

    /// Output tokens of the counted requests, those of at least two first.
    fn lengths(&self) -> Option<Vec<f64>> {
        let tokens = self.a.tokens.as_ref().or(self.b.tokens.as_ref()).ok()?;
        Some(self.a.counted_rows().filter_map(|at| pick(tokens, at)).collect())
    }

    /// Gaps and tokens after the first of the requests of which both are known.
    fn gaps_and_tokens(&self) -> Option<(f64, f64)> {
        let tokens = self.a.tokens.as_ref().or(self.b.tokens.as_ref()).ok()?;
        let (mut gaps, mut later) = (0.0, 0.0);
        for at in self.a.counted_rows() {
            if let (Some(events), Some(n)) = (self.a.events_of(at), pick(tokens, at)) {
                gaps += (events - 1.0).max(0.0);
                later += (n - 1.0).max(0.0);
            }
        }
        (gaps > 0.0).then_some((gaps, later))
    }

    fn is_time(&self) -> bool {
        self.after.metric.unit() == Unit::Millis
    }

    fn mean_ttft(&self) -> Option<f64> {
        let ttft = self.b.ttft.as_ref().or(self.a.ttft.as_ref()).ok()?;
        mean(self.b.counted_rows().filter_map(|at| pick(ttft, at)))
    }

    fn formula(&self, from: Formula, to: Formula) -> Option<String> {
        let kinds = [kind(from), kind(to)];
        let has = |wanted: Kind| kinds.contains(&wanted);
        if has(Kind::Whole) || has(Kind::WholeEvents) {
            let ttft = millis(self.mean_ttft()?);
            let n = mean(self.lengths()?.into_iter())?;
            let side = if matches!(kind(from), Kind::Whole | Kind::WholeEvents) {
                "no longer inside"
            } else {
                "inside"
            };
            let over = if has(Kind::WholeEvents) { "the events" } else { "the tokens" };
            return Some(format!(
                "The wait for the first token, {ttft} on average, is {side}, shared by {over} of a reply ({} tokens on average).",
                significant(n, 3)
            ));
        }
        if has(Kind::FirstEvent) {
            let counted = self.a.counted_rows();
            let first = mean(counted.filter_map(|at| self.a.first_event_tokens(at)))?;
            return Some(format!(
                "The first event carries {} tokens on average, which take none of the decode time.",
                significant(first, 3)
            ));
        }
        if kinds == [Kind::Token; 2] {
            return Some(
                "Both share the time after the first token among the tokens: the one gap by gap, the other \
                 reply by reply."
                    .into(),
            );
        }
        if has(Kind::OverN) {
            let n = mean(self.lengths()?.into_iter())?;
            return Some(format!(
                "The first token takes none of the decode time: n against n − 1, of {} tokens on average.",
                significant(n, 3)
            ));
        }
        let letter = match [from, to].map(Self::is_of_request) {
            [true, false] => Some("A"),
            [false, true] => Some("B"),
            _ => None,
        };
        // The mean of requests is that of their gaps; no other statistic is.
        if let Some(letter) = letter.filter(|_| self.after.stat != Stat::Mean && self.is_time()) {
            let (gaps, later) = self.gaps_and_tokens()?;
            return Some(format!(
                "{letter} takes one mean a request, in which its longest and shortest gaps are levelled: {} gaps carry {} tokens.",
                fixed(gaps, 0),
                fixed(later, 0)
            ));
        }
        if has(Kind::Event) {
            let (gaps, later) = self.gaps_and_tokens()?;
            let (g, t) = (fixed(gaps, 0), fixed(later, 0));
            let each = later / gaps;
            let does = |kind: Kind| match kind {
                Kind::Event => Some("samples once per chunk"),
                Kind::Token => Some("shares that time among its tokens"),
                Kind::Zeros => Some("takes that time once, and 0 for each other token"),
                _ => None,
            };
            let [a, b] = kinds;
            let sides = match (does(a), does(b)) {
                (Some(a), Some(b)) if each > 1.005 && a != b && self.is_time() => {
                    format!(" A {a}, B {b}.")
                }
                _ => String::new(),
            };
            return Some(if (each - 1.0).abs() < 0.005 {
                format!("Each gap carries one token here: {g} gaps, {t} tokens.")
            } else if each > 1.0 {
                format!(
                    "This server sends {} tokens in a chunk: {g} gaps carry {t} tokens.{sides}",
                    significant(each, 3)
                )
            } else {
                format!(
                    "There are more gaps than tokens: {g} gaps carry {t} tokens, so some events bring no text."
                )
            });
        }
        if has(Kind::Zeros) {
            let (gaps, later) = self.gaps_and_tokens()?;
            return Some(format!(
                "All tokens of a chunk but one count as 0: {} of {} samples.",
                fixed((later - gaps).max(0.0), 0),
                fixed(later, 0)
            ));
        }
        None
    }

    /// Whether the samples of a formula are one a request.
    const fn is_of_request(formula: Formula) -> bool {
        !matches!(formula, Formula::Itl(Itl::EventGap | Itl::TokenSpread | Itl::TokenZeros))
    }

    fn vote(&self, from: Vote, to: Vote) -> Option<String> {
        let lengths = self.lengths()?;
        let (low, high) = lengths
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), n| (l.min(*n), h.max(*n)));
        let votes = |vote: Vote| match vote {
            Vote::Pooled => "pools all samples",
            Vote::Request => "gives each request one vote",
            Vote::Tokens => "gives each token one vote",
        };
        let side = format!("A {}, B {}.", votes(from), votes(to));
        let end = match self.after.stat {
            Stat::Max => Some("largest"),
            Stat::Min => Some("smallest"),
            _ => None,
        };
        if let Some(end) = end {
            return Some(format!("{side} The {end} sample is the same under any vote."));
        }
        Some(if (high - low).abs() < 0.5 {
            format!("{side} All replies have {} tokens.", fixed(low, 0))
        } else {
            format!(
                "{side} Replies have {} to {} tokens, and a long one has more say where samples are pooled.",
                fixed(low, 0),
                fixed(high, 0)
            )
        })
    }

    fn token_count(&self) -> Option<String> {
        let sum = |rows: &Rows<'_>| {
            let tokens = rows.tokens.as_ref().ok()?;
            Some(rows.counted_rows().filter_map(|at| pick(tokens, at)).sum::<f64>())
        };
        let (a, b) = (sum(self.a)?, sum(self.b)?);
        let words = |settings: &Settings| match settings.token_count {
            TokenCount::Server => "by the server",
            TokenCount::Retokenized => "by its tokenizer",
            TokenCount::Events => "by stream events",
            TokenCount::AsRecorded => "as the file’s main count has it",
        };
        let percent = if a > 0.0 { (b - a) / a * 100.0 } else { 0.0 };
        let change = if percent.abs() < 0.005 {
            "the same".to_owned()
        } else {
            let side = if percent > 0.0 { "more" } else { "fewer" };
            format!("{} % {side}", significant(percent.abs(), 2))
        };
        Some(format!(
            "A counts {} tokens {}, B {} {} ({change}).",
            fixed(a, 0),
            words(&self.before.settings),
            fixed(b, 0),
            words(&self.after.settings)
        ))
    }

    fn clock_start(&self) -> Option<String> {
        let wait = |rows: &Rows<'_>| mean(rows.counted_rows().map(|at| rows.wait_of(at)));
        let (a, b) = (wait(self.a)?, wait(self.b)?);
        let side = if b > a { "is inside" } else { "is no longer inside" };
        Some(format!(
            "The wait in the client before the send, {} on average, {side}.",
            millis((b - a).abs())
        ))
    }

    fn first_token(&self) -> Option<String> {
        let (ttft_a, ttft_b) = (self.a.ttft.as_ref().ok()?, self.b.ttft.as_ref().ok()?);
        let both =
            self.a.counted_rows().filter_map(|at| Some(pick(ttft_b, at)? - pick(ttft_a, at)?));
        let later = mean(both)?;
        let lost = self.a.counted.iter().filter(|c| **c).count();
        let kept = self.b.counted.iter().filter(|c| **c).count();
        let moved = if later.abs() < 1e-9 {
            "Both are the same event in every request of these rows".to_owned()
        } else {
            let side = if later > 0.0 { "later" } else { "earlier" };
            let answers = |probe: &Probe| probe.settings.first_token == FirstToken::FirstAnswer;
            let at_answer = match (answers(self.before), answers(self.after)) {
                (true, false) => Some("A"),
                (false, true) => Some("B"),
                _ => None,
            };
            match at_answer {
                Some(letter) => format!(
                    "{letter} starts at the answer; reasoning takes {} on average",
                    millis(later.abs())
                ),
                None => format!("The first token comes {} {side} on average", millis(later.abs())),
            }
        };
        Some(match lost.abs_diff(kept) {
            0 => format!("{moved}."),
            n if lost > kept => {
                format!("{moved}; {} without one are left out.", count(n, "request"))
            }
            n => format!("{moved}; {} more count.", count(n, "request")),
        })
    }

    fn end(&self) -> Option<String> {
        let (a, b) = (self.a.ends_of(self.before.metric), self.b.ends_of(self.after.metric));
        if let (Some(x), Some(y)) = (exact(a), exact(b)) {
            let both = self.a.counted_rows().filter_map(|at| Some(pick(y, at)? - pick(x, at)?));
            let later = mean(both)?;
            if later.abs() < 1e-9 {
                return Some("Both are the same moment in every request of these rows.".into());
            }
            let side = if later > 0.0 { "later" } else { "earlier" };
            let stops = |probe: &Probe| match (probe.settings.decode_end, probe.metric) {
                (DecodeEnd::LastToken, Metric::Tpot | Metric::Itl | Metric::UserSpeed) => {
                    "at the last token"
                }
                _ => match probe.settings.end {
                    End::LastToken => "at the last token",
                    End::LastMessage => "at the last message",
                    End::StreamEnd => "when the stream closes",
                },
            };
            return Some(format!(
                "A stops {}, B {}, {} {side} on average.",
                stops(self.before),
                stops(self.after),
                millis(later.abs())
            ));
        }
        let because = if a.exact { &b.because } else { &a.because };
        Some(format!("How far apart the two ends are is known within bounds only: {because}."))
    }

    /// Of TTFT: replies of one token that are a sample on one side alone.
    fn short_ttft(&self) -> String {
        let is_short = |at: &usize| {
            !self.b.is_empty(*at) && samples::arrived(self.b, *at).is_some_and(|n| n < 2.0)
        };
        let n = self.b.counted_rows().filter(is_short).count();
        let done = match (n, self.after.settings.short_outputs == ShortOutputs::ExcludeTtft) {
            (0, _) => return "There is no reply of one token here.".into(),
            (1, true) => "reply is left out",
            (_, true) => "replies are left out",
            (1, false) => "reply is a sample too",
            (_, false) => "replies are samples too",
        };
        format!("{} one-token {done}.", fixed(n as f64, 0))
    }

    fn short_outputs(&self) -> Option<String> {
        if self.after.metric == Metric::Ttft {
            return Some(self.short_ttft());
        }
        let short: Vec<f64> = self.lengths()?.into_iter().filter(|n| *n < 2.0).collect();
        let zero = self.after.settings.short_outputs == ShortOutputs::Zero;
        let done = match (short.len(), zero) {
            (0, _) => return Some("There is no reply of one token here.".into()),
            (1, true) => "enters as 0",
            (_, true) => "enter as 0",
            (1, false) => "is left out",
            (_, false) => "are left out",
        };
        let n = fixed(short.len() as f64, 0);
        let noun = if short.len() == 1 { "reply" } else { "replies" };
        Some(if short.iter().all(|n| *n > 0.5) {
            format!("{n} one-token {noun} {done}.")
        } else {
            format!("{n} {noun} of one token or none {done}.")
        })
    }

    fn empty_outputs(&self) -> String {
        let empty = |rows: &Rows<'_>| {
            let chosen = rows.chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
            chosen.filter(|(at, _)| rows.is_empty(*at)).count()
        };
        let empties = empty(self.a).max(empty(self.b));
        let broken = self.broken();
        let (what, n) = match (empties, broken) {
            (0, 0) => return "There is no reply without a token here.".into(),
            (0, n) => {
                (format!("{} whose times are no measurement, zero or less,", count_reply(n)), n)
            }
            (n, _) => (format!("{} without a token", count_reply(n)), n),
        };
        match (self.b.takes_zeros(), n) {
            (true, 1) => format!("{what} enters as the client wrote it."),
            (true, _) => format!("{what} enter as the client wrote them."),
            (false, 1) => format!("{what} is no sample."),
            (false, _) => format!("{what} are no samples."),
        }
    }

    /// Replies with tokens whose first token or end lies at zero or before, as no measurement can.
    fn broken(&self) -> usize {
        let times = [&self.a.ttft, &self.b.ttft].into_iter().flatten();
        let ends = [self.a, self.b].into_iter().filter_map(|rows| exact(rows.ends_of(Metric::E2e)));
        let all: Vec<&Values> = times.chain(ends).collect();
        let chosen = self.b.chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
        let is_broken = |at: usize| all.iter().any(|of| pick(of, at).is_some_and(|v| v <= 0.0));
        chosen.filter(|(at, _)| is_broken(*at)).count()
    }

    fn population(&self) -> String {
        let changed = |outcome: &[Outcome], more: &Rows<'_>, less: &Rows<'_>| {
            let new = more.chosen.iter().zip(&less.chosen).enumerate();
            new.filter(|(at, (m, l))| {
                **m && !**l && more.requests.outcome.get(*at).is_some_and(|o| outcome.contains(o))
            })
            .count()
        };
        let mut said = Vec::new();
        for (more, less, letter) in [(self.b, self.a, "B"), (self.a, self.b, "A")] {
            let failed = changed(&[Outcome::Failed], more, less);
            let cut = changed(&[Outcome::Cancelled, Outcome::Unfinished], more, less);
            let mut words = Vec::new();
            if failed > 0 {
                words.push(format!("{} failed", fixed(failed as f64, 0)));
            }
            if cut > 0 {
                words.push(format!("{} cut", fixed(cut as f64, 0)));
            }
            if !words.is_empty() {
                said.push(format!("{} requests are in {letter} only", words.join(" and ")));
            }
        }
        if said.is_empty() {
            "No request failed or was cut.".into()
        } else {
            format!("{}.", capital(&said.join("; ")))
        }
    }

    fn window(&self) -> String {
        let inside = |rows: &Rows<'_>| rows.inside.iter().filter(|i| **i).count();
        let (a, b) = (inside(self.a), inside(self.b));
        let all = self.a.requests.len();
        let length = match &self.b.window {
            Ok(secs) => format!(", over {} s", significant(*secs, 3)),
            Err(_) => String::new(),
        };
        let skipped = match self.after.settings.window {
            Window::SkipFirst(first) => {
                format!("B leaves out the first {}: ", count(first, "request"))
            }
            _ => String::new(),
        };
        format!(
            "{skipped}{} of {} requests lie inside instead of {}{length}.",
            fixed(b as f64, 0),
            fixed(all as f64, 0),
            fixed(a as f64, 0)
        )
    }

    fn duration(&self) -> Option<String> {
        let a = throughput::duration(self.run, self.a).ok()?;
        let b = throughput::duration(self.run, self.b).ok()?;
        Some(format!("Divided by {} s instead of {} s.", significant(b, 4), significant(a, 4)))
    }

    fn rule(&self) -> Option<String> {
        let samples = samples_of(self.b, self.after.metric).ok()?;
        let n = count(samples.values.len(), "sample");
        let (a, b) = (&self.before.settings, &self.after.settings);
        let [from, to] = if a.percentile == b.percentile {
            [a.spread.id(), b.spread.id()]
        } else {
            [a, b].map(|settings| match settings.percentile {
                Percentile::Linear => "type 7",
                Percentile::NearestRank => "nearest rank",
                Percentile::FloorIndex => "floor index",
                Percentile::RoundedIndex => "rounded index",
                Percentile::WeightedStep => "weighted step",
                Percentile::BucketLinear => "through buckets",
            })
        };
        Some(format!("Same {n}, other rule: {from} against {to}."))
    }

    fn statistic(&self, one: Move) -> Option<String> {
        let Move::Statistic(from, to) = one else { return None };
        let samples = samples_of(self.b, self.after.metric).ok()?;
        let largest = samples.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let unit = self.after.metric.unit().symbol();
        let scale = crate::metrics::evaluate::scale(self.after.metric);
        Some(format!(
            "The {} instead of the {} of the same {}; the largest is {} {unit}.",
            to.name(),
            from.name(),
            count(samples.values.len(), "sample"),
            significant(largest * scale, 3)
        ))
    }

    fn known(&self, rows: &Rows<'_>) -> Option<Box<Goodput>> {
        match goodput(rows, &self.ask.limits, &throughput::duration(self.run, rows)) {
            GoodputResult::Known(known) => Some(Box::new(known)),
            _ => None,
        }
    }

    fn goodput_missing(&self) -> Option<String> {
        let (a, b) = (self.known(self.a)?, self.known(self.b)?);
        let changed = (b.good.high - a.good.high).abs();
        let left = b.not_applicable.max(a.not_applicable);
        let without = if left > 0 { left } else { changed as usize };
        Some(if without == 0 {
            "Every request has every limited metric.".into()
        } else {
            format!(
                "{} without a limited metric, such as the TPOT of a one-token reply: good requests go from {} to {}.",
                count(without, "request"),
                fixed(a.good.high, 0),
                fixed(b.good.high, 0)
            )
        })
    }

    fn goodput_unit(&self) -> Option<String> {
        let (a, b) = (self.known(self.a)?, self.known(self.b)?);
        Some(format!(
            "{} good requests out of {} instead of {}: failed ones are among those sent.",
            fixed(b.good.high, 0),
            fixed(b.of, 0),
            fixed(a.of, 0)
        ))
    }

    fn user_speed(&self) -> Option<String> {
        Some(format!(
            "The wait for the first token, {} on average, is in the one and not in the other.",
            millis(self.mean_ttft()?)
        ))
    }

    fn metric(&self, from: Metric, to: Metric) -> Option<String> {
        let input = throughput::input_tokens(self.b).ok();
        let output = throughput::output_tokens(self.b).ok();
        match (from, to) {
            (Metric::OutputThroughput | Metric::InputThroughput, Metric::TotalThroughput)
            | (Metric::TotalThroughput, Metric::OutputThroughput | Metric::InputThroughput) => {
                Some(format!(
                    "Input and output tokens together: {} input, {} output.",
                    fixed(input?, 0),
                    fixed(output?, 0)
                ))
            }
            (Metric::PeakOutputRate, Metric::OutputThroughput)
            | (Metric::OutputThroughput, Metric::PeakOutputRate) => {
                let events: f64 = self.b.counted_rows().filter_map(|at| self.b.events_of(at)).sum();
                let tokens = output?;
                Some(format!(
                    "The peak counts events, {}, and the mean tokens, {}: {} tokens in a chunk.",
                    fixed(events, 0),
                    fixed(tokens, 0),
                    significant(tokens / events.max(1.0), 3)
                ))
            }
            _ => None,
        }
    }
}

/// What a formula does, as far as causes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Event,
    Token,
    Zeros,
    OverN,
    Whole,
    WholeEvents,
    FirstEvent,
    Recorded,
}

fn kind(formula: Formula) -> Kind {
    match formula {
        Formula::Itl(Itl::EventGap) | Formula::Tpot(Tpot::VisibleGaps) => Kind::Event,
        Formula::Itl(Itl::TokenSpread | Itl::RequestMean) | Formula::Tpot(Tpot::AfterFirst) => {
            Kind::Token
        }
        Formula::Itl(Itl::TokenZeros) => Kind::Zeros,
        Formula::Itl(Itl::WholeOverEvents) => Kind::WholeEvents,
        Formula::Itl(Itl::AsRecorded) => Kind::Recorded,
        Formula::Tpot(Tpot::AfterFirstOverN) => Kind::OverN,
        Formula::Tpot(Tpot::WholeOverN) => Kind::Whole,
        Formula::Tpot(Tpot::AfterFirstEvent) => Kind::FirstEvent,
    }
}

fn exact(ends: &Ends) -> Option<&Values> {
    ends.known().ok()
}

fn count_reply(n: usize) -> String {
    if n == 1 { "1 reply".into() } else { format!("{} replies", fixed(n as f64, 0)) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
