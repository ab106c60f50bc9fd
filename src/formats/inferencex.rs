//! Aggregated records of InferenceX (InferenceMAX): one object a run, or the list that its collector
//! makes of them.

use super::aggregates::{SAME, SECONDS, further, put, usual_stat};
use super::error::Fault;
use super::tree::{self, Tree};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Load, Metric, Part, Provenance, Run, Stat, Tool, Workload};
use crate::notice::Notices;

/// InferenceX's aggregated records.
pub(super) struct Inferencex;

static ABOUT: About = About {
    name: "InferenceX record",
    file: "`agg_*.json` of InferenceX (InferenceMAX): one object, or the list of a whole sweep; its \
           reduced lists",
    versions: "October 2025 to August 2026",
    recognised: "`tput_per_gpu` with `hw` and `conc`",
    reads: &[
        "every record as a run: hardware, model, framework, precision, concurrency, parallelism",
        "TTFT, TPOT, ITL and E2E, which are in seconds",
        "throughput as printed per GPU, and of the whole where the record says how many GPUs there were",
        "interactivity: the reciprocal of the TPOT statistic of the same name, so its p99 is the slow tail",
    ],
    limits: &[
        "aggregates only; the raw file of the run holds its requests",
        "`tput_per_gpu` counts input and output tokens",
        "the printed spread of interactivity is the reciprocal of another spread and means nothing: it \
         is left out",
        "records of agents’ sessions have a schema of their own and are not read",
    ],
}.lean();

impl Format for Inferencex {
    fn id(&self) -> &'static str {
        "inferencex"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["hw", "conc", "tput_per_gpu"]) {
            return Verdict::Certain("it has tput_per_gpu beside hw and conc".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        tree::runs(input, self.id(), out, run)
    }
}

/// What is shown of a record as settings, all of them known to be harmless.
const SETTINGS: [&str; 26] = [
    "hw",
    "framework",
    "precision",
    "image",
    "spec_decoding",
    "mtp",
    "speculation_length",
    "disagg",
    "serving_config",
    "parallelism",
    "is_multinode",
    "isl",
    "osl",
    "tp",
    "pp",
    "ep",
    "dcp_size",
    "pcp_size",
    "dp_attention",
    "prefill_tp",
    "prefill_ep",
    "prefill_num_workers",
    "decode_tp",
    "decode_ep",
    "decode_num_workers",
    "kv_p2p_transfer",
];

fn run(record: &Tree, mut provenance: Provenance) -> Run {
    provenance.part = Part::Whole;
    let gpus = Gpus::of(record);
    let mut run = super::blank(Tool::Inferencex, &name(record), provenance);
    run.load = Load {
        max_concurrency: record.get("conc").and_then(Tree::int).and_then(|n| u64::try_from(n).ok()),
        gpus: gpus.all,
        ..Load::default()
    };
    let settings = SETTINGS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), record.get(key)?.words()?)))
        .collect();
    run.workload = Workload {
        model: record.text_at(&["model"]).map(str::to_owned),
        backend: record.text_at(&["framework"]).map(str::to_owned),
        settings,
        ..Workload::default()
    };
    for (key, value) in record.members() {
        aggregate(&mut run, key, value.number(), &gpus);
    }
    run
}

/// A name that tells the records of a list apart.
fn name(record: &Tree) -> String {
    let word = |key: &str| record.get(key).and_then(Tree::words);
    let mut parts = vec!["InferenceX".to_owned()];
    parts.extend(["hw", "framework", "precision"].iter().filter_map(|key| word(key)));
    for (key, sign) in [("tp", "TP"), ("ep", "EP")] {
        parts.extend(word(key).map(|count| format!("{sign}{count}")));
    }
    let on = |key: &str| word(key).is_some_and(|text| text == "true" || text == "on");
    if on("dp_attention") {
        parts.push("DP attention".into());
    }
    if on("mtp") || word("spec_decoding").is_some_and(|kind| kind == "mtp") {
        parts.push("MTP".into());
    }
    let load = word("conc").map(|count| format!(", {count} in flight")).unwrap_or_default();
    format!("{}{load}", parts.join(" "))
}

/// By how many GPUs each throughput was divided. Nothing is assumed: a record that does not say it
/// keeps its numbers per GPU.
struct Gpus {
    all: Option<u32>,
    prefill: Option<u32>,
    decode: Option<u32>,
}

impl Gpus {
    fn of(record: &Tree) -> Self {
        let count = |key: &str| {
            record
                .get(key)
                .and_then(Tree::int)
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| *n > 0)
        };
        if let (Some(prefill), Some(decode)) = (count("num_prefill_gpu"), count("num_decode_gpu")) {
            let all = prefill.checked_add(decode);
            return Self { all, prefill: Some(prefill), decode: Some(decode) };
        }
        // One node: tensor parallel ranks times pipeline stages. Experts and attention’s data
        // parallelism share those ranks.
        let several = record.get("is_multinode").and_then(Tree::words).is_some_and(|w| w == "true")
            || count("pcp_size").is_some_and(|n| n > 1)
            || record.text_at(&["framework"]).is_some_and(|f| f.starts_with("dynamo"));
        let one = count("tp").and_then(|tp| tp.checked_mul(count("pp").unwrap_or(1)));
        let all = one.filter(|_| !several);
        Self { all, prefill: all, decode: all }
    }
}

fn aggregate(run: &mut Run, key: &str, value: Option<f64>, gpus: &Gpus) {
    let per_gpu = match key {
        "tput_per_gpu" => Some((Metric::TotalThroughput, gpus.all)),
        "output_tput_per_gpu" => Some((Metric::OutputThroughput, gpus.decode)),
        "input_tput_per_gpu" => Some((Metric::InputThroughput, gpus.prefill)),
        _ => None,
    };
    let reported = &mut run.reported;
    if let Some((metric, count)) = per_gpu {
        match count {
            Some(count) => put(reported, key, metric, Stat::Value, value, f64::from(count)),
            None => further(reported, key, value, "tokens/s per GPU"),
        }
        return;
    }
    if let Some(unit) = power_unit(key) {
        match key {
            "avg_power_w" => put(reported, key, Metric::AcceleratorPower, Stat::Mean, value, SAME),
            "total_gpu_energy_j" => put(reported, key, Metric::Energy, Stat::Value, value, SAME),
            _ => further(reported, key, value, unit),
        }
        return;
    }
    let Some((stat, name)) = key.split_once('_') else { return };
    let Some(stat) = usual_stat(stat) else { return };
    let (metric, scale) = match name {
        "ttft" => (Metric::Ttft, SECONDS),
        "tpot" => (Metric::Tpot, SECONDS),
        "itl" => (Metric::Itl, SECONDS),
        "e2el" => (Metric::E2e, SECONDS),
        "intvty" if stat != Stat::Std => (Metric::UserSpeed, SAME),
        _ => return,
    };
    put(reported, key, metric, stat, value, scale);
}

fn power_unit(key: &str) -> Option<&'static str> {
    Some(match key {
        "avg_power_w" => "W",
        "total_gpu_energy_j" => "J",
        _ if key.starts_with("joules_per_") => "J",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn one(fields: &str) -> Run {
        let text = format!("{{\"hw\": \"made\", \"conc\": 8, {fields}}}");
        read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn seconds_and_throughput_of_the_whole() {
        let run = one("\"tp\": 8, \"ep\": 8, \"framework\": \"trt\", \"tput_per_gpu\": 100.5, \
                       \"mean_ttft\": 0.25, \"p99_tpot\": 0.02, \"p99_intvty\": 50.0, \
                       \"std_intvty\": 3872.0");
        let value = |metric, stat| run.reported.find(metric, stat).map(|v| v.value);
        assert_eq!(value(Metric::TotalThroughput, Stat::Value), Some(804.0));
        assert_eq!(value(Metric::Ttft, Stat::Mean), Some(250.0));
        assert_eq!(value(Metric::UserSpeed, Stat::Percentile(99.0)), Some(50.0));
        assert_eq!(value(Metric::UserSpeed, Stat::Std), None);
        assert_eq!(run.load.gpus, Some(8));
        assert_eq!(run.name, "InferenceX made trt TP8 EP8, 8 in flight");
    }

    #[test]
    fn an_unknown_number_of_gpus_is_not_one() {
        let run = one("\"tput_per_gpu\": 100.5");
        assert_eq!(run.reported.value(Metric::TotalThroughput), None);
        assert_eq!(run.reported.further[0].unit, "tokens/s per GPU");
        assert_eq!(run.load.gpus, None);
    }

    #[test]
    fn separate_prefill_and_decode_have_their_own_gpus() {
        let run = one("\"is_multinode\": true, \"num_prefill_gpu\": 4, \"num_decode_gpu\": 12, \
                       \"tput_per_gpu\": 10.0, \"output_tput_per_gpu\": 5.0, \
                       \"input_tput_per_gpu\": 20.0");
        assert_eq!(run.reported.value(Metric::TotalThroughput), Some(160.0));
        assert_eq!(run.reported.value(Metric::OutputThroughput), Some(60.0));
        assert_eq!(run.reported.value(Metric::InputThroughput), Some(80.0));
    }
}
