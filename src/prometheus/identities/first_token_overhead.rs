//! What is left of TTFT beside queue and prefill.

use super::{About, Identity, Outcome, Weighed, same, sum_of};
use crate::prometheus::account::Account;
use crate::prometheus::names::{Measure, UnitOf};
use crate::prometheus::words::{number, time};

/// Σ TTFT = Σ queue + Σ prefill + the front end’s work.
pub(super) struct FirstTokenOverhead;

impl Identity for FirstTokenOverhead {
    fn about(&self) -> About {
        About {
            id: "first-token-overhead",
            formula: "Σ TTFT = Σ queue + Σ prefill + front end",
            broken: "the front end can’t take less than no time: the sums are not of the same requests",
        }
    }

    fn weigh(&self, account: &Account) -> Result<Weighed, String> {
        let (first, firsts) = sum_of(account, Measure::Ttft)?;
        let (queue, _) = sum_of(account, Measure::Queue)?;
        let (prefill, ended) = sum_of(account, Measure::Prefill)?;
        let parts = queue + prefill;
        let rest = first - parts;
        let unit = UnitOf::Seconds;
        if !same(firsts, ended) {
            let text = format!(
                "TTFT is of {} requests, queue and prefill of the {} that ended: their sums, {} and {}, don’t \
                 compare.",
                number(firsts),
                number(ended),
                time(first),
                time(parts)
            );
            return Ok(Weighed {
                left: first,
                right: parts,
                unit,
                outcome: Outcome::Differs,
                text,
            });
        }
        let (outcome, text) = if rest >= 0.0 || same(first, parts) {
            let each = if firsts > 0.0 { rest.max(0.0) / firsts } else { 0.0 };
            let text = format!(
                "Of {} to first tokens in all, {} were waiting and {} prefill; the front end took {} a request.",
                time(first),
                time(queue),
                time(prefill),
                time(each)
            );
            (if same(first, parts) { Outcome::Holds } else { Outcome::Differs }, text)
        } else {
            let text = format!(
                "TTFT adds up to {}, queue and prefill to {}: more than the whole.",
                time(first),
                time(parts)
            );
            (Outcome::Broken, text)
        };
        Ok(Weighed { left: first, right: parts, unit, outcome, text })
    }
}
