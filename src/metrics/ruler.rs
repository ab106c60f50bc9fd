//! Which dimensions a metric depends on, and whether two sets measure it the same way on a run.

use super::dimensions::{DIMENSIONS, Dimension};
use super::preset::COMMON;
use super::settings::{
    EmptyOutputs, FirstToken, Itl, Settings, TokenCount, Tpot, UserSpeed, Weighting,
};
use crate::model::{FirstTokenRule, Metric, Run, TokenSource};

/// Ids of the dimensions that `metric` depends on under `settings`, most telling first.
pub fn dimensions_of(metric: Metric, settings: &Settings) -> Vec<&'static str> {
    let mut dimensions = without_edge(metric, settings);
    if settings.window.is_span()
        && let Some(window) = dimensions.iter().position(|id| *id == "window")
    {
        dimensions.insert(window + 1, "window-edge");
    }
    dimensions
}

fn without_edge(metric: Metric, settings: &Settings) -> Vec<&'static str> {
    const SAMPLES: [&str; 6] =
        ["empty-outputs", "population", "weighting", "window", "percentile", "spread"];
    // One sample a request, each of which weighs alike.
    const ONCE: [&str; 5] = ["empty-outputs", "population", "window", "percentile", "spread"];
    const RATE: [&str; 4] = ["duration", "window", "population", "empty-outputs"];
    const LIMITED: [&str; 6] =
        ["goodput-rule", "goodput-missing", "goodput-unit", "clock-start", "first-token", "end"];
    let with = |first: &[&'static str], rest: &[&'static str]| [first, rest].concat();
    let decode = |first: &[&'static str]| {
        let whole = matches!(settings.tpot, Tpot::WholeOverN);
        match settings.tpot {
            Tpot::VisibleGaps => with(first, &["short-outputs"]),
            _ if whole => {
                with(first, &["end", "decode-end", "clock-start", "token-count", "short-outputs"])
            }
            _ => with(first, &["first-token", "end", "decode-end", "token-count", "short-outputs"]),
        }
    };
    match metric {
        Metric::Ttft => with(&["clock-start", "first-token", "short-outputs"], &ONCE),
        Metric::Tpot => with(&decode(&["tpot"]), &SAMPLES),
        Metric::Itl => match settings.itl {
            Itl::EventGap | Itl::AsRecorded => with(&["itl"], &SAMPLES),
            Itl::TokenSpread | Itl::TokenZeros => with(&["itl", "token-count"], &SAMPLES),
            Itl::RequestMean => {
                with(&["itl", "first-token", "end", "decode-end", "token-count"], &SAMPLES)
            }
            Itl::WholeOverEvents => with(&["itl", "clock-start", "first-token"], &SAMPLES),
        },
        Metric::E2e => with(&["clock-start", "end"], &ONCE),
        Metric::FirstAnswer => with(&["clock-start"], &ONCE),
        // Who writes 0 for a reply without a token is told by its rule for short ones.
        Metric::WholePerToken if settings.empty_outputs == EmptyOutputs::AsSuccess => {
            with(&["clock-start", "end", "token-count", "short-outputs"], &ONCE)
        }
        Metric::WholePerToken => with(&["clock-start", "end", "token-count"], &ONCE),
        Metric::UserSpeed if settings.user_speed == UserSpeed::ReciprocalOfTpot => {
            with(&["user-speed"], &without_edge(Metric::Tpot, settings))
        }
        Metric::UserSpeed => {
            const DECODE: [&str; 6] =
                ["user-speed", "first-token", "end", "decode-end", "token-count", "short-outputs"];
            with(&DECODE, &ONCE)
        }
        Metric::ChunkGap => SAMPLES.to_vec(),
        Metric::QueueWait | Metric::InputTokens => ONCE.to_vec(),
        Metric::OutputTokens => with(&["token-count"], &ONCE),
        Metric::OutputThroughput | Metric::TotalThroughput => with(&["token-count"], &RATE),
        Metric::InputThroughput | Metric::RequestThroughput => RATE.to_vec(),
        Metric::MeanConcurrency => with(&["end", "clock-start"], &RATE),
        // Any latency may be limited, so whatever moves one of them moves these.
        Metric::Goodput => with(&LIMITED, &with(&decode(&["tpot"]), &RATE)),
        Metric::SloShare => {
            with(&LIMITED, &with(&decode(&["tpot"]), &["window", "population", "empty-outputs"]))
        }
        Metric::TotalInputTokens => vec!["population", "window", "empty-outputs"],
        // Tools count what they book gaps for: SGLang's native endpoint tokens, the others events.
        Metric::PeakOutputRate => vec!["itl", "population", "window", "empty-outputs"],
        Metric::PeakConcurrency => {
            vec!["end", "clock-start", "population", "window", "empty-outputs"]
        }
        Metric::TotalOutputTokens => {
            vec!["token-count", "population", "window", "empty-outputs"]
        }
        Metric::Duration => vec!["duration", "window"],
        Metric::Completed | Metric::Failed | Metric::AcceleratorPower | Metric::Energy => {
            Vec::new()
        }
    }
}

/// `settings` as far as they bear on `metric`, all else as the common ruler has it: what was worked out
/// under one set holds under every other that comes to the same here.
pub(super) fn bearing_on(metric: Metric, settings: &Settings) -> Settings {
    // Which requests are samples at all, and what they weigh.
    let mut bare = Settings {
        window: settings.window,
        window_edge: settings.window_edge,
        population: settings.population,
        empty_outputs: settings.empty_outputs,
        first_token: settings.first_token,
        weighting: settings.weighting,
        ..COMMON.settings
    };
    if settings.weighting == Weighting::PerToken {
        bare.token_count = settings.token_count;
    }
    let gaps_only = match metric {
        Metric::ChunkGap | Metric::PeakOutputRate => true,
        Metric::Itl => {
            matches!(settings.itl, Itl::EventGap | Itl::TokenSpread | Itl::TokenZeros)
        }
        _ => false,
    };
    if !gaps_only {
        // A start that the file does not hold leaves no latency and no end.
        bare.clock_start = settings.clock_start;
    }
    let named = dimensions_of(metric, settings);
    for dimension in DIMENSIONS.iter().filter(|d| named.contains(&d.id)) {
        dimension.write(&mut bare, &dimension.read(settings));
    }
    bare
}

/// `settings` with choices that come to the same on this run replaced by one of them.
pub(super) fn resolved(settings: &Settings, run: &Run) -> Settings {
    let mut settings = *settings;
    if settings.weighting == Weighting::Pooled {
        settings.weighting = Weighting::PerRequest;
    }
    let silent = settings.empty_outputs == EmptyOutputs::CountOnly
        && run.requests.as_ref().is_some_and(super::rows::has_silent);
    if !silent && !run.requests.as_ref().is_some_and(super::rows::writes_zeros) {
        // Without an empty reply, or any sign of one, the choice changes nothing.
        settings.empty_outputs = EmptyOutputs::Exclude;
    }
    let Some(requests) = &run.requests else {
        // A file of aggregates does not say what its tool timed or counted: as recorded is what it printed.
        let own = super::own::own(run).settings;
        if settings.first_token == FirstToken::FirstEvent {
            settings.first_token = own.first_token;
        }
        if settings.token_count == TokenCount::AsRecorded {
            settings.token_count = own.token_count;
        }
        return settings;
    };
    if settings.first_token == FirstToken::FirstEvent {
        settings.first_token = match requests.first_token_rule {
            FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
            FirstTokenRule::FirstText => FirstToken::FirstText,
            FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
        };
    }
    if settings.token_count == TokenCount::AsRecorded {
        match requests.token_source {
            TokenSource::Server => settings.token_count = TokenCount::Server,
            TokenSource::Retokenized => settings.token_count = TokenCount::Retokenized,
            TokenSource::Requested | TokenSource::Events | TokenSource::Unknown => {}
        }
    }
    settings
}

/// The dimensions in which two sets measure `metric` of `run` differently.
pub fn differing_for(
    metric: Metric,
    run: &Run,
    a: &Settings,
    b: &Settings,
) -> Vec<&'static Dimension> {
    let (a, b) = (resolved(a, run), resolved(b, run));
    let mut relevant = dimensions_of(metric, &a);
    relevant.extend(dimensions_of(metric, &b));
    DIMENSIONS.iter().filter(|d| relevant.contains(&d.id) && d.read(&a) != d.read(&b)).collect()
}
