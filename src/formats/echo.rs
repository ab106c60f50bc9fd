//! Output counts that hold the prompt: a server that echoes it looks faster by the length of the prompt.

use crate::model::{Column, Metric, Requests, Run, Stat};
use crate::notice::{Place, Severity};
use crate::units::Tokens;

/// How near the output must come to prompt and request together: lengths vary by a few tokens.
const NEAR: f64 = 0.02;

/// Notes a run whose mean output is its mean input and the length that was asked for, together.
///
/// Seen in triton-inference-server/client issue 779: one of two backends returned the prompt with the
/// answer, and its output throughput won.
pub(super) fn note(run: &mut Run) {
    let Some(asked) = run.load.output_tokens.filter(|asked| *asked > 0.0) else { return };
    let Some((input, output)) = lengths(run) else { return };
    let together = input + asked;
    // A short prompt is within the usual spread of the output.
    if input < 0.1 * asked || (output - together).abs() > NEAR * together {
        return;
    }
    run.provenance.notices.add(
        Severity::Block,
        "prompt-echoed",
        Place::WholeFile,
        format!(
            "The mean output of {output:.0} tokens is the mean prompt of {input:.0} and the {asked:.0} \
             that were asked for, together: the server seems to return the prompt, and its output \
             rates count it."
        ),
    );
}

/// Mean input and output tokens a finished request.
fn lengths(run: &Run) -> Option<(f64, f64)> {
    if let Some(Requests { input_tokens, output_tokens, .. }) = &run.requests
        && let (Some(input), Some(output)) = (mean(input_tokens), mean(output_tokens))
    {
        return Some((input, output));
    }
    let printed = |metric| run.reported.find(metric, Stat::Mean).map(|v| v.value);
    if let Some(lengths) = printed(Metric::InputTokens).zip(printed(Metric::OutputTokens)) {
        return Some(lengths);
    }
    let finished = run.reported.value(Metric::Completed).filter(|n| *n > 0.0)?;
    let total = |metric| Some(run.reported.value(metric)? / finished);
    Some((total(Metric::TotalInputTokens)?, total(Metric::TotalOutputTokens)?))
}

fn mean(column: &Column<Tokens>) -> Option<f64> {
    let values: Vec<f64> = column.iter().flatten().map(Tokens::count).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Origin, Provenance, Tool};

    fn noted(input: f64, output: f64, asked: Option<f64>) -> bool {
        let provenance = Provenance::new("a", 1, Digest::of(b"a"), "made", "");
        let mut run = Run::new(Tool::Sglang, "a", provenance);
        run.load.output_tokens = asked;
        let mut requests = Requests::absent(1);
        let one = |n| Column::from_options(Origin::Reported, [Some(Tokens::from_count(n))]);
        requests.input_tokens = one(input);
        requests.output_tokens = one(output);
        run.requests = Some(requests);
        note(&mut run);
        run.provenance.notices.at_least(Severity::Block) == 1
    }

    #[test]
    fn an_output_as_long_as_prompt_and_request_is_noted() {
        assert!(noted(200.0, 300.0, Some(100.0)));
        assert!(!noted(200.0, 100.0, Some(100.0)));
        assert!(!noted(200.0, 300.0, None));
        assert!(!noted(1.0, 100.0, Some(100.0)), "a prompt of one token proves nothing");
    }
}
