//! ITL and TPOT as one family: a time per token is a formula and a vote, and each can change alone.
//!
//! The vote says whose sample it is: every gap or token of all requests together, or every request once.
//! What no tool prints, such as the mean gap of each request averaged over requests, is put together of
//! what the definition engine has.

use crate::metrics::recount::Recount;
use crate::metrics::settings::Weighting::{self, PerRequest, PerToken};
use crate::metrics::settings::{Itl, Settings, Tpot};
use crate::model::{Metric, Stat};

/// What one sample is a time over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formula {
    /// A choice of ITL.
    Itl(Itl),
    /// A choice of TPOT.
    Tpot(Tpot),
}

impl Formula {
    /// The id of the choice.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Itl(itl) => itl.id(),
            Self::Tpot(tpot) => tpot.id(),
        }
    }

    /// The dimension it is a choice of.
    pub(super) const fn dimension(self) -> &'static str {
        match self {
            Self::Itl(_) => "itl",
            Self::Tpot(_) => "tpot",
        }
    }
}

/// Whose sample it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    /// Every gap or token once: a request has as many as its divisor says.
    Pooled,
    /// Every request once.
    Request,
    /// Every request by its output tokens, or every gap by those of its event.
    Tokens,
}

impl Vote {
    /// The id of the choice of `weighting` that it is.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Pooled => Weighting::Pooled.id(),
            Self::Request => PerRequest.id(),
            Self::Tokens => PerToken.id(),
        }
    }

    /// In words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Pooled => "pooled",
            Self::Request => "per request",
            Self::Tokens => "per token",
        }
    }
}

/// A metric of the family as formula and vote.
pub(super) fn parts(metric: Metric, settings: &Settings) -> Option<(Formula, Vote)> {
    let by_tokens = settings.weighting == PerToken;
    let pooled = if by_tokens { Vote::Tokens } else { Vote::Pooled };
    let single = if by_tokens { Vote::Tokens } else { Vote::Request };
    Some(match metric {
        Metric::ChunkGap => (Formula::Itl(Itl::EventGap), pooled),
        Metric::WholePerToken => (Formula::Tpot(Tpot::WholeOverN), Vote::Request),
        Metric::Itl => match settings.itl {
            Itl::EventGap => (Formula::Itl(Itl::EventGap), pooled),
            // Gaps shared by tokens are not weighed again.
            Itl::TokenSpread | Itl::TokenZeros => (Formula::Itl(settings.itl), Vote::Pooled),
            // Its weights are n − 1, its own divisor.
            Itl::RequestMean if by_tokens => (Formula::Tpot(Tpot::AfterFirst), Vote::Pooled),
            Itl::RequestMean => (Formula::Tpot(Tpot::AfterFirst), Vote::Request),
            Itl::WholeOverEvents => (Formula::Itl(Itl::WholeOverEvents), single),
            Itl::AsRecorded => (Formula::Itl(Itl::AsRecorded), Vote::Request),
        },
        Metric::Tpot => match settings.tpot {
            // Its weights are n, its own divisor.
            Tpot::WholeOverN | Tpot::AfterFirstOverN if by_tokens => {
                (Formula::Tpot(settings.tpot), Vote::Pooled)
            }
            tpot => (Formula::Tpot(tpot), single),
        },
        _ => return None,
    })
}

/// What measures a formula under a vote.
///
/// Of means, a sum over a sum is both the pooled gaps and the requests’ means by their divisors. No other
/// statistic is: there the samples stay those of the formula, and only how often each counts is the vote’s.
///
/// # Errors
/// When nothing does; the reason is a clause.
pub(super) fn measured_by(
    formula: Formula,
    vote: Vote,
    stat: Stat,
    settings: &Settings,
) -> Result<(Metric, Settings, Option<Recount>), &'static str> {
    let itl = |itl, weighting| Ok((Metric::Itl, Settings { itl, weighting, ..*settings }, None));
    let tpot =
        |tpot, weighting| Ok((Metric::Tpot, Settings { tpot, weighting, ..*settings }, None));
    if stat != Stat::Mean {
        let plain = Settings { weighting: PerRequest, ..*settings };
        match (formula, vote) {
            (
                Formula::Itl(x @ (Itl::EventGap | Itl::TokenSpread | Itl::TokenZeros)),
                Vote::Request,
            ) => {
                let settings = Settings { itl: x, ..plain };
                return Ok((Metric::Itl, settings, Some(Recount::ByRequest)));
            }
            (Formula::Itl(Itl::RequestMean) | Formula::Tpot(Tpot::AfterFirst), Vote::Pooled) => {
                let settings = Settings { itl: Itl::RequestMean, ..plain };
                return Ok((Metric::Itl, settings, Some(Recount::ByDivisor)));
            }
            (Formula::Tpot(tpot), Vote::Pooled) => {
                let settings = Settings { tpot, ..plain };
                return Ok((Metric::Tpot, settings, Some(Recount::ByDivisor)));
            }
            _ => {}
        }
    }
    match (formula, vote) {
        (Formula::Itl(Itl::EventGap), Vote::Request) => tpot(Tpot::VisibleGaps, PerRequest),
        (Formula::Itl(Itl::EventGap), Vote::Tokens) => itl(Itl::EventGap, PerToken),
        (Formula::Itl(Itl::TokenSpread), Vote::Request) => tpot(Tpot::AfterFirstEvent, PerRequest),
        (Formula::Itl(Itl::WholeOverEvents), Vote::Request) => {
            itl(Itl::WholeOverEvents, PerRequest)
        }
        (Formula::Itl(Itl::WholeOverEvents), _) => itl(Itl::WholeOverEvents, PerToken),
        (Formula::Itl(Itl::AsRecorded), Vote::Request) => itl(Itl::AsRecorded, PerRequest),
        (Formula::Itl(Itl::AsRecorded), _) => {
            Err("what the tool wrote for each request has no samples of its own")
        }
        // A request's zeros and its gap share the divisor n − 1.
        (
            Formula::Itl(Itl::RequestMean | Itl::TokenZeros) | Formula::Tpot(Tpot::AfterFirst),
            Vote::Request,
        ) => tpot(Tpot::AfterFirst, PerRequest),
        (Formula::Itl(Itl::RequestMean), _) | (Formula::Tpot(Tpot::AfterFirst), Vote::Pooled) => {
            // Σ (E − T) ÷ Σ (n − 1).
            itl(Itl::RequestMean, PerToken)
        }
        (Formula::Itl(x), _) => itl(x, PerRequest),
        (Formula::Tpot(Tpot::AfterFirstEvent), Vote::Pooled) => itl(Itl::TokenSpread, PerRequest),
        (Formula::Tpot(Tpot::VisibleGaps), Vote::Pooled) => itl(Itl::EventGap, PerRequest),
        (Formula::Tpot(x), Vote::Request) => tpot(x, PerRequest),
        (Formula::Tpot(x), _) => tpot(x, PerToken),
    }
}
