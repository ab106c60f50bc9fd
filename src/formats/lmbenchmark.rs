//! Tables of LMBenchmark and of `multi-round-qa.py` of the vLLM production stack: one row a request
//! that finished.

use super::csv_columns::{Own, Plan};
use super::csv_map::Field;
use super::csv_requests;
use super::csv_table::{Table, TimeUnit};
use super::error::{ErrorKind, Fault};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{EndRule, FirstTokenRule, Run, Tool};
use crate::notice::{Notices, Place, Severity};

/// LMBenchmark's table.
pub(super) struct Lmbenchmark;

static ABOUT: About = About {
    name: "LMBenchmark",
    file: "the CSV of LMBenchmark and of `multi-round-qa.py` (vLLM production stack, llm-d, fmperf)",
    versions: "with `user_id` and `question_id`, and without them (ShareGPT)",
    recognised: "`generation_tokens`, `generation_time`, `launch_time` and `finish_time`, by their exact names",
    reads: &[
        "prompt and output tokens, TTFT, start; times are in seconds, which the header does not say",
        "the end-to-end latency as TTFT + `generation_time`, which runs from the first token to the end",
    ],
    limits: &[
        "only requests that finished are in it: what failed or was cut off is counted nowhere",
        "a TTFT of 0 means that nothing was generated; it is taken as missing",
        "there are no gaps between tokens, and nothing that the tool printed",
    ],
}.lean();

const COLUMNS: [Own; 5] = [
    ("prompt_tokens", Field::InputTokens, None),
    ("generation_tokens", Field::OutputTokens, None),
    ("ttft", Field::Ttft, Some(TimeUnit::Secs)),
    ("generation_time", Field::DecodeTime, Some(TimeUnit::Secs)),
    ("launch_time", Field::Start, Some(TimeUnit::Secs)),
];

impl Format for Lmbenchmark {
    fn id(&self) -> &'static str {
        "lmbenchmark"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let mut names = COLUMNS.iter().map(|(name, ..)| *name).chain(["finish_time"]);
        if names.all(|name| table.headings.iter().any(|h| h.raw == name)) {
            return Verdict::Certain("it has the headings of LMBenchmark’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        let plan = Plan::own(&table.headings, &COLUMNS);
        let mut run = csv_requests::run(input, self.id(), Tool::Lmbenchmark, &table, &plan)?;
        if let Some(requests) = &mut run.requests {
            // The first chunk with content or reasoning stops TTFT; the end is read after the stream.
            requests.first_token_rule = FirstTokenRule::FirstText;
            requests.end_rule = EndRule::StreamEnd;
        }
        // What was offered is not in the file, only what finished.
        run.load.requests = None;
        run.provenance.notices.add(
            Severity::Warn,
            "survivors",
            Place::WholeFile,
            "LMBenchmark writes only requests that finished: of an overloaded server the slowest are \
             missing, so it looks better than it was.",
        );
        Ok(vec![run])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::units::Seconds;

    #[test]
    fn times_are_in_seconds_and_a_ttft_of_zero_is_none() {
        let text = "prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time\n\
                    658,275,0.05,4.25,100.0,104.3\n75.0,0.0,0.0,0.25,101.0,101.25\n";
        let run = read("x.csv", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.tool, Tool::Lmbenchmark);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.ttft.get(0), Some(Seconds::from_secs(0.05)));
        assert_eq!(requests.e2e.get(0), Some(Seconds::from_secs(4.3)));
        assert_eq!(requests.start.get(1), Some(Seconds::from_secs(1.0)));
        assert_eq!(requests.ttft.get(1), None);
        assert!(requests.is_empty_reply(1));
        assert!(run.provenance.notices.iter().any(|n| n.kind == "survivors"));
    }

    #[test]
    fn a_header_alone_is_no_run() {
        let text = "prompt_tokens,generation_tokens,ttft,generation_time,user_id,question_id,\
                    launch_time,finish_time\n";
        let error = read("x.csv", text.as_bytes(), &mut |_| {}).unwrap_err();
        assert_eq!((error.format, error.kind), (Some("lmbenchmark"), ErrorKind::NoRows));
    }
}
