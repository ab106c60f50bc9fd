//! Tokens of requests that were cut off.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Outcome};
use crate::notice::Severity;

/// From this share of the tokens on a throughput of finished requests only misleads.
const SOME: f64 = 0.05;

/// A run that ends at a time limit leaves out what was in flight.
pub(super) struct CutRequests;

impl Check for CutRequests {
    fn about(&self) -> About {
        About {
            id: "cut-requests",
            name: "Tokens of cut requests are left out",
            passes: "hardly any token belongs to a request that was cut off",
            rule: "at least 5 % of the received tokens belong to requests that were cancelled or unfinished",
            source: "vllm-project/guidellm issues 77, 444, 529 and 272",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        let is_cut = |at: &usize| {
            matches!(requests.outcome.get(*at), Some(Outcome::Cancelled | Outcome::Unfinished))
        };
        let rows: Vec<usize> = (0..requests.len()).filter(is_cut).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let tokens = |at: usize| table.tokens(at).unwrap_or_default();
        let cut: f64 = rows.iter().map(|at| tokens(*at)).sum();
        let finished: f64 = table.finished().map(tokens).sum();
        if cut <= 0.0 {
            return Err("the file does not say how many tokens the cut requests received".into());
        }
        let share = cut / (cut + finished);
        if share < SOME {
            return Ok(None);
        }
        let text = format!(
            "{} of tokens belong to cut requests ({} of {}): a throughput of finished requests only leaves \
             them out, though the server made them.",
            percent(share),
            rows.len(),
            requests.len()
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, requests.len())
                .touches(&[Metric::OutputThroughput, Metric::TotalThroughput])
                .set("population", "ok-and-cut"),
        ))
    }
}
