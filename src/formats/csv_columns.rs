//! Which column of a table of requests is what: the usual names, and their units.

use super::csv_map::{Field, Mapping};
use super::csv_table::{Heading, TimeUnit};
use super::error::{ErrorKind, Fault};
use crate::notice::{Notices, Place, Severity};

/// The usual names of each field in a table of requests.
const NAMES: &[(Field, &[&str])] = &[
    (
        Field::RequestId,
        &["request_id", "req_id", "requestid", "id", "request", "trace_id", "generation_id"],
    ),
    (
        Field::InputTokens,
        &[
            "prompt_tokens",
            "input_tokens",
            "tokens_prompt",
            "prompt_len",
            "input_len",
            "prompt_length",
            "input_length",
            "num_prompt_tokens",
            "num_input_tokens",
            "native_tokens_prompt",
            "isl",
            "input_sequence_length",
        ],
    ),
    (
        Field::OutputTokens,
        &[
            "completion_tokens",
            "output_tokens",
            "tokens_completion",
            "generation_tokens",
            "generated_tokens",
            "output_len",
            "output_length",
            "num_output_tokens",
            "num_completion_tokens",
            "native_tokens_completion",
            "osl",
            "output_sequence_length",
        ],
    ),
    (Field::Ttft, &["ttft", "time_to_first_token", "first_token", "first_token_latency"]),
    (
        Field::E2e,
        &[
            "e2e",
            "e2el",
            "e2e_latency",
            "end_to_end",
            "end_to_end_latency",
            "latency",
            "request_latency",
            "total_latency",
            "total_time",
            "total",
            "duration",
            "response_time",
        ],
    ),
    (Field::Tpot, &["tpot", "time_per_output_token", "mean_tpot", "avg_tpot"]),
    (Field::Itl, &["mean_itl", "avg_itl"]),
    (Field::DecodeTime, &["decode_time", "decode_latency", "decoding_time"]),
    (
        Field::Start,
        &[
            "start",
            "start_time",
            "started_at",
            "timestamp",
            "created_at",
            "launch_time",
            "send_time",
        ],
    ),
    (Field::End, &["end", "end_time", "finish_time", "finished_at"]),
    (Field::InterArrival, &["inter_arrival", "inter_arrival_time", "inter_arrival_delay"]),
    (Field::Status, &["status", "state", "outcome"]),
    (Field::Success, &["success", "succeeded", "ok"]),
    (Field::Error, &["error", "error_code", "error_message", "error_msg", "exception"]),
    (Field::FinishReason, &["finish_reason"]),
    (Field::Model, &["model", "model_id", "model_name"]),
];

/// Which column is what.
#[derive(Default)]
pub(super) struct Plan {
    /// Field, column and unit (of a time).
    columns: Vec<(Field, usize, Option<TimeUnit>)>,
    /// Columns that are known to hold nothing that is read.
    unused: Vec<usize>,
    /// Whether a row without an end-to-end latency is of a request that did not finish.
    pub(super) cut_without_e2e: bool,
}

/// A column of a tool's own table: its heading, what it is, and the unit of its times.
pub(super) type Own = (&'static str, Field, Option<TimeUnit>);

/// So many columns that are not used are named.
const MOST_NAMED: usize = 20;

impl Plan {
    /// Finds the columns by their headings.
    pub(super) fn of(headings: &[Heading]) -> Self {
        Self::default().named(headings)
    }

    /// Takes the columns that somebody named, and finds the others by their headings.
    pub(super) fn mapped(headings: &[Heading], mapping: &Mapping) -> Result<Self, Fault> {
        let mut plan = Self::default();
        for (field, at, unit) in mapping.placed(headings)? {
            if field == Field::Unused {
                plan.unused.push(at);
            } else if plan.column(field).is_some() {
                let columns = headings.iter().map(|h| h.raw.clone()).collect();
                let said = format!("two columns are “{}”", field.id());
                return Err(Fault::whole(ErrorKind::Mapping { said, columns }));
            } else {
                plan.columns.push((field, at, unit));
            }
        }
        Ok(plan.named(headings))
    }

    /// The columns of a tool's own table, which says its units nowhere.
    pub(super) fn own(headings: &[Heading], own: &[Own]) -> Self {
        let at = |name: &str| headings.iter().position(|h| h.raw == name);
        let columns = own.iter().filter_map(|(name, field, unit)| Some((*field, at(name)?, *unit)));
        Self { columns: columns.collect(), ..Self::default() }
    }

    /// Adds the fields that are still missing by the headings of free columns.
    fn named(mut self, headings: &[Heading]) -> Self {
        for (field, names) in NAMES {
            if self.column(*field).is_some() {
                continue;
            }
            let free = |at: usize| self.field_at(at).is_none() && !self.unused.contains(&at);
            // The earlier name in the list wins: `ttft` before `first_token`.
            let found = names.iter().find_map(|name| {
                headings.iter().enumerate().position(|(at, h)| h.name == *name && free(at))
            });
            let Some(at) = found else { continue };
            let unit = headings.get(at).and_then(|h| h.unit).filter(|_| field.is_time());
            self.columns.push((*field, at, unit));
        }
        self
    }

    /// The fields that the table has.
    pub(super) fn fields(&self) -> impl Iterator<Item = Field> {
        self.columns.iter().map(|(field, ..)| *field)
    }

    /// What a column is.
    pub(super) fn field_at(&self, at: usize) -> Option<Field> {
        self.columns.iter().find(|(_, column, _)| *column == at).map(|(field, ..)| *field)
    }

    /// Whether the table has any of these.
    pub(super) fn has(&self, fields: &[Field]) -> bool {
        fields.iter().any(|field| self.column(*field).is_some())
    }

    /// Position and unit of a field's column.
    pub(super) fn column(&self, field: Field) -> Option<(usize, Option<TimeUnit>)> {
        self.columns.iter().find(|(f, ..)| *f == field).map(|(_, at, unit)| (*at, *unit))
    }

    /// Unit of a field's column; `None` also where there is no such column.
    pub(super) fn unit(&self, field: Field) -> Option<TimeUnit> {
        self.column(field)?.1
    }

    /// A table of requests has a latency, or two of what one follows from.
    pub(super) fn check_latency(&self, headings: &[Heading]) -> Result<(), Fault> {
        let span = self.has(&[Field::Start]) && self.has(&[Field::End]);
        if span || self.has(&[Field::Ttft, Field::E2e, Field::Tpot, Field::DecodeTime]) {
            return Ok(());
        }
        let said = "no column is a latency (ttft or e2e)".to_owned();
        let columns = headings.iter().map(|h| h.raw.clone()).collect();
        Err(Fault::whole(ErrorKind::Mapping { said, columns }))
    }

    /// A latency needs a unit.
    pub(super) fn check(&self, headings: &[Heading]) -> Result<(), Fault> {
        for field in [Field::Ttft, Field::E2e, Field::Tpot, Field::Itl, Field::DecodeTime] {
            let Some((at, None)) = self.column(field) else { continue };
            let column = headings.get(at).map(|h| h.raw.clone()).unwrap_or_default();
            let place = Place::Cell { line: 1, column: column.clone() };
            return Err(Fault::at(place, ErrorKind::NoUnit { column, field: field.id() }));
        }
        Ok(())
    }

    /// Names what is not used.
    pub(super) fn note_unused(&self, headings: &[Heading], out: &mut Notices) {
        let used = |at: usize| self.field_at(at).is_some();
        for (at, heading) in headings.iter().enumerate().filter(|(at, _)| used(*at)) {
            let again = headings.iter().skip(at + 1).any(|other| other.raw == heading.raw);
            if again {
                let text = format!(
                    "The column “{}” stands more than once: the first one is used.",
                    heading.raw
                );
                out.add(
                    Severity::Warn,
                    "column-twice",
                    Place::Cell { line: 1, column: heading.raw.clone() },
                    text,
                );
            }
        }
        let unused: Vec<_> = headings
            .iter()
            .enumerate()
            .filter(|(at, heading)| !used(*at) && !heading.raw.is_empty())
            .map(|(_, heading)| format!("“{}”", heading.raw))
            .collect();
        let place = Place::LineColumn { line: 1, column: 1 };
        if !unused.is_empty() {
            let shown = unused.get(..MOST_NAMED).unwrap_or(&unused);
            let more = match unused.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let text = format!("These columns are not used: {}{more}.", shown.join(", "));
            out.add(Severity::Note, "unused-columns", place.clone(), text);
        }
        for field in [Field::Start, Field::End, Field::InterArrival] {
            let Some((at, None)) = self.column(field) else { continue };
            let raw = headings.get(at).map_or("", |h| h.raw.as_str());
            let text = format!(
                "The column “{raw}” has no unit in its name (such as {raw}_s): it is not used."
            );
            out.add(Severity::Warn, "no-unit", place.clone(), text);
        }
    }
}
