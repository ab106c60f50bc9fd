//! What page and worker say to each other: one message in [`super::wire`]’s bytes, and a list of buffers beside it.
//!
//! The bytes carry no names of fields, so every type here writes all its fields and names its variants from
//! outside: no `skip_serializing_if`, no `tag`, no `untagged`. `tests/wire.rs` holds every answer to that.

use super::joining::Arrangement;
pub use crate::formats::{
    ColumnGuess, Confidence, Field, MappedColumn, Mapping, MappingOffer, TimeUnit,
};
use crate::model::{Level, ReportPlan, RunId, Stat};
pub use crate::report::OutlineRow;
pub use crate::session_file::Decided;
use crate::views::Context;
use crate::views::compare::{CompareView, NumbersView};
use crate::views::curves::{ArrivalsView, CurveAxes, CurvesView};
use crate::views::definitions::DefinitionsView;
use crate::views::detective::{NumberAsk, NumberView};
use crate::views::distributions::{DistributionsAsk, DistributionsView, RelationsView};
use crate::views::explain::{ExplainAsk, ExplainView, SeenAsk, SeenView, Suggestion};
use crate::views::goodput::{GoodputAsk, GoodputMaps, GoodputView};
use crate::views::library::LibraryView;
use crate::views::quality::QualityView;
use crate::views::repeats::RepeatsView;
use crate::views::requests::{RequestsAsk, RequestsView, RowsAsk, RowsView};
use crate::views::run_card::RunCardView;
use crate::views::server::{ServerAsk, ServerView};
use crate::views::slo::SloView;
use crate::views::window::WindowView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A piece of work, numbered by the page. An answer to an older number than the last asked is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u64);

/// What a worker of any role says, around its replies `R`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said<R> {
    /// The worker listens. Nothing may be sent to it before.
    Ready {
        /// Build of the worker; another than the page's means "reload".
        build: String,
    },
    /// Its last words, if it ends now: a panic's, or that a message was damaged.
    Broke {
        /// The words.
        words: String,
    },
    /// A reply to what it was sent.
    Reply(R),
}

/// From the page to an import worker: read one file, whose `Blob` travels beside the message.
///
/// Imports have messages of their own, so that neither module holds the code of the other's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ImportRequest {
    /// The job.
    pub job: JobId,
    /// File name with the folders under which it was added.
    pub file: String,
    /// Whether it is one of the built-in samples, whose server was scripted.
    pub sample: bool,
    /// What its columns are, where somebody said so of a table.
    pub mapping: Option<Mapping>,
}

/// From an import worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportReply {
    /// How far an import is. At most ten a second.
    Progress {
        /// The import.
        job: JobId,
        /// What it is doing.
        phase: Phase,
        /// Bytes done.
        done: u64,
        /// Bytes in all.
        total: u64,
        /// Requests read so far, where they can be counted.
        records: u64,
    },
    /// An import is through; one pack a run, and one a server's dump, travels beside the message.
    Imported {
        /// The import.
        job: JobId,
        /// What was not read: the file, or some of the members of an archive.
        refused: Vec<Refusal>,
        /// What was decided in the sessions that the file holds, beside their runs.
        opened: Vec<Opened>,
    },
}

/// A session that was opened, without its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The session file or report, with the folders under which it was added.
    pub file: String,
    /// What brought it.
    pub carrier: Carrier,
    /// What was decided in it.
    pub decided: Decided,
}

/// What a session came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// A file of its own.
    Session,
    /// A report.
    Report,
    /// A link.
    Link,
}

/// From the page to the engine worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a question is made once and read once")]
pub enum Request {
    /// Take packed runs and dumps into the session. The packs travel beside the message.
    Adopt {
        /// The job.
        job: JobId,
    },
    /// Answer a question.
    Ask {
        /// The job.
        job: JobId,
        /// Under which runs, ruler and limits.
        context: Context,
        /// The question.
        query: Query,
    },
    /// Give a run another name.
    Rename {
        /// The run.
        id: RunId,
        /// Its new name.
        name: String,
    },
    /// Hide runs from the session. They can be brought back with [`Request::Restore`].
    Remove {
        /// The runs.
        ids: Vec<RunId>,
    },
    /// Say which files are one run and which runs one group, in place of what was said before.
    Arrange {
        /// The reader's decisions.
        arrangement: Arrangement,
    },
    /// Undo a [`Request::Remove`].
    Restore {
        /// The runs.
        ids: Vec<RunId>,
    },
}

/// From the engine worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Packs were taken in.
    Adopted {
        /// The job.
        job: JobId,
        /// The new runs in order.
        added: Vec<RunId>,
        /// The new dumps of servers in order. They are no runs and stand in no selection.
        dumps: Vec<RunId>,
        /// Packs whose runs were there already: skipped.
        duplicates: Vec<Duplicate>,
    },
    /// The answer to a question.
    Answer {
        /// The question.
        job: JobId,
        /// The answer.
        answer: Box<Answer>,
    },
    /// A job could not be done, such as for a damaged pack.
    Failed {
        /// The job.
        job: JobId,
        /// What happened and what to do.
        message: String,
    },
}

/// A run that was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Which of the packs that came together, from 0.
    pub pack: usize,
    /// Name of the run that was there.
    pub name: String,
}

/// What an import is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Reading bytes.
    Reading,
    /// Finding the format.
    Recognising,
    /// Reading requests.
    Parsing,
    /// Writing the pack.
    Packing,
}

/// A file, or a member of an archive, that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// File name; of a member behind the name of its archive: `box.zip/run.json`.
    pub file: String,
    /// Of which kind the reason is.
    pub kind: Cause,
    /// What the file is instead of a result, where that is known: “a Jupyter notebook”.
    pub what: Option<Box<str>>,
    /// What happened and what was expected.
    pub error: String,
    /// Where.
    pub place: String,
    /// What to do, in the imperative.
    pub advice: String,
    /// Of a table whose columns or units are not known: what they seem to be, for somebody to say.
    pub mapping: Option<MappingOffer>,
}

/// Of which kind the reason for a [`Refusal`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Something known that is no result.
    Foreign,
    /// Nothing that is known.
    Unknown,
    /// A table, and columns that were said to be in it and are not.
    Mapping,
    /// Nothing in it.
    Empty,
    /// A result that is damaged, cut or not as its tool writes it.
    Broken,
    /// More than is read.
    TooBig,
    /// An archive, or a member of one, that can’t be opened.
    Archive,
    /// The bytes could not be had.
    Unreadable,
}

/// A question.
#[expect(clippy::large_enum_variant, reason = "a question is made once and read once")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// What is loaded. Looks at all runs, not only the selected ones.
    Library,
    /// The numbers of Compare before their intervals.
    Numbers,
    /// Metrics by run.
    Compare,
    /// What repeats of one measurement say together.
    Repeats,
    /// Goodput.
    Goodput {
        /// Which sweep, in what.
        shown: GoodputAsk,
    },
    /// The maps of goodput over two limits.
    GoodputMaps {
        /// Which sweep, and which limits to map.
        shown: GoodputAsk,
    },
    /// Curves.
    Curves {
        /// What the main chart shows.
        axes: CurveAxes,
    },
    /// Arrivals against completions of one run.
    Arrivals {
        /// The run.
        run: RunId,
    },
    /// Every sample of one metric.
    Distributions {
        /// Which metric, and how it is shown.
        shown: DistributionsAsk,
    },
    /// Latencies by length.
    Relations,
    /// The Definitions sheet.
    Definitions {
        /// The request of the worked example, from 0; out of range wraps.
        request: usize,
    },
    /// Whose number somebody saw.
    Number(NumberAsk),
    /// Why two numbers disagree.
    Explain(ExplainAsk),
    /// Which number of the session somebody saw, for a slot of Explain.
    Seen(SeenAsk),
    /// The most important disagreement of the session, for the first screen.
    Suggestion,
    /// One run at length.
    RunCard {
        /// The run.
        run: RunId,
    },
    /// The window sheet.
    Window {
        /// A window to be shown in place of the one in force, as it is spelled: `brush:2..10`.
        proposed: Option<String>,
    },
    /// What the checks say of the selected runs, or of all when none is selected.
    Quality,
    /// A run request by request.
    Requests(RequestsAsk),
    /// Rows of the table of requests.
    RequestRows(RowsAsk),
    /// What servers said of themselves, beside a client’s run.
    Server(ServerAsk),
    /// The SLO written out for the selected runs.
    Slo,
    /// The report over the selected runs.
    Report(ReportRequest),
    /// The session as a file.
    Save(SaveRequest),
    /// How large the session and the data of the report are at each level.
    Sizes(SaveRequest),
    /// What the selected runs printed, for a link.
    Inside(SaveRequest),
}

/// What is saved of a session beside its runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SaveRequest {
    /// How much of the data.
    pub level: Level,
    /// The view as the text of its link.
    pub view: String,
    /// Today, `2026-11-29`; passed in, since the core has no clock.
    pub date: String,
    /// Names that the reader gave.
    pub names: BTreeMap<RunId, String>,
    /// What is wanted of the report.
    pub plan: ReportPlan,
}

/// The size of what is saved at one level, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelSize {
    /// The level.
    pub level: Level,
    /// Of the session file, all runs.
    pub session: u64,
    /// Of the data in a report of the selected runs.
    pub report: u64,
}

/// The data of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// A session in the letters of an address.
    pub letters: String,
}

/// What the report should hold beyond the selected runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReportRequest {
    /// Title, author, sections and notes as the reader wants them.
    pub plan: ReportPlan,
    /// Date to print, `2026-11-29`; passed in, since the core has no clock.
    pub date: String,
    /// The curve's axes.
    pub axes: CurveAxes,
    /// Statistics of the comparison table.
    pub stats: Vec<Stat>,
    /// Which metric’s samples are drawn, and how.
    #[serde(default)]
    pub distributions: DistributionsAsk,
    /// The two numbers to explain; nothing is explained while either slot is empty.
    pub explain: ExplainAsk,
    /// What data of the selected runs it carries so that it can be opened again; none without.
    #[serde(default)]
    pub data: Option<SaveRequest>,
    /// Whether it is to be looked at only: then the data themselves are left out.
    #[serde(default)]
    pub draft: bool,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "an answer is made once and read once")]
pub enum Answer {
    /// To [`Query::Library`].
    Library(LibraryView),
    /// To [`Query::Numbers`].
    Numbers(NumbersView),
    /// To [`Query::Compare`].
    Compare(CompareView),
    /// To [`Query::Repeats`].
    Repeats(RepeatsView),
    /// To [`Query::Goodput`].
    Goodput(GoodputView),
    /// To [`Query::GoodputMaps`].
    GoodputMaps(GoodputMaps),
    /// To [`Query::Curves`].
    Curves(CurvesView),
    /// To [`Query::Arrivals`].
    Arrivals(ArrivalsView),
    /// To [`Query::Distributions`].
    Distributions(DistributionsView),
    /// To [`Query::Relations`].
    Relations(RelationsView),
    /// To [`Query::Definitions`].
    Definitions(DefinitionsView),
    /// To [`Query::Number`].
    Number(NumberView),
    /// To [`Query::Explain`].
    Explain(Box<ExplainView>),
    /// To [`Query::Seen`].
    Seen(SeenView),
    /// To [`Query::Suggestion`]; none where no definition makes a difference worth a word.
    Suggestion(Option<Suggestion>),
    /// To [`Query::RunCard`].
    RunCard(RunCardView),
    /// To [`Query::Window`].
    Window(WindowView),
    /// To [`Query::Quality`].
    Quality(QualityView),
    /// To [`Query::Requests`].
    Requests(Box<RequestsView>),
    /// To [`Query::RequestRows`].
    RequestRows(RowsView),
    /// To [`Query::Server`].
    Server(ServerView),
    /// To [`Query::Slo`].
    Slo(SloView),
    /// To [`Query::Report`]: a whole HTML file.
    Report {
        /// File name to save it under.
        file: String,
        /// The file.
        html: String,
        /// Its sections, those that are not printed included.
        outline: Vec<OutlineRow>,
        /// What is inside, in sentences.
        inside: Vec<String>,
        /// The report in short, as Markdown.
        markdown: String,
        /// Every metric of every run, comma-separated.
        csv: String,
    },
    /// To [`Query::Save`]: a whole session file.
    Saved {
        /// File name to save it under.
        file: String,
        /// The file.
        bytes: Vec<u8>,
    },
    /// To [`Query::Sizes`], the least level first.
    Sizes(Vec<LevelSize>),
    /// To [`Query::Inside`].
    Inside(Inside),
}
