//! Presets: the ruler each tool used, as data.

use super::settings::{
    ClockStart, Duration, EmptyOutputs, End, FirstToken, GoodputMissing, GoodputUnit, Itl,
    Percentile, Population, Settings, ShortOutputs, Spread, TokenCount, Tpot, UserSpeed, Weighting,
    Window,
};
use crate::model::{EndRule, FirstTokenRule, Metric, Run, TokenSource, Tool};

/// A named definition set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Stable id.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The set.
    pub settings: Settings,
    /// Where it was read.
    pub source: &'static str,
    /// What to know before using it.
    pub note: &'static str,
    /// The versions of the tool that it describes.
    pub versions: &'static str,
}

/// The common ruler: what every file of requests can be measured with.
pub static COMMON: Preset = Preset {
    id: "common",
    name: "Common ruler",
    settings: Settings {
        clock_start: ClockStart::Send,
        first_token: FirstToken::FirstEvent,
        end: End::LastToken,
        token_count: TokenCount::AsRecorded,
        tpot: Tpot::AfterFirst,
        itl: Itl::EventGap,
        short_outputs: ShortOutputs::Exclude,
        empty_outputs: EmptyOutputs::Exclude,
        population: Population::Ok,
        weighting: Weighting::PerRequest,
        percentile: Percentile::Linear,
        spread: Spread::Population,
        window: Window::Whole,
        duration: Duration::AsReported,
        user_speed: UserSpeed::Decode,
        goodput_missing: GoodputMissing::NotApplicable,
        goodput_unit: GoodputUnit::RequestsPerSecond,
    },
    source: "Same Ruler itself",
    note: "First token and token count are as each client recorded them; a run says who counted.",
    versions: "",
};

/// The ruler of vLLM's serving benchmark.
pub static VLLM: Preset = Preset {
    id: "vllm",
    name: "vLLM",
    settings: Settings {
        token_count: TokenCount::Server,
        empty_outputs: EmptyOutputs::AsSuccess,
        goodput_missing: GoodputMissing::Passes,
        ..COMMON.settings
    },
    source: "vllm/benchmarks/serve.py and lib/endpoint_request_func.py",
    note: "The first event may carry no text. The end is the last token; 0.7 to 0.26 chat stops at the last message, and 0.6 and older at the end of the stream: a run’s own ruler knows.",
    versions: "0.4.0 to 0.33",
};

/// The ruler of SGLang's serving benchmark.
pub static SGLANG: Preset = Preset {
    id: "sglang",
    name: "SGLang",
    settings: Settings {
        first_token: FirstToken::FirstText,
        end: End::StreamEnd,
        itl: Itl::TokenSpread,
        ..VLLM.settings
    },
    source: "python/sglang/bench_serving.py",
    note: "ITL is spread over tokens on the native endpoint only; OpenAI style endpoints book one gap an event: a run’s own ruler knows.",
    versions: "0.4.3.post3 to 0.5.23",
};

/// All presets, the default first.
pub static PRESETS: &[&Preset] = &[&COMMON, &VLLM, &SGLANG];

impl Preset {
    /// The preset with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.id == id)
    }

    /// The preset that has exactly these settings.
    pub fn named(settings: &Settings) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.settings == *settings)
    }
}

/// The ruler under which a run was printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Own {
    /// The preset of the tool that wrote it.
    pub preset: &'static Preset,
    /// The preset with what the file says about this very run.
    pub settings: Settings,
}

/// The ruler under which `run` was printed: its tool's preset, made exact by what the file records.
///
/// Empty replies enter as successes only where the file has some; without any the choice changes
/// nothing, and the run then shares the common ruler's.
pub fn own(run: &Run) -> Own {
    let preset: &'static Preset = match run.tool {
        Tool::Vllm => &VLLM,
        Tool::Sglang => &SGLANG,
        Tool::Csv => &COMMON,
    };
    let mut settings = preset.settings;
    settings.empty_outputs = EmptyOutputs::Exclude;
    if run.tool == Tool::Sglang && !spreads_gaps(run) {
        settings.itl = Itl::EventGap;
    }
    let Some(requests) = &run.requests else { return Own { preset, settings } };
    settings.first_token = match requests.first_token_rule {
        FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
        FirstTokenRule::FirstText => FirstToken::FirstText,
        FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
    };
    settings.end = match requests.end_rule {
        EndRule::LastToken => End::LastToken,
        EndRule::LastMessage => End::LastMessage,
        EndRule::StreamEnd => End::StreamEnd,
    };
    if requests.token_source != TokenSource::Server {
        settings.token_count = TokenCount::AsRecorded;
    }
    if run.tool != Tool::Csv && super::rows::writes_zeros(requests) {
        settings.empty_outputs = EmptyOutputs::AsSuccess;
    }
    if run.reported.value(Metric::Duration).is_none() && !requests.start.is_absent() {
        settings.duration = Duration::FirstSendToLastToken;
    }
    Own { preset, settings }
}

/// Whether SGLang spread this run's gaps over tokens: only its native endpoint does.
fn spreads_gaps(run: &Run) -> bool {
    use crate::model::GapKind;
    match &run.requests {
        Some(requests) if !requests.gaps.is_absent() => requests.gap_kind == GapKind::TokenSpread,
        _ => {
            run.workload.backend.as_deref().is_some_and(|b| matches!(b, "sglang" | "sglang-native"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_found_by_id_and_by_settings() {
        for preset in PRESETS {
            assert_eq!(Preset::find(preset.id).map(|p| p.id), Some(preset.id));
            assert_eq!(Preset::named(&preset.settings).map(|p| p.id), Some(preset.id));
        }
        assert_eq!(Preset::find("guidellm"), None);
    }
}
