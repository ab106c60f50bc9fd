//! Why a file was refused: what happened, where, what was expected, and what to do.

use crate::notice::Place;
use crate::units;
use std::fmt;
use thiserror::Error;

/// A refused file.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{kind}{}", at(place))]
pub struct ImportError {
    /// The file's name as it was added.
    pub file: String,
    /// Id of the format that tried to read it, where one was chosen.
    pub format: Option<&'static str>,
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub kind: ErrorKind,
}

impl ImportError {
    /// What to do about it, in the imperative.
    pub fn advice(&self) -> String {
        self.kind.advice()
    }
}

fn at(place: &Place) -> String {
    match place {
        Place::WholeFile => String::new(),
        place => format!(" (at {place})"),
    }
}

/// What a format says went wrong; the file's name is added once, by [`super::read`].
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub kind: ErrorKind,
}

impl Fault {
    /// A fault of the file as a whole.
    pub const fn whole(kind: ErrorKind) -> Self {
        Self { place: Place::WholeFile, kind }
    }

    /// A fault at one place.
    pub const fn at(place: Place, kind: ErrorKind) -> Self {
        Self { place, kind }
    }

    /// The full error of one file.
    pub fn in_file(self, file: &str, format: Option<&'static str>) -> ImportError {
        ImportError { file: file.to_owned(), format, place: self.place, kind: self.kind }
    }
}

/// What can be wrong with a file. The message says what happened and what was expected.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    /// No bytes, or nothing but white space.
    Empty,
    /// Nothing but zero bytes at the start.
    AllZeros,
    /// Bytes that are no text.
    NotText {
        /// The first bytes in hex.
        hex: String,
    },
    /// Text in an older encoding than UTF-8.
    NotUtf8 {
        /// The bytes from the first that is not UTF-8, in hex.
        hex: String,
    },
    /// Larger than can be read in one piece.
    TooBig {
        /// Size of the file.
        bytes: u64,
    },
    /// Something known that is no result this version reads.
    Foreign {
        /// What it is: "a package lock of npm".
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// Nothing that is known.
    Unknown {
        /// What was seen, in words.
        seen: String,
    },
    /// Two formats claim the file equally.
    Tie {
        /// Both names.
        names: [&'static str; 2],
    },
    /// The file ends in the middle.
    CutOff,
    /// No valid JSON.
    BrokenJson {
        /// What the JSON reader said.
        said: String,
    },
    /// No valid YAML, or one that is made to do harm.
    BrokenYaml {
        /// What the YAML reader said.
        said: String,
    },
    /// A key that must be there is not.
    MissingKey {
        /// The key.
        key: String,
    },
    /// A value of the wrong type.
    WrongType {
        /// What was met and what was expected.
        said: String,
    },
    /// A cell that is no number.
    NotANumber {
        /// What the cell holds.
        value: String,
    },
    /// A row with more cells than the header.
    RowTooLong {
        /// Cells in the row.
        cells: usize,
        /// Cells in the header.
        headings: usize,
    },
    /// A cell in quotes that goes on to the end of the file.
    OpenQuote,
    /// A table whose header says nothing about requests.
    UnknownHeader {
        /// The header as read.
        seen: Vec<String>,
        /// What was looked for.
        wanted: &'static str,
    },
    /// A latency column without a unit.
    NoUnit {
        /// The column.
        column: String,
        /// Id of the field that it is.
        field: &'static str,
    },
    /// A mapping of columns that does not fit the table.
    Mapping {
        /// Why.
        said: String,
        /// The columns that there are.
        columns: Vec<String>,
    },
    /// A number with a decimal comma.
    DecimalComma {
        /// The number as written.
        value: String,
    },
    /// A table with a header and no rows.
    NoRows,
    /// A file of the right kind that holds no run.
    NoRuns,
    /// A file of server metrics without one.
    NoSeries {
        /// What it holds instead.
        said: String,
    },
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                write!(f, "The file is empty; expected a benchmark result.")
            }
            Self::AllZeros => write!(
                f,
                "The file starts with nothing but zero bytes; expected JSON, JSON Lines or CSV."
            ),
            Self::NotText { hex } => write!(
                f,
                "The file is not text (first bytes {hex}); expected JSON, JSON Lines or CSV."
            ),
            Self::NotUtf8 { hex } => write!(
                f,
                "The text is not UTF-8 (bytes {hex} can’t be read); expected UTF-8 or UTF-16."
            ),
            Self::TooBig { bytes } => write!(
                f,
                "The file is too big to read in one piece ({}); expected at most {}.",
                units::bytes(*bytes),
                units::bytes(super::MAX_BYTES)
            ),
            Self::Foreign { what, .. } => {
                write!(f, "This looks like {what}; expected the result of a benchmark.")
            }
            Self::Unknown { seen } => write!(
                f,
                "No known benchmark result: {seen}. Expected the result of a load generator, or a table of \
                 requests."
            ),
            Self::Tie { names: [one, other] } => {
                write!(
                    f,
                    "The file looks as much like {one} as like {other}; expected one of them."
                )
            }
            Self::CutOff => write!(
                f,
                "The file is cut: it ends in the middle of a JSON value; expected the closing bracket."
            ),
            Self::BrokenJson { said } => {
                write!(f, "Not valid JSON: {said}; expected a complete JSON object.")
            }
            Self::BrokenYaml { said } => write!(f, "Not valid YAML: {said}."),
            Self::MissingKey { key } => {
                write!(f, "The key “{key}” is missing; expected it in every result of this kind.")
            }
            Self::WrongType { said } => write!(f, "A value has the wrong type: {said}."),
            Self::NotANumber { value } => {
                write!(f, "The cell holds “{value}”; expected a number.")
            }
            Self::RowTooLong { cells, headings } => write!(
                f,
                "The row has {cells} cells where the header has {headings}; expected as many, or fewer."
            ),
            Self::OpenQuote => write!(
                f,
                "A quote in this row is never closed, so it takes in all rows that follow; expected a \
                 closing quote."
            ),
            Self::UnknownHeader { seen, wanted } => write!(
                f,
                "The header says nothing about requests: {}. Expected {wanted}.",
                seen.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ")
            ),
            Self::NoUnit { column, .. } => write!(
                f,
                "The column “{column}” has no unit; expected one in its name, since a unit is never \
                 guessed from the size of the numbers."
            ),
            Self::Mapping { said, .. } => {
                write!(f, "The mapping does not fit this table: {said}; expected its own columns.")
            }
            Self::DecimalComma { value } => write!(
                f,
                "“{value}” has a comma inside a number; expected a decimal point and no grouping."
            ),
            Self::NoRows => {
                write!(f, "The table has a header but no rows; expected one row a request.")
            }
            Self::NoSeries { said } => {
                write!(f, "No series of a server: {said}.")
            }
            Self::NoRuns => {
                write!(f, "The file holds no run; expected at least one result object.")
            }
        }
    }
}

impl ErrorKind {
    /// What to do about it, in the imperative.
    pub fn advice(&self) -> String {
        match self {
            Self::Empty | Self::NoRuns | Self::NoRows => {
                "Check that the benchmark ran to its end and wrote its result, then drop that file."
                    .into()
            }
            Self::AllZeros => {
                "Copy the file again: a download or disk image that was reserved but never \
                 written looks like this."
                    .into()
            }
            Self::NotText { .. } => {
                "Drop the JSON, JSON Lines or CSV file that the benchmark wrote.".into()
            }
            Self::TooBig { .. } => {
                "Save the result without the generated texts, or split the file by runs.".into()
            }
            Self::Foreign { advice, .. } => (*advice).into(),
            Self::Unknown { .. } => {
                "Drop the file that the benchmark wrote with its save option, or make a CSV with the \
                 columns request_id, prompt_tokens, completion_tokens, ttft_ms, e2e_ms."
                    .into()
            }
            Self::Tie { .. } => {
                "Remove the keys that do not belong, or drop the tool’s own file unchanged.".into()
            }
            Self::CutOff => {
                "Copy the file again after the benchmark has ended; if it was stopped while writing, \
                 run it again."
                    .into()
            }
            Self::BrokenJson { .. } | Self::BrokenYaml { .. } => {
                "Drop the file as the benchmark wrote it; if it was edited, mend the place named."
                    .into()
            }
            Self::MissingKey { .. } | Self::WrongType { .. } => {
                "Drop the file as the tool wrote it; if it is unchanged, the tool’s version is new: \
                 please report the key and the version."
                    .into()
            }
            Self::NotUtf8 { .. } => {
                "Save the file again as UTF-8 (in spreadsheets: “CSV UTF-8”).".into()
            }
            Self::NotANumber { .. } => {
                "Leave only the number in the cell; its unit belongs in the header. A missing value is \
                 an empty cell."
                    .into()
            }
            Self::OpenQuote => {
                "Close the quote or remove it; inside a quoted text a quote is written twice.".into()
            }
            Self::RowTooLong { .. } => {
                "Export the table again: a decimal comma or an unquoted text with a separator makes such \
                 rows."
                    .into()
            }
            Self::UnknownHeader { .. } => {
                "Say what the columns are (in the command: --map ttft='your column:ms', once a column), \
                 or rename them to request_id, prompt_tokens, completion_tokens, ttft_ms, e2e_ms."
                    .into()
            }
            Self::NoUnit { column, field } => format!(
                "Say its unit (in the command: --map {field}='{column}:ms' or ':s', whichever is true), or \
                 rename it to “{column}_ms” or “{column}_s”."
            ),
            Self::Mapping { columns, .. } => {
                let named: Vec<_> = columns.iter().take(40).map(|c| format!("“{c}”")).collect();
                format!("Name each column once, as the header writes it: {}.", named.join(", "))
            }
            Self::NoSeries { .. } => {
                "Save the page once more (curl -s HOST:PORT/metrics > after.prom), or ask query_range for \
                 the time of the run."
                    .into()
            }
            Self::DecimalComma { .. } => {
                "Export the table with a decimal point (in spreadsheets: an English locale).".into()
            }
        }
    }
}
