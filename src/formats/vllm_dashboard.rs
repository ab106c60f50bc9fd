//! The table of vLLM's performance dashboard: records whose keys are the headings of its tables.

use super::aggregates::{SAME, further, put};
use super::error::Fault;
use super::tree::{self, Tree};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Load, Metric, Part, Provenance, RequestRate, Run, Stat, Tool, Workload};
use crate::notice::{Notices, Place, Severity};

/// vLLM's performance dashboard.
pub(super) struct VllmDashboard;

static ABOUT: About = About {
    name: "vLLM dashboard table",
    file: "`benchmark_results.json` of vLLM’s performance benchmarks",
    versions: "vLLM 0.5 to 0.33",
    recognised: "a list of records with `Test name`",
    reads: &[
        "every test as a run: serving, latency or throughput, with every printed aggregate",
        "`Median` and `P99` without a name, which are TPOT",
    ],
    limits: &[
        "aggregates only; the raw files of its tests hold more",
        "`GPU` says what the machine has, not what a test used: the number of accelerators stays unknown",
    ],
}.lean();

impl Format for VllmDashboard {
    fn id(&self) -> &'static str {
        "vllm-dashboard"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["Test name"]) {
            return Verdict::Certain("its records have a Test name".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        tree::runs(input, self.id(), out, run)
    }
}

/// Headings that are settings.
const SETTINGS: [&str; 7] =
    ["GPU", "Input Len", "Output Len", "TP Size", "PP Size", "dtype", "Tensor Parallel Size"];

fn run(record: &Tree, mut provenance: Provenance) -> Run {
    provenance.part = Part::Whole;
    let title = record.text_at(&["Test name"]).unwrap_or_default();
    let serving = record.members().iter().any(|(heading, _)| heading.contains("TTFT"));
    if !serving {
        let text = "An offline benchmark: no server, no stream and no arrivals, so its numbers do not \
                    stand beside those of a serving benchmark.";
        provenance.notices.add(Severity::Warn, "offline", Place::WholeFile, text);
    }
    let mut run = super::blank(Tool::Vllm, &format!("vLLM dashboard, {title}"), provenance);
    let text = |key: &str| record.text_at(&[key]).map(str::to_owned);
    let count = |key: &str| record.get(key).and_then(Tree::int).and_then(|n| u64::try_from(n).ok());
    run.workload = Workload {
        model: text("Model"),
        dataset: text("Dataset Name"),
        endpoint: (!serving).then(|| "offline".to_owned()),
        settings: SETTINGS
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), record.get(key)?.words()?)))
            .collect(),
        ..Workload::default()
    };
    run.load = Load {
        request_rate: match record.get("qps").and_then(Tree::number) {
            Some(rate) if rate.is_infinite() => Some(RequestRate::Unlimited),
            Some(rate) if rate > 0.0 => Some(RequestRate::PerSecond(rate)),
            _ => None,
        },
        max_concurrency: count("# of max concurrency."),
        ..Load::default()
    };
    for (heading, value) in record.members() {
        let value = value.number();
        match meaning(heading, serving) {
            Some((metric, stat)) => put(&mut run.reported, heading, metric, stat, value, SAME),
            None if heading == "# of req." || heading == "Total # of tokens" => {
                further(&mut run.reported, heading, value, "");
            }
            None => {}
        }
    }
    run
}

/// Metric and statistic of a heading.
fn meaning(heading: &str, serving: bool) -> Option<(Metric, Stat)> {
    let run_level = match heading {
        "Tput (req/s)" => Some(Metric::RequestThroughput),
        "Output Tput (tok/s)" | "Output Token Throughput (tok/s)" => Some(Metric::OutputThroughput),
        "Total Token Tput (tok/s)" | "Total Token Throughput (tok/s)" => {
            Some(Metric::TotalThroughput)
        }
        // Of the offline throughput benchmark, which counts prompts too.
        "Tput (tok/s)" if !serving => Some(Metric::TotalThroughput),
        "Elapsed time (s)" => Some(Metric::Duration),
        _ => None,
    };
    if let Some(metric) = run_level {
        return Some((metric, Stat::Value));
    }
    let (stat, name) = heading.split_once(' ').unwrap_or((heading, "TPOT (ms)"));
    let stat = super::aggregates::usual_stat(&stat.to_ascii_lowercase())?;
    let metric = match name {
        "TTFT (ms)" => Metric::Ttft,
        "TPOT (ms)" => Metric::Tpot,
        "ITL (ms)" => Metric::Itl,
        "E2EL (ms)" | "latency (ms)" => Metric::E2e,
        _ => return None,
    };
    Some((metric, stat))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn headings_say_metric_and_kind() {
        let text = br##"[{"Test name": "serving_a", "GPU": "8xmade", "qps": "inf", "Tput (req/s)": 2.5,
            "Mean TTFT (ms)": 25.5, "Median": 7.5, "P99": NaN, "# of max concurrency.": 16},
            {"Test name": "throughput_b", "GPU": "8xmade", "# of req.": 200, "Tput (tok/s)": 900.0}]"##;
        let runs = read("x", text, &mut |_| {}).unwrap();
        let find = |run: &Run, metric, stat| run.reported.find(metric, stat).map(|v| v.value);
        assert_eq!(find(&runs[0], Metric::Tpot, Stat::Median), Some(7.5));
        assert_eq!(find(&runs[0], Metric::Tpot, Stat::Percentile(99.0)), None, "NaN is missing");
        assert_eq!(runs[0].load.request_rate, Some(RequestRate::Unlimited));
        assert_eq!((runs[0].load.max_concurrency, runs[0].load.gpus), (Some(16), None));
        assert_eq!(find(&runs[1], Metric::TotalThroughput, Stat::Value), Some(900.0));
        assert!(runs[1].provenance.notices.iter().any(|n| n.kind == "offline"));
    }
}
