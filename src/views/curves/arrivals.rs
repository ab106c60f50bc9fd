//! Arrivals against completions of one run: two running totals whose distance is the number in flight.

use crate::charts::Spec;
use crate::charts::spec::{Axis, Band, Frame, Point, Series};
use crate::metrics::{self, Arrivals, Moment, Steadiness};
use crate::model::{Run, RunId};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::labels::Styles;
use crate::views::measure::measure;
use serde::{Deserialize, Serialize};

/// Whether one run had a steady state, with the picture of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArrivalsView {
    /// The run; missing when it is gone.
    pub id: Option<RunId>,
    /// The answer as a sentence.
    pub sentence: String,
    /// What it stands on: the stretch, the method.
    pub method: String,
    /// The two totals over time, where the file has send times.
    pub chart: Option<Spec>,
}

/// Builds the view of one run.
pub fn arrivals(all: &[&Run], context: &Context, id: &RunId) -> ArrivalsView {
    let Some(run) = all.iter().find(|run| &run.id == id) else { return ArrivalsView::default() };
    let style = Styles::of(all).get(id);
    let measured = measure(run, style, context, None);
    match metrics::arrivals(run, measured.excluded()) {
        Err(_) => ArrivalsView {
            id: Some(id.clone()),
            sentence: metrics::steady(run, measured.excluded()).sentence(),
            ..ArrivalsView::default()
        },
        Ok(found) => ArrivalsView {
            id: Some(id.clone()),
            sentence: found.steady.sentence(),
            method: method(&found),
            chart: Some(chart(&found, u8::try_from(style % 256).unwrap_or(0))),
        },
    }
}

/// The stretch and the method of the test, where there was one.
fn method(found: &Arrivals) -> String {
    let clock = if found.scheduled {
        "Arrivals are the times at which requests were due, so waiting in the client counts. "
    } else {
        ""
    };
    let left_out = match found.left_out {
        0 => String::new(),
        n => format!(" {} without a send time or an end are left out.", fixed(n as f64, 0)),
    };
    let test = if found.steady.slope.is_none() || found.steady.verdict == Steadiness::Closed {
        String::new()
    } else {
        format!(
            "Slope of the number in flight by least squares from {} to {} s, while requests were sent; 95 % \
             interval from ten batch means, widened for their correlation.",
            significant(found.tested.0, 2),
            significant(found.tested.1, 3)
        )
    };
    format!("{clock}{test}{left_out}").trim().to_owned()
}

fn chart(found: &Arrivals, style: u8) -> Spec {
    let last = found.moments.last().map_or(0.0, |m| m.secs);
    let line = |name: &str, of: fn(&Moment) -> usize| Series {
        name: name.to_owned(),
        style,
        strong: true,
        line: true,
        bare: true,
        points: found
            .moments
            .iter()
            .enumerate()
            .map(|(at, moment)| Point {
                key: format!("{name}/{at}"),
                x: moment.secs,
                y: of(moment) as f64,
                tip: tip(moment),
                ..Point::default()
            })
            .collect(),
        ..Series::default()
    };
    let requests = fixed(found.requests as f64, 0);
    Spec {
        title: match found.steady.verdict {
            Steadiness::Growing => "Arrivals outrun completions".to_owned(),
            Steadiness::Steady => "Completions keep up with arrivals".to_owned(),
            Steadiness::Closed | Steadiness::CannotTell => "Arrivals and completions".to_owned(),
        },
        stamp: "upper line: arrived · lower line: ended · between: in flight".to_owned(),
        summary: format!(
            "{requests} requests arrive within {} s and have ended after {} s; at most {} are in flight.",
            significant(found.tested.1, 3),
            significant(last, 3),
            fixed(found.peak as f64, 0)
        ),
        frame: Frame::Small,
        x: Axis::from_zero("time", "s"),
        y: Axis::from_zero("requests", ""),
        bands: vec![Band {
            style,
            text: Vec::new(),
            edges: found
                .moments
                .iter()
                .map(|m| (m.secs, m.ended as f64, m.arrived as f64))
                .collect(),
        }],
        series: vec![line("arrived", |m| m.arrived), line("ended", |m| m.ended)],
        ..Spec::default()
    }
}

fn tip(moment: &Moment) -> Vec<(String, String)> {
    let count = |n: usize| fixed(n as f64, 0);
    let in_flight = moment.arrived.saturating_sub(moment.ended);
    [
        ("time", format!("{} s", significant(moment.secs, 3))),
        ("arrived", count(moment.arrived)),
        ("ended", count(moment.ended)),
        ("in flight", count(in_flight)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}
