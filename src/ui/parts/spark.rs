//! A sweep's throughput and goodput as two small lines.

use crate::views::library::SparkPoint;
use leptos::prelude::*;
use std::fmt::Write as _;

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 30.0;
const EDGE: f64 = 3.0;

fn place(x: f64, y: f64) -> (f64, f64) {
    (EDGE + x * (WIDTH - 2.0 * EDGE), HEIGHT - EDGE - y * (HEIGHT - 2.0 * EDGE))
}

fn path(points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let (x, y) = place(x, y);
        // Writing to a String does not fail.
        let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
    }
    d
}

/// The line of a sweep; nothing for fewer than two loads.
#[component]
pub fn Spark(
    /// The loads.
    points: Vec<SparkPoint>,
    /// Palette index of the sweep.
    style: usize,
) -> impl IntoView {
    (points.len() > 1).then(|| {
        let colour = format!("var(--s{})", style % 8 + 1);
        let throughput: Vec<_> = points.iter().map(|p| (p.x, p.throughput)).collect();
        let goodput: Vec<_> = points.iter().filter_map(|p| Some((p.x, p.goodput?))).collect();
        let (words, dots) = if goodput.is_empty() {
            ("Throughput by load", &throughput)
        } else {
            ("Throughput, grey, and goodput, coloured, by load", &goodput)
        };
        let dots = dots
            .iter()
            .map(|&(x, y)| {
                let (x, y) = place(x, y);
                view! { <circle cx=x cy=y r="2" fill=colour.clone()/> }
            })
            .collect_view();
        let grey = if goodput.is_empty() { colour.clone() } else { "var(--axis)".to_owned() };
        view! {
            <svg class="spark" viewBox="0 0 120 30" role="img" aria-label=words>
                <title>{words}</title>
                <path d=path(&throughput) stroke=grey/>
                <path d=path(&goodput) stroke=colour/>
                {dots}
            </svg>
        }
    })
}
