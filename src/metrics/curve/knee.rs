//! The knee: where a curve bends most, by a rule that is written out.

use super::CurvePoint;
use crate::units::fixed;
use serde::{Deserialize, Serialize};

/// Where the curve bends most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// The point.
    pub index: usize,
    /// How it was found.
    pub rule: String,
}

/// How a knee is found.
const RULE: &str =
    "farthest from the chord on logarithmic axes, and the same when any one other load is left out";

/// Fewer loads show no knee.
const LOADS: usize = 5;
/// A knee stands at least this far off the chord, as a share of the chart's side.
const DEPTH: f64 = 0.1;

/// The point farthest from the chord of the curve, on logarithmic axes; only with enough loads, well
/// off the chord, and the same when any one other load is left out.
///
/// # Errors
/// Why there is no clear knee, as a clause.
pub(super) fn knee(points: &[CurvePoint]) -> Result<Knee, String> {
    let mut places: Vec<(usize, f64, f64)> = points
        .iter()
        .enumerate()
        .filter_map(|(at, p)| {
            let (x, y) = (p.x.exact_or_reported()?, p.y.exact_or_reported()?);
            (x > 0.0 && y > 0.0).then(|| (at, x.ln(), y.ln()))
        })
        .collect();
    if places.len() < LOADS {
        return Err(format!(
            "{} a value above zero on both axes, and it takes {LOADS}",
            match places.len() {
                0 => "no load has".to_owned(),
                1 => "one load has".to_owned(),
                n => format!("{} loads have", fixed(n as f64, 0)),
            }
        ));
    }
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some((index, depth)) = farthest(&places) else {
        return Err("all loads lie at one place".into());
    };
    if depth < DEPTH {
        return Err(format!(
            "no load lies more than {} % of the height off the chord",
            fixed(DEPTH * 100.0, 0)
        ));
    }
    let stable =
        (0..places.len()).filter(|out| places.get(*out).is_some_and(|p| p.0 != index)).all(|out| {
            let mut rest = places.clone();
            rest.remove(out);
            farthest(&rest).is_some_and(|(again, _)| again == index)
        });
    if stable {
        Ok(Knee { index, rule: RULE.into() })
    } else {
        Err("another load bends most when one is left out".into())
    }
}

/// The place farthest from the line between the first and the last, and how far as a share of the sides.
fn farthest(places: &[(usize, f64, f64)]) -> Option<(usize, f64)> {
    let ((_, x0, y0), (_, x1, y1)) = (*places.first()?, *places.last()?);
    let low = places.iter().map(|p| p.2).fold(f64::INFINITY, f64::min);
    let high = places.iter().map(|p| p.2).fold(f64::NEG_INFINITY, f64::max);
    let (width, height) = (x1 - x0, high - low);
    if width <= 0.0 || height <= 0.0 {
        return None;
    }
    places
        .iter()
        .map(|(at, x, y)| {
            let chord = y0 + (y1 - y0) * (x - x0) / width;
            (*at, (y - chord).abs() / height)
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
}
