//! Identities: sums that an engine keeps, printed with both sides. One that is broken says something.
//!
//! One identity is one file and one line in [`IDENTITIES`].

mod buckets_and_count;
mod finished_requests;
mod first_token_overhead;
mod inference_phases;
mod request_overhead;
mod step_gaps;
mod token_counts;
mod tokens_of_requests;

use super::account::{Account, ServerHistogram};
use super::names::{Measure, UnitOf};

/// One identity.
pub trait Identity: Sync {
    /// What it is called and what it says.
    fn about(&self) -> About;
    /// Its two sides.
    ///
    /// # Errors
    /// When the dump lacks a side; the reason is a clause.
    fn weigh(&self, account: &Account) -> Result<Weighed, String>;
}

/// What an identity is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Stable id of letters and hyphens.
    pub id: &'static str,
    /// The identity as a formula in words: “Σ step gaps = Σ decode time”.
    pub formula: &'static str,
    /// What a broken one means, as a clause.
    pub broken: &'static str,
}

/// What an identity came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Both sides are the same.
    Holds,
    /// They differ as they may, and the difference says something.
    Differs,
    /// They differ as they can’t.
    Broken,
}

impl Outcome {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::Broken => "broken",
        }
    }
}

/// The two sides of an identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The left side.
    pub left: f64,
    /// The right side.
    pub right: f64,
    /// Their unit.
    pub unit: UnitOf,
    /// Whether they are the same.
    pub outcome: Outcome,
    /// What that says, in a sentence with numbers.
    pub text: String,
}

/// All identities, in the order in which they are shown.
pub static IDENTITIES: &[&dyn Identity] = &[
    &step_gaps::StepGaps,
    &inference_phases::InferencePhases,
    &token_counts::TokenCounts,
    &tokens_of_requests::TokensOfRequests,
    &finished_requests::FinishedRequests,
    &request_overhead::RequestOverhead,
    &first_token_overhead::FirstTokenOverhead,
    &buckets_and_count::BucketsAndCount,
];

/// An identity with what it came to, or why it can’t be weighed.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The identity.
    pub about: About,
    /// Its two sides; the reason is a clause.
    pub weighed: Result<Weighed, String>,
}

/// Every identity on an account.
pub fn weigh(account: &Account) -> Vec<Proof> {
    let weighed = |identity: &&dyn Identity| Proof {
        about: identity.about(),
        weighed: identity.weigh(account),
    };
    IDENTITIES.iter().map(weighed).collect()
}

/// Sums are written with sixteen digits and added up one observation at a time, each rounded.
const ROUNDING: f64 = 1e-6;

/// Whether two sums are the same but for rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(ROUNDING)
}

/// The sum of a measure in seconds, with its count.
fn sum_of(account: &Account, measure: Measure) -> Result<(f64, f64), String> {
    let missing = || {
        let apart = account.apart(measure);
        apart.unwrap_or_else(|| format!("it needs a histogram of {}", phrase(measure)))
    };
    let histogram: &ServerHistogram = account.server(measure).ok_or_else(missing)?;
    let factor = histogram.row.seconds().unwrap_or(1.0);
    let sum = histogram.sum.ok_or_else(|| format!("{} has no sum", histogram.row.family))?;
    let count = histogram.count.ok_or_else(|| format!("{} has no count", histogram.row.family))?;
    Ok((sum * factor, count))
}

/// A measure in the middle of a sentence.
fn phrase(measure: Measure) -> String {
    let label = measure.label();
    let all_capitals = label.chars().take(2).all(char::is_uppercase);
    if all_capitals { label.to_owned() } else { label.to_lowercase() }
}

/// Only vLLM’s clocks make the identity exact; others are told so.
fn of_vllm(account: &Account) -> Result<(), String> {
    if account.is("vllm") {
        Ok(())
    } else {
        Err("only vLLM’s metrics are known to keep it".into())
    }
}
