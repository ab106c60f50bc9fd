//! The requests of a run one by one: what each of them puts into every metric.
//!
//! The values are the very samples of the metrics, so that a table of requests and the numbers above it
//! can't come apart.

use super::goodput::{self, Kept};
use super::rows::{Rows, Values};
use super::samples::{self, Samples, tpot_of};
use super::settings::{Settings, Window};
use crate::model::{Limit, Metric, Outcome, Run};
use crate::units::{Seconds, Tokens, Turn};

/// All requests of a run under a definition set, by their number from 0. Times in seconds; a value that a
/// request does not have is none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RequestTable {
    /// How each ended.
    pub outcome: Vec<Outcome>,
    /// The send, in time after the first send of those that were not left out.
    pub start: Vec<Option<f64>>,
    /// Wait inside the client before the send.
    pub wait: Vec<Option<f64>>,
    /// From the send to the first token as it was recorded, whether or not it is a sample.
    pub first: Vec<Option<f64>>,
    /// From the send to the end as far as it is known, whether or not it is a sample.
    pub end: Vec<Option<f64>>,
    /// TTFT.
    pub ttft: Vec<Option<f64>>,
    /// TPOT.
    pub tpot: Vec<Option<f64>>,
    /// End-to-end latency.
    pub e2e: Vec<Option<f64>>,
    /// The longest gap between two stream events.
    pub gap: Vec<Option<f64>>,
    /// Prompt tokens.
    pub input: Vec<Option<f64>>,
    /// Output tokens by the count in force.
    pub tokens: Vec<Option<f64>>,
    /// Which turn of its conversation each is, from 1.
    pub turn: Vec<Option<f64>>,
    /// Prompt tokens that a prefix cache held, as the server says.
    pub cached: Vec<Option<f64>>,
    /// Which lie in the window and were not left out.
    pub inside: Vec<bool>,
    /// Which were not left out.
    pub kept: Vec<bool>,
    /// Which can be samples: finished, in the population, not empty; whatever the window.
    pub counted: Vec<bool>,
    /// What became of each under the limits; nothing where none is set, a reason where none can be judged.
    pub slo: Option<Result<Vec<Kept>, String>>,
    /// Why a metric has no value for any request, as a clause.
    pub missing: Vec<(Metric, String)>,
}

impl RequestTable {
    /// Number of requests.
    pub fn len(&self) -> usize {
        self.outcome.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.outcome.is_empty()
    }

    /// Why a metric has no value for any request.
    pub fn why(&self, metric: Metric) -> Option<&str> {
        self.missing.iter().find(|(m, _)| *m == metric).map(|(_, reason)| reason.as_str())
    }
}

/// The requests of `run` one by one, as if `excluded` (ascending) had never been sent. The window of
/// `settings` says only which are inside: those outside have their values all the same.
///
/// # Errors
/// When the run holds no requests; the reason is a clause.
pub fn request_table(
    run: &Run,
    settings: &Settings,
    limits: &[Limit],
    excluded: &[usize],
) -> Result<RequestTable, String> {
    let requests = run.requests.as_ref().ok_or("the file holds no requests")?;
    let whole = Settings { window: Window::Whole, ..*settings };
    let rows = Rows::new(requests, &whole, excluded)?;
    // Where there is no such window every request is outside of it.
    let windowed = Rows::new(requests, settings, excluded);
    let len = requests.len();
    let zero = (0..len)
        .filter(|at| rows.inside.get(*at) == Some(&true))
        .filter_map(|at| requests.start.get(at).map(Seconds::as_secs))
        .reduce(f64::min);
    let secs = |get: &dyn Fn(usize) -> Option<Seconds>| -> Values {
        (0..len).map(|at| get(at).map(Seconds::as_secs)).collect()
    };
    let mut table = RequestTable {
        outcome: requests.outcome.clone(),
        start: (0..len).map(|at| Some(requests.start.get(at)?.as_secs() - zero?)).collect(),
        wait: secs(&|at| requests.queue_wait.get(at)),
        first: secs(&|at| requests.ttft.get(at)),
        end: rows.ends.low.clone().or(rows.ends.high.clone()).unwrap_or_else(|| vec![None; len]),
        input: (0..len).map(|at| requests.input_tokens.get(at).map(Tokens::count)).collect(),
        tokens: rows.tokens.clone().unwrap_or_else(|_| vec![None; len]),
        turn: (0..len).map(|at| requests.turn.get(at).map(Turn::number)).collect(),
        cached: (0..len).map(|at| requests.cached_tokens.get(at).map(Tokens::count)).collect(),
        kept: rows.inside.clone(),
        counted: rows.counted.clone(),
        inside: windowed.as_ref().map_or_else(|_| vec![false; len], |rows| rows.inside.clone()),
        slo: (!limits.is_empty()).then(|| match &windowed {
            Ok(rows) => goodput::each(rows, limits),
            Err(reason) => Err(reason.clone()),
        }),
        ..RequestTable::default()
    };
    if let Err(reason) = &rows.tokens {
        table.missing.push((Metric::OutputTokens, reason.clone()));
    }
    for metric in [Metric::Ttft, Metric::Tpot, Metric::E2e, Metric::ChunkGap] {
        let values = column(&rows, metric).unwrap_or_else(|reason| {
            table.missing.push((metric, reason));
            vec![None; len]
        });
        match metric {
            Metric::Ttft => table.ttft = values,
            Metric::Tpot => table.tpot = values,
            Metric::E2e => table.e2e = values,
            _ => table.gap = values,
        }
    }
    Ok(table)
}

/// The sample of each request, of several the largest.
fn column(rows: &Rows<'_>, metric: Metric) -> Result<Values, String> {
    let none = Values::new();
    let ends = if samples::needs_ends(metric, rows.settings) {
        rows.ends_of(metric).known().map_err(str::to_owned)?
    } else {
        &none
    };
    let Samples { values, ends, .. } = samples::of(rows, metric, ends)?;
    let mut column: Values = vec![None; rows.requests.len()];
    let mut from = 0;
    for (to, at) in ends {
        let own = values.get(from..to).unwrap_or_default();
        if let Some(slot) = column.get_mut(at) {
            *slot = own.iter().copied().reduce(f64::max);
        }
        from = to;
    }
    Ok(column)
}

/// Why request `at` is no sample of `metric`, as a clause; nothing where it is one, or where nobody asks.
pub fn not_sampled(
    run: &Run,
    settings: &Settings,
    excluded: &[usize],
    (metric, at): (Metric, usize),
) -> Option<String> {
    let requests = run.requests.as_ref()?;
    let whole = Settings { window: Window::Whole, ..*settings };
    let rows = Rows::new(requests, &whole, excluded).ok()?;
    let reason = match rows.counted.get(at) {
        Some(false) if rows.inside.get(at) == Some(&false) => "left out by you",
        Some(false) if requests.outcome.get(at) != Some(&Outcome::Ok) => {
            "requests that did not finish are no samples under this ruler"
        }
        Some(false) => "an empty reply is no sample under this ruler",
        None => return None,
        Some(true) => {
            let ends = rows.ends_of(metric).known();
            match (metric, &rows.ttft, ends) {
                (Metric::Ttft, Ok(ttft), _) => rows.ttft_of(ttft, at).err()?,
                (Metric::E2e, _, Ok(ends)) => rows.e2e_of(ends, at).err()?,
                (Metric::Tpot, _, Ok(ends)) => tpot_of(&rows, settings.tpot, ends, at).err()?,
                (Metric::ChunkGap, ..) => "no two stream events are recorded",
                _ => return None,
            }
        }
    };
    Some(reason.to_owned())
}
