//! The request table: one row a slot, failed ones included, in submission order.

use super::{Column, Ragged};
use crate::units::{Seconds, Tokens, Turn};
use serde::{Deserialize, Serialize};

/// How a request ended, as the tool recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Finished without an error. May still be an empty reply: see [`Requests::is_empty_reply`].
    Ok,
    /// Ended with an error.
    Failed,
    /// Cut off by the client, such as at a time limit.
    Cancelled,
    /// Still running when the run ended.
    Unfinished,
}

/// Which event stopped the tool's time to first token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstTokenRule {
    /// Whatever event the client counted; it may carry no text (a role chunk).
    #[default]
    FirstEvent,
    /// The first event with text of any kind, reasoning included.
    FirstText,
    /// The first event with text that is not reasoning.
    FirstAnswer,
}

/// Where the tool's end-to-end latency stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndRule {
    /// The last counted event.
    #[default]
    LastToken,
    /// The last stream message before the end marker: usually the usage chunk.
    LastMessage,
    /// The end of the stream: the end marker.
    StreamEnd,
}

/// Who counted the output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenSource {
    /// The server's usage count.
    Server,
    /// The client's tokenizer on the received text.
    Retokenized,
    /// The length that was asked for, whether or not it came.
    Requested,
    /// The number of stream events.
    Events,
    /// The file does not say.
    #[default]
    Unknown,
}

impl TokenSource {
    /// The source in words for a sentence: "counted by the server".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Server => "counted by the server",
            Self::Retokenized => "counted by the client’s tokenizer",
            Self::Requested => "the requested length, not what came",
            Self::Events => "counted as stream events",
            Self::Unknown => "of unknown source",
        }
    }
}

/// What one recorded gap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// The time between two stream events, whatever tokens they carry.
    #[default]
    Event,
    /// An event's gap divided by its tokens and repeated once a token (SGLang native).
    TokenSpread,
}

/// The request table. All columns have [`Requests::len`] rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Requests {
    /// How each request ended.
    pub outcome: Vec<Outcome>,
    /// Prompt tokens.
    pub input_tokens: Column<Tokens>,
    /// Output tokens by the file's main count; who counted is [`Requests::token_source`].
    pub output_tokens: Column<Tokens>,
    /// Who counted [`Requests::output_tokens`].
    pub token_source: TokenSource,
    /// A second count by the client's tokenizer, where the file has one.
    pub retokenized: Column<Tokens>,
    /// Send to first counted event, by [`Requests::first_token_rule`].
    pub ttft: Column<Seconds>,
    /// Which event stopped `ttft`.
    pub first_token_rule: FirstTokenRule,
    /// Send to first text that is not reasoning, where the file times it beside `ttft`.
    pub first_answer: Column<Seconds>,
    /// Send to end as the tool recorded it, by [`Requests::end_rule`]. Absent where the file has
    /// none: the time of the last counted event then follows from `ttft` and `gaps`.
    pub e2e: Column<Seconds>,
    /// Where the tool's own latency stopped, also where the file does not hold it.
    pub end_rule: EndRule,
    /// Send to last counted event, where `e2e` stops later and the file times both.
    pub last_token: Column<Seconds>,
    /// Gaps between counted events after the first.
    pub gaps: Ragged<Seconds>,
    /// What one gap is.
    pub gap_kind: GapKind,
    /// Tokens carried by each counted event, the first included; one longer than `gaps`.
    pub event_tokens: Ragged<Tokens>,
    /// A mean ITL of each request as the tool wrote it, by a formula of its own.
    pub request_itl: Column<Seconds>,
    /// Send time on the client's own clock; only differences mean anything.
    pub start: Column<Seconds>,
    /// Wait inside the client before the send (scheduled to sent).
    pub queue_wait: Column<Seconds>,
    /// Which turn of its conversation it is; absent where every request is its own conversation.
    pub turn: Column<Turn>,
    /// Prompt tokens that a prefix cache held, as the server says.
    pub cached_tokens: Column<Tokens>,
}

/// The events of a chat stream without any text: one opens it, one ends it.
const FRAMES: usize = 2;

impl Requests {
    /// A table of `len` rows in which every column is absent and every request is `Ok`.
    pub fn absent(len: usize) -> Self {
        Self {
            outcome: vec![Outcome::Ok; len],
            input_tokens: Column::absent(len),
            output_tokens: Column::absent(len),
            retokenized: Column::absent(len),
            ttft: Column::absent(len),
            first_answer: Column::absent(len),
            e2e: Column::absent(len),
            last_token: Column::absent(len),
            gaps: Ragged::absent(len),
            event_tokens: Ragged::absent(len),
            request_itl: Column::absent(len),
            start: Column::absent(len),
            queue_wait: Column::absent(len),
            turn: Column::absent(len),
            cached_tokens: Column::absent(len),
            ..Self::default()
        }
    }

    /// Number of requests, failed ones included.
    pub fn len(&self) -> usize {
        self.outcome.len()
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.outcome.is_empty()
    }

    /// Number of requests that ended in `outcome`.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcome.iter().filter(|o| **o == outcome).count()
    }

    /// Whether request `at` finished without an error but no token was seen arriving. Its latencies
    /// are no samples. Either it had no first event (missing or zero TTFT) and no gaps, and nothing else
    /// says that tokens came; or none of its tokens was counted and it had at most [`FRAMES`] events,
    /// which then framed an empty text.
    ///
    /// A count of zero alone is not enough, since some clients lost the count but saw the stream
    /// (vLLM 0.7 to 0.8.3 without usage: the source is then unknown); a count alone is not enough
    /// either, since some clients book the requested length (SGLang).
    pub fn is_empty_reply(&self, at: usize) -> bool {
        let gaps = self.gaps.row(at).map_or(0, <[_]>::len);
        let tokens = self.output_tokens.get(at).map(Tokens::count);
        // Tokens and a latency without a TTFT: only the TTFT was not recorded.
        let came = tokens.is_some_and(|n| n > 0.0)
            && [&self.e2e, &self.last_token]
                .iter()
                .any(|end| end.get(at).is_some_and(|end| end.as_secs() > 0.0));
        let no_event = !came
            && self.ttft.origin() != &super::Origin::Absent
            && self.ttft.get(at).is_none_or(|t| t.as_secs() <= 0.0)
            && gaps == 0;
        let counted = matches!(self.token_source, TokenSource::Server | TokenSource::Retokenized);
        let no_token = counted && tokens.is_some_and(|n| n <= 0.0) && gaps < FRAMES;
        self.outcome.get(at) == Some(&Outcome::Ok) && (no_event || no_token)
    }

    /// Why a column has no value, as a clause: `missing`, or where all requests failed, that. Importers keep
    /// no time of a failed request, whatever the file holds of it.
    pub fn without(&self, missing: &str) -> String {
        let failed = !self.outcome.is_empty() && self.count(Outcome::Failed) == self.outcome.len();
        let reason = if failed {
            "all requests failed, and what the file holds of them is no sample"
        } else {
            missing
        };
        reason.to_owned()
    }

    /// Why there are no times of stream events, as a clause.
    pub fn no_events(&self) -> &'static str {
        match self.gaps.origin() {
            super::Origin::LeftOut => self.no_gaps(),
            _ => "the file holds no times of stream events",
        }
    }

    /// Why there are no gaps between events, as a clause.
    pub fn no_gaps(&self) -> &'static str {
        match self.gaps.origin() {
            super::Origin::LeftOut => "the run was saved without the times of its events",
            _ => "the file holds no gaps between events",
        }
    }

    /// Whether request `at` finished and brought text, but none that is an answer, where the file tells
    /// the two apart.
    pub fn lacks_answer(&self, at: usize) -> bool {
        self.outcome.get(at) == Some(&Outcome::Ok)
            && !self.first_answer.is_absent()
            && self.ttft.get(at).is_some()
            && self.first_answer.get(at).is_none()
    }
}
