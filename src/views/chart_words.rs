//! A picture in words: its marks as a table, as CSV, and one at a time for readers who can't see it.

mod heat;
mod lanes;
mod plot;
mod rulers;

use super::curves::Table;
use crate::charts::Drawing;
use crate::charts::hit::Hit;
use crate::units::significant;
use std::borrow::Cow;

/// Marks that belong together: the points of a run, the rows of a waterfall, the events of a request, lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they are.
    pub name: String,
    /// Key of each mark and what a reader hears of it.
    pub marks: Vec<(String, String)>,
}

/// The card of one mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// What it is.
    pub name: String,
    /// Index into the palette of its run; nothing where it has none.
    pub style: Option<u8>,
    /// A name and a value each.
    pub lines: Vec<(String, String)>,
}

/// The marks of a picture as a table: its twin.
pub fn table(drawing: &Drawing) -> Table {
    match drawing {
        Drawing::Plot(spec) => plot::table(spec),
        Drawing::Waterfall(waterfall) => rulers::steps_table(waterfall),
        Drawing::Stream(stream) => rulers::events_table(stream),
        Drawing::Heat(map) => heat::table(map),
        Drawing::Lanes(all) => lanes::table(all),
    }
}

/// The marks of a picture as CSV with every digit. Lines that begin with `#` say what it is.
pub fn csv(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Plot(spec) => plot::csv(spec),
        Drawing::Waterfall(waterfall) => rulers::steps_csv(waterfall),
        Drawing::Stream(stream) => rulers::events_csv(stream),
        Drawing::Heat(map) => heat::csv(map),
        Drawing::Lanes(all) => lanes::csv(all),
    }
}

/// Every mark as a reader hears it.
pub fn groups(drawing: &Drawing) -> Vec<Group> {
    match drawing {
        Drawing::Plot(spec) => {
            let group = |series: &crate::charts::spec::Series| Group {
                name: series.name.clone(),
                marks: series
                    .points
                    .iter()
                    .map(|point| (point.key.clone(), plot::spoken(spec, series, point)))
                    .collect(),
            };
            spec.series.iter().map(group).collect()
        }
        Drawing::Waterfall(waterfall) => vec![rulers::steps_spoken(waterfall)],
        Drawing::Stream(stream) => vec![rulers::events_spoken(stream)],
        Drawing::Heat(map) => heat::spoken(map),
        Drawing::Lanes(all) => vec![lanes::spoken(all)],
    }
}

/// The card of the mark that was hit.
pub fn card(drawing: &Drawing, hit: Hit) -> Option<Card> {
    match drawing {
        Drawing::Plot(spec) => {
            let series = spec.series.get(hit.series)?;
            let lines = series.points.get(hit.point)?.tip.clone();
            // What is no run has no marker of a run.
            let style = (!series.neutral).then_some(series.style);
            Some(Card { name: series.name.clone(), style, lines })
        }
        Drawing::Waterfall(waterfall) => {
            let row = waterfall.rows.get(hit.point)?;
            Some(Card { name: row.title.clone(), style: None, lines: row.tip.clone() })
        }
        Drawing::Stream(stream) => {
            let event = stream.events.get(hit.point)?;
            let at = ("since send".to_owned(), format!("{} ms", significant(event.at, 4)));
            let lines = event.lines.iter().cloned().chain([at]).collect();
            Some(Card { name: event.name.clone(), style: None, lines })
        }
        Drawing::Heat(map) => {
            let cell = map.rows.get(hit.series)?.get(hit.point)?;
            let name = heat::named(map, hit.series, hit.point);
            Some(Card { name, style: None, lines: cell.tip.clone() })
        }
        Drawing::Lanes(all) => {
            let lane = all.lanes.get(hit.point)?;
            Some(Card { name: lane.name.clone(), style: None, lines: lane.lines.clone() })
        }
    }
}

/// What a file of the picture is called, without its ending: `ttft-p99-ms_by_achieved-request-rate-req-s`.
pub fn file_name(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Plot(spec) => {
            let axis = |axis: &crate::charts::spec::Axis| {
                let text = format!("{} {}", axis.title, axis.unit).to_lowercase();
                let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty());
                parts.collect::<Vec<_>>().join("-")
            };
            format!("{}_by_{}", axis(&spec.y), axis(&spec.x))
        }
        Drawing::Waterfall(_) => "steps-between-two-numbers".into(),
        Drawing::Stream(_) => "one-request-under-both-rulers".into(),
        Drawing::Heat(map) if map.diverging => "difference-over-two-limits".into(),
        Drawing::Heat(_) => "peak-over-two-limits".into(),
        Drawing::Lanes(_) => "requests-over-time".into(),
    }
}

/// A line of CSV.
pub(in crate::views) fn row(cells: &[&str]) -> String {
    let quoted: Vec<String> = cells
        .iter()
        .map(|cell| {
            let cell = inert(cell);
            if cell.contains([',', '"', '\n']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.into_owned()
            }
        })
        .collect();
    quoted.join(",")
}

/// A cell that no spreadsheet takes for a formula: a name out of a file may begin like one.
pub fn inert(cell: &str) -> Cow<'_, str> {
    let formula =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// Title, stamp and notes as comment lines of CSV.
fn head(title: &str, stamp: &str, notes: &[String]) -> Vec<String> {
    let said = [title, stamp].into_iter().chain(notes.iter().map(String::as_str));
    said.map(|line| format!("# {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::spec::{Axis, Series, Spec};

    #[test]
    fn a_file_is_called_after_what_goes_up_and_what_goes_right() {
        let axis = |title: &str, unit: &str| Axis {
            title: title.into(),
            unit: unit.into(),
            ..Axis::default()
        };
        let spec = Spec {
            x: axis("achieved request rate", "req/s"),
            y: axis("TTFT p99", "ms"),
            series: vec![Series::default()],
            ..Spec::default()
        };
        let name = file_name(&Drawing::Plot(spec));
        assert_eq!(name, "ttft-p99-ms_by_achieved-request-rate-req-s");
    }
}
