//! Thins lines of many points to what a screen can show: first, lowest, highest and last of each
//! pixel column, so no spike is lost.

use super::spec::{Point, Spec};

/// Lines of fewer points are left alone.
const MANY: usize = 2_000;

/// Thins every long line of a spec for a chart `columns` pixels wide.
pub fn thin(spec: &mut Spec, columns: u32) {
    for series in spec.series.iter_mut().filter(|s| s.points.len() > MANY) {
        let ends = spec.x.domain.unwrap_or_else(|| {
            let x = || series.points.iter().map(|p| p.x).filter(|x| x.is_finite());
            (x().fold(f64::INFINITY, f64::min), x().fold(f64::NEG_INFINITY, f64::max))
        });
        let log = spec.x.scale.is_log();
        let warp = |v: f64| if log { v.max(f64::MIN_POSITIVE).log10() } else { v };
        let (low, high) = (warp(ends.0), warp(ends.1));
        let column = |p: &Point| {
            ((warp(p.x) - low) / (high - low) * f64::from(columns)).floor().clamp(-1.0, 1e6) as i64
        };
        series.points = columns_of(std::mem::take(&mut series.points), column);
    }
}

/// Keeps up to four points of each run of points that fall into one column, in their order.
fn columns_of(points: Vec<Point>, column: impl Fn(&Point) -> i64) -> Vec<Point> {
    let keep: Vec<bool> = {
        let mut keep = vec![false; points.len()];
        let mut start = 0;
        for run in points.chunk_by(|a, b| column(a) == column(b)) {
            let indexed = || run.iter().enumerate().filter(|(_, p)| p.y.is_finite());
            let lowest = indexed().min_by(|a, b| a.1.y.total_cmp(&b.1.y)).map(|(i, _)| i);
            let highest = indexed().max_by(|a, b| a.1.y.total_cmp(&b.1.y)).map(|(i, _)| i);
            for i in [Some(0), lowest, highest, Some(run.len() - 1)].into_iter().flatten() {
                if let Some(slot) = keep.get_mut(start + i) {
                    *slot = true;
                }
            }
            start += run.len();
        }
        keep
    };
    points.into_iter().zip(keep).filter_map(|(p, keep)| keep.then_some(p)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::spec::Series;

    fn spec(count: u32) -> Spec {
        let y = |i: u32| if i == 5_003 { 99.0 } else { f64::from(i % 7) };
        let point = |i| Point { x: f64::from(i), y: y(i), ..Point::default() };
        let series = Series { points: (0..count).map(point).collect(), ..Series::default() };
        Spec { series: vec![series], ..Spec::default() }
    }

    #[test]
    fn a_spike_and_both_ends_survive() {
        let mut long = spec(100_000);
        thin(&mut long, 600);
        let points = &long.series[0].points;
        assert!(points.len() <= 4 * 602, "{}", points.len());
        assert!(points.iter().any(|p| p.y > 98.0));
        assert!(points.windows(2).all(|w| w[0].x < w[1].x));
        assert!(points[0].x.abs() < 1e-9 && (points.last().unwrap().x - 99_999.0).abs() < 1e-9);
    }

    #[test]
    fn short_lines_stay_whole() {
        let mut short = spec(1_000);
        let before = short.clone();
        thin(&mut short, 100);
        assert_eq!(short, before);
    }
}
