//! Histograms that can’t be used, and those that lost edges or had to be mended.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::Account;
use crate::prometheus::words::{counted, number};

/// Buckets that don’t go together.
pub(super) struct EdgesChanged;

/// An edge as the label `le` has it.
fn edge(edge: f64) -> String {
    if edge.is_infinite() { "+Inf".to_owned() } else { edge.to_string() }
}

impl Trap for EdgesChanged {
    fn id(&self) -> &'static str {
        "edges-changed"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let mut found = Vec::new();
        for histogram in &account.histograms {
            let key = &histogram.row.key;
            if let Err(reason) = &histogram.buckets {
                let text = format!("{key} has no quantiles: {reason}.");
                found.push(Caution::new(Severity::Warn, text).about(key));
            }
            if histogram.edges_lost > 0 {
                let text = format!(
                    "The series of {key} have different edges; {} that not all have were left out. Counts at \
                     common edges are exact.",
                    counted(histogram.edges_lost as f64, "edge", "edges")
                );
                found.push(Caution::new(Severity::Warn, text).about(key));
            }
            if let Some(repair) = histogram.repair {
                let (first, last) = (edge(repair.first), edge(repair.last));
                let place = if first == last {
                    format!("at the edge {first}")
                } else {
                    format!("between the edges {first} and {last}")
                };
                let text = format!(
                    "The counts of {key} fall {place}, by up to {}, and were raised as Prometheus does: the \
                     buckets were not read at one moment.",
                    number(repair.largest)
                );
                found.push(Caution::new(Severity::Warn, text).about(key));
            }
        }
        found
    }
}
