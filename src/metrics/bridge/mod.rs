//! The bridge: from one number to another, one definition at a time, with what each changes and why.
//!
//! On the same rows the changes add up to the difference exactly: each is the value after a step less the
//! value before it. What a step costs depends on what was changed before it, so the order is said, and
//! each change also as the average over all orders: the Shapley value (Shapley 1953, “A value for n-person
//! games”), the only division that is symmetric, leaves nothing over and gives nothing to what changes
//! nothing. Definitions: `definitions.md`, section 6.

mod adapt;
mod because;
mod counted;
mod digits;
mod extended;
mod limits;
mod moves;
mod per_token;
mod picture;
mod printed;
mod reported;
mod session;
mod touched;
mod two_runs;
mod walk;
mod words;

use super::evaluate::{Ask, one};
use super::measured::Value;
use super::settings::Settings;
use crate::model::{Metric, Run, RunId, Stat};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub use digits::Digits;
pub use extended::extended;
pub use moves::default_order;
pub use picture::{Laid, Picture, StreamEvent, picture};
pub use printed::printed;
pub use reported::reported;
pub use session::{Foremost, foremost};
pub use words::{change as change_words, named, value as value_words};

/// One number of a run: a statistic of a metric on a ruler.
#[derive(Debug, Clone, Copy)]
pub struct Number<'a> {
    /// The run.
    pub run: &'a Run,
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub stat: Stat,
    /// The ruler.
    pub settings: Settings,
    /// Limits, and the requests of this run that are left out.
    pub ask: &'a Ask,
}

impl Number<'_> {
    /// What is known of it.
    pub fn value(&self) -> Value {
        one(self.run, &self.settings, self.ask, self.metric, self.stat)
    }
}

/// How the walk is taken.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Route {
    /// Dimensions that come first, in this order; the others follow in the documented one.
    pub order: Vec<String>,
}

/// What a bridge is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The same rows under two definition sets.
    SameRows,
    /// What the tool printed, and the rows.
    Reported,
    /// Two runs.
    TwoRuns,
}

/// One end of a bridge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// The run.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub stat: Stat,
    /// The ruler.
    pub settings: Settings,
    /// What is known of the number, in the metric's unit.
    pub value: Value,
}

/// What a step touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Touched {
    /// Requests whose part in the number is another after the step.
    pub requests: usize,
    /// Requests that have a part in the number, before or after it.
    pub of: usize,
    /// Gaps between events of the touched requests, where the file holds gaps.
    pub gaps: usize,
    /// Output tokens after the first of the touched requests, where they are counted.
    pub tokens: usize,
}

/// One definition changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Id of the dimension; several with “+” between where they can't be told apart on these rows.
    pub dimension: String,
    /// Its name for people, such as “Unit”.
    pub name: String,
    /// Id of the choice before.
    pub from: String,
    /// Id of the choice after.
    pub to: String,
    /// The choice before in words.
    pub from_words: String,
    /// The choice after in words.
    pub to_words: String,
    /// What is known of the number after the step.
    pub after: Value,
    /// The change, in the metric's unit; exact, or between bounds where the rows tell no more.
    pub change: Value,
    /// What it touches.
    pub touched: Touched,
    /// Why, from the data, as a sentence.
    pub because: String,
    /// The change averaged over all orders, where each of them can be walked.
    pub average: Option<f64>,
    /// Whether the average has another sign or another rank among the steps.
    pub other_story: bool,
}

impl Step {
    /// The change where it is exact.
    pub const fn exact(&self) -> Option<f64> {
        match self.change {
            Value::Exact(change) => Some(change),
            _ => None,
        }
    }
}

/// What no definition explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remainder {
    /// Its name for people.
    pub name: String,
    /// The change, in the metric's unit.
    pub change: f64,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
    /// Why, as a sentence.
    pub because: String,
}

/// One of the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Where it starts.
    A,
    /// Where it ends.
    B,
}

impl Side {
    /// “A”, “B”.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// What lies between a number as its tool printed it and the same number of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Print {
    /// Which end is as printed.
    pub side: Side,
    /// From the printed number to the rows at A, from the rows to the printed number at B.
    pub rest: Remainder,
}

/// One piece of the way from A to B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Piece<'a> {
    /// Between a printed number and its rows.
    Print(Side, &'a Remainder),
    /// One definition changed.
    Step(&'a Step),
    /// What no definition explains.
    Rest(&'a Remainder),
}

impl Piece<'_> {
    /// The change, in the metric's unit.
    pub fn change(&self) -> Value {
        match self {
            Self::Step(step) => step.change.clone(),
            Self::Print(_, rest) | Self::Rest(rest) => Value::Exact(rest.change),
        }
    }
}

/// A dimension that differs, whose change these rows can't give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmeasured {
    /// Id of the dimension.
    pub dimension: String,
    /// Its name for people.
    pub name: String,
    /// Id of the choice of A, which stays.
    pub from: String,
    /// Id of the choice of B.
    pub to: String,
    /// Why it can't be had, and what would have recorded it, as sentences.
    pub because: String,
}

/// From one number to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bridge {
    /// What it is between.
    pub mode: Mode,
    /// Where it starts.
    pub a: End,
    /// Where it ends.
    pub b: End,
    /// The definitions, one at a time.
    pub steps: Vec<Step>,
    /// Dimensions that differ, whose change these rows can't give.
    pub unmeasured: Vec<Unmeasured>,
    /// What no definition explains; none on the same rows.
    pub remainder: Option<Remainder>,
    /// Between an end as printed and its rows, where the bridge leads over them.
    #[serde(default)]
    pub prints: Vec<Print>,
    /// Ids of the dimensions in which both are equal or which play no part.
    pub equal: Vec<String>,
    /// Where the average over all orders tells another story than this order: how, as a sentence.
    pub story: Option<String>,
    /// Why there is no average over all orders, as a clause.
    pub no_average: Option<String>,
    /// Why it does not reach B, as sentences.
    pub stopped: Option<String>,
    /// All of it in one sentence.
    pub sentence: String,
    /// What to know besides, in sentences.
    pub details: Vec<String>,
}

impl Bridge {
    /// Both ends with nothing between them yet.
    const fn between(mode: Mode, a: End, b: End) -> Self {
        Self {
            mode,
            a,
            b,
            steps: Vec::new(),
            unmeasured: Vec::new(),
            remainder: None,
            prints: Vec::new(),
            equal: Vec::new(),
            story: None,
            no_average: None,
            stopped: None,
            sentence: String::new(),
            details: Vec::new(),
        }
    }

    /// B less A, where both are numbers.
    pub fn difference(&self) -> Option<f64> {
        Some(self.b.value.exact_or_reported()? - self.a.value.exact_or_reported()?)
    }

    /// What the steps come to, where each is exact.
    pub fn explained(&self) -> Option<f64> {
        // The sum of no steps is −0 for floats.
        self.steps.iter().map(Step::exact).sum::<Option<f64>>().map(|sum| 0.0 + sum)
    }

    /// All that lies between A and B, in the order in which it leads from one to the other: their changes add
    /// up to the difference.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let prints = |side: Side| {
            let of_side = self.prints.iter().filter(move |print| print.side == side);
            of_side.map(move |print| Piece::Print(side, &print.rest))
        };
        let steps = self.steps.iter().map(Piece::Step);
        let rest = self.remainder.iter();
        if self.mode == Mode::Reported {
            // From the printed number to the rows first.
            let first = rest.map(|rest| Piece::Print(Side::A, rest));
            return first.chain(prints(Side::A)).chain(steps).chain(prints(Side::B)).collect();
        }
        let rest = rest.map(Piece::Rest);
        prints(Side::A).chain(steps).chain(rest).chain(prints(Side::B)).collect()
    }
}

/// Why two numbers have no bridge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoBridge {
    /// They are of different units.
    #[error(
        "{a} is in {a_unit} and {b} in {b_unit}: no definition leads from the one to the other"
    )]
    Units {
        /// The one.
        a: &'static str,
        /// Its unit.
        a_unit: &'static str,
        /// The other.
        b: &'static str,
        /// Its unit.
        b_unit: &'static str,
    },
    /// The number that it starts from can't be had; the reason is a clause.
    #[error("{name} has no {number}: {because}")]
    NoStart {
        /// The run.
        name: String,
        /// The number in words.
        number: String,
        /// Why.
        because: String,
    },
}

/// What a remembered bridge answers.
#[derive(PartialEq)]
struct Asked {
    a: (Metric, Stat, Settings),
    b: (RunId, Metric, Stat, Settings),
    asks: (Ask, Ask),
    route: Route,
}

/// The bridge from `a` to `b`. On the same run the steps add up to the difference exactly.
///
/// # Errors
/// When the two are of different units, or the first can't be had.
pub fn bridge(a: &Number<'_>, b: &Number<'_>, route: &Route) -> Result<Arc<Bridge>, NoBridge> {
    of_one_unit(a.metric, b.metric)?;
    let asked = Asked {
        a: (a.metric, a.stat, a.settings),
        b: (b.run.id.clone(), b.metric, b.stat, b.settings),
        asks: (a.ask.clone(), b.ask.clone()),
        route: route.clone(),
    };
    let found = a.run.memory.recall(asked, || build(a, b, route).map(Arc::new));
    found.as_ref().clone()
}

fn of_one_unit(a: Metric, b: Metric) -> Result<(), NoBridge> {
    if a.unit() == b.unit() {
        return Ok(());
    }
    Err(NoBridge::Units {
        a: a.name(),
        a_unit: a.unit().symbol(),
        b: b.name(),
        b_unit: b.unit().symbol(),
    })
}

fn build(a: &Number<'_>, b: &Number<'_>, route: &Route) -> Result<Bridge, NoBridge> {
    let start = a.value();
    if let Value::Missing(because) = start {
        return Err(NoBridge::NoStart {
            name: a.run.name.clone(),
            number: words::number(a.metric, a.stat),
            because,
        });
    }
    let same = a.run.id == b.run.id;
    // B's definition on A's rows, as far as they allow it.
    let mut adapted = adapt::adapt(a, b);
    if same {
        // The same rows leave nothing over that it could be inside of.
        for one in &mut adapted.unmeasured {
            one.because = one.because.replacen(adapt::INSIDE, "", 1);
        }
    }
    let limits = if same { None } else { limits::apart(a, &start, b) };
    adapted.unmeasured.extend(limits);
    let walk = walk::Walk::new(a, &adapted.number, route);
    let missing = adapted.unmeasured.iter().map(|one| one.because.clone()).next();
    let mode = if same { Mode::SameRows } else { Mode::TwoRuns };
    let mut bridge = Bridge {
        steps: walk.steps(),
        unmeasured: adapted.unmeasured,
        equal: walk.equal(),
        stopped: adapted.stopped.or(missing.filter(|_| same)),
        ..Bridge::between(mode, end(a, start), end(b, b.value()))
    };
    let ruled = bridge.unmeasured.iter().any(|one| one.dimension == limits::DIMENSION);
    bridge.equal.retain(|group| !(ruled && group == "formula"));
    walk.average(&mut bridge);
    if let Some(alike) = adapted.alike {
        bridge.equal.retain(|group| *group != alike.dimension);
        let after = bridge.steps.last().map_or(&bridge.a.value, |step| &step.after).clone();
        let average = alike.average.filter(|_| bridge.no_average.is_none());
        bridge.steps.push(Step { after, average, ..alike });
    }
    if !same && bridge.stopped.is_none() {
        let reached = bridge.steps.last().map_or(&bridge.a.value, |step| &step.after);
        bridge.remainder = two_runs::remainder((&adapted.number, reached), b, &bridge.unmeasured);
    }
    words::say(&mut bridge);
    Ok(bridge)
}

fn end(number: &Number<'_>, value: Value) -> End {
    End {
        run: number.run.id.clone(),
        name: number.run.name.clone(),
        metric: number.metric,
        stat: number.stat,
        settings: number.settings,
        value,
    }
}

#[cfg(test)]
mod tests;
