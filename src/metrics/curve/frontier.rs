//! The Pareto frontier: points that no other equals or beats on both axes while beating it on one.

use super::Axis;
use crate::metrics::difference::Direction;
use crate::metrics::measured::Value;

/// A point's place with both axes turned so that more is better; nothing where it has no place.
pub type Place = Option<(f64, f64)>;

/// The place of a point for the axes shown. What is known within bounds only has none.
///
/// A load has no good end of its own. Against a latency more of it is better: so much was borne. Against a
/// throughput less of it is: so little was needed.
pub fn place((x_axis, x): (Axis, &Value), (y_axis, y): (Axis, &Value)) -> Place {
    let against = |own: Axis, other: Axis| match (own.direction(), other.direction()) {
        (Some(Direction::Higher), _) | (None, Some(Direction::Lower) | None) => 1.0,
        (Some(Direction::Lower), _) | (None, Some(Direction::Higher)) => -1.0,
    };
    Some((
        x.exact_or_reported()? * against(x_axis, y_axis),
        y.exact_or_reported()? * against(y_axis, x_axis),
    ))
}

/// For each place, the one that beats it: on the frontier itself, and of several the one that is best
/// upward. Equal places beat each other in nothing, so all of them stay. `None` for the frontier, and
/// where there is no place.
pub fn beaten_by(places: &[Place]) -> Vec<Option<usize>> {
    let beats = |a: (f64, f64), b: (f64, f64)| a.0 >= b.0 && a.1 >= b.1 && (a.0 > b.0 || a.1 > b.1);
    let beaten = |at: (f64, f64)| places.iter().flatten().any(|other| beats(*other, at));
    places
        .iter()
        .map(|own| {
            let own = (*own)?;
            let over = places.iter().enumerate().filter_map(|(at, other)| {
                let other = (*other)?;
                (beats(other, own) && !beaten(other)).then_some((at, other.1))
            });
            // The first of equals.
            over.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(at, _)| at)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Metric, Stat};

    #[test]
    fn n1_equal_points_stay_and_a_beaten_one_names_its_better() {
        // (user, gpu) of hand.md N1.
        let places = [(10.0, 100.0), (5.0, 100.0), (10.0, 100.0), (20.0, 60.0)].map(Some);
        assert_eq!(beaten_by(&places), [None, Some(0), None, None]);
    }

    #[test]
    fn a_load_is_good_or_bad_by_what_stands_against_it() {
        let goodput = Axis::Metric(Metric::Goodput, Stat::Value);
        let ttft = Axis::Metric(Metric::Ttft, Stat::Mean);
        let by = |y_axis: Axis, points: [(f64, f64); 3]| {
            let places = points.map(|(x, y)| {
                place((Axis::RequestedRate, &Value::Exact(x)), (y_axis, &Value::Exact(y)))
            });
            beaten_by(&places)
        };
        // Past the peak more load gives less.
        assert_eq!(by(goodput, [(4.0, 3.7), (12.0, 8.9), (26.0, 0.7)]), [None, None, Some(1)]);
        assert_eq!(by(ttft, [(4.0, 90.0), (8.0, 80.0), (12.0, 140.0)]), [Some(1), None, None]);
    }

    #[test]
    fn what_has_no_place_beats_nothing_and_is_beaten_by_nothing() {
        assert_eq!(beaten_by(&[None, Some((1.0, 1.0)), Some((0.0, 0.0))]), [None, None, Some(1)]);
    }
}
