//! Output counts that hold the prompt: a server that echoes it looks faster by the length of the prompt.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{Metric, Stat};
use crate::notice::Severity;

/// How near the output must come to prompt and request together: lengths vary by a few tokens.
const NEAR: f64 = 0.02;
/// A prompt shorter than this share of the request is within the usual spread of the output.
const SHORT: f64 = 0.1;

/// Mean output = mean input + the length that was asked for.
pub(super) struct PromptEchoed;

impl Check for PromptEchoed {
    fn about(&self) -> About {
        About {
            id: "prompt-echoed",
            name: "Output holds the prompt",
            passes: "the output is not prompt and request together",
            rule: "the mean output is within 2 % of the mean input and the length asked for, together, \
                   and the input is at least 10 % of that length",
            source: "triton-inference-server/client issue 779",
            covers: &["prompt-echoed"],
            blocks: true,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let asked = subject.run.load.output_tokens.filter(|asked| *asked > 0.0);
        let asked = asked.ok_or("the file does not say which length was asked for")?;
        let input = subject.mean_tokens(Metric::InputTokens);
        let input = input.ok_or("the file holds no input tokens")?;
        let output = subject.mean_tokens(Metric::OutputTokens);
        let output = output.ok_or("the file holds no output tokens")?;
        let together = input + asked;
        if input < SHORT * asked || (output - together).abs() > NEAR * together {
            return Ok(None);
        }
        let text = format!(
            "The mean output of {} tokens is the mean prompt of {} and the {} \
             that were asked for, together: the server seems to return the prompt, and its output \
             rates count it.",
            whole(output),
            whole(input),
            whole(asked)
        );
        let mut finding = Finding::new(Severity::Block, text)
            .touches(&[
                Metric::OutputThroughput,
                Metric::OutputTokens,
                Metric::Tpot,
                Metric::TotalOutputTokens,
            ])
            .say("Switch the echo of the prompt off in the server or the request, and measure again.");
        if let Some(rate) = subject.number(Metric::OutputThroughput, Stat::Value) {
            let right = rate * (output - input).max(0.0) / output;
            finding = finding.figure(
                Metric::OutputThroughput,
                Stat::Value,
                Value::Exact(rate),
                Value::Exact(right),
            );
        }
        Ok(Some(finding))
    }
}
