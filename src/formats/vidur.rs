//! Tables of the Vidur simulator and of Sarathi-Serve: one row a request.

use super::csv_columns::{Own, Plan};
use super::csv_map::Field;
use super::csv_requests;
use super::csv_table::{Table, TimeUnit};
use super::error::{ErrorKind, Fault};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Run, Tool};
use crate::notice::{Notices, Place, Severity};

/// Vidur's `request_metrics.csv` and Sarathi's `sequence_metrics.csv`.
pub(super) struct Vidur;

static ABOUT: About = About {
    name: "Vidur and Sarathi-Serve",
    file: "`request_metrics.csv` of the Vidur simulator, `sequence_metrics.csv` of Sarathi-Serve",
    versions: "all read; made from the field lists of both, since no published file was found",
    recognised: "`Request Id` with `request_e2e_time`, `prefill_e2e_time` and `request_num_decode_tokens`; \
                 Sarathi by its further columns",
    reads: &[
        "TTFT (`prefill_e2e_time`), end-to-end latency, prompt and output tokens of each request, in \
         seconds",
        "when each request arrived, from the waits between them",
        "rows with empty cells as requests that did not finish",
    ],
    limits: &[
        "Vidur simulates: no server ran, and its times are computed",
        "times start when a request arrives, so waiting in the server’s queue counts",
        "both divide the time after the first token by all output tokens, not by one fewer",
        "the time of single tokens is in another file",
    ],
}.lean();

const SECONDS: Option<TimeUnit> = Some(TimeUnit::Secs);

const COLUMNS: [Own; 6] = [
    ("Request Id", Field::RequestId, None),
    ("request_num_prefill_tokens", Field::InputTokens, None),
    ("request_num_decode_tokens", Field::OutputTokens, None),
    ("prefill_e2e_time", Field::Ttft, SECONDS),
    ("request_e2e_time", Field::E2e, SECONDS),
    ("request_inter_arrival_delay", Field::InterArrival, SECONDS),
];

/// Sarathi cuts prompts into pieces and times the pauses between them; Vidur has neither.
fn is_sarathi(table: &Table<'_>) -> bool {
    let words = ["piecewise", "pauses"];
    table.headings.iter().any(|heading| words.iter().any(|word| heading.raw.contains(word)))
}

impl Format for Vidur {
    fn id(&self) -> &'static str {
        "vidur"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let names = ["request_e2e_time", "prefill_e2e_time", "request_num_decode_tokens"];
        if names.iter().all(|name| table.headings.iter().any(|h| h.raw == *name)) {
            return Verdict::Certain("it has the headings of Vidur’s and Sarathi’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        let mut plan = Plan::own(&table.headings, &COLUMNS);
        // Both join their columns by request, so what never ended has empty cells.
        plan.cut_without_e2e = true;
        let tool = if is_sarathi(&table) { Tool::Sarathi } else { Tool::Vidur };
        let mut run = csv_requests::run(input, self.id(), tool, &table, &plan)?;
        let mut note = |kind, text: &str| {
            run.provenance.notices.add(Severity::Warn, kind, Place::WholeFile, text);
        };
        if tool == Tool::Vidur {
            note(
                "simulated",
                "Vidur simulates: no server ran, and all times are computed, not measured.",
            );
        }
        note(
            "from-arrival",
            "Times start when a request arrives at the server, so waiting in its queue counts and the \
             network does not.",
        );
        Ok(vec![run])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::metrics::{Ask, evaluate, own};
    use crate::model::{Metric, Outcome, Stat};
    use crate::units::Seconds;

    const HEADER: &str = "Request Id,request_e2e_time,prefill_e2e_time,\
                          decode_time_execution_plus_preemption_normalized,\
                          request_inter_arrival_delay,request_num_prefill_tokens,\
                          request_num_decode_tokens";

    fn run(more: &str, rows: &str) -> Run {
        let text = format!("{HEADER}{more}\n{rows}");
        read("x.csv", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn empty_cells_are_requests_that_did_not_finish() {
        let run = run("", "0,2.5,0.5,0.2,,100,10\n1,,,,0.25,80,\n2,1.5,0.5,0.1,0.5,90,10\n");
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.outcome, [Outcome::Ok, Outcome::Unfinished, Outcome::Ok]);
        let starts: Vec<_> = requests.start.iter().map(|s| s.map(Seconds::as_secs)).collect();
        assert_eq!(starts, [Some(0.0), Some(0.25), Some(0.75)]);
    }

    #[test]
    fn the_tools_own_tpot_divides_by_all_tokens() {
        let run = run("", "0,2.5,0.5,0.2,,100,10\n1,1.5,0.5,0.1,0.25,80,10\n");
        let got = evaluate(&run, &own(&run).settings, &Ask::default());
        let tpot = got.value(Metric::Tpot, Stat::Mean).exact().unwrap();
        assert!((tpot - 150.0).abs() < 1e-9, "{tpot} is the mean of 0.2 and 0.1 s");
    }

    #[test]
    fn a_simulation_is_said_to_be_one_and_sarathi_is_none() {
        let vidur = run("", "0,2.5,0.5,0.2,,100,10\n");
        assert_eq!(vidur.tool, Tool::Vidur);
        assert!(vidur.provenance.notices.iter().any(|n| n.kind == "simulated"));
        let sarathi = run(",prefill_time_piecewise", "0,2.5,0.5,0.2,,100,10,1\n");
        assert_eq!(sarathi.tool, Tool::Sarathi);
        assert!(sarathi.provenance.notices.iter().all(|n| n.kind != "simulated"));
    }
}
