//! A definition set: one choice in each dimension, by the ids that links and `--set` use.

use super::dimensions::{Choice, DIMENSIONS, Dimension};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// An enum of choices with their stable ids.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$note:meta])* $variant:ident = $id:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$note])* $variant,)+
        }

        impl $name {
            /// The stable id.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)+ }
            }

            /// The choice with this id.
            pub fn from_id(id: &str) -> Option<Self> {
                match id { $($id => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

choices! {
    /// Where a request's clock starts.
    ClockStart {
        /// The actual send.
        Send = "send",
        /// The intended send, so that waiting inside the client counts.
        Scheduled = "scheduled",
        /// The server's own arrival stamp.
        ServerArrival = "server-arrival",
    }
}
choices! {
    /// Which event is the first token.
    FirstToken {
        /// Whatever event the client counted.
        FirstEvent = "first-event",
        /// The first event with text, reasoning included.
        FirstText = "first-text",
        /// The first event with text that is not reasoning.
        FirstAnswer = "first-answer",
    }
}
choices! {
    /// Where a request ends.
    End {
        /// The last counted event.
        LastToken = "last-token",
        /// The last stream message before the end marker, usually the usage chunk.
        LastMessage = "last-message",
        /// The end of the stream.
        StreamEnd = "stream-end",
    }
}
choices! {
    /// Where the decode time of TPOT and of a request's mean ITL ends.
    DecodeEnd {
        /// Where the request ends.
        RequestEnd = "request-end",
        /// At the last counted event, wherever the request ends.
        LastToken = "last-token",
    }
}
choices! {
    /// Who counts output tokens.
    TokenCount {
        /// The server's usage.
        Server = "server",
        /// The client's tokenizer on the received text.
        Retokenized = "retokenized",
        /// One token an event.
        Events = "events",
        /// The file's main count, whoever counted.
        AsRecorded = "as-recorded",
    }
}
choices! {
    /// The formula of TPOT.
    Tpot {
        /// (E − T) ÷ (n − 1).
        AfterFirst = "after-first",
        /// (E − T) ÷ n.
        AfterFirstOverN = "after-first-over-n",
        /// E ÷ n.
        WholeOverN = "whole-over-n",
        /// (E − T) ÷ (n − c₁).
        AfterFirstEvent = "after-first-event",
        /// Σ gaps ÷ number of gaps.
        VisibleGaps = "visible-gaps",
    }
}
choices! {
    /// What one sample of ITL is.
    Itl {
        /// The gap between two events, once.
        EventGap = "event-gap",
        /// The gap divided by its event's tokens, once a token.
        TokenSpread = "token-spread",
        /// The gap once and a zero for each further token of its event.
        TokenZeros = "token-zeros",
        /// (E − T) ÷ (n − 1), one sample a request.
        RequestMean = "request-mean",
        /// (T + Σ gaps) ÷ events, one sample a request.
        WholeOverEvents = "whole-over-events",
        /// The mean that the tool wrote for each request.
        AsRecorded = "as-recorded",
    }
}
choices! {
    /// What a reply too short for a TPOT becomes.
    ShortOutputs {
        /// Left out and counted.
        Exclude = "exclude",
        /// Enters as 0.
        Zero = "zero",
        /// Left out, of TTFT too.
        ExcludeTtft = "exclude-ttft",
    }
}
choices! {
    /// What a reply without any token becomes.
    EmptyOutputs {
        /// No latency sample; counted apart.
        Exclude = "exclude",
        /// No latency sample, but a finished request in the request throughput.
        CountOnly = "count-only",
        /// Enters with whatever the client wrote.
        AsSuccess = "as-success",
    }
}
choices! {
    /// Which requests count.
    Population {
        /// Finished ones.
        Ok = "ok",
        /// Cancelled and unfinished ones too, where the metric exists.
        OkAndCut = "ok-and-cut",
        /// All that were sent.
        Sent = "sent",
    }
}
choices! {
    /// How much a sample weighs.
    Weighting {
        /// Each request once.
        PerRequest = "per-request",
        /// Each request by its tokens.
        PerToken = "per-token",
        /// Each sample once.
        Pooled = "pooled",
    }
}
choices! {
    /// How a percentile is read off.
    Percentile {
        /// Linear between neighbours.
        Linear = "linear",
        /// Element ⌈p·N⌉.
        NearestRank = "nearest-rank",
        /// Element ⌊p·N⌋ counted from 0.
        FloorIndex = "floor-index",
        /// Element p·(N − 1) rounded half to even.
        RoundedIndex = "rounded-index",
        /// The inverse of the weighted distribution.
        WeightedStep = "weighted-step",
        /// Linear inside a histogram's bucket.
        BucketLinear = "bucket-linear",
    }
}
choices! {
    /// The divisor of a variance.
    Spread {
        /// N.
        Population = "population",
        /// N − 1.
        Sample = "sample",
    }
}
choices! {
    /// The time by which tokens and requests are divided.
    Duration {
        /// As the tool printed it.
        AsReported = "as-reported",
        /// First send to the last token of any counted request.
        FirstSendToLastToken = "first-send-to-last-token",
        /// First send to the recorded end of the last request of any outcome.
        FirstSendToLastEnd = "first-send-to-last-end",
        /// First token to last token.
        FirstTokenToLastToken = "first-token-to-last-token",
        /// The length of the chosen window.
        Window = "window",
    }
}
choices! {
    /// Tokens per second as one user sees them.
    UserSpeed {
        /// (n − 1) ÷ (E − T).
        Decode = "decode",
        /// n ÷ E.
        Whole = "whole",
        /// 1 ÷ the TPOT statistic.
        ReciprocalOfTpot = "reciprocal-of-tpot",
    }
}
choices! {
    /// What a limit on a metric that a request lacks does.
    GoodputMissing {
        /// The request meets it.
        Passes = "passes",
        /// The request misses it.
        Fails = "fails",
        /// The request is left out of both sides.
        NotApplicable = "not-applicable",
    }
}
choices! {
    /// When a request is good.
    GoodputRule {
        /// It meets every limit, each inclusive.
        AndInclusive = "and-inclusive",
        /// The same, with a limit on TPOT held against (E − T) ÷ (n − 1) whatever TPOT is.
        AndInclusiveAfterFirst = "and-inclusive-after-first",
    }
}

/// The unit of goodput.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum GoodputUnit {
    /// Good requests per second.
    RequestsPerSecond,
    /// Good requests of all sent.
    ShareOfSent,
    /// Good requests of the finished ones.
    ShareOfFinished,
    /// Output tokens of good requests per second.
    TokensPerSecond,
    /// The highest load of a sweep at which at least this share of the requests sent is good. A single
    /// run only tells whether it attains the share.
    MaxLoadAtAttainment(f64),
}

impl GoodputUnit {
    /// The stable id without its parameter.
    pub const fn id(self) -> &'static str {
        match self {
            Self::RequestsPerSecond => "requests-per-second",
            Self::ShareOfSent => "share-of-sent",
            Self::ShareOfFinished => "share-of-finished",
            Self::TokensPerSecond => "tokens-per-second",
            Self::MaxLoadAtAttainment(_) => "max-load-at-attainment",
        }
    }

    /// The unit of an id with its parameter, such as `max-load-at-attainment:0.9` or `…:90%`.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, parameter) = text.split_once(':').map_or((text, None), |(i, p)| (i, Some(p)));
        Some(match (id, parameter) {
            ("requests-per-second", None) => Self::RequestsPerSecond,
            ("share-of-sent", None) => Self::ShareOfSent,
            ("share-of-finished", None) => Self::ShareOfFinished,
            ("tokens-per-second", None) => Self::TokensPerSecond,
            ("max-load-at-attainment", None) => Self::MaxLoadAtAttainment(0.9),
            ("max-load-at-attainment", Some(share)) => {
                let share = share.trim();
                let share: f64 = match share.strip_suffix('%') {
                    Some(percent) => percent.trim_end().parse::<f64>().ok()? / 100.0,
                    None => share.parse().ok()?,
                };
                Self::MaxLoadAtAttainment(Some(share).filter(|s| *s > 0.0 && *s <= 1.0)?)
            }
            _ => return None,
        })
    }
}

impl fmt::Display for GoodputUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())?;
        match self {
            Self::MaxLoadAtAttainment(share) => write!(f, ":{share}"),
            _ => Ok(()),
        }
    }
}

choices! {
    /// Which requests belong to a window that is a span of time, where they lie across its edge.
    WindowEdge {
        /// Those sent inside; tokens, completions and seconds count when they come.
        ByStart = "by-start",
        /// Those that ended inside, with all that they have.
        ByEnd = "by-end",
        /// Those of which any part lies inside; tokens, completions and seconds count when they come.
        Overlap = "overlap",
    }
}

/// Which stretch of the run counts. Which requests belong to it is said by [`WindowEdge`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Window {
    /// All of it.
    Whole,
    /// First send to last token: all requests, but a length of its own.
    FirstSendToLastToken,
    /// From the first completion on.
    AfterFirstCompletion,
    /// Without the first so many requests.
    SkipFirst(usize),
    /// The longest span with at least this share of the peak in flight.
    Steady(f64),
    /// From where on the running median of TTFT stands still, to the end. A heuristic.
    UntilStable,
    /// Seconds after the first send.
    Brush {
        /// From here on.
        from: f64,
        /// Up to here, itself not included.
        to: f64,
    },
}

impl Window {
    /// The stable id without its parameter.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::FirstSendToLastToken => "first-send-to-last-token",
            Self::AfterFirstCompletion => "after-first-completion",
            Self::SkipFirst(_) => "skip-first",
            Self::Steady(_) => "steady",
            Self::UntilStable => "until-stable",
            Self::Brush { .. } => "brush",
        }
    }

    /// Whether it is a span of time, so that requests can lie across its edges.
    pub const fn is_span(self) -> bool {
        !matches!(self, Self::Whole | Self::FirstSendToLastToken | Self::SkipFirst(_))
    }

    /// The window of an id with its parameter, such as `skip-first:8`, `steady:0.9`, `brush:2..10`.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, parameter) = text.split_once(':').map_or((text, None), |(i, p)| (i, Some(p)));
        let number = |t: &str| t.trim().parse().ok().filter(|v: &f64| v.is_finite());
        Some(match (id, parameter) {
            ("whole", None) => Self::Whole,
            ("first-send-to-last-token", None) => Self::FirstSendToLastToken,
            ("after-first-completion", None) => Self::AfterFirstCompletion,
            ("until-stable", None) => Self::UntilStable,
            ("skip-first", Some(count)) => Self::SkipFirst(count.trim().parse().ok()?),
            ("steady", None) => Self::Steady(0.9),
            ("steady", Some(share)) => {
                Self::Steady(number(share).filter(|s| (0.0..=1.0).contains(s))?)
            }
            ("brush", Some(range)) => {
                let (from, to) = range.split_once("..")?;
                let (from, to) = (number(from)?, number(to)?);
                (from < to).then_some(Self::Brush { from, to })?
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())?;
        match self {
            Self::SkipFirst(count) => write!(f, ":{count}"),
            Self::Steady(share) => write!(f, ":{share}"),
            Self::Brush { from, to } => write!(f, ":{from}..{to}"),
            Self::Whole
            | Self::FirstSendToLastToken
            | Self::AfterFirstCompletion
            | Self::UntilStable => Ok(()),
        }
    }
}

/// One choice in each dimension. As JSON: a map from dimension id to choice id.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, String>", try_from = "BTreeMap<String, String>")]
pub struct Settings {
    /// Where a request's clock starts.
    pub clock_start: ClockStart,
    /// Which event is the first token.
    pub first_token: FirstToken,
    /// Where a request ends.
    pub end: End,
    /// Where the decode time ends.
    pub decode_end: DecodeEnd,
    /// Who counts output tokens.
    pub token_count: TokenCount,
    /// The formula of TPOT.
    pub tpot: Tpot,
    /// What one sample of ITL is.
    pub itl: Itl,
    /// What a reply too short for a TPOT becomes.
    pub short_outputs: ShortOutputs,
    /// What a reply without any token becomes.
    pub empty_outputs: EmptyOutputs,
    /// Which requests count.
    pub population: Population,
    /// How much a sample weighs.
    pub weighting: Weighting,
    /// How a percentile is read off.
    pub percentile: Percentile,
    /// The divisor of a variance.
    pub spread: Spread,
    /// Which stretch of the run counts.
    pub window: Window,
    /// Which requests belong to a window that is a span of time.
    pub window_edge: WindowEdge,
    /// The time by which tokens and requests are divided.
    pub duration: Duration,
    /// Tokens per second as one user sees them.
    pub user_speed: UserSpeed,
    /// When a request is good.
    pub goodput_rule: GoodputRule,
    /// What a limit on a metric that a request lacks does.
    pub goodput_missing: GoodputMissing,
    /// The unit of goodput.
    pub goodput_unit: GoodputUnit,
}

/// Why a setting could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no such dimension.
    #[error("there is no dimension “{given}”; the dimensions are {}", valid.join(", "))]
    Dimension {
        /// What was given.
        given: String,
        /// The ids of all dimensions.
        valid: Vec<String>,
    },
    /// The dimension has no such choice.
    #[error("{dimension} has no choice “{given}”; its choices are {}", valid.join(", "))]
    Choice {
        /// The dimension.
        dimension: &'static str,
        /// What was given.
        given: String,
        /// The ids of its choices, with a parameter where one is needed.
        valid: Vec<String>,
    },
    /// The choice has a parameter, and what was given is none.
    #[error("“{given}” is no {spelling}: {takes}, as in {example}")]
    Parameter {
        /// What was given.
        given: String,
        /// How the choice is spelled.
        spelling: String,
        /// What its parameter must be.
        takes: &'static str,
        /// A valid spelling.
        example: String,
    },
}

impl Settings {
    /// The choice made in a dimension, or `None` when there is no such dimension.
    pub fn get(&self, dimension: &str) -> Option<&'static Choice> {
        let dimension = Dimension::find(dimension)?;
        let value = dimension.read(self);
        dimension.choice(value.split(':').next().unwrap_or(&value))
    }

    /// The id of the choice made in a dimension with its parameter: `skip-first:8`.
    pub fn value(&self, dimension: &str) -> Option<String> {
        Dimension::find(dimension).map(|d| d.read(self))
    }

    /// Makes a choice by id.
    ///
    /// # Errors
    /// When there is no such dimension or choice; the error names the valid ones.
    pub fn set(&mut self, dimension: &str, choice: &str) -> Result<(), SettingsError> {
        let Some(found) = Dimension::find(dimension) else {
            return Err(SettingsError::Dimension {
                given: dimension.to_owned(),
                valid: DIMENSIONS.iter().map(|d| d.id.to_owned()).collect(),
            });
        };
        if found.write(self, choice) {
            return Ok(());
        }
        let id = choice.split_once(':').map_or(choice, |(id, _)| id);
        let meant = found.choices.iter().find(|c| c.id == id && c.parameter.is_some());
        if let Some(meant) = meant {
            return Err(SettingsError::Parameter {
                given: choice.to_owned(),
                spelling: meant.spelling(),
                takes: meant.takes,
                example: meant.example(),
            });
        }
        Err(SettingsError::Choice {
            dimension: found.id,
            given: choice.to_owned(),
            valid: found.choices.iter().map(Choice::spelling).collect(),
        })
    }

    /// The dimensions in which two sets differ, in the order of [`DIMENSIONS`].
    pub fn differing(&self, other: &Self) -> Vec<&'static Dimension> {
        DIMENSIONS.iter().filter(|d| d.read(self) != d.read(other)).collect()
    }
}

impl From<Settings> for BTreeMap<String, String> {
    fn from(settings: Settings) -> Self {
        DIMENSIONS.iter().map(|d| (d.id.to_owned(), d.read(&settings))).collect()
    }
}

impl TryFrom<BTreeMap<String, String>> for Settings {
    type Error = SettingsError;
    /// Dimensions that the map lacks are as in the common ruler, so that old links keep working.
    fn try_from(map: BTreeMap<String, String>) -> Result<Self, SettingsError> {
        let mut settings = super::preset::COMMON.settings;
        for (dimension, choice) in &map {
            settings.set(dimension, choice)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::preset::{COMMON, SGLANG, VLLM};

    #[test]
    fn every_choice_of_every_dimension_can_be_set_and_read_back() {
        for dimension in DIMENSIONS {
            for choice in dimension.choices {
                let mut settings = COMMON.settings;
                let text = choice.example();
                settings.set(dimension.id, &text).unwrap();
                assert_eq!(settings.value(dimension.id).as_deref(), Some(text.as_str()));
                assert_eq!(settings.get(dimension.id).map(|c| c.id), Some(choice.id));
                let json = serde_json::to_string(&settings).unwrap();
                assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
            }
        }
    }

    #[test]
    fn errors_name_what_is_valid() {
        let mut settings = COMMON.settings;
        let dimension = settings.set("ttft", "x").unwrap_err().to_string();
        assert!(dimension.contains("clock-start"), "{dimension}");
        let choice = settings.set("tpot", "mean").unwrap_err().to_string();
        assert!(choice.contains("after-first, after-first-over-n"), "{choice}");
        let window = settings.set("window", "skip-first").unwrap_err().to_string();
        assert!(window.contains("skip-first:C"), "{window}");
        let parameter = settings.set("window", "brush:5..2").unwrap_err().to_string();
        assert_eq!(
            parameter,
            "“brush:5..2” is no brush:A..B: A and B are seconds after the first send, and A is below \
             B, as in brush:2..10"
        );
        assert_eq!(settings, COMMON.settings, "a refused setting changes nothing");
    }

    #[test]
    fn sets_differ_where_they_differ() {
        let differing = VLLM.settings.differing(&SGLANG.settings);
        let ids: Vec<_> = differing.iter().map(|d| d.id).collect();
        assert_eq!(ids, ["itl", "first-token", "end"]);
        assert!(VLLM.settings.differing(&VLLM.settings).is_empty());
    }

    #[test]
    fn choices_with_bad_parameters_are_refused() {
        for text in ["skip-first:-1", "steady:1.5", "brush:5..2", "brush:1", "whole:3", "steady:x"]
        {
            assert_eq!(Window::parse(text), None, "{text}");
        }
        for text in ["max-load-at-attainment:0", "max-load-at-attainment:1.1", "share-of-sent:0.9"]
        {
            assert_eq!(GoodputUnit::parse(text), None, "{text}");
        }
        assert_eq!(
            GoodputUnit::parse("max-load-at-attainment:95%"),
            Some(GoodputUnit::MaxLoadAtAttainment(0.95))
        );
        assert_eq!(Window::parse("brush:1.5..9"), Some(Window::Brush { from: 1.5, to: 9.0 }));
    }
}
