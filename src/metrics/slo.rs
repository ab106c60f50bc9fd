//! Limits of an SLO: how they are written and read.

use crate::model::{Limit, LimitMetric, Metric};
use std::fmt;

/// Why a limit could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{given}” is no limit: {reason}. Write it like ttft<=500ms, tpot<=50ms or e2e<=2s")]
pub struct LimitError {
    given: String,
    reason: &'static str,
}

impl LimitMetric {
    /// The id in limits: `ttft`, `tpot`, `e2e`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Tpot => "tpot",
            Self::E2e => "e2e",
        }
    }

    /// The metric that is limited.
    pub const fn metric(self) -> Metric {
        match self {
            Self::Ttft => Metric::Ttft,
            Self::Tpot => Metric::Tpot,
            Self::E2e => Metric::E2e,
        }
    }
}

impl std::str::FromStr for Limit {
    type Err = LimitError;

    /// Reads `ttft<=500ms`; a bare number is in milliseconds, and `≤`, `<`, `:` and `=` are taken too.
    fn from_str(text: &str) -> Result<Self, LimitError> {
        let error = |reason| LimitError { given: text.trim().to_owned(), reason };
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let split = compact
            .find(['<', '≤', ':', '=', '>', '≥'])
            .ok_or_else(|| error("it has no “<=” between metric and time"))?;
        let (name, rest) = compact.split_at(split);
        if rest.starts_with(['>', '≥']) {
            return Err(error("a latency limit is an upper one"));
        }
        let metric = match name.to_ascii_lowercase().as_str() {
            "ttft" => LimitMetric::Ttft,
            "tpot" => LimitMetric::Tpot,
            "e2e" | "e2el" => LimitMetric::E2e,
            "itl" => {
                return Err(error("ITL has many values a request; limit TPOT, its mean, instead"));
            }
            _ => return Err(error("the metric must be ttft, tpot or e2e")),
        };
        let time = rest.trim_start_matches(['<', '≤', ':', '=']).to_ascii_lowercase();
        let (number, factor) = if let Some(number) = time.strip_suffix("ms") {
            (number, 1.0)
        } else if let Some(number) = time.strip_suffix("us").or(time.strip_suffix("µs")) {
            (number, 1e-3)
        } else if let Some(number) = time.strip_suffix('s') {
            (number, 1e3)
        } else {
            (time.as_str(), 1.0)
        };
        let value: f64 =
            number.parse().map_err(|_| error("its time is not a number with ms or s"))?;
        if !value.is_finite() || value <= 0.0 {
            return Err(error("its time must be above zero"));
        }
        Ok(Self { metric, millis: value * factor })
    }
}

impl fmt::Display for Limit {
    /// Writes `ttft<=500ms`, which reads back as the same limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<={}ms", self.metric.id(), self.millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_in_every_usual_spelling() {
        for (text, metric, millis) in [
            ("ttft<=500ms", LimitMetric::Ttft, 500.0),
            ("TPOT <= 50 ms", LimitMetric::Tpot, 50.0),
            ("e2e<=1s", LimitMetric::E2e, 1000.0),
            ("e2el:1000", LimitMetric::E2e, 1000.0),
            ("ttft≤0.2s", LimitMetric::Ttft, 200.0),
            ("tpot<250us", LimitMetric::Tpot, 0.25),
        ] {
            let limit: Limit = text.parse().unwrap();
            assert_eq!(limit, Limit { metric, millis }, "{text}");
            assert_eq!(limit.to_string().parse::<Limit>().unwrap(), limit);
        }
    }

    #[test]
    fn bad_limits_say_why_and_how() {
        for (text, says) in [
            ("ttft", "no “<=”"),
            ("speed<=5ms", "must be ttft, tpot or e2e"),
            ("ttft<=fast", "not a number"),
            ("ttft<=-5ms", "above zero"),
            ("ttft<=inf", "above zero"),
            ("ttft>=5ms", "upper one"),
            ("itl<=20ms", "many values"),
            ("", "no “<=”"),
        ] {
            let error = text.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(error.contains("ttft<=500ms"), "{error}");
        }
    }
}
