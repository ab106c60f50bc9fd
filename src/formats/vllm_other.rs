//! The other shapes in which vLLM’s results come: the records of PyTorch’s benchmark format, and the
//! table of a sweep. Both hold result objects; what these mean is in [`vllm_bench`](super::vllm_bench).

use super::csv_table::Table;
use super::documents::{self, Document, Ticker};
use super::error::{ErrorKind, Fault};
use super::json::{Value, number_of};
use super::record::Record;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use super::{vllm_bench, vllm_latency, vllm_offline, vllm_throughput};
use crate::model::{Part, Run};
use crate::notice::{Notices, Place};

/// vLLM's results in PyTorch's benchmark format.
pub(super) struct VllmPytorch;

static PYTORCH: About = About {
    name: "vLLM PyTorch record",
    file: "`.pytorch.json`, which vLLM’s benchmarks write beside their result when they are told to save \
           for PyTorch’s benchmark",
    versions: "vLLM 0.8 to 0.33",
    recognised: "a list of `benchmark`, `model` and `metric`",
    reads: &[
        "the records of a file as one run: serving, latency or throughput",
        "every value that has a record, and the totals that each record repeats",
    ],
    limits: &[
        "requests are in the .json beside it; its lists, which every record repeats, are passed over",
        "the arguments of the benchmark are not kept: they may hold addresses and keys",
    ],
}.lean();

/// Lists that every record repeats, and what may hold secrets.
const PASSED_OVER: [&str; 12] = [
    "args",
    "input_lens",
    "output_lens",
    "ttfts",
    "itls",
    "start_times",
    "latencies",
    "queue_times",
    "server_queue_times",
    "server_ttfts",
    "generated_texts",
    "errors",
];

impl Format for VllmPytorch {
    fn id(&self) -> &'static str {
        "vllm-pytorch"
    }

    fn about(&self) -> &'static About {
        &PYTORCH
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["benchmark", "model", "metric"]) && head.contains("\"benchmark_values\"")
        {
            return Verdict::Certain("it has benchmark, model and metric with values".into());
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let found = {
            let ticker = Ticker::new(input.text.len() as u64, &mut input.progress);
            let seed = TreeSeed { skip: &PASSED_OVER, ticker: &ticker };
            documents::read(input.text, seed, &ticker, out)?
        };
        let mut value = Record::default();
        for Document { value: tree, .. } in &found {
            add_metric(&mut value, tree);
        }
        let mut provenance = input.provenance(self.id(), 0, 1);
        let mut run = if value.has("avg_latency") || value.arrays.latencies.is_some() {
            let mut run = vllm_offline::empty("vLLM latency", provenance);
            vllm_latency::fill(&mut run, value).map_err(Fault::whole)?;
            run
        } else if value.has("requests_per_second") {
            let mut run = vllm_offline::empty("vLLM throughput", provenance);
            vllm_throughput::fill(&mut run, value).map_err(Fault::whole)?;
            run
        } else {
            provenance.part = Part::Summary;
            vllm_bench::run(Document { value, place: Place::WholeFile }, provenance)?
        };
        let model = found.iter().find_map(|one| one.value.text_at(&["model", "name"]));
        if run.workload.model.is_none() {
            run.workload.model = model.map(str::to_owned);
        }
        Ok(vec![run])
    }
}

/// Adds one record: its value under its name, and the totals beside it where they are new.
fn add_metric(record: &mut Record, tree: &Tree) {
    let Some(metric) = tree.get("metric") else { return };
    let name = metric.text_at(&["name"]).unwrap_or_default();
    let values = metric.get("benchmark_values").map(Tree::list).unwrap_or_default();
    if name == "latency" {
        record.arrays.latencies = Some(values.iter().filter_map(Tree::number).collect());
    } else if let [value] = values
        && let Some(value) = value.number()
    {
        record.values.push((name.to_owned(), Value::Number(value)));
    }
    for (key, value) in metric.get("extra_info").map(Tree::members).unwrap_or_default() {
        if !record.has(key)
            && let Some(value) = small(value)
        {
            record.values.push((key.clone(), value));
        }
    }
}

/// A value that is no list.
fn small(tree: &Tree) -> Option<Value> {
    Some(match tree {
        Tree::Null => Value::Null,
        Tree::Bool(value) => Value::Bool(*value),
        Tree::Int(value) => Value::Number(*value as f64),
        Tree::Float(value) => Value::Number(*value),
        Tree::Text(text) => Value::Text(text.clone()),
        Tree::Object(members) => Value::Object(
            members
                .iter()
                .filter(|(_, value)| !matches!(value, Tree::Object(_)))
                .filter_map(|(key, value)| Some((key.clone(), small(value)?)))
                .collect(),
        ),
        Tree::List(_) => return None,
    })
}

/// The table of all runs of a vLLM sweep.
pub(super) struct VllmSweep;

static SWEEP: About = About {
    name: "vLLM sweep table",
    file: "`summary.csv` of `vllm bench sweep serve`",
    versions: "vLLM 0.11.1 to 0.33",
    recognised: "a table with `run_number`, `duration` and `completed`",
    reads: &[
        "every row as the result object that its `run=….json` is; swept parameters as settings",
    ],
    limits: &["requests are in no row; lists are passed over"],
}
.lean();

impl Format for VllmSweep {
    fn id(&self) -> &'static str {
        "vllm-sweep"
    }

    fn about(&self) -> &'static About {
        &SWEEP
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let has = |name: &str| table.headings.iter().any(|heading| heading.raw == name);
        if ["run_number", "duration", "completed"].iter().all(|name| has(name)) {
            return Verdict::Certain("its header has run_number, duration and completed".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        let mut found: Vec<Document<Record>> = Vec::new();
        table.each_row(|line, _, cells| {
            let pairs =
                table.headings.iter().zip(cells).filter(|(heading, _)| !heading.raw.is_empty());
            let values =
                pairs.filter_map(|(heading, text)| Some((heading.raw.clone(), cell(text)?)));
            let value = Record { values: values.collect(), ..Record::default() };
            found.push(Document { value, place: Place::LineColumn { line, column: 1 } });
            Ok(())
        })?;
        let of = found.len();
        let mut runs: Vec<Run> = found
            .into_iter()
            .enumerate()
            .map(|(index, document)| {
                vllm_bench::run(document, input.provenance(self.id(), index, of))
            })
            .collect::<Result<_, _>>()?;
        runs.iter_mut().for_each(vllm_bench::sum_up);
        Ok(super::name_apart(runs, "label"))
    }
}

/// A cell as pandas writes it: nothing where nothing was, a list as Python prints it.
fn cell(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() || text.starts_with(['[', '{']) {
        return None;
    }
    Some(match number_of(text) {
        Some(value) if value.is_nan() => return None,
        Some(value) if value.is_finite() => Value::Number(value),
        _ => Value::Text(text.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::{Metric, Part, Run, Stat};

    fn runs(text: &str) -> Vec<Run> {
        read("x", text.as_bytes(), &mut |_| {}).unwrap()
    }

    const RESULT: &str = r#""duration": 2.0, "completed": 4, "model_id": "made/x", "num_prompts": 4,
        "total_input_tokens": 40, "total_output_tokens": 8, "request_rate": "inf""#;

    #[test]
    fn a_row_of_the_table_an_object_of_the_list_and_the_run_itself_are_kin() {
        let object =
            format!(r#"{{{RESULT}, "mean_ttft_ms": 12.5, "run_number": 0, "max_num_seqs": 4}}"#);
        let table = ",duration,completed,model_id,num_prompts,total_input_tokens,total_output_tokens,\
                     request_rate,mean_ttft_ms,run_number,max_num_seqs,request_goodput\n\
                     0,2.0,4,made/x,4,40,8,inf,12.5,0,4,\n";
        let of = [&object, &format!("[{object}]"), table].map(|text| runs(text).remove(0));
        assert!(of[0].provenance.kin.is_some());
        assert!(of.iter().all(|run| run.provenance.kin == of[0].provenance.kin));
        assert_eq!(
            of.each_ref().map(|run| run.provenance.part),
            [Part::Whole, Part::Summary, Part::Summary]
        );
        assert_eq!(of[1].reported.values, of[2].reported.values);
        assert_eq!(of[1].load, of[2].load);
    }

    #[test]
    fn the_records_of_a_serving_run_are_one_run() {
        let record = |name: &str, value: f64| {
            format!(
                r#"{{"benchmark": {{"name": "vLLM benchmark", "extra_info": {{"args": {{"api_key":
                "made-key"}}}}}}, "model": {{"name": "made/x"}}, "metric": {{"name": "{name}",
                "benchmark_values": [{value}], "extra_info": {{{RESULT}, "output_lens": [2, 2]}}}}}}"#
            )
        };
        let text = format!("[{}, {}]", record("mean_ttft_ms", 12.5), record("p99_tpot_ms", 3.5));
        let all = runs(&text);
        assert_eq!(all.len(), 1);
        let run = &all[0];
        let tpot = run.reported.find(Metric::Tpot, Stat::Percentile(99.0));
        assert_eq!(tpot.map(|v| v.value), Some(3.5));
        assert_eq!(run.reported.value(Metric::Completed), Some(4.0));
        assert_eq!(run.provenance.part, Part::Summary);
        assert!(run.provenance.kin.is_some() && run.requests.is_none());
        assert!(!format!("{run:?}").contains("made-key"));
    }

    #[test]
    fn latencies_and_throughputs_are_offline() {
        let text = r#"[{"benchmark": {}, "model": {"name": "made/x"}, "metric": {"name": "latency",
            "benchmark_values": [1.0, 2.0], "extra_info": {"avg_latency": 1.5,
            "percentiles": {"50": 1.5}}}}]"#;
        let run = runs(text).remove(0);
        assert_eq!(run.requests.as_ref().map(crate::model::Requests::len), Some(2));
        assert_eq!(run.reported.find(Metric::E2e, Stat::Mean).map(|v| v.value), Some(1500.0));
        assert_eq!(run.workload.model.as_deref(), Some("made/x"));
    }
}
