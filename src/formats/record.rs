//! One result object of the family of clients that descend from vLLM's: small values in file
//! order, and the per-request arrays straight into columns.
//!
//! Knows the family's array names. Must not know what any other key means.

use super::Input;
use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::json::{Gaps, LooseNumbers, Numbers, Value};
use crate::model::{Provenance, Ragged, Run};
use crate::notice::Notices;
use crate::units::Seconds;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::collections::BTreeMap;
use std::fmt;

/// The per-request arrays of one result. NaN is a missing value.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    pub(super) input_lens: Option<Vec<f64>>,
    pub(super) output_lens: Option<Vec<f64>>,
    pub(super) ttfts: Option<Vec<f64>>,
    /// `latencies`, which TensorRT-LLM's client calls `e2els`.
    pub(super) latencies: Option<Vec<f64>>,
    pub(super) start_times: Option<Vec<f64>>,
    pub(super) queue_times: Option<Vec<f64>>,
    /// Gaps, and the rows that hold an unusable value.
    pub(super) itls: Option<(Ragged<Seconds>, Vec<usize>)>,
    pub(super) errors: Option<Errors>,
    /// Prompt tokens that a cache held (SGLang with a cache report).
    pub(super) cached_tokens: Option<Vec<f64>>,
}

/// Which requests have an error text, and how many of each kind. The texts themselves may hold
/// addresses and paths: they stay in the file.
#[derive(Debug, Default)]
pub(super) struct Errors {
    pub(super) failed: Vec<bool>,
    pub(super) kinds: BTreeMap<String, u64>,
}

/// One result object.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Everything but the arrays, in file order.
    pub(super) values: Vec<(String, Value)>,
    pub(super) arrays: Arrays,
    /// The names of the arrays that were there.
    pub(super) array_names: Vec<&'static str>,
}

/// Above this a number is no longer exact to one: nothing was counted.
const MOST_COUNTED: f64 = 9_007_199_254_740_992.0;

impl Record {
    /// The small value of a key; the last one wins, as in Python.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.values.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether a key is there, `null` included.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some() || self.array_names.contains(&key)
    }

    /// The number of a key.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// The text of a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text().filter(|text| !text.is_empty())
    }

    /// A count: a number that is not negative, and that a count can be.
    pub(super) fn count(&self, key: &str) -> Option<u64> {
        self.number(key).filter(|n| (0.0..=MOST_COUNTED).contains(n)).map(|n| n as u64)
    }
}

/// Reads every object of a file into a run by `run`. Runs of one name are told apart by the value
/// of `key`, by load or by number.
pub(super) fn runs(
    input: Input<'_>,
    format: &str,
    key: &str,
    out: &mut Notices,
    run: impl Fn(Document<Record>, Provenance) -> Result<Run, Fault>,
) -> Result<Vec<Run>, Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let found = documents::read(input.text, RecordSeed(&ticker), &ticker, out)?;
    let of = found.len();
    let runs = found
        .into_iter()
        .enumerate()
        .map(|(index, document)| run(document, input.provenance(format, index, of)))
        .collect::<Result<_, _>>()?;
    Ok(super::name_apart(runs, key))
}

/// Reads a [`Record`].
#[derive(Clone, Copy)]
pub(super) struct RecordSeed<'t>(pub(super) &'t Ticker<'t>);

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Record;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Record, D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let mut record = Record::default();
        while let Some(key) = map.next_key_seed(Key(self.0))? {
            let arrays = &mut record.arrays;
            let name = match key.as_str() {
                "input_lens" => numbers(&mut map, &mut arrays.input_lens, "input_lens")?,
                "output_lens" => numbers(&mut map, &mut arrays.output_lens, "output_lens")?,
                "ttfts" => numbers(&mut map, &mut arrays.ttfts, "ttfts")?,
                "latencies" => numbers(&mut map, &mut arrays.latencies, "latencies")?,
                "e2els" => numbers(&mut map, &mut arrays.latencies, "e2els")?,
                "start_times" => numbers(&mut map, &mut arrays.start_times, "start_times")?,
                "queue_times" => numbers(&mut map, &mut arrays.queue_times, "queue_times")?,
                "itls" => {
                    let Gaps(gaps) = map.next_value()?;
                    self.0.add(gaps.as_ref().map_or(0, |(rows, _)| rows.len() as u64));
                    arrays.itls = gaps;
                    "itls"
                }
                "errors" => {
                    arrays.errors = map.next_value::<MaybeErrors>()?.0;
                    "errors"
                }
                "cached_tokens" => {
                    arrays.cached_tokens = map.next_value::<LooseNumbers>()?.0;
                    continue;
                }
                // Long texts, and lists that nothing here uses: skipped without being built.
                "generated_texts"
                | "server_queue_times"
                | "server_ttfts"
                | "rps_change_events"
                | "cached_tokens_details"
                | "failed_requests"
                | "per_turn_metrics" => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                _ => {
                    record.values.push((key, map.next_value()?));
                    continue;
                }
            };
            record.array_names.push(name);
        }
        record.array_names.retain(|name| record.arrays.present(name));
        Ok(record)
    }
}

impl Arrays {
    /// Whether an array is there and not `null`.
    fn present(&self, name: &str) -> bool {
        match name {
            "input_lens" => self.input_lens.is_some(),
            "output_lens" => self.output_lens.is_some(),
            "ttfts" => self.ttfts.is_some(),
            "latencies" | "e2els" => self.latencies.is_some(),
            "start_times" => self.start_times.is_some(),
            "queue_times" => self.queue_times.is_some(),
            "itls" => self.itls.is_some(),
            "errors" => self.errors.is_some(),
            _ => false,
        }
    }

    /// The length of each array that is there.
    pub(super) fn lengths(&self) -> Vec<(&'static str, usize)> {
        let lists = [
            ("input_lens", &self.input_lens),
            ("output_lens", &self.output_lens),
            ("ttfts", &self.ttfts),
            ("latencies", &self.latencies),
            ("start_times", &self.start_times),
            ("queue_times", &self.queue_times),
        ];
        let mut lengths: Vec<_> = lists
            .into_iter()
            .filter_map(|(name, list)| list.as_ref().map(|list| (name, list.len())))
            .collect();
        lengths.extend(self.itls.as_ref().map(|(rows, _)| ("itls", rows.len())));
        lengths.extend(self.errors.as_ref().map(|errors| ("errors", errors.failed.len())));
        lengths
    }
}

fn numbers<'de, A: MapAccess<'de>>(
    map: &mut A,
    slot: &mut Option<Vec<f64>>,
    name: &'static str,
) -> Result<&'static str, A::Error> {
    *slot = map.next_value::<Numbers>()?.0;
    Ok(name)
}

/// A key; where it lies in the text tells how far the parse has come.
struct Key<'t>(&'t Ticker<'t>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<String, D::Error> {
        de.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<String, E> {
        self.0.reached(key);
        Ok(key.to_owned())
    }
    fn visit_str<E>(self, key: &str) -> Result<String, E> {
        Ok(key.to_owned())
    }
}

struct MaybeErrors(Option<Errors>);

impl<'de> Deserialize<'de> for MaybeErrors {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = MaybeErrors;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of error texts")
            }
            fn visit_unit<E>(self) -> Result<MaybeErrors, E> {
                Ok(MaybeErrors(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MaybeErrors, A::Error> {
                let mut errors = Errors::default();
                while let Some(ErrorKindOf(kind)) = seq.next_element()? {
                    errors.failed.push(kind.is_some());
                    if let Some(kind) = kind {
                        *errors.kinds.entry(kind).or_default() += 1;
                    }
                }
                Ok(MaybeErrors(Some(errors)))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// The kind of one error text; `None` where there is no error.
struct ErrorKindOf(Option<String>);

impl<'de> Deserialize<'de> for ErrorKindOf {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl Visitor<'_> for Visit {
            type Value = ErrorKindOf;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an error text")
            }
            fn visit_unit<E>(self) -> Result<ErrorKindOf, E> {
                Ok(ErrorKindOf(None))
            }
            fn visit_str<E>(self, text: &str) -> Result<ErrorKindOf, E> {
                Ok(ErrorKindOf((!text.is_empty()).then(|| error_kind(text))))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// Reason phrases of HTTP and fixed sentences that clients write as the error text.
const REASONS: [&str; 15] = [
    "Bad Request",
    "Unauthorized",
    "Forbidden",
    "Not Found",
    "Method Not Allowed",
    "Request Timeout",
    "Payload Too Large",
    "Unprocessable Entity",
    "Too Many Requests",
    "Internal Server Error",
    "Not Implemented",
    "Bad Gateway",
    "Service Unavailable",
    "Gateway Timeout",
    // vLLM 0.27 on, for a reply without any text.
    "Never received a valid chunk",
];

/// Names an error without quoting it: a reason phrase of HTTP, or the class of an exception.
pub(super) fn error_kind(text: &str) -> String {
    if let Some(reason) = REASONS.iter().find(|reason| text.starts_with(**reason)) {
        return (*reason).to_owned();
    }
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let class = last.split([':', '(']).next().unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or_default();
    let named = ["Error", "Exception", "Timeout"].iter().any(|end| class.ends_with(end));
    if named && class.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        class.to_owned()
    } else {
        "other error".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_one_that_can_be_counted() {
        let record = |value| Record {
            values: vec![("completed".into(), Value::Number(value))],
            ..Record::default()
        };
        assert_eq!(record(4.0).count("completed"), Some(4));
        for value in [-1.0, 1e300, f64::INFINITY, f64::NAN] {
            assert_eq!(record(value).count("completed"), None, "{value}");
        }
    }

    #[test]
    fn errors_are_named_not_quoted() {
        let traceback = "Traceback (most recent call last):\n  File \"/home/x\"\n\
                         aiohttp.client_exceptions.ClientPayloadError: <http://10.0.0.1>\n";
        assert_eq!(error_kind(traceback), "ClientPayloadError");
        assert_eq!(error_kind("Internal Server Error"), "Internal Server Error");
        assert_eq!(error_kind("Internal Server Error: at /home/x"), "Internal Server Error");
        assert_eq!(error_kind("key sk-12345 refused"), "other error");
    }
}
