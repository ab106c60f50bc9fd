//! Compare: metrics by run, reported beside recomputed, differences to the baseline.

mod config;
mod finding;
mod goodput;
mod several;
mod table;
mod text;

pub(super) use config::{end, first_token, gap};
pub(super) use finding::stat_word;
pub(super) use table::{sample_noun, shown, sign};
pub use text::escape as escape_markdown;

use super::detective::NumberAsk;
use super::measure::{Measurement, selected};
use super::quality::{HeldBack, left_out_of};
use super::{Context, Ruler, labels};
use crate::charts::RulerStrip;
use crate::metrics::Subject;
use crate::model::{Metric, Run, RunId};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The whole Compare screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CompareView {
    /// The finding in one line; computed.
    pub headline: String,
    /// One to three sentences: the cause, and the same-ruler result.
    pub detail: String,
    /// As each tool prints it against one ruler; where at least two runs have both.
    pub strip: Option<RulerStrip>,
    /// One head a run, baseline first.
    pub columns: Vec<ColumnHead>,
    /// Rows in groups.
    pub groups: Vec<RowGroup>,
    /// How many reported values of the shown cells carry each sign.
    pub signs: SignCounts,
    /// Config rows in which the runs differ.
    pub config: Vec<ConfigRow>,
    /// "5 of 13 rows. E2E and tok/s are not compared: output lengths differ by more than 5 %."
    pub config_note: String,
    /// Runs that a finding holds back from any verdict.
    pub held_back: Vec<HeldBack>,
    /// Whether something is withheld that "Compare anyway" would show.
    pub withheld: bool,
    /// Amber banner for mixed definitions or other reading aids; none when there is nothing to say.
    pub banner: Option<String>,
    /// The table as plain text, Markdown, for the clipboard.
    pub markdown: String,
    /// The finding as text for a chat.
    pub text: String,
}

/// The head of one run's column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnHead {
    /// The run.
    pub id: RunId,
    /// Palette index.
    pub style: usize,
    /// Name.
    pub name: String,
    /// "about 0.33 · chat".
    pub sub: String,
    /// "20 of 20 reproduced".
    pub reproduced: String,
    /// Whether all that can be reproduced is.
    pub reproduced_all: bool,
    /// Whether it is the baseline.
    pub baseline: bool,
    /// Whether the server was scripted.
    pub scripted: bool,
}

/// Rows under one heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowGroup {
    /// Stable id for tabs: `user`, `server`, `goodput`, `lengths`, `reliability`.
    pub id: String,
    /// "Speed seen by a user".
    pub title: String,
    /// "lower is better".
    pub hint: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One metric across runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The metric.
    pub metric: Metric,
    /// "ITL".
    pub name: String,
    /// "chunk gap · pooled · ms": the definition and the unit.
    pub stamp: String,
    /// The definition at length, for the card behind the stamp.
    pub definition: String,
    /// One cell a column.
    pub cells: Vec<Cell>,
    /// Whether the headline is about this row.
    pub highlighted: bool,
}

/// One number with everything that travels with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The value under the chosen ruler.
    pub value: CellValue,
    /// Signed difference to the baseline.
    pub difference: Option<CellDifference>,
    /// Why there is no difference: "lengths differ". In italics in its place.
    pub no_difference: Option<String>,
    /// What the tool printed, with its sign.
    pub reported: Option<CellReported>,
    /// The tool's own formula where it departs from the ruler: "its ITL: gap ÷ tokens".
    pub own_words: Option<String>,
    /// What stands below a percentile with fewer than five samples beyond it: "3 of 300 above".
    pub support: Option<String>,
    /// Lines of the cell's card: n, interval, support, exclusions, reasons.
    pub card: Vec<String>,
}

/// A value as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellValue {
    /// Recomputed.
    Plain {
        /// Rounded for reading.
        text: String,
        /// Every digit.
        full: String,
        /// Whether few samples lie beyond it: shown with ≈.
        weak: bool,
        /// Whether none does, so that it is the largest or smallest sample: shown in grey.
        extreme: bool,
    },
    /// Known to lie on one side or between: "≥ 597".
    Bound {
        /// Rounded, with its sign.
        text: String,
        /// Every digit.
        full: String,
        /// Why it is only a bound.
        because: String,
    },
    /// Only known as the tool printed it: hollow.
    Reported {
        /// Rounded.
        text: String,
        /// Every digit.
        full: String,
        /// Why it can't be recomputed.
        because: String,
    },
    /// Not to be had: a dash with the reason.
    Missing {
        /// The reason, a sentence.
        because: String,
    },
}

/// The words before the ends of a difference's interval.
pub const INTERVAL: &str = "95 % interval of the difference ";

/// A difference to the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellDifference {
    /// "−1.5 %", "+10.0 pp", "× 2.4".
    pub text: String,
    /// Which way it is, in words.
    pub reading: Reading,
    /// Interval and estimate on the row's scale from −1 to 1; missing for a bound.
    pub bar: Option<[f64; 3]>,
    /// [`INTERVAL`] and its ends: "95 % interval of the difference −9.6 to +4.3 ms".
    pub interval: Option<String>,
}

/// What a difference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// The interval covers zero.
    NotClear,
    /// Clearly better.
    Better,
    /// Clearly worse.
    Worse,
    /// Clear, of a metric that has no good end.
    Different,
    /// There are too few data for an interval.
    TooFew,
    /// No interval can be had.
    Unknown,
}

/// Whether the tool's own number comes out under its own definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Equal within the digits of the file: `=`.
    Equal,
    /// Within 1 %: `≈`.
    Close,
    /// Differs: `≠`.
    Differs,
    /// Can't be recomputed: `ø`.
    ReportedOnly,
}

impl Sign {
    /// The sign itself.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Close => "≈",
            Self::Differs => "≠",
            Self::ReportedOnly => "ø",
        }
    }

    /// What it says, for screen readers and legends.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Close => "within 1 %",
            Self::Differs => "differ",
            Self::ReportedOnly => "reported only",
        }
    }
}

impl CompareView {
    /// What ≈ and grey say of a value, where any value is so marked: the signs of reported values say
    /// something else.
    pub fn support_legend(&self) -> Option<&'static str> {
        let values = self.groups.iter().flat_map(|group| &group.rows).flat_map(|row| &row.cells);
        let marks = |cell: &Cell| match cell.value {
            CellValue::Plain { weak, extreme, .. } => (weak, extreme),
            _ => (false, false),
        };
        let all: Vec<(bool, bool)> = values.map(marks).collect();
        if all.iter().any(|(_, extreme)| *extreme) {
            Some(
                "≈ before a value: fewer than ten samples lie beyond it; in grey none does, it is the largest or smallest one.",
            )
        } else if all.iter().any(|(weak, _)| *weak) {
            Some("≈ before a value: fewer than ten samples lie beyond it.")
        } else {
            None
        }
    }
}

/// What the tool printed for a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellReported {
    /// Whether it is reproduced under the tool's own definition.
    pub sign: Sign,
    /// As printed, four digits.
    pub text: String,
    /// Key in the file and the reason behind the sign.
    pub because: String,
    /// The question whose number it is, where the rows do not give it.
    pub seek: Option<NumberAsk>,
}

/// How many cells carry each sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SignCounts {
    /// `=`
    pub equal: usize,
    /// `≈`
    pub close: usize,
    /// `≠`
    pub differs: usize,
    /// `ø`
    pub reported_only: usize,
}

/// One setting that differs between the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigRow {
    /// "Output tokens, mean".
    pub name: String,
    /// One value a column; `None` is "not recorded", which is not the same as equal.
    pub values: Vec<Option<String>>,
}

/// The numbers of the table before their intervals, where those take a while.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NumbersView {
    /// The runs, in the order of the columns.
    pub runs: Vec<RunId>,
    /// As in [`CompareView::groups`], without what takes resampling; empty where the whole answer is as
    /// quick.
    pub groups: Vec<RowGroup>,
}

/// From so many requests and gaps on, intervals are felt.
const MANY_SAMPLES: usize = 200_000;

/// The numbers of the selected runs, if their intervals keep the reader waiting.
pub fn numbers(all: &[&Run], context: &Context) -> NumbersView {
    let samples =
        |run: &Run| run.requests.as_ref().map_or(0, |rows| rows.len() + rows.gaps.values().len());
    let chosen = all.iter().filter(|run| context.runs.contains(&run.id));
    if chosen.map(|run| samples(run)).sum::<usize>() < MANY_SAMPLES {
        return NumbersView::default();
    }
    let runs = selected(all, context);
    let subjects: Vec<Subject<'_>> =
        runs.iter().map(|run| run.subject().without_resampling()).collect();
    NumbersView {
        groups: table::groups(&runs, &subjects, context),
        runs: runs.iter().map(|run| run.run.id.clone()).collect(),
    }
}

/// What differs in the set-up of some runs.
pub(super) fn config_of(runs: &[&Run]) -> Vec<ConfigRow> {
    let context = Context::default();
    let measured: Vec<Measurement<'_>> =
        runs.iter().map(|run| super::measure::measure(run, 0, &context, None)).collect();
    config::config(&measured).differing
}

/// Builds the screen for the selected runs.
pub fn compare(all: &[&Run], context: &Context) -> CompareView {
    let runs = selected(all, context);
    let subjects: Vec<Subject<'_>> = runs.iter().map(Measurement::subject).collect();
    let found = finding::finding(&runs, &subjects, context);
    let mut groups = table::groups(&runs, &subjects, context);
    for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
        row.highlighted = Some(row.metric) == found.metric;
    }
    let config = config::config(&runs);
    let reasons = withheld(&groups);
    let mut view = CompareView {
        headline: found.headline,
        detail: found.detail,
        strip: found.strip,
        columns: runs.iter().enumerate().map(|(at, run)| column(run, at == 0)).collect(),
        signs: signs(&groups),
        groups,
        config_note: config_note(&config, &reasons),
        config: config.differing,
        held_back: runs.iter().filter_map(HeldBack::of).collect(),
        withheld: !reasons.is_empty(),
        banner: banner(&runs, context),
        markdown: String::new(),
        text: String::new(),
    };
    let left_out = left_out_of(all, context);
    view.markdown = text::markdown(&view, context, left_out.as_deref());
    view.text = text::chat(&view, context, left_out.as_deref());
    view
}

fn column(run: &Measurement<'_>, baseline: bool) -> ColumnHead {
    let (equal, of) = run.reproduced();
    ColumnHead {
        id: run.run.id.clone(),
        style: run.style,
        name: run.name.clone(),
        sub: labels::version_and_doubt(run.run),
        reproduced: if of == 0 {
            "as printed, nothing to recompute from".to_owned()
        } else {
            format!("{equal} of {of} reproduced")
        },
        reproduced_all: of > 0 && equal == of,
        baseline,
        scripted: run.run.scripted,
    }
}

fn signs(groups: &[RowGroup]) -> SignCounts {
    let mut counts = SignCounts::default();
    for reported in groups
        .iter()
        .flat_map(|g| &g.rows)
        .flat_map(|r| &r.cells)
        .filter_map(|c| c.reported.as_ref())
    {
        match reported.sign {
            Sign::Equal => counts.equal += 1,
            Sign::Close => counts.close += 1,
            Sign::Differs => counts.differs += 1,
            Sign::ReportedOnly => counts.reported_only += 1,
        }
    }
    counts
}

/// Why differences are withheld: reason and the metrics it hits, each reason once.
fn withheld(groups: &[RowGroup]) -> Vec<(String, Vec<&'static str>)> {
    let mut reasons: Vec<(String, Vec<&'static str>)> = Vec::new();
    for row in groups.iter().flat_map(|group| &group.rows) {
        for reason in row.cells.iter().filter_map(|cell| cell.no_difference.as_ref()) {
            let at = reasons.iter().position(|(known, _)| known == reason).unwrap_or_else(|| {
                reasons.push((reason.clone(), Vec::new()));
                reasons.len() - 1
            });
            if let Some((_, metrics)) = reasons.get_mut(at)
                && !metrics.contains(&row.metric.name())
            {
                metrics.push(row.metric.name());
            }
        }
    }
    reasons
}

fn config_note(config: &config::Config, reasons: &[(String, Vec<&'static str>)]) -> String {
    let mut note = format!("{} of {} rows.", config.differing.len(), config.of);
    let mut said: Vec<&[&str]> = Vec::new();
    for (reason, metrics) in reasons {
        // One reason speaks for all that hit the same metrics: in a sweep every load has its own.
        if said.contains(&metrics.as_slice()) {
            continue;
        }
        said.push(metrics);
        let alike = reasons.iter().filter(|(_, others)| others == metrics).count() - 1;
        let more = if alike > 0 { format!(" (and {alike} more like it)") } else { String::new() };
        let _ = write!(note, " Not compared, since {reason}{more}: {}.", metrics.join(", "));
    }
    note
}

fn banner(runs: &[Measurement<'_>], context: &Context) -> Option<String> {
    (context.ruler == Ruler::Own && runs.len() > 1).then(|| {
        "Mixed definitions: each column is in its own tool’s words, so no differences are shown."
            .to_owned()
    })
}
