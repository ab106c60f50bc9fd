//! A plot in words: its points as a table, as CSV, and one at a time.

use super::row;
use crate::charts::Spec;
use crate::charts::spec::{Axis, Flag, Point, Scaling, Series};
use crate::units::significant;
use crate::views::curves::Table;

/// The points of a chart as a table: the twin of a picture.
pub(super) fn table(spec: &Spec) -> Table {
    let (low, high) = ("low".to_owned(), "high".to_owned());
    let intervals = points(spec).any(|(_, p)| interval(p) != (None, None));
    let mut head = vec!["Run".to_owned(), titled(&spec.x), titled(&spec.y)];
    if intervals {
        head.extend([low, high]);
    }
    let number = |value: Option<f64>| value.map_or("—".to_owned(), |v| significant(v, 4));
    let rows = points(spec).map(|(series, point)| {
        let place = |axis: &Axis, value: f64| match axis.scale {
            Scaling::Nines => axis.said(value),
            _ => significant(value, 4),
        };
        let mut row = vec![series.name.clone(), place(&spec.x, point.x), place(&spec.y, point.y)];
        if intervals {
            let (low, high) = interval(point);
            row.extend([number(low), number(high)]);
        }
        row
    });
    Table { head, rows: rows.collect() }
}

/// The points of a chart as CSV with every digit. Lines that begin with `#` say what it is.
pub(super) fn csv(spec: &Spec) -> String {
    let mut lines = vec![format!("# {}", spec.title), format!("# {}", spec.stamp)];
    lines.extend(spec.notes.iter().map(|note| format!("# {note}")));
    lines.push(row(&["run", &titled(&spec.x), &titled(&spec.y), "low", "high", "flags"]));
    let end = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    lines.extend(points(spec).map(|(series, point)| {
        let flags = flags(point).join("; ");
        let (x, y) = (point.x.to_string(), point.y.to_string());
        let (low, high) = interval(point);
        row(&[&series.name, &x, &y, &end(low), &end(high), &flags])
    }));
    lines.push(String::new());
    lines.join("\n")
}

/// One point as a reader hears it: run, load, value, interval, what makes it stand out.
pub(super) fn spoken(spec: &Spec, series: &Series, point: &Point) -> String {
    let value = |axis: &Axis, value: f64| {
        format!("{} {} {}", axis.title, axis.said(value), axis.unit).trim_end().to_owned()
    };
    let mut parts = vec![series.name.clone(), value(&spec.x, point.x), value(&spec.y, point.y)];
    if let (Some(low), Some(high)) = interval(point) {
        parts.push(format!("interval {} to {}", significant(low, 3), significant(high, 3)));
    }
    if point.hollow {
        parts.push("weak support".into());
    }
    parts.extend(flags(point));
    parts.join(", ")
}

/// The interval of a point, of whichever of the two values.
fn interval(point: &Point) -> (Option<f64>, Option<f64>) {
    point.across.map_or((point.low, point.high), |(low, high)| (Some(low), Some(high)))
}

fn flags(point: &Point) -> Vec<String> {
    let flag = point.flag.as_ref();
    let peak = flag.and_then(Flag::peak).map(|text| format!("goodput peak {text}"));
    let knee = flag.is_some_and(Flag::knee).then(|| "knee".to_owned());
    let rising = point.rising.then(|| "no steady state".to_owned());
    peak.into_iter().chain(knee).chain(rising).collect()
}

fn points(spec: &Spec) -> impl Iterator<Item = (&Series, &Point)> {
    spec.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)))
}

/// "TTFT p99, ms".
fn titled(axis: &Axis) -> String {
    if axis.unit.is_empty() { axis.title.clone() } else { format!("{}, {}", axis.title, axis.unit) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::spec::Flag;

    fn chart() -> Spec {
        let axis = |title: &str, unit: &str| Axis {
            title: title.into(),
            unit: unit.into(),
            ..Axis::default()
        };
        Spec {
            title: "It breaks at 12".into(),
            stamp: "TTFT p99 · linear".into(),
            x: axis("achieved request rate", "req/s"),
            y: axis("TTFT p99", "ms"),
            series: vec![Series {
                name: "vLLM, \"fast\"".into(),
                points: vec![
                    Point { x: 4.0, y: 120.25, ..Point::default() },
                    Point {
                        x: 10.9,
                        y: 362.5,
                        low: Some(301.0),
                        high: Some(400.5),
                        hollow: true,
                        rising: true,
                        flag: Some(Flag::PeakAndKnee { text: "8.86".into() }),
                        ..Point::default()
                    },
                ],
                ..Series::default()
            }],
            ..Spec::default()
        }
    }

    #[test]
    fn the_table_has_a_row_a_point_and_dashes_for_what_is_missing() {
        let table = table(&chart());
        assert_eq!(
            table.head,
            ["Run", "achieved request rate, req/s", "TTFT p99, ms", "low", "high"]
        );
        assert_eq!(table.rows.len(), 2);
        assert!(table.rows[0].ends_with(&["—".into(), "—".into()]), "{:?}", table.rows);
        assert_eq!(table.rows[1][2], "362.5");
    }

    #[test]
    fn csv_keeps_every_digit_and_quotes_names() {
        let csv = csv(&chart());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[..2], ["# It breaks at 12", "# TTFT p99 · linear"]);
        assert_eq!(
            lines[2],
            "run,\"achieved request rate, req/s\",\"TTFT p99, ms\",low,high,flags"
        );
        assert_eq!(lines[3], "\"vLLM, \"\"fast\"\"\",4,120.25,,,");
        assert!(
            lines[4].ends_with("362.5,301,400.5,goodput peak 8.86; knee; no steady state"),
            "{}",
            lines[4]
        );
    }

    #[test]
    fn a_point_is_spoken_with_units_interval_and_flags() {
        let spec = chart();
        let said = spoken(&spec, &spec.series[0], &spec.series[0].points[1]);
        assert!(said.contains("achieved request rate 10.9 req/s, TTFT p99 36"), "{said}");
        assert!(said.contains("interval 301 to 4"), "{said}");
        assert!(said.ends_with("weak support, goodput peak 8.86, knee, no steady state"), "{said}");
    }
}
