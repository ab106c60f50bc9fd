//! What a change of definitions did to the comparison: which values moved, and what they were.

use super::compare::{Cell, CellValue, CompareView, Reading, Row};
use crate::model::{Metric, RunId};
use std::collections::BTreeMap;

/// The shown values that differ between two answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The value before, by metric and run.
    pub was: BTreeMap<(Metric, RunId), String>,
    /// Number of values compared.
    pub of: usize,
}

impl Changes {
    /// Compares the values of metrics and runs that stand in both answers.
    pub fn between(before: &CompareView, after: &CompareView) -> Self {
        let old: BTreeMap<_, _> = values(before).collect();
        let mut changes = Self::default();
        for (at, new) in values(after) {
            if let Some(was) = old.get(&at) {
                changes.of += 1;
                if *was != new {
                    changes.was.insert(at, shown(was).to_owned());
                }
            }
        }
        changes
    }

    /// "5 of 30 values changed".
    pub fn sentence(&self) -> String {
        format!("{} of {} values changed", self.was.len(), self.of)
    }

    /// The value before of a cell that changed.
    pub fn was(&self, metric: Metric, run: &RunId) -> Option<&String> {
        self.was.get(&(metric, run.clone()))
    }
}

type At = (Metric, RunId);

fn values(view: &CompareView) -> impl Iterator<Item = (At, &CellValue)> {
    view.groups.iter().flat_map(|group| &group.rows).flat_map(|row| {
        let cells = view.columns.iter().zip(&row.cells);
        cells.map(|(column, cell)| ((row.metric, column.id.clone()), &cell.value))
    })
}

/// The text of a value; a dash for a missing one.
pub fn shown(value: &CellValue) -> &str {
    match value {
        CellValue::Plain { text, .. }
        | CellValue::Bound { text, .. }
        | CellValue::Reported { text, .. } => text,
        CellValue::Missing { .. } => "—",
    }
}

/// Says whether a row shows no clear difference anywhere, so that "Hide equal" may hide it.
pub fn equal(row: &Row) -> bool {
    let unclear =
        |cell: &Cell| cell.difference.as_ref().is_some_and(|d| d.reading == Reading::NotClear);
    // The baseline has no difference to itself; a row without any comparison is not equal.
    let Some((baseline, others)) = row.cells.split_first() else { return false };
    let same =
        |cell: &Cell| cell.no_difference.is_none() && shown(&cell.value) == shown(&baseline.value);
    !row.highlighted && !others.is_empty() && others.iter().all(|c| unclear(c) || same(c))
}

#[cfg(test)]
mod tests {
    use super::super::compare::{CellDifference, ColumnHead, RowGroup};
    use super::*;

    fn plain(text: &str, reading: Option<Reading>) -> Cell {
        Cell {
            value: CellValue::Plain {
                text: text.into(),
                full: text.into(),
                weak: false,
                extreme: false,
            },
            difference: reading.map(|reading| CellDifference {
                text: "+1 %".into(),
                reading,
                bar: None,
                interval: None,
            }),
            no_difference: None,
            reported: None,
            own_words: None,
            support: None,
            card: Vec::new(),
        }
    }

    fn row(cells: Vec<Cell>) -> Row {
        Row {
            metric: Metric::Itl,
            name: "ITL".into(),
            stamp: String::new(),
            definition: String::new(),
            cells,
            highlighted: false,
        }
    }

    fn view(texts: [&str; 2]) -> CompareView {
        let column = |id: &str| ColumnHead {
            id: RunId::parse(id).unwrap(),
            style: 0,
            name: String::new(),
            sub: String::new(),
            reproduced: String::new(),
            reproduced_all: true,
            baseline: false,
            scripted: false,
        };
        CompareView {
            columns: vec![column("07b8da36c52a"), column("3fa9c1d2e4b0")],
            groups: vec![RowGroup {
                id: "user".into(),
                title: String::new(),
                hint: String::new(),
                rows: vec![row(texts.map(|t| plain(t, None)).into())],
            }],
            ..CompareView::default()
        }
    }

    #[test]
    fn only_values_that_moved_are_counted_and_remembered() {
        let (before, after) = (view(["29.6", "13.5"]), view(["13.5", "13.5"]));
        let changes = Changes::between(&before, &after);
        assert_eq!(changes.sentence(), "1 of 2 values changed");
        let [first, second] = after.columns.as_slice() else { panic!("two columns") };
        assert_eq!(changes.was(Metric::Itl, &first.id).map(String::as_str), Some("29.6"));
        assert_eq!(changes.was(Metric::Itl, &second.id), None);
    }

    #[test]
    fn a_run_that_is_new_is_no_change() {
        let mut before = view(["29.6", "13.5"]);
        before.columns.pop();
        before.groups[0].rows[0].cells.pop();
        let changes = Changes::between(&before, &view(["29.6", "14.0"]));
        assert_eq!(changes.sentence(), "0 of 1 values changed");
    }

    #[test]
    fn equal_rows_show_no_clear_difference() {
        let unclear = plain("30", Some(Reading::NotClear));
        assert!(equal(&row(vec![plain("29", None), unclear.clone()])));
        assert!(equal(&row(vec![plain("29", None), plain("29", None)])));
        assert!(!equal(&row(vec![plain("29", None), unclear, plain("9", Some(Reading::Better))])));
        assert!(!equal(&row(vec![plain("29", None)])));
        let mut uncompared = plain("29", None);
        uncompared.no_difference = Some("lengths differ".into());
        assert!(!equal(&row(vec![plain("29", None), uncompared])));
    }
}
