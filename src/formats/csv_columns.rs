//! Which column of a table of requests is what: the usual names, and their units.

use super::csv_table::{Heading, TimeUnit};
use super::error::{ErrorKind, Fault};
use crate::notice::{Notices, Place, Severity};

/// What a column can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Id,
    Input,
    Output,
    Ttft,
    E2e,
    Tpot,
    Start,
    End,
    Status,
    Success,
    Error,
    FinishReason,
    Model,
}

const ROLES: &[(Role, &[&str])] = &[
    (
        Role::Id,
        &["request_id", "req_id", "requestid", "id", "request", "trace_id", "generation_id"],
    ),
    (
        Role::Input,
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
        Role::Output,
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
    (Role::Ttft, &["ttft", "time_to_first_token", "first_token", "first_token_latency"]),
    (
        Role::E2e,
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
    (Role::Tpot, &["tpot", "time_per_output_token", "mean_tpot", "avg_tpot"]),
    (
        Role::Start,
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
    (Role::End, &["end", "end_time", "finish_time", "finished_at"]),
    (Role::Status, &["status", "state", "outcome"]),
    (Role::Success, &["success", "succeeded", "ok"]),
    (Role::Error, &["error", "error_code", "error_message", "error_msg", "exception"]),
    (Role::FinishReason, &["finish_reason"]),
    (Role::Model, &["model", "model_id", "model_name"]),
];

/// The headings by which LMBenchmark's table is known. It is in seconds, and says so nowhere.
const LMBENCH: [&str; 6] =
    ["prompt_tokens", "generation_tokens", "ttft", "generation_time", "launch_time", "finish_time"];

/// Which column is what.
pub(super) struct Plan {
    /// Role, column and unit (of a time).
    columns: Vec<(Role, usize, Option<TimeUnit>)>,
    /// Whether the table is LMBenchmark's.
    pub(super) lmbench: bool,
}

/// So many columns that are not used are named.
const MOST_NAMED: usize = 20;

impl Plan {
    /// Finds the columns by their headings.
    pub(super) fn of(headings: &[Heading]) -> Self {
        let lmbench = LMBENCH.iter().all(|name| headings.iter().any(|h| h.raw == *name));
        let mut columns: Vec<(Role, usize, Option<TimeUnit>)> = Vec::new();
        for (role, names) in ROLES {
            // The earlier name in the list wins: `ttft` before `first_token`.
            let found = names.iter().find_map(|name| headings.iter().position(|h| h.name == *name));
            let Some(at) = found else { continue };
            let unit = headings.get(at).and_then(|h| h.unit);
            columns.push((*role, at, unit.or(lmbench.then_some(TimeUnit::Secs))));
        }
        Self { columns, lmbench }
    }

    /// Position and unit of a role's column.
    pub(super) fn column(&self, role: Role) -> Option<(usize, Option<TimeUnit>)> {
        self.columns.iter().find(|(r, ..)| *r == role).map(|(_, at, unit)| (*at, *unit))
    }

    /// Unit of a role's column; `None` also where there is no such column.
    pub(super) fn unit(&self, role: Role) -> Option<TimeUnit> {
        self.column(role)?.1
    }

    /// A latency needs a unit.
    pub(super) fn check(&self, headings: &[Heading]) -> Result<(), Fault> {
        for role in [Role::Ttft, Role::E2e, Role::Tpot] {
            let Some((at, None)) = self.column(role) else { continue };
            let column = headings.get(at).map(|h| h.raw.clone()).unwrap_or_default();
            let place = Place::Cell { line: 1, column: column.clone() };
            return Err(Fault::at(place, ErrorKind::NoUnit { column }));
        }
        Ok(())
    }

    /// Names what is not used.
    pub(super) fn note_unused(&self, headings: &[Heading], out: &mut Notices) {
        let used = |at: usize| self.columns.iter().any(|(_, column, _)| *column == at);
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
        for role in [Role::Start, Role::End] {
            let Some((at, None)) = self.column(role) else { continue };
            let raw = headings.get(at).map_or("", |h| h.raw.as_str());
            let text = format!(
                "The column “{raw}” has no unit in its name (such as {raw}_s): it is not used."
            );
            out.add(Severity::Warn, "no-unit", place.clone(), text);
        }
    }
}
