//! What the server said of itself during an inference-perf run: `stage_N_prometheus_metrics.json`.
//!
//! `summarize_prometheus_metrics` in `inference_perf/reportgen/base.py`: answers of Prometheus about the
//! histograms of the server, so every percentile is an estimate inside a bucket.

use super::aggregates::{SAME, SECONDS, distribution, further, put, usual_stat};
use super::documents::Document;
use super::error::Fault;
use super::inference_perf::{beside, stem, trees};
use super::inference_perf_report::{is_of_server, is_report};
use super::tree::Tree;
use super::{About, Format, Head, Input, Verdict, name_apart};
use crate::model::{Metric, Part, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};

/// The server’s side of an inference-perf run.
pub(super) struct InferencePerfPrometheus;

static ABOUT: About = About {
    name: "inference-perf’s reports of server metrics",
    file: "`summary_prometheus_metrics.json` and `stage_N_prometheus_metrics.json`",
    versions: "inference-perf 0.1 to 0.7",
    recognised: "`successes` and `failures` beside an empty `load_summary`",
    reads: &[
        "the server’s own latencies, rates and counts; they are kept apart from the client’s",
        "queue length, cache use and the like",
    ],
    limits: &[
        "percentiles are estimates from the buckets of histograms",
        "times start and end in the server: no network, no client",
    ],
}
.lean();

/// Keys whose values are times, and the metric they claim to be, where it is one of ours.
const TIMES: [(&str, Option<Metric>); 8] = [
    ("request_latency", Some(Metric::E2e)),
    ("time_to_first_token", Some(Metric::Ttft)),
    ("time_per_output_token", Some(Metric::Tpot)),
    ("inter_token_latency", Some(Metric::Itl)),
    ("request_queue_time", None),
    ("request_inference_time", None),
    ("request_prefill_time", None),
    ("request_decode_time", None),
];

/// Other keys, and their unit.
const OTHERS: [(&str, &str); 6] = [
    ("queue_len", "requests"),
    ("num_requests_running", "requests"),
    ("kv_cache_usage_percentage", ""),
    ("num_requests_swapped", ""),
    ("num_preemptions_total", ""),
    ("prefix_cache_hit_percent", "%"),
];

impl Format for InferencePerfPrometheus {
    fn id(&self) -> &'static str {
        "inference-perf-prometheus"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if is_report(head) && is_of_server(head) {
            return Verdict::Certain("it has successes beside an empty load_summary".into());
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let found = trees(&mut input, &[], out)?;
        let of = found.len();
        let run = |(index, Document { value, .. }): (usize, Document<Tree>)| {
            let provenance = input.provenance(self.id(), index, of);
            let mut run = super::blank(Tool::InferencePerf, "inference-perf, server", provenance);
            run.provenance.part = Part::Server;
            fill(&mut run, &value);
            run
        };
        Ok(name_apart(found.into_iter().enumerate().map(run).collect(), ""))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name).filter(|_| name.ends_with("_prometheus_metrics.json"))
    }

    fn beside(&self, name: &str) -> Vec<String> {
        beside(name)
    }
}

fn fill(run: &mut Run, report: &Tree) {
    let reported = &mut run.reported;
    let number = |path: &[&str]| report.get("successes").and_then(|s| s.number_at(path));
    let one = |path: &[&str]| (format!("successes.{}", path.join(".")), number(path));
    for (path, metric) in [
        (&["count"][..], Metric::Completed),
        (&["rate"], Metric::RequestThroughput),
        (&["prompt_len", "rate"], Metric::InputThroughput),
        (&["output_len", "rate"], Metric::OutputThroughput),
    ] {
        let (field, value) = one(path);
        put(reported, &field, metric, Stat::Value, value, SAME);
    }
    for (key, metric) in TIMES {
        let Some(object) = report.at(&["successes", key]) else { continue };
        let field = format!("successes.{key}");
        if let Some(metric) = metric {
            distribution(reported, &field, object, metric, SECONDS, usual_stat);
            continue;
        }
        for (stat, value) in object.members() {
            further(reported, &format!("{field}.{stat}"), value.number(), "s");
        }
    }
    for (key, unit) in OTHERS {
        for (stat, value) in report.at(&["successes", key]).map(Tree::members).unwrap_or_default() {
            further(reported, &format!("successes.{key}.{stat}"), value.number(), unit);
        }
    }
    let out = &mut run.provenance.notices;
    let lengths = [("prompt_len", Metric::InputTokens), ("output_len", Metric::OutputTokens)];
    for (key, metric) in lengths {
        let (field, mean) = one(&[key, "mean"]);
        // Tokens a second over requests a second.
        let by_rates = number(&[key, "rate"]).zip(number(&["rate"])).map(|(t, r)| t / r);
        if mean
            .zip(by_rates)
            .is_some_and(|(mean, rates)| (rates / 2.0..=rates * 2.0).contains(&mean))
        {
            put(reported, &field, metric, Stat::Mean, mean, SAME);
        } else if mean.is_some() {
            further(reported, &field, mean, "");
            let text = "The printed mean length is no number of tokens a request: the rates of the same report \
                        say otherwise. It is kept as printed.";
            out.add(Severity::Warn, "no-length", Place::JsonPath(field), text);
        }
    }
    let text = "The server’s own view, out of the buckets of its histograms: percentiles are estimates, times are \
                without network and client, and the time asked about may hold other requests than the run’s.";
    out.add(Severity::Warn, "server-estimates", Place::WholeFile, text);
    if number(&["time_per_output_token", "mean"]).is_some() {
        let text = "The server’s time_per_output_token is the time of one step of the engine in most versions, \
                    which is no TPOT when a step gives several tokens.";
        let place = Place::JsonPath("successes.time_per_output_token".into());
        out.add(Severity::Note, "step-time", place, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn an_empty_load_makes_it_the_servers() {
        let text = r#"{"load_summary":{}, "successes": {"count": 100, "rate": 10.0,
            "prompt_len": {"mean": 10721, "rate": 2000.0}, "output_len": {"mean": 60, "rate": 600.0},
            "time_to_first_token": {"mean": 0.25, "p90": 0.5}, "queue_len": {"mean": 3}}, "failures": {}}"#;
        let run = read("a.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.provenance.part, Part::Server);
        assert_eq!(run.reported.find(Metric::Ttft, Stat::Mean).map(|v| v.value), Some(250.0));
        assert_eq!(
            run.reported.find(Metric::OutputTokens, Stat::Mean).map(|v| v.value),
            Some(60.0)
        );
        assert_eq!(run.reported.find(Metric::InputTokens, Stat::Mean), None);
        let fields: Vec<_> = run.reported.further.iter().map(|f| f.field.as_str()).collect();
        assert_eq!(fields, ["successes.queue_len.mean", "successes.prompt_len.mean"]);
    }
}
