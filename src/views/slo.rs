//! The SLO in words: each limit, and the five parts without which an SLO says nothing.

use super::Context;
use super::labels::{self, trimmed};
use super::measure::{Measurement, selected};
use crate::metrics::{Evaluation, GoodputResult, Settings, settings};
use crate::model::{Length, Limit, LimitMetric, Metric, Pace, Run, RunId, Stat};
use crate::units::fixed;
use serde::{Deserialize, Serialize};

/// The metric of a limit as it is shown: "TTFT", "ITL p99".
pub fn limit_name(metric: LimitMetric) -> String {
    match metric {
        LimitMetric::Itl(aggregation) => format!("ITL {aggregation}"),
        metric => metric.metric().name().to_owned(),
    }
}

/// The bound of a limit: "250 ms", "input tokens ÷ 512 s", "1,000 ms + 20 ms × output tokens".
pub fn bound_in_words(limit: &Limit) -> String {
    let constant = format!("{} ms", trimmed(limit.millis));
    let Some(scaled) = limit.scaled else { return constant };
    let tokens = match scaled.by {
        Length::Input => "input tokens",
        Length::Output => "output tokens",
    };
    let part = match scaled.pace {
        Pace::MillisPerToken(millis) => format!("{} ms × {tokens}", trimmed(millis)),
        Pace::TokensPerSecond(rate) => format!("{tokens} ÷ {} s", trimmed(rate)),
    };
    if limit.millis > 0.0 { format!("{constant} + {part}") } else { part }
}

/// "TTFT ≤ 250 ms", "ITL p99 ≤ 100 ms", "TTFT ≤ input tokens ÷ 512 s".
pub fn limit_in_words(limit: &Limit) -> String {
    format!("{} ≤ {}", limit_name(limit.metric), bound_in_words(limit))
}

/// "TTFT ≤ 110 ms, TPOT ≤ 18 ms".
pub fn limits_in_words(limits: &[Limit]) -> String {
    limits.iter().map(limit_in_words).collect::<Vec<_>>().join(", ")
}

/// The SLO of one run, written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The run.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// The five parts: metric, share, window, workload, load.
    pub parts: Vec<(String, String)>,
    /// The same as one sentence.
    pub sentence: String,
}

/// The SLO of each selected run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SloView {
    /// One statement a run, the baseline's first; none where no limit is set.
    pub statements: Vec<Statement>,
}

/// Writes the SLO out for the selected runs.
pub fn slo(all: &[&Run], context: &Context) -> SloView {
    if context.limits.is_empty() {
        return SloView::default();
    }
    let state = |measured: &Measurement<'_>| {
        statement(
            measured.run,
            &measured.name,
            &context.limits,
            &measured.settings,
            &measured.evaluation,
        )
    };
    SloView { statements: selected(all, context).iter().map(state).collect() }
}

/// Writes the SLO out for one run: what the file does not give is said.
pub fn statement(
    run: &Run,
    name: &str,
    limits: &[Limit],
    settings: &Settings,
    evaluation: &Evaluation,
) -> Statement {
    let metric: Vec<String> = limits.iter().map(limit_in_words).collect();
    let metric = metric.join(" and ");
    let share = share(evaluation);
    let window = window(settings);
    let workload = workload(run, evaluation);
    let load = match labels::load(&run.load).as_str() {
        "not recorded" => "load not recorded".to_owned(),
        words => format!("at {words}"),
    };
    let sentence = format!("{share}: {metric}, {window}, {workload}, {load}.");
    let parts = [
        ("Metric", metric),
        ("Share", share),
        ("Window", window),
        ("Workload", workload),
        ("Load", load),
    ];
    Statement {
        run: run.id.clone(),
        name: name.to_owned(),
        parts: parts.map(|(part, text)| (part.to_owned(), text)).into(),
        sentence,
    }
}

/// "Share not set, 81.0 % of 84 requests keep all limits", or why that is not known.
fn share(evaluation: &Evaluation) -> String {
    let kept = match &evaluation.goodput {
        GoodputResult::Known(goodput) if goodput.of > 0.0 => {
            let share = goodput.share;
            let percent = match share.exact() {
                Some(share) => fixed(share * 100.0, 1),
                None => {
                    format!("{} to {}", fixed(share.low * 100.0, 1), fixed(share.high * 100.0, 1))
                }
            };
            format!("{percent} % of {} requests keep all limits", fixed(goodput.of, 0))
        }
        _ => "how many requests keep all limits is not known".to_owned(),
    };
    format!("Share not set, {kept}")
}

/// "over the whole run", "over the window skip-first:8".
fn window(settings: &Settings) -> String {
    match settings.window {
        settings::Window::Whole => "over the whole run".to_owned(),
        window => format!("over the window {window}"),
    }
}

/// "128 → 64 tokens of mock-model".
fn workload(run: &Run, evaluation: &Evaluation) -> String {
    let mean = |metric| evaluation.value(metric, Stat::Mean).number();
    let lengths = match (mean(Metric::InputTokens), mean(Metric::OutputTokens)) {
        (Some(input), Some(output)) => {
            format!("{} → {} tokens", fixed(input, 0), fixed(output, 0))
        }
        (Some(input), None) => format!("{} → unknown tokens", fixed(input, 0)),
        (None, Some(output)) => format!("unknown → {} tokens", fixed(output, 0)),
        (None, None) => "lengths not recorded".to_owned(),
    };
    match &run.workload.model {
        Some(model) => format!("{lengths} of {model}"),
        None => format!("{lengths}, model not recorded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_with_their_units() {
        for (text, words) in [
            ("ttft<=250ms", "TTFT ≤ 250 ms"),
            ("itl.p99<=0.1s", "ITL p99 ≤ 100 ms"),
            ("itl.max<=1s", "ITL max ≤ 1,000 ms"),
            ("ttft<=input_tokens/512s", "TTFT ≤ input tokens ÷ 512 s"),
            ("e2e<=1s+output_tokens*20ms", "E2E ≤ 1,000 ms + 20 ms × output tokens"),
        ] {
            assert_eq!(limit_in_words(&text.parse().unwrap()), words);
        }
    }
}
