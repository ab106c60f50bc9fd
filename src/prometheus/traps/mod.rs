//! Traps: readings of a server’s numbers that are wrong, told where they apply and worked out on the data.
//!
//! One trap is one file and one line in [`TRAPS`].

mod above_last_edge;
mod dashboard_extrapolates;
mod divided_buckets;
mod edges_changed;
mod first_bucket_wide;
mod lifetime_averages;
mod not_credible;
mod not_streamed;
mod one_token_zeros;
mod phases_do_not_add;
mod queue_does_not_settle;
mod rated_buckets;
mod refuted_by_sum;
mod restarts;
mod running_mean;
mod since_start;
mod step_is_not_token;
mod steps_are_not_tokens;
mod tokens_at_the_end;
mod ttft_is_not_prefill;
mod two_clocks;
mod two_vantages;
mod uneven_engines;
mod whole_over_n;
mod zeros_left_out;

use super::account::{Account, ServerHistogram};
use super::names::{Measure, UnitOf};
use crate::notice::Severity;

/// One trap.
pub trait Trap: Sync {
    /// Stable id of letters and hyphens, such as `one-token-zeros`.
    fn id(&self) -> &'static str;
    /// What it says of an account: nothing where it does not apply, and a caution for each series where
    /// it does.
    fn find(&self, account: &Account) -> Vec<Caution>;
}

/// What to know before reading a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Caution {
    /// The trap that says it.
    pub trap: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// In a sentence or two, with numbers.
    pub text: String,
    /// The series concerned, by key; empty where it is all of them.
    pub keys: Vec<String>,
    /// The number that is right instead, where there is one.
    pub figures: Vec<Figure>,
}

/// A number worked out by a trap.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Stable id, such as `tpot_mean_without_zeros`.
    pub id: &'static str,
    /// Its value in `unit`.
    pub value: f64,
    /// Its unit.
    pub unit: UnitOf,
}

impl Caution {
    fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self { trap: "", severity, text: text.into(), keys: Vec::new(), figures: Vec::new() }
    }

    fn about(mut self, key: &str) -> Self {
        self.keys.push(key.to_owned());
        self
    }

    fn figure(mut self, id: &'static str, value: f64, unit: UnitOf) -> Self {
        self.figures.push(Figure { id, value, unit });
        self
    }
}

/// All traps, in the order in which they are shown.
pub static TRAPS: &[&dyn Trap] = &[
    &since_start::SinceStart,
    &restarts::Restarts,
    &edges_changed::EdgesChanged,
    &not_credible::NotCredible,
    &above_last_edge::AboveLastEdge,
    &refuted_by_sum::RefutedBySum,
    &first_bucket_wide::FirstBucketWide,
    &rated_buckets::RatedBuckets,
    &dashboard_extrapolates::DashboardExtrapolates,
    &one_token_zeros::OneTokenZeros,
    &zeros_left_out::ZerosLeftOut,
    &step_is_not_token::StepIsNotToken,
    &divided_buckets::DividedBuckets,
    &running_mean::RunningMean,
    &whole_over_n::WholeOverN,
    &steps_are_not_tokens::StepsAreNotTokens,
    &tokens_at_the_end::TokensAtTheEnd,
    &not_streamed::NotStreamed,
    &ttft_is_not_prefill::TtftIsNotPrefill,
    &two_clocks::TwoClocks,
    &two_vantages::TwoVantages,
    &phases_do_not_add::PhasesDoNotAdd,
    &queue_does_not_settle::QueueDoesNotSettle,
    &uneven_engines::UnevenEngines,
    &lifetime_averages::LifetimeAverages,
];

/// Every trap’s word on an account.
pub fn cautions(account: &Account) -> Vec<Caution> {
    let of = |trap: &&dyn Trap| {
        let (id, found) = (trap.id(), trap.find(account));
        found.into_iter().map(move |caution| Caution { trap: id, ..caution })
    };
    TRAPS.iter().flat_map(of).collect()
}

/// The quantiles that are looked at.
const QUANTILES: &[f64] = &[0.5, 0.9, 0.95, 0.99];

/// “p50” of 0.5.
fn percentile(q: f64) -> String {
    format!("p{}", q * 100.0)
}

/// Histograms of times with observations and usable buckets, their factor to seconds.
fn timed(account: &Account) -> impl Iterator<Item = (&ServerHistogram, f64)> {
    account.histograms.iter().filter_map(|histogram| {
        let factor = histogram.row.seconds()?;
        (histogram.count? > 0.0 && histogram.histogram().is_some()).then_some((histogram, factor))
    })
}

/// The rows of a measure that the table knows.
fn of_measure(account: &Account, measure: Measure) -> impl Iterator<Item = &ServerHistogram> {
    account
        .histograms
        .iter()
        .filter(move |histogram| histogram.row.name.is_some_and(|name| name.measure == measure))
}
