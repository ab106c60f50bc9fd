//! Measured lengths against those that were asked for.

use super::words::{percent, whole};
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, RequestRate};
use crate::notice::Severity;
use crate::units::significant;

/// Lengths within this share are the same.
const SAME: f64 = 0.05;
/// Names under which tools record the nominal prompt length.
const NOMINAL_INPUT: [&str; 6] = [
    "random_input_len",
    "input_len",
    "prompt_tokens",
    "synthetic_input_tokens_mean",
    "mean_input_tokens",
    "input_tokens_mean",
];

/// ISL and OSL as measured, not as flags say.
pub(super) struct LengthsAsked;

impl Check for LengthsAsked {
    fn about(&self) -> About {
        About {
            id: "lengths-asked",
            name: "Lengths are not those asked for",
            passes: "mean lengths are those asked for",
            rule: "the mean input or output is more than 5 % off the length asked for, or the input crosses \
                   a power of two above it",
            source: "tenstorrent/tt-inference-server issues 190, 213 and 4127; sgl-project/sglang issue 7253",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let asked_output = subject.run.load.output_tokens.filter(|n| *n > 0.0);
        let asked_input = nominal_input(subject);
        if asked_output.is_none() && asked_input.is_none() {
            return Err("the file does not say which lengths were asked for".into());
        }
        let mut parts = Vec::new();
        let mut touches = Vec::new();
        let off = |is: f64, asked: f64| (is - asked) / asked;
        let signed = |share: f64| {
            format!("{} {}", percent(share.abs()), if share < 0.0 { "less" } else { "more" })
        };
        if let Some((asked, is)) = asked_input.zip(subject.mean_tokens(Metric::InputTokens)) {
            let crossed = bucket(is) > bucket(asked);
            if off(is, asked).abs() > SAME || crossed {
                let hint = if crossed {
                    format!(
                        "; that crosses a power of two, the next is {}, and kernels in buckets may take \
                         twice the prefill",
                        whole(bucket(is))
                    )
                } else {
                    String::new()
                };
                parts.push(format!(
                    "Prompts have {} tokens on average where {} were asked for, {}{hint}.",
                    significant(is, 4),
                    whole(asked),
                    signed(off(is, asked))
                ));
                touches.extend([Metric::Ttft, Metric::InputThroughput]);
            }
        }
        if let Some((asked, is)) = asked_output.zip(subject.mean_tokens(Metric::OutputTokens))
            && off(is, asked).abs() > SAME
        {
            parts.push(format!(
                "Replies have {} tokens on average where {} were asked for, {}: compare time per \
                 token, not E2E or throughput, with a run of other lengths.",
                significant(is, 4),
                whole(asked),
                signed(off(is, asked))
            ));
            touches.extend([Metric::E2e, Metric::OutputThroughput, Metric::RequestThroughput]);
        }
        if parts.is_empty() {
            return Ok(None);
        }
        Ok(Some(Finding::new(Severity::Note, parts.join(" ")).touches(&touches)))
    }
}

/// The prompt length that was asked for, where one was.
pub(super) fn nominal_input(subject: &Subject<'_>) -> Option<f64> {
    // A recorded trace has lengths of its own, whatever the flags of random prompts say.
    if matches!(subject.run.load.request_rate, Some(RequestRate::Trace)) {
        return None;
    }
    let random = subject.run.workload.dataset.as_deref();
    if random.is_some_and(|name| !name.contains("random") && !name.contains("synthetic")) {
        return None;
    }
    subject.setting(&NOMINAL_INPUT)?.parse().ok().filter(|n: &f64| *n > 0.0)
}

/// The power of two that a length fills.
fn bucket(tokens: f64) -> f64 {
    tokens.max(1.0).log2().ceil().exp2()
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn a_length_fills_the_next_power_of_two() {
        assert_eq!((bucket(4096.0), bucket(4109.0), bucket(1.0)), (4096.0, 8192.0, 1.0));
    }
}
