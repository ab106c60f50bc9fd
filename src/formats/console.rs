//! What serving benchmarks print, as people paste it: from a terminal, a log, an issue, or wrapped in
//! JSON by a script.
//!
//! Knows how printed text gets mangled. Must not know what a printed line means: that is in
//! [`console_lines`](super::console_lines) and [`console_tables`](super::console_tables).

use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, console_lines, console_tables, load_label};
use crate::model::{Limit, LimitMetric, Load, Part, Reported, Run, Tool, Workload};
use crate::notice::{Notices, Place, Severity};

/// The printed summaries of vLLM, SGLang, AIPerf and GenAI-Perf.
pub(super) struct Console;

static ABOUT: About = About {
    name: "printed summary",
    file: "text that `vllm bench serve`, `sglang.bench_serving`, AIPerf or GenAI-Perf printed: pasted, \
           saved with the log around it, or as a text inside JSON",
    versions: "vLLM 0.4 to 0.33, SGLang 0.2 to 0.5.23, AIPerf 0.1 to 0.13, GenAI-Perf 0.0.8 to 0.0.16",
    recognised: "the head line `Serving Benchmark Result`, lines such as `Mean TTFT (ms):`, or a table \
                 under `NVIDIA AIPerf |` or `NVIDIA GenAI-Perf |`",
    reads: &[
        "every printed number with its printed digits, several summaries in one text",
        "colour codes, prefixes of log lines, box characters, labels that continue on the next row",
        "of the command line that stands above or below: model, tokenizer, dataset, number of requests, \
         rate, concurrency and the limits of the goodput, and nothing else",
    ],
    limits: &[
        "aggregates only, rounded to what was printed: nothing can be recomputed under another definition",
        "cells that the terminal cut short with … are left out",
        "the tables of GuideLLM and inference-perf are cut and rounded too far: drop their JSON",
    ],
}.lean();

/// The head line of vLLM's summary and of all that descend from it.
pub(super) const HEAD_LINE: &str = " Serving Benchmark Result ";
/// What stands above the tables of AIPerf and GenAI-Perf.
pub(super) const TITLES: [(&str, Tool); 2] =
    [("NVIDIA AIPerf | ", Tool::Aiperf), ("NVIDIA GenAI-Perf | ", Tool::GenaiPerf)];
/// Lines of these logs, where the summary itself may come beyond the beginning of the file.
const LOGS: [&str; 3] =
    ["Starting main benchmark run", "benchmark_args=Namespace(", "NVIDIA AIPerf"];

impl Format for Console {
    fn id(&self) -> &'static str {
        "console"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.contains(HEAD_LINE) {
            return Verdict::Likely("it has the line “Serving Benchmark Result”".into());
        }
        if TITLES.iter().any(|(title, _)| head.contains(title)) {
            return Verdict::Likely("it has the title of a table of AIPerf or GenAI-Perf".into());
        }
        let pair = ["Median TTFT (ms): ", "Mean TPOT (ms): ", "Mean ITL (ms): "];
        if head.contains("Mean TTFT (ms): ") && pair.iter().any(|line| head.contains(line)) {
            return Verdict::Likely("it has printed lines such as “Mean TTFT (ms):”".into());
        }
        if head.size > head.bytes.len() as u64 && LOGS.iter().any(|line| head.contains(line)) {
            return Verdict::Maybe("it begins as the log of a benchmark".into());
        }
        Verdict::No
    }

    /// Of AIPerf’s own copies of its screen, which stand beside its other files.
    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        let ends = ["profile_export_console.txt", "profile_export_console.ansi"];
        let own = ends.iter().find_map(|end| name.strip_suffix(end))?;
        Some(own.trim_end_matches(['.', '-', '_']))
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let wrapped = unwrap(input.text);
        let text = plain(wrapped.as_deref().unwrap_or(input.text));
        let mut found = console_lines::read(&text);
        found.extend(console_tables::read(&text));
        found.retain(|summary| !summary.reported.values.is_empty());
        if found.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        if wrapped.is_some() {
            let text = "The summary is a text inside JSON; it was taken out.";
            out.add(Severity::Note, "wrapped-text", Place::WholeFile, text);
        }
        let of = found.len();
        let mut runs: Vec<Run> = found
            .into_iter()
            .enumerate()
            .map(|(index, summary)| {
                let mut provenance = input.provenance(self.id(), index, of);
                provenance.part = Part::Summary;
                provenance.kin = super::printed::kin(&summary.reported.values);
                provenance.notices = summary.notices;
                let mut run = super::blank(summary.tool, summary.tool.name(), provenance);
                run.load = summary.load;
                run.workload = summary.workload;
                run.reported = summary.reported;
                run
            })
            .collect();
        if of > 1 {
            number(&mut runs);
        }
        Ok(runs)
    }
}

/// One printed summary.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) tool: Tool,
    pub(super) load: Load,
    pub(super) workload: Workload,
    pub(super) reported: Reported,
    pub(super) notices: Notices,
}

impl Summary {
    pub(super) fn of(tool: Tool) -> Self {
        Self {
            tool,
            load: Load::default(),
            workload: Workload::default(),
            reported: Reported::default(),
            notices: Notices::new(),
        }
    }
}

/// Names of several summaries in one text: in the order in which they were printed.
fn number(runs: &mut [Run]) {
    for (index, run) in runs.iter_mut().enumerate() {
        let load = load_label(&run.load).map(|label| format!(", {label}")).unwrap_or_default();
        run.name = format!("{}{load}, run {}", run.name, index + 1);
    }
}

/// The texts inside a JSON document, one after the other; `None` where it is no JSON or holds no
/// summary.
fn unwrap(text: &str) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut silent = |_| {};
    let ticker = Ticker::new(text.len() as u64, &mut silent);
    let seed = TreeSeed { skip: &[], ticker: &ticker };
    let trees = documents::read(text, seed, &ticker, &mut Notices::new()).ok()?;
    let mut all = String::new();
    for tree in &trees {
        collect(&tree.value, &mut all);
    }
    let holds = all.contains(HEAD_LINE)
        || all.contains("Mean TTFT (ms): ")
        || TITLES.iter().any(|(title, _)| all.contains(title));
    holds.then_some(all)
}

/// Adds every text of a tree. A list of lines, as notebooks keep output, is one text.
fn collect(tree: &Tree, all: &mut String) {
    match tree {
        Tree::Text(text) => {
            all.push_str(text);
            if !text.ends_with('\n') {
                all.push('\n');
            }
        }
        Tree::List(elements) => elements.iter().for_each(|element| collect(element, all)),
        Tree::Object(members) => members.iter().for_each(|(_, value)| collect(value, all)),
        Tree::Null | Tree::Bool(_) | Tree::Int(_) | Tree::Float(_) => {}
    }
}

/// The text without the escape codes by which terminals set colours: ESC, `[`, parameters, one letter.
fn plain(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        all.push_str(before);
        rest = match after.strip_prefix('[') {
            Some(code) => {
                let end = code.find(|c: char| !matches!(c, '0'..='9' | ';' | '?' | ':'));
                let tail = end.and_then(|end| code.get(end..)).unwrap_or_default();
                tail.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(tail)
            }
            None => after,
        };
    }
    all.push_str(rest);
    all
}

/// Limits in milliseconds out of names and numbers; names that `metric` does not know are passed over.
pub(super) fn limits<'t>(
    pairs: impl Iterator<Item = (&'t str, &'t str)>,
    metric: fn(&str) -> Option<LimitMetric>,
) -> Option<Vec<Limit>> {
    let limits: Vec<Limit> = pairs
        .filter_map(|(name, millis)| Some(Limit::at_most(metric(name)?, millis.parse().ok()?)))
        .collect();
    (!limits.is_empty()).then_some(limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::{Metric, Stat};

    fn runs(text: &str) -> Vec<Run> {
        read("x", text.as_bytes(), &mut |_| {}).unwrap()
    }

    #[test]
    fn colours_are_no_text() {
        assert_eq!(plain("\u{1b}[1;36mMean\u{1b}[0m TTFT\u{1b}"), "Mean TTFT");
        assert_eq!(plain("\u{1b}[12"), "");
    }

    #[test]
    fn a_summary_inside_json_inside_a_list_of_lines() {
        let text = r#"{"ok": true, "lines": ["Successful requests:  10\n", "Mean TTFT (ms):   12.30\n",
            "Mean TPOT (ms):   4.56\n"]}"#;
        let run = runs(text).remove(0);
        assert_eq!(run.tool, Tool::Vllm);
        assert_eq!(run.reported.find(Metric::Ttft, Stat::Mean).map(|v| v.value), Some(12.3));
        assert_eq!(run.reported.value(Metric::Completed), Some(10.0));
        assert!(run.provenance.notices.iter().any(|n| n.kind == "wrapped-text"));
    }

    #[test]
    fn a_json_log_is_one_text() {
        let text = "{\"m\": \"Mean TTFT (ms):  1.5\"}\n{\"m\": \"Mean TPOT (ms):  2.5\"}\n";
        assert_eq!(runs(text).len(), 1);
    }

    #[test]
    fn the_result_file_and_its_printed_summary_are_kin() {
        let json = r#"{"date": "20250101-000000", "backend": "vllm", "model_id": "made/x",
            "num_prompts": 4, "duration": 2.004, "completed": 4, "total_input_tokens": 40,
            "total_output_tokens": 8, "mean_ttft_ms": 12.3456}"#;
        let printed = "Successful requests:  4\nBenchmark duration (s):  2.00\nTotal input tokens:  40\n\
            Total generated tokens:  8\nMean TTFT (ms):  12.35\nMean TPOT (ms):  1.00\n";
        let (json, printed) = (runs(json).remove(0), runs(printed).remove(0));
        assert!(json.provenance.kin.is_some());
        assert_eq!(json.provenance.kin, printed.provenance.kin);
        assert_eq!((json.provenance.part, printed.provenance.part), (Part::Whole, Part::Summary));
    }
}
