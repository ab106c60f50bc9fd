//! Times that no clock gives: zero, negative, or an end before the first token.

use super::words::counted;
use super::{About, Advice, Check, Finding, Subject};
use crate::model::Metric;
use crate::notice::Severity;

/// Two readings of a clock may differ by this much, in seconds.
const CLOCK_NOISE: f64 = 1e-3;

/// No request takes a month, in seconds: the unit or the clock is wrong.
const TOO_LONG: f64 = 30.0 * 86_400.0;

/// A zero, negative or endless time of a request that finished with a token.
pub(super) struct ImpossibleTimes;

impl Check for ImpossibleTimes {
    fn about(&self) -> About {
        About {
            id: "impossible-times",
            name: "Impossible times",
            passes: "no time is zero, negative or a month long, and no request ends before its first token",
            rule: "a request with a token has a TTFT or latency of zero or less, a negative gap or wait, \
                   a latency more than 1 ms below its TTFT, or a time of more than 30 days",
            source: "vllm-project/vllm-omni issue 6693, PR 6696 and PR 6796",
            covers: &[],
            blocks: false,
        }
    }

    fn taken_out(&self) -> &'static [&'static str] {
        &["no-time", "negative-time", "zero-mean"]
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.ttft.is_absent() && requests.e2e.is_absent() && requests.gaps.is_absent() {
            return Err("the file holds no times of each request".into());
        }
        let (mut zero, mut negative, mut early, mut long) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut rows = Vec::new();
        for at in table.finished() {
            let (ttft, e2e) = (table.ttft(at), table.e2e(at));
            let wait = requests.queue_wait.get(at).map(crate::units::Seconds::as_secs);
            let gaps = table.gaps(at).unwrap_or(&[]);
            let below = |time: Option<f64>| time.is_some_and(|t| t < 0.0);
            let none = |time: Option<f64>| time.is_some_and(|t| t.abs() <= 0.0);
            let is_negative =
                below(ttft) || below(e2e) || below(wait) || gaps.iter().any(|g| g.as_secs() < 0.0);
            let is_zero = none(ttft) || none(e2e);
            let over = |time: Option<f64>| time.is_some_and(|t| t > TOO_LONG);
            let is_long = over(ttft) || over(table.end(at)) || over(wait);
            let is_early = ttft.zip(e2e).is_some_and(|(t, e)| e < t - CLOCK_NOISE);
            if is_negative {
                negative += 1;
            } else if is_zero {
                zero += 1;
            } else if is_early {
                early += 1;
            } else if is_long {
                long += 1;
            } else {
                continue;
            }
            rows.push(at);
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for (count, one, many) in [
            (negative, "with a negative time", "with a negative time"),
            (zero, "with a time of 0", "with a time of 0"),
            (early, "that ends before its first token", "that end before their first token"),
            (long, "that takes more than 30 days", "that take more than 30 days"),
        ] {
            if count > 0 {
                parts.push(counted(count, one, many));
            }
        }
        let mut text = format!(
            "{} can’t have been timed as written: {}. Such a value is no measurement",
            counted(rows.len(), "request", "requests"),
            parts.join(", ")
        );
        // Nothing but a look at the file tells a long time from a wrong unit, or which of two that
        // contradict each other is wrong: they are in the numbers.
        text.push_str(match (early > 0, long > 0) {
            (false, false) => " and is left out of its metric.",
            (false, true) => "; those that are too long are in the numbers until they are left out.",
            (true, false) => "; those that end too early are in the numbers until they are left out.",
            (true, true) => {
                "; those that are too long or end too early are in the numbers until they are left out."
            }
        });
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, requests.len())
                .touches(&[Metric::Ttft, Metric::Tpot, Metric::E2e, Metric::Itl])
                .advise(Advice::Exclude),
        ))
    }
}
