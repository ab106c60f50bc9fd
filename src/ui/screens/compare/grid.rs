//! Where the arrow keys lead in the table.

/// A place in the grid: row 0 holds the heads, column 0 the metrics.
pub(super) type At = (usize, usize);

/// The place a key leads to, inside `rows` by `columns`; nothing for other keys.
pub(super) fn step(key: &str, (row, column): At, rows: usize, columns: usize) -> Option<At> {
    let (last_row, last_column) = (rows.saturating_sub(1), columns.saturating_sub(1));
    Some(match key {
        "ArrowRight" => (row, (column + 1).min(last_column)),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowDown" => ((row + 1).min(last_row), column),
        "ArrowUp" => (row.saturating_sub(1), column),
        "Home" => (row, 0),
        "End" => (row, last_column),
        "PageUp" => (0, column),
        "PageDown" => (last_row, column),
        _ => return None,
    })
}

/// The id of a cell's element.
pub(super) fn cell_id((row, column): At) -> String {
    format!("cell-{row}-{column}")
}
