//! The summary that vLLM's client prints, and the clients that descend from it: one label and one
//! number a line, in sections under a head line.

use super::aggregates::put;
use super::console::{HEAD_LINE, Summary};
use super::json::number_of;
use super::printed;
use crate::model::{Further, Limit, LimitMetric, Load, Metric, RequestRate, Stat, Tool, Workload};

/// What a label says.
#[derive(Clone, Copy)]
enum Label {
    /// A number for the whole run, and the factor to the metric's unit.
    Value(Metric, f64),
    /// A number of no metric of ours, and its unit.
    Further(&'static str),
    Rate,
    Burstiness,
    MostInFlight,
    Backend,
    Limits,
}

/// Labels without the colon. vLLM: `benchmarks/serve.py`, SGLang: `bench_serving.py`,
/// TensorRT-LLM: `serve/scripts/benchmark_serving.py`.
const LABELS: &[(&str, Label)] = &[
    ("Successful requests", Label::Value(Metric::Completed, 1.0)),
    ("Failed requests", Label::Value(Metric::Failed, 1.0)),
    ("Benchmark duration (s)", Label::Value(Metric::Duration, 1.0)),
    ("Total input tokens", Label::Value(Metric::TotalInputTokens, 1.0)),
    ("Total generated tokens", Label::Value(Metric::TotalOutputTokens, 1.0)),
    ("Request throughput (req/s)", Label::Value(Metric::RequestThroughput, 1.0)),
    ("Request goodput (req/s)", Label::Value(Metric::Goodput, 1.0)),
    ("Input token throughput (tok/s)", Label::Value(Metric::InputThroughput, 1.0)),
    ("Output token throughput (tok/s)", Label::Value(Metric::OutputThroughput, 1.0)),
    ("Total token throughput (tok/s)", Label::Value(Metric::TotalThroughput, 1.0)),
    ("Peak output token throughput (tok/s)", Label::Value(Metric::PeakOutputRate, 1.0)),
    ("Peak concurrent requests", Label::Value(Metric::PeakConcurrency, 1.0)),
    ("Concurrency", Label::Value(Metric::MeanConcurrency, 1.0)),
    ("SLO attainment (%)", Label::Value(Metric::SloShare, 0.01)),
    ("TTFT SLO attainment (%)", Label::Further("%")),
    ("TPOT SLO attainment (%)", Label::Further("%")),
    ("E2EL SLO attainment (%)", Label::Further("%")),
    ("Total input text tokens", Label::Further("tokens")),
    ("Total input vision tokens", Label::Further("tokens")),
    ("Total generated tokens (retokenized)", Label::Further("tokens")),
    ("Accept length", Label::Further("tokens")),
    ("Acceptance rate (%)", Label::Further("%")),
    ("Acceptance length", Label::Further("tokens")),
    // TensorRT-LLM: the mean of n ÷ E.
    ("User throughput (tok/s)", Label::Value(Metric::UserSpeed, 1.0)),
    ("Traffic request rate", Label::Rate),
    ("Request rate configured (RPS)", Label::Rate),
    ("Burstiness factor", Label::Burstiness),
    ("Maximum request concurrency", Label::MostInFlight),
    ("Max request concurrency", Label::MostInFlight),
    ("Backend", Label::Backend),
    ("SLOs (ms)", Label::Limits),
];

/// The names of latencies before `(ms)`.
const LATENCIES: &[(&str, Metric)] = &[
    ("TTFT", Metric::Ttft),
    ("TPOT", Metric::Tpot),
    ("ITL", Metric::Itl),
    ("E2EL", Metric::E2e),
    ("E2E Latency", Metric::E2e),
];

/// Every summary in a text. A head line opens one, and so does a label that has already come.
pub(super) fn read(text: &str) -> Vec<Summary> {
    let mut reader = Reader::default();
    for line in text.split(['\n', '\r']).map(str::trim) {
        reader.line(line);
    }
    reader.close();
    reader.done
}

#[derive(Default)]
struct Reader {
    done: Vec<Summary>,
    open: Option<Summary>,
    /// What was said before the head line: load and set-up.
    load: Load,
    workload: Workload,
    limits: Option<Vec<Limit>>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.contains(HEAD_LINE) {
            self.close();
            self.open = Some(Summary::of(Tool::Vllm));
        } else if line.len() > 20 && line.bytes().all(|byte| byte == b'=') {
            self.close();
        } else if line.contains("Namespace(") {
            self.command(line);
        } else {
            self.labelled(line);
        }
    }

    fn close(&mut self) {
        let Some(mut summary) = self.open.take() else { return };
        summary.load = std::mem::take(&mut self.load);
        summary.workload = std::mem::take(&mut self.workload);
        summary.reported.limits = self.limits.take();
        printed::drop_zeros(&mut summary.reported.values, &mut summary.notices);
        self.done.push(summary);
    }

    /// A label and one number, whatever a log wrote before the label.
    fn labelled(&mut self, line: &str) {
        let mut ends = line.match_indices(':');
        let found = ends.find_map(|(at, _)| {
            let (before, after) = (line.get(..at)?, line.get(at + 1..)?);
            let value = after.trim_matches([' ', '|', '│', '`', '*']);
            latency(before)
                .map(|(label, metric, stat)| (label, Label::Value(metric, 1.0), stat, value))
                .or_else(|| {
                    run_label(before).map(|(label, what)| (label, what, Stat::Value, value))
                })
        });
        let Some((label, what, stat, value)) = found else { return };
        match what {
            Label::Rate => self.load.request_rate = rate(value).or(self.load.request_rate),
            Label::Burstiness => {
                let first = value.split_whitespace().next().unwrap_or_default();
                self.load.burstiness = number_of(first).filter(|b| b.is_finite());
            }
            Label::MostInFlight => self.load.max_concurrency = value.parse().ok(),
            Label::Limits => self.limits = limits(value),
            Label::Backend => {
                // Only SGLang's client and what descends from it prints its backend.
                if let Some(summary) = &mut self.open {
                    summary.tool = Tool::Sglang;
                    self.workload.backend = word(value);
                }
            }
            Label::Value(metric, scale) => {
                let value = number_of(value).filter(|value| value.is_finite());
                let stat = if metric == Metric::UserSpeed { Stat::Mean } else { stat };
                self.summary(label).reported_value(label, metric, stat, value, scale);
            }
            Label::Further(unit) => {
                if let (Some(value), Some(summary)) = (number_of(value), &mut self.open) {
                    let (field, unit) = (label.to_owned(), unit.to_owned());
                    summary.reported.further.push(Further { field, value, unit });
                }
            }
        }
    }

    /// The summary that a label belongs to.
    fn summary(&mut self, label: &str) -> &mut Summary {
        let again = |summary: &Summary| summary.reported.values.iter().any(|v| v.field == label);
        if self.open.as_ref().is_some_and(again) {
            self.close();
        }
        let summary = self.open.get_or_insert_with(|| Summary::of(Tool::Vllm));
        // vLLM writes E2EL.
        if label.ends_with("E2E Latency (ms)") {
            summary.tool = Tool::Sglang;
        } else if label.starts_with("User throughput") {
            summary.tool = Tool::Trtllm;
        }
        summary
    }

    /// What is known to be harmless of the arguments that the client prints first.
    fn command(&mut self, line: &str) {
        let keep = |place: &mut Option<String>, key| {
            if let Some(text) = argument(line, key) {
                *place = Some(text.to_owned());
            }
        };
        keep(&mut self.workload.model, "model");
        keep(&mut self.workload.tokenizer, "tokenizer");
        keep(&mut self.workload.dataset, "dataset_name");
        keep(&mut self.workload.backend, "backend");
        self.load.requests = argument(line, "num_prompts").and_then(|n| n.parse().ok());
        let goodput = line.split_once(" goodput=[").and_then(|(_, rest)| rest.split_once(']'));
        self.limits = goodput.and_then(|(list, _)| limits(list));
    }
}

impl Summary {
    fn reported_value(
        &mut self,
        label: &str,
        metric: Metric,
        stat: Stat,
        value: Option<f64>,
        scale: f64,
    ) {
        put(&mut self.reported, label, metric, stat, value, scale);
    }
}

/// The label that ends `before`, unless it is only the end of a longer one: what a log writes before
/// it ends in a sign, or starts with a digit as a time does.
fn tail<'l>(before: &'l str, label: &str) -> Option<&'l str> {
    let from = before.len().checked_sub(label.len())?;
    let (prefix, found) = before.split_at_checked(from)?;
    if !found.eq_ignore_ascii_case(label) {
        return None;
    }
    let last = prefix.split_whitespace().next_back().unwrap_or_default();
    let apart = prefix.is_empty() || prefix.ends_with(char::is_whitespace);
    let of_log = last.is_empty()
        || last.starts_with(|c: char| c.is_ascii_digit())
        || last.ends_with(|c: char| !c.is_alphabetic() && c != '.' && c != ',');
    (apart && of_log).then_some(found)
}

fn run_label(before: &str) -> Option<(&str, Label)> {
    LABELS
        .iter()
        .filter_map(|(label, what)| Some((tail(before, label)?, *what)))
        .max_by_key(|(label, _)| label.len())
}

/// Metric and statistic of `Mean TTFT (ms)`.
fn latency(before: &str) -> Option<(&str, Metric, Stat)> {
    let named = before.strip_suffix(" (ms)")?;
    let (rest, metric) = LATENCIES
        .iter()
        .find_map(|(name, metric)| Some((named.strip_suffix(name)?.trim_end(), *metric)))?;
    let word = rest.rsplit(char::is_whitespace).next()?;
    let stat = super::aggregates::usual_stat(&word.to_ascii_lowercase())?;
    let label = before.get(rest.len() - word.len()..)?;
    Some((tail(before, label)?, metric, stat))
}

fn rate(text: &str) -> Option<RequestRate> {
    match number_of(text)? {
        rate if rate.is_infinite() => Some(RequestRate::Unlimited),
        rate if rate > 0.0 => Some(RequestRate::PerSecond(rate)),
        _ => None,
    }
}

/// The value of one argument as Python prints it; `None` for its own `None`.
fn argument<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let at = [' ', '('].iter().find_map(|before| {
        let sought = format!("{before}{key}=");
        Some(line.find(&sought)? + sought.len())
    })?;
    let rest = line.get(at..)?;
    let value = match rest.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'')?.0,
        None => rest.split([',', ')']).next()?,
    };
    (!value.is_empty() && value != "None").then_some(value)
}

/// A word of a table, where it is one.
fn word(text: &str) -> Option<String> {
    (!text.is_empty() && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// Limits as `ttft:110 tpot:18`, `'ttft:110', …` or `('ttft', 110.0), …`, in milliseconds.
fn limits(text: &str) -> Option<Vec<Limit>> {
    let apart = |c: char| !c.is_ascii_alphanumeric() && c != '.';
    let words: Vec<&str> = text.split(apart).filter(|word| !word.is_empty()).collect();
    let pairs = words.chunks(2).filter_map(|pair| {
        let [name, value] = pair else { return None };
        Some((*name, *value))
    });
    super::console::limits(pairs, |name| match name {
        "ttft" => Some(LimitMetric::Ttft),
        "tpot" => Some(LimitMetric::Tpot),
        "e2el" => Some(LimitMetric::E2e),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_label_counts_and_a_log_may_stand_before_it() {
        let text = "client-1  | Peak output token throughput (tok/s):  344.00\n\
                    2025-12-19T14:59:00Z Output token throughput (tok/s):  200.76\n\
                    TTFT SLO attainment (%):  81.67\n\
                    Some other Concurrency:  9\n";
        let found = read(text);
        let values: Vec<_> = found[0].reported.values.iter().map(|v| (v.metric, v.value)).collect();
        assert_eq!(values, [(Metric::PeakOutputRate, 344.0), (Metric::OutputThroughput, 200.76)]);
        assert_eq!(found[0].reported.further.len(), 1);
    }

    #[test]
    fn a_label_that_comes_again_opens_another_summary() {
        let one = "Mean TTFT (ms): 1.5\nP99.9 TTFT (ms): 3.5\n";
        let found = read(&format!("{one}{one}"));
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].reported.values[1].stat, Stat::Percentile(99.9));
    }

    #[test]
    fn arguments_are_taken_by_name_and_no_others() {
        let text = "Namespace(backend='vllm', model='made/x', tokenizer=None, header=['Key: made'], \
                    num_prompts=180, goodput=['ttft:110', 'e2el:1000'], extra=1)\n\
                    Traffic request rate: inf\nMaximum request concurrency: 16\n\
                    ============ Serving Benchmark Result ============\n\
                    Successful requests:                     180       \n\
                    ==================================================\n";
        let found = read(text);
        let summary = &found[0];
        assert_eq!(summary.workload.model.as_deref(), Some("made/x"));
        assert_eq!(summary.workload.tokenizer, None);
        assert_eq!(summary.load.requests, Some(180));
        assert_eq!(summary.load.max_concurrency, Some(16));
        assert_eq!(summary.load.request_rate, Some(RequestRate::Unlimited));
        let limits = summary.reported.limits.as_ref().unwrap();
        assert_eq!((limits[0].millis, limits[1].millis), (110.0, 1000.0));
        assert!(!format!("{summary:?}").contains("Key"), "headers stay out");
    }

    #[test]
    fn sglang_says_itself_and_its_limits() {
        let text = "============ Serving Benchmark Result ============\n\
                    Backend:                                 sglang    \n\
                    SLOs (ms):                               ttft:110 tpot:18 e2el:1000\n\
                    SLO attainment (%):                      81.67     \n\
                    Mean E2E Latency (ms):                   674.74    \n";
        let summary = &read(text)[0];
        assert_eq!(summary.tool, Tool::Sglang);
        assert_eq!(summary.reported.limits.as_ref().map(Vec::len), Some(3));
        let share = &summary.reported.values[0];
        assert_eq!((share.metric, share.scale), (Metric::SloShare, 0.01));
    }
}
