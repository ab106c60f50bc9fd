//! The runs over time, as chart specs: requests in flight, and output on the same clock.

use super::{Shown, secs};
use crate::charts::Spec;
use crate::charts::spec::{Axis, Frame, Point, Series, Stretch};
use crate::metrics::settings::Window;
use crate::metrics::{Counted, Timeline};
use crate::units::{Seconds, fixed, significant};
use crate::views::curves::Table;

/// Room for the numbers of both charts, in pixels, so that one clock stands under the other.
const GUTTER: f64 = 56.0;
/// The table beside the picture has about this many rows a run.
const ROWS: usize = 20;

/// Requests in flight.
pub(super) fn flight(runs: &[Shown<'_>], length: f64) -> Spec {
    let lines = lines(runs).map(|(shown, line)| (shown, line, line.in_flight.clone()));
    let title = match runs {
        [one] => one.timeline.as_ref().map_or_else(
            |_| "Requests in flight".to_owned(),
            |line| format!("At most {} requests in flight", fixed(line.peak, 0)),
        ),
        _ => "Requests in flight".to_owned(),
    };
    let summary = summary(runs, |line| format!("at most {} in flight", fixed(line.peak, 0)));
    Spec {
        title,
        stamp: "from each send to its end".to_owned(),
        summary,
        series: lines.map(|(shown, line, steps)| series(shown, line, steps, "in flight")).collect(),
        ..bare(runs, length, "in flight", "requests")
    }
}

/// Output over time; nothing where no run has times of stream events.
pub(super) fn output(runs: &[Shown<'_>], length: f64) -> Option<Spec> {
    let known: Vec<_> = lines(runs)
        .filter_map(|(shown, line)| Some((shown, line, line.output.as_ref().ok()?)))
        .collect();
    let first = known.first()?.2;
    let events = known.iter().any(|(_, _, output)| output.counted == Counted::Events);
    let unit = if events { "events/s" } else { "tok/s" };
    let mut notes = Vec::new();
    if known.iter().any(|(_, _, output)| output.counted == Counted::SharedTokens) {
        notes.push(
            "Tokens are shared evenly by the events of their reply: the file does not say how many \
             came in each."
                .to_owned(),
        );
    }
    if events {
        notes.push("Stream events, not tokens: some replies have no count of tokens.".to_owned());
    }
    let steps = |output: &crate::metrics::Output| -> Vec<(Seconds, f64)> {
        let width = output.width.as_secs();
        let bars = output.per_second.iter().enumerate();
        let mut steps: Vec<(Seconds, f64)> =
            bars.map(|(bin, rate)| (Seconds::from_secs(bin as f64 * width), *rate)).collect();
        steps.push((Seconds::from_secs(output.per_second.len() as f64 * width), 0.0));
        steps
    };
    let most = |line: &Timeline| {
        let rates = line.output.as_ref().map_or(&[][..], |output| &output.per_second);
        let most = rates.iter().copied().fold(0.0, f64::max);
        format!("at most {} {unit} in a bin", significant(most, 3))
    };
    Some(Spec {
        title: if events { "Stream events".to_owned() } else { "Output".to_owned() },
        stamp: format!("bins of {} s", secs(first.width.as_secs())),
        summary: summary(runs, most),
        notes,
        series: known
            .iter()
            .map(|(shown, line, output)| series(shown, line, steps(output), "output"))
            .collect(),
        ..bare(runs, length, "output", unit)
    })
}

/// The runs that have a timeline, with it.
fn lines<'r, 'a>(runs: &'r [Shown<'a>]) -> impl Iterator<Item = (&'r Shown<'a>, &'r Timeline)> {
    runs.iter().filter_map(|shown| Some((shown, shown.timeline.as_ref().ok()?)))
}

fn bare(runs: &[Shown<'_>], length: f64, title: &str, unit: &str) -> Spec {
    let axis = |title: &str, unit: &str| Axis {
        title: title.to_owned(),
        unit: unit.to_owned(),
        ..Axis::default()
    };
    let shaded = runs.first().filter(|shown| shown.windowed.window != Window::Whole);
    Spec {
        frame: Frame::Small,
        x: Axis { domain: Some((0.0, length)), ..axis("after the first send", "s") },
        y: axis(title, unit),
        gutter: GUTTER,
        stretches: shaded
            .and_then(Shown::between)
            .map(|(from, to)| Stretch { from: from.max(0.0), to: to.min(length) })
            .into_iter()
            .collect(),
        ..Spec::default()
    }
}

fn series(shown: &Shown<'_>, line: &Timeline, steps: Vec<(Seconds, f64)>, what: &str) -> Series {
    let points = steps.into_iter().enumerate().map(|(at, (time, value))| Point {
        key: format!("{}-{at}", shown.run.id.as_str()),
        x: time.as_secs().min(line.length.as_secs()),
        y: value,
        tip: vec![(what.to_owned(), significant(value, 3))],
        ..Point::default()
    });
    Series {
        name: shown.name.clone(),
        style: u8::try_from(shown.style % 256).unwrap_or_default(),
        strong: true,
        step: true,
        bare: true,
        points: points.collect(),
        ..Series::default()
    }
}

fn summary(runs: &[Shown<'_>], most: impl Fn(&Timeline) -> String) -> String {
    let each = lines(runs).map(|(shown, line)| {
        format!("{}: {} over {} s.", shown.name, most(line), secs(line.length.as_secs()))
    });
    each.collect::<Vec<_>>().join(" ")
}

/// Both pictures as a table: some moments of each run.
pub(super) fn table(runs: &[Shown<'_>], length: f64) -> Table {
    let head = ["Run", "s after the first send", "in flight", "output a second"];
    let mut rows = Vec::new();
    for (shown, line) in lines(runs) {
        for moment in 0..=ROWS {
            let time = length * moment as f64 / ROWS as f64;
            if time > line.length.as_secs() {
                break;
            }
            let before = line.in_flight.iter().take_while(|step| step.0.as_secs() <= time);
            let flight = before.last().map_or(0.0, |step| step.1);
            let output = line.output.as_ref().ok().and_then(|output| {
                output.per_second.get((time / output.width.as_secs()).floor() as usize)
            });
            rows.push(vec![
                shown.name.clone(),
                secs(time),
                fixed(flight, 0),
                output.map_or_else(|| "—".to_owned(), |rate| significant(*rate, 3)),
            ]);
        }
    }
    Table { head: head.map(str::to_owned).to_vec(), rows }
}
