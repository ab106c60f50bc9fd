//! The shift of two runs: by how much each quantile of one lies above that of the other.

use super::lines::percent_name;
use super::runs::Drawn;
use super::{DistributionsAsk, said};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Better, Guide, Point, Scaling, Series};
use crate::metrics::{
    Ask, Clear, Direction, Evaluation, Subject, Value, difference_of, direction, evaluate,
};
use crate::model::{Metric, Stat};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::numbers::signed;
use std::sync::Arc;

/// The deciles and two quantiles of the tail.
const QUANTILES: [f64; 11] = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0];

/// One run with those quantiles.
struct Measured<'r, 'a> {
    run: &'r Drawn<'a>,
    ask: Ask,
    evaluation: Arc<Evaluation>,
}

impl<'r, 'a> Measured<'r, 'a> {
    fn of(run: &'r Drawn<'a>, quantiles: &[f64]) -> Self {
        let (plain, settings) = (run.measured.run, run.measured.settings);
        let ask = Ask {
            percentiles: quantiles.to_vec(),
            excluded: run.measured.excluded().to_vec(),
            ..Ask::default()
        };
        let evaluation =
            plain.memory.recall((settings, ask.clone()), || evaluate(plain, &settings, &ask));
        Self { run, ask, evaluation }
    }

    fn subject(&self) -> Subject<'_> {
        let measured = &self.run.measured;
        Subject::evaluated(measured.run, &measured.settings, &self.ask, &self.evaluation)
    }
}

/// Builds the chart; `None` where there are no two runs with samples.
pub(super) fn shift(
    runs: &[&Drawn<'_>],
    context: &Context,
    ask: &DistributionsAsk,
) -> Option<Spec> {
    let mut known = runs.iter().filter(|run| run.samples().is_some());
    let baseline = known.next()?;
    let named = |run: &&&Drawn<'_>| Some(&run.measured.run.id) == ask.other.as_ref();
    let other = known.clone().find(named).or_else(|| known.next())?;
    let mut quantiles = QUANTILES.to_vec();
    quantiles.extend(ask.quantile.filter(|q| QUANTILES.iter().all(|p| (p - q).abs() > 1e-9)));
    quantiles.sort_by(f64::total_cmp);
    let (a, b) = (Measured::of(baseline, &quantiles), Measured::of(other, &quantiles));
    let (base, against) = (a.subject(), b.subject());
    let unit = ask.metric().unit().symbol();
    let mut notes = Vec::new();
    let mut told = Told::default();
    let points: Vec<Point> = quantiles
        .iter()
        .filter_map(|p| {
            let stat = Stat::Percentile(*p);
            let found = difference_of(&base, &against, ask.metric(), stat);
            let Value::Exact(y) = found.absolute else { return None };
            let clear = matches!(found.clear, Clear::Better | Clear::Worse);
            told.take(y, clear);
            if let Clear::NotComparable(because) = &found.clear
                && notes.is_empty()
            {
                notes.push(format!(
                    "The difference is not to be read as one of servers: {}.",
                    because.trim_end_matches('.')
                ));
            }
            let value = |evaluation: &Evaluation| match evaluation.value(ask.metric(), stat) {
                Value::Exact(value) => format!("{} {unit}", significant(value, 4)),
                _ => "—".to_owned(),
            };
            let mut tip = vec![
                (percent_name(*p), signed(y, digits(y), &format!(" {unit}"))),
                (baseline.name().to_owned(), value(&a.evaluation)),
                (other.name().to_owned(), value(&b.evaluation)),
            ];
            if let Some(interval) = found.interval {
                let ends = [interval.low, interval.high].map(|v| signed(v, digits(v), ""));
                let said = format!("{} to {} {unit}", ends[0], ends[1]);
                tip.push(("95 % interval".to_owned(), said));
            }
            tip.push(("reading".to_owned(), reading(&found.clear, y)));
            Some(Point {
                key: format!("shift/{p}"),
                x: *p,
                y,
                low: found.interval.map(|interval| interval.low),
                high: found.interval.map(|interval| interval.high),
                hollow: !clear,
                tip,
                ..Point::default()
            })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    notes.push("Hollow: no clear difference at that quantile. Whisker: 95 % interval.".to_owned());
    let title = told.title(other.name(), baseline.name(), ask.metric());
    let last = points.len() - 1;
    Some(Spec {
        summary: format!("{title}. {} quantiles, each with its difference.", points.len()),
        title,
        stamp: said::stamp(&[*baseline, *other], context, ask.metric()),
        notes,
        x: Axis { domain: Some((0.0, 100.0)), ..Axis::from_zero("quantile", "%") },
        y: Axis {
            title: format!("{} less {}", other.name(), baseline.name()),
            unit: unit.to_owned(),
            scale: Scaling::Linear { from_zero: true },
            better: direction(ask.metric()).map(|way| match way {
                Direction::Lower => Better::Down,
                Direction::Higher => Better::Up,
            }),
            domain: None,
        },
        series: vec![Series {
            name: format!("{} less {}", other.name(), baseline.name()),
            style: other.style,
            strong: true,
            line: true,
            tag: Some((last / 2, String::new())),
            points,
            ..Series::default()
        }],
        guides: vec![Guide { from: (0.0, 0.0), to: (100.0, 0.0), text: "no difference".into() }],
        ..Spec::default()
    })
}

/// Decimals that show three digits of a difference.
fn digits(value: f64) -> usize {
    let magnitude = value.abs().max(1e-6).log10().floor() as i32;
    usize::try_from(2 - magnitude).unwrap_or(0).min(4)
}

fn reading(clear: &Clear, y: f64) -> String {
    let way = if y < 0.0 { "lower" } else { "higher" };
    match clear {
        Clear::Better => format!("{way} (better)"),
        Clear::Worse => format!("{way} (worse)"),
        Clear::NotClear(because) if because.is_empty() => "no clear difference".to_owned(),
        Clear::NotClear(because) => format!("no clear difference: {because}"),
        Clear::TooFew(because) => format!("too few data: {because}"),
        Clear::NotComparable(because) => format!("not comparable: {because}"),
    }
}

/// What the quantiles say together.
#[derive(Default)]
struct Told {
    lower: Vec<f64>,
    higher: Vec<f64>,
    all: usize,
}

impl Told {
    fn take(&mut self, y: f64, clear: bool) {
        self.all += 1;
        match (clear, y < 0.0) {
            (true, true) => self.lower.push(-y),
            (true, false) => self.higher.push(y),
            (false, _) => {}
        }
    }

    fn title(&self, other: &str, baseline: &str, metric: Metric) -> String {
        let unit = metric.unit().symbol();
        let side = |way: &str, than: &str, all: &[f64]| {
            let low = all.iter().copied().fold(f64::INFINITY, f64::min);
            let high = all.iter().copied().fold(0.0, f64::max);
            let [low, high] = [low, high].map(|v| significant(v, 3));
            let by = if low == high { low } else { format!("{low} to {high}") };
            let of = [all.len(), self.all].map(|count| fixed(count as f64, 0));
            format!("{way}{than} at {} of {} quantiles, by {by} {unit}", of[0], of[1])
        };
        let than = format!(" than {baseline}");
        match (self.lower.is_empty(), self.higher.is_empty()) {
            (true, true) => format!("{other} against {baseline}: no quantile differs clearly"),
            (false, true) => format!("{other} is {}", side("lower", &than, &self.lower)),
            (true, false) => format!("{other} is {}", side("higher", &than, &self.higher)),
            (false, false) => format!(
                "{other} is {}, {}",
                side("lower", &than, &self.lower),
                side("higher", "", &self.higher)
            ),
        }
    }
}
