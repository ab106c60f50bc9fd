//! Tables of LMDeploy's `profile_restful_api.py`: one appended row a run.

use super::csv_points::{self, Role};
use super::csv_table::Table;
use super::error::{ErrorKind, Fault};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Metric, Run, Tool};
use crate::notice::{Notices, Place, Severity};

/// LMDeploy's table.
pub(super) struct LmdeployCsv;

static ABOUT: About = About {
    name: "LMDeploy",
    file: "the CSV of `profile_restful_api.py`, also under the name `.jsonl`",
    versions: "with `request_rate`, and later ones with `bs` and `num_prompts`",
    recognised: "`backend`, `dataset_name`, `sharegpt_output_len` and `mean_ttft_ms` in its header",
    reads: &[
        "every appended row as a run: rate (`inf` is all at once), totals, throughputs, mean latencies",
    ],
    limits: &[
        "there are no requests: nothing can be computed again, and percentiles stood on the console only",
        "of OpenAI style back ends the output tokens are the requested length",
        "a mean latency of 0 stands for an empty list; it is taken as missing",
    ],
}.lean();

impl Format for LmdeployCsv {
    fn id(&self) -> &'static str {
        "lmdeploy-csv"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let names = ["backend", "dataset_name", "sharegpt_output_len", "mean_ttft_ms"];
        if names.iter().all(|name| table.headings.iter().any(|h| h.raw == *name)) {
            return Verdict::Certain("it has the headings of LMDeploy’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        let mut columns = csv_points::by_name(&table.headings);
        for (heading, role) in &mut columns {
            match heading.raw.as_str() {
                "backend" => *role = Some(Role::Backend),
                "dataset_name" => *role = Some(Role::Dataset),
                "bs" => *role = Some(Role::Concurrency),
                _ => {}
            }
        }
        let mut runs = csv_points::runs(&input, self.id(), Tool::Lmdeploy, &table, &columns)?;
        runs.iter_mut().for_each(leave_out_zeros);
        Ok(runs)
    }
}

/// The script writes the mean of an empty list as 0.
fn leave_out_zeros(run: &mut Run) {
    let empty = |metric| matches!(metric, Metric::Ttft | Metric::Tpot | Metric::Itl | Metric::E2e);
    let out = &mut run.provenance.notices;
    run.reported.values.retain(|value| {
        let kept = !empty(value.metric) || value.value > 0.0;
        if !kept {
            let text = "A mean latency of 0 stands for an empty list: it is taken as missing.";
            out.add(Severity::Warn, "zero-mean", Place::JsonPath(value.field.clone()), text);
        }
        kept
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::{RequestRate, Stat};

    const HEADER: &str = "backend,dataset_name,sharegpt_output_len,random_input_len,\
                          random_output_len,random_range_ratio,request_rate,completed,\
                          total_input_tokens,total_output_tokens,duration,request_throughput,\
                          input_throughput,output_throughput,mean_e2e_latency_ms,mean_ttft_ms,\
                          mean_tpot_ms,mean_itl_ms\n";

    fn runs(rows: &str) -> Vec<Run> {
        read("random.jsonl", format!("{HEADER}{rows}").as_bytes(), &mut |_| {}).unwrap()
    }

    #[test]
    fn every_appended_row_is_a_run_and_a_header_among_them_is_none() {
        let one = "lmdeploy,random,,1024,128,1.0,inf,8,8192,1024,4.0,2.0,2048.0,256.0,2000.0,500.0,11.8,11.9\n";
        let two = "lmdeploy,random,,1024,128,1.0,4,8,8192,1024,4.0,2.0,2048.0,256.0,2000.0,500.0,11.8,0\n";
        let runs = runs(&format!("{one}{HEADER}{two}"));
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].load.request_rate, Some(RequestRate::Unlimited));
        assert_eq!(runs[1].load.request_rate, Some(RequestRate::PerSecond(4.0)));
        assert_eq!(runs[0].workload.backend.as_deref(), Some("lmdeploy"));
        assert_eq!(runs[0].reported.find(Metric::Itl, Stat::Mean).map(|v| v.value), Some(11.9));
        assert_eq!(runs[0].reported.value(Metric::Duration), Some(4.0));
        assert!(runs[1].reported.find(Metric::Itl, Stat::Mean).is_none(), "0 is an empty list");
        assert_eq!(runs[1].provenance.notices.iter().next().unwrap().kind, "zero-mean");
    }
}
