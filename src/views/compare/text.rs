//! The comparison as text: Markdown for an issue tracker, plain sentences for a chat.

use super::{Cell, CellValue, CompareView};
use crate::views::Context;
use crate::views::compare::finding::stat_word;
use crate::views::context::Ruler;
use std::fmt::Write as _;

/// The table as Markdown with its definitions and what was left out of it.
pub(super) fn markdown(view: &CompareView, context: &Context, left_out: Option<&str>) -> String {
    let mut lines = vec![format!("**{}**", escape(&view.headline)), String::new()];
    let head: Vec<String> = view.columns.iter().map(|c| escape(&c.name)).collect();
    lines.push(format!("| {} | {} |", stat_word(context.stat), head.join(" | ")));
    lines.push(format!("|---|{}", "---:|".repeat(head.len())));
    for row in view.groups.iter().flat_map(|group| &group.rows) {
        let cells: Vec<String> = row.cells.iter().map(cell).collect();
        lines.push(format!("| {} ({}) | {} |", row.name, escape(&row.stamp), cells.join(" | ")));
    }
    lines.push(String::new());
    lines.push(format!("Definitions: {}. Recomputed by Same Ruler.", ruler(context)));
    lines.extend(left_out.map(escape));
    lines.join("\n")
}

/// The finding in a few lines.
pub(super) fn chat(view: &CompareView, context: &Context, left_out: Option<&str>) -> String {
    let mut lines = vec![view.headline.clone(), view.detail.clone()];
    for row in view.groups.iter().flat_map(|group| &group.rows).filter(|row| row.highlighted) {
        for (column, one) in view.columns.iter().zip(&row.cells) {
            let reported =
                one.reported.as_ref().map(|r| format!(", printed {}", r.text)).unwrap_or_default();
            lines.push(format!("{}: {} {}{reported}", column.name, row.name, value(one)));
        }
        lines.push(format!("{}: {}", row.name, row.stamp));
    }
    lines.push(format!("Definitions: {}.", ruler(context)));
    lines.extend(left_out.map(str::to_owned));
    lines.join("\n")
}

fn ruler(context: &Context) -> String {
    match &context.ruler {
        Ruler::Own => "each tool’s own".to_owned(),
        Ruler::Same { preset, changes } if changes.is_empty() => format!("preset {preset}"),
        Ruler::Same { preset, changes } => {
            let pairs: Vec<String> = changes.iter().map(|(d, c)| format!("{d} = {c}")).collect();
            format!("preset {preset} with {}", pairs.join(", "))
        }
    }
}

fn value(cell: &Cell) -> &str {
    match &cell.value {
        CellValue::Plain { text, .. }
        | CellValue::Bound { text, .. }
        | CellValue::Reported { text, .. } => text,
        CellValue::Missing { .. } => "—",
    }
}

fn cell(cell: &Cell) -> String {
    let mut text = value(cell).to_owned();
    if let Some(difference) = &cell.difference {
        let _ = write!(text, " ({})", difference.text);
    }
    if let Some(reported) = &cell.reported {
        let _ = write!(text, " · {} {}", reported.sign.glyph(), reported.text);
    }
    text
}

/// Names come from files: what Markdown or HTML would read is escaped, and nobody is called or linked to.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
        if matches!(c, '@' | '#') {
            out.push_str("<!-- -->");
        }
    }
    out
}
