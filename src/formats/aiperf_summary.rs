//! AIPerf's summary of a run: every metric with its statistics.

use super::aggregates::{SAME, further, put};
use super::aiperf::{self, SKIP};
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, aiperf_gpu};
use crate::model::{Metric, Part, Provenance, Run, Stat};
use crate::notice::{Notices, Place, Severity};

/// The summary of NVIDIA AIPerf.
pub(super) struct AiperfSummary;

static ABOUT: About = About {
    name: "AIPerf summary",
    file: "`profile_export_aiperf.json`, or `PREFIX.json`, of `aiperf profile`",
    versions: "AIPerf 0.1 to 0.13: up to 0.1 under `records`, then at the top",
    recognised: "`aiperf_version`, or `input_config` beside a metric and a key that GenAI-Perf does not \
                 write (`was_cancelled`, `error_summary`, `benchmark_duration`, `telemetry_data`)",
    reads: &[
        "every metric with all its statistics; those without a metric of ours under their own names",
        "the time by which rates are divided, the limits of the goodput, model, load and set-up",
        "power and energy of the accelerators",
    ],
    limits: &[
        "no requests: drop `profile_export.jsonl` beside it",
        "rows that count failures as endless (`adj_…`) and warm-up are no statistics of the requests: the \
         first stand under their own names, the second are left out",
        "command lines, headers and addresses are never kept",
    ],
}.lean();

/// AIPerf copies the names of GenAI-Perf's metrics: only keys beside them tell the two apart.
const OWN: [&str; 6] = [
    "aiperf_version",
    "benchmark_duration",
    "was_cancelled",
    "error_summary",
    "telemetry_data",
    "run_info",
];

impl Format for AiperfSummary {
    fn id(&self) -> &'static str {
        "aiperf-summary"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let other = ["metrics", "timeslices", "aggregation_type", "per_combination_metrics"];
        if json.has_any(&other) {
            return Verdict::No;
        }
        if json.has("records") && head.contains("\"tag\"") && head.contains("\"header\"") {
            return Verdict::Certain(
                "its records have tag and header, as AIPerf 0.1 writes them".into(),
            );
        }
        let metric = ["request_latency", "request_count", "error_request_count"];
        if !json.has_any(&metric) {
            return Verdict::No;
        }
        match OWN.iter().find(|key| json.has(key)) {
            Some(key) => Verdict::Certain(format!("it has {key} beside its metrics")),
            None => Verdict::No,
        }
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIP, ticker: &ticker };
        let found = documents::read(input.text, seed, &ticker, out)?;
        let of = found.len();
        let runs = found.into_iter().enumerate().map(|(index, document)| {
            run(&document.value, input.provenance(self.id(), index, of))
                .ok_or(Fault::at(document.place, ErrorKind::NoRuns))
        });
        Ok(super::name_apart(runs.collect::<Result<_, _>>()?, ""))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

fn run(document: &Tree, provenance: Provenance) -> Option<Run> {
    let mut run = aiperf::run("AIPerf", provenance, Part::Summary);
    aiperf::set_up(&mut run, document);
    let old = document.get("records");
    let metrics = old.unwrap_or(document);
    if old.is_some() && run.version.exact.is_none() {
        run.version.guess = Some("0.1".into());
        run.version.because = Some("its metrics stand under records".into());
    }
    for (tag, object) in metrics.members().iter().filter(|(tag, _)| tag != DURATION) {
        aiperf::add_object(&mut run.reported, tag, object);
    }
    if run.reported.values.is_empty() && run.reported.further.is_empty() {
        return None;
    }
    duration(&mut run, document, metrics.get(DURATION));
    if let Some(telemetry) = document.get("telemetry_data") {
        aiperf_gpu::summary(&mut run, telemetry);
    }
    note_cut(&mut run, document);
    Some(run)
}

const DURATION: &str = "benchmark_duration";

/// How far a count over a rate may be from the duration behind it: clocks are written in microseconds.
const CLOCK: f64 = 5e-6;

/// The time by which this version divided its rates. Up to some version between 0.4 and 0.13 it is
/// `benchmark_duration`, then the whole phase from `start_time` to `end_time`: the file’s own count and
/// rate tell which. The other one is kept under its name.
fn duration(run: &mut Run, document: &Tree, printed: Option<&Tree>) {
    let clock = |key: &str| document.get(key).and_then(Tree::text).and_then(aiperf::clock);
    let window = clock("end_time").zip(clock("start_time")).map(|(to, from)| to - from);
    let window = window.filter(|window| *window > 0.0);
    let printed = printed.and_then(|object| {
        let scale = aiperf::scale(Metric::Duration, object.text_at(&["unit"])?)?;
        Some(object.number_at(&["avg"])? * scale)
    });
    let value = |metric| run.reported.value(metric);
    let behind = value(Metric::Completed)
        .zip(value(Metric::RequestThroughput))
        .map(|(count, rate)| count / rate)
        .filter(|behind| behind.is_finite());
    let off = |duration: Option<f64>| Some((duration? - behind?).abs());
    let by_window = match (off(window), off(printed)) {
        (Some(window), Some(printed)) => {
            window < printed && window < CLOCK * (1.0 + behind.unwrap_or(0.0))
        }
        (_, _) => printed.is_none(),
    };
    let reported = &mut run.reported;
    let (field, value) =
        if by_window { ("end_time − start_time", window) } else { (DURATION, printed) };
    put(reported, field, Metric::Duration, Stat::Value, value, SAME);
    if by_window {
        further(reported, DURATION, printed, "sec");
    }
}

fn note_cut(run: &mut Run, document: &Tree) {
    let notices = &mut run.provenance.notices;
    if document.get("was_cancelled") == Some(&Tree::Bool(true)) {
        let place = Place::JsonPath("was_cancelled".into());
        notices.add(
            Severity::Warn,
            "run-cancelled",
            place,
            "The run was cancelled before its end.",
        );
    } else if document.get("is_complete") == Some(&Tree::Bool(false)) {
        let place = Place::JsonPath("is_complete".into());
        notices.add(
            Severity::Warn,
            "run-incomplete",
            place,
            "The run ended before all its requests.",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::{Head, read, recognise};
    use crate::model::{Limit, LimitMetric, Metric, Run, Stat};

    fn run(text: &str) -> Run {
        read("a.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    fn summary(rate: f64) -> String {
        format!(
            "{{\"request_count\": {{\"unit\": \"requests\", \"avg\": 100}}, \
             \"request_throughput\": {{\"unit\": \"requests/sec\", \"avg\": {rate}}}, \
             \"benchmark_duration\": {{\"unit\": \"sec\", \"avg\": 8.0}}, \
             \"start_time\": \"2026-11-29T11:31:04\", \"end_time\": \"2026-11-29T11:31:14\", \
             \"was_cancelled\": false, \"input_config\": {{\"cli_command\": \"--api-key sk-1\", \
             \"slos\": {{\"time_to_first_token\": 110, \"inter_token_latency\": 18.0}}}}}}"
        )
    }

    #[test]
    fn the_divisor_is_the_one_behind_the_files_own_rate() {
        let duration = |rate| run(&summary(rate)).reported.value(Metric::Duration);
        assert_eq!(duration(10.0), Some(10.0), "the phase");
        assert_eq!(duration(12.5), Some(8.0), "benchmark_duration");
    }

    #[test]
    fn limits_are_read_and_commands_are_not() {
        let run = run(&summary(10.0));
        let limits = run.reported.limits.clone().unwrap();
        assert!(limits.contains(&Limit::at_most(LimitMetric::Tpot, 18.0)));
        assert!(!format!("{run:?}").contains("sk-1"));
    }

    #[test]
    fn a_run_in_which_all_failed_has_no_zeros() {
        let text = "{\"aiperf_version\": \"0.13.0\", \"error_request_count\": {\"unit\": \"requests\", \
                    \"avg\": 9}, \"goodput\": null, \"input_config\": {}}";
        let run = run(text);
        assert_eq!(run.reported.value(Metric::Failed), Some(9.0));
        assert_eq!(run.reported.value(Metric::Completed), None);
        assert_eq!(run.reported.find(Metric::Goodput, Stat::Value), None);
    }

    #[test]
    fn a_summary_of_genai_perf_is_not_taken() {
        let text = b"{\"request_latency\": {\"unit\": \"ms\", \"avg\": 1}, \"input_config\": {}}";
        let head = Head::new("a.json", text, text.len() as u64);
        assert_ne!(recognise(&head).map_or("none", |r| r.format.id()), "aiperf-summary");
    }
}
