//! A limit of an SLO: what of a request may be at most how much.

use super::reported::Metric;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the many gaps of one request become the one number that a limit is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aggregation {
    /// The mean of the request's samples.
    Mean,
    /// A percentile of them, in thousandths of a percent, so that limits compare exactly: 99,900 is p99.9.
    Percentile(u32),
    /// The largest of them.
    Max,
}

/// Thousandths in one percent.
const THOUSANDTHS: f64 = 1000.0;

impl Aggregation {
    /// The percentile `p` (above 0, at most 100, three decimals), or `None` when it is none.
    pub fn percentile(p: f64) -> Option<Self> {
        let thousandths = (p * THOUSANDTHS).round();
        let exact = (thousandths - p * THOUSANDTHS).abs() < 1e-6;
        (exact && p > 0.0 && p <= 100.0).then_some(Self::Percentile(thousandths as u32))
    }

    /// The aggregation of an id: `mean`, `max`, `p99`, `p99.9`.
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            "mean" => Some(Self::Mean),
            "max" => Some(Self::Max),
            _ => id.strip_prefix('p')?.parse().ok().and_then(Self::percentile),
        }
    }
}

impl fmt::Display for Aggregation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Max => f.write_str("max"),
            Self::Percentile(p) => write!(f, "p{}", f64::from(*p) / THOUSANDTHS),
        }
    }
}

/// A metric that a limit can be set on: one number a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum LimitMetric {
    /// Time to first token.
    Ttft,
    /// Time per output token.
    Tpot,
    /// Inter-token latency, of which a request has many samples: which of them has to be said.
    Itl(Aggregation),
    /// End-to-end latency.
    E2e,
}

impl LimitMetric {
    /// The metric that is limited.
    pub const fn metric(self) -> Metric {
        match self {
            Self::Ttft => Metric::Ttft,
            Self::Tpot => Metric::Tpot,
            Self::Itl(_) => Metric::Itl,
            Self::E2e => Metric::E2e,
        }
    }

    /// The metric of an id: `ttft`, `tpot`, `e2e`, `itl.max`, `itl.p99`.
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            "ttft" => Some(Self::Ttft),
            "tpot" => Some(Self::Tpot),
            "e2e" => Some(Self::E2e),
            _ => id.strip_prefix("itl.").and_then(Aggregation::from_id).map(Self::Itl),
        }
    }
}

impl fmt::Display for LimitMetric {
    /// Writes the id, as in limits and links.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ttft => f.write_str("ttft"),
            Self::Tpot => f.write_str("tpot"),
            Self::E2e => f.write_str("e2e"),
            Self::Itl(aggregation) => write!(f, "itl.{aggregation}"),
        }
    }
}

impl From<LimitMetric> for String {
    fn from(metric: LimitMetric) -> Self {
        metric.to_string()
    }
}

impl TryFrom<String> for LimitMetric {
    type Error = String;
    fn try_from(id: String) -> Result<Self, String> {
        Self::from_id(&id).ok_or_else(|| format!("no limit can be set on “{id}”"))
    }
}

/// The length of a request that a limit grows with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// Tokens of the prompt.
    Input,
    /// Tokens of the reply.
    Output,
}

/// How fast a limit grows with a length; kept as it was written, so that no rounding moves a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// So many milliseconds for each token.
    MillisPerToken(f64),
    /// A second for so many tokens.
    TokensPerSecond(f64),
}

/// The part of a limit that grows with the length of a request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scaled {
    /// The length.
    pub by: Length,
    /// How fast.
    pub pace: Pace,
}

impl Scaled {
    /// The part in seconds for a request of `tokens`.
    pub fn secs(self, tokens: f64) -> f64 {
        match self.pace {
            Pace::MillisPerToken(millis) => millis * tokens / 1e3,
            Pace::TokensPerSecond(rate) => tokens / rate,
        }
    }
}

/// One limit of an SLO: the metric of a request is at most the bound (inclusive).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// What is limited.
    pub metric: LimitMetric,
    /// The bound in milliseconds; with `scaled` the constant added to it, which may be 0.
    pub millis: f64,
    /// The part of the bound that grows with the length of the request.
    #[serde(default)]
    pub scaled: Option<Scaled>,
}

impl Limit {
    /// The same bound for every request, in milliseconds.
    pub const fn at_most(metric: LimitMetric, millis: f64) -> Self {
        Self { metric, millis, scaled: None }
    }

    /// What tells limits apart of which only one makes sense: metric, aggregation, length.
    pub fn place(&self) -> (LimitMetric, Option<Length>) {
        (self.metric, self.scaled.map(|scaled| scaled.by))
    }

    /// The bound in seconds for a request of which `length` gives the tokens, or `None` where the
    /// limit grows with a length that is not known.
    pub fn secs(&self, length: impl FnOnce(Length) -> Option<f64>) -> Option<f64> {
        let constant = self.millis / 1e3;
        match self.scaled {
            None => Some(constant),
            Some(scaled) => Some(constant + scaled.secs(length(scaled.by)?)),
        }
    }

    /// The bound in milliseconds, where it is the same for every request.
    pub fn constant(&self) -> Option<f64> {
        self.scaled.is_none().then_some(self.millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back() {
        for id in ["ttft", "tpot", "e2e", "itl.mean", "itl.max", "itl.p99", "itl.p99.9"] {
            assert_eq!(LimitMetric::from_id(id).unwrap().to_string(), id);
            let json = format!("\"{id}\"");
            let read: LimitMetric = serde_json::from_str(&json).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
        for id in ["itl", "itl.", "itl.p0", "itl.p101", "itl.p99.99999", "itl.pNaN", "speed"] {
            assert_eq!(LimitMetric::from_id(id), None, "{id}");
        }
    }

    #[test]
    fn a_limit_of_an_older_pack_has_no_length() {
        let old: Limit = serde_json::from_str(r#"{"metric":"ttft","millis":250.0}"#).unwrap();
        assert_eq!(old, Limit::at_most(LimitMetric::Ttft, 250.0));
        let written = serde_json::to_string(&old).unwrap();
        assert_eq!(serde_json::from_str::<Limit>(&written).unwrap(), old);
    }

    #[test]
    fn a_scaled_bound_is_exact_where_the_tokens_divide_it() {
        let per_second = Scaled { by: Length::Input, pace: Pace::TokensPerSecond(512.0) };
        let limit = Limit { scaled: Some(per_second), ..Limit::at_most(LimitMetric::Ttft, 0.0) };
        assert_eq!(limit.secs(|_| Some(256.0)), Some(0.5));
        assert_eq!(limit.secs(|_| None), None, "an unknown length gives no bound");
    }
}
