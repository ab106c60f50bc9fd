//! `docs/metrics.md` is written from the catalogue and must not fall behind it.
//! `BLESS=1 cargo test --test docs_metrics` writes it anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::metrics::{Choice, DIMENSIONS, Dimension, EDITIONS, METRICS, PRESETS, stamp};
use std::fmt::Write as _;
use std::path::Path;

fn page() -> String {
    let mut out = String::from(
        "# Metrics: the ruler itself\n\n\
         This page is written from the catalogue in `src/metrics/dimensions/` and `src/metrics/preset.rs`; \
         `BLESS=1 cargo test --test docs_metrics` writes it anew.\n\n\
         In formulas: T is the time to first token, E the end-to-end latency, n the output tokens, m the \
         stream events, c(k) the tokens of event k and c₁ those of the first, p a share, N a number of samples, \
         W a sum of weights.\n\n\
         A definition set is one choice in each dimension. Ids are what `--set`, links and reports use. A choice \
         that a file can’t honour gives “unavailable” with the reason, never a silent substitute.\n\n\
         ## Presets\n\n| Dimension |",
    );
    for preset in PRESETS {
        let _ = write!(out, " {} |", preset.name);
    }
    out.push_str("\n| --- |");
    out.push_str(&" --- |".repeat(PRESETS.len()));
    out.push('\n');
    for dimension in DIMENSIONS {
        let _ = write!(out, "| {} |", dimension.id);
        for preset in PRESETS {
            let _ = write!(out, " `{}` |", preset.settings.value(dimension.id).unwrap());
        }
        out.push('\n');
    }
    out.push('\n');
    for preset in PRESETS {
        let _ = write!(out, "**{}** (`{}`): {}", preset.name, preset.id, preset.note);
        if !preset.versions.is_empty() {
            let _ = write!(out, " Versions {}. Read in {}.", preset.versions, preset.source);
        }
        out.push_str("\n\n");
    }
    out.push_str(
        "### Editions\n\nWhat a tool measured otherwise in some of its versions. A run is under the edition that all \
         versions it can be of belong to: by the version in its file, or by the one guessed from its keys. Without \
         either it is under the preset. A version outside of those that a preset describes is marked: “as vLLM ~”.\n\n\
         | Preset | Versions | Changes | What that means | Read in |\n| --- | --- | --- | --- | --- |\n",
    );
    for edition in EDITIONS {
        let changes: Vec<String> =
            edition.changes.iter().map(|(d, c)| format!("`{d}={c}`")).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            edition.preset,
            edition.versions(),
            changes.join(", "),
            edition.note,
            edition.source
        );
    }
    out.push_str(
        "\nA run’s own ruler is that preset and edition, made exact by what its file says: which \
         event stopped the first-token clock, where the latency ended, who counted tokens, and whether empty \
         replies entered as zeros.\n\n## Dimensions\n",
    );
    for dimension in DIMENSIONS {
        dimension_section(&mut out, dimension);
    }
    out.push_str(
        "\n## Metrics under the common ruler\n\n| Metric | Unit | What it is |\n| --- | --- | --- |\n",
    );
    for metric in METRICS {
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            metric.name(),
            metric.unit().symbol(),
            stamp(metric, &PRESETS[0].settings)
        );
    }
    out.push_str(
        "\nGoodput counts requests that meet every limit, each inclusive. Throughputs of output, input and \
         requests are always three numbers; the total goes only under that name. A percentile with fewer than \
         ten samples beyond it is marked weak, and one with none is said to be the largest sample. Means are \
         added up pairwise and percentiles interpolated as numpy does, so that printed values come out to the \
         last digit.\n",
    );
    out
}

fn dimension_section(out: &mut String, dimension: &Dimension) {
    let _ = write!(out, "\n### `{}`: {}\n\n", dimension.id, dimension.label);
    for choice in dimension.choices {
        choice_item(out, choice);
    }
}

fn choice_item(out: &mut String, choice: &Choice) {
    let _ = write!(out, "- `{}`: {}", choice.spelling(), choice.meaning);
    if !choice.formula.is_empty() {
        let _ = write!(out, " Formula: {}.", choice.formula);
    }
    if !choice.needs.is_empty() {
        let _ = write!(out, " Needs {}.", choice.needs);
    }
    if !choice.edge_cases.is_empty() {
        let _ = write!(out, " {}", choice.edge_cases);
    }
    if !choice.used_by.is_empty() {
        let users: Vec<String> = choice
            .used_by
            .iter()
            .map(|u| format!("{} ({}; `{}`)", u.tool, u.since, u.source))
            .collect();
        let _ = write!(out, " Used by {}.", users.join(", "));
    }
    out.push('\n');
}

#[test]
fn the_page_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/metrics.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for (at, (want, got)) in page.lines().zip(written.lines()).enumerate() {
        assert_eq!(got, want, "docs/metrics.md line {}: run with BLESS=1", at + 1);
    }
    assert_eq!(page.lines().count(), written.lines().count(), "run with BLESS=1");
}
