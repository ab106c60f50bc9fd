//! The walk itself: every set of changes evaluated once, the steps of one order, the average over all.

use super::because::because;
use super::moves::{GROUPS, Move, Point, moves, reorder};
use super::per_token::measured_by;
use super::touched::touched;
use super::{Bridge, Number, Route, Step, Touched};
use crate::metrics::difference::less;
use crate::metrics::evaluate::{Ask, one, recounted};
use crate::metrics::hints::hint;
use crate::metrics::measured::Value;
use crate::metrics::recount::Recount;
use crate::metrics::settings::{Percentile, Settings, Weighting};
use crate::model::{Metric, Run, Stat};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The average over all orders takes at most 2 to this power evaluations.
const MOST_AVERAGED: usize = 8;

/// What is measured after some of the moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    pub metric: Metric,
    pub stat: Stat,
    pub settings: Settings,
    /// How often its samples count, where that is not for the settings to say.
    pub recount: Option<Recount>,
}

impl Probe {
    const fn of(number: &Number<'_>) -> Self {
        Self { metric: number.metric, stat: number.stat, settings: number.settings, recount: None }
    }
}

/// A walk on the rows of one run.
pub(super) struct Walk<'a> {
    run: &'a Run,
    ask: &'a Ask,
    a: Point,
    b: Point,
    first: Probe,
    last: Probe,
    moves: Vec<Move>,
    /// By set of moves, one bit a move.
    known: RefCell<BTreeMap<u32, Value>>,
}

impl<'a> Walk<'a> {
    /// From `a` to `b`, both on the rows of `a`.
    pub(super) fn new(a: &Number<'a>, b: &Number<'a>, route: &Route) -> Self {
        let (mut from, mut to) = (Point::of(a), Point::of(b));
        let mut moves = moves(a, &mut from, &mut to);
        reorder(&mut moves, &route.order);
        Self {
            run: a.run,
            ask: a.ask,
            a: from,
            b: to,
            first: Probe::of(a),
            last: Probe::of(b),
            moves,
            known: RefCell::default(),
        }
    }

    fn all(&self) -> u32 {
        (1_u32 << self.moves.len().min(31)) - 1
    }

    /// What is measured once the moves of `set` are made.
    ///
    /// # Errors
    /// When nothing measures that; the reason is a clause.
    fn probe(&self, set: u32) -> Result<Probe, &'static str> {
        if set == 0 {
            return Ok(self.first);
        }
        if set == self.all() {
            return Ok(self.last);
        }
        let mut settings = self.a.settings;
        let (mut metric, mut stat) = (self.a.metric, self.a.stat);
        let mut parts = self.a.parts;
        for (at, one) in self.moves.iter().enumerate() {
            if set & (1 << at) == 0 {
                continue;
            }
            match *one {
                Move::Dimension(dimension) => {
                    let _ = dimension.write(&mut settings, &dimension.read(&self.b.settings));
                }
                Move::Formula(_, to) => parts = parts.map(|(_, vote)| (to, vote)),
                Move::Vote(_, to) => parts = parts.map(|(formula, _)| (formula, to)),
                Move::Metric(_, to) => metric = to,
                Move::Statistic(_, to) => stat = to,
            }
        }
        let with = |of: &Point| Settings {
            itl: of.settings.itl,
            tpot: of.settings.tpot,
            weighting: of.settings.weighting,
            ..settings
        };
        // Percentiles of weights need a rule that knows them, which may come with a later move.
        let ranked = matches!(stat, Stat::Median | Stat::Percentile(_));
        let unread = |of: &Point| {
            ranked
                && of.settings.weighting == Weighting::PerToken
                && settings.percentile != Percentile::WeightedStep
        };
        let is = |of: &Point| parts == of.parts && !unread(of);
        let own = |of: &Point| Probe { metric: of.metric, stat, settings: with(of), recount: None };
        match parts {
            None => Ok(Probe { metric, stat, settings, recount: None }),
            Some(_) if is(&self.a) => Ok(own(&self.a)),
            Some(_) if is(&self.b) => Ok(own(&self.b)),
            Some((formula, vote)) => {
                let (metric, settings, recount) = measured_by(formula, vote, stat, &settings)?;
                Ok(Probe { metric, stat, settings, recount })
            }
        }
    }

    fn value(&self, set: u32) -> Value {
        if let Some(known) = self.known.borrow().get(&set) {
            return known.clone();
        }
        let value = match self.probe(set) {
            Ok(Probe { metric, stat, settings, recount }) => match recount {
                Some(recount) => recounted(self.run, &settings, self.ask, (metric, stat), recount),
                None => one(self.run, &settings, self.ask, metric, stat),
            },
            Err(reason) => Value::Missing(reason.into()),
        };
        self.known.borrow_mut().insert(set, value.clone());
        value
    }

    /// The steps, in the order of the moves. Those between which nothing is known are one.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let (mut set, mut before, mut from, mut lacks) = (0, self.value(0), 0, None);
        for at in 0..self.moves.len() {
            let next = set_with(set, from, at);
            let after = self.value(next);
            if let Value::Missing(reason) = &after {
                lacks.get_or_insert_with(|| reason.clone());
                continue;
            }
            let taken = self.moves.get(from..=at).unwrap_or_default();
            steps.push(self.step(taken, (set, &before), (next, &after), lacks.take()));
            (set, before, from) = (next, after, at + 1);
        }
        steps
    }

    fn step(
        &self,
        taken: &[Move],
        (from, before): (u32, &Value),
        (to, after): (u32, &Value),
        lacks: Option<String>,
    ) -> Step {
        let joined = |of: &dyn Fn(&Move) -> String| {
            let all: Vec<String> = taken.iter().map(of).collect();
            all.join(" + ")
        };
        let probes = (self.probe(from).unwrap_or(self.first), self.probe(to).unwrap_or(self.last));
        let mut touched = touched(self.run, self.ask, &probes.0, &probes.1);
        let none = touched.requests == 0 && touched.of > 0;
        let said = |one: &Move| {
            let said = because(*one, self.run, self.ask, &probes.0, &probes.1);
            let said = said.unwrap_or_else(|| {
                let [(_, a), (_, b)] = [&self.a, &self.b].map(|point| self.choice(*one, point));
                format!("A has “{a}”, B “{b}”; these rows don’t tell what that does.")
            });
            // What is told of replies in general need not hold of this number’s samples.
            let without = one.id() == "empty-outputs" && !said.starts_with("There is no");
            if none && without {
                "Replies without a token have no part in this number on either ruler.".to_owned()
            } else {
                said
            }
        };
        let mut reasons: Vec<String> = taken.iter().map(said).collect();
        if let Some(reason) = lacks {
            reasons.push(format!("It cannot be split further: {reason}."));
        }
        let change = change(after, before);
        if none && change.exact().is_none() {
            // Bounds hide whom the step moves: that nobody is moved is not known.
            touched = Touched::default();
        }
        if !matches!(change, Value::Exact(_) | Value::Missing(_)) {
            let unit = self.last.metric.unit().symbol();
            let range = super::words::change(&change, self.last.metric, 2);
            reasons.push(format!("Known within bounds only, {range} {unit}."));
            let flag = hint(self.run, self.last.metric, &probes.1.settings);
            reasons.extend(flag.map(str::to_owned));
        }
        let ids: Vec<&str> = taken.iter().map(|one| one.id()).collect();
        Step {
            dimension: ids.join("+"),
            name: joined(&|one| one.name().to_owned()),
            from: joined(&|one| self.choice(*one, &self.a).0),
            to: joined(&|one| self.choice(*one, &self.b).0),
            from_words: joined(&|one| self.choice(*one, &self.a).1),
            to_words: joined(&|one| self.choice(*one, &self.b).1),
            change,
            after: after.clone(),
            touched,
            because: reasons.join(" "),
            average: None,
            other_story: false,
        }
    }

    /// Id and words of the choice that a point makes where a move changes it.
    fn choice(&self, one: Move, of: &Point) -> (String, String) {
        let is_a = std::ptr::eq(of, &raw const self.a);
        match one {
            Move::Dimension(dimension) => {
                let value = dimension.read(&of.settings);
                let words = of.settings.get(dimension.id).map_or("", |choice| choice.label);
                let parameter = value.split_once(':').map(|(_, parameter)| parameter);
                let words = parameter.map_or(words.to_owned(), |p| format!("{words} {p}"));
                (value, words)
            }
            Move::Formula(from, to) => {
                let formula = if is_a { from } else { to };
                let words = label_of(formula.dimension(), formula.id());
                (formula.id().to_owned(), words)
            }
            Move::Vote(from, to) => {
                let vote = if is_a { from } else { to };
                (vote.id().to_owned(), vote.words().to_owned())
            }
            Move::Metric(from, to) => {
                let metric = if is_a { from } else { to };
                (metric.id().to_owned(), metric.name().to_owned())
            }
            Move::Statistic(from, to) => {
                let stat = if is_a { from } else { to };
                (stat.name(), stat.name())
            }
        }
    }

    /// Ids of the groups of dimensions in which nothing changes.
    pub(super) fn equal(&self) -> Vec<String> {
        let moved = |ids: &[&str]| self.moves.iter().any(|one| ids.contains(&one.id()));
        let equal = GROUPS.iter().filter(|(_, ids)| !moved(ids));
        equal.map(|(group, _)| (*group).to_owned()).collect()
    }

    /// Each step's change averaged over all orders, and whether that tells another story.
    pub(super) fn average(&self, bridge: &mut Bridge) {
        match self.averages() {
            Err(reason) => bridge.no_average = Some(reason),
            Ok(averages) => {
                for (step, average) in bridge.steps.iter_mut().zip(averages) {
                    step.average = Some(average);
                }
                super::words::compare_orders(bridge);
            }
        }
    }

    /// The Shapley value of each move.
    fn averages(&self) -> Result<Vec<f64>, String> {
        let count = self.moves.len();
        if count > MOST_AVERAGED {
            return Err(format!(
                "{count} dimensions differ, and all orders of more than {MOST_AVERAGED} are too many to walk"
            ));
        }
        let values = (0..=self.all()).map(|set| match self.value(set) {
            Value::Exact(value) | Value::Reported(value) => Ok(value),
            Value::Missing(reason) => Err(format!("some orders can’t be walked: {reason}")),
            _ => Err("some orders lead over a number that is known within bounds only".to_owned()),
        });
        let values = values.collect::<Result<Vec<f64>, String>>()?;
        let of = |set: u32| values.get(set as usize).copied().unwrap_or_default();
        // |S|! (k − |S| − 1)! ÷ k! of every set S that lacks the move.
        let share = |size: u32| {
            let others = count as u32 - 1;
            let ways =
                (0..size).fold(1.0, |ways, i| ways * f64::from(others - i) / f64::from(i + 1));
            1.0 / (ways * count as f64)
        };
        let average = |at: usize| {
            let bit = 1_u32 << at;
            let without = (0..=self.all()).filter(|set| set & bit == 0);
            without.map(|set| share(set.count_ones()) * (of(set | bit) - of(set))).sum()
        };
        Ok((0..count).map(average).collect())
    }
}

/// The label of a choice.
fn label_of(dimension: &str, id: &str) -> String {
    let found = crate::metrics::Dimension::find(dimension).and_then(|d| d.choice(id));
    found.map_or_else(|| id.to_owned(), |choice| choice.label.to_owned())
}

/// `set` with the moves `from` to `to`.
fn set_with(set: u32, from: usize, to: usize) -> u32 {
    (from..=to).fold(set, |set, at| set | 1 << at)
}

/// What a step changes; from a printed number it is as exact as from any other.
fn change(after: &Value, before: &Value) -> Value {
    match less(after, before) {
        Value::Reported(change) => Value::Exact(change),
        change => change,
    }
}
