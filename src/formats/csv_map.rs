//! Which column of a table is what: proposed from headings, said by somebody, and looked up.
//!
//! Knows the words that people use in headings. Must not know sizes of numbers: a unit stands in a
//! heading or is said, and is never guessed.

use super::csv_columns::Plan;
use super::csv_points;
use super::csv_table::{Heading, Table, TimeUnit, number};
use super::error::{ErrorKind, Fault};
use super::sniff::Head;
use serde::{Deserialize, Serialize};

/// What a column of a table can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The name of a request.
    RequestId,
    /// Prompt tokens of a request.
    InputTokens,
    /// Output tokens of a request.
    OutputTokens,
    /// Time to first token.
    Ttft,
    /// The whole request.
    E2e,
    /// Time per output token.
    Tpot,
    /// Inter-token latency: the mean of one request, or of one load.
    Itl,
    /// From the first token to the end.
    DecodeTime,
    /// When the request was sent.
    Start,
    /// When the request ended.
    End,
    /// From the start of the request before to the start of this one.
    InterArrival,
    /// How the request ended, in a word or as an HTTP status.
    Status,
    /// Whether the request succeeded.
    Success,
    /// An error text or code; empty where there was none.
    Error,
    /// Why the reply ended.
    FinishReason,
    /// The model.
    Model,
    /// Requests in flight.
    Concurrency,
    /// Requests offered per second.
    RequestRate,
    /// Number of accelerators.
    Gpus,
    /// Finished requests.
    Completed,
    /// Failed requests.
    Failed,
    /// Length of the run.
    Duration,
    /// Input tokens of the run.
    TotalInputTokens,
    /// Output tokens of the run.
    TotalOutputTokens,
    /// Finished requests per second.
    RequestThroughput,
    /// Output tokens per second.
    OutputThroughput,
    /// Input tokens per second.
    InputThroughput,
    /// Input and output tokens per second.
    TotalThroughput,
    /// Good requests per second.
    Goodput,
    /// Nothing that is read.
    Unused,
}

/// Of what a field's cells are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    Text,
    Count,
    Time,
}

impl Field {
    /// Every field, in the order in which they are offered.
    pub const ALL: [Self; 30] = [
        Self::RequestId,
        Self::InputTokens,
        Self::OutputTokens,
        Self::Ttft,
        Self::E2e,
        Self::Tpot,
        Self::Itl,
        Self::DecodeTime,
        Self::Start,
        Self::End,
        Self::InterArrival,
        Self::Status,
        Self::Success,
        Self::Error,
        Self::FinishReason,
        Self::Model,
        Self::Concurrency,
        Self::RequestRate,
        Self::Gpus,
        Self::Completed,
        Self::Failed,
        Self::Duration,
        Self::TotalInputTokens,
        Self::TotalOutputTokens,
        Self::RequestThroughput,
        Self::OutputThroughput,
        Self::InputThroughput,
        Self::TotalThroughput,
        Self::Goodput,
        Self::Unused,
    ];

    const fn about(self) -> (&'static str, &'static str, Cells) {
        match self {
            Self::RequestId => ("request_id", "Request id", Cells::Text),
            Self::InputTokens => ("input_tokens", "Input tokens", Cells::Count),
            Self::OutputTokens => ("output_tokens", "Output tokens", Cells::Count),
            Self::Ttft => ("ttft", "TTFT", Cells::Time),
            Self::E2e => ("e2e", "E2E", Cells::Time),
            Self::Tpot => ("tpot", "TPOT", Cells::Time),
            Self::Itl => ("itl", "ITL, mean", Cells::Time),
            Self::DecodeTime => ("decode_time", "Time after the first token", Cells::Time),
            Self::Start => ("start", "Start", Cells::Time),
            Self::End => ("end", "End", Cells::Time),
            Self::InterArrival => ("inter_arrival", "Time since the request before", Cells::Time),
            Self::Status => ("status", "Status", Cells::Text),
            Self::Success => ("success", "Success", Cells::Text),
            Self::Error => ("error", "Error", Cells::Text),
            Self::FinishReason => ("finish_reason", "Finish reason", Cells::Text),
            Self::Model => ("model", "Model", Cells::Text),
            Self::Concurrency => ("concurrency", "Concurrency", Cells::Count),
            Self::RequestRate => ("request_rate", "Request rate (req/s)", Cells::Count),
            Self::Gpus => ("gpus", "Accelerators", Cells::Count),
            Self::Completed => ("completed", "Completed requests", Cells::Count),
            Self::Failed => ("failed", "Failed requests", Cells::Count),
            Self::Duration => ("duration", "Length of the run", Cells::Time),
            Self::TotalInputTokens => ("total_input_tokens", "Input tokens, total", Cells::Count),
            Self::TotalOutputTokens => {
                ("total_output_tokens", "Output tokens, total", Cells::Count)
            }
            Self::RequestThroughput => {
                ("request_throughput", "Request throughput (req/s)", Cells::Count)
            }
            Self::OutputThroughput => {
                ("output_throughput", "Output throughput (tok/s)", Cells::Count)
            }
            Self::InputThroughput => ("input_throughput", "Input throughput (tok/s)", Cells::Count),
            Self::TotalThroughput => ("total_throughput", "Total throughput (tok/s)", Cells::Count),
            Self::Goodput => ("goodput", "Goodput (req/s)", Cells::Count),
            Self::Unused => ("unused", "Not used", Cells::Text),
        }
    }

    /// Stable id, as in JSON and on the command line: `ttft`.
    pub const fn id(self) -> &'static str {
        self.about().0
    }

    /// The name for people.
    pub const fn name(self) -> &'static str {
        self.about().1
    }

    /// Whether its cells are times, which need a unit.
    pub const fn is_time(self) -> bool {
        matches!(self.about().2, Cells::Time)
    }

    /// The field with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.id() == id)
    }
}

/// What one column is, as somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedColumn {
    /// The heading as in the file.
    pub column: String,
    /// What it is.
    pub field: Field,
    /// The unit of its times; the heading's own where none is said.
    pub unit: Option<TimeUnit>,
}

/// What the columns of a table are, as somebody said. A column that is not named here is known by
/// its heading or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mapping {
    /// The columns that were named.
    pub columns: Vec<MappedColumn>,
}

impl Mapping {
    /// The column of `headings` that each entry names, with its unit: the one that was said, else the
    /// heading's.
    pub(super) fn placed(
        &self,
        headings: &[Heading],
    ) -> Result<Vec<(Field, usize, Option<TimeUnit>)>, Fault> {
        let bad = |said: String| {
            let columns = headings.iter().map(|heading| heading.raw.clone()).collect();
            Fault::whole(ErrorKind::Mapping { said, columns })
        };
        let mut placed: Vec<(Field, usize, Option<TimeUnit>)> = Vec::new();
        for MappedColumn { column, field, unit } in &self.columns {
            let wanted = column.trim();
            let found = headings.iter().position(|h| h.raw == wanted);
            let Some(at) = found else {
                return Err(bad(format!("it has no column “{wanted}”")));
            };
            if placed.iter().any(|(_, other, _)| *other == at) {
                return Err(bad(format!("the column “{wanted}” is named twice")));
            }
            let own = headings.get(at).and_then(|h| h.unit);
            placed.push((*field, at, unit.or(own).filter(|_| field.is_time())));
        }
        Ok(placed)
    }
}

/// How sure a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Nothing is proposed.
    None,
    /// Words in the heading point to it.
    Likely,
    /// The heading is one of its usual names.
    Sure,
}

impl Confidence {
    /// In words, for a table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "unknown",
            Self::Likely => "likely",
            Self::Sure => "sure",
        }
    }
}

/// What a column seems to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnGuess {
    /// The heading as in the file.
    pub column: String,
    /// What it seems to be; `None` where nothing points to anything.
    pub field: Option<Field>,
    /// The unit in its heading.
    pub unit: Option<TimeUnit>,
    /// How sure that is.
    pub confidence: Confidence,
    /// The first few cells; of texts only that they are there.
    pub samples: Vec<String>,
    /// Why, in words; also that a unit is needed.
    pub because: String,
}

/// A table that was refused, and what its columns seem to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingOffer {
    /// One guess a column, in order.
    pub columns: Vec<ColumnGuess>,
}

/// The offer for a file that begins like this; `None` where it is no table.
pub fn offer(head: &Head<'_>) -> Option<MappingOffer> {
    let table = Table::of_head(head)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    // The last row of a head may be cut: faults of rows are told when the file is read.
    let _ = table.each_row(|_, _, cells| {
        if rows.len() < SAMPLES {
            rows.push(cells.iter().map(shown).collect());
        }
        Ok(())
    });
    let columns = propose(&table.headings, &rows);
    (columns.len() <= MOST_COLUMNS).then_some(MappingOffer { columns })
}

/// So many cells of a column are shown.
const SAMPLES: usize = 3;
/// Longer cells are no numbers.
const LONGEST: usize = 40;
/// Tables wider than this are no logs of requests.
const MOST_COLUMNS: usize = 400;

/// A cell as it may be shown: numbers and dates. A log can hold prompts and keys in any column, so of
/// other texts only that there is one.
fn shown(cell: &str) -> String {
    let harmless = |c: char| c.is_ascii_digit() || " .,:+-%eETZ".contains(c);
    let plain = number(cell).is_ok() || cell.chars().all(harmless);
    if plain && cell.chars().count() <= LONGEST {
        return cell.to_owned();
    }
    "text".to_owned()
}

/// Proposes what each column is from its heading; the cells only speak against a proposal.
pub(super) fn propose(headings: &[Heading], rows: &[Vec<String>]) -> Vec<ColumnGuess> {
    let loads = csv_points::are_loads(headings);
    let plan = Plan::of(headings);
    let mut taken: Vec<Field> = if loads { Vec::new() } else { plan.fields().collect() };
    headings
        .iter()
        .enumerate()
        .map(|(at, heading)| {
            let samples: Vec<String> = rows.iter().filter_map(|row| row.get(at).cloned()).collect();
            let known = if loads { csv_points::field(heading) } else { plan.field_at(at) };
            let likely = || words_of(heading).filter(|field| loads || !taken.contains(field));
            let (field, confidence) = match (known, likely()) {
                (Some(field), _) => (Some(field), Confidence::Sure),
                (None, Some(field)) => (Some(field), Confidence::Likely),
                (None, None) => (None, Confidence::None),
            };
            let fits = |field: Field| fits(field, &samples);
            let (field, confidence, because) = match field {
                Some(field) if !fits(field) => (
                    None,
                    Confidence::None,
                    format!("Its name points to {}, but its cells are no numbers.", field.name()),
                ),
                Some(field) => {
                    taken.push(field);
                    (Some(field), confidence, reason(field, confidence, heading))
                }
                None => (None, Confidence::None, "Its name is not known.".to_owned()),
            };
            ColumnGuess {
                column: heading.raw.clone(),
                field,
                unit: heading.unit,
                confidence,
                samples,
                because,
            }
        })
        .collect()
}

fn reason(field: Field, confidence: Confidence, heading: &Heading) -> String {
    let name = match confidence {
        Confidence::Sure => "Its name is one of the usual ones.",
        _ => "Words in its name point there.",
    };
    match heading.unit {
        None if field.is_time() => format!("{name} It needs a unit: the name has none."),
        _ => name.to_owned(),
    }
}

/// Whether the cells can be of that field.
fn fits(field: Field, samples: &[String]) -> bool {
    field.about().2 == Cells::Text || samples.iter().all(|cell| number(cell).is_ok())
}

/// The field that the words of a heading point to.
fn words_of(heading: &Heading) -> Option<Field> {
    let words: Vec<&str> = heading.name.split('_').collect();
    let has = |some: &[&str]| words.iter().any(|word| some.contains(word));
    let tokens = has(&["token", "tokens", "tok", "toks", "len", "length"]);
    let time = has(&["time", "latency", "duration", "elapsed", "took", "wall"]);
    let speed = has(&["per", "throughput", "tput", "rate", "speed"]);
    Some(if has(&["ttft", "ttfb"]) || (has(&["first"]) && (tokens || time || has(&["chunk"]))) {
        Field::Ttft
    } else if has(&["tpot"]) || (has(&["per"]) && has(&["token", "tok"]) && (time || !speed)) {
        Field::Tpot
    } else if has(&["itl", "intertoken"]) || (has(&["inter"]) && tokens) {
        Field::Itl
    } else if speed {
        return None;
    } else if has(&["decode", "generation"]) && time {
        Field::DecodeTime
    } else if tokens && has(&["input", "prompt", "in", "prefill", "context"]) {
        Field::InputTokens
    } else if tokens && has(&["output", "completion", "out", "generated", "decode", "response"]) {
        Field::OutputTokens
    } else if has(&["start", "started", "sent", "begin"]) {
        Field::Start
    } else if has(&["finish", "finished", "ended", "end"]) && !has(&["to"]) {
        Field::End
    } else if time || has(&["e2e", "e2el"]) {
        Field::E2e
    } else if has(&["model"]) {
        Field::Model
    } else if has(&["concurrency", "concurrent", "users"]) {
        Field::Concurrency
    } else if has(&["id", "uuid"]) {
        Field::RequestId
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guesses(text: &str) -> Vec<ColumnGuess> {
        offer(&Head::new("x", text.as_bytes(), text.len() as u64)).unwrap().columns
    }

    #[test]
    fn ids_are_those_of_the_json_form_and_come_back() {
        for field in Field::ALL {
            assert_eq!(serde_json::to_string(&field).unwrap(), format!("\"{}\"", field.id()));
            assert_eq!(Field::from_id(field.id()), Some(field));
        }
    }

    #[test]
    fn a_table_of_requests_is_proposed_from_its_headings() {
        let seen = guesses(
            "call,first token,whole time (ms),tokens out,colour,started at\n1,50,250,5,red,noon\n",
        );
        let fields: Vec<_> = seen.iter().map(|guess| guess.field).collect();
        let want = [None, Some(Field::Ttft), Some(Field::E2e), Some(Field::OutputTokens), None];
        assert_eq!(fields[..5], want);
        assert_eq!(seen[1].unit, None, "never from the size of 50");
        assert!(seen[1].because.contains("needs a unit"), "{}", seen[1].because);
        assert_eq!(seen[2].unit, Some(TimeUnit::Millis));
        assert_eq!(seen[1].samples, ["50"]);
        assert_eq!(fields[5], None, "noon is no number");
        assert_eq!(seen[4].samples, ["text"], "a cell can hold a key");
        assert!(seen[5].because.contains("no numbers"), "{}", seen[5].because);
    }

    #[test]
    fn a_usual_name_is_sure_and_taken() {
        let seen = guesses("ttft_ms,first chunk (ms),output_tokens\nNone,2,3\n");
        assert_eq!(seen[0].confidence, Confidence::Sure);
        assert_eq!(seen[1].field, None, "there is one TTFT a request");
    }

    #[test]
    fn a_table_of_loads_is_proposed_by_its_own_names() {
        let seen = guesses("users,p99 ttft (ms),first token time,output tok/s\n1,2,3,4\n");
        let fields: Vec<_> = seen.iter().filter_map(|guess| guess.field).collect();
        let want = [Field::Concurrency, Field::Ttft, Field::Ttft, Field::OutputThroughput];
        assert_eq!(fields, want);
    }

    #[test]
    fn a_mapping_names_columns_that_are_there_and_each_once() {
        let table = Table::of("a,b_ms\n").unwrap();
        let column = |column: &str, unit| MappedColumn {
            column: column.to_owned(),
            field: Field::Ttft,
            unit,
        };
        let placed = |columns| Mapping { columns }.placed(&table.headings);
        let own = placed(vec![column("b_ms", None)]).unwrap();
        assert_eq!(own, [(Field::Ttft, 1, Some(TimeUnit::Millis))]);
        let said = placed(vec![column("b_ms", Some(TimeUnit::Secs))]).unwrap();
        assert_eq!(said, [(Field::Ttft, 1, Some(TimeUnit::Secs))]);
        for wrong in [vec![column("c", None)], vec![column("a", None), column("a", None)]] {
            let fault = placed(wrong).unwrap_err();
            assert!(fault.kind.advice().contains("“b_ms”"), "{}", fault.kind.advice());
        }
    }
}
