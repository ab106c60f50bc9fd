//! What the tool printed: aggregates, kept apart from anything recomputed.

use super::limit::Limit;
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// A metric by its neutral name. Which formula stands behind a printed one is the tool's affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Time to first token.
    Ttft,
    /// Time per output token.
    Tpot,
    /// Inter-token latency.
    Itl,
    /// End-to-end latency.
    E2e,
    /// Time between stream events.
    ChunkGap,
    /// Wait inside the client.
    QueueWait,
    /// Time to the first token that is not reasoning.
    FirstAnswer,
    /// The whole request over its tokens (normalised latency, NTPOT).
    WholePerToken,
    /// Output tokens per second as one user sees them.
    UserSpeed,
    /// Prompt tokens a request.
    InputTokens,
    /// Output tokens a request.
    OutputTokens,
    /// Length of the run.
    Duration,
    /// Finished requests per second.
    RequestThroughput,
    /// Output tokens per second.
    OutputThroughput,
    /// Input tokens per second.
    InputThroughput,
    /// Input and output tokens per second.
    TotalThroughput,
    /// Mean requests in flight.
    MeanConcurrency,
    /// Good requests per second.
    Goodput,
    /// Share of requests within all limits.
    SloShare,
    /// Largest number of output events or tokens in one second.
    PeakOutputRate,
    /// Largest number of requests in one second.
    PeakConcurrency,
    /// Number of finished requests.
    Completed,
    /// Number of failed requests.
    Failed,
    /// Input tokens of the run.
    TotalInputTokens,
    /// Output tokens of the run.
    TotalOutputTokens,
    /// Power of one accelerator.
    AcceleratorPower,
    /// Energy of all accelerators over the run.
    Energy,
}

impl Metric {
    /// Every metric, in the order in which they are shown.
    pub const ALL: [Self; 27] = [
        Self::Ttft,
        Self::Tpot,
        Self::Itl,
        Self::E2e,
        Self::ChunkGap,
        Self::QueueWait,
        Self::FirstAnswer,
        Self::WholePerToken,
        Self::UserSpeed,
        Self::InputTokens,
        Self::OutputTokens,
        Self::Duration,
        Self::RequestThroughput,
        Self::OutputThroughput,
        Self::InputThroughput,
        Self::TotalThroughput,
        Self::MeanConcurrency,
        Self::Goodput,
        Self::SloShare,
        Self::PeakOutputRate,
        Self::PeakConcurrency,
        Self::Completed,
        Self::Failed,
        Self::TotalInputTokens,
        Self::TotalOutputTokens,
        Self::AcceleratorPower,
        Self::Energy,
    ];

    /// Stable id, as in JSON and links: `ttft`, `request_throughput`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Tpot => "tpot",
            Self::Itl => "itl",
            Self::E2e => "e2e",
            Self::ChunkGap => "chunk_gap",
            Self::QueueWait => "queue_wait",
            Self::FirstAnswer => "first_answer",
            Self::WholePerToken => "whole_per_token",
            Self::UserSpeed => "user_speed",
            Self::InputTokens => "input_tokens",
            Self::OutputTokens => "output_tokens",
            Self::Duration => "duration",
            Self::RequestThroughput => "request_throughput",
            Self::OutputThroughput => "output_throughput",
            Self::InputThroughput => "input_throughput",
            Self::TotalThroughput => "total_throughput",
            Self::MeanConcurrency => "mean_concurrency",
            Self::Goodput => "goodput",
            Self::SloShare => "slo_share",
            Self::PeakOutputRate => "peak_output_rate",
            Self::PeakConcurrency => "peak_concurrency",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TotalInputTokens => "total_input_tokens",
            Self::TotalOutputTokens => "total_output_tokens",
            Self::AcceleratorPower => "accelerator_power",
            Self::Energy => "energy",
        }
    }

    /// The metric with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// Short name for headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttft => "TTFT",
            Self::Tpot => "TPOT",
            Self::Itl => "ITL",
            Self::E2e => "E2E",
            Self::ChunkGap => "Chunk gap",
            Self::QueueWait => "Client wait",
            Self::FirstAnswer => "First answer",
            Self::WholePerToken => "E2E per token",
            Self::UserSpeed => "User speed",
            Self::InputTokens => "Input tokens",
            Self::OutputTokens => "Output tokens",
            Self::Duration => "Duration",
            Self::RequestThroughput => "Request throughput",
            Self::OutputThroughput => "Output throughput",
            Self::InputThroughput => "Input throughput",
            Self::TotalThroughput => "Total throughput",
            Self::MeanConcurrency => "Mean concurrency",
            Self::Goodput => "Goodput",
            Self::SloShare => "Requests in SLO",
            Self::PeakOutputRate => "Peak output rate",
            Self::PeakConcurrency => "Peak concurrency",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::TotalInputTokens => "Input tokens, total",
            Self::TotalOutputTokens => "Output tokens, total",
            Self::AcceleratorPower => "Accelerator power",
            Self::Energy => "Energy",
        }
    }

    /// Whether it has one sample a request or event, and not one number for the run.
    pub const fn is_distribution(self) -> bool {
        matches!(
            self,
            Self::Ttft
                | Self::Tpot
                | Self::Itl
                | Self::E2e
                | Self::ChunkGap
                | Self::QueueWait
                | Self::FirstAnswer
                | Self::WholePerToken
                | Self::UserSpeed
                | Self::InputTokens
                | Self::OutputTokens
                | Self::AcceleratorPower
        )
    }

    /// The unit in which the app shows it.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Ttft
            | Self::Tpot
            | Self::Itl
            | Self::E2e
            | Self::ChunkGap
            | Self::QueueWait
            | Self::FirstAnswer
            | Self::WholePerToken => Unit::Millis,
            Self::InputTokens
            | Self::OutputTokens
            | Self::TotalInputTokens
            | Self::TotalOutputTokens => Unit::Tokens,
            Self::Duration => Unit::Secs,
            Self::RequestThroughput | Self::Goodput => Unit::RequestsPerSecond,
            Self::OutputThroughput
            | Self::InputThroughput
            | Self::TotalThroughput
            | Self::PeakOutputRate
            | Self::UserSpeed => Unit::TokensPerSecond,
            Self::MeanConcurrency | Self::PeakConcurrency | Self::Completed | Self::Failed => {
                Unit::Requests
            }
            Self::SloShare => Unit::Share,
            Self::AcceleratorPower => Unit::Watts,
            Self::Energy => Unit::Joules,
        }
    }
}

/// Which statistic of a metric a number is.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stat {
    /// Arithmetic mean.
    Mean,
    /// The middle value.
    Median,
    /// Standard deviation.
    Std,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// A percentile from 0 to 100.
    Percentile(f64),
    /// The one value of a run-level metric.
    Value,
}

impl Stat {
    /// The name in JSON and headers: `mean`, `p99`, `p99.9`.
    pub fn name(self) -> String {
        match self {
            Self::Mean => "mean".into(),
            Self::Median => "median".into(),
            Self::Std => "std".into(),
            Self::Min => "min".into(),
            Self::Max => "max".into(),
            Self::Percentile(p) => format!("p{p}"),
            Self::Value => "value".into(),
        }
    }
}

impl std::str::FromStr for Stat {
    type Err = ();

    /// Reads what [`Stat::name`] writes.
    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "mean" => Self::Mean,
            "median" => Self::Median,
            "std" => Self::Std,
            "min" => Self::Min,
            "max" => Self::Max,
            "value" => Self::Value,
            _ => {
                let p: f64 = text.strip_prefix('p').and_then(|p| p.parse().ok()).ok_or(())?;
                if !(0.0..=100.0).contains(&p) {
                    return Err(());
                }
                Self::Percentile(p)
            }
        })
    }
}

/// One number that the tool printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedValue {
    /// The key as in the file.
    pub field: String,
    /// The metric it claims to be.
    pub metric: Metric,
    /// The statistic it claims to be.
    pub stat: Stat,
    /// The value in [`Metric::unit`] of the metric.
    pub value: f64,
    /// The factor from the file's unit to the metric's: 1 for ms, 1000 for seconds of a latency.
    /// The file's own figure is `value / scale`, which is where its printed digits are counted.
    pub scale: f64,
}

/// A number that the tool printed and that no metric of ours claims, in the file's own words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Further {
    /// The key as in the file, with its statistic: `time_to_second_token avg`.
    pub field: String,
    /// The number.
    pub value: f64,
    /// Its unit as in the file, empty where it has none.
    pub unit: String,
}

/// Everything the tool printed about a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reported {
    /// Aggregates in file order.
    pub values: Vec<ReportedValue>,
    /// Printed numbers without a metric of ours, in file order.
    #[serde(default)]
    pub further: Vec<Further>,
    /// The limits behind the tool's goodput, where the file has them.
    pub limits: Option<Vec<Limit>>,
    /// Keys under which the tool printed infinity, which is no number: their values are not above.
    #[serde(default)]
    pub infinite: Vec<String>,
}

impl Reported {
    /// The printed value of one statistic. The median also answers to `p50`, and the other way round.
    pub fn find(&self, metric: Metric, stat: Stat) -> Option<&ReportedValue> {
        let same = |a: Stat, b: Stat| a == b || (is_median(a) && is_median(b));
        self.values.iter().find(|v| v.metric == metric && same(v.stat, stat))
    }

    /// The printed run-level value of a metric.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.find(metric, Stat::Value).map(|v| v.value)
    }
}

fn is_median(stat: Stat) -> bool {
    match stat {
        Stat::Median => true,
        Stat::Percentile(p) => (p - 50.0).abs() < f64::EPSILON,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_json_form_and_come_back() {
        for metric in Metric::ALL {
            assert_eq!(serde_json::to_string(&metric).unwrap(), format!("\"{}\"", metric.id()));
            assert_eq!(Metric::from_id(metric.id()), Some(metric));
        }
    }

    #[test]
    fn statistics_read_back_what_they_write() {
        for stat in [Stat::Mean, Stat::Median, Stat::Percentile(99.9), Stat::Value] {
            assert_eq!(stat.name().parse(), Ok(stat));
        }
        assert_eq!("p101".parse::<Stat>(), Err(()));
        assert_eq!("pNaN".parse::<Stat>(), Err(()));
    }
}
