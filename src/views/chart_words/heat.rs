//! A map in words: a table of its rows, a line a cell as CSV, and one cell at a time.

use super::{Group, head, row};
use crate::charts::Heat;
use crate::views::curves::Table;

/// "TTFT limit, ms 250 · TPOT limit, ms 18".
pub(super) fn named(map: &Heat, at_row: usize, at_column: usize) -> String {
    let place = |title: &str, places: &[String], at: usize| {
        format!("{title} {}", places.get(at).map_or("", String::as_str))
    };
    format!("{} · {}", place(&map.x_title, &map.x, at_column), place(&map.y_title, &map.y, at_row))
}

pub(super) fn table(map: &Heat) -> Table {
    let corner = format!("{} ↓ · {} →", map.y_title, map.x_title);
    let line = |(place, cells): (&String, &Vec<crate::charts::HeatCell>)| {
        let cells =
            cells.iter().map(|cell| format!("{} {}", cell.text, cell.under).trim_end().to_owned());
        std::iter::once(place.clone()).chain(cells).collect()
    };
    Table {
        head: std::iter::once(corner).chain(map.x.iter().cloned()).collect(),
        rows: map.y.iter().zip(&map.rows).map(line).collect(),
    }
}

pub(super) fn csv(map: &Heat) -> String {
    let mut lines = head(&map.title, &map.stamp, &map.notes);
    lines.push(row(&[&map.x_title, &map.y_title, &map.unit, "shown"]));
    for (y, cells) in map.y.iter().zip(&map.rows) {
        for (x, cell) in map.x.iter().zip(cells) {
            let value = cell.value.map(|value| value.to_string()).unwrap_or_default();
            let shown = format!("{} {}", cell.text, cell.under);
            lines.push(row(&[x, y, &value, shown.trim_end()]));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

pub(super) fn spoken(map: &Heat) -> Vec<Group> {
    let rows = map.y.iter().zip(&map.rows);
    let group = |(y, cells): (&String, &Vec<crate::charts::HeatCell>)| Group {
        name: format!("{} {y}", map.y_title),
        marks: map
            .x
            .iter()
            .zip(cells)
            .map(|(x, cell)| {
                let mut parts = vec![format!("{} {x}", map.x_title)];
                parts.extend(cell.tip.iter().map(|(name, value)| format!("{name} {value}")));
                if cell.chosen {
                    parts.push("the limits that are set".to_owned());
                }
                (cell.key.clone(), parts.join(", "))
            })
            .collect(),
    };
    rows.map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::HeatCell;

    fn map() -> Heat {
        let cell = |key: &str, value: f64, chosen| HeatCell {
            key: key.into(),
            text: format!("{value:.1}"),
            under: "@12".into(),
            value: Some(value),
            step: Some(0),
            chosen,
            tip: vec![("peak goodput".into(), format!("{value} req/s at 12 req/s"))],
        };
        Heat {
            title: "Looser limits gain 13 %".into(),
            x_title: "TTFT limit, ms".into(),
            y_title: "TPOT limit, ms".into(),
            unit: "req/s".into(),
            x: vec!["200".into(), "250".into()],
            y: vec!["18".into()],
            rows: vec![vec![cell("a", 8.125, false), cell("b", 8.875, true)]],
            ..Heat::default()
        }
    }

    #[test]
    fn a_map_is_a_table_a_list_and_words() {
        let table = table(&map());
        assert_eq!(table.head, ["TPOT limit, ms ↓ · TTFT limit, ms →", "200", "250"]);
        assert_eq!(table.rows, [["18", "8.1 @12", "8.9 @12"]]);
        let csv = csv(&map());
        assert!(csv.contains("\"TTFT limit, ms\",\"TPOT limit, ms\",req/s,shown\n"), "{csv}");
        assert!(csv.contains("\n250,18,8.875,8.9 @12\n"), "every digit: {csv}");
        let said = &spoken(&map())[0];
        assert_eq!(said.name, "TPOT limit, ms 18");
        assert_eq!(
            said.marks[1].1,
            "TTFT limit, ms 250, peak goodput 8.875 req/s at 12 req/s, the limits that are set"
        );
        assert_eq!(named(&map(), 0, 1), "TTFT limit, ms 250 · TPOT limit, ms 18");
    }
}
