//! Readings of accelerators by AIPerf: its telemetry file, and the telemetry in a summary.

use super::aggregates::{further, put};
use super::aiperf::{self, SKIP};
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Metric, Part, Run, Stat};
use crate::notice::{Notices, Place, Severity};
use crate::units::fixed;
use std::collections::BTreeMap;

/// The accelerator telemetry of NVIDIA AIPerf.
pub(super) struct AiperfGpu;

static ABOUT: About = About {
    name: "AIPerf GPU telemetry",
    file: "`gpu_telemetry_export.jsonl`, or `PREFIX_gpu_telemetry.jsonl`, of `aiperf profile`",
    versions: "AIPerf 0.4 to 0.13",
    recognised: "one sample a line with `telemetry_data` and `gpu_uuid`",
    reads: &[
        "power and energy of the accelerators over all samples",
        "mean, smallest and largest of every other reading, accelerator by accelerator",
    ],
    limits: &["samples from before the first and after the last request are in it; those in \
         `profile_export_aiperf.json` are of the measured time only"],
}
.lean();

impl Format for AiperfGpu {
    fn id(&self) -> &'static str {
        "aiperf-gpu"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["telemetry_data", "gpu_uuid"]) {
            return Verdict::Certain("it has telemetry_data beside gpu_uuid".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIP, ticker: &ticker };
        let convert = |tree: Tree| Ok(Sample::of(&tree));
        let found = documents::read(input.text, Each { seed, convert: &convert }, &ticker, out)?;
        let mut run = aiperf::run(
            "AIPerf GPU telemetry",
            input.provenance(self.id(), 0, 1),
            Part::Accelerators,
        );
        let samples = found.into_iter().filter_map(|line| line.value);
        if !gather(samples, &mut run) {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

/// One sample of one accelerator.
struct Sample {
    time: Option<i128>,
    uuid: String,
    label: String,
    readings: Vec<(String, f64)>,
}

impl Sample {
    fn of(tree: &Tree) -> Option<Self> {
        let data = tree.get("telemetry_data")?;
        let readings = data.members().iter();
        Some(Self {
            time: tree.get("timestamp_ns").and_then(Tree::int),
            uuid: tree.text_at(&["gpu_uuid"])?.to_owned(),
            label: label(tree),
            readings: readings
                .filter_map(|(name, value)| {
                    Some((name.clone(), value.number().filter(|v| v.is_finite())?))
                })
                .collect(),
        })
    }
}

/// What a reading is called: the host where it is told, and the accelerator's number.
fn label(tree: &Tree) -> String {
    let index = tree.get("gpu_index").and_then(Tree::int).unwrap_or_default();
    match tree.text_at(&["hostname"]) {
        Some(host) => format!("{host} gpu {index}"),
        None => format!("gpu {index}"),
    }
}

/// Mean, extremes and ends of one reading of one accelerator.
#[derive(Default, Clone, Copy)]
struct Tally {
    count: f64,
    sum: f64,
    min: f64,
    max: f64,
    first: f64,
    last: f64,
}

impl Tally {
    fn add(&mut self, value: f64) {
        if self.count < 1.0 {
            *self = Self { min: value, max: value, first: value, ..Self::default() };
        }
        self.count += 1.0;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.last = value;
    }
}

/// Puts all samples into the run; says whether there were any.
fn gather(samples: impl Iterator<Item = Sample>, run: &mut Run) -> bool {
    let mut all: BTreeMap<String, (String, BTreeMap<String, Tally>)> = BTreeMap::new();
    let (mut count, mut from, mut to) = (0_u64, i128::MAX, i128::MIN);
    for sample in samples {
        count += 1;
        if let Some(time) = sample.time {
            (from, to) = (from.min(time), to.max(time));
        }
        let (_, readings) = all.entry(sample.uuid).or_insert((sample.label, BTreeMap::new()));
        for (name, value) in sample.readings {
            readings.entry(name).or_default().add(value);
        }
    }
    let mut devices = Devices::default();
    for (label, readings) in all.values() {
        for (name, tally) in readings {
            let unit = unit_of(name);
            let mut add = |key, value| devices.add(run, label, name, unit, key, value);
            if is_counter(name) {
                add("avg", tally.last - tally.first);
            } else {
                add("avg", tally.sum / tally.count);
                add("min", tally.min);
                add("max", tally.max);
            }
        }
    }
    devices.close(run, all.len());
    if let Some(nanos) = to.checked_sub(from).filter(|nanos| *nanos > 0) {
        let text = format!(
            "{count} samples over {} s, those before and after the measured requests included.",
            fixed(nanos as f64 / 1e9, 1)
        );
        run.provenance.notices.add(Severity::Note, "whole-telemetry", Place::WholeFile, text);
    }
    count > 0
}

/// Adds the accelerators in `telemetry_data` of a summary (0.4 on).
pub(super) fn summary(run: &mut Run, telemetry: &Tree) {
    let mut devices = Devices::default();
    let mut count = 0;
    let endpoints = telemetry.get("endpoints").map(Tree::members).unwrap_or_default();
    let gpus = endpoints.iter().filter_map(|(_, endpoint)| endpoint.get("gpus"));
    for (_, gpu) in gpus.flat_map(Tree::members) {
        count += 1;
        let label = label(gpu);
        for (name, object) in gpu.get("metrics").map(Tree::members).unwrap_or_default() {
            let unit = object.text_at(&["unit"]).unwrap_or_default();
            for (key, value) in object.members().iter().filter(|(key, _)| key != "unit") {
                if let Some(value) = value.number() {
                    devices.add(run, &label, name, unit, key, value);
                }
            }
        }
    }
    devices.close(run, count);
}

/// Power and energy of several accelerators, before they are one number.
#[derive(Default)]
pub(super) struct Devices {
    /// By statistic, one value an accelerator, in watts.
    power: BTreeMap<String, Vec<f64>>,
    /// One value an accelerator, in joules: what a counter rose by.
    energy: Vec<f64>,
    fields: [Option<String>; 2],
}

impl Devices {
    /// Adds one statistic of one reading. Whatever it is, it is shown under its own name.
    pub(super) fn add(
        &mut self,
        run: &mut Run,
        label: &str,
        name: &str,
        unit: &str,
        key: &str,
        value: f64,
    ) {
        further(&mut run.reported, &format!("{label} {name} {key}"), Some(value), unit);
        let metric = if is_power(name) {
            Metric::AcceleratorPower
        } else if is_energy(name) {
            Metric::Energy
        } else {
            return;
        };
        let Some(scale) = aiperf::scale(metric, unit) else { return };
        let [power, energy] = &mut self.fields;
        if metric == Metric::Energy {
            // The rise over the measured time is the one statistic of a counter.
            if key == "avg" {
                self.energy.push(value * scale);
                energy.get_or_insert_with(|| name.to_owned());
            }
        } else {
            self.power.entry(key.to_owned()).or_default().push(value * scale);
            power.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Writes power and energy of `count` accelerators: of several the mean power, the extremes and the
    /// energy of all.
    pub(super) fn close(self, run: &mut Run, count: usize) {
        run.load.gpus = u32::try_from(count).ok().filter(|count| *count > 0);
        let [power, energy] = self.fields;
        let of = if count > 1 { format!(", of {count} accelerators") } else { String::new() };
        for (key, values) in &self.power {
            let Some(stat) = super::aggregates::usual_stat(key) else { continue };
            let value = match stat {
                Stat::Mean => values.iter().sum::<f64>() / values.len() as f64,
                Stat::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
                Stat::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                // The spread of several accelerators is in none of their own.
                _ if values.len() > 1 => continue,
                _ => values.iter().sum(),
            };
            let field = format!("{}.{key}{of}", power.as_deref().unwrap_or_default());
            put(&mut run.reported, &field, Metric::AcceleratorPower, stat, Some(value), 1.0);
        }
        let printed = run.reported.value(Metric::Energy).is_some();
        if !self.energy.is_empty() && self.energy.len() == count && !printed {
            let field = format!("{}{of}", energy.as_deref().unwrap_or_default());
            let joules = self.energy.iter().sum();
            put(&mut run.reported, &field, Metric::Energy, Stat::Value, Some(joules), 1.0);
        }
    }
}

/// Whether a reading is the power draw: `gpu_power_usage` up to 0.10, then by maker; in tables by name.
fn is_power(name: &str) -> bool {
    matches!(name, "gpu_power_usage" | "nvidia_power_usage" | "amd_power")
        || matches!(name, "GPU Power Usage" | "NVIDIA GPU Power Usage" | "AMD GPU Power")
}

fn is_energy(name: &str) -> bool {
    name.ends_with("energy_consumption") || name.ends_with("Energy Consumption")
}

/// Readings that only rise (`gpu_telemetry/constants.py`).
fn is_counter(name: &str) -> bool {
    is_energy(name)
        || ["xid_errors", "power_violation", "ecc_uncorrectable"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// The unit of a reading by its name (`gpu_telemetry/constants.py`); none of a user's own.
fn unit_of(name: &str) -> &'static str {
    const UNITS: [(&str, &str); 8] = [
        ("utilization", "%"),
        ("activity", "%"),
        ("memory_used", "GB"),
        ("temperature", "°C"),
        ("power_violation", "us"),
        ("energy_consumption", "MJ"),
        ("power_usage", "W"),
        ("amd_power", "W"),
    ];
    UNITS.iter().find(|(end, _)| name.ends_with(end)).map_or("", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::{Metric, Run, Stat};

    fn sample(time: u64, gpu: u32, watts: f64, megajoules: f64) -> String {
        format!(
            "{{\"timestamp_ns\": {time}, \"gpu_index\": {gpu}, \"gpu_uuid\": \"GPU-{gpu}\", \
             \"telemetry_data\": {{\"nvidia_power_usage\": {watts}, \
             \"nvidia_energy_consumption\": {megajoules}, \"nvidia_temperature\": 60}}}}\n"
        )
    }

    fn run(text: &str) -> Run {
        read("a.jsonl", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn energy_is_what_the_counters_of_all_rose_by() {
        let text = [
            sample(1_000_000_000, 0, 100.0, 5.0),
            sample(1_000_000_000, 1, 200.0, 7.0),
            sample(2_000_000_000, 0, 300.0, 5.001),
            sample(2_000_000_000, 1, 400.0, 7.002),
        ]
        .concat();
        let run = run(&text);
        assert_eq!(run.load.gpus, Some(2));
        let joules = run.reported.value(Metric::Energy).unwrap();
        assert!((joules - 3000.0).abs() < 1e-3, "{joules}");
        let power = |stat| run.reported.find(Metric::AcceleratorPower, stat).map(|v| v.value);
        assert_eq!(power(Stat::Mean), Some(250.0));
        assert_eq!((power(Stat::Min), power(Stat::Max)), (Some(100.0), Some(400.0)));
        assert!(run.reported.further.iter().any(|f| f.field == "gpu 1 nvidia_temperature avg"));
    }
}
