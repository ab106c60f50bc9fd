//! Limits of an SLO: how they are written and read.
//!
//! ```text
//! limit  = metric ("<=" | "≤" | "<" | ":" | "=") bound
//! metric = "ttft" | "tpot" | "e2e" | "e2el" | "itl.max" | "itl.mean" | "itl.pNN"
//! bound  = time | scaled | time "+" scaled | scaled "+" time
//! scaled = tokens "*" time | time "*" tokens     so much time for each token
//!        | tokens "/" number "s"                 a second for so many tokens
//! tokens = "input_tokens" | "output_tokens"
//! time   = number ("ms" | "s" | "us" | "µs")     a bare number is in milliseconds
//! ```

use crate::model::{Length, Limit, LimitMetric, Pace, Scaled};
use std::fmt;

/// Why a limit could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{given}” is no limit: {reason}. {advice}")]
pub struct LimitError {
    given: String,
    /// Why, as a clause.
    pub reason: &'static str,
    /// What to write instead.
    pub advice: &'static str,
}

const ADVICE: &str = "Write it like ttft<=500ms, tpot<=50ms, e2e<=2s or ttft<=input_tokens/512s";
const ADVICE_ITL: &str = "Write it like itl.max<=200ms, itl.p99<=100ms or itl.mean<=50ms";
const ADVICE_BOUND: &str = "Write a time (500ms, 2s), a time for each token (output_tokens*20ms, input_tokens/512s), or both with + between";

/// A reason with its advice.
type Fault = (&'static str, &'static str);

const ONLY_UPPER: Fault = ("a latency limit is an upper one", ADVICE);
const WHICH_ITL: Fault = (
    "a request has many ITL samples, so which of them must be at most that has to be said",
    ADVICE_ITL,
);

impl std::str::FromStr for Limit {
    type Err = LimitError;

    /// Reads `ttft<=500ms`, `itl.p99<=100ms`, `e2e<=1s+output_tokens*20ms`; see the grammar above.
    fn from_str(text: &str) -> Result<Self, LimitError> {
        read(text).map_err(|(reason, advice)| LimitError {
            given: text.trim().to_owned(),
            reason,
            advice,
        })
    }
}

impl Limit {
    /// The limit of `metric` with the bound that is written in `text`, as in `500ms` or
    /// `1s+output_tokens*20ms`.
    ///
    /// # Errors
    /// When `text` is no bound.
    pub fn bounded(metric: LimitMetric, text: &str) -> Result<Self, LimitError> {
        bound(&compact(text)).map(|(millis, scaled)| Self { metric, millis, scaled }).map_err(
            |(reason, advice)| LimitError { given: text.trim().to_owned(), reason, advice },
        )
    }

    /// The bound as it is written: `500ms`, `input_tokens/512s`, `1000ms+output_tokens*20ms`.
    pub fn bound(&self) -> String {
        let Some(scaled) = self.scaled else { return format!("{}ms", self.millis) };
        let tokens = length_id(scaled.by);
        let part = match scaled.pace {
            Pace::MillisPerToken(millis) => format!("{tokens}*{millis}ms"),
            Pace::TokensPerSecond(rate) => format!("{tokens}/{rate}s"),
        };
        if self.millis > 0.0 { format!("{}ms+{part}", self.millis) } else { part }
    }
}

/// The name of a length in limits.
const fn length_id(length: Length) -> &'static str {
    match length {
        Length::Input => "input_tokens",
        Length::Output => "output_tokens",
    }
}

fn compact(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

fn read(text: &str) -> Result<Limit, Fault> {
    let compact = compact(text);
    let split = compact
        .find(['<', '≤', ':', '=', '>', '≥'])
        .ok_or(("it has no “<=” between metric and time", ADVICE))?;
    let (name, rest) = compact.split_at(split);
    if rest.starts_with(['>', '≥']) {
        return Err(ONLY_UPPER);
    }
    let name = if name == "e2el" { "e2e" } else { name };
    let metric = match LimitMetric::from_id(name) {
        Some(metric) => metric,
        None if name.starts_with("itl") => return Err(WHICH_ITL),
        None => {
            return Err((
                "the metric must be ttft, tpot, e2e or itl with max, mean or a percentile",
                ADVICE,
            ));
        }
    };
    let (millis, scaled) = bound(rest.trim_start_matches(['<', '≤', ':', '=']))?;
    Ok(Limit { metric, millis, scaled })
}

/// A bound without spaces, as its constant in milliseconds and the part that grows.
fn bound(text: &str) -> Result<(f64, Option<Scaled>), Fault> {
    let (mut constant, mut scaled) = (None, None);
    // A sign inside a number, as in 1e+3, is no sum of two parts.
    for part in text.replace("e+", "e").split('+') {
        if part.contains("tokens") {
            if scaled.replace(growing(part)?).is_some() {
                return Err(("it grows with more than one length", ADVICE_BOUND));
            }
        } else if constant.replace(time(part)?).is_some() {
            return Err(("it has more than one time", ADVICE_BOUND));
        }
    }
    match (constant, scaled) {
        (Some(millis), scaled) => Ok((millis, scaled)),
        (None, Some(scaled)) => Ok((0.0, Some(scaled))),
        (None, None) => Err(("it has no time", ADVICE_BOUND)),
    }
}

/// `input_tokens/512s`, `output_tokens*20ms`, `20ms*output_tokens`.
fn growing(part: &str) -> Result<Scaled, Fault> {
    let length = |name: &str| match name {
        "input_tokens" => Ok(Length::Input),
        "output_tokens" => Ok(Length::Output),
        _ => Err(("the length must be input_tokens or output_tokens", ADVICE_BOUND)),
    };
    if let Some((name, rate)) = part.split_once('/') {
        let by = length(name)?;
        let rate = rate.strip_suffix('s').ok_or(NO_RATE)?.parse().map_err(|_| NO_RATE)?;
        return Ok(Scaled { by, pace: Pace::TokensPerSecond(positive(rate)?) });
    }
    let (left, right) = part
        .split_once(['*', '×', '·'])
        .ok_or(("a length needs a time for each token beside it", ADVICE_BOUND))?;
    let (name, each) = if left.contains("tokens") { (left, right) } else { (right, left) };
    Ok(Scaled { by: length(name)?, pace: Pace::MillisPerToken(time(each)?) })
}

const NO_RATE: Fault = (
    "after a length and “/” comes a number of tokens and s, as in input_tokens/512s",
    ADVICE_BOUND,
);

/// A time in milliseconds.
fn time(text: &str) -> Result<f64, Fault> {
    let (number, factor) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1.0)
    } else if let Some(number) = text.strip_suffix("us").or(text.strip_suffix("µs")) {
        (number, 1e-3)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1e3)
    } else {
        (text, 1.0)
    };
    let value: f64 = number.parse().map_err(|_| {
        if number.contains(',') {
            ("its time has a comma where a point stands for decimals", ADVICE)
        } else {
            ("its time is not a number with ms or s", ADVICE)
        }
    })?;
    positive(value * factor)
}

fn positive(value: f64) -> Result<f64, Fault> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(("its time must be a number above zero", ADVICE))
    }
}

impl fmt::Display for Limit {
    /// Writes `ttft<=500ms`, which reads back as the same limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<={}", self.metric, self.bound())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Aggregation;
    use proptest::prelude::*;

    #[test]
    fn limits_are_read_in_every_usual_spelling() {
        for (text, metric, millis) in [
            ("ttft<=500ms", LimitMetric::Ttft, 500.0),
            ("TPOT <= 50 ms", LimitMetric::Tpot, 50.0),
            ("e2e<=1s", LimitMetric::E2e, 1000.0),
            ("e2el:1000", LimitMetric::E2e, 1000.0),
            ("ttft≤0.2s", LimitMetric::Ttft, 200.0),
            ("tpot<250us", LimitMetric::Tpot, 0.25),
            ("itl.max<=200ms", LimitMetric::Itl(Aggregation::Max), 200.0),
            ("ITL.p99 <= 100ms", LimitMetric::Itl(Aggregation::Percentile(99_000)), 100.0),
            ("itl.mean<=1e+2", LimitMetric::Itl(Aggregation::Mean), 100.0),
        ] {
            let limit: Limit = text.parse().unwrap();
            assert_eq!(limit, Limit::at_most(metric, millis), "{text}");
            assert_eq!(limit.to_string().parse::<Limit>().unwrap(), limit);
        }
    }

    #[test]
    fn limits_that_grow_with_a_length_are_read() {
        for (text, by, pace, millis) in [
            ("ttft<=input_tokens/512s", Length::Input, Pace::TokensPerSecond(512.0), 0.0),
            ("e2e<=1s+output_tokens*20ms", Length::Output, Pace::MillisPerToken(20.0), 1000.0),
            (
                "e2e <= 20ms × output_tokens + 1s",
                Length::Output,
                Pace::MillisPerToken(20.0),
                1000.0,
            ),
        ] {
            let limit: Limit = text.parse().unwrap();
            assert_eq!(limit.scaled, Some(Scaled { by, pace }), "{text}");
            assert!((limit.millis - millis).abs() < 1e-12, "{text}");
            assert_eq!(limit.to_string().parse::<Limit>().unwrap(), limit);
        }
        let limit: Limit = "ttft<=input_tokens/512s".parse().unwrap();
        assert_eq!(limit.to_string(), "ttft<=input_tokens/512s", "as it was written");
    }

    #[test]
    fn bad_limits_say_why_and_how() {
        for (text, says, how) in [
            ("ttft", "no “<=”", "ttft<=500ms"),
            ("speed<=5ms", "must be ttft, tpot, e2e or itl", "ttft<=500ms"),
            ("ttft<=fast", "not a number", "ttft<=500ms"),
            ("ttft<=-5ms", "above zero", "ttft<=500ms"),
            ("ttft<=23,4ms", "a comma where a point stands", "ttft<=500ms"),
            ("ttft<=1e400", "a number above zero", "ttft<=500ms"),
            ("ttft<=inf", "above zero", "ttft<=500ms"),
            ("ttft>=5ms", "upper one", "ttft<=500ms"),
            ("itl<=20ms", "many ITL samples", "itl.p99<=100ms"),
            ("itl.p0<=20ms", "many ITL samples", "itl.p99<=100ms"),
            ("ttft<=input_tokens", "a time for each token", "input_tokens/512s"),
            ("ttft<=input_tokens/512", "a number of tokens and s", "input_tokens/512s"),
            ("ttft<=prompt_tokens/512s", "input_tokens or output_tokens", "input_tokens/512s"),
            ("e2e<=1s+2s", "more than one time", "output_tokens*20ms"),
            ("e2e<=input_tokens/5s+output_tokens/5s", "more than one length", "with + between"),
            ("e2e<=output_tokens*0ms", "above zero", "ttft<=500ms"),
            ("e2e<=", "not a number", "ttft<=500ms"),
            ("", "no “<=”", "ttft<=500ms"),
        ] {
            let error = text.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(error.contains(how), "{error}");
        }
    }

    fn any_metric() -> impl Strategy<Value = LimitMetric> {
        prop_oneof![
            Just(LimitMetric::Ttft),
            Just(LimitMetric::Tpot),
            Just(LimitMetric::E2e),
            Just(LimitMetric::Itl(Aggregation::Mean)),
            Just(LimitMetric::Itl(Aggregation::Max)),
            (1_u32..=100_000).prop_map(|p| LimitMetric::Itl(Aggregation::Percentile(p))),
        ]
    }

    fn any_scaled() -> impl Strategy<Value = Scaled> {
        let by = prop_oneof![Just(Length::Input), Just(Length::Output)];
        let number = 1e-6_f64..1e9;
        let pace = (any::<bool>(), number).prop_map(|(per_token, number)| {
            if per_token { Pace::MillisPerToken(number) } else { Pace::TokensPerSecond(number) }
        });
        (by, pace).prop_map(|(by, pace)| Scaled { by, pace })
    }

    proptest! {
        #[test]
        fn every_limit_reads_back_as_itself(
            metric in any_metric(),
            millis in 1e-6_f64..1e9,
            constant in any::<bool>(),
            scaled in prop::option::of(any_scaled()),
        ) {
            let millis = if constant || scaled.is_none() { millis } else { 0.0 };
            let limit = Limit { metric, millis, scaled };
            prop_assert_eq!(limit.to_string().parse::<Limit>().unwrap(), limit);
            prop_assert_eq!(Limit::bounded(metric, &limit.bound()).unwrap(), limit);
            let json = serde_json::to_string(&limit).unwrap();
            prop_assert_eq!(serde_json::from_str::<Limit>(&json).unwrap(), limit);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,40}") {
            let _ = text.parse::<Limit>();
            let _ = Limit::bounded(LimitMetric::Ttft, &text);
        }
    }
}
