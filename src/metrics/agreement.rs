//! What the tool printed against what its rows give under its own ruler.

use super::detective::one_choice;
use super::evaluate::{Ask, Evaluation, evaluate};
use super::measured::{Measured, Value};
use super::own::{guidellm_minor, own};
use crate::model::{Limit, Metric, Outcome, ReportedValue, Run, Stat, Tool};
use crate::units::{Unit, significant};
use serde::{Deserialize, Serialize};

/// How a printed value and its recomputation compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same within the printed digits.
    Equal,
    /// Within 1 %, and not by rounding.
    Close,
    /// Further apart.
    Differs,
    /// The file does not allow the recomputation.
    NotRecomputable,
}

/// One printed value and its recomputation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The key as in the file.
    pub field: String,
    /// The metric it claims to be.
    pub metric: Metric,
    /// The statistic it claims to be.
    pub stat: Stat,
    /// The printed value, in the metric's unit.
    pub reported: f64,
    /// The recomputed value, in the metric's unit.
    pub recomputed: Option<f64>,
    /// A lower bound of it.
    pub low: Option<f64>,
    /// An upper bound of it.
    pub high: Option<f64>,
    /// How the two compare.
    pub verdict: Verdict,
    /// Why they differ, or why no more can be said; a sentence without its full stop.
    pub because: Option<String>,
    /// Whether it differs and neither another choice nor a known habit of the tool gives it.
    #[serde(default)]
    pub unexplained: bool,
}

/// Relative difference that floating arithmetic alone can make.
const ARITHMETIC: f64 = 1e-6;
/// Relative difference that still counts as close.
const CLOSE: f64 = 0.01;

/// Compares every aggregate that the tool of `run` printed with the rows, under the tool's own ruler.
///
/// Goodput uses the limits of the file; where it has none, those of `ask`. The printed duration is
/// left out: it is a reading of the tool's own clock by which rates are divided, and in no row.
pub fn agreement(run: &Run, ask: &Ask) -> Vec<Agreement> {
    let own = own(run).settings;
    let ask = own_ask(run, ask);
    let evaluation = evaluate(run, &own, &ask);
    run.reported
        .values
        .iter()
        .filter(|reported| reported.metric != Metric::Duration)
        .map(|reported| compare(run, reported, &evaluation, &ask))
        .collect()
}

/// The percentiles that were printed, and the limits behind the printed goodput.
fn own_ask(run: &Run, ask: &Ask) -> Ask {
    let mut percentiles: Vec<f64> = run
        .reported
        .values
        .iter()
        .filter_map(|value| match value.stat {
            Stat::Percentile(p) => Some(p),
            _ => None,
        })
        .collect();
    percentiles.sort_unstable_by(f64::total_cmp);
    percentiles.dedup();
    let limits = run.reported.limits.clone().unwrap_or_else(|| ask.limits.clone());
    Ask { percentiles, limits, excluded: Vec::new() }
}

fn compare(run: &Run, reported: &ReportedValue, evaluation: &Evaluation, ask: &Ask) -> Agreement {
    let mut result = Agreement {
        field: reported.field.clone(),
        metric: reported.metric,
        stat: reported.stat,
        reported: reported.value,
        recomputed: None,
        low: None,
        high: None,
        verdict: Verdict::NotRecomputable,
        because: None,
        unexplained: false,
    };
    if matches!(reported.metric, Metric::Goodput | Metric::SloShare) && ask.limits.is_empty() {
        result.because = Some("the file does not record the limits".into());
        return result;
    }
    let measured = evaluation.metrics.get(&reported.metric);
    let value = evaluation.value(reported.metric, reported.stat);
    match (value, measured) {
        (Value::Exact(value), _) => {
            result.recomputed = Some(value);
            result.verdict = verdict(reported, value);
            if reported.stat == Stat::Std && no_spread(reported, value, evaluation) {
                result.verdict = Verdict::Equal;
            }
            if result.verdict == Verdict::Differs || result.verdict == Verdict::Close {
                explain(run, reported, evaluation, &ask.limits, &mut result);
            }
        }
        (Value::AtLeast(low), Some(measured)) => bounded(&mut result, Some(low), None, measured),
        (Value::AtMost(high), Some(measured)) => bounded(&mut result, None, Some(high), measured),
        (Value::Between(low, high), Some(measured)) => {
            bounded(&mut result, Some(low), Some(high), measured);
        }
        (Value::Missing(reason), Some(Measured::Bounds { low, high, because }))
            if reported.stat == Stat::Std =>
        {
            let near = [low, high].into_iter().flatten().filter_map(|s| s.std);
            let near = near
                .min_by(|a, b| (a - reported.value).abs().total_cmp(&(b - reported.value).abs()));
            if near.is_some_and(|std| within(std, reported.value, CLOSE)) {
                result.verdict = Verdict::Close;
                result.because = Some(format!("{because}; the spread of the bounds is within 1 %"));
            } else {
                result.because = Some(reason);
            }
        }
        (Value::Missing(reason), _) => result.because = Some(reason),
        (_, Some(Measured::Reported { because, .. })) => result.because = Some(because.clone()),
        (_, _) => result.because = Some("not computed".into()),
    }
    result
}

fn bounded(result: &mut Agreement, low: Option<f64>, high: Option<f64>, measured: &Measured) {
    let because = match measured {
        Measured::Bounds { because, .. } | Measured::ScalarBounds { because, .. } => because,
        _ => "",
    };
    result.low = low;
    result.high = high;
    let printed = result.reported;
    let near = [low, high].into_iter().flatten().any(|bound| within(bound, printed, CLOSE));
    let outside = low.is_some_and(|low| printed < low) || high.is_some_and(|high| printed > high);
    let show = |bound: f64| with_unit(bound, result.metric);
    let bounds = match (low, high) {
        (Some(low), Some(high)) => format!("between {} and {}", show(low), show(high)),
        (Some(low), None) => format!("at least {}", show(low)),
        (_, Some(high)) => format!("at most {}", show(high)),
        (None, None) => "unknown".into(),
    };
    (result.verdict, result.because) = if near {
        (Verdict::Close, Some(format!("{because}: it is {bounds}")))
    } else if outside {
        (Verdict::Differs, Some(format!("the rows say it is {bounds}")))
    } else {
        (
            Verdict::NotRecomputable,
            Some(format!("{because}: it is {bounds}, which the printed value meets")),
        )
    };
}

/// The verdict on a printed value and an exact recomputation.
fn verdict(reported: &ReportedValue, value: f64) -> Verdict {
    let difference = (reported.value - value).abs();
    if difference <= half_last_digit(reported) || within(reported.value, value, ARITHMETIC) {
        Verdict::Equal
    } else if within(reported.value, value, CLOSE) {
        Verdict::Close
    } else {
        Verdict::Differs
    }
}

/// Whether two standard deviations are both nothing but rounding of their mean: equal values may give
/// 0 or 1e-14.
fn no_spread(reported: &ReportedValue, value: f64, evaluation: &Evaluation) -> bool {
    let mean = evaluation.value(reported.metric, Stat::Mean).exact().unwrap_or_default();
    reported.value.max(value) <= f64::EPSILON * 16.0 * mean.abs()
}

fn within(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

/// Half a unit in the last printed digit, in the metric's unit. The digits are those of the shortest
/// decimal form of the file's own figure. A printed zero has no digits to round to.
pub(super) fn half_last_digit(reported: &ReportedValue) -> f64 {
    let figure = reported.value / reported.scale;
    if figure.abs() < f64::MIN_POSITIVE {
        return 0.0;
    }
    // Fifteen digits: bringing the figure to ms and back may have moved the seventeenth.
    let rounded: f64 = format!("{figure:.14e}").parse().unwrap_or(figure);
    let text = rounded.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    0.5 * 10_f64.powi(-(decimals as i32)) * reported.scale
}

fn with_unit(value: f64, metric: Metric) -> String {
    match metric.unit() {
        Unit::Share => format!("{} %", significant(value * 100.0, 4)),
        unit => format!("{} {}", significant(value, 4), unit.symbol()),
    }
}

/// Why an exact recomputation is not the printed value.
fn explain(
    run: &Run,
    reported: &ReportedValue,
    evaluation: &Evaluation,
    limits: &[Limit],
    result: &mut Agreement,
) {
    if let Some(reason) = estimated(run, reported, result.verdict) {
        result.because = Some(reason);
        return;
    }
    if let Some(reason) = by_design(run, reported, evaluation) {
        result.verdict = Verdict::NotRecomputable;
        result.because = Some(reason);
        return;
    }
    let other = one_choice(run, reported, limits).map(|(dimension, choice)| {
        format!(
            "it matches with {dimension} = {choice}, which is not what this version of the tool is known to use"
        )
    });
    result.unexplained = other.is_none() && result.verdict == Verdict::Differs;
    result.because = other.or_else(|| {
        let ratio = reported.value / result.recomputed.filter(|r| r.abs() > 0.0)?;
        Some(format!(
            "no single other definition gives it; it is {} times the recomputed value{}",
            significant(ratio, 3),
            other_unit(reported.metric, ratio).unwrap_or_default()
        ))
    });
}

/// A printed time that is off by a power of a thousand is most likely one in another unit.
fn other_unit(metric: Metric, ratio: f64) -> Option<&'static str> {
    let is = |wanted: f64| (ratio / wanted - 1.0).abs() < 1e-3;
    if metric.unit() != Unit::Millis {
        return None;
    }
    if is(1e-3) {
        Some(", as a time in seconds is where ms are meant")
    } else if is(1e3) {
        Some(", as a time in µs is where ms are meant")
    } else if is(1e6) {
        Some(", as a time in ns is where ms are meant")
    } else {
        None
    }
}

/// Printed values that are known not to follow from the rows of their file.
fn by_design(run: &Run, reported: &ReportedValue, evaluation: &Evaluation) -> Option<String> {
    if matches!(reported.metric, Metric::Goodput | Metric::SloShare)
        && run.reported.limits.is_none()
    {
        return Some(
            "the file does not record the limits behind it, which may be others than those that are set"
                .into(),
        );
    }
    match run.tool {
        Tool::Sglang => by_design_of_sglang(run, reported, evaluation),
        Tool::Aiperf => by_design_of_aiperf(run, reported),
        Tool::Guidellm => by_design_of_guidellm(run, reported),
        Tool::Llmperf => llmperf_by_design(run, reported.metric),
        Tool::GenaiPerf | Tool::PerfAnalyzer if reported.metric == Metric::Completed => {
            answered_only(run, reported)
        }
        _ => None,
    }
}

/// GuideLLM's rates are means over stretches between events, which are not always totals over the
/// printed duration.
fn by_design_of_guidellm(run: &Run, reported: &ReportedValue) -> Option<String> {
    let of_tokens = matches!(reported.metric, Metric::OutputThroughput | Metric::TotalThroughput);
    let rate = of_tokens
        || matches!(
            reported.metric,
            Metric::RequestThroughput
                | Metric::InputThroughput
                | Metric::MeanConcurrency
                | Metric::Goodput
        );
    let requests = run.requests.as_ref().filter(|_| rate)?;
    let trimmed = || run.provenance.notices.iter().any(|n| n.kind == "outside-the-window");
    let reason = match guidellm_minor(run) {
        2 | 3 if reported.metric == Metric::TotalThroughput => {
            "GuideLLM 0.2 and 0.3 count the prompt twice in this rate, and leave out the first token of all"
        }
        2 | 3 if of_tokens && requests.count(Outcome::Ok) == requests.len() => {
            "GuideLLM 0.2 and 0.3 leave the first token of all out of this rate"
        }
        2 | 3 if requests.count(Outcome::Ok) < requests.len() => {
            "GuideLLM 0.2 and 0.3 divide by the time that the finished requests took, not by the printed duration"
        }
        4..=7 => {
            "GuideLLM 0.4 to 0.7 average this rate over stretches between events, without what does not end inside the measured window"
        }
        8.. if trimmed() => {
            "requests reach over the edges of the measured window, and this rate holds only what happened inside it"
        }
        _ => return None,
    };
    Some(reason.into())
}

/// Why a printed value is an estimate of what the rows give: AIPerf 0.8 to 0.10 kept its gaps between
/// chunks in a t-digest.
fn estimated(run: &Run, reported: &ReportedValue, verdict: Verdict) -> Option<String> {
    let version = run.version.exact.as_deref()?.strip_prefix("0.")?;
    let minor: u32 = version.split('.').next()?.parse().ok()?;
    let digest = run.tool == Tool::Aiperf && (8..=10).contains(&minor);
    let percentile = matches!(reported.stat, Stat::Percentile(_) | Stat::Median);
    (digest && percentile && reported.metric == Metric::ChunkGap && verdict == Verdict::Close).then(
        || {
            "AIPerf 0.8 to 0.10 estimates the percentiles of its gaps with a t-digest, some 0.05 % off"
                .into()
        },
    )
}

fn by_design_of_aiperf(run: &Run, reported: &ReportedValue) -> Option<String> {
    let requests = run.requests.as_ref()?;
    let count = |outcome| requests.count(outcome) as f64;
    let rate = matches!(
        reported.metric,
        Metric::RequestThroughput
            | Metric::OutputThroughput
            | Metric::InputThroughput
            | Metric::TotalThroughput
            | Metric::Goodput
    );
    if reported.metric == Metric::Failed && count(Outcome::Cancelled) > 0.0 {
        let both = count(Outcome::Failed) + count(Outcome::Cancelled);
        return (verdict(reported, both) == Verdict::Equal).then(|| {
            format!("AIPerf counts the {} cancelled requests as failed", count(Outcome::Cancelled))
        });
    }
    (rate && run.reported.value(Metric::Duration).is_none()).then(|| {
        "AIPerf divides by the length of the phase, which is in profile_export_aiperf.json".into()
    })
}

/// What SGLang's client prints from other data than it writes into its rows.
fn by_design_of_sglang(
    run: &Run,
    reported: &ReportedValue,
    evaluation: &Evaluation,
) -> Option<String> {
    let chat = run.workload.backend.as_deref().is_some_and(|b| b.starts_with("sglang-oai"));
    let setting = |name: &str| {
        run.workload.settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    };
    let speculates = setting("accept_length")
        .and_then(|v| v.parse::<f64>().ok())
        .is_some_and(|length| length > 0.0);
    match reported.metric {
        Metric::Itl if chat && speculates => Some(
            "with speculative decoding SGLang prints its ITL from gaps split by re-tokenized text, while the file holds one gap an event".into(),
        ),
        Metric::TotalInputTokens | Metric::InputThroughput | Metric::TotalThroughput => {
            let printed = run.reported.value(Metric::TotalInputTokens)?;
            let rows = evaluation.value(Metric::TotalInputTokens, Stat::Value).exact()?;
            (!within(printed, rows, ARITHMETIC)).then(|| {
                format!(
                    "SGLang prints input tokens by the length of its prompts ({}), while the rows hold the server’s count ({})",
                    significant(printed, 6),
                    significant(rows, 6)
                )
            })
        }
        _ => None,
    }
}

fn llmperf_by_design(run: &Run, metric: Metric) -> Option<String> {
    let lists = run.requests.as_ref().is_some_and(|requests| requests.request_itl.is_absent());
    match metric {
        Metric::UserSpeed => Some(
            "before April 2024 LLMPerf divided the received events by the latency, and no row holds their number".into(),
        ),
        Metric::Itl if lists => {
            Some("LLMPerf pools the times of each request, that to the first token among them".into())
        }
        _ => None,
    }
}

/// GenAI-Perf's `request_count` is that of the replies with answer text, where it is that.
fn answered_only(run: &Run, reported: &ReportedValue) -> Option<String> {
    let requests = run.requests.as_ref()?;
    let answered = (0..requests.len())
        .filter(|at| requests.outcome.get(*at) == Some(&Outcome::Ok))
        .filter(|at| !requests.lacks_answer(*at) && !requests.is_empty_reply(*at))
        .count();
    within(reported.value, answered as f64, ARITHMETIC).then(|| {
        format!(
            "GenAI-Perf counts replies with answer text ({answered}); {} finished",
            requests.count(Outcome::Ok)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(value: f64, scale: f64) -> ReportedValue {
        ReportedValue {
            field: "x".into(),
            metric: Metric::Ttft,
            stat: Stat::Mean,
            value: value * scale,
            scale,
        }
    }

    #[test]
    fn equal_within_half_the_last_printed_digit() {
        assert_eq!(verdict(&reported(41.8, 1.0), 41.849), Verdict::Equal);
        assert_eq!(verdict(&reported(41.8, 1.0), 41.851), Verdict::Close);
        assert_eq!(verdict(&reported(41.8, 1.0), 43.0), Verdict::Differs);
        // Printed in seconds with three decimals: half a millisecond.
        assert_eq!(verdict(&reported(0.418, 1e3), 418.49), Verdict::Equal);
        assert_eq!(verdict(&reported(0.418, 1e3), 418.51), Verdict::Close);
        // Full precision: arithmetic only.
        assert_eq!(verdict(&reported(41.812_345_678_901, 1.0), 41.812_36), Verdict::Equal);
        assert_eq!(verdict(&reported(41.812_345_678_901, 1.0), 41.813), Verdict::Close);
    }

    #[test]
    fn a_printed_zero_is_equal_to_zero_only() {
        assert_eq!(verdict(&reported(0.0, 1.0), 0.3), Verdict::Differs);
        assert_eq!(verdict(&reported(0.0, 1.0), 0.0), Verdict::Equal);
    }
}
