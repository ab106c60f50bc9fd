//! A textbook queue beside each sweep, as a dashed line that was not measured.

use super::CurveAxes;
use super::chart::{style, y_title};
use super::points::Curve;
use crate::charts::spec::{Frame, Point, Series};
use crate::metrics::{Evaluation, MODEL_NOTE, Queue, QueueModel};
use crate::model::Run;
use crate::units::significant;

/// Points of a model's line.
const POINTS: u32 = 24;

/// The lines of a model with what must be said of them.
pub(super) struct Model {
    pub series: Vec<Series>,
    /// That it is a model, where its numbers come from, and why a sweep has none.
    pub notes: Vec<String>,
    pub summary: Vec<String>,
}

/// The model's parameters from the loads of a sweep.
pub(super) fn queue(curve: &Curve<'_>) -> Result<Queue, String> {
    let runs: Vec<(&Run, &Evaluation)> =
        curve.loads.iter().map(|l| (l.measured.run, &*l.measured.evaluation)).collect();
    Queue::of(&runs)
}

/// The chosen model over the measured loads and values of `series`: neither axis is stretched for it.
pub(super) fn model(
    curves: &[Curve<'_>],
    axes: CurveAxes,
    frame: Frame,
    series: &[Series],
) -> Option<Model> {
    let model = axes.model.filter(|_| axes.take_a_model())?;
    let top = series.iter().flat_map(|s| &s.points).map(|p| p.y).fold(0.0, f64::max);
    let mut found = Model { series: Vec::new(), notes: Vec::new(), summary: Vec::new() };
    let mut refused = Vec::new();
    for curve in curves.iter().filter(|c| c.loads.len() > 1) {
        match line(curve, axes, model, top) {
            Err(why) => refused.push(format!("{}: no {} model, {why}.", curve.name, model.name())),
            Ok((mut points, taken)) => {
                found.notes.push(format!("{}: {}", curve.name, taken.join(" ")));
                found.summary.push(format!(
                    "{}: {} model, not measured.",
                    curve.name,
                    model.name()
                ));
                let first = found.series.is_empty() && frame == Frame::Main;
                // At a line's end there is no room for so many words: they stand in the plot, at the last point.
                if let Some(last) = points.last_mut().filter(|_| first) {
                    last.label = Some(format!("{} model, not measured", model.name()));
                }
                found.series.push(Series {
                    name: format!("{}: {} model, not measured", curve.name, model.name()),
                    style: style(curve),
                    strong: true,
                    neutral: true,
                    line: true,
                    dashed: true,
                    bare: true,
                    points,
                    ..Series::default()
                });
            }
        }
    }
    if !found.series.is_empty() {
        found.notes.insert(0, format!("Dashed, {}: {MODEL_NOTE}", model.name()));
    }
    found.notes.extend(refused);
    Some(found)
}

fn line(
    curve: &Curve<'_>,
    axes: CurveAxes,
    model: QueueModel,
    top: f64,
) -> Result<(Vec<Point>, Vec<String>), String> {
    let queue = queue(curve)?;
    let rates = || curve.loads.iter().filter_map(|load| load.x(axes.x));
    let low = rates().fold(f64::INFINITY, f64::min);
    let high = rates().fold(f64::NEG_INFINITY, f64::max);
    if low >= high || !low.is_finite() || !high.is_finite() {
        return Err("its loads have no two rates".to_owned());
    }
    let at = |part: u32| low + (high - low) * f64::from(part) / f64::from(POINTS - 1);
    // The first answer gives the reason where there is none at all.
    queue.says(model, axes.y, axes.stat, low)?;
    let points: Vec<Point> = (0..POINTS)
        .map(|part| (part, at(part)))
        .filter_map(|(part, x)| {
            let y = queue.says(model, axes.y, axes.stat, x).ok().filter(|y| *y <= top)?;
            let unit = axes.y.unit().symbol();
            Some(Point {
                key: format!("model/{}/{part}", curve.style),
                x,
                y,
                tip: vec![
                    ("model".to_owned(), format!("{}, not measured", model.name())),
                    (y_title(axes), format!("{} {unit}", significant(y, 3))),
                    (axes.x.title(), format!("{} {}", significant(x, 3), axes.x.unit())),
                ],
                ..Point::default()
            })
        })
        .collect();
    if points.len() < 2 {
        return Err("its line lies above everything that was measured".to_owned());
    }
    Ok((points, queue.taken(model)))
}
