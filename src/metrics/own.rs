//! The ruler under which a run was printed: its tool's preset, the edition of its version, and what the
//! file itself says.

use super::dimensions::DIMENSIONS;
use super::edition::{Edition, Outside, Span};
use super::preset::{
    AIPERF, COMMON, GENAI_PERF, GUIDELLM, INFERENCE_PERF, LLMPERF, MLPERF, Preset, SGLANG,
    TRTLLM_BENCH, VIDUR, VLLM,
};
use super::settings::{
    Duration, EmptyOutputs, End, FirstToken, Itl, Settings, Spread, TokenCount, Tpot, UserSpeed,
};
use crate::model::{EndRule, FirstTokenRule, Metric, Requests, Run, Stat, TokenSource, Tool};
use serde::{Deserialize, Serialize};

/// The ruler under which a run was printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Own {
    /// The preset of the tool that wrote it.
    pub preset: &'static Preset,
    /// What its version measured otherwise than the preset.
    pub edition: Option<&'static Edition>,
    /// From what the version is known.
    pub known_by: KnownBy,
    /// Whether the version lies outside of those that the preset describes.
    pub outside: Option<Outside>,
    /// The preset and its edition, with what the file says about this very run.
    pub settings: Settings,
}

/// From what a run's version is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownBy {
    /// The file names it.
    Version,
    /// It is guessed from the file's keys.
    Guess,
    /// Not at all: the newest ruler that was read is taken.
    Nothing,
}

impl KnownBy {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Guess => "guess",
            Self::Nothing => "nothing",
        }
    }
}

impl Own {
    /// "as vLLM"; "as vLLM ~" where the version lies outside of those that were read.
    pub fn stamp(&self) -> String {
        let mark = if self.outside.is_some() { " ~" } else { "" };
        format!("as {}{mark}", self.preset.name)
    }

    /// "vLLM 0.7 to before 0.27, chat, responses and audio", or "vLLM" for the preset itself.
    pub fn edition_name(&self) -> String {
        match self.edition {
            Some(edition) => format!("{} {}", self.preset.name, edition.versions()),
            None => self.preset.name.to_owned(),
        }
    }

    /// Why this edition, as sentences: from the version in the file, from a guess and its fingerprint.
    pub fn because(&self, run: &Run) -> String {
        if self.preset.tool != Some(run.tool) {
            return match self.preset.id {
                "common" => "Its tool computes nothing of its own.".to_owned(),
                id if self.preset.tool.is_none() => format!("{id} has one edition."),
                _ => format!("{} measures as {} does.", run.tool.name(), self.preset.name),
            };
        }
        let fingerprint =
            run.version.because.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let known = match (self.known_by, &run.version.exact, &run.version.guess) {
            (KnownBy::Version, Some(exact), _) => format!("The file names version {exact}."),
            (KnownBy::Guess, _, Some(guess)) => format!("Guessed as {guess}{fingerprint}."),
            _ => {
                "The file names no version, so the newest ruler that was read is taken.".to_owned()
            }
        };
        match (self.edition, self.note()) {
            (_, Some(note)) => format!("{known} {note}"),
            (Some(edition), None) => format!("{known} {}", edition.note),
            (None, None) => known,
        }
    }

    /// What the stamp's "~" stands for.
    pub fn note(&self) -> Option<String> {
        let (side, first, last) = (self.outside?, self.preset.first, self.preset.last);
        let side = match side {
            Outside::Newer => "newer",
            Outside::Older => "older",
        };
        Some(format!(
            "That is {side} than the versions read ({first} to {last}): its ruler may be another."
        ))
    }

    /// Dimension and choice where this very run departs from preset and edition: what its columns and
    /// printed values say.
    pub fn by_file(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.preset.settings;
        if let Some(edition) = self.edition {
            edition.apply(&mut settings);
        }
        DIMENSIONS
            .iter()
            .filter(|d| d.read(&settings) != d.read(&self.settings))
            // Empty replies enter only where there are some: no word about those that are not there.
            .filter(|d| d.id != "empty-outputs")
            .map(|d| (d.id, d.read(&self.settings)))
            .collect()
    }
}

/// The versions that a run of the preset's own tool can be of, and from what that is known.
fn version_of(run: &Run, preset: &Preset) -> (KnownBy, Option<Span>) {
    if preset.tool != Some(run.tool) {
        return (KnownBy::Nothing, None);
    }
    let (exact, guess) = (run.version.exact.as_deref(), run.version.guess.as_deref());
    let known_by = match (exact, guess) {
        (Some(_), _) => KnownBy::Version,
        (None, Some(_)) => KnownBy::Guess,
        (None, None) => KnownBy::Nothing,
    };
    (known_by, exact.and_then(Span::parse).or_else(|| guess.and_then(Span::parse)))
}

/// The ruler under which `run` was printed: its tool's preset, as its version had it, made exact by what
/// the file records.
///
/// Empty replies enter as successes only where the file has some; without any the choice changes
/// nothing, and the run then shares the common ruler's.
pub fn own(run: &Run) -> Own {
    let preset = preset_of(run);
    let (known_by, span) = version_of(run, preset);
    let endpoint = run.workload.endpoint.as_deref();
    let edition = span.as_ref().and_then(|span| Edition::of(preset, span, endpoint));
    let outside = span.as_ref().and_then(|span| span.outside(preset.first, preset.last));
    let mut settings = preset.settings;
    if let Some(edition) = edition {
        edition.apply(&mut settings);
    }
    if settings.end == End::LastMessage && run.requests.is_none() {
        // Milliseconds after the last token, which printed aggregates can't be rid of: the edition's note
        // says so, and they stand as they were printed.
        settings.end = End::LastToken;
    }
    bend(run, &mut settings);
    Own { preset, edition, known_by, outside, settings }
}

/// Makes a ruler exact by what the file of `run` records.
fn bend(run: &Run, settings: &mut Settings) {
    settings.empty_outputs = EmptyOutputs::Exclude;
    if run.tool == Tool::Sglang && !spreads_gaps(run) {
        settings.itl = Itl::EventGap;
    }
    match run.tool {
        // Its serving client prints n ÷ E; trtllm-bench does without a stream.
        Tool::Trtllm
            if !run.is_offline() || run.reported.find(Metric::Ttft, Stat::Mean).is_none() =>
        {
            settings.user_speed = UserSpeed::Whole;
        }
        // `tools/llama-bench`: tokens over the time of a repetition, spread over n − 1.
        Tool::LlamaBench => {
            settings.user_speed = UserSpeed::Whole;
            settings.spread = Spread::Sample;
        }
        // `predicted_per_token_ms` divides the time after the first token by all tokens.
        Tool::LlamaServer => {
            settings.tpot = Tpot::AfterFirstOverN;
            settings.itl = Itl::AsRecorded;
        }
        // "Interactivity" is one over the TPOT statistic of the same name.
        Tool::Inferencex => settings.user_speed = UserSpeed::ReciprocalOfTpot,
        // `fmperf/utils/Parsing.py`: the mean over the rows of all tokens after the first, those of one
        // chunk with 0.
        Tool::Fmperf => settings.itl = Itl::TokenZeros,
        _ => {}
    }
    let Some(requests) = &run.requests else { return };
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
    } else if settings.token_count == TokenCount::Retokenized {
        settings.token_count = TokenCount::Server;
    }
    if run.tool == Tool::InferencePerf {
        as_stamped(settings, requests);
    }
    if prints_statistics(run) && super::rows::writes_zeros(requests) {
        settings.empty_outputs = EmptyOutputs::AsSuccess;
    }
    if matches!(run.tool, Tool::GenaiPerf | Tool::PerfAnalyzer) {
        answers_only(settings, requests);
    }
    if settings.duration == Duration::AsReported
        && run.reported.value(Metric::Duration).is_none()
        && !requests.start.is_absent()
    {
        settings.duration = Duration::FirstSendToLastToken;
    }
    if run.tool == Tool::Aiperf {
        as_aiperf(run, requests, settings);
    }
}

/// GenAI-Perf counts the tokens of the answer by its own tokenizer, whatever the server says, and drops
/// replies without an answer from all but the request throughput.
fn answers_only(settings: &mut Settings, requests: &Requests) {
    if !requests.first_answer.is_absent() {
        settings.first_token = FirstToken::FirstAnswer;
    }
    if requests.token_source == TokenSource::Server {
        settings.token_count = TokenCount::Retokenized;
    }
    settings.empty_outputs = if super::rows::has_silent(requests) {
        EmptyOutputs::CountOnly
    } else {
        EmptyOutputs::Exclude
    };
}

/// What the rows of AIPerf say of its ruler. Its latency stops at the last text also where the file
/// times the end of the stream beside it, and it counts by its own tokenizer wherever that count differs
/// from the server's. With per-chunk usage (0.13) decode times are divided by the tokens after the first
/// chunk. The benchmark duration has two decimals in its table: the rows it was taken from have all.
fn as_aiperf(run: &Run, requests: &Requests, settings: &mut Settings) {
    let printed = run.reported.find(Metric::Duration, Stat::Value);
    if printed.is_some_and(|value| value.field == "Benchmark Duration")
        && !requests.start.is_absent()
    {
        settings.duration = Duration::FirstSendToLastToken;
    }
    settings.end = End::LastToken;
    if !requests.retokenized.is_absent() {
        settings.token_count = TokenCount::Retokenized;
    }
    if !requests.request_itl.is_absent() {
        settings.itl = Itl::AsRecorded;
        if requests.event_tokens.was_recorded() {
            settings.tpot = Tpot::AfterFirstEvent;
        }
    }
}

/// The preset of a run's tool; the common ruler where a tool computes nothing of its own.
fn preset_of(run: &Run) -> &'static Preset {
    match run.tool {
        Tool::Trtllm if !run.is_offline() => &VLLM,
        Tool::Vllm | Tool::Inferencex => &VLLM,
        Tool::Sglang | Tool::Lmdeploy => &SGLANG,
        Tool::Trtllm => &TRTLLM_BENCH,
        Tool::Aiperf => &AIPERF,
        Tool::GenaiPerf | Tool::PerfAnalyzer => &GENAI_PERF,
        Tool::Guidellm => &GUIDELLM,
        Tool::Llmperf => &LLMPERF,
        Tool::InferencePerf => &INFERENCE_PERF,
        Tool::Mlperf => &MLPERF,
        Tool::Vidur | Tool::Sarathi => &VIDUR,
        Tool::LlmD
        | Tool::Lmbenchmark
        | Tool::Fmperf
        | Tool::LlamaBench
        | Tool::LlamaServer
        | Tool::EventLog
        | Tool::Csv => &COMMON,
    }
}

/// inference-perf divides by the client's own count. Before 0.5 a stamp was no token but a line or message
/// of the stream: its TPOT and ITL are those of the stamps.
fn as_stamped(settings: &mut Settings, requests: &Requests) {
    if !requests.retokenized.is_absent() {
        settings.token_count = TokenCount::Retokenized;
    }
    if !requests.event_tokens.was_recorded() && requests.gaps.was_recorded() {
        settings.itl = Itl::EventGap;
        settings.tpot = Tpot::VisibleGaps;
    }
}

/// The 5 of GuideLLM 0.5, from the version in the file or the guess; the newest where there is none.
pub(super) fn guidellm_minor(run: &Run) -> u32 {
    let version = run.version.exact.as_deref().or(run.version.guess.as_deref()).unwrap_or_default();
    let minor = version.strip_prefix("0.").unwrap_or_default();
    let digits = minor.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(u32::MAX)
}

/// Whether a tool works statistics out of its rows, so that zeros it wrote can have entered them.
/// GuideLLM leaves out what it has not from 0.8 on.
fn prints_statistics(run: &Run) -> bool {
    match run.tool {
        Tool::Csv | Tool::EventLog | Tool::Lmbenchmark | Tool::LlamaServer => false,
        Tool::Guidellm => guidellm_minor(run) < 8,
        _ => true,
    }
}

/// Whether SGLang spread this run's gaps over tokens: only its native endpoint does.
fn spreads_gaps(run: &Run) -> bool {
    use crate::model::GapKind;
    match &run.requests {
        Some(requests) if requests.gaps.was_recorded() => requests.gap_kind == GapKind::TokenSpread,
        _ => {
            run.workload.backend.as_deref().is_some_and(|b| matches!(b, "sglang" | "sglang-native"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Provenance};

    fn run(tool: Tool, exact: Option<&str>, guess: Option<&str>) -> Run {
        let provenance = Provenance::new("a.json", 0, Digest::of(b"a"), "a", "a");
        let mut run = Run::new(tool, "a", provenance);
        run.version.exact = exact.map(str::to_owned);
        run.version.guess = guess.map(str::to_owned);
        run.version.because = guess.map(|_| "a key".to_owned());
        run
    }

    #[test]
    fn the_version_in_the_file_chooses_the_edition() {
        let own = own(&run(Tool::Guidellm, Some("0.3.1"), None));
        assert_eq!(own.settings.tpot, Tpot::AfterFirstOverN);
        assert_eq!((own.known_by, own.outside), (KnownBy::Version, None));
        assert_eq!(own.edition_name(), "GuideLLM 0.2 to before 0.4");
        assert_eq!(own.stamp(), "as GuideLLM");
    }

    #[test]
    fn a_guess_chooses_it_with_its_fingerprint() {
        let run = run(Tool::Vllm, None, Some("0.3"));
        let own = own(&run);
        assert_eq!(own.settings.tpot, Tpot::WholeOverN, "0.3 divided the whole latency");
        assert_eq!(own.known_by, KnownBy::Guess);
        assert!(own.because(&run).starts_with("Guessed as 0.3: a key. TPOT is the whole"));
    }

    #[test]
    fn a_version_beyond_those_read_is_marked() {
        let run = run(Tool::Vllm, Some("0.41.0"), None);
        let own = own(&run);
        assert_eq!(own.stamp(), "as vLLM ~");
        assert_eq!(
            own.because(&run),
            "The file names version 0.41.0. That is newer than the versions read (0.3 to 0.33): its \
             ruler may be another."
        );
    }

    #[test]
    fn without_a_version_the_newest_ruler_is_taken_and_said_to_be() {
        let run = run(Tool::Sglang, None, None);
        let own = own(&run);
        assert_eq!((own.edition, own.known_by), (None, KnownBy::Nothing));
        assert!(own.because(&run).contains("names no version"));
        assert_eq!(own.by_file(), [("itl", "event-gap".to_owned())], "no native endpoint is named");
    }

    #[test]
    fn a_version_of_another_tool_says_nothing_of_a_borrowed_ruler() {
        let run = run(Tool::Trtllm, Some("1.2.0"), None);
        let own = own(&run);
        assert_eq!((own.preset.id, own.outside), ("vllm", None));
        assert_eq!(own.because(&run), "TensorRT-LLM measures as vLLM does.");
    }
}
