//! Curves: a latency against a load, one line a sweep.

mod arrivals;
mod axes;
mod cards;
mod chart;
mod model;
mod points;
mod sweeps;
mod told;

pub use crate::metrics::QueueModel;
pub use arrivals::{ArrivalsView, arrivals};
pub use axes::{Across, AxisWords, LoadAxis, axis_words};
pub use sweeps::{Regroup, Regrouped, Sweep, SweepRun};
pub use told::{Told, told};

use super::Context;
use super::capacity::CapacityCard;
use super::explain::ExplainAsk;
use super::groups::groups;
use super::measure::is_run_level;
use super::quality::HeldBack;
use crate::charts::Spec;
use crate::charts::spec::Frame;
use crate::metrics::Steadiness;
use crate::model::{Metric, Run, RunId, Stat};
use serde::{Deserialize, Serialize};

/// What the main chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurveAxes {
    /// The metric going up.
    pub y: Metric,
    /// Its statistic.
    pub stat: Stat,
    /// The load, or another metric, going right.
    pub x: Across,
    /// Whether the metric axis is logarithmic; `None` is the automatic rule.
    pub log: Option<bool>,
    /// A textbook queue beside the sweeps, as a dashed line.
    #[serde(default)]
    pub model: Option<QueueModel>,
    /// Whether the loads that no other beats on both axes are joined.
    #[serde(default)]
    pub frontier: bool,
}

impl Default for CurveAxes {
    fn default() -> Self {
        Self {
            y: Metric::Ttft,
            stat: Stat::Percentile(99.0),
            x: Across::Load(LoadAxis::Achieved),
            log: None,
            model: None,
            frontier: false,
        }
    }
}

impl CurveAxes {
    /// Whether the metric has the statistic: one number for the run has none, a latency needs one.
    pub fn fits(&self) -> bool {
        is_run_level(self.y) == (self.stat == Stat::Value)
    }

    /// Whether a queue says anything of these axes: a latency with waiting in it, against a rate.
    pub const fn take_a_model(&self) -> bool {
        matches!(self.y, Metric::Ttft | Metric::E2e)
            && matches!(self.x, Across::Load(LoadAxis::Achieved | LoadAxis::Requested))
    }
}

/// The Curves screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CurvesView {
    /// The main chart with its finding as title; absent when there is no load at all.
    pub main: Option<Spec>,
    /// Small multiples on the same load axis.
    pub small: Vec<Spec>,
    /// What the marks mean, in words.
    pub caption: String,
    /// The same where the chart is too narrow for letters and load values.
    #[serde(default)]
    pub caption_narrow: String,
    /// One card a point, found by the key of the chart's point.
    pub cards: Vec<PointCard>,
    /// The points as a table.
    pub table: Table,
    /// The highest load of each sweep that attains the share asked for, each a sentence.
    #[serde(default)]
    pub attained: Vec<String>,
    /// The capacity plan of each sweep, the baseline's first, where limits are set.
    #[serde(default)]
    pub capacity: Vec<CapacityCard>,
    /// Why there is no curve: "one load level: no curve; add more runs".
    pub empty: Option<String>,
    /// What each sweep says, in sentences: its peaks, its knee, its saturation, the limit that binds.
    #[serde(default)]
    pub said: Vec<(String, Vec<String>)>,
    /// The drawn sweeps with all their runs, for rearranging them.
    #[serde(default)]
    pub sweeps: Vec<Sweep>,
    /// Runs left out with the reason, each a sentence.
    pub left_out: Vec<String>,
    /// Runs that a finding holds back: they are on no curve until they are let on.
    pub held_back: Vec<HeldBack>,
    /// Which axes have any value, in the order to offer them.
    pub axes: Vec<LoadAxis>,
    /// Axes without any value that need what a person can look up, each with what is missing.
    #[serde(default)]
    pub unavailable: Vec<String>,
}

/// The card of one measured load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointCard {
    /// Key of the point in the chart.
    pub key: String,
    /// The run.
    pub run: RunId,
    /// Palette index of the series.
    pub style: usize,
    /// "SGLang at 16 req/s".
    pub title: String,
    /// "559", or a dash.
    pub value: String,
    /// "ms".
    pub unit: String,
    /// Definition stamp.
    pub stamp: String,
    /// Interval and support in words.
    pub support: Option<String>,
    /// Whether there is a steady state at this load, as a sentence.
    pub steady: String,
    /// Whether there is none: the value grows with the length of the run.
    pub rising: bool,
    /// Name and value lines: reported, achieved, goodput, under SLO, …
    pub lines: Vec<(String, String)>,
    /// What differs from the baseline's series at this load.
    pub differs: Vec<(String, String)>,
    /// What its number can be explained against, each with the words of its button.
    #[serde(default)]
    pub explain: Vec<(String, ExplainAsk)>,
}

/// A plain table: the twin of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Table {
    /// Column heads with units.
    pub head: Vec<String>,
    /// Rows of text; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

/// The small multiples beside the main chart, in order; the one that it shows is left out.
const SMALL: [(Metric, Stat); 4] = [
    (Metric::Tpot, Stat::Median),
    (Metric::E2e, Stat::Percentile(99.0)),
    (Metric::OutputThroughput, Stat::Value),
    (Metric::Ttft, Stat::Percentile(99.0)),
];

/// Builds the screen for the selected runs, or for all when none is selected.
pub fn curves(all: &[&Run], context: &Context, axes: CurveAxes) -> CurvesView {
    let groups = groups(all);
    let mut curves = points::curves(all, &groups, context, axes);
    let rearranged = sweeps::sweeps(all, &groups, &curves);
    let held_back = points::hold_back(&mut curves);
    let loads = curves.iter().map(|c| c.loads.len()).sum::<usize>();
    let sweep = curves.iter().any(|c| c.loads.len() > 1);
    let offered: Vec<LoadAxis> = LoadAxis::ALL
        .into_iter()
        .filter(|axis| {
            curves.iter().flat_map(|c| &c.loads).any(|load| load.x((*axis).into()).is_some())
        })
        .collect();
    let per_gpu = LoadAxis::OutputPerGpu;
    let unavailable = (loads > 0 && !offered.contains(&per_gpu))
        .then(|| format!("{} (no GPU count recorded: type it under Sweeps)", per_gpu.name()));
    let small = SMALL
        .into_iter()
        .filter(|(y, stat)| (*y, *stat) != (axes.y, axes.stat))
        .take(3)
        .filter_map(|(y, stat)| {
            let axes = CurveAxes { y, stat, log: None, ..axes };
            // Each statistic needs its own evaluation only where it is no percentile of the main one.
            let mut curves = points::curves(all, &groups, context, axes);
            points::hold_back(&mut curves);
            chart::chart(&curves, axes, Frame::Small, context)
        })
        .collect();
    let mut sweeps: Vec<&points::Curve<'_>> = curves.iter().collect();
    sweeps.sort_by_key(|curve| !curve.baseline);
    let (mut attained, mut capacity) = (Vec::new(), Vec::new());
    for (sentence, card) in sweeps.iter().filter_map(|curve| curve.goodput(axes, context)) {
        attained.extend(sentence);
        capacity.push(card);
    }
    CurvesView {
        attained,
        capacity,
        said: sweeps
            .iter()
            .filter(|curve| curve.loads.len() > 1)
            .map(|curve| (curve.name.clone(), curve.analysis(axes, context).said))
            .collect(),
        main: chart::chart(&curves, axes, Frame::Main, context),
        small: if sweep { small } else { Vec::new() },
        caption: captions(&curves, axes, context, false),
        caption_narrow: captions(&curves, axes, context, true),
        cards: cards::cards(&curves, axes, context),
        table: cards::table(&curves, axes, context),
        empty: match (loads, sweep) {
            (0, _) if !held_back.is_empty() => {
                Some("Every selected run is held back by a finding.".to_owned())
            }
            (0, _) => Some("No run is selected. Choose runs in the Library.".to_owned()),
            (1, _) => {
                Some("One load level: no curve. Add runs at other loads to see one.".to_owned())
            }
            (_, false) => Some(
                "No two of these runs are loads of one sweep, so nothing is joined by a line. Add \
                 files from a sweep."
                    .to_owned(),
            ),
            _ => None,
        },
        sweeps: rearranged,
        left_out: cards::left_out(&curves, axes),
        held_back,
        axes: offered,
        unavailable: unavailable.into_iter().collect(),
    }
}

/// What the marks mean, as a wide chart draws them or as a narrow one does: no letters, no load values.
fn captions(
    curves: &[points::Curve<'_>],
    axes: CurveAxes,
    context: &Context,
    narrow: bool,
) -> String {
    let mut sentences = Vec::new();
    let mut say = |there: bool, wide: &'static str, small: &'static str| {
        let said = if narrow { small } else { wide };
        if there && !said.is_empty() {
            sentences.push(said);
        }
    };
    let loads = || curves.iter().flat_map(|curve| &curve.loads);
    let spreads = || loads().map(|load| load.spread(axes.y, axes.stat));
    let sweep = curves.iter().any(|curve| curve.loads.len() > 1);
    let found: Vec<points::Analysis> =
        curves.iter().map(|curve| curve.analysis(axes, context)).collect();
    let hollow = "Hollow: fewer than ten samples above.";
    let arrow = "Arrow upward: no steady state at this load, so the value grows with the length of the run.";
    let whisker = "Whisker: 95 % interval.";
    let ticks = "Ticks: each repeat of a load; of two runs the whisker is their range.";
    let grey = "Grey line: loads that no other beats on both axes.";
    say(
        sweep,
        "Points are joined in order of offered load, whose value stands beside each.",
        "Points are joined in order of offered load.",
    );
    say(loads().any(|load| chart::weak(load, axes)), hollow, hollow);
    let grows = |load: &points::Load<'_>| load.steady().verdict == Steadiness::Growing;
    let drawn = |load: &points::Load<'_>| load.y(axes.y, axes.stat).number().is_some();
    say(loads().any(|load| drawn(load) && grows(load)), arrow, arrow);
    say(spreads().any(|spread| spread.interval.is_some()), whisker, whisker);
    say(spreads().any(|spread| !spread.each.is_empty()), ticks, ticks);
    let throughput = found.iter().any(|found| found.throughput_peak.is_some());
    say(throughput, "T: highest throughput.", "");
    let goodput = found.iter().any(|found| found.goodput_peak.is_some());
    say(goodput, "P: goodput peak, good requests per second.", "Star: goodput peak.");
    let knee = found.iter().any(|found| found.knee.is_some());
    say(knee, "K: knee, the largest distance to the chord.", "");
    say(axes.frontier && sweep, grey, grey);
    sentences.join(" ")
}
