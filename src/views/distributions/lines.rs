//! The share of samples at or under each value: as an ECDF, and on a nines axis for the tail.

use super::runs::{Drawn, Mark};
use super::{DistributionsAsk, said};
use crate::charts::Spec;
use crate::charts::spec::{
    Axis, Better, Frame, Guide, Limit as LimitLine, Point, Scaling, Series, Side, Which,
};
use crate::metrics::{Direction, Distribution, direction};
use crate::model::{LimitMetric, Metric};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::curves::Table;
use crate::views::labels::trimmed;

/// The percentiles that have a mark.
const MARKED: [f64; 3] = [50.0, 90.0, 99.0];
/// Fewer samples than this above a place of the tail, and its line is dashed.
const PLAIN: f64 = 10.0;
/// Pixels for which lines are thinned, at least as many as any chart of them has.
const WIDE: f64 = 720.0;
const HIGH: f64 = 400.0;
/// A corner nearer than this to the last one kept is not seen, in pixels.
const SEEN: f64 = 1.2;

/// How a share goes up.
#[derive(Clone, Copy, PartialEq)]
enum Up {
    /// In percent.
    Percent,
    /// As the number of samples.
    Count,
    /// As rank ÷ (n + 1) on a nines axis.
    Nines,
}

impl Up {
    /// The place of what is reached, of samples that weigh `total` together.
    fn place(self, reached: f64, samples: &Distribution) -> f64 {
        match self {
            Self::Percent => 100.0 * reached / samples.total,
            Self::Count => reached,
            Self::Nines => {
                let one = samples.total / samples.n.max(1) as f64;
                reached / (samples.total + one)
            }
        }
    }

    /// The place of a percentile.
    fn percentile(self, p: f64, samples: Option<&Distribution>) -> f64 {
        match self {
            Self::Percent => p,
            Self::Count => p / 100.0 * samples.map_or(0.0, |s| s.total),
            Self::Nines => (p / 100.0).min(1.0 - 1e-12),
        }
    }
}

/// The share of samples at or under each value.
pub(super) fn ecdf(
    runs: &[&Drawn<'_>],
    context: &Context,
    ask: &DistributionsAsk,
    frame: Frame,
) -> Option<Spec> {
    let counted = ask.count && runs.iter().all(|run| run.samples().is_some());
    let up = if counted { Up::Count } else { Up::Percent };
    let x = values_axis(runs, ask)?;
    let at = ask.quantile.unwrap_or(50.0);
    let ends = x.domain?;
    Some(Spec {
        title: said::medians(runs, ask.metric()),
        stamp: said::stamp(runs, context, ask.metric()),
        summary: said::summary(runs, ask.metric()),
        notes: said::notes(runs, ask),
        frame,
        y: match up {
            Up::Count => Axis::from_zero("samples at or under", ""),
            _ => Axis {
                domain: Some((0.0, 100.0)),
                ..Axis::from_zero(format!("{} at or under", noun(runs)), "%")
            },
        },
        series: runs.iter().map(|run| line(run, &x, up, frame, at)).collect(),
        guides: guides(ask, ends, up, counted, at),
        limits: limits(context, ask.metric()),
        x,
        ..Spec::default()
    })
}

/// The tail, with p90, p99, p99.9 at equal steps. It ends where the samples end.
pub(super) fn nines(
    runs: &[&Drawn<'_>],
    context: &Context,
    ask: &DistributionsAsk,
    frame: Frame,
) -> Option<Spec> {
    let x = values_axis(runs, ask)?;
    let most = runs.iter().filter_map(|run| Some(run.samples()?.n)).max();
    let printed = runs.iter().flat_map(|run| &run.printed).map(|p| p.0 / 100.0).fold(0.9, f64::max);
    // A little room above the largest sample, whose place is n ÷ (n + 1).
    let top = most.map_or(0.0, |n| 1.0 - 1.0 / (1.4 * (n as f64 + 1.0)));
    let top = top.max(printed.min(1.0 - 1e-9)).max(0.9);
    let at = ask.quantile.unwrap_or(99.0);
    let ends = x.domain?;
    Some(Spec {
        title: said::tails(runs, ask.metric()),
        stamp: format!(
            "{} · dashed: fewer than 10 samples above",
            said::stamp(runs, context, ask.metric())
        ),
        summary: said::summary(runs, ask.metric()),
        notes: Vec::new(),
        frame,
        y: Axis {
            title: "quantile".to_owned(),
            scale: Scaling::Nines,
            domain: Some((0.0, top)),
            ..Axis::default()
        },
        series: runs.iter().map(|run| line(run, &x, Up::Nines, frame, at)).collect(),
        guides: guides(ask, ends, Up::Nines, false, at),
        limits: limits(context, ask.metric()),
        x,
        ..Spec::default()
    })
}

/// The same runs under the common ruler, in little.
pub(super) fn on_one_ruler(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Option<Spec> {
    let context = Context::default();
    let ask = DistributionsAsk { count: false, quantile: None, value: None, ..ask.clone() };
    let spec = ecdf(runs, &context, &ask, Frame::Small)?;
    Some(Spec {
        title: said::agree(runs, ask.metric()),
        notes: Vec::new(),
        limits: Vec::new(),
        ..spec
    })
}

/// What one sample is, of all runs.
fn noun(runs: &[&Drawn<'_>]) -> &'static str {
    let first = runs.first().map_or("samples", |run| run.noun());
    if runs.iter().all(|run| run.noun() == first) { first } else { "samples" }
}

/// The axis of values, over all that is drawn; with a column for 0 where a log one meets zeros.
pub(super) fn values_axis(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Option<Axis> {
    let log = ask.is_log();
    let ends = |run: &&Drawn<'_>| match run.samples() {
        Some(samples) => {
            let first = samples.steps.iter().find(|step| !log || step.value > 0.0);
            vec![first.map_or(0.0, |step| step.value), samples.largest()]
        }
        None => run.printed.iter().map(|printed| printed.1).collect(),
    };
    let values: Vec<f64> = runs.iter().flat_map(ends).chain(ask.value).collect();
    let zeros = runs.iter().any(|run| match run.samples() {
        Some(samples) => samples.zeros > 0,
        None => run.printed.iter().any(|printed| printed.1.abs() <= 0.0),
    });
    let scale = match (log && values.iter().any(|v| *v > 0.0), zeros) {
        (true, true) => Scaling::LogWithZero,
        (true, false) => Scaling::Log,
        (false, _) => Scaling::Linear { from_zero: values.iter().all(|v| *v >= 0.0) },
    };
    (!values.is_empty()).then(|| Axis {
        title: ask.metric().name().to_owned(),
        unit: ask.metric().unit().symbol().to_owned(),
        scale,
        better: direction(ask.metric()).map(|way| match way {
            Direction::Lower => Better::Left,
            Direction::Higher => Better::Right,
        }),
        domain: Some(crate::charts::scale::domain(scale, values, 7)),
    })
}

/// One run as a line, or as the marks that its tool printed. `at` is the percentile whose mark is named.
fn line(run: &Drawn<'_>, x: &Axis, up: Up, frame: Frame, at: f64) -> Series {
    let mut points = match run.samples() {
        Some(samples) => places(run, samples, up, at),
        None => printed(run, up),
    };
    points.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    let named = points.iter().position(|point| point.key == key(run, &format!("p{at}")));
    // What the tool did not print has no place of its own: the name stands at the nearest mark.
    let named = named.or_else(|| {
        let far = |point: &Point| (point.y - up.percentile(at, run.samples())).abs();
        let marks = points.iter().enumerate().filter(|(_, point)| !point.unmarked);
        marks.min_by(|a, b| far(a.1).total_cmp(&far(b.1))).map(|(at, _)| at)
    });
    let tag = named.and_then(|at| Some((at, significant(points.get(at)?.x, 3))));
    let (path, tail) = run.samples().map_or_else(Default::default, |s| corners(s, x, up));
    Series {
        name: run.name().to_owned(),
        style: run.style,
        strong: true,
        baseline: run.baseline,
        line: run.samples().is_some(),
        path,
        tail,
        tag: tag.filter(|_| frame == Frame::Main),
        points,
        ..Series::default()
    }
}

fn key(run: &Drawn<'_>, what: &str) -> String {
    format!("{}/{what}", run.measured.run.id.as_str())
}

/// The places on a line that can be pointed at: one each percent, one each step of the tail, and the
/// marked percentiles.
fn places(run: &Drawn<'_>, samples: &Distribution, up: Up, at: f64) -> Vec<Point> {
    let (metric, unit) = run.metric();
    let whole = (1..100).map(f64::from);
    let tail = [99.5, 99.9, 99.95, 99.99, 99.995, 99.999, 99.9999, 100.0];
    let shown: Vec<f64> =
        MARKED.into_iter().filter(|p| (p - at).abs() > 1e-9).chain([at]).collect();
    let marked: Vec<(f64, Mark)> =
        shown.into_iter().filter_map(|p| Some((p, run.mark(p)?))).collect();
    let mut points: Vec<Point> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for share in whole.chain(tail) {
        if share < 100.0 && marked.iter().any(|(p, _)| (p - share).abs() < 1e-9) {
            continue;
        }
        let Some(step) = samples.at_share(share / 100.0) else { continue };
        // Of few samples several percentiles are one; the largest sample has a place of its own.
        let end = step.reached >= samples.total && share < 100.0;
        if step.reached <= last || end {
            continue;
        }
        last = step.reached;
        let largest = share >= 100.0;
        points.push(Point {
            key: key(run, &format!("at{share}")),
            x: step.value,
            y: up.place(step.reached, samples),
            unmarked: !(largest && up == Up::Nines),
            hollow: largest,
            label: (largest && up == Up::Nines && run.baseline).then(|| "largest".to_owned()),
            tip: vec![
                (metric.to_owned(), format!("{} {unit}", significant(step.value, 4))),
                ("at or under".to_owned(), said::share(step.reached, samples, run.noun())),
            ],
            ..Point::default()
        });
    }
    points.extend(marked.into_iter().map(|(p, mark)| marked_point(run, up, p, mark)));
    points
}

/// A percentile as a mark with its interval.
fn marked_point(run: &Drawn<'_>, up: Up, p: f64, mark: Mark) -> Point {
    let (_, unit) = run.metric();
    let about = if mark.weak { "≈ " } else { "" };
    let name = percent_name(p);
    let mut tip = vec![(name, format!("{about}{} {unit}", significant(mark.value, 4)))];
    if run.samples().is_none() {
        tip.push(("source".to_owned(), "as the tool printed it".to_owned()));
    }
    if let Some(interval) = mark.interval {
        let ends = [interval.low, interval.high].map(|end| significant(end, 3));
        tip.push(("95 % interval".to_owned(), format!("{} to {} {unit}", ends[0], ends[1])));
    }
    tip.extend(mark.warning.map(|warning| ("support".to_owned(), warning)));
    Point {
        key: key(run, &format!("p{p}")),
        x: mark.value,
        y: up.percentile(p, run.samples()),
        across: mark.interval.map(|interval| (interval.low, interval.high)),
        hollow: mark.weak,
        tip,
        ..Point::default()
    }
}

/// The ladder of printed percentiles: hollow marks without a line, for nothing is known between them.
fn printed(run: &Drawn<'_>, up: Up) -> Vec<Point> {
    let marks = run.printed.iter().filter_map(|(p, _)| Some((*p, run.mark(*p)?)));
    marks.map(|(p, mark)| marked_point(run, up, p, mark)).collect()
}

/// "p99", "p99.9".
pub(super) fn percent_name(p: f64) -> String {
    format!("p{}", trimmed(p))
}

/// The corners of a line that are seen at the size of a chart, and those of its dashed end. Every one is
/// a sample with its exact rank.
fn corners(samples: &Distribution, x: &Axis, up: Up) -> (Corners, Corners) {
    let (low, high) = x.domain.unwrap_or((0.0, 1.0));
    let along = crate::charts::scale::Scale::new(x.scale, (low, high), (0.0, WIDE));
    let top = up.place(samples.total, samples);
    let rising = match up {
        Up::Nines => (Scaling::Nines, (0.0, top)),
        _ => (Scaling::Linear { from_zero: true }, (0.0, top)),
    };
    let upward = crate::charts::scale::Scale::new(rising.0, rising.1, (0.0, HIGH));
    let place = |(x, y): (f64, f64)| along.px(x).zip(upward.px(y));
    let plain = samples.total * (1.0 - PLAIN / samples.n.max(1) as f64);
    let (mut path, mut tail) = (Thinned::default(), Thinned::default());
    let mut before = 0.0;
    for step in &samples.steps {
        let foot = (step.value, up.place(before, samples));
        let head = (step.value, up.place(step.reached, samples));
        before = step.reached;
        let Some((foot_at, head_at)) = place(foot).zip(place(head)) else { continue };
        if up == Up::Nines && step.reached > plain {
            // The dashed end begins where the line ends.
            if tail.kept.is_empty() {
                tail.start(path.last());
            }
            tail.take(foot, foot_at);
            tail.take(head, head_at);
        } else {
            path.take(foot, foot_at);
            path.take(head, head_at);
        }
    }
    (path.done(), tail.done())
}

/// Corners of a line in the units of the axes.
type Corners = Vec<(f64, f64)>;

/// A line without the corners that are not seen.
#[derive(Default)]
struct Thinned {
    kept: Corners,
    /// Pixel of the last corner kept.
    at: (f64, f64),
    /// The last corner that was not kept.
    skipped: Option<((f64, f64), (f64, f64))>,
}

impl Thinned {
    fn take(&mut self, value: (f64, f64), at: (f64, f64)) {
        let near = (at.0 - self.at.0).hypot(at.1 - self.at.1) < SEEN;
        if near && !self.kept.is_empty() {
            self.skipped = Some((value, at));
            return;
        }
        // A long way from a corner that was not kept begins there, not before it.
        self.kept.extend(self.skipped.take().map(|(value, _)| value));
        self.kept.push(value);
        self.at = at;
    }

    fn last(&self) -> Option<((f64, f64), (f64, f64))> {
        self.skipped.or_else(|| Some((*self.kept.last()?, self.at)))
    }

    fn start(&mut self, from: Option<((f64, f64), (f64, f64))>) {
        if let Some((value, at)) = from {
            self.kept.push(value);
            self.at = at;
        }
    }

    fn done(mut self) -> Corners {
        self.kept.extend(self.skipped.map(|(value, _)| value));
        self.kept
    }
}

/// The percentile that is looked at as a level line, and the value that was asked for as an upright one.
fn guides(
    ask: &DistributionsAsk,
    (low, high): (f64, f64),
    up: Up,
    counted: bool,
    at: f64,
) -> Vec<Guide> {
    let mut guides = Vec::new();
    if !counted {
        let y = up.percentile(at, None);
        let text = if (at - 50.0).abs() < 1e-9 { "median".to_owned() } else { percent_name(at) };
        let text = if up == Up::Nines { String::new() } else { text };
        guides.push(Guide { from: (low, y), to: (high, y), text });
    }
    if let Some(value) = ask.value {
        let foot = if up == Up::Nines { 0.0 } else { up.percentile(0.0, None) };
        let head = if up == Up::Nines { 1.0 - 1e-9 } else { 1e12 };
        let unit = ask.metric().unit().symbol();
        let text = format!("{} {unit}", trimmed(value));
        guides.push(Guide { from: (value, foot), to: (value, head), text });
    }
    guides
}

/// The limits on the metric.
fn limits(context: &Context, metric: Metric) -> Vec<LimitLine> {
    let drawn = context.limits.iter().filter(|limit| {
        limit.metric.metric() == metric && !matches!(limit.metric, LimitMetric::Itl(_))
    });
    let line = |millis: f64| LimitLine {
        axis: Which::X,
        value: millis,
        label: format!("SLO {} ms", trimmed(millis)),
        fails: Side::Above,
    };
    drawn.filter_map(|limit| limit.constant().map(line)).collect()
}

/// The value at or under which each share of the samples lies, by run: the twin of the picture.
pub(super) fn table(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Table {
    const SHARES: [f64; 15] =
        [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.9, 100.0];
    let known: Vec<&&Drawn<'_>> = runs.iter().filter(|run| run.samples().is_some()).collect();
    if known.is_empty() {
        return printed_table(runs, ask);
    }
    let unit = ask.metric().unit().symbol();
    let mut head = vec![format!("Share of {} at or under", noun(runs))];
    head.extend(known.iter().map(|run| format!("{}, {unit}", run.name())));
    let most = known.iter().filter_map(|run| Some(run.samples()?.n)).max().unwrap_or(0);
    let told = |share: &f64| *share <= 99.0 || *share >= 100.0 || most >= 1_000;
    let rows = SHARES.into_iter().filter(told).map(|share| {
        let value = |run: &&&Drawn<'_>| {
            let step = run.samples().and_then(|samples| samples.at_share(share / 100.0));
            step.map_or_else(|| "—".to_owned(), |step| significant(step.value, 4))
        };
        let mut row = vec![format!("{} %", fixed(share, usize::from(share.fract() > 0.0)))];
        row.extend(known.iter().map(value));
        row
    });
    Table { head, rows: rows.collect() }
}

fn printed_table(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Table {
    let unit = ask.metric().unit().symbol();
    let mut head = vec!["As printed".to_owned()];
    head.extend(runs.iter().map(|run| format!("{}, {unit}", run.name())));
    let mut all: Vec<f64> = runs.iter().flat_map(|run| &run.printed).map(|p| p.0).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let rows = all.into_iter().map(|p| {
        let value = |run: &&Drawn<'_>| {
            run.mark(p).map_or_else(|| "—".to_owned(), |mark| significant(mark.value, 4))
        };
        std::iter::once(percent_name(p)).chain(runs.iter().map(value)).collect()
    });
    Table { head, rows: rows.collect() }
}
