//! Editions: what each tool measured otherwise in some of its versions, as data.
//!
//! A preset is a tool's newest ruler that was read. An edition says where older or other versions depart
//! from it. Decision 0011 says why these are data.

use super::preset::Preset;
use super::settings::Settings;

/// What a tool measured otherwise in a stretch of its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edition {
    /// Id of the preset that it departs from.
    pub preset: &'static str,
    /// The first version.
    pub from: &'static str,
    /// The first version that is another edition.
    pub before: &'static str,
    /// Only files of these protocols; all when empty.
    pub endpoints: &'static [&'static str],
    /// Dimension and choice, where it departs from the preset.
    pub changes: &'static [(&'static str, &'static str)],
    /// What that means, in a sentence.
    pub note: &'static str,
    /// Where it can be read: a file of that project, or the key it prints.
    pub source: &'static str,
}

/// Protocols of which vLLM's client counts messages, not tokens.
const CHATS: &[&str] = &["chat", "responses", "audio"];

const OLD_VLLM: &str = "benchmarks/backend_request_func.py";
const VLLM_CLIENT: &str = "vllm/benchmarks/lib/endpoint_request_func.py";
const GUIDELLM_REPORT: &str = "time_per_output_token_ms and inter_token_latency_ms of its report";

/// All editions, each tool's oldest first. Of one preset and protocol no two overlap.
pub static EDITIONS: &[Edition] = &[
    Edition {
        preset: "vllm",
        from: "0.3",
        before: "0.4",
        endpoints: &[],
        changes: &[("end", "stream-end"), ("token-count", "retokenized"), ("tpot", "whole-over-n")],
        note: "TPOT is the whole latency over all tokens; the first bytes of any kind stop TTFT.",
        source: "benchmarks/benchmark_serving.py",
    },
    Edition {
        preset: "vllm",
        from: "0.4",
        before: "0.7",
        endpoints: &[],
        changes: &[
            ("first-token", "first-text"),
            ("end", "stream-end"),
            ("token-count", "retokenized"),
        ],
        note: "TTFT stops at the first text, the latency at the end marker; the client’s tokenizer counts.",
        source: OLD_VLLM,
    },
    Edition {
        preset: "vllm",
        from: "0.7",
        before: "0.27",
        endpoints: CHATS,
        changes: &[("end", "last-message")],
        note: "The role chunk counts as first token, and the latency stops at the last message, usually the usage chunk.",
        source: VLLM_CLIENT,
    },
    Edition {
        preset: "vllm",
        from: "0.27",
        before: "0.34",
        endpoints: CHATS,
        changes: &[("first-token", "first-text")],
        note: "TTFT and latency stop at events with text, reasoning included.",
        source: VLLM_CLIENT,
    },
    Edition {
        preset: "sglang",
        from: "0.2",
        before: "0.4.3.post3",
        endpoints: &[],
        changes: &[("itl", "event-gap"), ("token-count", "as-recorded")],
        note: "Gaps are not yet spread over tokens, and output tokens are the number that was asked for.",
        source: "python/sglang/bench_serving.py",
    },
    Edition {
        preset: "aiperf",
        from: "0.1",
        before: "0.3",
        endpoints: &[],
        changes: &[("first-token", "first-event")],
        note: "The first parsed response of any kind stops TTFT, with or without text.",
        source: "time_to_first_token",
    },
    Edition {
        preset: "guidellm",
        from: "0.1",
        before: "0.2",
        endpoints: &[],
        changes: &[
            ("decode-end", "request-end"),
            ("tpot", "after-first"),
            ("itl", "event-gap"),
            ("weighting", "per-request"),
            ("percentile", "linear"),
        ],
        note: "It pools every gap, knows no TPOT, and interpolates percentiles as numpy does.",
        source: "decode_times of its report",
    },
    Edition {
        preset: "guidellm",
        from: "0.2",
        before: "0.4",
        endpoints: &[],
        changes: &[("first-token", "first-answer"), ("tpot", "after-first-over-n")],
        note: "Its TPOT is the time after the first token over all tokens; reasoning stops no clock.",
        source: GUIDELLM_REPORT,
    },
    Edition {
        preset: "guidellm",
        from: "0.4",
        before: "0.7",
        endpoints: &[],
        changes: &[("first-token", "first-answer")],
        note: "Reasoning stops no clock: TTFT ends at the first answer text.",
        source: GUIDELLM_REPORT,
    },
    Edition {
        preset: "inference-perf",
        from: "0.1",
        before: "0.5",
        endpoints: &[],
        changes: &[("first-token", "first-event"), ("itl", "event-gap"), ("tpot", "visible-gaps")],
        note: "A stamp is a chunk, line or message of the stream and no token; TPOT and ITL are those of the stamps.",
        source: "output_token_times",
    },
];

impl Edition {
    /// The edition of `preset` that all of these versions are, for a file of this protocol.
    pub(super) fn of(
        preset: &Preset,
        span: &Span,
        endpoint: Option<&str>,
    ) -> Option<&'static Self> {
        EDITIONS.iter().find(|edition| {
            let protocol = edition.endpoints.is_empty()
                || endpoint.is_some_and(|word| edition.endpoints.contains(&word));
            edition.preset == preset.id && protocol && edition.holds(span)
        })
    }

    /// All editions of a preset, the oldest first.
    pub fn all_of(preset: &Preset) -> impl Iterator<Item = &'static Self> {
        let id = preset.id;
        EDITIONS.iter().filter(move |edition| edition.preset == id)
    }

    /// Makes its choices.
    pub(super) fn apply(&self, settings: &mut Settings) {
        for (dimension, choice) in self.changes {
            // A test demands that each can be made.
            let _ = settings.set(dimension, choice);
        }
    }

    /// "0.7 to before 0.27, chat, responses and audio".
    pub fn versions(&self) -> String {
        let only = if self.endpoints.is_empty() { "" } else { ", chat, responses and audio" };
        format!("{} to before {}{only}", self.from, self.before)
    }

    fn holds(&self, span: &Span) -> bool {
        let (Some(from), Some(before)) = (parts(self.from), parts(self.before)) else {
            return false;
        };
        from <= span.low && span.high.as_ref().is_some_and(|high| *high < before)
    }
}

/// A version as numbers: 0.4.3.post3 is 0, 4, 3, 3.
type Parts = Vec<u32>;

/// The versions that a file can be of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    low: Parts,
    /// None where there is no upper bound.
    high: Option<Parts>,
}

impl Span {
    /// Reads "0.8.5", "0.6.4 to 0.6.6", "0.2 or 0.3", "0.27 or later", "0.5 on", also with words
    /// around. None where no version is in it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut found = text.split([' ', ',']).filter_map(parts);
        let low = found.next()?;
        let open = text.contains("or later") || text.ends_with(" on");
        let mut high = found.next_back().unwrap_or_else(|| low.clone());
        // 0.26 is all of 0.26.
        high.push(u32::MAX);
        Some(Self { low, high: (!open).then_some(high) })
    }

    /// Whether all of it lies before `first` or after `last`; which.
    pub(super) fn outside(&self, first: &str, last: &str) -> Option<Outside> {
        let (first, mut last) = (parts(first)?, parts(last)?);
        last.push(u32::MAX);
        if self.low > last {
            return Some(Outside::Newer);
        }
        self.high.as_ref().is_some_and(|high| *high < first).then_some(Outside::Older)
    }
}

/// On which side of the versions that a preset describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Older than all of them.
    Older,
    /// Newer than all of them.
    Newer,
}

/// The numbers of a dotted version; none for a word without a dot, such as a year.
fn parts(word: &str) -> Option<Parts> {
    let word = word.trim_start_matches('v');
    if !word.starts_with(|c: char| c.is_ascii_digit()) || !word.contains('.') {
        return None;
    }
    // What follows a plus is a build, and a development build is of the release it leads to.
    let release = word.split('+').next().unwrap_or(word);
    let release = release.split("dev").next().unwrap_or(release);
    let numbers: Parts = release
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map_while(|digits| digits.parse().ok())
        .collect();
    (numbers.len() > 1).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::preset::PRESETS;

    fn span(text: &str) -> Span {
        Span::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn every_edition_changes_its_preset_by_choices_that_there_are() {
        for edition in EDITIONS {
            let preset = Preset::find(edition.preset).unwrap();
            assert!(!edition.changes.is_empty() && !edition.source.is_empty());
            assert!(edition.note.ends_with('.'), "{}", edition.note);
            for (dimension, choice) in edition.changes {
                let mut settings = preset.settings;
                settings.set(dimension, choice).unwrap();
                assert_ne!(settings, preset.settings, "{} {dimension}", edition.versions());
            }
            assert!(parts(edition.from).unwrap() < parts(edition.before).unwrap());
        }
    }

    #[test]
    fn editions_of_one_preset_do_not_overlap() {
        for (at, one) in EDITIONS.iter().enumerate() {
            for other in &EDITIONS[at + 1..] {
                let together = one.endpoints.is_empty()
                    || other.endpoints.is_empty()
                    || one.endpoints == other.endpoints;
                if one.preset == other.preset && together {
                    assert!(parts(one.before) <= parts(other.from), "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn versions_are_read_as_files_and_guesses_write_them() {
        assert_eq!(span("0.4.3.post3").low, [0, 4, 3, 3]);
        assert_eq!(span("0.8.0dev18+gabc").low, [0, 8, 0]);
        assert_eq!(span("0.2 or 0.3").high, Some(vec![0, 3, u32::MAX]));
        assert_eq!(span("0.27 or later").high, None);
        assert_eq!(span("0.6.1 on").high, None);
        assert_eq!(span("a copy of vLLM 0.7").low, [0, 7]);
        for none in ["unknown", "2026", "March 2025 or later", ""] {
            assert_eq!(Span::parse(none), None, "{none}");
        }
    }

    #[test]
    fn an_edition_is_taken_only_where_all_of_the_versions_are_of_it() {
        let vllm = Preset::find("vllm").unwrap();
        let edition =
            |text: &str, endpoint| Edition::of(vllm, &span(text), endpoint).map(|e| e.from);
        assert_eq!(edition("0.15 to 0.26", Some("chat")), Some("0.7"));
        assert_eq!(edition("0.15 to 0.26", Some("completions")), None);
        assert_eq!(edition("0.6.0 to 0.6.3", Some("chat")), Some("0.4"));
        assert_eq!(edition("0.6.4 to 0.7.3", Some("completions")), None, "either side of a change");
        assert_eq!(edition("0.3", None), Some("0.3"));
    }

    #[test]
    fn versions_outside_of_what_was_read_are_known_to_be() {
        assert_eq!(span("0.40.1").outside("0.3", "0.33"), Some(Outside::Newer));
        assert_eq!(span("0.33.0").outside("0.3", "0.33"), None);
        assert_eq!(span("0.2.7").outside("0.3", "0.33"), Some(Outside::Older));
        assert_eq!(span("0.27 or later").outside("0.3", "0.33"), None);
    }

    #[test]
    fn every_preset_says_which_versions_it_describes() {
        for preset in PRESETS {
            assert_eq!(preset.first.is_empty(), preset.last.is_empty());
            assert!(preset.first.is_empty() || parts(preset.first) <= parts(preset.last));
            assert_eq!(preset.id == "common", preset.versions.is_empty(), "{}", preset.id);
            for edition in Edition::all_of(preset) {
                assert!(parts(preset.first) <= parts(edition.from), "{}", edition.versions());
            }
        }
    }
}
