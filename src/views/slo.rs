//! The SLO in words: each limit, and the five parts without which an SLO says nothing.

use super::capacity::percent;
use super::labels::{self, trimmed};
use super::measure::{Measurement, selected};
use super::{Context, numbers};
use crate::metrics::settings::{GoodputUnit, Window};
use crate::metrics::{Evaluation, Goodput, GoodputResult, LimitShare, Settings, Within};
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
    let share = share(settings, evaluation);
    let window = window(settings);
    let workload = workload(run, evaluation);
    let load = match labels::load(&run.load).as_str() {
        "not recorded" => "load not recorded".to_owned(),
        words => format!("at {words}"),
    };
    let sentence = format!("{share}: {metric}; {window}; {workload}; {load}.");
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

/// "99 % of all sent requests (here 81.0 %)", or what is measured where no share is asked for.
fn share(settings: &Settings, evaluation: &Evaluation) -> String {
    let kept = match &evaluation.goodput {
        GoodputResult::Known(goodput) if goodput.of > 0.0 => Ok(percent(goodput.share_of_sent)),
        GoodputResult::Unavailable(reason) => Err(reason.clone()),
        _ => Err("no request is left to take a share of".to_owned()),
    };
    match (settings.goodput_unit, kept) {
        (GoodputUnit::MaxLoadAtAttainment(wanted), kept) => {
            let kept = kept.unwrap_or_else(|_| "not known".to_owned());
            format!("{} % of the requests sent (here {kept})", trimmed(wanted * 100.0))
        }
        (_, Ok(kept)) => format!("Met by {kept} of the requests sent (no share is set)"),
        (_, Err(_)) => {
            "No share is set, and how many of the requests sent meet it is not known".to_owned()
        }
    }
}

/// All units of goodput under their names, the joint share first, then each limit by itself.
pub fn goodput_lines(result: &GoodputResult, settings: &Settings) -> Vec<(String, String)> {
    let none = |because: &str| vec![("goodput".to_owned(), format!("— {because}"))];
    let goodput = match result {
        GoodputResult::Known(goodput) => goodput,
        GoodputResult::Unavailable(because) => return none(because),
        GoodputResult::NoLimits => return none("no limit is set"),
    };
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| lines.push((name.to_owned(), text));
    let at_most = |within: Within| if within.exact().is_some() { "" } else { "≤ " };
    line(
        "within limits",
        format!(
            "{}{} of {}, {}",
            at_most(goodput.good),
            fixed(goodput.good.high, 0),
            fixed(goodput.of, 0),
            percent(goodput.share)
        ),
    );
    if let Some(interval) = goodput.interval {
        let [low, high] = [interval.low, interval.high].map(|end| fixed(end * 100.0, 0));
        line("95 % interval", format!("{low} to {high} %"));
    }
    let rate = |value: &Result<Within, String>, unit: &str| match value {
        Ok(within) => format!("{}{} {unit}", at_most(*within), numbers::rate(within.high, 4)),
        Err(because) => format!("— {because}"),
    };
    line("goodput", rate(&goodput.per_second, "req/s"));
    if let Some(interval) = goodput.per_second_interval {
        let [low, high] = [interval.low, interval.high].map(|end| numbers::rate(end, 3));
        line("goodput, 95 % interval", format!("{low} to {high} req/s"));
    }
    line("good tokens", rate(&goodput.tokens_per_second, "tok/s"));
    line("share of sent", percent(goodput.share_of_sent));
    line("share of finished", percent(goodput.share_of_finished));
    if let GoodputUnit::MaxLoadAtAttainment(wanted) = settings.goodput_unit {
        line(
            &format!("attains {} %", trimmed(wanted * 100.0)),
            attains(goodput, wanted).to_owned(),
        );
    }
    for (limit, text) in each_limit(goodput) {
        line(&limit, text);
    }
    lines
}

/// Whether a run attains a share, in a word.
pub fn attains(goodput: &Goodput, wanted: f64) -> &'static str {
    match goodput.attains(wanted) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    }
}

/// Each limit by itself: its words, its share, and whether it is the one that binds.
pub fn each_limit(goodput: &Goodput) -> Vec<(String, String)> {
    let one = |(at, each): (usize, &LimitShare)| {
        let binds = if goodput.binding == Some(at) { ", binds" } else { "" };
        (limit_in_words(&each.limit), format!("{}{binds}", percent(each.share)))
    };
    goodput.each.iter().enumerate().map(one).collect()
}

/// "over the whole run", "over the window skip-first:8".
fn window(settings: &Settings) -> String {
    match settings.window {
        Window::Whole => "over the whole run".to_owned(),
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
