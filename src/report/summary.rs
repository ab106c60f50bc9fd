//! The report in short, as Markdown for an issue tracker or a wiki.

use super::ReportInput;
use super::page::title;
use super::verdict::facts;
use crate::views::compare::escape_markdown as escape;
use crate::views::sensitivity::Answer;
use std::fmt::Write as _;

/// Title, verdict, facts, the first comparison, the bridge, sensitivity, what the checks say, and the files.
pub(super) fn summary(input: &ReportInput) -> String {
    let lead = input.comparisons.first().map(|comparison| &comparison.view);
    let mut parts = vec![format!("## {}", escape(title(input)))];
    let by: Vec<String> = [input.plan.author.trim(), input.date.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(escape)
        .collect();
    parts.push(by.join(" · "));
    if let Some(view) = lead {
        parts.push(escape(&view.detail));
        let facts = facts(input, lead);
        let line =
            |(big, words): &(String, String)| format!("- **{}** {}", escape(big), escape(words));
        parts.push(facts.iter().map(line).collect::<Vec<_>>().join("\n"));
        parts.push(view.markdown.clone());
    }
    if let Some(explain) = &input.explain {
        parts.push("### Why the printed numbers differ".into());
        parts.push(explain.markdown.clone());
    }
    if input.sensitivity.answer != Answer::Nothing {
        parts.push("### Does another question change a verdict?".into());
        let mut answer = escape(&input.sensitivity.sentence);
        for change in &input.sensitivity.changes {
            // Writing to a String does not fail.
            let _ = write!(answer, "\n- {}", escape(change));
        }
        parts.push(answer);
    }
    if !input.quality.headline.is_empty() {
        parts.push("### Quality".into());
        let mut quality = escape(&format!("{}.", input.quality.headline));
        for row in &input.quality.rows {
            let _ = write!(quality, "\n- {}: {}", escape(&row.name), escape(&row.text));
        }
        parts.push(quality);
    }
    if !input.sources.is_empty() {
        parts.push("### Files".into());
        let mut files = "| File | Made by | Bytes | SHA-256 |\n|---|---|---:|---|".to_owned();
        for source in &input.sources {
            let _ = write!(
                files,
                "\n| {} | {} | {} | {} |",
                escape(&source.file),
                escape(&source.made_by),
                source.bytes,
                source.sha256
            );
        }
        parts.push(files);
    }
    parts.push(format!("Written by Same Ruler {}.", env!("CARGO_PKG_VERSION")));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}
