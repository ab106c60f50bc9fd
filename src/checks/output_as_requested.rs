//! Output lengths that are those that were asked for.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, TokenSource};
use crate::notice::Severity;
use crate::units::Tokens;

/// Of fewer requests one length is no sign.
const FEWEST: usize = 5;
/// A second count that differs by this much says that the first is not what came.
const APART: f64 = 0.05;
/// In so many of the requests.
const MANY: f64 = 0.1;

/// Every output has the requested length: right where EOS is ignored, else booked and not counted.
pub(super) struct OutputAsRequested;

impl Check for OutputAsRequested {
    fn about(&self) -> About {
        About {
            id: "output-as-requested",
            name: "Output has the requested length",
            passes: "output lengths vary, or events show that so many tokens came",
            rule: "the tool books the requested length, or at least five replies all have one length and \
                   no other count confirms it; a warning where another count contradicts it in 10 % of \
                   the requests",
            source: "sgl-project/sglang issue 10746",
            covers: &["booked-length"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        let all: Vec<usize> = table.finished().filter(|at| table.tokens(*at).is_some()).collect();
        let Some(first) = all.first().and_then(|at| table.tokens(*at)) else {
            return Err(requests.without("the file holds no output tokens of each request"));
        };
        let same = all.iter().all(|at| table.tokens(*at).is_some_and(|n| (n - first).abs() < 0.5));
        let booked = requests.token_source == TokenSource::Requested;
        if !booked && (all.len() < FEWEST || !same || first <= 1.0) {
            return Ok(None);
        }
        // What else says how many came: the client’s tokenizer, or else the events.
        let second = |at: usize| {
            let retokenized = requests.retokenized.get(at).map(Tokens::count);
            retokenized.or_else(|| table.events(at).map(|events| events as f64))
        };
        let (mut known, mut differing) = (0_usize, Vec::new());
        for at in &all {
            let Some((n, other)) = table.tokens(*at).zip(second(*at)) else { continue };
            known += 1;
            if (n - other).abs() > APART * n.max(other) {
                differing.push(*at);
            }
        }
        let touches = [Metric::Tpot, Metric::OutputThroughput, Metric::OutputTokens];
        let contradicted = known > 0 && differing.len() as f64 >= MANY * known as f64;
        let tokens = if requests.retokenized.is_absent() { "events" } else { "retokenized" };
        if contradicted && (booked || varies(&differing, second)) {
            let text = format!(
                "Every output length equals the requested one, while {} of {known} requests brought another \
                 number of tokens: TPOT is then too short and the output throughput too high.",
                differing.len()
            );
            return Ok(Some(
                Finding::new(Severity::Warn, text)
                    .rows(differing, known)
                    .touches(&touches)
                    .set("token-count", tokens),
            ));
        }
        if known > 0 && !contradicted {
            return Ok(None);
        }
        if booked {
            let text = "The tool books the requested output length as what came: where replies ended \
                        early, TPOT is too short and the output throughput too high.";
            return Ok(Some(Finding::new(Severity::Warn, text).touches(&touches)));
        }
        if known > 0 || subject.setting(&["ignore_eos"]).is_some_and(is_true) {
            return Ok(None);
        }
        let text = format!(
            "All {} replies have exactly {} tokens: right where the end of text is ignored, which \
             the file does not say; else the cap cut them, or it is the requested length.",
            all.len(),
            whole(first)
        );
        Ok(Some(Finding::new(Severity::Note, text).touches(&touches)))
    }
}

/// Whether the second count is not one number too: events of equal streams are, whatever is in them.
fn varies(rows: &[usize], count: impl Fn(usize) -> Option<f64>) -> bool {
    let mut counts = rows.iter().filter_map(|at| count(*at));
    let Some(first) = counts.next() else { return false };
    counts.any(|n| (n - first).abs() > 0.5)
}

fn is_true(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "true" | "1" | "yes")
}
