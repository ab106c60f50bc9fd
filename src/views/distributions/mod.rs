//! Distributions: every sample of one metric, as shares at or under a value, bins, nines or shifts.

mod bins;
mod lines;
mod relations;
mod runs;
mod said;
mod shift;
mod summary;

pub use relations::{RelationsView, relations};
pub use summary::{Summary, SummaryRow};

use super::curves::Table;
use super::quality::HeldBack;
use super::{Context, Ruler};
use crate::charts::Spec;
use crate::charts::spec::Frame;
use crate::metrics::stamp;
use crate::model::{Metric, Run, RunId, Stat};
use crate::units::Unit;
use runs::{Drawn, drawn};
use serde::{Deserialize, Serialize};

/// At most so many runs stand on one chart.
const MOST: usize = 8;

/// How the main chart shows the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The share of samples at or under each value.
    #[default]
    Ecdf,
    /// Samples in bins that all runs share.
    Histogram,
    /// The same as the ECDF with p90, p99, p99.9 at equal steps.
    Nines,
    /// The difference of each quantile of two runs.
    Shift,
}

impl Shape {
    /// Every shape, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Ecdf, Self::Histogram, Self::Nines, Self::Shift];

    /// Its word in a link.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ecdf => "ecdf",
            Self::Histogram => "histogram",
            Self::Nines => "nines",
            Self::Shift => "shift",
        }
    }

    /// Its word on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ecdf => "ECDF",
            Self::Histogram => "Histogram",
            Self::Nines => "Nines",
            Self::Shift => "Shift",
        }
    }

    /// The shape with that id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.id() == id)
    }
}

/// What the screen is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionsAsk {
    /// The metric; `None` is ITL where there is any, else the first that there is.
    pub metric: Option<Metric>,
    /// How the main chart shows it.
    pub shape: Shape,
    /// Whether values stand at equal ratios; `None` is the rule: times do.
    pub log: Option<bool>,
    /// Whether samples are counted rather than shown as a share.
    pub count: bool,
    /// A percentile (0 to 100) whose value is asked for.
    pub quantile: Option<f64>,
    /// A value in the metric's unit under which the share is asked for.
    pub value: Option<f64>,
    /// The run whose shift against the baseline is shown; the first other one where none is named.
    pub other: Option<RunId>,
}

impl Default for DistributionsAsk {
    fn default() -> Self {
        Self {
            metric: None,
            shape: Shape::Ecdf,
            log: None,
            count: false,
            quantile: None,
            value: None,
            other: None,
        }
    }
}

impl DistributionsAsk {
    /// The metrics that can be chosen.
    pub const METRICS: [Metric; 11] = [
        Metric::Ttft,
        Metric::Tpot,
        Metric::Itl,
        Metric::E2e,
        Metric::ChunkGap,
        Metric::QueueWait,
        Metric::FirstAnswer,
        Metric::WholePerToken,
        Metric::UserSpeed,
        Metric::InputTokens,
        Metric::OutputTokens,
    ];

    /// The metric that is shown.
    fn metric(&self) -> Metric {
        self.metric.unwrap_or(Metric::Itl)
    }

    /// Whether values stand at equal ratios.
    fn is_log(&self) -> bool {
        self.log.unwrap_or(self.metric().unit() == Unit::Millis)
    }
}

/// The Distributions screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DistributionsView {
    /// The main chart with its finding as title.
    pub main: Option<Spec>,
    /// What stands beside it: the tail on a nines axis, or the ECDF beside another shape.
    pub beside: Option<Spec>,
    /// The same runs under the common ruler, where the main chart shows each in its own tool's words.
    pub same: Option<Spec>,
    /// Values by run under both charts.
    pub summary: Summary,
    /// The main chart as a table.
    pub table: Table,
    /// What to know of the samples, in sentences.
    pub said: Vec<String>,
    /// Answers to the percentile and the value that were typed.
    pub answers: Vec<String>,
    /// Each run is drawn under another definition: their difference is not one of servers.
    pub mixed: bool,
    /// The metric that is shown.
    pub metric: Option<Metric>,
    /// Whether values stand at equal ratios.
    pub log: bool,
    /// The metrics of which a run has samples or printed percentiles, in the order to offer them.
    pub metrics: Vec<Metric>,
    /// Runs that can stand against the baseline in a shift plot.
    pub others: Vec<(RunId, String)>,
    /// Runs without anything to draw, each a sentence with what would record it.
    pub left_out: Vec<String>,
    /// Runs that a finding holds back.
    pub held_back: Vec<HeldBack>,
    /// Why there is no chart.
    pub empty: Option<String>,
}

/// Builds the screen for the selected runs.
pub fn distributions(all: &[&Run], context: &Context, ask: &DistributionsAsk) -> DistributionsView {
    let asked = Context {
        // A percentile that is asked for is evaluated with the others.
        stat: ask.quantile.map_or(context.stat, Stat::Percentile),
        ..context.clone()
    };
    let metrics = runs::offered(all, &asked);
    let usual = || metrics.iter().find(|metric| **metric == Metric::Itl).or(metrics.first());
    let metric = ask.metric.or_else(|| usual().copied()).unwrap_or(Metric::Itl);
    let ask = &DistributionsAsk { metric: Some(metric), ..ask.clone() };
    let (runs, held_back) = drawn(all, &asked, metric);
    let chosen = runs.len() + held_back.len();
    let known: Vec<&Drawn<'_>> = runs.iter().filter(|run| run.is_known()).take(MOST).collect();
    let mut left_out: Vec<String> = runs.iter().filter_map(Drawn::left_out).collect();
    let beyond: Vec<&str> =
        runs.iter().filter(|run| run.is_known()).skip(MOST).map(Drawn::name).collect();
    if !beyond.is_empty() {
        left_out.push(format!("Eight runs stand on one chart. Not drawn: {}.", beyond.join(", ")));
    }
    let mixed = context.ruler == Ruler::Own && differ(&known, metric);
    let same = (mixed && ask.shape != Shape::Shift).then(|| {
        let common = Context { ruler: Ruler::default(), ..asked.clone() };
        drawn(all, &common, metric).0
    });
    let on_one: Vec<&Drawn<'_>> =
        same.iter().flatten().filter(|run| run.is_known()).take(MOST).collect();
    let ecdf = |frame| lines::ecdf(&known, context, ask, frame);
    let (main, beside) = match ask.shape {
        Shape::Ecdf => (ecdf(Frame::Main), lines::nines(&known, context, ask, Frame::Main)),
        Shape::Histogram => {
            let main = bins::histogram(&known, context, ask).or_else(|| ecdf(Frame::Main));
            (main, lines::nines(&known, context, ask, Frame::Main))
        }
        Shape::Nines => (lines::nines(&known, context, ask, Frame::Main), ecdf(Frame::Main)),
        Shape::Shift => (shift::shift(&known, context, ask), ecdf(Frame::Main)),
    };
    let mut said = said::said(&known, ask);
    if ask.shape == Shape::Shift && main.is_none() && !known.is_empty() {
        said.insert(
            0,
            "A shift takes two runs with single requests: select another one.".to_owned(),
        );
    }
    DistributionsView {
        same: (on_one.len() > 1).then(|| lines::on_one_ruler(&on_one, ask)).flatten(),
        summary: summary::summary(&known, &on_one, ask),
        table: lines::table(&known, ask),
        said,
        answers: said::answers(&known, ask),
        mixed,
        log: ask.is_log(),
        metrics,
        metric: Some(metric),
        others: known
            .iter()
            .skip(1)
            .filter(|run| run.samples().is_some())
            .map(|run| (run.measured.run.id.clone(), run.name().to_owned()))
            .collect(),
        left_out,
        empty: match (chosen, known.is_empty()) {
            (0, _) => Some("No run is selected. Choose runs in the Library.".to_owned()),
            (_, true) if !held_back.is_empty() => {
                Some("Every selected run is held back by a finding.".to_owned())
            }
            (_, true) => Some(format!(
                "No selected run has samples or printed percentiles of {}.",
                metric.name()
            )),
            _ => None,
        },
        held_back,
        main,
        beside,
    }
}

/// Whether runs are drawn under definitions that say different things.
fn differ(runs: &[&Drawn<'_>], metric: Metric) -> bool {
    let stamps: Vec<String> =
        runs.iter().map(|run| stamp(metric, &run.measured.settings)).collect();
    stamps.windows(2).any(|pair| matches!(pair, [a, b] if a != b))
}
