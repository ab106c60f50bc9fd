//! Stamps: a definition in a few signs, for headers, axes and cells.

use super::settings::{
    ClockStart, DecodeEnd, Duration, End, FirstToken, GoodputMissing, GoodputRule, GoodputUnit,
    Itl, Percentile, Population, Settings, ShortOutputs, TokenCount, Tpot, UserSpeed, Weighting,
    Window, WindowEdge,
};
use crate::model::Metric;

/// The short stamp of a metric: what one sample is, or what is divided by what.
pub fn stamp(metric: Metric, settings: &Settings) -> String {
    let tokens = tokens(settings);
    let per = duration(settings);
    match metric {
        Metric::Ttft => format!("{} → {}", start(settings), first(settings)),
        Metric::E2e => format!("{} → {}", start(settings), end(settings)),
        Metric::Tpot => tpot(settings.tpot).to_owned(),
        Metric::Itl => match settings.itl {
            Itl::EventGap => "chunk gap · pooled".to_owned(),
            Itl::TokenSpread => "gap ÷ tokens · pooled".to_owned(),
            Itl::TokenZeros => "gap, then zeros · pooled".to_owned(),
            Itl::RequestMean => format!("(E−T) ÷ (n−1) · {}", weight(settings)),
            Itl::WholeOverEvents => format!("(T+Σ gaps) ÷ events · {}", weight(settings)),
            Itl::AsRecorded => "as the tool wrote it · per request".to_owned(),
        },
        Metric::ChunkGap => "time between stream events".to_owned(),
        Metric::QueueWait => "due → send".to_owned(),
        Metric::FirstAnswer => format!("{} → first answer text", start(settings)),
        Metric::WholePerToken => "E ÷ n".to_owned(),
        Metric::UserSpeed => user_speed_stamp(settings).to_owned(),
        Metric::InputTokens | Metric::TotalInputTokens => "prompt tokens".to_owned(),
        Metric::OutputTokens | Metric::TotalOutputTokens => format!("n {tokens}"),
        Metric::Duration => per.to_owned(),
        Metric::RequestThroughput => format!("finished ÷ {per}"),
        Metric::OutputThroughput => format!("Σ n ÷ {per}"),
        Metric::InputThroughput => format!("prompt tokens ÷ {per}"),
        Metric::TotalThroughput => format!("(prompt tokens + Σ n) ÷ {per}"),
        Metric::MeanConcurrency => format!("Σ E ÷ {per}"),
        Metric::Goodput => match settings.goodput_unit {
            GoodputUnit::TokensPerSecond => "all ≤ · good tokens per second".to_owned(),
            _ => "all ≤ · good per second".to_owned(),
        },
        Metric::SloShare => match settings.goodput_unit {
            GoodputUnit::ShareOfFinished => "all ≤ · share of finished".to_owned(),
            GoodputUnit::MaxLoadAtAttainment(share) => {
                format!("all ≤ · share of sent, {share} or more attains")
            }
            _ => "all ≤ · share of sent".to_owned(),
        },
        Metric::PeakOutputRate => "most stream events in a second".to_owned(),
        Metric::PeakConcurrency => "most requests touching a second".to_owned(),
        Metric::Completed => "ended without an error".to_owned(),
        Metric::Failed => "ended with an error".to_owned(),
        Metric::AcceleratorPower => "per accelerator".to_owned(),
        Metric::Energy => "all accelerators".to_owned(),
    }
}

/// The long stamp: the short one and every other choice that bears on the metric.
pub fn long_stamp(metric: Metric, settings: &Settings) -> String {
    let mut parts = vec![stamp(metric, settings)];
    let distribution = super::evaluate::scale(metric) > 1.0
        || matches!(metric, Metric::InputTokens | Metric::OutputTokens);
    let counts_tokens = match metric {
        Metric::Tpot => settings.tpot != Tpot::VisibleGaps,
        Metric::Itl => {
            matches!(settings.itl, Itl::RequestMean | Itl::TokenSpread | Itl::TokenZeros)
        }
        Metric::OutputThroughput | Metric::TotalThroughput | Metric::Goodput | Metric::SloShare => {
            true
        }
        _ => false,
    };
    if matches!(metric, Metric::Tpot | Metric::Goodput | Metric::SloShare)
        || (metric == Metric::Itl && settings.itl == Itl::RequestMean)
    {
        parts.push(format!("T {} → {}", start(settings), first(settings)));
        parts.push(format!("E to {}", decode_end(settings)));
    }
    if counts_tokens {
        parts.push(format!("n {}", tokens(settings)));
    }
    if metric == Metric::Tpot && settings.short_outputs == ShortOutputs::Zero {
        parts.push("one token counts as 0".into());
    }
    if matches!(metric, Metric::Goodput | Metric::SloShare) {
        if settings.goodput_rule == GoodputRule::AndInclusiveAfterFirst {
            parts.push("TPOT limit after the first token".into());
        }
        parts.push(
            match settings.goodput_missing {
                GoodputMissing::Passes => "missing passes",
                GoodputMissing::Fails => "missing fails",
                GoodputMissing::NotApplicable => "missing left out",
            }
            .into(),
        );
    }
    if distribution {
        if !matches!(metric, Metric::Itl | Metric::ChunkGap) {
            parts.push(weight(settings).into());
        }
        parts.push(
            match settings.percentile {
                Percentile::Linear => "linear",
                Percentile::NearestRank => "nearest rank",
                Percentile::FloorIndex => "floor index",
                Percentile::RoundedIndex => "rounded index",
                Percentile::WeightedStep => "step",
                Percentile::BucketLinear => "bucket",
            }
            .into(),
        );
    }
    parts.push(
        match settings.population {
            Population::Ok => "ok only",
            Population::OkAndCut => "ok and cut",
            Population::Sent => "all sent",
        }
        .into(),
    );
    parts.push(match settings.window {
        Window::Whole => "whole run".into(),
        Window::FirstSendToLastToken => "first send to last token".into(),
        Window::AfterFirstCompletion => "after the first completion".into(),
        Window::SkipFirst(count) => format!("without the first {count}"),
        Window::Steady(share) => format!("steady at {share} of the peak"),
        Window::UntilStable => "once TTFT is stable".into(),
        Window::Brush { from, to } => format!("{from} to {to} s"),
    });
    if settings.window.is_span() {
        parts.push(
            match settings.window_edge {
                WindowEdge::ByStart => "by start",
                WindowEdge::ByEnd => "by end",
                WindowEdge::Overlap => "by overlap",
            }
            .into(),
        );
    }
    parts.join(" · ")
}

/// The stamp of the speed that one user sees.
pub fn user_speed_stamp(settings: &Settings) -> &'static str {
    match settings.user_speed {
        UserSpeed::Decode => "(n−1) ÷ (E−T) · per request",
        UserSpeed::Whole => "n ÷ E · per request",
        UserSpeed::ReciprocalOfTpot => "1 ÷ TPOT",
    }
}

const fn tpot(formula: Tpot) -> &'static str {
    match formula {
        Tpot::AfterFirst => "(E−T) ÷ (n−1)",
        Tpot::AfterFirstOverN => "(E−T) ÷ n",
        Tpot::WholeOverN => "E ÷ n",
        Tpot::AfterFirstEvent => "(E−T) ÷ (n−c₁)",
        Tpot::VisibleGaps => "Σ gaps ÷ gaps",
    }
}

const fn start(settings: &Settings) -> &'static str {
    match settings.clock_start {
        ClockStart::Send => "send",
        ClockStart::Scheduled => "due",
        ClockStart::ServerArrival => "server arrival",
    }
}

const fn first(settings: &Settings) -> &'static str {
    match settings.first_token {
        FirstToken::FirstEvent => "first event",
        FirstToken::FirstText => "first text",
        FirstToken::FirstAnswer => "first answer",
    }
}

const fn end(settings: &Settings) -> &'static str {
    match settings.end {
        End::LastToken => "last token",
        End::LastMessage => "last message",
        End::StreamEnd => "end of stream",
    }
}

const fn decode_end(settings: &Settings) -> &'static str {
    match settings.decode_end {
        DecodeEnd::RequestEnd => end(settings),
        DecodeEnd::LastToken => "last token",
    }
}

const fn tokens(settings: &Settings) -> &'static str {
    match settings.token_count {
        TokenCount::Server => "server",
        TokenCount::Retokenized => "retokenized",
        TokenCount::Events => "events",
        TokenCount::AsRecorded => "as recorded",
    }
}

const fn duration(settings: &Settings) -> &'static str {
    match settings.duration {
        Duration::AsReported => "reported duration",
        Duration::FirstSendToLastToken => "first send to last token",
        Duration::FirstSendToLastEnd => "first send to last end",
        Duration::FirstTokenToLastToken => "first token to last token",
        Duration::Window => "window",
    }
}

const fn weight(settings: &Settings) -> &'static str {
    match settings.weighting {
        Weighting::PerRequest | Weighting::Pooled => "per request",
        Weighting::PerToken => "per token",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::preset::{COMMON, SGLANG};

    #[test]
    fn stamps_of_the_common_ruler() {
        for (metric, text) in [
            (Metric::Ttft, "send → first event"),
            (Metric::Tpot, "(E−T) ÷ (n−1)"),
            (Metric::Itl, "chunk gap · pooled"),
            (Metric::E2e, "send → last token"),
            (Metric::OutputThroughput, "Σ n ÷ reported duration"),
            (Metric::SloShare, "all ≤ · share of sent"),
        ] {
            assert_eq!(stamp(metric, &COMMON.settings), text);
        }
        assert_eq!(stamp(Metric::E2e, &SGLANG.settings), "send → end of stream");
    }

    #[test]
    fn a_long_stamp_says_all_that_bears_on_it() {
        assert_eq!(
            long_stamp(Metric::Tpot, &COMMON.settings),
            "(E−T) ÷ (n−1) · T send → first event · E to last token · n as recorded · per request \
             · linear · ok only · whole run"
        );
    }
}
